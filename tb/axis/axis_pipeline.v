// SPDX-License-Identifier: Apache-2.0
// An AXI-Stream pipeline as a user has it, knowing nothing of npuscope: source, FIFO, scale, FIFO, average, sink.
//   source  a word a clock, but for every eighth      scale    3 x + 1, a word a clock
//   average  of two words, a word in as soon as the last one is through; while `slow` a word in 8 clocks
`default_nettype none

module axis_pipeline (
    input  wire        clk,
    input  wire        rst,
    input  wire        slow,
    output wire [31:0] m_axis_tdata,
    output wire        m_axis_tvalid,
    input  wire        m_axis_tready,
    // for whoever wants to watch: valid and ready of each link, level of the FIFO behind it; nothing comes back
    output wire [ 2:0] link_valid,    // into the first FIFO, into the second, to the sink
    output wire [ 2:0] link_ready,
    output wire [31:0] link_level
);
    reg [31:0] count;
    wire q0_ready, q1_in_valid, q1_ready, scale_valid, scale_ready, average_valid, average_ready;
    wire [31:0] scale_in, average_in;
    wire [15:0] level_0, level_1;
    wire source_valid = count[2:0] != 3'd7;
    always @(posedge clk)
        if (rst) count <= 32'd0;
        else if (q0_ready || !source_valid) count <= count + 32'd1;

    axis_fifo u_q0 (
        .clk(clk), .rst(rst), .s_axis_tdata(count), .s_axis_tvalid(source_valid), .s_axis_tready(q0_ready),
        .m_axis_tdata(scale_in), .m_axis_tvalid(scale_valid), .m_axis_tready(scale_ready), .level(level_0)
    );

    reg scaled_valid;
    reg [31:0] scaled;
    assign scale_ready = !scaled_valid || q1_ready;
    assign q1_in_valid = scaled_valid;
    always @(posedge clk) begin
        if (scale_ready) scaled <= 32'd3 * scale_in + 32'd1;
        if (rst) scaled_valid <= 1'b0;
        else if (scale_ready) scaled_valid <= scale_valid;
    end

    axis_fifo u_q1 (
        .clk(clk), .rst(rst), .s_axis_tdata(scaled), .s_axis_tvalid(q1_in_valid), .s_axis_tready(q1_ready),
        .m_axis_tdata(average_in), .m_axis_tvalid(average_valid), .m_axis_tready(average_ready), .level(level_1)
    );

    reg has_first, has_result;
    reg [2:0] busy;
    reg [31:0] first, result;
    assign average_ready = busy == 3'd0 && (!has_result || m_axis_tready);
    assign m_axis_tdata  = result;
    assign m_axis_tvalid = has_result;
    always @(posedge clk) begin
        if (busy != 3'd0) busy <= busy - 3'd1;
        if (m_axis_tready) has_result <= 1'b0;
        if (average_valid && average_ready) begin
            busy <= slow ? 3'd7 : 3'd0;
            has_first <= !has_first;
            if (has_first) {has_result, result} <= {1'b1, (first + average_in) >> 1};
            else first <= average_in;
        end
        if (rst) {has_first, has_result, busy} <= 5'd0;
    end

    assign link_valid = {m_axis_tvalid, q1_in_valid, source_valid};
    assign link_ready = {m_axis_tready, q1_ready, q0_ready};
    assign link_level = {level_1, level_0};
endmodule

`default_nettype wire
