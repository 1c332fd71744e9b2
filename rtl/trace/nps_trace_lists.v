// SPDX-License-Identifier: Apache-2.0
// The words that the framer tells without being asked: one of each kind per group, all of them at start and end.
//
// Does:      pointers to the words of the groups' round robins (of STATE only the source: a group tells its whole
//            keyframe) and of the lists: CNT at the end, CFG and STATE at the start. `robin` selects which are shown.
// Promises:  round robins and lists move independently, each from its first word on after restart.
// Costs:     1 clock from next_* to the new word.
// Overflow:  none.
`default_nettype none
`include "nps_trace.vh"

module nps_trace_lists #(
    parameter NUM_BP  = 2,  // backpressure sources, 1..62
    parameter TOKEN   = 0,  // 1: there is such a source
    parameter RAS     = 0,
    parameter JITTER  = 0,
    parameter INDEX_W = 2   // bits that hold the framer's index
) (
    input wire clk,
    input wire rst,
    input wire restart,

    input wire robin,
    input wire next_cnt,
    input wire next_cfg,
    input wire next_state,

    output wire [INDEX_W-1:0] cnt_index,
    output wire [        3:0] cnt_sub,
    output wire [INDEX_W-1:0] cfg_index,
    output wire [        3:0] cfg_sub,
    output wire [INDEX_W-1:0] state_index,
    output wire [        3:0] state_sub,   // of the list
    output wire               cnt_last,    // the list's last word
    output wire               cfg_last,
    output wire               state_last
);

    localparam [INDEX_W-1:0] BP_LAST = NUM_BP - 1;
    localparam [INDEX_W-1:0] ONE = 1;

    // ---------------------------------------------------------------- round robins
    wire [INDEX_W-1:0] robin_cnt_index, robin_cfg_index;
    wire [3:0] robin_cnt_sub, robin_cfg_sub;
    reg [INDEX_W-1:0] robin_state_index;
    wire [1:0] unused_last;

    nps_trace_walk #(
        .KIND(`NPS_K_CNT),
        .NUM_BP(NUM_BP),
        .TOKEN(TOKEN),
        .RAS(RAS),
        .JITTER(JITTER),
        .INDEX_W(INDEX_W)
    ) u_robin_cnt (
        .clk(clk),
        .rst(rst),
        .restart(restart),
        .next(next_cnt && robin),
        .index(robin_cnt_index),
        .sub(robin_cnt_sub),
        .last(unused_last[0])
    );

    nps_trace_walk #(
        .KIND(`NPS_K_CFG),
        .NUM_BP(NUM_BP),
        .TOKEN(TOKEN),
        .RAS(RAS),
        .JITTER(JITTER),
        .INDEX_W(INDEX_W)
    ) u_robin_cfg (
        .clk(clk),
        .rst(rst),
        .restart(restart),
        .next(next_cfg && robin),
        .index(robin_cfg_index),
        .sub(robin_cfg_sub),
        .last(unused_last[1])
    );

    always @(posedge clk) begin
        if (rst || restart) robin_state_index <= {INDEX_W{1'b0}};
        else if (next_state && robin)
            robin_state_index <= robin_state_index == BP_LAST ? {INDEX_W{1'b0}} : robin_state_index + ONE;
    end

    // ---------------------------------------------------------------- lists
    wire [INDEX_W-1:0] list_cnt_index, list_cfg_index, list_state_index;
    wire [3:0] list_cnt_sub, list_cfg_sub;

    nps_trace_walk #(
        .KIND(`NPS_K_CNT),
        .NUM_BP(NUM_BP),
        .TOKEN(TOKEN),
        .RAS(RAS),
        .JITTER(JITTER),
        .INDEX_W(INDEX_W)
    ) u_list_cnt (
        .clk(clk),
        .rst(rst),
        .restart(restart),
        .next(next_cnt && !robin),
        .index(list_cnt_index),
        .sub(list_cnt_sub),
        .last(cnt_last)
    );

    nps_trace_walk #(
        .KIND(`NPS_K_CFG),
        .NUM_BP(NUM_BP),
        .TOKEN(TOKEN),
        .RAS(RAS),
        .JITTER(JITTER),
        .INDEX_W(INDEX_W)
    ) u_list_cfg (
        .clk(clk),
        .rst(rst),
        .restart(restart),
        .next(next_cfg && !robin),
        .index(list_cfg_index),
        .sub(list_cfg_sub),
        .last(cfg_last)
    );

    nps_trace_walk #(
        .KIND(`NPS_K_STATE),
        .NUM_BP(NUM_BP),
        .TOKEN(TOKEN),
        .RAS(RAS),
        .JITTER(JITTER),
        .INDEX_W(INDEX_W)
    ) u_list_state (
        .clk(clk),
        .rst(rst),
        .restart(restart),
        .next(next_state && !robin),
        .index(list_state_index),
        .sub(state_sub),
        .last(state_last)
    );

    assign {cnt_index, cnt_sub} = robin ? {robin_cnt_index, robin_cnt_sub} : {list_cnt_index, list_cnt_sub};
    assign {cfg_index, cfg_sub} = robin ? {robin_cfg_index, robin_cfg_sub} : {list_cfg_index, list_cfg_sub};
    assign state_index = robin ? robin_state_index : list_state_index;

endmodule
`default_nettype wire
