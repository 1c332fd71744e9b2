// SPDX-License-Identifier: Apache-2.0
// Forces causes on chosen tokens, to test what answers a token interrupt.
//
// Does:     counts the tokens of one layer that enter the pipeline; forces `cause` on the one with number `first` and,
//           if `every` is not 0, on each `every`-th after it.
// Promises: forces nothing while `enable` is 0, and nothing on tokens of other layers; a token that does not enter
//           neither counts nor uses up its turn.
// Costs:    no clock: inj_cause belongs to the token shown.
// Overflow: cannot; it stops after the last turn.
`default_nettype none

module nps_token_inject (
    input wire clk,
    input wire rst,

    input wire        enable,  // counting begins in the clock after it rises; the four below are stable while it is 1
    input wire [15:0] first,   // number of the token, from 1; 0 forces nothing
    input wire [15:0] every,   // 0 once
    input wire [ 7:0] layer,
    input wire [ 3:0] cause,

    // tokens, watched behind nps_token_irq
    input wire       pipe_valid,
    input wire       pipe_ready,
    input wire [7:0] tok_layer,

    output wire [3:0] inj_cause
);
    reg [15:0] left;  // tokens of the layer up to the next turn, 0: no more
    reg due;          // left is 1
    reg running;
    wire mine = tok_layer == layer;

    assign inj_cause = {4{due && mine && enable}} & cause;

    always @(posedge clk) begin
        running <= enable && !rst;
        if (!enable || !running) begin
            left <= first;
            due <= enable && first == 16'd1;
        end else if (pipe_valid && pipe_ready && mine) begin
            left <= due ? every : left == 16'd0 ? 16'd0 : left - 16'd1;
            due <= due ? every == 16'd1 : left == 16'd2;
        end
        if (rst) due <= 1'b0;
    end
endmodule

`default_nettype wire
