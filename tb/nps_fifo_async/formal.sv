// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_fifo_async. The two clocks are free inputs, so every ratio, phase and stop of either is covered:
// a step of the proof is one moment, at which either clock, both or none may rise. A register takes the value its
// input had in the moment before. A bit that changes at a sampling edge is seen old or new, as the two clocks are
// ordered in the proof; with one changing bit (property `one_bit`) that is all that metastability can do.
`default_nettype none

module formal_fifo_async #(
    parameter integer DATA_W = 2,
    parameter integer DEPTH  = 4
) (
    input wire              s_clk,
    input wire              s_rst,
    input wire              s_valid,
    input wire [DATA_W-1:0] s_data,
    input wire              m_clk,
    input wire              m_rst,
    input wire              m_ready,
    input wire              choose    // follow the entry of this writer's clock
);
    localparam integer AW = $clog2(DEPTH);

    wire              s_ready, m_valid;
    wire [DATA_W-1:0] m_data;

    nps_fifo_async #(.DATA_W(DATA_W), .DEPTH(DEPTH)) dut (.*);

    // ---- both resets are high until each side has seen three edges; then each falls once, when it likes
    reg [1:0] s_edges = 2'd0, m_edges = 2'd0;
    reg       s_out = 1'b0, m_out = 1'b0;
    wire      overlap = s_edges == 2'd3 && m_edges == 2'd3;
    always @(posedge s_clk) begin
        if (s_edges != 2'd3) s_edges <= s_edges + 2'd1;
        s_out <= !s_rst;
    end
    always @(posedge m_clk) begin
        if (m_edges != 2'd3) m_edges <= m_edges + 2'd1;
        m_out <= !m_rst;
    end
    always @(*) begin
        assume (overlap || (s_rst && m_rst));
        assume (!(s_out && s_rst) && !(m_out && m_rst));
    end

    wire push = s_valid && s_ready && !s_rst;
    wire pop = m_valid && m_ready && !m_rst;

    // ---- model: entries written and read, modulo 16; a followed entry by its number
    reg [3:0]        written = 4'd0, read = 4'd0;
    reg              tracked = 1'b0;
    reg [3:0]        number = 4'd0;
    reg [DATA_W-1:0] data = 0;
    always @(posedge s_clk) if (push) begin
        written <= written + 4'd1;
        if (choose && !tracked) begin
            tracked <= 1'b1;
            number  <= written;
            data    <= s_data;
        end
    end
    reg done = 1'b0;   // the followed entry has been read
    always @(posedge m_clk) if (pop) begin
        read <= read + 4'd1;
        if (tracked && number == read) done <= 1'b1;
    end
    wire [3:0] held = written - read;

    always @(*) if (overlap) begin
        no_overflow:   assert (held <= DEPTH + 2);
        no_underflow:  assert (!m_valid || held != 0);
        order:         assert (!(m_valid && tracked && !done && number == read) || m_data == data);
        kept:          assert (!(tracked && !done) || number - read < held);
    end

    // ---- at most one bit of a crossing pointer changes at an edge
    reg [AW:0] write_before = 0, read_before = 0;
    always @(posedge s_clk) write_before <= dut.write_gray;
    always @(posedge m_clk) read_before <= dut.read_gray;
    wire [AW:0] write_change = write_before ^ dut.write_gray;
    wire [AW:0] read_change = read_before ^ dut.read_gray;
    always @(*) if (overlap) begin
        one_bit:  assert ((write_change & (write_change - 1'b1)) == 0 && (read_change & (read_change - 1'b1)) == 0);
    end

    // ---- invariants: pointers only lag
    function automatic [AW:0] binary(input [AW:0] gray);
        integer i;
        binary[AW] = gray[AW];
        for (i = AW - 1; i >= 0; i = i - 1) binary[i] = binary[i+1] ^ gray[i];
    endfunction
    function automatic [AW:0] coded(input [AW:0] bin);
        coded = bin ^ (bin >> 1);
    endfunction

    wire [AW:0] w = dut.write_bin, r = dut.read_bin;
    wire [AW:0] w0 = binary(dut.write_to_m.chain[AW:0]), w1 = binary(dut.write_to_m.chain[2*AW+1:AW+1]);
    wire [AW:0] r0 = binary(dut.read_to_s.chain[AW:0]), r1 = binary(dut.read_to_s.chain[2*AW+1:AW+1]);
    wire [AW:0] stored = w - r;      // in the RAM
    wire [AW:0] seen1 = w1 - r, seen0 = w0 - r;
    wire [AW:0] w_step = w - binary(write_before), r_step = r - binary(read_before);
    wire [AW:0] used0 = w - r0, used1 = w - r1;
    wire [1:0]  staged = {1'b0, dut.latch_valid} + {1'b0, m_valid};
    wire [3:0]  place = number - read - {2'd0, staged};   // of the followed entry in the RAM
    wire [AW-1:0] cell_ = r[AW-1:0] + place[AW-1:0];
    always @(*) if (overlap) begin
        gray:      assert (dut.write_gray == coded(w) && dut.read_gray == coded(r));
        lag_m:     assert (seen1 <= seen0 && seen0 <= stored && stored <= DEPTH);
        lag_s:     assert (stored <= used0 && used0 <= used1 && used1 <= DEPTH);
        may_push:  assert (!s_ready || used1 < DEPTH);
        may_read:  assert (!dut.ram_some || seen1 != 0);
        counted:   assert (held == {{3 - AW{1'b0}}, stored} + {2'd0, staged});
        entry:     assert (!(tracked && !done) || (number == read ? (m_valid ? m_data == data : dut.latch_valid ?
                           dut.latch == data : dut.ram[cell_] == data) : number - read < {2'd0, staged} ?
                           dut.latch == data : dut.ram[cell_] == data));
        steps:     assert (w_step <= 1 && r_step <= 1);
    end
    always @(*) begin
        reset_s:   assert (s_out || s_edges == 0 || (!s_ready && w == 0 && dut.write_gray == 0 && (s_edges == 1 || write_before == 0) &&
                           dut.read_to_s.chain == 0));
        reset_m:   assert (m_out || m_edges == 0 || (!m_valid && !dut.latch_valid && !dut.ram_some && r == 0 &&
                           dut.read_gray == 0 && (m_edges == 1 || read_before == 0) && dut.write_to_m.chain == 0));
        released:  assert (overlap || (!s_out && !m_out && written == 0 && read == 0 && !tracked));
    end

    reg was_full = 1'b0;
    always @(posedge s_clk) was_full <= was_full || (s_out && s_valid && !s_ready);
    always @(*) if (overlap) begin
        full:     cover (was_full && held == DEPTH + 2);
        drained:  cover (was_full && held == 0 && done && number == 4'd5);
        resumed:  cover (was_full && s_ready && held == DEPTH);
    end
endmodule

`default_nettype wire
