// SPDX-License-Identifier: Apache-2.0
// Exact comparison of two products without a multiplier or a divider: x * x_factor < y * y_factor.
//
// Does:     a bit of the factors a clock, the highest first: twice the sum so far, plus what the bit adds.
// Promises: `less` is exact for every x, y and factor; `done` comes once for each start.
// Costs:    NPS_RATIO_LATENCY clocks; x, y and the factors are stable from start until done.
// Overflow: cannot. A start before done begins anew.
`default_nettype none
`include "nps_refuse.vh"

module nps_ratio #(
    parameter integer W = 25  // bits of x and y, 2..32
) (
    input wire clk,
    input wire rst,

    input  wire         start,
    input  wire [W-1:0] x,
    input  wire [  9:0] x_factor,
    input  wire [W-1:0] y,
    input  wire [  9:0] y_factor,
    output reg          done,
    output wire         less
);
    `NPS_REFUSE(W < 2 || W > 32, nps_error__W_must_be_2_to_32)

    localparam integer S = W + 12;  // bits of the sum

    reg [S-1:0] sum, term;
    reg [W:0] difference;           // x - y
    reg carry;                      // 1 with the term ~y
    reg [9:0] x_left, y_left;       // factors, the next bit on top
    reg [10:0] running;             // one bit a clock since start
    assign less = sum[S-1];
    always @(posedge clk) begin
        running <= {running[9:0], start} & {11{!rst}};
        if (start) running <= {10'd0, !rst};
        done <= running[10] && !start && !rst;
        difference <= {1'b0, x} - {1'b0, y};
        x_left <= start ? x_factor : {x_left[8:0], 1'b0};
        y_left <= start ? y_factor : {y_left[8:0], 1'b0};
        carry <= !x_left[9] && y_left[9];
        case ({x_left[9], y_left[9]})
            2'b00: term <= {S{1'b0}};
            2'b01: term <= {{S - W{1'b1}}, ~y};
            2'b10: term <= {{S - W{1'b0}}, x};
            default: term <= {{S - W - 1{difference[W]}}, difference};
        endcase
        sum <= running[0] ? {S{1'b0}} : {sum[S-2:0], 1'b0} + term + {{S - 1{1'b0}}, carry};
    end
endmodule

`default_nettype wire
