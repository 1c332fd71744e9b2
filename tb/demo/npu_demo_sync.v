// SPDX-License-Identifier: Apache-2.0
// The sync of the demo: a pulse each 125 us from a source that drifts (a clock more each fourth interval, 10 ppm at 5 ns) and
// misbehaves on schedule, and the other sides of the requests that this leads to. Late, by interval:
//   8 to 12   + 13 us each       five above the R limit in a row: CRC renegotiation
//   18        + 45 us            above the A limit: PHY switch
//   24 to 27  + 105 us each      above the S limit three times; A once its hold-off is over, without another switch left
//   from 32   no pulse           the watchdog tells the loss of sync
`default_nettype none

module npu_demo_sync #(
    parameter integer CLK_PERIOD_PS = 5000
) (
    input  wire clk,
    input  wire rst,
    output wire sync_valid,
    output wire phy_changed,
    input  wire crc_reneg_req,
    output reg  crc_reneg_ack,
    output wire reneg_done,
    input  wire phy_switch_req,
    output reg  phy_switch_ack
);
    // clocks of a number of ns
    localparam integer NOMINAL = 125000000 / CLK_PERIOD_PS;
    localparam integer LATE_R = 13000000 / CLK_PERIOD_PS;
    localparam integer LATE_A = 45000000 / CLK_PERIOD_PS;
    localparam integer LATE_S = 105000000 / CLK_PERIOD_PS;
    localparam integer WORK = 20000000 / CLK_PERIOD_PS;  // a renegotiation, a switch

    reg [5:0] number;  // of the interval that runs
    reg [31:0] left;
    wire in_r = number >= 6'd8 && number <= 6'd12;
    wire in_s = number >= 6'd24 && number <= 6'd27;
    wire [31:0] extra = in_r ? LATE_R : number == 6'd18 ? LATE_A : in_s ? LATE_S : 32'd0;
    assign sync_valid = left == 32'd1 && number < 6'd32;

    reg [31:0] reneg_left, switch_left;
    assign reneg_done = reneg_left == 32'd1;
    assign phy_changed = switch_left == 32'd1;

    always @(posedge clk) begin
        if (left == 32'd1) begin
            left <= NOMINAL + extra + {31'd0, number[1:0] == 2'd3};
            if (number < 6'd32) number <= number + 6'd1;
        end else left <= left - 32'd1;
        crc_reneg_ack <= crc_reneg_req;
        phy_switch_ack <= phy_switch_req;
        reneg_left <= crc_reneg_req && !crc_reneg_ack ? WORK : reneg_left == 32'd0 ? 32'd0 : reneg_left - 32'd1;
        switch_left <= phy_switch_req && !phy_switch_ack ? WORK : switch_left == 32'd0 ? 32'd0 : switch_left - 32'd1;
        if (rst) begin
            number <= 6'd0;
            left <= NOMINAL;
            {crc_reneg_ack, phy_switch_ack} <= 2'b00;
            {reneg_left, switch_left} <= 64'd0;
        end
    end
endmodule

`default_nettype wire
