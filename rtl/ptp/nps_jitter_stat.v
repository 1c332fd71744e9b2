// SPDX-License-Identifier: Apache-2.0
// Statistics of jitter samples, readable as one coherent snapshot.
//
// Does:     counts valid samples, adds them and their squares, keeps the lowest and the highest since the last snap
//           and the running time interval error: the sum since the last sample that was not valid.
// Promises: a snapshot holds the same samples in all its words, and each sample is before or after it, none in neither.
// Costs:    a sample is in snapshots taken 4 clocks later or more; the snapshot can be read 4 clocks after `snap`, a word
//           2 clocks after its index.
// Overflow: count, sums and error are modulo 2^32, 2^64, 2^96, 2^64 and never cleared: differences of two snapshots are
//           exact while fewer than 2^32 samples lie between.
//
// Words: 0 count, 1 lowest, 2 highest, 3, 4 sum, 5 to 7 sum of squares, 8, 9 running error, 10 bit 0: 1 and 2 hold a
// sample, else they are 0. Low words first; all signed but count and squares.
`default_nettype none

module nps_jitter_stat (
    input wire clk,
    input wire rst,

    input wire        sample,
    input wire        ok,      // of a sample: it is valid
    input wire [31:0] jitter,  // signed

    input  wire        snap,
    input  wire [ 3:0] index,
    output reg  [31:0] word
);
    // ------------------------------------------------------------------ the sample, beside its square
    localparam integer DELAY = 4;           // clocks of nps_square
    reg [DELAY-1:0] samples, oks;
    reg [32*DELAY-1:0] jitters;
    always @(posedge clk) begin
        samples <= {samples[DELAY-2:0], sample} & {DELAY{!rst}};
        oks <= {oks[DELAY-2:0], ok};
        jitters <= {jitters[32*(DELAY-1)-1:0], jitter};
    end
    wire c_sample = samples[DELAY-1];
    wire c_ok = oks[DELAY-1];
    wire [31:0] c_jitter = jitters[32*(DELAY-1)+:32];
    wire [63:0] c_square;
    nps_square square (
        .clk(clk),
        .x  (jitter),
        .y  (c_square)
    );

    // ------------------------------------------------------------------ accumulate
    wire add = c_sample && c_ok;
    wire [63:0] wide = {{32{c_jitter[31]}}, c_jitter};
    reg [31:0] count;
    reg [63:0] sum, error;
    reg [48:0] squares_lo;                  // top bit: carry on its way to squares_hi
    reg [47:0] squares_hi;
    reg [15:0] d_square;
    reg [31:0] lowest, highest;
    reg d_add, some, snapped, snapped_hi;
    // in offset binary, where signed numbers are in unsigned order
    wire [31:0] place = {!c_jitter[31], c_jitter[30:0]};
    wire fresh = !some || snapped;          // the first of its window
    wire lower = place < {!lowest[31], lowest[30:0]};
    wire higher = place > {!highest[31], highest[30:0]};
    always @(posedge clk) begin
        snapped <= snap;
        d_add <= add;
        d_square <= c_square[63:48];
        if (add) begin
            count <= count + 32'd1;
            sum <= sum + wide;
            error <= error + wide;
            squares_lo <= {1'b0, squares_lo[47:0]} + {1'b0, c_square[47:0]};
        end
        if (c_sample && !c_ok) error <= 64'd0;
        if (d_add) squares_hi <= squares_hi + {32'd0, d_square} + {47'd0, squares_lo[48]};
        some <= add || (some && !snapped);
        if (add && (fresh || lower)) lowest <= c_jitter;
        if (add && (fresh || higher)) highest <= c_jitter;
        if (rst) begin
            {d_add, some, snapped} <= 3'd0;
            {count, sum, error, squares_lo, squares_hi} <= {32 + 64 + 64 + 49 + 48{1'b0}};
            {lowest, highest} <= 64'd0;
        end
    end

    // ------------------------------------------------------------------ snapshot; squares_hi is a clock behind
    reg [31:0] k_count, k_lowest, k_highest;
    reg [63:0] k_sum, k_error;
    reg [47:0] k_squares_lo, k_squares_hi;
    reg k_some;
    always @(posedge clk) begin
        snapped_hi <= snapped && !rst;
        if (snapped) {k_count, k_sum, k_error, k_squares_lo} <= {count, sum, error, squares_lo[47:0]};
        if (snapped) {k_some, k_lowest, k_highest} <= {some, lowest, highest};
        if (snapped && !some) {k_lowest, k_highest} <= 64'd0;
        if (snapped_hi) k_squares_hi <= squares_hi;
        if (rst) begin
            {k_count, k_sum, k_error, k_squares_lo, k_squares_hi} <= {32 + 64 + 64 + 48 + 48{1'b0}};
            {k_some, k_lowest, k_highest} <= 65'd0;
        end
    end

    // ------------------------------------------------------------------ read
    wire [95:0] k_squares = {k_squares_hi, k_squares_lo};
    reg [31:0] low, mid, high;
    reg [1:0] third;
    always @(posedge clk) begin
        case (index[1:0])
            2'd0: {low, mid, high} <= {k_count, k_sum[63:32], k_error[31:0]};
            2'd1: {low, mid, high} <= {k_lowest, k_squares[31:0], k_error[63:32]};
            2'd2: {low, mid, high} <= {k_highest, k_squares[63:32], 31'd0, k_some};
            default: {low, mid, high} <= {k_sum[31:0], k_squares[95:64], 32'd0};
        endcase
        third <= index[3:2];
        word <= third[1] ? high : third[0] ? mid : low;
    end
endmodule
`default_nettype wire
