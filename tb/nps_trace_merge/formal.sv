// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_trace_merge with two real queues: a queue is read only when its head is there, in the order of the
// clocks of arrival. Entries carry the parity of the number of their clock of arrival among those with arrivals.
`default_nettype none

module formal_merge (
    input wire       clk,
    input wire       rst,
    input wire [1:0] offer,
    input wire       m_ready
);
    wire [1:0]   accept, q_mark, q_data, q_take, drained_ready;
    wire [2:0]   level[0:1];
    wire [279:0] q_entry = {1'b0, q_data[1], 138'd0, 1'b0, q_data[0], 138'd0};
    wire         m_valid, m_mark, m_loss_cfg, m_loss_step, m_plain, empty;
    wire [1:0]   m_index;
    wire [139:0] m_entry;
    wire [11:0]  unused;
    reg          parity = 1'b0;

    genvar g;
    generate
        for (g = 0; g < 2; g = g + 1) begin : g_queue
            nps_fifo #(.DATA_W(1), .DEPTH(4)) fifo (
                .clk(clk), .rst(rst), .s_valid(offer[g]), .s_data(parity), .s_refuse(1'b0), .s_hold(1'b0),
                .s_accept(accept[g]), .s_mark(unused[6*g]), .s_drop(unused[6*g+1]), .s_drain(unused[6*g+2]),
                .dropping(unused[6*g+3]), .level(level[g]), .take(q_take[g]), .m_data(q_data[g]), .m_mark(q_mark[g])
            );
            assign unused[6*g+5:6*g+4] = 2'd0;
        end
    endgenerate

    nps_trace_merge #(.SOURCES(2), .DEPTH(8), .INDEX_W(2)) dut (
        .clk(clk), .rst(rst), .accept(accept), .q_mark(q_mark), .q_entry(q_entry), .q_take(q_take),
        .drained(2'b00), .drained_ready(drained_ready), .loss_cfg(2'b00), .loss_step(2'b00),
        .m_valid(m_valid), .m_ready(m_ready), .m_index(m_index), .m_mark(m_mark), .m_plain(m_plain),
        .m_loss_cfg(m_loss_cfg), .m_loss_step(m_loss_step), .m_entry(m_entry), .empty(empty)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    reg       last_index = 1'b0, last_parity = 1'b1;  // of the entry before
    reg [4:0] held = 5'd0;
    reg       arrived = 1'b0;
    always @(posedge clk) arrived <= accept != 0;
    wire      pop = m_valid && m_ready;
    always @(posedge clk) begin
        if (rst) begin
            parity      <= 1'b0;
            held        <= 5'd0;
            last_index  <= 1'b0;
            last_parity <= 1'b1;
        end else begin
            if (accept != 0) parity <= !parity;
            held <= held + {4'd0, accept[0]} + {4'd0, accept[1]} - {4'd0, pop};
            if (pop) begin
                last_index  <= m_index[0];
                last_parity <= m_entry[138];
            end
        end
    end

    always @(*) if (started) begin
        head:    assert ((!q_take[0] || level[0] != 0) && (!q_take[1] || level[1] != 0));
        some:    assert (!m_valid || held != 0);
        order:   assert (!pop || (m_entry[138] != last_parity) || (m_index[0] && !last_index));
        idle:    assert (!empty || held == 0 || arrived);
    end

    always @(posedge clk) if (started) begin
        both:    cover (pop && m_index[0] && !last_index && m_entry[138] == last_parity);
        stream:  cover (pop && $past(pop) && $past(pop, 2) && accept == 2'b11);
    end
endmodule

`default_nettype wire
