// SPDX-License-Identifier: Apache-2.0
// The tokens of the demo: one each 80 us of one sequence after the other, 24 tokens each, the last with EOS; an instruction
// that asks for one interrupt, on EOS; and an answer 40 us after it: resume, with trim. Behind each EOS come three tokens
// that were speculated; trimmed, those behind the first do not enter.
`default_nettype none
`include "nps_token.vh"

module npu_demo_tokens #(
    parameter integer CLK_PERIOD_PS = 5000
) (
    input  wire        clk,
    input  wire        rst,
    output wire        ins_valid,
    output wire [31:0] ins_word,
    output wire [31:0] ins_rs1,
    output wire        tok_valid,
    input  wire        tok_ready,
    output reg  [31:0] tok_id,
    output wire [15:0] tok_slot,
    output wire        tok_first,
    output wire        tok_eos,
    input  wire        pipe_freeze,
    output wire        token_resume,
    output wire        token_trim
);
    localparam integer GAP = 80000000 / CLK_PERIOD_PS;
    localparam integer ANSWER = 40000000 / CLK_PERIOD_PS;
    localparam [31:0] MASK_EOS = 32'd1 << 20;

    reg [31:0] left, wait_left;
    reg [4:0] place;   // in the sequence; behind EOS what was speculated
    reg started;
    assign ins_valid = !started && !rst;
    assign ins_word = `NPS_TOKEN_OPCODE | MASK_EOS;
    assign ins_rs1 = 32'd0;
    assign tok_valid = left == 32'd0;
    assign tok_slot = 16'd7;
    assign tok_first = place == 5'd0;
    assign tok_eos = place == 5'd23;
    assign token_resume = wait_left == 32'd1;
    assign token_trim = 1'b1;

    always @(posedge clk) begin
        started <= !rst;
        if (tok_valid && tok_ready) begin
            left <= GAP;
            tok_id <= tok_id + 32'd1;
            place <= place == 5'd26 ? 5'd0 : place + 5'd1;
        end else if (left != 32'd0) left <= left - 32'd1;
        if (!pipe_freeze) wait_left <= ANSWER;
        else if (wait_left != 32'd0) wait_left <= wait_left - 32'd1;
        if (rst) begin
            left <= GAP;
            tok_id <= 32'd0;
            place <= 5'd0;
            wait_left <= ANSWER;
        end
    end
endmodule

`default_nettype wire
