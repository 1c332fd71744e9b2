// SPDX-License-Identifier: Apache-2.0
// nps_sync: brings single bits into the domain of clk through a chain of registers.
//
// Promises: q is a register of clk and shows each value of d that lasts long enough, STAGES clocks later.
// Costs: STAGES clocks (one more or less where d changes near the edge).
// Limits: each bit on its own: a bus stays whole only if at most one bit changes at a time (Gray code).
`include "nps_refuse.vh"
`default_nettype none

module nps_sync #(
    parameter integer       W           = 1,           // bits, 1..
    parameter integer       STAGES      = 2,           // registers in the chain, 2..
    parameter       [W-1:0] RESET_VALUE = 0            // q under reset
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [W-1:0] d,
    output wire [W-1:0] q
);
    `NPS_REFUSE(W < 1, nps_error__W_must_be_at_least_1)
    `NPS_REFUSE(STAGES < 2, nps_error__STAGES_must_be_at_least_2)

    (* async_reg = "true" *)
    reg [W*STAGES-1:0] chain;  // newest in the low bits

    always @(posedge clk) begin
        if (rst) chain <= {STAGES{RESET_VALUE}};
        else     chain <= {chain[W*(STAGES-1)-1:0], d};
    end

    assign q = chain[W*STAGES-1-:W];
endmodule

`default_nettype wire
