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
// Pipeline: 1 inputs, read the layer's word   2 compare   3 decide, write back   4 to 6 dwell   7 event.
// Stage 3 is one LUT chain on single bits: every comparison with a value that the sample just ahead may replace
// (peak, last reported level, run start, limits) is made in stage 2 against both candidates.
`default_nettype none
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
    output reg  [31:0] stale,          // CFG STALE in force

    // events, no ready
    output reg         ev_valid,
    output reg  [ 3:0] ev_kind,
    output reg  [ 3:0] ev_sub,
    output reg  [ 1:0] ev_tq,
    output reg  [63:0] ev_ts,
    output reg  [31:0] ev_payload,
    output wire [31:0] ev_bp_samples,
    output reg         ev_step,
    output reg  [63:0] ev_step_ns
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

    // Run starts are stamped with a clock count of CYC_W bits; runs longer than AGE clocks are flagged instead.
    localparam integer CW = $clog2(STEADY + 1);
    localparam integer CYC_W = CW + 2;
    localparam integer DWELL_W = `NPS_BP_DWELL_W;

    wire clear = rst || restart;

    // ------------------------------------------------------------------ limits: latch, check, pend
    function [31:0] limits_word(input [5:0] on, input [5:0] off, input [5:0] wet, input [5:0] step,
                                input [4:0] k, input raw);
        begin
            limits_word = 32'd0;
            limits_word[`NPS_CFG_BP_LIMITS_TH_ON_LSB+:`NPS_CFG_BP_LIMITS_TH_ON_W] = on;
            limits_word[`NPS_CFG_BP_LIMITS_TH_OFF_LSB+:`NPS_CFG_BP_LIMITS_TH_OFF_W] = off;
            limits_word[`NPS_CFG_BP_LIMITS_TH_WET_LSB+:`NPS_CFG_BP_LIMITS_TH_WET_W] = wet;
            limits_word[`NPS_CFG_BP_LIMITS_LEVEL_STEP_LSB+:`NPS_CFG_BP_LIMITS_LEVEL_STEP_W] = step;
            limits_word[`NPS_CFG_BP_LIMITS_K_LSB+:`NPS_CFG_BP_LIMITS_K_W] = k;
            limits_word[`NPS_CFG_BP_LIMITS_RAW_LSB+:`NPS_CFG_BP_LIMITS_RAW_W] = raw;
        end
    endfunction
    function [5:0] th_on_of(input [31:0] word);
        th_on_of = word[`NPS_CFG_BP_LIMITS_TH_ON_LSB+:`NPS_CFG_BP_LIMITS_TH_ON_W];
    endfunction
    function [5:0] th_off_of(input [31:0] word);
        th_off_of = word[`NPS_CFG_BP_LIMITS_TH_OFF_LSB+:`NPS_CFG_BP_LIMITS_TH_OFF_W];
    endfunction
    function [5:0] th_wet_of(input [31:0] word);
        th_wet_of = word[`NPS_CFG_BP_LIMITS_TH_WET_LSB+:`NPS_CFG_BP_LIMITS_TH_WET_W];
    endfunction
    function [5:0] step_of(input [31:0] word);
        step_of = word[`NPS_CFG_BP_LIMITS_LEVEL_STEP_LSB+:`NPS_CFG_BP_LIMITS_LEVEL_STEP_W];
    endfunction

    reg c1_apply, c2_apply;
    reg [31:0] c1_limits, c2_limits, c1_stale, c2_stale;
    reg new_limits_valid, new_stale_valid;   // pending, as of the clock in stage 3
    reg [31:0] new_limits, new_stale;
    reg new_stale_on, stale_on;
    wire do_limits, do_stale;                // executed in the clock in stage 3

    wire c1_legal = th_on_of(c1_limits) >= `NPS_TH_ON_MIN && th_off_of(c1_limits) >= `NPS_TH_OFF_MIN
                 && th_wet_of(c1_limits) >= `NPS_TH_WET_MIN && th_off_of(c1_limits) < th_on_of(c1_limits);

    always @(posedge clk) begin
        c1_apply  <= cfg_apply;
        c1_limits <= limits_word(cfg_th_on, cfg_th_off, cfg_th_wet, cfg_level_step, cfg_k, cfg_raw);
        c1_stale  <= cfg_stale_ns;
        c2_apply  <= c1_apply && c1_legal;
        c2_limits <= c1_limits;
        c2_stale  <= c1_stale;
        cfg_error <= c1_apply && !c1_legal;

        if (do_limits) begin
            limits           <= new_limits;
            new_limits_valid <= 1'b0;
        end
        if (do_stale) begin
            stale           <= new_stale;
            stale_on        <= new_stale_on;
            new_stale_valid <= 1'b0;
        end
        if (c2_apply) begin
            new_limits       <= c2_limits;
            new_stale        <= c2_stale;
            new_stale_on     <= |c2_stale;
            new_limits_valid <= 1'b1;
            new_stale_valid  <= 1'b1;
        end
        if (rst) begin
            c1_apply         <= 1'b0;
            c2_apply         <= 1'b0;
            cfg_error        <= 1'b0;
            new_limits_valid <= 1'b0;
            new_stale_valid  <= 1'b0;
            limits <= limits_word(TH_ON[5:0], TH_OFF[5:0], TH_WET[5:0], LEVEL_STEP[5:0], DWELL_SHIFT[4:0], RAW[0]);
            stale            <= STALE_NS;
            stale_on         <= STALE_NS != 32'd0;
        end
    end
    wire raw_mode = limits[`NPS_CFG_BP_LIMITS_RAW_LSB];

    // ------------------------------------------------------------------ time and steps ride along, no reset
    reg [63:0] s1_ts, s2_ts, s3_ts, s4_ts, s5_ts, s6_ts;
    reg [63:0] s1_step_ns, s2_step_ns, s3_step_ns, s4_step_ns, s5_step_ns, s6_step_ns;
    reg [1:0] s1_tq, s2_tq, s3_tq, s4_tq, s5_tq, s6_tq;
    reg [47:0] s1_rel, s2_rel, s3_rel, s4_rel;
    always @(posedge clk) begin
        s1_ts <= ts_ns; s2_ts <= s1_ts; s3_ts <= s2_ts; s4_ts <= s3_ts; s5_ts <= s4_ts; s6_ts <= s5_ts; ev_ts <= s6_ts;
        s1_tq <= tq; s2_tq <= s1_tq; s3_tq <= s2_tq; s4_tq <= s3_tq; s5_tq <= s4_tq; s6_tq <= s5_tq; ev_tq <= s6_tq;
        s1_step_ns <= step_ns; s2_step_ns <= s1_step_ns; s3_step_ns <= s2_step_ns; s4_step_ns <= s3_step_ns;
        s5_step_ns <= s4_step_ns; s6_step_ns <= s5_step_ns; ev_step_ns <= s6_step_ns;
        s1_rel <= rel_ns; s2_rel <= s1_rel; s3_rel <= s2_rel; s4_rel <= s3_rel;
    end
    reg s1_step, s2_step, s3_step, s4_step, s5_step, s6_step;
    reg s1_bp, s2_bp, s3_bp, s4_bp, s5_bp, s6_bp;        // counted sample, illegal layers too
    reg s1_live, s2_live, s3_live;                       // a clock after the last reset or restart
    reg s1_rel_step, s2_rel_step, s3_rel_step;
    always @(posedge clk) begin
        {s6_step, s5_step, s4_step, s3_step, s2_step, s1_step} <=
            {s5_step, s4_step, s3_step, s2_step, s1_step, ts_step || rel_step};
        {s6_bp, s5_bp, s4_bp, s3_bp, s2_bp, s1_bp} <=
            {s5_bp, s4_bp, s3_bp, s2_bp, s1_bp, trace_valid && backpressure_en};
        {s3_live, s2_live, s1_live} <= {s2_live, s1_live, 1'b1};
        {s3_rel_step, s2_rel_step, s1_rel_step} <= {s2_rel_step, s1_rel_step, rel_step};
        ev_step <= s6_step;
        if (clear) begin
            {s6_step, s5_step, s4_step, s3_step, s2_step, s1_step} <= 6'd0;
            {s6_bp, s5_bp, s4_bp, s3_bp, s2_bp, s1_bp} <= 6'd0;
            {s3_live, s2_live, s1_live} <= 3'd0;
            {s3_rel_step, s2_rel_step, s1_rel_step} <= 3'd0;
            ev_step <= 1'b0;
        end
    end

    reg [39:0] bp_samples;
    assign ev_bp_samples = bp_samples[39:8];
    always @(posedge clk) begin
        bp_samples <= bp_samples + {39'd0, s6_bp};
        if (clear) bp_samples <= 40'd0;
    end

    // ------------------------------------------------------------------ stale tick
    wire rec3;                       // the sample in stage 3 makes a record
    reg [2:0] warm;                  // three clocks after a re-base are not tested
    reg s1_test, s2_test;
    reg [47:0] last, s2_age;
    reg due3, s4_rebase, s5_rebase, tick_wait;
    wire tick_now = due3 || tick_wait;
    wire tick3 = tick_now && !rec3;
    wire new_period = do_stale && s3_live;
    always @(posedge clk) begin
        warm      <= {warm[1:0], 1'b1};
        s1_test   <= warm[2];
        s2_test   <= s1_test;
        s2_age    <= s1_rel - last;
        due3      <= s2_test && stale_on && s2_age >= {16'd0, stale} && !(due3 || new_period || s4_rebase || s5_rebase);
        s4_rebase <= due3 || new_period;
        s5_rebase <= s4_rebase;
        tick_wait <= tick_now && rec3;
        if (s4_rebase) last <= s4_rel;
        if (clear) begin
            warm <= 3'd0;
            {s1_test, s2_test, due3, s4_rebase, s5_rebase, tick_wait} <= 6'd0;
            last <= rel_ns;
        end
    end
    assign do_limits = new_limits_valid && !rec3 && !tick_now;
    assign do_stale  = new_stale_valid && !rec3 && !tick_now && (!new_limits_valid || !s3_live);

    // ------------------------------------------------------------------ stage 1: inputs, read the layer's word
    localparam integer WORD_W = 17 + CYC_W;
    reg [WORD_W-1:0] words[0:31];    // {run start, peak, reported occ, unreported peak, raw, bp_en, dry, hot}
    reg [31:0] unknown, seen, spent; // spent: LEVEL credit of the tick period used
    reg [31:0] aged, old;            // run is older than one, two boundaries of the clock count

    reg s1_valid, s1_bit, s1_ahead2; // ahead2: the sample now in stage 3 is of this layer
    reg [4:0] s1_layer;
    reg [5:0] s1_occ;
    reg [CYC_W-1:0] cyc, s1_cyc, s2_cyc, s3_cyc;
    reg s2_valid, s3_valid;
    reg [4:0] s2_layer, s3_layer;
    always @(posedge clk) begin
        s1_valid  <= trace_valid && LAYERS[layer_id] && !clear;
        s1_layer  <= layer_id;
        s1_occ    <= buf_occupancy;
        s1_bit    <= backpressure_en;
        s1_ahead2 <= s2_valid && s2_layer == layer_id;
        cyc       <= rst ? {CYC_W{1'b0}} : cyc + 1'b1;
        s1_cyc    <= cyc;
        s2_cyc    <= s1_cyc;
        s3_cyc    <= s2_cyc;
    end

    // ------------------------------------------------------------------ stage 3 signals that earlier stages need
    reg s3_bit, s3_hot, s3_dry, s3_bp_en, s3_prev, s3_unrep, s3_unknown, s3_spent, s3_old, s3_held;
    reg [5:0] s3_occ, s3_rep, s3_peak;
    reg [CYC_W-1:0] s3_start;
    reg s3_on, s3_off, s3_wet, s3_empty, s3_above, s3_moved;
    wire n_hot, n_dry, n_bp_en, n_unrep, n_spent, new_run;
    wire keep_peak = s3_hot && !s3_above;
    wire [5:0] n_rep = rec3 ? s3_occ : s3_rep;
    wire [5:0] n_peak = keep_peak ? s3_peak : s3_occ;
    wire [CYC_W-1:0] n_start = new_run ? s3_cyc : s3_start;

    // ------------------------------------------------------------------ stage 2: compare
    reg s2_bit, s2_ahead1;           // ahead1: the sample now in stage 3 is of this layer
    reg s2_hot, s2_dry, s2_bp_en, s2_prev, s2_unrep, s2_unknown, s2_seen, s2_spent, s2_old;
    reg [5:0] s2_occ, s2_rep, s2_peak;
    reg [CYC_W-1:0] s2_start;
    wire [WORD_W-1:0] n_word = {n_start, n_peak, n_rep, n_unrep, s3_bit, n_bp_en, n_dry, n_hot};
    always @(posedge clk) begin
        s2_valid  <= s1_valid && !clear;
        s2_layer  <= s1_layer;
        s2_occ    <= s1_occ;
        s2_bit    <= s1_bit;
        s2_ahead1 <= s2_valid && s2_layer == s1_layer;
        {s2_start, s2_peak, s2_rep, s2_unrep, s2_prev, s2_bp_en, s2_dry, s2_hot} <=
            s1_ahead2 ? n_word : words[s1_layer];
        s2_unknown <= !s1_ahead2 && (unknown[s1_layer] || (tick3 && !seen[s1_layer]));
        s2_seen    <= !tick3 && (s1_ahead2 || seen[s1_layer]);
        s2_spent   <= !tick3 && (s1_ahead2 ? n_spent : spent[s1_layer]);
        s2_old     <= s1_ahead2 ? s3_old && !new_run : old[s1_layer];
    end

    function [5:0] distance(input [5:0] a, input [5:0] b);
        distance = a >= b ? a - b : b - a;
    endfunction
    function moved(input [5:0] by, input [5:0] step);
        moved = step != 6'd0 && by >= step;
    endfunction
    wire [5:0] by_own = distance(s2_occ, s2_rep);
    wire [5:0] by_kept = distance(s2_occ, s3_rep);
    wire [5:0] by_told = distance(s2_occ, s3_occ);
    wire [31:0] next_limits = do_limits ? new_limits : limits;
    wire [CYC_W-1:0] run_own = s2_cyc - s2_start;
    wire [CYC_W-1:0] run_kept = s2_cyc - s3_start;
    wire s2_forget = s2_unknown || (tick3 && !s2_seen);
    always @(posedge clk) begin
        s3_valid <= s2_valid && !clear;
        s3_layer <= s2_layer;
        s3_occ   <= s2_occ;
        s3_bit   <= s2_bit;
        s3_empty <= s2_occ == 6'd0;
        s3_on    <= do_limits ? s2_occ >= th_on_of(new_limits) : s2_occ >= th_on_of(limits);
        s3_off   <= do_limits ? s2_occ < th_off_of(new_limits) : s2_occ < th_off_of(limits);
        s3_wet   <= do_limits ? s2_occ >= th_wet_of(new_limits) : s2_occ >= th_wet_of(limits);
        if (s2_ahead1) begin
            {s3_start, s3_peak, s3_rep, s3_unrep, s3_prev, s3_bp_en, s3_dry, s3_hot} <= n_word;
            s3_unknown <= 1'b0;
            s3_spent   <= !tick3 && n_spent;
            s3_old     <= s3_old && !new_run;
            s3_above   <= keep_peak ? s2_occ > s3_peak : s2_occ > s3_occ;
            s3_moved   <= rec3 ? moved(by_told, step_of(next_limits)) : moved(by_kept, step_of(next_limits));
            s3_held    <= new_run ? STEADY <= 1 : s3_old || run_kept >= STEADY[CYC_W-1:0];
        end else begin
            {s3_start, s3_peak, s3_rep, s3_prev} <= {s2_start, s2_peak, s2_rep, s2_prev};
            {s3_unrep, s3_bp_en, s3_dry, s3_hot} <= {s2_unrep, s2_bp_en, s2_dry, s2_hot} & {4{!s2_forget}};
            s3_unknown <= s2_forget;
            s3_spent   <= !tick3 && s2_spent;
            s3_old     <= s2_old;
            s3_above   <= s2_occ > s2_peak;
            s3_moved   <= moved(by_own, step_of(next_limits));
            s3_held    <= s2_old || run_own >= STEADY[CYC_W-1:0];
        end
    end

    // ------------------------------------------------------------------ stage 3: decide, write back
    wire dry_layer = DRY_MASK[s3_layer];
    assign new_run = s3_unknown || s3_bit != s3_prev;
    assign n_hot   = s3_hot ? !s3_off : s3_on;
    assign n_dry   = dry_layer && (s3_empty || (s3_dry && !s3_wet));
    assign n_bp_en = raw_mode || (s3_held && !new_run) ? s3_bit : s3_bp_en;

    wire enter = s3_valid && s3_on && !s3_hot;
    wire leave = s3_valid && s3_off && s3_hot;
    wire known = s3_valid && s3_unknown && !s3_on;
    wire judge = s3_valid && !s3_unknown;
    wire dries = judge && n_dry && !s3_dry;
    wire wets  = judge && !n_dry && s3_dry;
    wire bp_on = judge && n_bp_en && !s3_bp_en;
    wire bp_off = judge && !n_bp_en && s3_bp_en;
    wire new_peak = s3_hot && (s3_above || s3_unrep);
    wire level = judge && (!s3_spent || !stale_on) && (new_peak || s3_moved);
    wire raw   = s3_valid && raw_mode && s3_on;
    wire first = enter || leave || known || dries || wets || bp_on || bp_off;  // all above LEVEL
    assign rec3    = first || level || raw;
    assign n_unrep = new_peak && !rec3;
    assign n_spent = s3_spent || (level && !first);

    wire [31:0] one = 32'd1 << s3_layer;
    wire [31:0] mine = one & {32{s3_valid}};
    wire [31:0] silent = LAYERS & ~seen & ~mine;
    wire boundary = s3_cyc[CW-1:0] == {CW{1'b0}};
    always @(posedge clk) begin
        if (s3_valid) words[s3_layer] <= n_word;
        unknown <= (unknown & ~mine) | (silent & {32{tick3}});
        seen    <= (seen | mine) & {32{!tick3}};
        spent   <= (spent | (mine & {32{n_spent}})) & {32{!tick3}};
        aged    <= (aged | {32{boundary}}) & ~(mine & {32{new_run}});
        old     <= (old | (aged & {32{boundary}})) & ~(mine & {32{new_run}});
        if (clear) begin
            unknown <= LAYERS;
            seen    <= 32'd0;
            spent   <= 32'd0;
        end
    end

    // ------------------------------------------------------------------ stages 3 to 6: dwell
    reg [47:0] entered[0:31];
    reg [31:0] hour, frozen;         // hot for one, two half wraps of rel_ns[46:0], or over a rel_step
    reg s3_half;
    reg [47:0] s4_entered, s5_dwell;
    reg s4_frozen, s5_frozen, s6_frozen;
    reg [4:0] s4_k, s5_k;
    reg [2:0] s6_k;
    reg [20:0] s6_dwell;
    always @(posedge clk) begin
        s3_half <= s2_rel[46] != s3_rel[46] && s2_live && s3_live;
        if (enter) entered[s3_layer] <= s3_rel;
        hour   <= (hour | {32{s3_half}}) & ~(one & {32{enter}});
        frozen <= (frozen | (hour & {32{s3_half}}) | {32{s3_rel_step}}) & ~(one & {32{enter}});

        s4_entered <= entered[s3_layer];
        s4_frozen  <= frozen[s3_layer] || s3_rel_step;
        s4_k       <= limits[`NPS_CFG_BP_LIMITS_K_LSB+:`NPS_CFG_BP_LIMITS_K_W];

        s5_dwell  <= s4_rel - s4_entered;
        s5_frozen <= s4_frozen;
        s5_k      <= s4_k;

        s6_k <= s5_k[2:0];
        case (s5_k[4:3])
            2'd0: {s6_frozen, s6_dwell} <= {s5_frozen || s5_dwell[47:21] != 27'd0, s5_dwell[20:0]};
            2'd1: {s6_frozen, s6_dwell} <= {s5_frozen || s5_dwell[47:29] != 19'd0, s5_dwell[28:8]};
            2'd2: {s6_frozen, s6_dwell} <= {s5_frozen || s5_dwell[47:37] != 11'd0, s5_dwell[36:16]};
            2'd3: {s6_frozen, s6_dwell} <= {s5_frozen || s5_dwell[47:45] != 3'd0, s5_dwell[44:24]};
        endcase
    end
    wire [20:0] shifted = s6_dwell >> s6_k;
    wire [DWELL_W-1:0] dwell = s6_frozen || shifted[20:DWELL_W] != 7'd0 ? {DWELL_W{1'b1}} : shifted[DWELL_W-1:0];

    // ------------------------------------------------------------------ stages 4 to 7: record
    reg s4_rec, s4_tick, s4_limits, s4_stale, s4_hot, s4_bp_en;
    reg [31:0] s4_silent;
    reg [3:0] s4_sub, s5_sub, s6_sub, s5_kind, s6_kind;
    reg [4:0] s4_layer;
    reg [5:0] s4_occ, s4_peak;
    reg s5_valid, s6_valid, s5_timed, s6_timed;
    reg [31:0] s5_payload, s6_payload;
    always @(posedge clk) begin
        s4_rec    <= rec3;
        s4_tick   <= tick3;
        s4_limits <= do_limits && s3_live;
        s4_stale  <= new_period;
        s4_silent <= silent & ~unknown;
        s4_hot    <= s3_hot;
        s4_bp_en  <= n_bp_en;
        s4_layer  <= s3_layer;
        s4_occ    <= s3_occ;
        s4_peak   <= leave ? s3_peak : n_peak;
        s4_sub    <= enter ? `NPS_BP_ENTER : leave ? `NPS_BP_EXIT : known ? `NPS_BP_KNOWN
                   : dries ? `NPS_BP_DRY : wets ? `NPS_BP_WET : bp_on ? `NPS_BP_BP_ON : bp_off ? `NPS_BP_BP_OFF
                   : level ? `NPS_BP_LEVEL : `NPS_BP_RAW;

        s5_valid   <= s4_rec || (s4_tick && s4_silent != 32'd0) || s4_limits || s4_stale;
        s5_timed   <= s4_rec && s4_hot;
        s5_kind    <= s4_rec ? `NPS_K_BP : s4_tick ? `NPS_K_STATE : `NPS_K_CFG;
        s5_sub     <= s4_rec ? s4_sub : s4_tick ? `NPS_STATE_UNKNOWN : s4_limits ? `NPS_CFG_BP_LIMITS : `NPS_CFG_STALE;
        s5_payload <= s4_tick ? unknown : s4_limits ? limits : s4_stale ? stale : 32'd0;
        if (s4_rec) begin
            s5_payload[`NPS_BP_LAYER_LSB+:`NPS_BP_LAYER_W] <= s4_layer;
            s5_payload[`NPS_BP_OCC_LSB+:`NPS_BP_OCC_W] <= s4_occ;
            s5_payload[`NPS_BP_BP_EN_LSB+:`NPS_BP_BP_EN_W] <= s4_bp_en;
            s5_payload[`NPS_BP_PEAK_LSB+:`NPS_BP_PEAK_W] <= s4_peak;
        end
        {s6_valid, s6_timed, s6_kind, s6_sub, s6_payload} <= {s5_valid, s5_timed, s5_kind, s5_sub, s5_payload};

        {ev_valid, ev_kind, ev_sub, ev_payload} <= {s6_valid, s6_kind, s6_sub, s6_payload};
        if (s6_timed) ev_payload[`NPS_BP_DWELL_LSB+:`NPS_BP_DWELL_W] <= dwell;
        if (clear) begin
            {s4_rec, s4_tick, s4_limits, s4_stale, s5_valid, s6_valid, ev_valid} <= 7'd0;
        end
    end
endmodule

`default_nettype wire
