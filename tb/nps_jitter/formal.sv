// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_jitter: a reference that judges each pulse at once, in the clock of the inputs, by the rules J1 to
// J11; what it says must be at the outputs NPS_JITTER_LATENCY clocks later. The statistics are left out: nothing of
// them comes back. The invariants say that the state beside the inputs is the reference's: with them the proof holds
// for any number of clocks.
`default_nettype none
`include "nps_ptp.vh"
`include "nps_trace.vh"

module nps_jitter_stat (
    input  wire        clk,
    input  wire        rst,
    input  wire        sample,
    input  wire        ok,
    input  wire [31:0] jitter,
    input  wire        snap,
    output wire        busy,
    input  wire [ 3:0] index,
    output wire [31:0] word
);
    assign {busy, word} = {snap, jitter};
endmodule

module formal_jitter (
    input wire        clk,
    input wire        rst,
    input wire        enable,
    input wire        restart,
    input wire [47:0] rel_ns,
    input wire [ 7:0] rel_frac,
    input wire        locked,
    input wire        holdover,
    input wire        ts_step,
    input wire        rel_step,
    input wire        sync_valid,
    input wire        phy_changed,
    input wire        cfg_apply,
    input wire [47:0] cfg_t_nominal,
    input wire [ 3:0] cfg_options,
    input wire [31:0] cfg_watchdog
);
    wire        cfg_error, ev_valid, ev_step, js_valid, js_ok, js_saturated, js_sync_lost, js_phy_changed;
    wire        js_ts_step, js_rel_step, sync_lost, stat_busy;
    wire [47:0] t_nominal, js_rel_ns;
    wire [15:0] options;
    wire [ 3:0] ev_kind, ev_sub, js_sub;
    wire [ 1:0] ev_tq, js_tq;
    wire [63:0] ev_ts, ev_step_ns, js_ts_ns, js_step_ns;
    wire [31:0] ev_payload, js_jitter, stat_word;

    nps_jitter dut (
        .clk(clk), .rst(rst), .enable(enable), .restart(restart),
        .rel_ns(rel_ns), .rel_frac(rel_frac), .ts_ns(64'd0), .tq(2'd0), .locked(locked), .holdover(holdover),
        .ts_step(ts_step), .rel_step(rel_step), .step_ns(64'd0),
        .sync_valid(sync_valid), .phy_changed(phy_changed),
        .cfg_apply(cfg_apply), .cfg_t_nominal(cfg_t_nominal), .cfg_options(cfg_options), .cfg_watchdog(cfg_watchdog),
        .cfg_error(cfg_error), .t_nominal(t_nominal), .options(options),
        .ev_valid(ev_valid), .ev_kind(ev_kind), .ev_sub(ev_sub), .ev_tq(ev_tq), .ev_ts(ev_ts), .ev_payload(ev_payload),
        .ev_step(ev_step), .ev_step_ns(ev_step_ns),
        .js_valid(js_valid), .js_ok(js_ok), .js_sub(js_sub), .js_jitter(js_jitter), .js_saturated(js_saturated),
        .js_sync_lost(js_sync_lost), .js_phy_changed(js_phy_changed), .js_rel_ns(js_rel_ns), .js_ts_ns(js_ts_ns),
        .js_tq(js_tq), .js_ts_step(js_ts_step), .js_rel_step(js_rel_step), .js_step_ns(js_step_ns),
        .sync_lost(sync_lost), .stat_snap(1'b0), .stat_busy(stat_busy), .stat_index(4'd0), .stat_word(stat_word)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    // ---------------------------------------------------------------- reference, at the inputs
    wire        need_lock = options[0], exclude = options[1], strobe = options[2];
    reg         was, seen, stepped, unlocked, armed, lost, written;    // since the last pulse
    reg  [55:0] last;
    reg  [32:0] since;                     // clocks since the last pulse, saturating
    reg         dirty;                     // something happened since that makes a sample worthless
    wire [55:0] now = {rel_ns, rel_frac};
    wire        on = enable && !rst;
    wire        pulse = on && sync_valid && (strobe || !was);
    wire        step = ts_step || rel_step;
    wire        unlock = !locked && !holdover;
    wire        in_force = dut.loads;     // a configuration comes into force after this clock
    wire        waits = dut.wait_hi;       // its words are not told yet
    wire        losing = on && !pulse && dut.watchdog != 0 && !lost && since > {1'b0, dut.watchdog};

    wire [55:0] interval = now - last;
    wire [57:0] nominal = {10'd0, t_nominal};
    wire [57:0] exact = {2'd0, interval} - nominal;                    // signed
    wire        backward = seen && interval[55];
    wire        only_arms = !seen || armed || phy_changed || written;
    wire        ok = pulse && !(stepped || step) && !((unlocked || unlock) && need_lock) && !backward && !only_arms;
    wire        missed = {1'b0, interval, 1'b0} > {nominal[56:0], 1'b0} + nominal;
    wire        early = {1'b0, interval, 1'b0} < nominal;
    wire        above = !exact[57] && exact[56:31] != 0, below = exact[57] && exact[56:31] != {26{1'b1}};
    wire [31:0] value = !ok ? 32'd0 : above ? 32'h7FFFFFFF : below || exact[31:0] == 32'h80000000 ? 32'h80000001
        : exact[31:0];
    wire [ 3:0] sub = stepped || step ? `NPS_JITTER_STEPPED : (unlocked || unlock) && need_lock ? `NPS_JITTER_UNLOCKED
        : backward ? `NPS_JITTER_BACKWARD : only_arms ? `NPS_JITTER_FIRST : missed ? `NPS_JITTER_MISSED
        : early ? `NPS_JITTER_EARLY : `NPS_JITTER_OK;
    wire        seen_by_mapper = pulse && !(ok && exclude && (missed || early));

    reg         write1;                    // a legal write in the clock before
    wire        write = cfg_apply && cfg_t_nominal != 0;
    always @(posedge clk) begin
        was <= sync_valid;
        write1 <= write && !rst;
        seen <= on && (seen || pulse);
        stepped <= on && !pulse && (stepped || step);
        unlocked <= on && !pulse && (unlocked || unlock);
        lost <= on && !pulse && (lost || losing);
        if (pulse) last <= now;
        since <= !on || pulse || in_force ? 33'd1 : since + {32'd0, !since[32]};
        armed <= on && (pulse ? step : armed || phy_changed || losing);
        // written: since the last pulse, its clock included, or not in force yet
        if (!on) written <= 1'b0;
        else if (pulse) written <= write || write1 || waits;
        else written <= written || write;
        if (rst) written <= 1'b0;
        dirty <= on ? (pulse ? step || write : dirty || step || (unlock && need_lock) || phy_changed || losing || write) : 1'b1;
    end
    wire cleanly = seen && !dirty && !step && !(unlock && need_lock) && !phy_changed;

    // ---------------------------------------------------------------- the same, as late as the outputs
    localparam integer W = 1 + 1 + 1 + 4 + 32 + 1 + 1 + 1 + 1;
    reg [W-1:0] d1, d2, d3, d4;
    always @(posedge clk) begin
        d1 <= {pulse, seen_by_mapper, ok, sub, value, losing, cleanly, interval[55], phy_changed && !rst};
        {d4, d3, d2} <= {d3, d2, d1};
        if (rst) {d1, d2, d3, d4} <= {4 * W{1'b0}};
    end
    wire        e_pulse, e_mapped, e_ok, e_lost, e_clean, e_half, e_phy;
    wire [ 3:0] e_sub;
    wire [31:0] e_value;
    assign {e_pulse, e_mapped, e_ok, e_sub, e_value, e_lost, e_clean, e_half, e_phy} = d4;

    reg [3:0] fresh;                       // no restart in the last clocks, this one's record included
    always @(posedge clk) fresh <= {fresh[2:0], 1'b1} & {4{!restart && !rst}};

    reg refused1, refused2;
    always @(posedge clk) {refused2, refused1} <= {refused1 && !rst, cfg_apply && cfg_t_nominal == 0 && !rst};

    reg [47:0] told_t;                     // the configuration whose last word was told, or that a restart puts in force
    reg [ 3:0] told_options;
    reg        loaded;
    always @(posedge clk) begin
        if (dut.commit) {told_t, told_options} <= {dut.new_t_nominal, dut.new_options};
        loaded <= dut.loads && !rst;
    end

    always @(*) if (started) begin
        one:       assert (dut.s4_pulse == e_pulse && js_valid == e_mapped);
        judged:    assert (!e_pulse || (js_ok == e_ok && js_sub == e_sub));
        value_:    assert (!e_pulse || js_jitter == e_value);
        never_min: assert (!js_valid || js_jitter != 32'h80000000);
        full:      assert (!js_valid || js_saturated == (js_jitter == 32'h7FFFFFFF || js_jitter == 32'h80000001));
        clean:     assert (!(js_valid && js_ok) || (e_clean && !e_half));
        watch:     assert (js_sync_lost == e_lost && !(js_sync_lost && js_valid));
        told:      assert (!(js_valid && fresh[3]) || (ev_valid && ev_kind == `NPS_K_JITTER && ev_sub == js_sub && ev_payload == js_jitter));
        void_:     assert (!ev_valid || fresh[3]);
        phy:       assert (js_phy_changed == e_phy);
        refusal:   assert (cfg_error == refused2);
        legal:     assert (t_nominal != 0);
        forced:    assert (!loaded || (t_nominal == told_t && options == {12'd0, told_options}));
        // invariants
        coming:    assert (!dut.loads || ({told_t, told_options} == {dut.new_t_nominal, dut.new_options} && told_t != 0));
        state:     assert (dut.was_high == was && dut.based == seen && dut.since_step == stepped && dut.since_unlock == unlocked &&
                           dut.lost == lost && (!seen || (dut.arming || write1) == (armed || written)));
        place:     assert (!seen || dut.base == last);
        pending:   assert (!(dut.wait_lo && !dut.wait_hi) && (!dut.wait_hi || dut.new_t_nominal != 0) &&
                           (!dut.wait_hi || dut.new_watch_on == (dut.new_watchdog != 0)));
        limit:     assert (dut.watch_on == (dut.watchdog != 0));
        counted:   assert (since[32] || dut.quiet == since[31:0]);
        edge_:     assert (!dut.watch_on || lost || (since <= {1'b0, dut.watchdog} + 33'd1 &&
                           dut.at_limit == (since == {1'b0, dut.watchdog} + 33'd1)));
        no_limit:  assert (!(dut.at_limit && (lost || !dut.watch_on)));
        positive:  assert (since != 0);
        soiled:    assert (!dirty || !seen || stepped || armed || written || (unlocked && need_lock));
        awaited:   assert (!seen || written || !(waits || write1));
        c1:        assert (dut.c1_good == write1);
    end

    always @(*) if (started) begin
        saturated:  cover (js_valid && js_ok && js_jitter == 32'h80000001 && js_sub == `NPS_JITTER_EARLY);
        back:       cover (js_valid && js_sub == `NPS_JITTER_BACKWARD);
        late:       cover (js_valid && js_sub == `NPS_JITTER_MISSED && !js_saturated);
        gone:       cover (js_sync_lost && dut.watchdog == 3);
        changed:    cover (js_valid && js_ok && t_nominal == 48'd77);
        adjacent:   cover (js_valid && js_ok && dut.s3_pulse && dut.s3_ok && strobe);
    end
endmodule

`default_nettype wire
