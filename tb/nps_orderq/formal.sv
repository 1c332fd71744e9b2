// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_orderq: an arrival chosen freely is followed by the number of grants before it. As in use, no
// more arrivals are pending than the FIFOs hold together, which is DEPTH.
`default_nettype none

module formal_orderq #(
    parameter integer N     = 3,
    parameter integer DEPTH = 4
) (
    input wire         clk,
    input wire         rst,
    input wire [N-1:0] s_mask,
    input wire         m_ready,
    input wire         choose,      // follow an arrival of this clock
    input wire [  1:0] choose_src   // of this source
);
    localparam integer AW = $clog2(DEPTH);
    localparam integer STAGES = DEPTH + 7;

    wire         m_valid, empty;
    wire [  1:0] m_src;
    wire [N-1:0] m_mask;

    nps_orderq #(.N(N), .DEPTH(DEPTH)) dut (.*);

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    function automatic [4:0] ones(input [N-1:0] mask);
        integer i;
        ones = 5'd0;
        for (i = 0; i < N; i = i + 1) ones = ones + {4'd0, mask[i]};
    endfunction

    // ---- model: arrivals not granted yet
    reg  [4:0] pending = 5'd0;
    wire       grant = m_valid && m_ready;
    always @(posedge clk) pending <= rst ? 5'd0 : pending + ones(s_mask) - {4'd0, grant};
    always @(*) if (!rst) assume (pending + ones(s_mask) <= DEPTH);

    // ---- the followed arrival
    reg         tracked = 1'b0;
    reg  [4:0]  ahead;
    reg  [1:0]  source;
    wire [N-1:0] below = s_mask & ~({N{1'b1}} << choose_src);
    always @(posedge clk) begin
        if (rst) tracked <= 1'b0;
        else if (choose && !tracked && choose_src < N && s_mask[choose_src]) begin
            tracked <= 1'b1;
            ahead   <= pending - {4'd0, grant} + ones(below);
            source  <= choose_src;
        end else if (tracked && grant) begin
            tracked <= ahead != 0;
            ahead   <= ahead - 5'd1;
        end
    end

    // masks in the RAM
    reg  [AW:0] in_ram = 0;
    always @(posedge clk) in_ram <= rst ? 0 : in_ram + {{AW{1'b0}}, dut.write_valid} - {{AW{1'b0}}, dut.fetch};

    reg reset_before = 1'b1;
    always @(posedge clk) reset_before <= rst;

    reg [2:0] waited = 3'd0;
    always @(posedge clk) waited <= rst || m_valid || pending == 0 ? 3'd0 : waited + 3'd1;

    always @(*) if (started) begin
        order:     assert (!(tracked && ahead == 0 && m_valid) || m_src == source);
        conserve:  assert (!tracked || ahead < pending);
        invented:  assert (!m_valid || pending != 0);
        one_hot:   assert (!m_valid || (m_src < N && m_mask == {{N - 1{1'b0}}, 1'b1} << m_src));
        is_empty:  assert (empty == (pending == 0));
        prompt:    assert (waited <= 5);
        room:      assert (rst || !dut.write_valid || in_ram < DEPTH);
    end

    // ---- invariant: all masks from the output back to the RAM, in order, hold exactly the pending arrivals
    reg  [N-1:0] at[0:STAGES-1];
    reg  [  4:0] total;
    reg  [  1:0] followed;  // source of arrival number `ahead` in that order
    reg          gap;       // a stored mask is zero
    integer      stage, bit_;
    always @(*) begin
        at[0] = m_valid ? m_mask : {N{1'b0}};
        at[1] = dut.rest_some ? dut.rest : {N{1'b0}};
        at[2] = dut.next_valid ? dut.next_first | dut.next_rest : {N{1'b0}};
        at[3] = dut.fifo_valid ? dut.fifo_mask : {N{1'b0}};
        at[4] = dut.u_skid.spare_valid ? dut.u_skid.spare : {N{1'b0}};
        at[5] = dut.latch_valid ? dut.head : {N{1'b0}};
        gap = (dut.fifo_valid && at[3] == 0) || (dut.u_skid.spare_valid && at[4] == 0) ||
              (dut.latch_valid && at[5] == 0);
        for (stage = 0; stage < DEPTH; stage = stage + 1) begin
            at[6+stage] = {N{1'b0}};
            if (stage < in_ram) begin
                at[6+stage] = dut.g_bank[0].ram[dut.read_at+stage[AW-1:0]];
                gap = gap || at[6+stage] == 0;
            end
        end
        at[6+DEPTH] = dut.write_valid ? dut.write_mask : {N{1'b0}};
        gap = gap || (dut.write_valid && at[6+DEPTH] == 0);
        total = 5'd0;
        followed = 2'd3;
        for (stage = 0; stage < STAGES; stage = stage + 1)
            for (bit_ = 0; bit_ < N; bit_ = bit_ + 1)
                if (at[stage][bit_]) begin
                    if (total == ahead) followed = bit_[1:0];
                    total = total + 5'd1;
                end
    end
    wire [N-1:0] next = dut.next_first | dut.next_rest;
    always @(*) if (started) begin
        all_inside:  assert (total == pending && pending <= DEPTH && !gap);
        in_place:    assert (!tracked || followed == source);
        split:       assert (!dut.next_valid || (dut.next_first != 0 && dut.next_first == (next & (~next + 1'b1)) &&
                             (dut.next_first & dut.next_rest) == 0));
        rest_is:     assert (!dut.rest_some || (m_valid && dut.rest != 0));
        ring:        assert (in_ram <= DEPTH && dut.write_at == dut.read_at + in_ram[AW-1:0] &&
                             dut.read_next == dut.read_at + 1'b1);
        flags:       assert (dut.ram_some == (in_ram != 0));
        skid:        assert (!dut.u_skid.spare_valid || (dut.fifo_valid && !dut.head_ready));
        ready:       assert (dut.head_ready || dut.u_skid.spare_valid || reset_before);
        moving:      assert (waited == 0 || m_valid || (waited == 4 && dut.next_valid) ||
                             (waited == 3 && (dut.next_valid || dut.fifo_valid)) ||
                             (waited == 2 && (dut.next_valid || dut.fifo_valid || dut.latch_valid)) ||
                             (waited == 1 && (dut.next_valid || dut.fifo_valid || dut.latch_valid || dut.ram_some)));
    end

    reg [2:0] run = 3'd0;
    always @(posedge clk) run <= grant && |s_mask ? (run == 3'd7 ? run : run + 3'd1) : 3'd0;
    always @(posedge clk) if (started && !rst) begin
        all_at_once:  cover (tracked && source == 2'd2 && ahead == 0 && grant && run == 0);
        deep:         cover (dut.latch_valid && pending == DEPTH);
        streaming:    cover (run == 3'd3);
    end
endmodule

`default_nettype wire
