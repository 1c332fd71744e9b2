// SPDX-License-Identifier: Apache-2.0
// nps_skid: register slice of an AXI-Stream: cuts every path between its two sides, ready included.
//
// Promises: transfers leave in order, none lost, none doubled; m_axis_tdata is stable from m_axis_tvalid to the transfer.
// Costs: 1 clock, one transfer a clock, room for 2.
// Overflow: cannot happen, s_axis_tready is a register that says so a clock ahead.
`include "nps_refuse.vh"
`default_nettype none

module nps_skid #(
    parameter integer DATA_W = 129  // bits of a transfer, tlast and others included, 1..
) (
    input  wire              clk,
    input  wire              rst,
    input  wire [DATA_W-1:0] s_axis_tdata,
    input  wire              s_axis_tvalid,
    output reg               s_axis_tready,
    output reg  [DATA_W-1:0] m_axis_tdata,
    output reg               m_axis_tvalid,
    input  wire              m_axis_tready
);
    `NPS_REFUSE(DATA_W < 1, nps_error__DATA_W_must_be_at_least_1)

    reg  [DATA_W-1:0] spare;
    reg               spare_valid;  // == !s_axis_tready, but for reset
    wire              push = s_axis_tvalid && s_axis_tready;
    wire              advance = !m_axis_tvalid || m_axis_tready;

    always @(posedge clk) begin
        if (rst) begin
            s_axis_tready <= 1'b0;
            spare_valid   <= 1'b0;
            m_axis_tvalid <= 1'b0;
        end else begin
            if (advance) m_axis_tvalid <= spare_valid || push;
            spare_valid   <= !advance && (spare_valid || push);
            s_axis_tready <= advance || !(spare_valid || push);
        end
        if (advance) m_axis_tdata <= spare_valid ? spare : s_axis_tdata;
        if (push) spare <= s_axis_tdata;
    end
endmodule

`default_nettype wire
