// SPDX-License-Identifier: Apache-2.0
// The words that the framer tells without being asked: one of each kind per group, all of them at start and end.
//
// Does:      six pointers (nps_trace_walk): CNT, CFG and STATE for the groups' round robins, and again for the END list
//            of CNT and the start lists of CFG and STATE; `robin` selects which three are shown and moved.
// Promises:  round robins and lists move independently, each from its first word on after restart.
// Costs:     1 clock from next_* to the new word.
// Overflow:  none.
`default_nettype none
`include "nps_trace.vh"

module nps_trace_lists #(
    parameter NUM_BP  = 2,  // backpressure sources, 1..62
    parameter INDEX_W = 2   // bits that hold NUM_BP+1
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
    output wire [        3:0] state_sub,
    output wire               list_last     // with next_*: the list's last word
);

    wire [2:0] next = {next_state, next_cfg, next_cnt};
    wire [3*INDEX_W-1:0] robin_index, list_index;
    wire [11:0] robin_sub, list_sub;
    wire [2:0] last, unused_last;

    genvar g;
    generate
        for (g = 0; g < 3; g = g + 1) begin : gen_kind
            localparam [3:0] KIND = g == 0 ? `NPS_K_CNT : g == 1 ? `NPS_K_CFG : `NPS_K_STATE;

            nps_trace_walk #(
                .KIND(KIND),
                .NUM_BP(NUM_BP),
                .INDEX_W(INDEX_W)
            ) u_robin (
                .clk(clk),
                .rst(rst),
                .restart(restart),
                .next(next[g] && robin),
                .index(robin_index[INDEX_W*g+:INDEX_W]),
                .sub(robin_sub[4*g+:4]),
                .last(unused_last[g])
            );

            nps_trace_walk #(
                .KIND(KIND),
                .NUM_BP(NUM_BP),
                .INDEX_W(INDEX_W)
            ) u_list (
                .clk(clk),
                .rst(rst),
                .restart(restart),
                .next(next[g] && !robin),
                .index(list_index[INDEX_W*g+:INDEX_W]),
                .sub(list_sub[4*g+:4]),
                .last(last[g])
            );
        end
    endgenerate

    assign {state_index, cfg_index, cnt_index} = robin ? robin_index : list_index;
    assign {state_sub, cfg_sub, cnt_sub} = robin ? robin_sub : list_sub;
    assign list_last = |(next & last);

endmodule
`default_nettype wire
