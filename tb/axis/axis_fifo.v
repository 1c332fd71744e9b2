// SPDX-License-Identifier: Apache-2.0
// Words wait here. level: how many. tready while there is room.
`default_nettype none

module axis_fifo #(
    parameter DEPTH = 16
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_axis_tdata,
    input  wire        s_axis_tvalid,
    output wire        s_axis_tready,
    output wire [31:0] m_axis_tdata,
    output wire        m_axis_tvalid,
    input  wire        m_axis_tready,
    output reg  [15:0] level
);
    reg [31:0] words[0:DEPTH-1];
    reg [15:0] head;  // where the next word goes
    wire push = s_axis_tvalid && s_axis_tready;
    wire pop = m_axis_tvalid && m_axis_tready;
    wire [15:0] tail = head >= level ? head - level : head + DEPTH - level;
    assign s_axis_tready = level < DEPTH;
    assign m_axis_tvalid = level != 16'd0;
    assign m_axis_tdata  = words[tail];
    always @(posedge clk) begin
        if (push) begin
            words[head] <= s_axis_tdata;
            head <= head == DEPTH - 1 ? 16'd0 : head + 16'd1;
        end
        level <= level + {15'd0, push} - {15'd0, pop};
        if (rst) {head, level} <= 32'd0;
    end
endmodule

`default_nettype wire
