// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_skid: both sides of the stream against a model of what is inside.
`default_nettype none

module formal_skid #(
    parameter integer DATA_W = 4
) (
    input wire              clk,
    input wire              rst,
    input wire [DATA_W-1:0] s_tdata,
    input wire              s_tvalid,
    input wire              m_tready
);
    wire              s_tready, m_tvalid;
    wire [DATA_W-1:0] m_tdata;

    nps_skid #(.DATA_W(DATA_W)) dut (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    reg started = 1'b0;  // a clock with rst has passed
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    // Model: the transfers inside, oldest first, at most two.
    reg [1:0]        held = 2'd0;
    reg [DATA_W-1:0] first, second;
    wire             push = s_tvalid && s_tready;
    wire             pop = m_tvalid && m_tready;
    reg              stalled = 1'b0;   // the clock before had a transfer offered and not taken
    reg [DATA_W-1:0] offered;
    reg              after_reset = 1'b1;

    always @(posedge clk) begin
        after_reset <= rst;
        stalled <= !rst && m_tvalid && !m_tready;
        offered <= m_tdata;
        if (rst) held <= 2'd0;
        else begin
            held <= held + {1'b0, push} - {1'b0, pop};
            if (pop) first <= second;
            if (push) begin
                if (held == {1'b0, pop}) first <= s_tdata;
                else second <= s_tdata;
            end
        end
    end

    always @(*) if (started) begin
        valid:   assert (m_tvalid == (held != 0));
        order:   assert (!m_tvalid || m_tdata == first);
        ready:   assert (s_tready == (!after_reset && held != 2));
        room:    assert (held <= 2 && !(push && held == 2));
        stable:  assert (!stalled || (m_tvalid && m_tdata == offered));
        spare:   assert (dut.spare_valid == (held == 2) && (held != 2 || dut.spare == second));
    end

    reg [2:0] run = 3'd0;  // transfers on both sides in adjacent clocks
    always @(posedge clk) run <= push && pop ? (run == 3'd7 ? run : run + 3'd1) : 3'd0;
    always @(posedge clk) if (started) begin
        full:       cover (held == 2);
        emptied:    cover (held == 2 && pop && second == 4'd9 && first == 4'd5);
        streaming:  cover (run == 3'd4);
    end
endmodule

`default_nettype wire
