// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_ras_latch: one class, any of them, against a reference that knows no pipeline.
`default_nettype none

module formal_ras_latch (
    input wire        clk,
    input wire        rst,
    input wire        go,        // a set begins, if none is on its way
    input wire [ 2:0] in_class,
    input wire [ 3:0] in_ts,
    input wire [15:0] in_key,
    input wire [ 4:0] lose,
    input wire [ 4:0] clear
);
    localparam [4:0] MOST = 5'd31;

    // a set and its four clocks; 0: none
    reg [2:0] phase = 3'd0;
    reg [2:0] set_class;
    reg [3:0] set_ts;
    reg [15:0] set_key;
    always @(posedge clk) begin
        if (rst) phase <= 3'd0;
        else if (phase == 3'd0) phase <= {2'd0, go};
        else phase <= phase == 3'd4 ? 3'd0 : phase + 3'd1;
        if (phase == 3'd0) {set_class, set_ts, set_key} <= {in_class, in_ts, in_key};
    end
    always @(*) assume (in_class < 3'd5);

    wire [4:0] set_mask = 5'd1 << set_class;
    wire [4:0] count, pending, overflow;
    wire first, over, snap_busy;
    wire [31:0] word;
    nps_ras_latch #(.CLASSES(5)) dut (
        .clk(clk), .rst(rst), .set(phase == 3'd1), .set_class(set_class), .set_mask(set_mask),
        .set_ts({60'd0, set_ts}), .set_key(set_key), .count(count), .first(first), .over(over), .lose(lose),
        .clear(clear), .pending(pending), .overflow(overflow), .snap(1'b0), .snap_class(3'd0), .snap_busy(snap_busy),
        .word_index(3'd0), .word(word)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    reg [2:0] which;  // any class, for ever
    always @(posedge clk) which <= which;
    always @(*) assume (which < 3'd5);

    // ---- reference: clear, then the event, then a loss
    reg  held = 1'b0, over_now = 1'b0;
    reg  [4:0] number;
    reg  [3:0] first_ts, last_ts;
    reg  [15:0] worst;
    wire set = phase == 3'd2 && set_class == which;
    wire held_c = held && !clear[which];
    wire over_c = over_now && !clear[which];
    wire full = held_c && number == MOST;
    reg  [6:0] told;  // count, first, over of the set on its way
    always @(posedge clk)
        if (rst) {held, over_now} <= 2'b00;
        else begin
            held <= held_c || set;
            over_now <= over_c || (set && full) || lose[which];
            if (set) begin
                number <= !held_c ? 5'd1 : full ? MOST : number + 5'd1;
                told <= {!held_c ? 5'd1 : full ? MOST : number + 5'd1, !held_c && !over_c, over_c || full};
                last_ts <= set_ts;
                if (!held_c) first_ts <= set_ts;
                if (!held_c || set_key > worst) worst <= set_key;
            end
        end

    wire settled = phase == 3'd0 || (phase == 3'd1);
    wire [63:0] ram_first = dut.times[{which, 1'b0}];
    wire [63:0] ram_last = dut.times[{which, 1'b1}];
    wire mine = set_class == which;
    always @(*) if (started && !rst) begin
        shown:    assert (pending[which] == (held || over_now) && overflow[which] == over_now);
        kept:     assert (dut.held[which] == held);
        tells:    assert (!(phase == 3'd4 && mine) || {count, first, over} == told);
        counts:   assert (!(held && (phase < 3'd2 || !mine)) || dut.counts[which] == number);
        worsts:   assert (!(held && (phase < 3'd2 || !mine)) || dut.worsts[which] == worst);
        lasts:    assert (!(held && (phase < 3'd3 || !mine)) || phase == 3'd2 || ram_last == {60'd0, last_ts});
        firsts:   assert (!(held && (phase < 3'd3 || !mine)) || phase == 3'd2 || ram_first == {60'd0, first_ts});
        steps:    assert (dut.set2 == (phase == 3'd2) && dut.set3 == (phase == 3'd3) && dut.set4 == (phase == 3'd4));
        read:     assert (!(phase == 3'd2 && mine && held) || (dut.count2 == number && dut.worst2 == worst));
        settled_: assert (!(phase == 3'd2 && held) || (dut.counts[which] == number && dut.worsts[which] == worst
                          && ram_last == {60'd0, last_ts} && ram_first == {60'd0, first_ts}));
        decided:  assert (!(phase == 3'd3 && mine) || (dut.over3 || dut.full3) == told[0]
                          && (dut.new3 && !dut.over3) == told[1] && dut.count_next == told[6:2] && last_ts == set_ts
                          && (dut.new3 ? first_ts == set_ts && worst == set_key : !held
                          || (ram_first == {60'd0, first_ts} &&
                          (dut.greater3 ? worst == set_key : dut.worsts[which] == worst))));
        held3:    assert (!(phase == 3'd3 && mine && held) || number == told[6:2]);
        written:  assert (!(phase == 3'd4 && mine && held) || (ram_last == {60'd0, last_ts}
                          && dut.counts[which] == number && dut.worsts[which] == worst && last_ts == set_ts
                          && (dut.new3 ? first_ts == set_ts : ram_first == {60'd0, first_ts})));
        legal:    assert (phase <= 3'd4 && set_class < 3'd5 && (!held || number != 5'd0));
    end

    always @(posedge clk) if (started && !rst) begin
        both:  cover (set && clear[which] && held && number == 5'd2);
        third: cover (held && number == 5'd3 && worst != set_key && phase == 3'd4 && mine);
        gone:  cover (over_now && !held);
    end
endmodule

`default_nettype wire
