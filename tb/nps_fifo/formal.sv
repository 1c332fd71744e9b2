// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_fifo: order and data by following two arbitrary entries, level and the accept, mark and drain
// rules by a model that counts. refuse and hold are free; REFUSE = 0 ties them off for the single-shadow promise.
`default_nettype none

module formal_fifo #(
    parameter integer DATA_W = 2,
    parameter integer DEPTH  = 4,
    parameter integer REFUSE = 1
) (
    input wire              clk,
    input wire              rst,
    input wire              s_valid,
    input wire [DATA_W-1:0] s_data,
    input wire              any_refuse,
    input wire              any_hold,
    input wire              choose,     // follow the entry of this clock
    input wire              m_ready
);
    localparam integer AW = $clog2(DEPTH);

    wire              s_refuse = REFUSE != 0 && any_refuse;
    wire              s_hold = REFUSE != 0 && any_hold;
    wire              s_accept, s_mark, s_drop, s_drain, dropping, m_valid, m_mark;
    wire [AW:0]       level;
    wire [DATA_W-1:0] m_data;

    nps_fifo #(.DATA_W(DATA_W), .DEPTH(DEPTH)) dut (.*);

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    wire push = s_accept;
    wire pop = m_valid && m_ready;

    // ---- model: number of entries, something lost
    reg [AW:0] count = 0;
    reg        lost = 1'b0;
    always @(posedge clk) begin
        if (rst) begin
            count <= 0;
            lost  <= 1'b0;
        end else begin
            count <= count + {{AW{1'b0}}, push} - {{AW{1'b0}}, pop};
            lost  <= s_drop || (lost && !s_mark && !s_drain);
        end
    end

    always @(*) if (started) begin
        level_is:   assert (level == count && level <= DEPTH);
        taken:      assert (REFUSE == 0 || s_accept == (s_valid && !s_refuse && (lost ? count < DEPTH / 2 && !s_hold : count < DEPTH)));
        dropped:    assert (s_drop == (s_valid && !s_accept) && dropping == lost);
        marked:     assert (s_mark == (s_accept && lost));
        drained:    assert (s_drain == (lost && count == 0 && !s_hold && !s_valid));
        presented:  assert (!m_valid || count != 0);
    end

    // ---- data: an entry chosen freely is followed by the number of entries before it
    reg              tracked = 1'b0;
    reg [AW:0]       ahead = 0;
    reg [DATA_W-1:0] data;
    reg              mark;
    wire             start = push && choose && !tracked;
    wire             out = tracked && pop && ahead == 0;

    always @(posedge clk) begin
        if (rst) tracked <= 1'b0;
        else if (start) begin
            tracked <= 1'b1;
            ahead   <= count - {{AW{1'b0}}, pop};
            data    <= s_data;
            mark    <= s_mark;
        end else if (tracked && pop) begin
            tracked <= ahead != 0;
            ahead   <= ahead - 1'b1;
        end
    end

    always @(*) if (started && tracked) begin
        order:  assert (ahead < count && (!(m_valid && ahead == 0) || (m_data == data && m_mark == mark)));
    end

    // ---- no bubble: with entries inside, one is at the output within 3 clocks
    reg [1:0] waited = 2'd0;
    always @(posedge clk) waited <= rst || m_valid || count == 0 ? 2'd0 : waited + 2'd1;
    always @(*) if (started) prompt: assert (waited <= 3);

    // ---- one shadow is enough: a marked entry is never followed by another mark while it is inside
    reg        mark_inside = 1'b0;
    reg [AW:0] before_mark = 0;   // entries that leave before the marked one
    always @(posedge clk) begin
        if (rst) mark_inside <= 1'b0;
        else if (s_mark) begin
            mark_inside <= 1'b1;
            before_mark <= count - {{AW{1'b0}}, pop};
        end else if (mark_inside && pop) begin
            mark_inside <= before_mark != 0;
            before_mark <= before_mark - 1'b1;
        end
    end
    always @(*) if (started && REFUSE == 0) begin
        shadow:     assert (!(mark_inside && (s_mark || s_drain)));
        shadow_ind: assert (!mark_inside || (before_mark < count && before_mark < DEPTH / 2 &&
                            (!lost || count - before_mark > DEPTH / 2)));
    end

    // ---- invariants that make the above inductive: where the entries are
    wire [AW:0] outside = {{AW{1'b0}}, dut.latch_valid} + {{AW{1'b0}}, m_valid};
    wire [AW:0] written = dut.in_ram + outside;  // entries before the write stage
    wire [AW:0] position = ahead - outside;      // of the tracked entry in the RAM
    wire [AW-1:0] at = dut.read_at + position[AW-1:0];
    always @(*) if (started) begin
        places:  assert (count == written + {{AW{1'b0}}, dut.write_valid} && dut.in_ram <= DEPTH);
        flags:   assert (dut.ram_some == (dut.in_ram != 0) && dut.full == (count == DEPTH) &&
                         dut.low == (count < DEPTH / 2) && dut.empty == (count == 0));
        ring:    assert (dut.write_at == dut.read_at + dut.in_ram[AW-1:0]);
        stages:  assert (waited == 0 || m_valid || (waited == 1 && (dut.latch_valid || dut.ram_some)) ||
                         (waited == 2 && dut.latch_valid));
        entry:   assert (!tracked || ahead < {{AW{1'b0}}, m_valid} || {mark, data} == (
                         ahead < outside ? dut.latched : ahead < written ? dut.g_bank[0].ram[at] : dut.write_data));
    end

    // ---- covers
    reg was_full = 1'b0, was_lost = 1'b0;
    reg [2:0] run = 3'd0;
    always @(posedge clk) begin
        was_full <= !rst && (was_full || (count == DEPTH && s_drop));
        was_lost <= !rst && (was_lost || (lost && count == DEPTH));
        run <= push && pop ? (run == 3'd7 ? run : run + 3'd1) : 3'd0;
    end
    always @(posedge clk) if (started && !rst) begin
        resumed:    cover (was_lost && m_valid && m_mark && m_ready);
    end
    generate
        if (REFUSE != 0) begin : g_covers  // enough to reach them in one of the proofs
            always @(posedge clk) if (started && !rst) begin
                overflow:   cover (was_full && s_drop && count == DEPTH - 1);
                gave_up:    cover (was_lost && s_drain);
                streaming:  cover (run == 3'd3);
            end
        end
    endgenerate
endmodule

`default_nettype wire
