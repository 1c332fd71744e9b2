// SPDX-License-Identifier: Apache-2.0
// Backpressure probe: turns the samples of up to 32 buffers into edges.
//
// Does:     judges one trace-port sample a clock (hot / cool with hysteresis, dry / wet, steady backpressure,
//           new peaks and level moves, literal RAW mode), forgets layers that fell silent, takes new limits at
//           run time and tells them. The rules are numbered in README.md beside this file.
// Promises: at most one record a clock, in sample order; every change of a layer's hot, dry, bp_en or unknown
//           bit is in the record of that same clock, so whoever replays the records holds the probe's state.
// Costs:    NPS_BP_LATENCY clocks from the inputs to the event, the same for every event.
// Overflow: stores no events and has no ready: cannot overflow, cannot stall what it watches. The stale tick and
//           limit words wait for a clock whose sample makes no record.
//
// Pipeline: 1 read   2 distances   3 compare   4 decide, write back   5 tick, dwell   6, 7 dwell   8 event.
// A sample in stage 4 may still change what the samples behind it were compared with. So stages 2 and 3 compare
// with what is there and with what stage 4 may put there; its decision (s4_rec) only selects, as late as possible.
// Limits are compared in stage 2 with all that may be in force, or come next, when the sample is in stage 3.
// Signals sN_* belong to the clock that is in stage N; sN_same1, sN_same2 say that the sample one, two clocks
// ahead of that in stage N is of the same layer.
`default_nettype none
`include "nps_probe.vh"
`include "nps_refuse.vh"
`include "nps_trace.vh"
`include "nps_thresholds.vh"

module nps_bp_probe #(
    parameter [31:0] LAYERS = 32'hFFFFFFFF,         // layers present, one bit each, not 0
    parameter [31:0] DRY_MASK = 32'h00000000,       // layers with DRY and WET records, within LAYERS
    parameter integer STEADY = `NPS_STEADY,         // clocks, 1..65535
    // limits in force after reset, 1/64 of the buffer
    parameter integer TH_ON = `NPS_TH_ON,           // 1..63
    parameter integer TH_OFF = `NPS_TH_OFF,         // 1..TH_ON-1
    parameter integer TH_WET = `NPS_TH_WET,         // 1..63
    parameter integer LEVEL_STEP = `NPS_LEVEL_STEP, // 0..63, 0 reports new peaks only
    parameter integer DWELL_SHIFT = `NPS_DWELL_SHIFT,  // log2 of the dwell unit in ns, 0..31
    parameter [31:0] STALE_NS = `NPS_STALE_NS,      // relative ns, 0 turns the tick off
    parameter integer RAW = 0                       // 0..1, literal mode
) (
    input wire clk,
    input wire rst,
    input wire restart,  // all layers unknown, counters 0, what is in flight is void; limits stay

    // time bus
    input wire [47:0] rel_ns,
    input wire [63:0] ts_ns,
    input wire [ 1:0] tq,
    input wire        ts_step,
    input wire        rel_step,
    input wire [63:0] step_ns,

    // trace port
    input wire       trace_valid,
    input wire [4:0] layer_id,
    input wire [5:0] buf_occupancy,
    input wire       backpressure_en,

    // new limits; refused as a whole by a cfg_error pulse two clocks later
    input  wire        cfg_apply,
    input  wire [ 5:0] cfg_th_on,
    input  wire [ 5:0] cfg_th_off,
    input  wire [ 5:0] cfg_th_wet,
    input  wire [ 5:0] cfg_level_step,
    input  wire [ 4:0] cfg_k,
    input  wire        cfg_raw,
    input  wire [31:0] cfg_stale_ns,
    output reg         cfg_error,
    output reg  [31:0] limits,         // CFG BP_LIMITS in force
    output wire [31:0] stale,          // CFG STALE in force

    // events, no ready
    output reg         ev_valid,
    output reg  [ 3:0] ev_kind,
    output reg  [ 3:0] ev_sub,
    output wire [ 1:0] ev_tq,
    output wire [63:0] ev_ts,
    output reg  [31:0] ev_payload,
    output wire [31:0] ev_bp_samples,
    output wire        ev_step,
    output wire [63:0] ev_step_ns
);
    `NPS_REFUSE(LAYERS == 0, nps_error__LAYERS_must_not_be_empty)
    `NPS_REFUSE((DRY_MASK & ~LAYERS) != 0, nps_error__DRY_MASK_must_be_within_LAYERS)
    `NPS_REFUSE(STEADY < `NPS_STEADY_MIN || STEADY > `NPS_STEADY_MAX, nps_error__STEADY_must_be_1_to_65535)
    `NPS_REFUSE(TH_ON < `NPS_TH_ON_MIN || TH_ON > `NPS_TH_ON_MAX, nps_error__TH_ON_must_be_1_to_63)
    `NPS_REFUSE(TH_OFF < `NPS_TH_OFF_MIN || TH_OFF > `NPS_TH_OFF_MAX, nps_error__TH_OFF_must_be_1_to_62)
    `NPS_REFUSE(TH_OFF >= TH_ON, nps_error__TH_OFF_must_be_below_TH_ON)
    `NPS_REFUSE(TH_WET < `NPS_TH_WET_MIN || TH_WET > `NPS_TH_WET_MAX, nps_error__TH_WET_must_be_1_to_63)
    `NPS_REFUSE(LEVEL_STEP < `NPS_LEVEL_STEP_MIN || LEVEL_STEP > `NPS_LEVEL_STEP_MAX,
                nps_error__LEVEL_STEP_must_be_0_to_63)
    `NPS_REFUSE(DWELL_SHIFT < `NPS_DWELL_SHIFT_MIN || DWELL_SHIFT > `NPS_DWELL_SHIFT_MAX,
                nps_error__DWELL_SHIFT_must_be_0_to_31)
    `NPS_REFUSE(RAW < 0 || RAW > 1, nps_error__RAW_must_be_0_or_1)

    localparam integer LAST = `NPS_BP_LATENCY - 1;
    wire clear = rst || restart;

    // ------------------------------------------------------------------ what rides along
    localparam integer TIMEW = 64 + 2 + 64;
    reg [TIMEW*`NPS_BP_LATENCY-1:0] times;  // no reset and no enable: shared by all probes of a flat netlist
    reg [LAST:0] steps, bits;               // bits: samples with the raw bit set, of illegal layers too
    reg [4:0] lives;                        // clocks after the last reset or restart
    reg [2:0] rel_steps;
    reg [47:0] s1_rel, s2_rel, s3_rel, s4_rel, s5_rel;
    reg [39:0] bp_samples;
    always @(posedge clk) begin
        times <= {times[TIMEW*LAST-1:0], step_ns, tq, ts_ns};
        {s5_rel, s4_rel, s3_rel, s2_rel, s1_rel} <= {s4_rel, s3_rel, s2_rel, s1_rel, rel_ns};
        steps <= {steps[LAST-1:0], ts_step || rel_step};
        bits <= {bits[LAST-1:0], trace_valid && backpressure_en};
        lives <= {lives[3:0], 1'b1};
        rel_steps <= {rel_steps[1:0], rel_step};
        bp_samples <= bp_samples + {39'd0, bits[LAST-1]};
        if (clear) begin
            steps <= {LAST + 1{1'b0}};
            bits <= {LAST + 1{1'b0}};
            lives <= 5'd0;
            rel_steps <= 3'd0;
            bp_samples <= 40'd0;
        end
    end
    assign {ev_step_ns, ev_tq, ev_ts} = times[TIMEW*LAST+:TIMEW];
    assign ev_step = steps[LAST];
    assign ev_bp_samples = bp_samples[39:8];
    wire s4_live = lives[3];

    // ------------------------------------------------------------------ limits
    // new_*: the limits given last; they differ from those in force while their word waits to be told.
    // the sample makes a record; `keep` holds Yosys to two gates up to it and one more to what it lets pass
    (* keep *) wire by_level;
    (* keep *) wire by_edge;
    (* keep *) wire by_move;
    (* keep *) wire s4_rec;
    (* keep *) wire limits_may;             // a limit word waits, and nothing but a record holds it up
    (* keep *) wire stale_may;
    wire tick_now;                          // a tick is due or waits
    reg c1_apply, c2_apply, c3_apply, c4_apply, s5_new_stale;
    reg [31:0] c1_limits, c2_limits, c3_limits, c1_stale, c2_stale, c3_stale, c4_stale;
    reg new_limits_wait, new_stale_wait, new_stale_on, stale_on;
    reg [31:0] new_limits, new_stale, stale_kept;
    reg s5_new_limits;
    reg no_step, new_no_step;               // LEVEL_STEP is 0: out of reach
    reg [17:0] coming;                      // {TH_ON, TH_OFF, TH_WET} of new_limits in the next clock
    assign stale = s5_new_stale ? new_stale : stale_kept;

    reg [31:0] cfg_word;
    always @* begin
        cfg_word = 32'd0;
        cfg_word[`NPS_CFG_BP_LIMITS_TH_ON_LSB+:`NPS_CFG_BP_LIMITS_TH_ON_W] = cfg_th_on;
        cfg_word[`NPS_CFG_BP_LIMITS_TH_OFF_LSB+:`NPS_CFG_BP_LIMITS_TH_OFF_W] = cfg_th_off;
        cfg_word[`NPS_CFG_BP_LIMITS_TH_WET_LSB+:`NPS_CFG_BP_LIMITS_TH_WET_W] = cfg_th_wet;
        cfg_word[`NPS_CFG_BP_LIMITS_LEVEL_STEP_LSB+:`NPS_CFG_BP_LIMITS_LEVEL_STEP_W] = cfg_level_step;
        cfg_word[`NPS_CFG_BP_LIMITS_K_LSB+:`NPS_CFG_BP_LIMITS_K_W] = cfg_k;
        cfg_word[`NPS_CFG_BP_LIMITS_RAW_LSB] = cfg_raw;
    end
    localparam [31:0] LIMITS = (TH_ON << `NPS_CFG_BP_LIMITS_TH_ON_LSB) | (TH_OFF << `NPS_CFG_BP_LIMITS_TH_OFF_LSB)
        | (TH_WET << `NPS_CFG_BP_LIMITS_TH_WET_LSB) | (LEVEL_STEP << `NPS_CFG_BP_LIMITS_LEVEL_STEP_LSB)
        | (DWELL_SHIFT << `NPS_CFG_BP_LIMITS_K_LSB) | (RAW << `NPS_CFG_BP_LIMITS_RAW_LSB);

    localparam integer ON = `NPS_CFG_BP_LIMITS_TH_ON_LSB;
    localparam integer OFF = `NPS_CFG_BP_LIMITS_TH_OFF_LSB;
    localparam integer WET = `NPS_CFG_BP_LIMITS_TH_WET_LSB;
    wire [5:0] c1_on = c1_limits[ON+:6];
    wire [5:0] c1_off = c1_limits[OFF+:6];
    wire [5:0] c1_wet = c1_limits[WET+:6];
    wire c1_legal = c1_on >= `NPS_TH_ON_MIN && c1_off >= `NPS_TH_OFF_MIN && c1_wet >= `NPS_TH_WET_MIN && c1_off < c1_on;

    wire quiet = !s4_rec && !tick_now;      // a limit word can be executed
    assign limits_may = new_limits_wait && !tick_now;
    assign stale_may = new_stale_wait && !tick_now && (!new_limits_wait || !s4_live);
    wire do_limits = limits_may && !s4_rec;
    wire raw_mode = limits[`NPS_CFG_BP_LIMITS_RAW_LSB];
    wire do_stale = stale_may && !s4_rec;
    wire new_period = do_stale && s4_live;
    wire next_stale_on = do_stale ? new_stale_on : stale_on;
    always @(posedge clk) begin
        {c4_apply, c3_apply, c2_apply, c1_apply} <= {c3_apply, c2_apply, c1_apply && c1_legal, cfg_apply};
        {c3_limits, c2_limits, c1_limits} <= {c2_limits, c1_limits, cfg_word};
        {c4_stale, c3_stale, c2_stale, c1_stale} <= {c3_stale, c2_stale, c1_stale, cfg_stale_ns};
        cfg_error <= c1_apply && !c1_legal;
        new_limits_wait <= new_limits_wait && !do_limits;
        if (do_limits) {no_step, limits} <= {new_no_step, new_limits};
        s5_new_limits <= do_limits;
        new_stale_wait <= new_stale_wait && !do_stale;
        stale_on <= next_stale_on;
        s5_new_stale <= do_stale;
        stale_kept <= stale;
        if (c4_apply) new_stale <= c4_stale;
        if (c2_apply) coming <= {c2_limits[ON+:6], c2_limits[OFF+:6], c2_limits[WET+:6]};
        if (c3_apply) begin
            {new_limits_wait, new_limits} <= {1'b1, c3_limits};
            new_no_step <= c3_limits[`NPS_CFG_BP_LIMITS_LEVEL_STEP_LSB+:`NPS_CFG_BP_LIMITS_LEVEL_STEP_W] == 6'd0;
            {new_stale_wait, new_stale_on} <= {1'b1, c3_stale != 32'd0};
        end
        if (rst) begin
            {c4_apply, c3_apply, c2_apply, c1_apply, cfg_error, s5_new_limits, s5_new_stale} <= 7'd0;
            {new_limits_wait, limits, new_limits} <= {1'b0, LIMITS, LIMITS};
            coming <= {LIMITS[ON+:6], LIMITS[OFF+:6], LIMITS[WET+:6]};
            {no_step, new_no_step} <= {2{LEVEL_STEP == 0}};
            {new_stale_wait, stale_kept, new_stale} <= {1'b0, STALE_NS, STALE_NS};
            {stale_on, new_stale_on} <= {2{STALE_NS != 32'd0}};
        end
    end

    // ------------------------------------------------------------------ stale tick
    reg [3:0] warm;                         // the four clocks after a re-base are not tested
    reg s1_test, s2_test, s3_test, s3_over;
    reg [47:0] last, s2_age;
    reg s4_due, s4_tick_now, s5_rebase, s6_rebase, s7_rebase, s5_tick;
    assign tick_now = s4_tick_now;      // due, or waits
    wire s4_tick = tick_now && !s4_rec;
    wire s3_due = s3_test && s3_over && stale_on && !(s4_due || new_period || s5_rebase || s6_rebase || s7_rebase);
    always @(posedge clk) begin
        {s3_test, s2_test, s1_test, warm} <= {s2_test, s1_test, warm, 1'b1};
        s2_age <= s1_rel - last;
        s3_over <= s2_age >= {16'd0, stale_kept};
        s4_due <= s3_due;
        s4_tick_now <= s3_due || (tick_now && s4_rec);
        {s7_rebase, s6_rebase, s5_rebase} <= {s6_rebase, s5_rebase, s4_due || new_period};
        if (s5_rebase) last <= s5_rel;
        s5_tick <= s4_tick;
        if (clear) begin
            {s3_test, s2_test, s1_test, warm} <= 7'd0;
            {s4_due, s4_tick_now, s5_rebase, s6_rebase, s7_rebase, s5_tick} <= 6'd0;
            last <= rel_ns;
        end
    end

    // ------------------------------------------------------------------ stage 1: read the layer's word
    // Runs of equal backpressure bits are timed by a clock count: `ripe` is the count at which the run is steady.
    // It is compared modulo CYCW bits; before that wraps, `old` takes over.
    localparam integer CW = $clog2(STEADY + 1);
    localparam integer CYCW = CW + 3;
    localparam integer WORDW = CYCW + 17;
    reg [WORDW-1:0] words[0:31];            // {ripe, peak, told occ, untold peak, raw bit, bp_en, dry, hot}
    reg [31:0] unknown, seen, spent;        // spent: the LEVEL credit of this tick period is used up
    reg [31:0] aged, old;                   // the run saw one, two boundaries of the clock count

    reg s1_valid, s2_valid, s3_valid, s4_valid;
    reg [4:0] s1_layer, s2_layer, s3_layer, s4_layer, s5_layer;
    reg [5:0] s1_occ, s2_occ, s3_occ, s4_occ, s5_occ;
    reg s1_bit, s2_bit, s3_bit, s4_bit;
    reg [31:0] s2_mine, s3_mine, s4_mine, s5_mine;  // one bit: the sample's layer; from stage 4 on if there is one
    reg [CYCW-1:0] cyc, s1_cyc, s2_cyc, s3_cyc;
    reg s1_same1, s1_same2, s1_same3, s2_same1, s2_same2, s2_same3, s3_same1, s3_same2;
    always @(posedge clk) begin
        {s4_valid, s3_valid, s2_valid} <= {s3_valid, s2_valid, s1_valid} & {3{!clear}};
        s1_valid <= trace_valid && LAYERS[layer_id] && !clear;
        {s5_layer, s4_layer, s3_layer, s2_layer, s1_layer} <= {s4_layer, s3_layer, s2_layer, s1_layer, layer_id};
        {s5_occ, s4_occ, s3_occ, s2_occ, s1_occ} <= {s4_occ, s3_occ, s2_occ, s1_occ, buf_occupancy};
        {s4_bit, s3_bit, s2_bit, s1_bit} <= {s3_bit, s2_bit, s1_bit, backpressure_en};
        s2_mine <= LAYERS & (32'd1 << s1_layer);
        s3_mine <= s2_mine;
        s4_mine <= s3_valid && !clear ? s3_mine : 32'd0;
        s5_mine <= s4_mine;
        s1_same1 <= s1_valid && s1_layer == layer_id;
        s1_same2 <= s2_valid && s2_layer == layer_id;
        s1_same3 <= s3_valid && s3_layer == layer_id;
        {s2_same1, s2_same2, s2_same3} <= {s1_same1, s1_same2, s1_same3};
        {s3_same1, s3_same2} <= {s2_same1, s2_same2};
        cyc <= rst ? {CYCW{1'b0}} : cyc + 1'b1;
        {s3_cyc, s2_cyc, s1_cyc} <= {s2_cyc, s1_cyc, cyc};
    end

    // ------------------------------------------------------------------ stage 4: decide
    reg s4_hot, s4_dry, s4_bp_en, s4_peaks, s4_unknown, s4_credit, s4_spent, s4_old, s4_held, s4_toggled;
    reg s4_on, s4_off, s4_dries, s4_sure, s4_differs, s4_above, s4_moved, s4_boundary;
    reg [5:0] s4_told, s4_peak;
    reg [CYCW-1:0] s4_ripe, s4_ripe_new;    // _new: if a run starts here

    // Causes of a record. An unknown layer is not hot and not dry; it makes one whatever else applies.
    wire heats = s4_hot ? s4_off : s4_on;
    wire turns = (raw_mode || s4_held) && s4_differs;
    wire moves = ((s4_hot && s4_peaks) || s4_moved) && s4_credit;
    wire level = s4_valid && moves && !(heats || s4_sure || turns);
    assign by_level = heats || (raw_mode && s4_on);
    assign by_edge = s4_sure || turns;
    assign by_move = moves;
    assign s4_rec = s4_valid && (by_level || by_edge || by_move);
    wire enter = s4_valid && s4_on && !s4_hot;

    wire new_run = s4_unknown || s4_toggled;
    wire keeps = s4_hot && !s4_above;       // the peak
    wire n_hot = s4_hot ? !s4_off : s4_on;
    wire n_dry = s4_dry != s4_dries;
    wire n_bp_en = s4_unknown ? raw_mode && s4_bit : turns ? s4_bit : s4_bp_en;
    wire n_untold = s4_hot && s4_peaks && !s4_rec;
    wire [5:0] n_told = s4_rec ? s4_occ : s4_told;
    wire [5:0] n_peak = keeps ? s4_peak : s4_occ;
    wire [CYCW-1:0] n_ripe = new_run ? s4_ripe_new : s4_ripe;
    wire [WORDW-1:0] n_word = {n_ripe, n_peak, n_told, n_untold, s4_bit, n_bp_en, n_dry, n_hot};

    reg s5_level;
    wire [31:0] silent = LAYERS & ~seen;    // in stage 5: not seen up to that clock
    always @(posedge clk) begin
        if (s4_valid) words[s4_layer] <= n_word;
        s5_level <= level;
        seen <= (s5_tick ? 32'd0 : seen) | s4_mine;
        unknown <= (s5_tick ? unknown | silent : unknown) & ~s4_mine;
        spent <= s5_tick ? 32'd0 : spent | ({32{s5_level}} & s5_mine);
        aged <= LAYERS & (aged | {32{s4_boundary}}) & ~(s4_mine & {32{new_run}});
        old <= LAYERS & (old | (aged & {32{s4_boundary}})) & ~(s4_mine & {32{new_run}});
        if (clear) begin
            s5_level <= 1'b0;
            seen <= 32'd0;
            unknown <= LAYERS;
            spent <= 32'd0;
        end
    end

    // ------------------------------------------------------------------ stage 2: limits, distances to what may be told last
    // {hot, cool, wet} by the limits in force, by the new ones, by those that are the new ones in the next clock
    function automatic [2:0] judged(input reg [5:0] occ, input reg [5:0] on, input reg [5:0] off, input reg [5:0] wet);
        judged = {occ >= on, occ < off, occ >= wet};
    endfunction
    reg s3_on_kept, s3_cool_kept, s3_wet_kept, s3_on_new, s3_cool_new, s3_wet_new, on_new, cool_new, wet_new;
    always @(posedge clk) begin
        {s3_on_kept, s3_cool_kept, s3_wet_kept} <= judged(s2_occ, limits[ON+:6], limits[OFF+:6], limits[WET+:6]);
        {s3_on_new, s3_cool_new, s3_wet_new} <=
            judged(s2_occ, new_limits[ON+:6], new_limits[OFF+:6], new_limits[WET+:6]);
        {on_new, cool_new, wet_new} <= judged(s2_occ, coming[17:12], coming[11:6], coming[5:0]);
    end
    reg [CYCW-1:0] s2_ripe, s3_ripe;
    reg [5:0] s2_peak, s3_peak, s2_told, s3_told;
    reg s2_untold, s3_untold, s2_prev, s3_prev, s2_bp_en, s3_bp_en, s2_dry, s3_dry, s2_hot, s3_hot;
    // signed, both ways
    wire [13:0] by_own = {{1'b0, s2_occ} - {1'b0, s2_told}, {1'b0, s2_told} - {1'b0, s2_occ}};
    wire [13:0] by_kept1 = {{1'b0, s2_occ} - {1'b0, s3_told}, {1'b0, s3_told} - {1'b0, s2_occ}};
    wire [13:0] by_told1 = {{1'b0, s2_occ} - {1'b0, s3_occ}, {1'b0, s3_occ} - {1'b0, s2_occ}};
    wire [13:0] by_kept2 = {{1'b0, s2_occ} - {1'b0, s4_told}, {1'b0, s4_told} - {1'b0, s2_occ}};
    wire [13:0] by_told2 = {{1'b0, s2_occ} - {1'b0, s4_occ}, {1'b0, s4_occ} - {1'b0, s2_occ}};
    reg s3_was_unknown, s3_was_seen, s3_ticked;     // before and by the tick that stage 5 executed a clock ago
    wire s3_unknown = s3_was_unknown || (s3_ticked && !s3_was_seen);
    wire s3_seen = s3_was_seen && !s3_ticked;
    reg s3_spent, s3_old, s3_rises;
    reg [13:0] s3_by_kept, s3_by_told;      // if the sample one ahead makes no record, makes one
    always @(posedge clk) begin
        {s2_ripe, s2_peak, s2_told, s2_untold, s2_prev, s2_bp_en, s2_dry, s2_hot} <=
            s1_same3 ? n_word : words[s1_layer];
        {s3_ripe, s3_peak, s3_told, s3_untold, s3_prev, s3_bp_en, s3_dry, s3_hot} <= s2_same2 ? n_word
            : {s2_ripe, s2_peak, s2_told, s2_untold, s2_prev, s2_bp_en, s2_dry, s2_hot};
        s3_was_unknown <= |(unknown & s2_mine);
        s3_was_seen <= |(seen & s2_mine);
        s3_ticked <= s5_tick;
        s3_spent <= (|(spent & s2_mine) || (s2_same3 && s5_level)) && !s5_tick;
        s3_old <= s2_same2 ? s4_old && !new_run : |(old & s2_mine);
        s3_by_told <= by_told1;
        s3_rises <= s2_occ > s3_occ;
        s3_by_kept <= s2_same2 && s4_rec ? by_told2 : s2_same2 ? by_kept2 : s2_same1 ? by_kept1 : by_own;
    end

    // ------------------------------------------------------------------ stage 3: compare
    // what was compared a clock ago: with the limits in force or, if they came into force in that clock, the new ones
    wire on_now = s5_new_limits ? s3_on_new : s3_on_kept;
    wire cool_now = s5_new_limits ? s3_cool_new : s3_cool_kept;
    wire wet_now = s5_new_limits ? s3_wet_new : s3_wet_kept;
    wire [5:0] step_now = limits[`NPS_CFG_BP_LIMITS_LEVEL_STEP_LSB+:`NPS_CFG_BP_LIMITS_LEVEL_STEP_W];
    wire [5:0] step_new = new_limits[`NPS_CFG_BP_LIMITS_LEVEL_STEP_LSB+:`NPS_CFG_BP_LIMITS_LEVEL_STEP_W];
    function automatic reaches(input reg [13:0] by, input reg [6:0] step);
        reaches = (!by[13] && {1'b0, by[12:7]} >= step) || (!by[6] && {1'b0, by[5:0]} >= step);
    endfunction
    wire moved_kept_now = reaches(s3_by_kept, {no_step, step_now});
    wire moved_kept_new = reaches(s3_by_kept, {new_no_step, step_new});
    wire moved_told = reaches(s3_by_told, {no_step, step_now});
    wire moved_if_rec = s3_same1 ? moved_told : moved_kept_now;
    wire moved_if_not = tick_now ? moved_kept_now : moved_kept_new;

    // ripe when the count is not behind; the sign bit of the difference tells
    wire [CYCW-1:0] left_own = s3_cyc - s3_ripe;
    wire [CYCW-1:0] left_kept = s3_cyc - s4_ripe;
    wire held_kept = new_run ? STEADY == 1 : s4_old || !left_kept[CYCW-1];
    wire held_own = s3_old || !left_own[CYCW-1];
    wire above_kept = keeps ? s3_occ > s4_peak : s3_rises;
    wire above_own = s3_occ > s3_peak;
    wire empty = |(DRY_MASK & s3_mine) && s3_occ == 6'd0;
    wire next_spent = s3_same1 ? s4_spent || level : !s5_tick && (s3_spent || (s3_same2 && s5_level));

    // is the layer unknown after the clock ahead? a tick there, or one two ahead that stage 5 executes
    wire unseen = s5_tick || !(s3_seen || s3_same2);
    wire missed = !s3_same2 && (s3_unknown || (s5_tick && !s3_seen));
    wire forget = missed || (s4_tick && unseen);
    wire was_dry = s3_same1 ? n_dry : s3_dry;
    // of both outcomes of stage 4: dries, and surely a record (also because the layer is unknown by now)
    wire lost = !s3_same1 && missed;                // whatever stage 4 does
    wire ticked = !s3_same1 && (missed || unseen);  // if it ticks
    wire dries_rec = was_dry && !lost ? wet_now : empty;
    wire dries_not = tick_now ? (was_dry && !ticked ? wet_now : empty) : (was_dry && !lost ? wet_new : empty);
    always @(posedge clk) begin
        s4_boundary <= s3_cyc[CW-1:0] == {CW{1'b0}};
        s4_ripe_new <= s3_cyc + STEADY[CYCW-1:0];
        s4_on <= quiet ? on_new : on_now;
        s4_off <= quiet ? cool_new : cool_now;
        s4_dries <= s4_rec ? dries_rec : dries_not;
        s4_sure <= s4_rec ? lost || dries_rec : (tick_now ? ticked : lost) || dries_not;
        s4_differs <= s3_bit != (s3_same1 ? n_bp_en : s3_bp_en);
        s4_credit <= s4_tick || !next_stale_on || !next_spent;
        s4_moved <= s4_rec ? moved_if_rec : moved_if_not;
        if (s3_same1) begin
            {s4_ripe, s4_peak, s4_told, s4_bp_en, s4_dry, s4_hot} <= {n_ripe, n_peak, n_told, n_bp_en, n_dry, n_hot};
            s4_unknown <= 1'b0;
            s4_spent <= next_spent && !s4_tick;
            s4_old <= s4_old && !new_run;
            s4_held <= held_kept && s3_bit == s4_bit;
            s4_toggled <= s3_bit != s4_bit;
            s4_above <= above_kept;
            s4_peaks <= above_kept || n_untold;
        end else begin
            {s4_ripe, s4_peak, s4_told} <= {s3_ripe, s3_peak, s3_told};
            {s4_bp_en, s4_dry, s4_hot} <= {s3_bp_en, s3_dry, s3_hot} & {3{!forget}};
            s4_unknown <= forget;
            s4_spent <= next_spent && !s4_tick;
            s4_old <= s3_old;
            s4_held <= held_own && s3_bit == s3_prev;
            s4_toggled <= s3_bit != s3_prev;
            s4_above <= above_own;
            s4_peaks <= above_own || s3_untold;
        end
    end

    // ------------------------------------------------------------------ stages 4 to 7: dwell
    // Relative time is made 64 bits wide: `turns` counts the wraps of its 48 bits, and a step of it as two, which is more
    // than any dwell that fits. So no dwell wraps, and a step saturates all that began before it.
    localparam integer DWELLW = `NPS_BP_DWELL_W;
    localparam integer TURNW = 16;
    reg [TURNW+47:0] entered[0:31];
    reg [TURNW-1:0] s4_turns, s5_turns;
    reg s6_timed, s7_over;
    reg [TURNW+47:0] s5_entered, s6_dwell;
    reg [4:0] s5_k, s6_k;
    reg [1:0] s7_k;
    reg [16:0] s7_dwell;
    wire [20:0] by_byte = s6_k[4] ? (s6_k[3] ? s6_dwell[44:24] : s6_dwell[36:16])
        : s6_k[3] ? s6_dwell[28:8] : s6_dwell[20:0];
    wire [16:0] by_nibble = s6_k[2] ? by_byte[20:4] : by_byte[16:0];
    // bits beyond those that fit, by nibbles: nibble n is beyond if it is not shifted out
    wire [7:0] nibbles;
    wire [7:0] beyond = 8'hFF << s6_k[4:2];
    genvar n;
    generate
        for (n = 0; n < 7; n = n + 1) begin : g_nibble
            assign nibbles[n] = s6_dwell[17+4*n+:4] != 4'd0;
        end
    endgenerate
    assign nibbles[7] = s6_dwell[TURNW+47:45] != {TURNW + 3{1'b0}};
    wire wraps = s4_rel[47] && !s3_rel[47] && s4_live;
    always @(posedge clk) begin
        if (clear) s4_turns <= {TURNW{1'b0}};
        else s4_turns <= s4_turns + {{TURNW - 2{1'b0}}, rel_steps[2], wraps && !rel_steps[2]};
        if (enter) entered[s4_layer] <= {s4_turns, s4_rel};

        s5_entered <= entered[s4_layer];
        s5_turns <= s4_turns;
        s5_k <= limits[`NPS_CFG_BP_LIMITS_K_LSB+:`NPS_CFG_BP_LIMITS_K_W];

        {s6_k, s6_dwell} <= {s5_k, {s5_turns, s5_rel} - s5_entered};

        s7_k <= s6_k[1:0];
        s7_dwell <= s6_timed ? by_nibble : 17'd0;
        s7_over <= s6_timed && |(nibbles & beyond);
    end
    wire [16:0] shifted = s7_dwell >> s7_k;
    wire [DWELLW-1:0] dwell = shifted[DWELLW-1:0] | {DWELLW{s7_over || |shifted[16:DWELLW]}};

    // ------------------------------------------------------------------ stages 5 to 8: record
    reg s5_rec, s5_hot, s5_bp_en;
    wire s5_limits = s5_new_limits && lives[4];
    wire s5_stale = s5_new_stale && lives[4];
    reg [3:0] s5_sub, s6_sub, s7_sub, s6_kind, s7_kind;
    reg [5:0] s5_peak;
    reg s6_valid, s7_valid;
    reg [31:0] s6_payload, s7_payload;
    always @(posedge clk) begin
        s5_rec <= s4_rec;
        s5_hot <= s4_hot;
        s5_bp_en <= n_bp_en;
        s5_peak <= s4_hot && (s4_off || !s4_above) ? s4_peak : s4_occ;
        s5_sub <= heats ? (s4_hot ? `NPS_BP_EXIT : `NPS_BP_ENTER) : s4_unknown ? `NPS_BP_KNOWN
            : s4_dries ? (s4_dry ? `NPS_BP_WET : `NPS_BP_DRY) : turns ? (s4_bit ? `NPS_BP_BP_ON : `NPS_BP_BP_OFF)
            : moves ? `NPS_BP_LEVEL : `NPS_BP_RAW;

        s6_valid <= s5_rec || s5_limits || s5_stale || (s5_tick && (silent & ~unknown) != 32'd0);
        s6_timed <= s5_rec && s5_hot;
        s6_payload <= s5_tick ? unknown | silent : s5_limits ? limits : stale;
        {s6_kind, s6_sub} <= s5_tick ? {`NPS_K_STATE, `NPS_STATE_UNKNOWN}
            : s5_limits ? {`NPS_K_CFG, `NPS_CFG_BP_LIMITS} : {`NPS_K_CFG, `NPS_CFG_STALE};
        if (s5_rec) begin
            {s6_kind, s6_sub} <= {`NPS_K_BP, s5_sub};
            s6_payload[`NPS_BP_LAYER_LSB+:`NPS_BP_LAYER_W] <= s5_layer;
            s6_payload[`NPS_BP_OCC_LSB+:`NPS_BP_OCC_W] <= s5_occ;
            s6_payload[`NPS_BP_BP_EN_LSB+:`NPS_BP_BP_EN_W] <= s5_bp_en;
            s6_payload[`NPS_BP_PEAK_LSB+:`NPS_BP_PEAK_W] <= s5_peak;
            s6_payload[`NPS_BP_DWELL_LSB+:`NPS_BP_DWELL_W] <= {DWELLW{1'b0}};
        end
        {s7_valid, s7_kind, s7_sub, s7_payload} <= {s6_valid, s6_kind, s6_sub, s6_payload};
        {ev_valid, ev_kind, ev_sub, ev_payload} <= {s7_valid, s7_kind, s7_sub, s7_payload};
        ev_payload[`NPS_BP_DWELL_LSB+:`NPS_BP_DWELL_W] <= s7_payload[`NPS_BP_DWELL_LSB+:`NPS_BP_DWELL_W] | dwell;
        if (clear) {s5_rec, s6_valid, s7_valid, ev_valid} <= 4'd0;
    end
endmodule

`default_nettype wire
