// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_jitter_stat: a reference that adds each sample, four clocks after it came, to everything at once,
// and copies everything at once one clock after snap. The square is any number (that it is the square is tested, in
// tb/nps_square); that it is added whole, with all its carries, is proved.
`default_nettype none

module nps_square (
    input  wire        clk,
    input  wire [31:0] x,
    output reg  [63:0] y
);
    always @(posedge clk) y <= {y[31:0], y[63:32] ^ x};
endmodule

module formal_jitter_stat (
    input wire        clk,
    input wire        rst,
    input wire        sample,
    input wire        ok,
    input wire [31:0] jitter,
    input wire        snap,
    input wire [ 3:0] index
);
    wire [31:0] word;
    nps_jitter_stat dut (
        .clk(clk), .rst(rst), .sample(sample), .ok(ok), .jitter(jitter), .snap(snap), .index(index), .word(word)
    );

    // rst is high in the first five clocks, then it falls for good
    reg [2:0] age = 3'd0;
    reg       out = 1'b0;
    wire      settled = age == 3'd5;
    always @(posedge clk) begin
        if (age != 3'd5) age <= age + 3'd1;
        out <= !rst;
    end
    always @(*) begin
        assume (settled || rst);
        assume (!(out && rst));
    end

    // ---------------------------------------------------------------- inputs, late
    reg        s0, s1, s2, s3, o0, o1, o2, o3, k1, k2, k3;
    reg [31:0] x0, x1, x2, x3;
    always @(posedge clk) begin
        {s3, s2, s1, s0} <= {s2, s1, s0, sample} & {4{!rst}};
        {o3, o2, o1, o0, x3, x2, x1, x0} <= {o2, o1, o0, ok, x2, x1, x0, jitter};
        {k3, k2, k1} <= {k2, k1, snap} & {3{!rst}};
    end
    wire valid = s3 && o3;
    wire [63:0] wide = {{32{x3[31]}}, x3};

    // ---------------------------------------------------------------- reference
    reg        [31:0] count, e_count;
    reg        [63:0] sum, error, e_sum, e_error;
    reg        [95:0] squares, e_squares;
    reg signed [31:0] lowest, highest, e_lowest, e_highest;
    reg               some, e_some;
    wire signed [31:0] x = x3;
    always @(posedge clk) begin
        if (k1) {e_count, e_sum, e_error, e_squares, e_some, e_lowest, e_highest} <= {count, sum, error, squares, some, lowest, highest};
        if (valid) begin
            count <= count + 32'd1;
            {sum, error} <= {sum + wide, error + wide};
            squares <= squares + {32'd0, dut.c_square};
        end else if (s3) error <= 64'd0;
        if (valid && (!some || k1)) {lowest, highest} <= {x, x};
        else if (valid) begin
            lowest <= x < lowest ? x : lowest;
            highest <= x > highest ? x : highest;
        end
        some <= valid || (some && !k1);
        if (rst) begin
            {count, sum, error, squares, some} <= {32 + 64 + 64 + 96 + 1{1'b0}};
            {e_count, e_sum, e_error, e_squares, e_some} <= {32 + 64 + 64 + 96 + 1{1'b0}};
        end
    end

    // the square is on its way to the high half for one clock
    wire [95:0] running = {dut.squares_hi, 48'd0} + {48'd0, dut.squares_lo[47:0]}
        + (dut.d_add ? {32'd0, dut.d_square, 48'd0} + {47'd0, dut.squares_lo[48], 48'd0} : 96'd0);
    reg [3:0] index1, index2;
    reg [95:0] squares_before;
    always @(posedge clk) {index2, index1, squares_before} <= {index1, index, squares};
    always @(*) if (settled) begin
        snapshot: assert (dut.k_count == e_count && dut.k_sum == e_sum && dut.k_error == e_error && dut.k_some == e_some);
        extremes: assert ({dut.k_lowest, dut.k_highest} == (e_some ? {e_lowest, e_highest} : 64'd0));
        low_:     assert (dut.k_squares_lo == e_squares[47:0]);
        high_:    assert (k2 || dut.k_squares_hi == e_squares[95:48]);
        // invariants
        counts:   assert (dut.count == count && dut.sum == sum && dut.error == error && dut.some == some);
        window:   assert (!some || (dut.lowest == lowest && dut.highest == highest && $signed(lowest) <= $signed(highest)));
        squared:  assert (running == squares);
        piped:    assert (dut.c_sample == s3 && (!s3 || (dut.c_ok == o3 && dut.c_jitter == x3)) && dut.snapped == k1 && dut.snapped_hi == k2);
    end
    always @(*) if (settled) begin
        two:      cover (k3 && dut.k_count == 32'd2 && dut.k_lowest[31] && !dut.k_highest[31] && dut.k_sum == 64'd5);
        empty:    cover (k3 && !dut.k_some && dut.k_count != 0);
        carried:  cover (dut.d_add && dut.squares_lo[48]);
    end
endmodule

`default_nettype wire
