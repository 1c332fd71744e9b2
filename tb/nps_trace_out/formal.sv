// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_trace_out: AXI-Stream rules and order, with a maker that answers claims after any time.
`default_nettype none

module formal_out #(
    parameter integer DEPTH = 4,
    parameter integer DATA_W = 2
) (
    input wire         clk,
    input wire         rst,
    input wire         want,    // claim if there is room
    input wire         deliver, // a claimed record arrives, if one is due
    input wire [DATA_W-1:0] data,
    input wire         last,
    input wire         choose,  // follow the record of this clock
    input wire         m_axis_tready
);
    wire         go, empty, m_axis_tvalid, m_axis_tlast;
    wire [DATA_W-1:0] m_axis_tdata;
    wire [31:0]  stalled;
    wire         claim = want && go;
    reg  [7:0]   due = 8'd0;      // claimed, not arrived
    wire         s_valid = deliver && due != 0;

    nps_trace_out #(.DEPTH(DEPTH), .DATA_W(DATA_W)) dut (
        .clk(clk), .rst(rst), .restart(1'b0), .go(go), .claim(claim), .empty(empty),
        .s_valid(s_valid), .s_data(data), .s_last(last),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tlast(m_axis_tlast),
        .m_axis_tready(m_axis_tready), .stalled(stalled)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    reg [7:0] held = 8'd0;  // arrived, not taken
    reg       none_before = 1'b1;
    wire      pop = m_axis_tvalid && m_axis_tready;
    always @(posedge clk) begin
        if (rst) begin
            due  <= 8'd0;
            held <= 8'd0;
        end else begin
            due  <= due + {7'd0, claim} - {7'd0, s_valid};
            held <= held + {7'd0, s_valid} - {7'd0, pop};
        end
        none_before <= rst || (due == 0 && held == 0 && !claim && !dut.left);
    end

    // one record, chosen freely, followed by the number ahead of it
    reg         tracked = 1'b0;
    reg [7:0]   ahead = 8'd0;
    reg [DATA_W:0] record;
    always @(posedge clk) begin
        if (rst) tracked <= 1'b0;
        else if (s_valid && choose && !tracked) begin
            tracked <= 1'b1;
            ahead   <= held - {7'd0, pop};
            record  <= {last, data};
        end else if (tracked && pop) begin
            tracked <= ahead != 0;
            ahead   <= ahead - 8'd1;
        end
    end

    reg         stalls = 1'b0;
    reg [DATA_W:0] offered;
    always @(posedge clk) begin
        stalls  <= !rst && m_axis_tvalid && !m_axis_tready;
        offered <= {m_axis_tlast, m_axis_tdata};
    end

    wire [$clog2(DEPTH):0] in_buffer = dut.put - dut.take;
    wire [7:0] place = ahead;  // of the followed record in the buffer
    wire [$clog2(DEPTH)-1:0] slot = dut.take[$clog2(DEPTH)-1:0] + place[$clog2(DEPTH)-1:0];

    always @(*) if (started) begin
        stable:   assert (!stalls || (m_axis_tvalid && {m_axis_tlast, m_axis_tdata} == offered));
        order:    assert (!tracked || (ahead < held && (ahead != 0 || !m_axis_tvalid || {m_axis_tlast, m_axis_tdata} == record)));
        room:     assert ({1'b0, due} + {1'b0, held} <= DEPTH && dut.claims <= DEPTH);
        none:     assert (!m_axis_tvalid || held != 0);
        idle:     assert (empty == none_before && (!empty || (due == 0 && held == 0)));
        books:    assert (dut.claims == due + held + {7'd0, dut.left} && in_buffer == held && in_buffer <= DEPTH && dut.after == dut.take + 1'b1);
        margin:   assert (!go || dut.claims < DEPTH);
        entry:    assert (!tracked || {dut.lasts[slot], dut.buffer[slot]} == record);
        head:     assert (!m_axis_tvalid || m_axis_tlast == dut.lasts[dut.take[$clog2(DEPTH)-1:0]]);
    end

    always @(posedge clk) if (started) begin
        full:     cover (held == DEPTH);
        streams:  cover (tracked && ahead == 1 && pop && s_valid && claim);
        drained:  cover (held == 0 && due == 0 && $past(held) == 1 && record == 2);
    end
endmodule

`default_nettype wire
