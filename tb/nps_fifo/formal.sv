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
    input wire              any_take
);
    localparam integer AW = $clog2(DEPTH);

    wire              s_refuse = REFUSE != 0 && any_refuse;
    wire              s_hold = REFUSE != 0 && any_hold;
    wire              s_accept, s_mark, s_drop, s_drain, dropping, m_mark;
    wire [AW:0]       level;
    wire [DATA_W-1:0] m_data;
    wire              take = any_take && level != 0;

    nps_fifo #(.DATA_W(DATA_W), .DEPTH(DEPTH)) dut (.*);

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    wire push = s_accept;
    wire pop = take;

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
    end

    // ---- data: an entry chosen freely is followed by the number of entries before it
    reg              tracked = 1'b0;
    reg [AW:0]       ahead = 0;
    reg [DATA_W-1:0] data;
    reg              mark;
    reg [1:0]        leaving = 2'd0;  // it was taken one, two clocks ago
    wire             start = push && choose && !tracked && leaving == 0;
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

    // ---- on its way to the output
    reg [1:0] taking = 2'd0;    // any entry was
    reg [1:0] clocks = 2'd0;    // the output has no reset
    always @(posedge clk) clocks <= {clocks[0], 1'b1};
    wire      settled = clocks[1];
    always @(posedge clk) begin
        leaving <= {leaving[0], out && !rst};
        taking <= {taking[0], take && !rst};
    end

    always @(*) if (started) begin
        order:  assert (!leaving[1] || (m_data == data && m_mark == mark));
        silent: assert (taking[1] || (m_data == 0 && !m_mark) || !settled);
        ahead_is: assert (!tracked || ahead < count);
    end
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
    wire [AW:0] in_ram = count - {{AW{1'b0}}, dut.write_valid};
    wire [AW-1:0] at = dut.take_at + ahead[AW-1:0];
    reg [AW-1:0] was_at;        // of the entry taken one clock ago
    always @(posedge clk) was_at <= dut.take_at;
    always @(*) if (started) begin
        places:  assert (in_ram <= DEPTH && count <= DEPTH);
        flags:   assert (dut.full == (count == DEPTH) && dut.low == (count < DEPTH / 2) && dut.empty == (count == 0));
        ring:    assert (dut.write_at == dut.take_at + in_ram[AW-1:0]);
        reading: assert (!settled || (dut.read_at == was_at && dut.g_bank[0].idle == !taking[0]));
        fetched: assert (!leaving[0] || dut.g_bank[0].ram[was_at] == {mark, data});
        entry:   assert (!tracked || {mark, data} == (ahead < in_ram ? dut.g_bank[0].ram[at] : dut.write_data));
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
        resumed:    cover (was_lost && m_mark);
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
