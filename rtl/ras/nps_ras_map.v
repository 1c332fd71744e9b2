// SPDX-License-Identifier: Apache-2.0
// RAS mapper: turns sync jitter into reliability, availability and serviceability events. Rules M0 to M12 in README.md.
//
// Does:      judges one sample a clock by three independent rules, asks for a CRC renegotiation and for a PHY switch,
//            latches each class for software, and tells all that happens as records.
// Promises:  a decision depends only on samples and notes in their order, never on how they are told: whoever has the
//            JITTER, CFG and RAS records can recompute it. Every happening is told or shown as lost.
// Costs:     NPS_RAS_LATENCY clocks from js_* to the request. Records leave the collector 6 clocks apart, in order.
// Overflow:  an entry that the collector has no room for is shown at lost_* and sets overflow of its classes. Samples,
//            requests and rules are never held up.
//
// All js_* inputs of a clock are of one moment, of which js_rel_ns, js_ts_ns, js_tq are the time, in every clock.
// Stages: 1 key   2 compare, ages   decide   3 collect, request   4 req, queue. sN_*: of the moment that is in stage N.
`default_nettype none
`include "nps_ras.vh"
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module nps_ras_map #(
    parameter integer UNIT        = 0,                  // reporting unit in the records, 0..31
    parameter integer S_COUNT     = `NPS_S_COUNT,       // excesses, 2..8
    parameter integer REQ_TIMEOUT = `NPS_REQ_TIMEOUT,   // clocks, 2..16777215
    // configuration in force after reset
    parameter integer R_LIMIT     = `NPS_R_LIMIT,       // 1/256 ns, 0..A_LIMIT
    parameter integer A_LIMIT     = `NPS_A_LIMIT,       // 1/256 ns, R_LIMIT..S_LIMIT
    parameter integer S_LIMIT     = `NPS_S_LIMIT,       // 1/256 ns, A_LIMIT..1073741823
    parameter integer R_RUN       = `NPS_R_RUN,         // samples, 1..255
    parameter integer R_REARM     = `NPS_R_REARM,       // samples, 1..255
    parameter integer A_BUDGET    = `NPS_A_BUDGET,      // switches, 0..255
    parameter integer S_WINDOW    = `NPS_S_WINDOW,      // ns, 1000..2147483647
    parameter integer A_HOLDOFF   = `NPS_A_HOLDOFF      // us, 1..262143
) (
    input wire clk,
    input wire rst,
    input wire enable,       // 0: nothing is judged, runs and stamps are 0
    input wire sync_lost_a,  // option: SYNC_LOST is an excess for A

    // samples and time from nps_jitter
    input wire        js_valid,
    input wire        js_ok,
    input wire [31:0] js_jitter,      // signed, 1/256 ns
    input wire        js_saturated,
    input wire        js_sync_lost,   // never with js_valid
    input wire        js_phy_changed,
    input wire [47:0] js_rel_ns,
    input wire [63:0] js_ts_ns,
    input wire [ 1:0] js_tq,
    input wire        js_ts_step,
    input wire        js_rel_step,
    input wire [63:0] js_step_ns,
    input wire        js_offer,       // this moment is offered to the stream: shown with its records

    // requests, synchronous to clk
    output wire crc_reneg_req,
    input  wire crc_reneg_ack,
    input  wire reneg_done,     // pulse: the CRC renegotiation is done
    output wire phy_switch_req,
    input  wire phy_switch_ack,

    // configuration: see nps_ras_config
    input  wire         cfg_apply,
    input  wire [ 29:0] cfg_r_limit,
    input  wire [ 29:0] cfg_a_limit,
    input  wire [ 29:0] cfg_s_limit,
    input  wire [  7:0] cfg_r_run,
    input  wire [  7:0] cfg_r_rearm,
    input  wire [  7:0] cfg_a_budget,
    input  wire [ 30:0] cfg_s_window,
    input  wire [ 17:0] cfg_a_holdoff,
    output wire         cfg_done,
    output wire         cfg_error,
    output wire [191:0] cfg_words,     // CFG R_LIMIT to A_HOLDOFF in force, the first in the lowest bits

    // latches; bit n: class code n (R, A, S, SYNC_LOST, REDUNDANCY_EXHAUSTED)
    output wire [ 4:0] pending,
    output wire [ 4:0] overflow,
    input  wire [ 4:0] clear,        // write 1 to clear
    input  wire [ 4:0] inject,       // test injection, pulses
    output wire [ 1:0] req_timeout,  // pulses: crc_reneg, phy_switch
    input  wire        snap,         // copy the latch of snap_class; not while snap_busy
    input  wire [ 2:0] snap_class,
    output wire        snap_busy,    // until the copy is done: what is being told first, then 8 clocks
    input  wire [ 2:0] word_index,   // 0 {count 12:8, overflow 1, pending 0}, 1 worst, 2, 3 first ts, 4, 5 last ts
    output wire [31:0] word,         // 1 clock after its index

    // records, no ready
    output reg         ev_valid,
    output reg         ev_step,      // a clock step before the record, if any
    output reg         ev_cfg,       // new told_words are in force before the record, if any
    output reg         ev_offer,     // js_offer of their moment
    output wire [ 3:0] ev_kind,
    output reg  [ 3:0] ev_sub,
    output reg  [ 1:0] ev_tq,
    output reg  [63:0] ev_ts,
    output reg  [31:0] ev_payload,
    output reg  [63:0] ev_step_ns,
    output reg [191:0] told_words,   // cfg_words as ev_cfg tells them
    output wire        idle,         // nothing is on its way to a record
    output wire        offers,       // a record with ev_offer is, behind the collector's input
    output wire        step_inside,  // a clock step is, behind the collector's input

    // what the collector dropped; then it drops all until lost_told
    output wire        lost_valid,
    output wire        lost_offer,
    output wire        lost_waits,   // all before the first dropped is told
    input  wire        lost_told,    // the loss is told now; may be lost_waits itself
    output wire [ 3:0] lost_records,
    output wire        lost_step,
    output wire        lost_cfg,
    output wire [ 1:0] lost_tq,
    output wire [63:0] lost_ts,
    output wire [63:0] lost_step_ns
);
    `NPS_REFUSE(UNIT < 0 || UNIT > 31, nps_error__UNIT_must_be_0_to_31)

    localparam integer TIME_W = 32;  // of relative time: more than a window
    localparam integer HAPPENS = `NPS_RAS_HAPPENS;
    localparam integer MORE = `NPS_RAS_MORE;
    localparam integer CLASSES = 5;  // with a latch
    localparam integer R = {27'd0, `NPS_RAS_CLASS_R};
    localparam integer A = {27'd0, `NPS_RAS_CLASS_A};
    localparam integer S = {27'd0, `NPS_RAS_CLASS_S};
    localparam integer LOST = {27'd0, `NPS_RAS_CLASS_SYNC_LOST};
    localparam integer EXHAUSTED = {27'd0, `NPS_RAS_CLASS_REDUNDANCY_EXHAUSTED};

    // ------------------------------------------------------------------ configuration, in force with stage 1
    wire [27:0] holdoff_ns;
    nps_ras_config #(
        .R_LIMIT(R_LIMIT), .A_LIMIT(A_LIMIT), .S_LIMIT(S_LIMIT), .R_RUN(R_RUN), .R_REARM(R_REARM), .S_COUNT(S_COUNT),
        .A_BUDGET(A_BUDGET), .S_WINDOW(S_WINDOW), .A_HOLDOFF(A_HOLDOFF)
    ) u_config (
        .clk(clk), .rst(rst), .apply(cfg_apply),
        .r_limit(cfg_r_limit), .a_limit(cfg_a_limit), .s_limit(cfg_s_limit), .r_run(cfg_r_run), .r_rearm(cfg_r_rearm),
        .a_budget(cfg_a_budget), .s_window(cfg_s_window), .a_holdoff(cfg_a_holdoff),
        .done(cfg_done), .error(cfg_error), .words(cfg_words), .holdoff_ns(holdoff_ns)
    );
    wire [29:0] r_limit = cfg_words[29:0];
    wire [29:0] a_limit = cfg_words[61:32];
    wire [29:0] s_limit = cfg_words[93:64];
    wire [31:0] counts = cfg_words[127:96];
    wire [30:0] window = cfg_words[158:128];
    wire unused = &{1'b0, js_rel_ns[47:TIME_W], counts[`NPS_CFG_RAS_COUNTS_S_COUNT_LSB+:8], 1'b0};

    // ------------------------------------------------------------------ stage 1: key
    // key = {x, sign} with x = jitter, or its one's complement if negative: |jitter| = x + sign. Keys compare as
    // magnitudes do (of equal ones the positive is greater), and |jitter| > limit is key >= {limit, 1}.
    reg s1_sample, s1_ok, s1_saturated, s1_lost, s1_lost_a, s1_phy, s1_reneg, s1_step, s1_rel_step, s1_enable, s1_cfg;
    reg s1_offer, s2_offer, s3_offer;
    reg [31:0] s1_key;
    reg [TIME_W-1:0] s1_rel;
    reg [63:0] s1_ts, s1_step_ns;
    reg [1:0] s1_tq;
    always @(posedge clk) begin
        s1_sample <= js_valid && enable;
        s1_ok <= js_valid && js_ok && enable;
        s1_lost <= js_sync_lost && enable;
        s1_lost_a <= js_sync_lost && enable && sync_lost_a;
        s1_enable <= enable;
        {s1_phy, s1_reneg, s1_rel_step} <= {js_phy_changed, reneg_done, js_rel_step};
        s1_step <= js_ts_step || js_rel_step;
        s1_cfg <= cfg_done;
        {s3_offer, s2_offer, s1_offer} <= {s2_offer, s1_offer, js_offer} & {3{!rst}};
        s1_key <= {js_jitter[30:0] ^ {31{js_jitter[31]}}, js_jitter[31]};
        s1_saturated <= js_saturated;
        if (!js_valid) s1_key <= 32'd0;
        s1_rel <= js_rel_ns[TIME_W-1:0];
        {s1_ts, s1_tq, s1_step_ns} <= {js_ts_ns, js_tq, js_step_ns};
        if (rst) begin
            {s1_sample, s1_ok, s1_lost, s1_lost_a, s1_enable} <= 5'd0;
            {s1_phy, s1_reneg, s1_step, s1_rel_step, s1_cfg} <= 5'd0;
        end
    end

    // ------------------------------------------------------------------ stage 2: over which limits, how old
    reg s2_sample, s2_good, s2_over_r, s2_over_a, s2_over_s, s2_lost, s2_lost_a, s2_enable;
    reg s2_phy, s2_reneg, s2_step, s2_rel_step, s2_cfg, s2_edge;
    reg [15:0] s2_key;  // the upper half, in units of 256 ns
    reg [TIME_W-1:0] s2_until, s2_held_until;
    reg [63:0] s2_ts, s2_step_ns;
    reg [1:0] s2_tq;
    reg [7:0] s2_run_1, s2_rearm_1;
    wire s1_over_r = s1_saturated || s1_key >= {1'b0, r_limit, 1'b1};
    wire s1_over_a = s1_saturated || s1_key >= {1'b0, a_limit, 1'b1};
    wire s1_over_s = s1_saturated || s1_key >= {1'b0, s_limit, 1'b1};
    always @(posedge clk) begin
        s2_sample <= s1_sample;
        s2_good <= s1_ok && !s1_over_r;
        {s2_over_r, s2_over_a, s2_over_s} <= {s1_over_r, s1_over_a, s1_over_s} & {3{s1_ok}};
        {s2_lost, s2_lost_a} <= {s1_lost, s1_lost_a};
        s2_enable <= s1_enable;
        s2_edge <= s1_enable != s2_enable;
        {s2_phy, s2_reneg, s2_step, s2_rel_step, s2_cfg} <= {s1_phy, s1_reneg, s1_step, s1_rel_step, s1_cfg};
        s2_key <= {s1_key[31:17], s1_key[0]};
        s2_until <= s1_rel + {1'b0, window};
        s2_held_until <= s1_rel + {4'd0, holdoff_ns};
        {s2_ts, s2_tq, s2_step_ns} <= {s1_ts, s1_tq, s1_step_ns};
        s2_run_1 <= counts[`NPS_CFG_RAS_COUNTS_R_RUN_LSB+:`NPS_CFG_RAS_COUNTS_R_RUN_W] - 8'd1;
        s2_rearm_1 <= counts[`NPS_CFG_RAS_COUNTS_R_REARM_LSB+:`NPS_CFG_RAS_COUNTS_R_REARM_W] - 8'd1;
        if (rst) begin
            {s2_sample, s2_good, s2_over_r, s2_over_a, s2_over_s, s2_lost, s2_lost_a, s2_enable, s2_edge} <= 9'd0;
            {s2_phy, s2_reneg, s2_step, s2_rel_step, s2_cfg} <= 5'd0;
        end
    end

    wire fire_r, fire_a, fire_s, exhausted;
    nps_ras_r u_r (
        .clk(clk), .rst(rst), .hold(!s2_enable), .sample(s2_sample), .excess(s2_over_r), .good(s2_good),
        .reneg_done(s2_reneg), .run_1(s2_run_1), .rearm_1(s2_rearm_1), .fire(fire_r)
    );
    nps_ras_a #(.TIME_W(TIME_W)) u_a (
        .clk(clk), .rst(rst), .s1_rel(s1_rel), .s2_until(s2_until), .s2_held_until(s2_held_until),
        .s1_budget(counts[`NPS_CFG_RAS_COUNTS_A_BUDGET_LSB+:`NPS_CFG_RAS_COUNTS_A_BUDGET_W]),
        .excess(s2_over_a || s2_lost_a), .phy_changed(s2_phy), .rel_step(s2_rel_step),
        .fire(fire_a), .exhausted(exhausted)
    );
    nps_ras_s #(.COUNT(S_COUNT), .TIME_W(TIME_W)) u_s (
        .clk(clk), .rst(rst), .s1_rel(s1_rel), .s2_until(s2_until), .flush(s2_rel_step || !s2_enable),
        .excess(s2_over_s), .fire(fire_s)
    );

    // injected events wait for a moment without sample and without loss of sync
    reg [CLASSES-1:0] waiting;
    wire injects = waiting != {CLASSES{1'b0}} && !s2_sample && !s2_lost && s2_enable;
    wire [CLASSES-1:0] injected = waiting & {CLASSES{injects}};
    always @(posedge clk) begin
        waiting <= inject | (waiting & ~injected);
        if (rst || !enable || !s2_enable) waiting <= {CLASSES{1'b0}};
    end

    // ------------------------------------------------------------------ stage 3: requests, collector
    reg [HAPPENS-1:0] s3_happens;
    reg s3_level, s3_injected;
    reg [15:0] s3_key;
    reg [63:0] s3_ts, s3_step_ns;
    reg [1:0] s3_tq;
    always @(posedge clk) begin
        s3_happens <= {HAPPENS{1'b0}};
        s3_happens[`NPS_RAS_H_STEP] <= s2_step;
        s3_happens[`NPS_RAS_H_CFG] <= s2_cfg;
        s3_happens[`NPS_RAS_H_FLUSHED] <= s2_rel_step;
        s3_happens[`NPS_RAS_H_ENABLE] <= s2_edge;
        s3_happens[`NPS_RAS_H_RENEG] <= s2_reneg;
        s3_happens[`NPS_RAS_H_PHY] <= s2_phy;
        s3_happens[`NPS_RAS_H_LOST] <= s2_lost || injected[LOST];
        s3_happens[`NPS_RAS_H_R] <= fire_r || injected[R];
        s3_happens[`NPS_RAS_H_A] <= fire_a || injected[A];
        s3_happens[`NPS_RAS_H_EXHAUSTED] <= exhausted || injected[EXHAUSTED];
        s3_happens[`NPS_RAS_H_S] <= fire_s || injected[S];
        s3_level <= s2_enable;
        s3_injected <= injects;
        s3_key <= s2_key;
        {s3_ts, s3_tq, s3_step_ns} <= {s2_ts, s2_tq, s2_step_ns};
        if (rst) s3_happens <= {HAPPENS{1'b0}};
    end

    wire [1:0] acked, timeout, stuck;
    nps_ras_request #(.TIMEOUT(REQ_TIMEOUT)) u_crc_reneg (
        .clk(clk), .rst(rst), .fire(s3_happens[`NPS_RAS_H_R]), .req(crc_reneg_req), .ack(crc_reneg_ack),
        .acked(acked[0]), .timeout(timeout[0]), .stuck(stuck[0])
    );
    nps_ras_request #(.TIMEOUT(REQ_TIMEOUT)) u_phy_switch (
        .clk(clk), .rst(rst), .fire(s3_happens[`NPS_RAS_H_A]), .req(phy_switch_req), .ack(phy_switch_ack),
        .acked(acked[1]), .timeout(timeout[1]), .stuck(stuck[1])
    );
    assign req_timeout = timeout;

    reg [HAPPENS-1:0] happens;
    reg [MORE-1:0] more;
    always @* begin
        happens = s3_happens;
        happens[`NPS_RAS_H_REQ0] = acked[0] || timeout[0];
        happens[`NPS_RAS_H_REQ1] = acked[1] || timeout[1];
        more = {MORE{1'b0}};
        more[`NPS_RAS_M_LEVEL] = s3_level;
        more[`NPS_RAS_M_TIMEOUT0] = timeout[0];
        more[`NPS_RAS_M_TIMEOUT1] = timeout[1];
        more[`NPS_RAS_M_STUCK0] = timeout[0] && stuck[0];
        more[`NPS_RAS_M_STUCK1] = timeout[1] && stuck[1];
        more[`NPS_RAS_M_INJECTED] = s3_injected;
        more[`NPS_RAS_M_OFFER] = s3_offer;
    end

    wire tell, queue_idle, paused;
    wire [HAPPENS-1:0] told;
    wire [MORE-1:0] told_more;
    wire [65:0] told_time;
    wire [15:0] told_key;
    wire [63:0] told_step_ns;
    reg snap_waits;
    wire copies;
    assign snap_busy = snap_waits || copies;
    nps_ras_collect #(.TIME_W(66), .DATA_W(16)) u_collect (
        .clk(clk), .rst(rst), .in_happens(happens), .in_more(more), .in_time({s3_tq, s3_ts}), .in_data(s3_key),
        .in_step_ns(s3_step_ns), .lost_valid(lost_valid), .lost_records(lost_records),
        .lost_waits(lost_waits), .lost_told(lost_told), .offers(offers), .step_inside(step_inside),
        .pause(snap_busy), .paused(paused), .out_tell(tell), .out_happens(told), .out_more(told_more),
        .out_time(told_time), .out_data(told_key), .out_step_ns(told_step_ns), .idle(queue_idle)
    );
    assign {lost_step, lost_cfg} = {happens[`NPS_RAS_H_STEP], happens[`NPS_RAS_H_CFG]};
    assign lost_offer = s3_offer;
    always @(posedge clk) if (happens[`NPS_RAS_H_CFG] && !lost_valid) told_words <= cfg_words;
    assign {lost_tq, lost_ts, lost_step_ns} = {s3_tq, s3_ts, s3_step_ns};

    // ------------------------------------------------------------------ latches
    function automatic [CLASSES-1:0] classes(input reg [HAPPENS-1:`NPS_RAS_H_LOST] from);
        begin
            classes[R] = from[`NPS_RAS_H_R];
            classes[A] = from[`NPS_RAS_H_A];
            classes[S] = from[`NPS_RAS_H_S];
            classes[LOST] = from[`NPS_RAS_H_LOST];
            classes[EXHAUSTED] = from[`NPS_RAS_H_EXHAUSTED];
        end
    endfunction

    // class of the record, from its one hot bit
    function automatic [4:0] answer(input reg timed_out);
        answer = timed_out ? `NPS_RAS_CLASS_REQ_TIMEOUT : `NPS_RAS_CLASS_ACK;
    endfunction
    reg [4:0] told_class, record_class;
    reg [CLASSES-1:0] record_classes;  // one hot, 0: informational
    reg is_latched;
    always @* begin
        told_class = `NPS_RAS_CLASS_R;  // 0
        if (told[`NPS_RAS_H_FLUSHED]) told_class = told_class | `NPS_RAS_CLASS_FLUSHED;
        if (told[`NPS_RAS_H_ENABLE])
            told_class = told_class | (told_more[`NPS_RAS_M_LEVEL] ? `NPS_RAS_CLASS_ENABLED : `NPS_RAS_CLASS_DISABLED);
        if (told[`NPS_RAS_H_RENEG]) told_class = told_class | `NPS_RAS_CLASS_RENEG_DONE;
        if (told[`NPS_RAS_H_PHY]) told_class = told_class | `NPS_RAS_CLASS_PHY_CHANGED;
        if (told[`NPS_RAS_H_REQ0]) told_class = told_class | answer(told_more[`NPS_RAS_M_TIMEOUT0]);
        if (told[`NPS_RAS_H_REQ1]) told_class = told_class | answer(told_more[`NPS_RAS_M_TIMEOUT1]);
        if (told[`NPS_RAS_H_LOST]) told_class = told_class | `NPS_RAS_CLASS_SYNC_LOST;
        if (told[`NPS_RAS_H_A]) told_class = told_class | `NPS_RAS_CLASS_A;
        if (told[`NPS_RAS_H_EXHAUSTED]) told_class = told_class | `NPS_RAS_CLASS_REDUNDANCY_EXHAUSTED;
        if (told[`NPS_RAS_H_S]) told_class = told_class | `NPS_RAS_CLASS_S;
    end

    always @(posedge clk) begin  // in the second clock of a happening
        record_class <= told_class;
        record_classes <= classes(told[HAPPENS-1:`NPS_RAS_H_LOST]);
        is_latched <= told[HAPPENS-1:`NPS_RAS_H_LOST] != {CLASSES{1'b0}};
    end

    reg [3:0] age;  // clocks since `tell`
    wire [`NPS_RAS_COUNT_W-1:0] count;
    wire first, over;
    reg [2:0] snapped_class;
    wire snaps = snap_waits && paused;
    nps_ras_latch #(.CLASSES(CLASSES)) u_latch (
        .clk(clk), .rst(rst), .set(age[0] && is_latched), .set_class(record_class[2:0]), .set_mask(record_classes),
        .set_ts(told_time[63:0]), .set_key(told_key), .count(count), .first(first), .over(over),
        .lose(classes(happens[HAPPENS-1:`NPS_RAS_H_LOST]) & {CLASSES{lost_valid}}), .clear(clear),
        .pending(pending), .overflow(overflow),
        .snap(snaps), .snap_class(snapped_class), .snap_busy(copies), .word_index(word_index), .word(word)
    );
    always @(posedge clk) begin
        snap_waits <= snap || (snap_waits && !snaps);
        if (snap) snapped_class <= snap_class;
        if (rst) snap_waits <= 1'b0;
    end

    // ------------------------------------------------------------------ record, in the fifth clock of a happening
    wire has_syndrome = told[`NPS_RAS_H_R] || told[`NPS_RAS_H_A] || told[`NPS_RAS_H_S] || told[`NPS_RAS_H_EXHAUSTED];
    wire [1:0] severity = told[`NPS_RAS_H_R] ? `NPS_SEVERITY_CORRECTED
        : told[`NPS_RAS_H_EXHAUSTED] ? `NPS_SEVERITY_FATAL : `NPS_SEVERITY_RECOVERABLE;
    wire [15:0] syndrome = {told_key[0], told_key[15:1] ^ {15{told_key[0]}}};
    assign ev_kind = `NPS_K_RAS;
    wire s1_quiet = !(s1_sample || s1_lost || s1_phy || s1_reneg || s1_step || s1_cfg || s1_enable != s2_enable);
    wire s2_quiet = !(s2_sample || s2_lost || s2_phy || s2_reneg || s2_step || s2_cfg || s2_edge || waiting != 5'd0);
    assign idle = queue_idle && s1_quiet && s2_quiet && age == 4'd0;
    always @(posedge clk) begin
        age <= {age[2:0], tell};
        ev_valid <= age[3] && (told[HAPPENS-1:`NPS_RAS_H_FLUSHED] != 11'd0);
        ev_step <= age[3] && told[`NPS_RAS_H_STEP];
        ev_cfg <= age[3] && told[`NPS_RAS_H_CFG];
        ev_offer <= told_more[`NPS_RAS_M_OFFER];
        ev_sub <= 4'd0;
        ev_payload <= 32'd0;
        ev_payload[`NPS_RAS_UNIT_LSB+:`NPS_RAS_UNIT_W] <= UNIT[4:0];
        ev_payload[`NPS_RAS_CLASS_LSB+:`NPS_RAS_CLASS_W] <= record_class;
        if (is_latched) begin
            ev_sub[`NPS_RAS_SUB_FIRST_LSB] <= first;
            ev_sub[`NPS_RAS_SUB_OVERFLOW_LSB] <= over;
            ev_payload[`NPS_RAS_COUNT_LSB+:`NPS_RAS_COUNT_W] <= count;
            ev_payload[`NPS_RAS_INJECTED_LSB] <= told_more[`NPS_RAS_M_INJECTED];
            ev_sub[`NPS_RAS_SUB_SEVERITY_LSB+:`NPS_RAS_SUB_SEVERITY_W] <= severity;
        end
        if (has_syndrome) ev_payload[`NPS_RAS_SYNDROME_LSB+:`NPS_RAS_SYNDROME_W] <= syndrome;
        if (told[`NPS_RAS_H_REQ0]) ev_payload[`NPS_RAS_SYNDROME_LSB+1] <= told_more[`NPS_RAS_M_STUCK0];
        if (told[`NPS_RAS_H_REQ1])
            ev_payload[`NPS_RAS_SYNDROME_LSB+:2] <= {told_more[`NPS_RAS_M_STUCK1], 1'b1};
        {ev_tq, ev_ts, ev_step_ns} <= {told_time, told_step_ns};
        if (rst) {age, ev_valid, ev_step, ev_cfg} <= 7'd0;
    end
endmodule

`default_nettype wire
