// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_bp_probe: one layer, any of those present, followed by a reference of three bits (hot, unknown,
// dry) that knows nothing of the pipeline. It stands where samples are decided (stage 4); what is said there must
// appear at the event port four clocks later. The invariants say that each stage holds, or will be given, the
// reference's state: they make the proofs hold for any number of clocks.
`default_nettype none
`include "nps_probe.vh"
`include "nps_trace.vh"

module formal_bp_probe #(
    parameter [31:0] LAYERS = 32'h8000000B,
    parameter [31:0] DRY_MASK = 32'h80000002,
    parameter integer SPACED = 0           // 1: no samples in adjacent clocks, as behind nps_bus8
) (
    input wire        clk,
    input wire        rst,
    input wire        restart,
    input wire [47:0] rel_ns,
    input wire        trace_valid,
    input wire [ 4:0] layer_id,
    input wire [ 5:0] buf_occupancy,
    input wire        backpressure_en,
    input wire        cfg_apply,
    input wire [ 5:0] cfg_th_on,
    input wire [ 5:0] cfg_th_off,
    input wire [ 5:0] cfg_th_wet,
    input wire [ 5:0] cfg_level_step,
    input wire [ 4:0] cfg_k,
    input wire        cfg_raw,
    input wire [31:0] cfg_stale_ns
);
    wire        cfg_error, ev_valid, ev_step;
    wire [31:0] limits, stale, ev_payload, ev_bp_samples;
    wire [ 3:0] ev_kind, ev_sub;
    wire [ 1:0] ev_tq;
    wire [63:0] ev_ts, ev_step_ns;

    nps_bp_probe #(.LAYERS(LAYERS), .DRY_MASK(DRY_MASK), .STEADY(2)) dut (
        .clk(clk), .rst(rst), .restart(restart),
        .rel_ns(rel_ns), .ts_ns(64'd0), .tq(2'd0), .ts_step(1'b0), .rel_step(1'b0), .step_ns(64'd0),
        .trace_valid(trace_valid), .layer_id(layer_id), .buf_occupancy(buf_occupancy),
        .backpressure_en(backpressure_en),
        .cfg_apply(cfg_apply), .cfg_th_on(cfg_th_on), .cfg_th_off(cfg_th_off), .cfg_th_wet(cfg_th_wet),
        .cfg_level_step(cfg_level_step), .cfg_k(cfg_k), .cfg_raw(cfg_raw), .cfg_stale_ns(cfg_stale_ns),
        .cfg_error(cfg_error), .limits(limits), .stale(stale),
        .ev_valid(ev_valid), .ev_kind(ev_kind), .ev_sub(ev_sub), .ev_tq(ev_tq), .ev_ts(ev_ts),
        .ev_payload(ev_payload), .ev_bp_samples(ev_bp_samples), .ev_step(ev_step), .ev_step_ns(ev_step_ns)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);
    reg sampled = 1'b0;
    always @(posedge clk) sampled <= trace_valid;
    generate if (SPACED != 0) begin : g_spaced
        always @(*) assume (!(trace_valid && sampled));
    end endgenerate

    reg [4:0] layer;                       // any layer that is present
    always @(posedge clk) layer <= layer;
    always @(*) assume (LAYERS[layer]);

    wire       clear = rst || restart;
    wire [5:0] th_on = limits[`NPS_CFG_BP_LIMITS_TH_ON_LSB+:6];
    wire [5:0] th_off = limits[`NPS_CFG_BP_LIMITS_TH_OFF_LSB+:6];
    wire [5:0] th_wet = limits[`NPS_CFG_BP_LIMITS_TH_WET_LSB+:6];
    wire       raw_mode = limits[`NPS_CFG_BP_LIMITS_RAW_LSB];

    // ---------------------------------------------------------------- reference, at stage 4
    reg        hot, unknown, dry, seen;
    wire [5:0] occ = dut.s4_occ;
    wire       here = dut.s4_valid && dut.s4_layer == layer;
    wire       enter = here && occ >= th_on && !hot;
    wire       leave = here && occ < th_off && hot;
    wire       known = here && unknown && !enter;
    wire       top = enter || leave || known;
    wire       dries = here && !top && DRY_MASK[layer] && !dry && occ == 0;
    wire       wets = here && !top && dry && occ >= th_wet;
    wire       tick = dut.tick_now && !dut.s4_rec;
    always @(posedge clk)
        if (clear) {hot, unknown, dry, seen} <= 4'b0100;
        else begin
            if (here) begin
                hot <= (hot || enter) && !leave;
                dry <= DRY_MASK[layer] && (occ == 0 || (dry && occ < th_wet));
                unknown <= 1'b0;
            end
            seen <= (seen || here) && !tick;
            if (tick && !seen && !here) {hot, unknown, dry} <= 3'b010;
        end

    // what must be said four clocks later: {ENTER, EXIT, KNOWN, DRY, WET, may be lower, layer here, occ, tick}
    localparam integer SAID = 14;
    reg [SAID-1:0] said5, said6, said7, said8;
    always @(posedge clk) begin
        said5 <= clear ? 0 : {enter, leave, known, dries, wets, here, dut.s4_rec, occ, tick};
        said6 <= clear ? 0 : said5;
        said7 <= clear ? 0 : said6;
        said8 <= clear ? 0 : said7;
    end
    wire [5:0] must = said8[SAID-1-:6];
    wire       mine = ev_valid && ev_kind == `NPS_K_BP && ev_payload[4:0] == layer;
    reg        out_hot, out_unknown;       // what a reader of the events holds
    wire       lapse = ev_valid && ev_kind == `NPS_K_STATE;
    always @(posedge clk)
        if (clear) {out_hot, out_unknown} <= 2'b01;
        else begin
            if (mine) out_unknown <= 1'b0;
            if (mine && ev_sub == `NPS_BP_ENTER) out_hot <= 1'b1;
            if (mine && ev_sub == `NPS_BP_EXIT) out_hot <= 1'b0;
            if (lapse && ev_payload[layer]) {out_hot, out_unknown} <= 2'b01;
        end
    reg [3:0] hots, unknowns;              // the reference, four clocks ago
    always @(posedge clk) begin
        hots <= clear ? 4'b0000 : {hots[2:0], hot};
        unknowns <= clear ? 4'b1111 : {unknowns[2:0], unknown};
    end

    always @(*) if (started) begin
        alternate: assert (!mine || (ev_sub != `NPS_BP_ENTER || !out_hot) && (ev_sub != `NPS_BP_EXIT || out_hot)
                           && ((ev_sub == `NPS_BP_KNOWN || ev_sub == `NPS_BP_ENTER) || !out_unknown));
        reader:    assert (out_hot == hots[3] && out_unknown == unknowns[3]);
        priority_: assert (!must[0] || (mine && ev_sub == (must[5] ? `NPS_BP_ENTER : must[4] ? `NPS_BP_EXIT
                           : must[3] ? `NPS_BP_KNOWN : must[2] ? `NPS_BP_DRY : `NPS_BP_WET))
                           || (must[5:1] == 0 && (!mine || (ev_sub != `NPS_BP_ENTER && ev_sub != `NPS_BP_EXIT
                           && ev_sub != `NPS_BP_KNOWN && ev_sub != `NPS_BP_DRY && ev_sub != `NPS_BP_WET))));
        cause:     assert ((!mine || (must[0] && said8[7] && ev_payload[10:5] == said8[6:1])) && (!lapse || said8[0]));
        not_both:  assert (!(hot && unknown) && !(out_hot && out_unknown) && !(dry && (unknown || !DRY_MASK[layer])));
        legal:     assert (th_off < th_on && th_off != 0 && th_wet != 0);
    end

    // ---------------------------------------------------------------- invariants
    wire at1 = dut.s1_valid && dut.s1_layer == layer;
    wire at2 = dut.s2_valid && dut.s2_layer == layer;
    wire at3 = dut.s3_valid && dut.s3_layer == layer;
    reg  at5 = 1'b0;
    always @(posedge clk) at5 <= here && !clear;
    wire [31:0] mask = 32'd1 << layer;
    wire word_hot = dut.words[layer][0];
    wire word_dry = dut.words[layer][1];
    always @(*) if (started) begin
        masks:   assert (((dut.unknown | dut.seen | dut.s4_mine) & ~LAYERS) == 0
                         && (dut.s4_mine & mask) == (here ? mask : 0));
        onehot:  assert ((!dut.s2_valid || dut.s2_mine == 32'd1 << dut.s2_layer)
                         && (!dut.s3_valid || dut.s3_mine == 32'd1 << dut.s3_layer));
        flags1:  assert (!at1 || (dut.s1_same1 == at2 && dut.s1_same2 == at3 && dut.s1_same3 == here));
        flags2:  assert (!at2 || (dut.s2_same1 == at3 && dut.s2_same2 == here));
        flags2b: assert (!at2 || (dut.s2_same3 == at5));
        flags3:  assert (!at3 || (dut.s3_same1 == here && (dut.s3_same2 == at5)));
        vectors: assert (unknown == (dut.unknown[layer] || (dut.s5_tick && !dut.seen[layer]))
                         && seen == (dut.seen[layer] && !dut.s5_tick));
        word:    assert (unknown || (word_hot == hot && word_dry == dry));
        hold2:   assert (!at2 || at3 || here || unknown || (dut.s2_hot == hot && dut.s2_dry == dry));
        hold3:   assert (!at3 || here || ((unknown || (dut.s3_hot == hot && dut.s3_dry == dry))
                         && dut.missed == unknown && dut.unseen == !seen));
        hold4:   assert (!here || (dut.s4_unknown == unknown && dut.s4_hot == hot && dut.s4_dry == dry));
        judge4:  assert (!here || (dut.s4_on == (occ >= th_on) && dut.s4_off == (occ < th_off)
                         && dut.s4_dries == (dry ? occ >= th_wet : DRY_MASK[layer] && occ == 0)
                         && dut.s4_sure == (unknown || dut.s4_dries)));
        judge3:  assert (!dut.s3_valid || ({dut.on_now, dut.cool_now, dut.wet_now} ==
                         {dut.s3_occ >= th_on, dut.s3_occ < th_off, dut.s3_occ >= th_wet}
                         && {dut.on_new, dut.cool_new, dut.wet_new} == {dut.s3_occ >= dut.new_limits[5:0],
                             dut.s3_occ < dut.new_limits[11:6], dut.s3_occ >= dut.new_limits[29:24]}));
        coming:  assert (dut.coming == (dut.c3_apply ? {dut.c3_limits[5:0], dut.c3_limits[11:6], dut.c3_limits[29:24]}
                                       : {dut.new_limits[5:0], dut.new_limits[11:6], dut.new_limits[29:24]}));
        pending: assert (dut.new_limits_wait || dut.new_limits == limits);
        waiting: assert (!dut.raw_mode == !raw_mode);
        good:    assert (dut.new_limits[11:6] < dut.new_limits[5:0] && dut.new_limits[11:6] != 0
                         && dut.new_limits[29:24] != 0
                         && (!dut.c2_apply || dut.c2_limits[11:6] < dut.c2_limits[5:0] && dut.c2_limits[11:6] != 0
                             && dut.c2_limits[29:24] != 0)
                         && (!dut.c3_apply || dut.c3_limits[11:6] < dut.c3_limits[5:0] && dut.c3_limits[11:6] != 0
                             && dut.c3_limits[29:24] != 0));
    end

    // ---------------------------------------------------------------- refused limits
    reg given = 1'b0;                      // legal limits were applied since reset
    always @(posedge clk) given <= !rst && (given || (cfg_apply && cfg_th_off < cfg_th_on && cfg_th_off != 0
                                                      && cfg_th_wet != 0));
    reg [1:0] refused = 2'd0;
    always @(posedge clk) refused <= rst ? 0 : {refused[0], cfg_apply && !(cfg_th_off < cfg_th_on && cfg_th_off != 0
                                                                           && cfg_th_wet != 0)};
    always @(*) if (started) begin
        refusal: assert (cfg_error == refused[1]);
        kept:    assert (given || (limits == dut.LIMITS && stale == 32'd100000 && !(ev_valid && ev_kind == `NPS_K_CFG)));
        idle:    assert (given || !(dut.new_limits_wait || dut.new_stale_wait || dut.s5_new_stale || dut.c3_apply
                         || dut.c2_apply || dut.s5_limits || dut.s5_stale || dut.c4_apply));
    end

    // ---------------------------------------------------------------- how long a tick and limit words wait
    reg [1:0] waited = 2'd0;
    always @(posedge clk) waited <= clear || !dut.tick_now || tick ? 0 : waited == 3 ? 3 : waited + 1;
    always @(*) if (started) begin
        quiet: assert (!dut.tick_now || dut.s4_rec || tick);
        bound: assert (SPACED == 0 || waited <= 1);
    end
    reg s5_ticked = 1'b0;
    always @(posedge clk) s5_ticked <= tick && !clear;
    always @(*) if (started) executed: assert (dut.s5_tick == s5_ticked);
    wire [3:0] train = {dut.s1_valid, dut.s2_valid, dut.s3_valid, dut.s4_valid};
    always @(*) if (started) spaced: assert (SPACED == 0 || (!(train[3] && (sampled == 0)) && (train & (train >> 1)) == 0));

    always @(posedge clk) if (started && !clear) begin
        entered: cover (mine && ev_sub == `NPS_BP_EXIT);
        lapsed:  cover (lapse && ev_payload[layer] && hots[3]);
        moved:   cover (ev_valid && ev_kind == `NPS_K_CFG && enter);
    end
    generate if (SPACED == 0) begin : g_dense
        always @(posedge clk) if (started && !clear) begin
            waits: cover (waited == 3);
            pair:  cover (at5 && leave);
        end
    end else begin : g_sparse
        always @(posedge clk) if (started && !clear) once: cover (waited == 1 && tick);
    end endgenerate
endmodule

`default_nettype wire
