// SPDX-License-Identifier: Apache-2.0
// The RAS source of the stream: nps_ras_map, the words of its configurations, and what its collector dropped.
//
// Does:      judges the samples of nps_source_jitter; tells records, CFG words and clock steps as events; tells what the
//            collector dropped as two events of kind LOSS (rtl/source/README.md), where it belongs in the order.
// Promises:  what is told or counted as lost is, without gap, what happened in the clocks that are offered; a reader who
//            has all of it can recompute every decision. `offers` falls when all of a stream is out.
// Costs:     a record comes 12 clocks after its sample or later: they leave the collector one after the other.
// Overflow:  that of nps_ras_map. No ready.
`default_nettype none
`include "nps_event.vh"
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module nps_source_ras #(
    parameter integer UNIT        = 0,                 // as nps_ras_map
    parameter integer S_COUNT     = `NPS_S_COUNT,
    parameter integer REQ_TIMEOUT = `NPS_REQ_TIMEOUT,
    parameter integer R_LIMIT     = `NPS_R_LIMIT,
    parameter integer A_LIMIT     = `NPS_A_LIMIT,
    parameter integer S_LIMIT     = `NPS_S_LIMIT,
    parameter integer R_RUN       = `NPS_R_RUN,
    parameter integer R_REARM     = `NPS_R_REARM,
    parameter integer A_BUDGET    = `NPS_A_BUDGET,
    parameter integer S_WINDOW    = `NPS_S_WINDOW,
    parameter integer A_HOLDOFF   = `NPS_A_HOLDOFF
) (
    input wire clk,
    input wire rst,

    input wire [`NPS_JS_W-1:0] js,
    input wire                 js_offer,    // the clock of js is offered to the stream
    input wire                 enable,      // in the clock of js
    input wire                 reneg_done,  // in the clock of js

    output wire crc_reneg_req,
    input  wire crc_reneg_ack,
    output wire phy_switch_req,
    input  wire phy_switch_ack,

    input  wire        cfg_apply,
    input  wire [29:0] cfg_r_limit,
    input  wire [29:0] cfg_a_limit,
    input  wire [29:0] cfg_s_limit,
    input  wire [ 7:0] cfg_r_run,
    input  wire [ 7:0] cfg_r_rearm,
    input  wire [ 7:0] cfg_a_budget,
    input  wire [30:0] cfg_s_window,
    input  wire [17:0] cfg_a_holdoff,
    output wire        cfg_error,

    output wire [ 4:0] pending,
    output wire [ 4:0] overflow,
    input  wire [ 4:0] clear,
    input  wire [ 4:0] inject,
    output wire [ 1:0] req_timeout,
    input  wire        snap,
    input  wire [ 2:0] snap_class,
    input  wire [ 2:0] word_index,
    output wire [31:0] word,

    output wire [            191:0] words,        // CFG R_LIMIT to A_HOLDOFF in force
    output wire                     offers,       // something of the stream is on its way, behind the clock of js
    output wire                     step_coming,  // a clock step is on its way
    output reg                      event_offer,  // the event is of the stream
    output reg  [`NPS_EVENT_W-1:0]  event_bus
);
    wire sync_lost_a, js_valid, js_ok, js_saturated, js_sync_lost, js_phy_changed, js_ts_step, js_rel_step;
    wire [31:0] js_jitter;
    wire [47:0] js_rel_ns;
    wire [63:0] js_ts_ns, js_step_ns;
    wire [1:0] js_tq;
    assign {sync_lost_a, js_valid, js_ok, js_saturated, js_sync_lost, js_phy_changed, js_ts_step, js_rel_step, js_tq,
            js_jitter, js_rel_ns, js_ts_ns, js_step_ns} = js;

    wire map_valid, map_step, map_cfg, map_offer, map_offers, step_inside;
    wire [3:0] map_kind, map_sub;
    wire [1:0] map_tq;
    wire [63:0] map_ts, map_step_ns;
    wire [31:0] map_payload;
    wire [191:0] told_words;
    wire lost_valid, lost_offer, lost_waits, lost_step, lost_cfg;
    wire [3:0] lost_records;
    wire [1:0] lost_tq;
    wire [63:0] lost_ts, lost_step_ns;
    wire [2:0] unused;
    reg lost_told, tells_first, tells_last, apply_waits;

    // a configuration waits until a loss is told: that tells the words in force (they stand as long)
    wire tells = tells_first || tells_last || lost_told;
    wire asks = cfg_apply || apply_waits;
    wire apply = asks && !tells;
    always @(posedge clk) apply_waits <= asks && tells && !rst;

    nps_ras_map #(
        .UNIT(UNIT), .S_COUNT(S_COUNT), .REQ_TIMEOUT(REQ_TIMEOUT), .R_LIMIT(R_LIMIT), .A_LIMIT(A_LIMIT),
        .S_LIMIT(S_LIMIT), .R_RUN(R_RUN), .R_REARM(R_REARM), .A_BUDGET(A_BUDGET), .S_WINDOW(S_WINDOW),
        .A_HOLDOFF(A_HOLDOFF)
    ) u_map (
        .clk(clk), .rst(rst), .enable(enable), .sync_lost_a(sync_lost_a),
        .js_valid(js_valid), .js_ok(js_ok), .js_jitter(js_jitter), .js_saturated(js_saturated),
        .js_sync_lost(js_sync_lost), .js_phy_changed(js_phy_changed), .js_rel_ns(js_rel_ns), .js_ts_ns(js_ts_ns),
        .js_tq(js_tq), .js_ts_step(js_ts_step), .js_rel_step(js_rel_step), .js_step_ns(js_step_ns),
        .js_offer(js_offer),
        .crc_reneg_req(crc_reneg_req), .crc_reneg_ack(crc_reneg_ack), .reneg_done(reneg_done),
        .phy_switch_req(phy_switch_req), .phy_switch_ack(phy_switch_ack),
        .cfg_apply(apply), .cfg_r_limit(cfg_r_limit), .cfg_a_limit(cfg_a_limit), .cfg_s_limit(cfg_s_limit),
        .cfg_r_run(cfg_r_run), .cfg_r_rearm(cfg_r_rearm), .cfg_a_budget(cfg_a_budget), .cfg_s_window(cfg_s_window),
        .cfg_a_holdoff(cfg_a_holdoff), .cfg_done(unused[2]), .cfg_error(cfg_error), .cfg_words(words),
        .pending(pending), .overflow(overflow), .clear(clear), .inject(inject), .req_timeout(req_timeout),
        .snap(snap), .snap_class(snap_class), .snap_busy(unused[0]), .word_index(word_index), .word(word),
        .ev_valid(map_valid), .ev_step(map_step), .ev_cfg(map_cfg), .ev_offer(map_offer), .ev_kind(map_kind),
        .ev_sub(map_sub), .ev_tq(map_tq), .ev_ts(map_ts), .ev_payload(map_payload), .ev_step_ns(map_step_ns),
        .told_words(told_words), .idle(unused[1]), .offers(map_offers), .step_inside(step_inside),
        .lost_valid(lost_valid), .lost_offer(lost_offer), .lost_waits(lost_waits), .lost_told(lost_told),
        .lost_records(lost_records), .lost_step(lost_step), .lost_cfg(lost_cfg), .lost_tq(lost_tq),
        .lost_ts(lost_ts), .lost_step_ns(lost_step_ns)
    );

    // ------------------------------------------------------------------ words of a configuration
    wire ev_valid, ev_step, words_idle;
    wire [3:0] ev_kind, ev_sub;
    wire [1:0] ev_tq;
    wire [63:0] ev_ts, ev_step_ns;
    wire [31:0] ev_payload;
    reg ev_offer;
    nps_ras_words u_words (
        .clk(clk), .rst(rst), .words(told_words), .in_valid(map_valid), .in_step(map_step), .in_cfg(map_cfg),
        .in_kind(map_kind), .in_sub(map_sub), .in_tq(map_tq), .in_ts(map_ts), .in_payload(map_payload),
        .in_step_ns(map_step_ns), .ev_valid(ev_valid), .ev_step(ev_step), .ev_kind(ev_kind), .ev_sub(ev_sub),
        .ev_tq(ev_tq), .ev_ts(ev_ts), .ev_payload(ev_payload), .ev_step_ns(ev_step_ns), .idle(words_idle)
    );
    always @(posedge clk) if (map_valid || map_step || map_cfg) ev_offer <= map_offer;

    // ------------------------------------------------------------------ what the collector dropped
    localparam [31:0] CFG_RECORDS = 32'd6, STEP_RECORDS = 32'd2;
    wire loses = lost_valid && lost_offer;
    reg open, has_step, has_cfg;
    reg [31:0] count;  // records, a first clock step not among them
    reg [1:0] from_tq, to_tq;
    reg [63:0] from_ts, to_ts, size;
    wire [31:0] lost_here = {28'd0, lost_records} + (lost_cfg ? CFG_RECORDS : 32'd0)
        + (lost_step && has_step && !tells_last ? STEP_RECORDS : 32'd0);

    // told when all before is out and no configuration is on its way to the collector: `words` are those of the last drop
    reg [5:0] configured;
    wire ready = lost_waits && words_idle && configured == 6'd0 && !asks && !lost_valid;
    wire starts = ready && open && !tells;
    always @(posedge clk) begin
        configured <= {configured[4:0], apply};
        tells_first <= starts;
        tells_last <= tells_first;
        lost_told <= (ready && !open && !tells) || (tells_last && !loses);  // if something was dropped: once more
        open <= loses || (open && !tells_last);
        has_step <= (loses && lost_step) || (has_step && !tells_last);
        has_cfg <= (loses && lost_cfg) || (has_cfg && !tells_last);
        count <= (tells_last ? 32'd0 : count) + (loses ? lost_here : 32'd0);
        size <= (tells_last ? 64'd0 : size) + (loses && lost_step ? lost_step_ns : 64'd0);
        if (loses) {to_tq, to_ts} <= {lost_tq, lost_ts};
        if (!open || tells_last) {from_tq, from_ts} <= {lost_tq, lost_ts};
        if (rst) begin
            {open, has_step, has_cfg} <= 3'd0;
            count <= 32'd0;
            size <= 64'd0;
            {configured, tells_first, tells_last, lost_told} <= 9'd0;
        end
    end

    // ------------------------------------------------------------------ events
    wire [63:0] loss_ts = tells_first ? from_ts : to_ts;
    wire [1:0] loss_tq = tells_first ? from_tq : to_tq;
    wire [3:0] loss_sub = {!tells_first, `NPS_LOSS_CAUSE_COLLECTOR};
    always @(posedge clk) begin
        event_bus <= {ev_step_ns, ev_step, ev_valid, 32'd0, ev_tq, ev_ts, ev_kind, ev_sub, ev_payload};
        event_offer <= ev_offer;
        if (tells_first || tells_last) begin
            event_bus <= {
                size, tells_last && has_step, 1'b1, 31'd0, tells_last && has_cfg, loss_tq, loss_ts, `NPS_K_LOSS,
                loss_sub, tells_first ? 32'd0 : count
            };
            event_offer <= 1'b1;
        end
        if (rst) event_bus[`NPS_EVENT_STEP-:2] <= 2'd0;
    end

    // ------------------------------------------------------------------ what is on its way
    reg [3:0] steps;
    reg [3:0] leaves;
    wire event_out = event_bus[`NPS_EVENT_RECORD] || event_bus[`NPS_EVENT_STEP];
    assign offers = map_offers || !words_idle || open || tells_last || event_out;
    assign step_coming = steps != 4'd0 || leaves != 4'd0;
    always @(posedge clk) begin
        steps  <= {steps[2:0], (js_ts_step || js_rel_step) && js_offer};
        leaves <= {leaves[2:0], step_inside || (open && has_step) || map_step || ev_step};
        if (rst) {steps, leaves} <= 8'd0;
    end
endmodule

`default_nettype wire
