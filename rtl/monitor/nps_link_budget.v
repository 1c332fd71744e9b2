// SPDX-License-Identifier: Apache-2.0
// Budget of a shard on its way over a link: how long each stage took, and which one overran.
//
// Does:     measures from `start` to the first `mark`, from mark to mark, and from start to the last one; tells each
//           time with its verdict (rules K1..K5 in README.md beside this file).
// Promises: for each shard that ends one record a stage and one for the whole, exact up to where they saturate; over is
//           strict.
// Costs:    NPS_MON_LATENCY clocks to the record of a stage, one more to that of the whole.
// Overflow: a time saturates at 2^28 ns - 1/256. Stores no events and has no ready.
//
// Signals sN_* belong to the mark in stage N: 1 time, 2 saturated, 3 compared, 4 told.
`default_nettype none
`include "nps_monitor.vh"
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module nps_link_budget #(
    // limits after reset, ns, 1..1048575
    parameter integer LINK_TLP         = `NPS_LINK_TLP,          // stage 0
    parameter integer LINK_PHY         = `NPS_LINK_PHY,          // 1
    parameter integer LINK_ARBITRATION = `NPS_LINK_ARBITRATION,  // 2
    parameter integer LINK_SHARD       = `NPS_LINK_SHARD,        // 3
    parameter integer LINK_TOTAL       = `NPS_LINK_TOTAL         // 4: the whole
) (
    input wire clk,
    input wire rst,
    input wire enable,  // 0: nothing is seen, the shard on its way is void

    // time bus
    input wire [47:0] rel_ns,
    input wire [ 7:0] rel_frac,
    input wire        rel_step,

    input wire start,  // a shard sets out
    input wire mark,   // it has passed its next stage

    input  wire        cfg_apply,
    input  wire [ 2:0] cfg_stage,
    input  wire [19:0] cfg_limit,  // ns; 0, and a stage that is none, are refused by cfg_error, a clock later
    output reg         cfg_error,

    // records, no ready
    output reg         ev_valid,
    output wire [ 3:0] ev_sub,
    output wire [31:0] ev_payload
);
    `NPS_REFUSE(LINK_TLP < `NPS_LINK_TLP_MIN || LINK_TLP > `NPS_LINK_TLP_MAX, nps_error__LINK_TLP_must_be_1_to_1048575)
    `NPS_REFUSE(LINK_PHY < `NPS_LINK_PHY_MIN || LINK_PHY > `NPS_LINK_PHY_MAX, nps_error__LINK_PHY_must_be_1_to_1048575)
    `NPS_REFUSE(LINK_ARBITRATION < `NPS_LINK_ARBITRATION_MIN || LINK_ARBITRATION > `NPS_LINK_ARBITRATION_MAX,
                nps_error__LINK_ARBITRATION_must_be_1_to_1048575)
    `NPS_REFUSE(LINK_SHARD < `NPS_LINK_SHARD_MIN || LINK_SHARD > `NPS_LINK_SHARD_MAX,
                nps_error__LINK_SHARD_must_be_1_to_1048575)
    `NPS_REFUSE(LINK_TOTAL < `NPS_LINK_TOTAL_MIN || LINK_TOTAL > `NPS_LINK_TOTAL_MAX,
                nps_error__LINK_TOTAL_must_be_1_to_1048575)

    localparam [2:0] LAST = 3'd3, WHOLE = 3'd4;
    localparam integer T = 56;
    localparam integer W = `NPS_MON_LINK_DURATION_W + 8;

    // ------------------------------------------------------------------ limits
    reg [19:0] limits[0:4];
    wire legal = cfg_stage <= WHOLE && cfg_limit != 20'd0;
    always @(posedge clk) begin
        cfg_error <= cfg_apply && !legal && !rst;
        if (rst) begin
            limits[0] <= LINK_TLP[19:0];
            limits[1] <= LINK_PHY[19:0];
            limits[2] <= LINK_ARBITRATION[19:0];
            limits[3] <= LINK_SHARD[19:0];
            limits[4] <= LINK_TOTAL[19:0];
        end else if (cfg_apply && legal) limits[cfg_stage] <= cfg_limit;
    end

    // ------------------------------------------------------------------ stages
    reg under_way, just_started;
    reg [2:0] stage;
    reg [T-1:0] set_out, passed;            // times of start and of the last mark
    wire [T-1:0] now = {rel_ns, rel_frac};
    wire passes = mark && under_way && !just_started && enable && !rel_step;
    wire arrives = passes && stage == LAST;
    wire sets_out = start && enable;
    always @(posedge clk) begin
        under_way <= (sets_out || (under_way && !arrives && enable && !rel_step)) && !rst;
        just_started <= sets_out;
        if (sets_out) stage <= 3'd0;
        else if (passes) stage <= stage + 3'd1;
        if (sets_out) set_out <= now;
        if (sets_out || passes) passed <= now;
    end

    // ------------------------------------------------------------------ times; the whole follows its last stage
    reg s1_valid, s2_valid, s3_valid, s1_arrives, s3_over, s4_over;
    reg [T-1:0] s1_time, total;
    reg [2:0] s1_stage, s2_stage, s3_stage, s4_stage;
    reg [W-1:0] s2_time;
    reg [W-9:0] s3_time, s4_time;            // whole ns
    reg [19:0] s2_limit;
    wire s1_wide = s1_time[T-1:W] != {T - W{1'b0}};
    always @(posedge clk) begin
        total <= now - set_out;
        s1_time <= s1_arrives ? total : now - passed;
        s1_stage <= s1_arrives ? WHOLE : stage;
        s1_arrives <= arrives && !rst;
        s1_valid <= (passes || s1_arrives) && !rst;
        s2_time <= s1_time[W-1:0] | {W{s1_wide}};
        s2_limit <= limits[s1_stage];
        s3_over <= s2_time > {{W - 28{1'b0}}, s2_limit, 8'd0};
        {s2_valid, s3_valid, ev_valid} <= {s1_valid, s2_valid, s3_valid} & {3{!rst}};
        {s2_stage, s3_stage, s4_stage} <= {s1_stage, s2_stage, s3_stage};
        {s3_time, s4_time, s4_over} <= {s2_time[W-1:8], s3_time, s3_over};
    end
    assign ev_sub = `NPS_MON_LINK;
    assign ev_payload = {s4_time, s4_over, s4_stage};
endmodule

`default_nettype wire
