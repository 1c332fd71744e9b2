// SPDX-License-Identifier: Apache-2.0
// Jitter capture: the deviation of each sync interval from its nominal, for the stream and for the RAS mapper.
//
// Does:     samples the time in the clock of a sync pulse, subtracts, judges (rules J1..J13 in README.md beside this
//           file), watches for a sync that is gone, takes a new configuration at run time and tells it, keeps
//           statistics (nps_jitter_stat).
// Promises: exactly one sample for each pulse, in order; never a valid one across a step, a clock without lock, a change
//           of configuration, phy_changed or a loss; the value never wraps and is never -2^31.
// Costs:    NPS_JITTER_LATENCY clocks from the inputs to ev_* and js_*, one pulse a clock if need be.
// Overflow: stores no events and has no ready: cannot overflow, cannot stall what it watches. Configuration words wait
//           for a clock without a sample; valid samples wait for them.
// Limits:   the watchdog counts clk and so cannot see that clk has stopped.
//
// Pipeline: 0 (inputs) edge, what happened since; 1 interval; 2 jitter; 3 compare; 4 judged: outputs.
// Signals sN_* are registers that belong to the clock that is in stage N; the inputs must be registers of the top.
`default_nettype none
`include "nps_ptp.vh"
`include "nps_refuse.vh"
`include "nps_trace.vh"
`include "nps_thresholds.vh"

module nps_jitter #(
    // in force after reset
    parameter [47:0] T_NOMINAL = `NPS_T_NOMINAL,         // 1/256 ns, not 0
    parameter [31:0] WATCHDOG = `NPS_WATCHDOG,           // clocks, 0 off
    parameter integer OPTIONS = `NPS_JITTER_OPTIONS      // 0..15: need_lock, exclude, strobe, sync_lost_a
) (
    input wire clk,
    input wire rst,
    input wire enable,   // 0: pulses are not seen, the next one after it only arms
    input wire restart,  // a stream begins: records in flight are void, this clock's too; capture goes on

    // time bus
    input wire [47:0] rel_ns,
    input wire [ 7:0] rel_frac,
    input wire [63:0] ts_ns,
    input wire [ 1:0] tq,
    input wire        locked,
    input wire        holdover,
    input wire        ts_step,
    input wire        rel_step,
    input wire [63:0] step_ns,

    input wire sync_valid,
    input wire phy_changed,  // pulse: the next interval would compare two paths

    // new configuration; refused as a whole by a cfg_error pulse two clocks later
    input  wire        cfg_apply,
    input  wire [47:0] cfg_t_nominal,
    input  wire [ 3:0] cfg_options,    // as OPTIONS
    input  wire [31:0] cfg_watchdog,
    output reg         cfg_error,
    output reg  [47:0] t_nominal,      // in force
    output wire [15:0] options,        // in force

    // events, no ready
    output reg         ev_valid,
    output reg  [ 3:0] ev_kind,
    output reg  [ 3:0] ev_sub,
    output wire [ 1:0] ev_tq,
    output wire [63:0] ev_ts,
    output wire [31:0] ev_payload,
    output reg         ev_step,
    output wire [63:0] ev_step_ns,

    // samples for the mapper
    output reg         js_valid,       // a sample
    output reg         js_ok,          // it is valid
    output wire [ 3:0] js_sub,
    output reg  [31:0] js_jitter,      // 1/256 ns, signed; of a sample only
    output reg         js_saturated,   // its magnitude is the largest there is
    output reg         js_sync_lost,   // pulse, never with js_valid
    output reg         js_phy_changed,
    // the time bus, late by the same clocks
    output wire [47:0] js_rel_ns,
    output wire [63:0] js_ts_ns,
    output wire [ 1:0] js_tq,
    output reg         js_ts_step,
    output reg         js_rel_step,
    output wire [63:0] js_step_ns,

    output wire sync_lost,  // level, until the next pulse

    // statistics
    input  wire        stat_snap,
    output wire        stat_busy,   // the snapshot is on its way
    input  wire [ 3:0] stat_index,
    output wire [31:0] stat_word
);
    `NPS_REFUSE(T_NOMINAL < `NPS_T_NOMINAL_MIN, nps_error__T_NOMINAL_must_not_be_0)
    `NPS_REFUSE(OPTIONS < `NPS_JITTER_OPTIONS_MIN || OPTIONS > `NPS_JITTER_OPTIONS_MAX,
                nps_error__OPTIONS_must_be_0_to_15)

    localparam integer T = 56;
    localparam integer NEED_LOCK = `NPS_CFG_T_NOMINAL_HI_NEED_LOCK_LSB - 16;
    localparam integer EXCLUDE = `NPS_CFG_T_NOMINAL_HI_EXCLUDE_LSB - 16;
    localparam integer STROBE = `NPS_CFG_T_NOMINAL_HI_STROBE_LSB - 16;

    // ------------------------------------------------------------------ what rides along
    localparam integer LAST = `NPS_JITTER_LATENCY - 1;
    localparam integer TIMEW = 64 + 2 + 64;
    reg [TIMEW*`NPS_JITTER_LATENCY-1:0] times;   // no reset and no enable: shared with the probes in a flat netlist
    reg [48*`NPS_JITTER_LATENCY-1:0] rels;
    reg [LAST-1:0] ts_steps, rel_steps, phys, lives;    // lives: no restart since, that clock included
    always @(posedge clk) begin
        times <= {times[TIMEW*LAST-1:0], step_ns, tq, ts_ns};
        rels <= {rels[48*LAST-1:0], rel_ns};
        lives <= {lives[LAST-2:0], 1'b1} & {LAST{!restart}};
        {js_ts_step, ts_steps} <= {ts_steps, ts_step};
        {js_rel_step, rel_steps} <= {rel_steps, rel_step};
        {js_phy_changed, phys} <= {phys, phy_changed};
        ev_step <= (ts_steps[LAST-1] || rel_steps[LAST-1]) && lives[LAST-1] && !restart;
        if (rst) begin
            {ts_steps, js_ts_step, rel_steps, js_rel_step, phys, js_phy_changed, ev_step} <= {3 * LAST + 4{1'b0}};
            lives <= {LAST{1'b0}};
        end
    end
    assign {js_step_ns, js_tq, js_ts_ns} = times[TIMEW*LAST+:TIMEW];
    assign js_rel_ns = rels[48*LAST+:48];
    assign {ev_step_ns, ev_tq, ev_ts} = {js_step_ns, js_tq, js_ts_ns};

    // ------------------------------------------------------------------ stage 0: a pulse, and what happened since
    reg [3:0] chosen;                       // options in force
    reg wait_lo, wait_hi;                   // configuration words not told yet
    reg loads;                              // the last one was in the clock before this one
    reg c1_good;                            // the clock before this one had a legal write
    reg was_high, since_step, since_unlock, arming, based, at_limit, lost;
    wire steps = ts_step || rel_step;
    wire stepped = steps || since_step;
    wire unlocked = !(locked || holdover) || since_unlock;
    wire arms = arming || phy_changed || c1_good;
    wire rises = sync_valid && (chosen[STROBE] || !was_high);
    wire pulse = enable && rises;
    wire loses = enable && at_limit && !rises;
    wire free = !(enable && (at_limit || rises));
    wire tell_lo = wait_lo && free;
    wire tell_hi = wait_hi && !wait_lo && free;
    wire commit = wait_hi && (restart || tell_hi);
    always @(posedge clk) begin
        was_high <= sync_valid;             // not reset: a level held through reset is no edge
        since_step <= stepped && !pulse && enable;
        since_unlock <= unlocked && !pulse && enable;
        based <= enable && (based || pulse);
        arming <= !enable || (pulse ? steps || wait_hi || c1_good : arms || loses);
        lost <= enable && !pulse && (lost || loses);
        if (rst) {since_step, since_unlock, based, arming, lost} <= 5'b00010;
    end
    assign sync_lost = lost;

    // ------------------------------------------------------------------ watchdog
    reg [31:0] quiet, watchdog;             // quiet: clocks since the last pulse
    reg watch_on;
    always @(posedge clk) begin
        quiet <= quiet + 32'd1;
        at_limit <= quiet == watchdog && watch_on && !(lost || loses);
        if (!enable || pulse || loads || rst) begin
            quiet <= 32'd1;
            at_limit <= 1'b0;
        end
    end

    // ------------------------------------------------------------------ configuration
    reg c1_refused, new_watch_on;
    reg [47:0] c1_t_nominal, new_t_nominal;
    reg [3:0] c1_options, new_options;
    reg [31:0] c1_watchdog, new_watchdog;
    wire legal = cfg_t_nominal >= `NPS_T_NOMINAL_MIN;
    assign options = {12'd0, chosen};
    always @(posedge clk) begin
        {c1_t_nominal, c1_options, c1_watchdog} <= {cfg_t_nominal, cfg_options, cfg_watchdog};
        {c1_good, c1_refused} <= {cfg_apply && legal, cfg_apply && !legal} & {2{!rst}};
        cfg_error <= c1_refused && !rst;
        if (free || restart) wait_lo <= 1'b0;
        if (commit) wait_hi <= 1'b0;
        loads <= commit && !c1_good && !rst;    // a newer write would load what is not told yet
        if (loads) {t_nominal, chosen, watchdog, watch_on} <= {new_t_nominal, new_options, new_watchdog, new_watch_on};
        if (c1_good) begin
            {new_t_nominal, new_options, new_watchdog} <= {c1_t_nominal, c1_options, c1_watchdog};
            new_watch_on <= c1_watchdog != 32'd0;
            {wait_lo, wait_hi} <= 2'b11;
        end
        if (rst) begin
            {t_nominal, chosen, watchdog, watch_on} <= {T_NOMINAL, OPTIONS[3:0], WATCHDOG, WATCHDOG != 32'd0};
            {wait_lo, wait_hi} <= 2'b00;
        end
    end

    // ------------------------------------------------------------------ stage 1: interval
    wire [T-1:0] now = {rel_ns, rel_frac};
    reg [T-1:0] base, s1_interval;
    reg s1_pulse, s1_lost, s1_lo, s1_hi, s1_stepped, s1_unlocked, s1_arming, s1_based, s1_exclude;
    reg [31:0] s1_word;                     // 0 unless a word is told
    always @(posedge clk) begin
        if (pulse) base <= now;
        s1_interval <= now - base;
        {s1_pulse, s1_lost, s1_lo, s1_hi} <= {pulse, loses, tell_lo, tell_hi} & {4{!rst}};
        s1_stepped <= stepped;
        s1_unlocked <= unlocked && chosen[NEED_LOCK];
        s1_arming <= arms;
        s1_based <= based;
        s1_exclude <= chosen[EXCLUDE];
        s1_word <= tell_lo ? new_t_nominal[31:0] : tell_hi ? {12'd0, new_options, new_t_nominal[47:32]} : 32'd0;
    end

    // ------------------------------------------------------------------ stage 2: jitter
    // Of an interval in the lower half: its top bit is 0, and the difference fits the bits that the time has.
    wire s1_backward = s1_based && s1_interval[T-1];
    reg [T-1:0] s2_jitter;
    reg s2_pulse, s2_lost, s2_lo, s2_hi, s2_ok, s2_exclude;
    reg [3:0] s2_sub;                       // unless valid
    reg [31:0] s2_word;
    always @(posedge clk) begin
        s2_jitter <= {1'b0, s1_interval[T-2:0]} - {8'd0, t_nominal};
        {s2_pulse, s2_lost, s2_lo, s2_hi} <= {s1_pulse, s1_lost, s1_lo, s1_hi} & {4{!rst}};
        s2_ok <= s1_pulse && !(s1_stepped || s1_unlocked || s1_backward || s1_arming || !s1_based);
        s2_exclude <= s1_exclude;
        s2_sub <= s1_lo ? `NPS_CFG_T_NOMINAL_LO : s1_hi ? `NPS_CFG_T_NOMINAL_HI : s1_lost ? `NPS_JITTER_SYNC_LOST
            : s1_stepped ? `NPS_JITTER_STEPPED : s1_unlocked ? `NPS_JITTER_UNLOCKED
            : s1_backward ? `NPS_JITTER_BACKWARD : `NPS_JITTER_FIRST;
        s2_word <= s1_word;
    end

    // ------------------------------------------------------------------ stage 3: compare
    // interval > 1.5 T is jitter > T / 2; interval < 0.5 T is -jitter > T / 2, where -jitter < 2^48. T / 2 may be rounded
    // down, as all are integers.
    wire s2_neg = s2_jitter[T-1];
    wire [46:0] half = t_nominal[47:1];
    reg [31:0] s3_jitter, s3_word;
    reg s3_pulse, s3_lost, s3_lo, s3_hi, s3_ok, s3_exclude, s3_wide, s3_most, s3_more, s3_much, s3_less;
    reg [3:0] s3_sub;
    always @(posedge clk) begin
        s3_jitter <= {s2_neg, s2_jitter[30:0]};
        {s3_pulse, s3_lost, s3_lo, s3_hi, s3_ok} <= {s2_pulse, s2_lost, s2_lo, s2_hi, s2_ok} & {5{!rst}};
        {s3_exclude, s3_sub, s3_word} <= {s2_exclude, s2_sub, s2_word};
        s3_wide <= s2_jitter[T-2:31] != {T - 32{s2_neg}};
        // the largest magnitudes that fit, and -2^31
        s3_most <= s2_neg ? s2_jitter[30:1] == 30'd0 : s2_jitter[30:0] == 31'h7FFFFFFF;
        s3_much <= s2_jitter[T-2:47] != 8'd0;                      // much, more: of a positive one
        s3_more <= s2_jitter[46:0] > half;
        s3_less <= ~s2_jitter[47:0] >= {1'b0, half};               // of a negative one: ~x = -x - 1
    end

    // ------------------------------------------------------------------ stage 4: judge
    wire s3_full = s3_ok && (s3_wide || s3_most);
    wire s3_keep = s3_ok && !(s3_wide || s3_most);
    wire s3_top = s3_full && !s3_jitter[31];
    wire s3_bottom = s3_full && s3_jitter[31];
    wire s3_missed = (s3_much || s3_more) && !s3_jitter[31];
    wire s3_early = s3_less && s3_jitter[31];
    reg s4_pulse;                           // also of samples that the mapper does not see
    always @(posedge clk) begin
        js_jitter <= (s3_jitter & {32{s3_keep}}) | {s3_bottom, {30{s3_top}}, s3_full} | s3_word;
        js_saturated <= s3_full;
        js_ok <= s3_ok;
        s4_pulse <= s3_pulse && !rst;
        js_valid <= s3_pulse && !(s3_ok && s3_exclude && (s3_missed || s3_early)) && !rst;
        js_sync_lost <= s3_lost && !rst;
        ev_valid <= (s3_pulse || s3_lost || s3_lo || s3_hi) && lives[LAST-1] && !restart && !rst;
        ev_kind <= s3_lo || s3_hi ? `NPS_K_CFG : `NPS_K_JITTER;
        ev_sub <= !s3_ok ? s3_sub : s3_missed ? `NPS_JITTER_MISSED : s3_early ? `NPS_JITTER_EARLY : `NPS_JITTER_OK;
    end
    assign js_sub = ev_sub;
    assign ev_payload = js_jitter;

    // ------------------------------------------------------------------ statistics
    nps_jitter_stat stat (
        .clk(clk),
        .rst(rst),
        .sample(s4_pulse),
        .ok(js_ok),
        .jitter(js_jitter),
        .snap(stat_snap),
        .busy(stat_busy),
        .index(stat_index),
        .word(stat_word)
    );
endmodule
`default_nettype wire
