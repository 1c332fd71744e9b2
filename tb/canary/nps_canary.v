// SPDX-License-Identifier: Apache-2.0
// Smallest design whose registers show when a bench reads and writes relative to the clock edge.
`default_nettype none

module nps_canary (
    input  wire       clk,
    input  wire       rst,
    input  wire [7:0] d,
    output reg  [7:0] q,      // d, one clock later
    output reg  [7:0] count,  // clocks since reset
    output wire [7:0] sum,    // combinational in d
    output wire [7:0] later   // combinational in a register
);
    assign sum = d + 8'd1;
    assign later = count + 8'd1;

    always @(posedge clk) begin
        q <= d;
        if (rst) count <= 8'd0;
        else     count <= count + 8'd1;
    end
endmodule

`default_nettype wire
