// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_jitter_stat with words of four bits: a reference that takes each entry of the queue at once, its
// square by multiplication. The invariants say what each word holds in each clock of an entry; with them the proof
// holds for any number of clocks.
`default_nettype none

module formal_jitter_stat (
    input wire       clk,
    input wire       rst,
    input wire       sample,
    input wire       ok,
    input wire [3:0] jitter,
    input wire       snap,
    input wire [3:0] index,
    input wire [4:0] any_number
);
    wire       busy;
    wire [3:0] word;
    nps_jitter_stat #(.W(4)) dut (
        .clk(clk), .rst(rst), .sample(sample), .ok(ok), .jitter(jitter), .snap(snap), .busy(busy), .index(index),
        .word(word)
    );

    // rst is high in the first clock, then it falls for good
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) assume (rst == !started);

    // ---------------------------------------------------------------- queue: a followed entry, numbered modulo 32
    reg  [4:0] follow, put_n, take_n;
    reg  [6:0] followed;
    wire       fits = dut.level < 5'd15;
    wire       snaps = snap && !busy;
    wire       puts = snaps || (sample && fits);
    wire [4:0] waiting = put_n - take_n, ahead = follow - take_n;
    wire [6:0] entry = {snaps, sample && fits, sample && fits && ok, jitter};
    always @(posedge clk) begin
        follow <= started ? follow : any_number;
        if (puts) put_n <= put_n + 5'd1;
        if (puts && put_n == follow) followed <= entry;
        if (dut.take) take_n <= take_n + 5'd1;
        if (rst) {put_n, take_n} <= 10'd0;
    end

    // the one snap that may wait: its number, and which entries say snap
    reg        snap_waits;
    reg  [4:0] snap_n;
    wire [15:0] stray_snap;
    genvar q;
    generate
        for (q = 0; q < 16; q = q + 1) begin : g_queue
            wire [3:0] place = q - take_n[3:0];
            assign stray_snap[q] = {1'b0, place} < waiting
                && (dut.queue[q][6] != (snap_waits && snap_n[3:0] == q) || (dut.queue[q][4] && !dut.queue[q][5]));
        end
    endgenerate
    wire [4:0] snap_ahead = snap_n - take_n;
    always @(posedge clk) begin
        snap_waits <= (snaps || (snap_waits && !(dut.take && take_n == snap_n))) && !rst;
        if (snaps) snap_n <= put_n;
    end

    // ---------------------------------------------------------------- reference, and what the entry at work makes of it
    reg         [3:0] count;
    reg signed  [3:0] lowest, highest;
    reg         [7:0] sum, error;
    reg        [11:0] squares;
    reg               some, e_some, left_out, e_left_out;
    reg        [39:0] kept;
    wire signed [3:0] x = dut.x;
    wire signed [7:0] wide = {{4{x[3]}}, x};
    wire signed [7:0] square = wide * wide;
    reg         was_first;
    wire        valid = dut.e_ok, first = dut.pass == 2'd0 ? !some || dut.e_snap : was_first;
    wire [3:0]  count_n = count + {3'd0, valid};
    wire [3:0]  lowest_n = valid ? (first || x < lowest ? x : lowest) : dut.e_snap ? 4'd0 : lowest;
    wire [3:0]  highest_n = valid ? (first || x > highest ? x : highest) : dut.e_snap ? 4'd0 : highest;
    wire [7:0]  sum_n = valid ? sum + wide : sum;
    wire [7:0]  error_n = valid ? error + wide : dut.e_sample ? 8'd0 : error;
    wire [11:0] squares_n = valid ? squares + {4'd0, square} : squares;
    wire [39:0] now_is = {error, squares, sum, highest, lowest, count};
    wire [39:0] then_is = {error_n, squares_n, sum_n, highest_n, lowest_n, count_n};
    wire        copied = dut.works && !dut.clears && dut.pass == 2'd0 && dut.last_step;
    always @(posedge clk) begin
        if (dut.ends && !dut.clears) {error, squares, sum, highest, lowest, count} <= then_is;
        if (copied) some <= valid || (some && !dut.e_snap);
        if (copied && dut.e_snap) {e_some, kept} <= {some, now_is};
        if (snaps) e_left_out <= left_out;
        was_first <= first;
        left_out <= (sample && !fits) || (left_out && !snaps);
        if (rst) {count, lowest, highest, sum, error, squares} <= 40'd0;
        if (rst) {some, e_some, left_out, e_left_out, kept} <= 44'd0;
    end

    // ---------------------------------------------------------------- words, those on their way to the RAM included
    wire [39:0] stored, copies;
    wire [9:0]  passed, copy_passed;        // the word is the new one
    wire        in_words = dut.works && dut.pass == 2'd0, in_squares = dut.pass == 2'd2;
    wire        is_square = dut.word_at >= 4'd5 && dut.word_at <= 4'd7;
    genvar n;
    generate
        for (n = 0; n < 10; n = n + 1) begin : g_word
            localparam IS_SQUARE = n >= 5 && n <= 7;
            assign stored[4*n+:4] = dut.stores && dut.store_at == n ? dut.stored : dut.now[n];
            assign copies[4*n+:4] = dut.kept[n];
            assign passed[n] = IS_SQUARE && !dut.clears ? in_squares && dut.at >= 2 * n + 2
                : dut.pass != 2'd0 || (dut.works && dut.at >= 2 * n + 2);
            assign copy_passed[n] = in_words && dut.at >= 2 * n + 2;
        end
    endgenerate
    reg [39:0] due, copy_due, known;
    integer i;
    always @(*) for (i = 0; i < 10; i = i + 1) begin
        due[4*i+:4] = passed[i] ? (dut.clears ? 4'd0 : then_is[4*i+:4]) : now_is[4*i+:4];
        known[4*i+:4] = {4{!dut.clears || passed[i]}};
        copy_due[4*i+:4] = copy_passed[i] && (dut.e_snap || dut.clears) ? (dut.clears ? 4'd0 : now_is[4*i+:4]) : kept[4*i+:4];
    end
    wire [3:0] now_word = now_is >> {dut.word_at, 2'd0};
    wire [4:0] sum_lo = {1'b0, sum[3:0]} + {1'b0, x}, error_lo = {1'b0, error[3:0]} + {1'b0, x};
    wire [4:0] square_lo = {1'b0, squares[3:0]} + {1'b0, square[3:0]};
    wire [4:0] square_mid = {1'b0, squares[7:4]} + {1'b0, square[7:4]} + {4'd0, square_lo[4]};
    wire       carries = dut.word_at == 4'd4 ? sum_lo[4] : dut.word_at == 4'd9 ? error_lo[4]
        : dut.word_at == 4'd6 ? square_lo[4] : square_mid[4];
    wire       chained = dut.word_at == 4'd4 || dut.word_at == 4'd9 || dut.word_at == 4'd6 || dut.word_at == 4'd7;
    wire       matters = valid && (is_square ? in_squares : in_words);
    wire       extreme = dut.word_at == 4'd1 || dut.word_at == 4'd2;
    wire signed [3:0] low_s = {1'b0, x[2:0]};
    wire signed [7:0] one = x[0] ? wide : 8'd0, two = one + (x[1] ? wide <<< 1 : 8'd0), three = two + (x[2] ? wide <<< 2 : 8'd0);

    reg [3:0] index1, index2;
    reg       may1, may2;                   // a snapshot stood when the index came
    reg [39:0] kept1, kept2;
    always @(posedge clk) begin
        {index2, index1, kept2, kept1} <= {index1, index, kept1, kept};
        {may2, may1} <= {may1, !busy && !dut.clears} & {2{!rst}};
    end
    wire [3:0] word_due = kept2 >> {index2, 2'd0}, fetch_due = kept1 >> {index1, 2'd0};

    always @(*) if (started) begin
        order:    assert (!(dut.take && ahead == 5'd0 && waiting != 5'd0) || dut.next == followed);
        snapshot: assert (busy || dut.clears || copies == kept);
        shown:    assert (!may2 || index2 >= 4'd10 || word == word_due);
        fetched:  assert (!may1 || (dut.is_flags == (index1 == 4'd10) && (index1 >= 4'd10 || dut.kept_word == fetch_due)));
        flags:    assert (dut.k_some == e_some && dut.k_missed == e_left_out);
        fitting:  assert (waiting == dut.level && dut.level <= 5'd16 && (dut.level < 5'd16 || snap_waits));
        zero:     assert (some || (lowest == 4'd0 && highest == 4'd0));
        // invariants
        queued:   assert (ahead >= waiting || dut.queue[follow[3:0]] == followed);
        pointers: assert (dut.put_at == put_n[3:0] && dut.take_at == take_n[3:0] && dut.some_wait == (waiting != 5'd0));
        words:    assert ((stored & known) == (due & known));
        copy:     assert (dut.clears || copies == copy_due);
        copy_0:   assert (!dut.clears || (copies & {{4{copy_passed[9]}}, {4{copy_passed[8]}}, {4{copy_passed[7]}},
            {4{copy_passed[6]}}, {4{copy_passed[5]}}, {4{copy_passed[4]}}, {4{copy_passed[3]}}, {4{copy_passed[2]}},
            {4{copy_passed[1]}}, {4{copy_passed[0]}}}) == 40'd0);
        read:     assert (!(dut.writes && (in_words || (in_squares && is_square)) && dut.word_at < 4'd10) || dut.clears || dut.old == now_word);
        decoded:  assert (!dut.writes || !(in_words || in_squares)
            || (dut.adds == (extreme || dut.word_at == 4'd3 || dut.word_at == 4'd8 || dut.word_at == 4'd5 || dut.word_at == 4'd6)
                && dut.compares == extreme
                && dut.inverts == (extreme || ((dut.word_at == 4'd4 || dut.word_at == 4'd9) && x[3]))));
        carried:  assert (!(dut.writes && matters) || dut.carry == (dut.word_at == 4'd0 || extreme || (chained && carries)));
        chained_: assert (!(!dut.writes && matters && chained) || dut.chain == carries);
        factor:   assert (!(in_words && valid) || (dut.low == x && dut.high == 4'd0));
        multiply: assert (dut.pass != 2'd1 || (dut.at == 5'd0 ? dut.low == x && dut.high == 4'd0
            : dut.at == 5'd1 ? {dut.high, dut.low[3], dut.low[2:0]} == {one[4:0], x[3:1]}
            : dut.at == 5'd2 ? {dut.high, dut.low[3:2], dut.low[1:0]} == {two[5:0], x[3:2]}
            : {dut.high, dut.low[3:1], dut.low[0]} == {three[6:0], x[3]}));
        product_: assert (!in_squares || (dut.high == square[7:4] && dut.low == (dut.at < 5'd12 ? square[3:0] : square[7:4])));
        phases:   assert (dut.pass == 2'd0 || (some && dut.works && valid && !dut.clears && dut.pass != 2'd3
            && (dut.pass == 2'd1 ? dut.at < 5'd4 : dut.at < 5'd16)));
        resting:  assert (dut.works || dut.at == 5'd0);
        clearing: assert (!dut.clears || (dut.works && !dut.e_ok && !dut.e_snap && !dut.e_sample && now_is == 40'd0 && !some && kept == 40'd0));
        ending:   assert (dut.last_step == (dut.works && dut.at == (dut.pass == 2'd0 ? 5'd31 : dut.pass == 2'd1 ? 5'd3 : 5'd15)));
        missing:  assert (dut.missed == left_out && dut.some == some);
        one_snap: assert (stray_snap == 16'd0 && (!snap_waits || snap_ahead < waiting));
        while_:   assert (busy == (snap_waits || (in_words && dut.e_snap)) && !(snap_waits && in_words && dut.e_snap));
        stored_:  assert (!dut.stores || (dut.at == 5'd0 ? (!dut.works || dut.pass == 2'd1) && dut.store_at[2:0] == 3'd7
            : !dut.writes && dut.pass != 2'd1 && dut.store_at == dut.word_at - 4'd1));
        samples:  assert (!valid || dut.e_sample);
    end
    always @(*) if (started) begin
        full:     cover (dut.level == 5'd16 && snap_waits);
        done:     cover (!busy && !dut.works && dut.e_snap);
    end
endmodule

`default_nettype wire
