// SPDX-License-Identifier: Apache-2.0
// Square of a signed number, one a clock, by three 17-bit multipliers (inferred).
//
// Does:     y = x * x, exact; x = h * 2^16 + l, so x * x = {h * h, l * l} + h * l * 2^17.
// Promises: y follows x by LATENCY = 4 clocks, every clock.
// Costs:    4 clocks. Registers stand alone on both sides of each multiplier, since it takes most of a clock.
// Overflow: none.
`default_nettype none

module nps_square (
    input  wire        clk,
    input  wire [31:0] x,
    output reg  [63:0] y
);
    (* keep *) reg signed [16:0] h_of_hh, h_of_hl, l_of_hl, l_of_ll;
    reg [31:0] hh, ll, hh_kept, ll_kept;
    reg signed [32:0] hl, hl_kept;
    always @(posedge clk) begin
        {h_of_hh, h_of_hl} <= {2{x[31], x[31:16]}};
        {l_of_hl, l_of_ll} <= {2{1'b0, x[15:0]}};
        hh <= h_of_hh * h_of_hh;
        hl <= h_of_hl * l_of_hl;
        ll <= l_of_ll * l_of_ll;
        {hh_kept, hl_kept, ll_kept} <= {hh, hl, ll};
        y[16:0] <= ll_kept[16:0];
        y[63:17] <= {hh_kept, ll_kept[31:17]} + {{14{hl_kept[32]}}, hl_kept};
    end
endmodule
`default_nettype wire
