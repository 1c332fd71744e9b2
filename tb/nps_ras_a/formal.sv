// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_ras_a: hold-off and window by ages that never wrap, budget counted down beside it. Hold-off, window
// and budget are any that are legal; the time of a step is not known and counts nothing.
`default_nettype none

module formal_ras_a #(
    parameter integer TIME_W = 5,
    parameter integer COUNT_W = 2
) (
    input wire              clk,
    input wire              rst,
    input wire [TIME_W-2:0] advance,  // from this moment to the next
    input wire              jump,     // the next moment follows a step of time
    input wire [TIME_W-1:0] anywhere,
    input wire              excess,
    input wire              phy_changed
);
    localparam integer AGE_W = TIME_W + 1;
    localparam [AGE_W-1:0] OLDEST = {AGE_W{1'b1}};

    reg [TIME_W-2:0] window, holdoff;  // any, for ever
    reg [COUNT_W-1:0] budget;
    always @(posedge clk) {window, holdoff, budget} <= {window, holdoff, budget};
    always @(*) assume (window != 0 && (jump || (advance <= window && advance < holdoff)) && holdoff != 0);

    reg [TIME_W-1:0] s1_rel, s2_rel;
    reg [TIME_W-2:0] step;   // from s2_rel to s1_rel
    reg s1_jumps = 1'b0, rel_step = 1'b0;
    wire fire, exhausted;
    always @(posedge clk) begin
        s1_rel <= jump ? anywhere : s1_rel + {1'b0, advance};
        step <= jump ? {TIME_W - 1{1'b0}} : advance;
        s2_rel <= s1_rel;
        {rel_step, s1_jumps} <= {s1_jumps, jump};
    end
    nps_ras_a #(.TIME_W(TIME_W), .COUNT_W(COUNT_W)) dut (
        .clk(clk), .rst(rst), .s1_rel(s1_rel), .s1_budget(budget), .s2_until(s2_rel + {1'b0, window}),
        .s2_held_until(s2_rel + {1'b0, holdoff}), .excess(excess), .phy_changed(phy_changed), .rel_step(rel_step),
        .fire(fire), .exhausted(exhausted)
    );

    reg started = 1'b0;
    reg [1:0] clocks = 2'd0;  // the budget is there from the second
    always @(posedge clk) begin
        started <= 1'b1;
        clocks <= clocks == 2'd3 ? 2'd3 : clocks + 2'd1;
    end
    always @(*) if (!started || clocks < 2'd2) assume (rst);
    always @(*) if (started && !s1_jumps) assume (s1_rel == s2_rel + {1'b0, step});
    always @(*) if (started) assume (step < holdoff && step <= window && (!s1_jumps || step == 0));

    function automatic [AGE_W-1:0] older(input [AGE_W-1:0] age, input [TIME_W-2:0] by);
        older = {1'b0, age} + {3'd0, by} > {1'b0, OLDEST} ? OLDEST : age + {2'd0, by};
    endfunction

    // ---- the definition, at stage 2
    reg held = 1'b0, open = 1'b0, told = 1'b0;
    reg [AGE_W-1:0] held_age, open_age;
    reg [COUNT_W-1:0] left;
    wire note = phy_changed || rel_step;
    wire due = excess && !note && !(held && held_age < {2'd0, holdoff});
    wire runs = open && (rel_step || open_age <= {2'd0, window});
    wire [COUNT_W-1:0] has = runs ? left : budget;
    wire due_fire = due && has != 0;
    wire due_told = due && has == 0 && !(runs && told);
    always @(posedge clk)
        if (rst) {held, open} <= 2'b00;
        else begin
            held <= held || note || fire;
            held_age <= older(note || due_fire ? {AGE_W{1'b0}} : held_age, step);
            open <= runs || due;
            open_age <= older((due && !runs) || rel_step ? {AGE_W{1'b0}} : open_age, step);
            if (due) {left, told} <= {has - {{COUNT_W - 1{1'b0}}, has != 0}, has == 0};
        end

    reg fired = 1'b0;
    always @(posedge clk) fired <= fire && !rst;
    wire is_held = held && held_age < {2'd0, holdoff};
    wire [TIME_W-1:0] held_left = dut.held_until - s2_rel;
    wire [TIME_W-1:0] open_left = dut.runs_until - s2_rel;
    always @(*) if (started && !rst) begin
        fires:     assert (fire == due_fire);
        exhausts:  assert (exhausted == due_told);
        apart:     assert (!fire || !held || held_age >= {2'd0, holdoff});
        budgeted:  assert (!fire || !runs || left != 0);
        hold:      assert (rel_step || (dut.held && !dut.held_old) == is_held);
        hold_left: assert (rel_step || !is_held || {1'b0, held_left} == {2'd0, holdoff} - held_age);
        hold_old:  assert (rel_step || !dut.held || is_held || dut.held_old);
        window_:   assert (dut.runs == open && dut.runs_now == runs);
        open_:     assert (rel_step || !runs || {1'b0, open_left} == {2'd0, window} - open_age);
        opened:    assert (rel_step || !open || dut.runs_old == (open_age > {2'd0, window}));
        count:     assert (!open || (dut.left == left && dut.told == told));
        some:      assert (!open || fired || dut.some == (left != 0));
        fresh:     assert (!fired || (held && (is_held || rel_step)));
        given:     assert (dut.budget == budget && dut.budget_some == (budget != 0));
    end

    reg [2:0] fires_seen = 3'd0;
    always @(posedge clk) fires_seen <= rst ? 3'd0 : fires_seen + {2'd0, fire && fires_seen != 3'd7};
    always @(posedge clk) if (started && !rst) begin
        edge_:   cover (fire && held && held_age == {2'd0, holdoff} && holdoff == 4'd6);
        drained: cover (exhausted && budget == 2'd2 && fires_seen == 3'd2);
        last:    cover (due && runs && open_age == {2'd0, window} && window == 4'd9 && left != 0);
        renewed: cover (fire && open && !runs && told);
        stepped: cover (exhausted && fires_seen == 3'd1 && open_age > 6'd3);
    end
endmodule

`default_nettype wire
