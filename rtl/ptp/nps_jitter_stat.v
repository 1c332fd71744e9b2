// SPDX-License-Identifier: Apache-2.0
// Statistics of jitter samples, readable as one coherent snapshot; word by word in a RAM, for its area.
//
// Does:     counts valid samples, adds them and their squares, keeps the lowest and the highest since the last snap
//           and the running time interval error: the sum since the last sample that was not valid.
// Promises: a snapshot holds the same samples in all its words: those that came before the clock of `snap` and fitted.
// Costs:    80 clocks a valid sample, 32 any other; a snapshot waits for the samples before it. The snapshot stands from
//           the clock in which `busy` falls until the next snap, a word comes 2 clocks after its index.
// Overflow: 15 samples wait; what does not fit is in no word, and told by bit 2 of word 10 of the next snapshot. A snap
//           while busy is ignored. Count, sum, squares and error are modulo 2^32, 2^64, 2^96, 2^64 and never cleared:
//           differences of two snapshots are exact while fewer than 2^32 samples lie between.
//
// Words: 0 count, 1 lowest, 2 highest, 3, 4 sum, 5 to 7 sum of squares, 8, 9 running error, 10 bit 0: 1 and 2 hold a
// sample, else they are 0; bit 1: busy; bit 2: samples are missing. Low words first; all signed but count and squares.
`default_nettype none
`include "nps_refuse.vh"

module nps_jitter_stat #(
    parameter integer W = 32  // bits of a word and of a sample, 4..32; less than 32 for proofs
) (
    input wire clk,
    input wire rst,

    input wire         sample,
    input wire         ok,      // of a sample: it is valid
    input wire [W-1:0] jitter,  // signed

    input  wire         snap,
    output reg          busy,   // the snapshot is on its way
    input  wire [  3:0] index,
    output reg  [W-1:0] word
);
    `NPS_REFUSE(W < 4 || W > 32, nps_error__W_must_be_4_to_32)

    localparam [3:0] COUNT = 4'd0, LOWEST = 4'd1, HIGHEST = 4'd2, SUM = 4'd3, SUM_HI = 4'd4, SQUARE = 4'd5;
    localparam [3:0] SQUARE_HI = 4'd7, ERROR = 4'd8, ERROR_HI = 4'd9, FLAGS = 4'd10;
    localparam [1:0] WORDS = 2'd0, MULTIPLY = 2'd1, SQUARES = 2'd2;

    // ------------------------------------------------------------------ queue of 16, the last place for a snap
    (* no_rw_check, ram_style = "distributed" *)
    reg [W+2:0] queue[0:15];
    reg [3:0] put_at, take_at;
    reg [4:0] level;
    reg some_wait, missed, k_missed;
    wire fits = level < 5'd15;
    wire snaps = snap && !busy;
    wire puts = snaps || (sample && fits);
    wire take;
    wire [W+2:0] next = queue[take_at];
    always @(posedge clk) begin
        if (puts) queue[put_at] <= {snaps, sample && fits, sample && fits && ok, jitter};
        put_at <= put_at + {3'd0, puts};
        take_at <= take_at + {3'd0, take};
        level <= level + {4'd0, puts} - {4'd0, take};
        some_wait <= puts || level > {4'd0, take};
        missed <= (sample && !fits) || (missed && !snaps);
        if (snaps) k_missed <= missed;
        if (rst) {put_at, take_at, level, some_wait, missed, k_missed} <= 16'd0;
    end

    // ------------------------------------------------------------------ one entry: its words twice, a square between
    // WORDS: each word is read in one clock, copied and added to in the next, written in the third. SQUARES: those of the
    // sum of squares.
    reg works, clears;           // clears: all words become 0, after reset
    reg [1:0] pass;
    reg [4:0] at;
    reg e_snap, e_ok, e_sample;
    reg signed [W-1:0] x;        // the sample
    wire [3:0] word_at = at[4:1];
    wire writes = at[0];
    localparam [4:0] BEFORE_SIGN = W[4:0] - 5'd2;
    reg last_step;               // of the pass
    wire ends = last_step && (pass == SQUARES || !e_ok);
    assign take = some_wait && !works;
    always @(posedge clk) begin
        if (take) {works, e_snap, e_sample, e_ok, x} <= {1'b1, next};
        if (works) at <= last_step ? 5'd0 : at + 5'd1;
        last_step <= at == (pass == WORDS ? 5'd30 : pass == MULTIPLY ? BEFORE_SIGN : 5'd14) && !last_step && !rst;
        if (last_step) pass <= pass + 2'd1;
        if (ends) {works, clears, pass} <= 4'd0;
        busy <= snaps || (busy && !(e_snap && pass == WORDS && last_step));
        if (rst) {works, clears, pass, at, e_snap, e_ok, e_sample, busy} <= {1'b1, 1'b1, 2'd0, 5'd0, 4'd0};
    end

    // ------------------------------------------------------------------ square: a bit of x a clock, the sign's last
    reg [W-1:0] low, high;       // x, then the square
    wire sign_bit = last_step;
    wire [W:0] partial = {{x[W-1], x} ^ {W + 1{sign_bit}}} & {W + 1{low[0]}};
    wire [W:0] product = {high[W-1], high} + partial + {{W{1'b0}}, sign_bit && low[0]};
    always @(posedge clk) begin
        if (pass == MULTIPLY) {high, low} <= {product, low[W-1:1]};
        else if (take) low <= next[W-1:0];
        else if (word_at == SQUARE && writes && pass == SQUARES) low <= high;
        if (pass == WORDS) high <= {W{1'b0}};
    end

    // ------------------------------------------------------------------ words
    (* no_rw_check, ram_style = "distributed" *)
    reg [W-1:0] now[0:15];
    (* no_rw_check, ram_style = "distributed" *)
    reg [W-1:0] kept[0:15];
    reg [W-1:0] old, stored, kept_word;
    reg [3:0] store_at;
    reg stores;
    reg some, k_some, is_flags;
    reg adds, inverts, compares, carry, chain;   // of the word that is written
    wire fresh = !some || e_snap;                // the first of its window
    wire extreme = word_at == LOWEST || word_at == HIGHEST;
    wire is_error = word_at == ERROR || word_at == ERROR_HI;
    wire is_square = word_at >= SQUARE && word_at <= SQUARE_HI;
    wire above = word_at == SUM_HI || word_at == ERROR_HI;    // of a sign
    // the sample or 0, inverted for a difference and for a negative sign; compared in offset binary
    wire [W-1:0] term = (low & {W{adds}}) ^ {W{inverts}};
    wire [W-1:0] top = {compares, {W - 1{1'b0}}};
    wire [W-1:0] sum;
    wire out, unused;                            // out: carry; of a difference: old >= sample
    assign {out, sum, unused} = {1'b0, old ^ top, 1'b1} + {1'b0, term ^ top, carry};
    wire replaced = fresh || (word_at == LOWEST ? out : !out);
    wire counts = pass == SQUARES ? is_square : word_at < FLAGS && !is_square && (!extreme || replaced);
    wire zero = clears || !e_ok;
    wire changes = e_ok ? counts : clears || (e_snap && extreme) || (e_sample && is_error);
    always @(posedge clk) begin
        old <= now[word_at];
        adds <= extreme || word_at == SUM || word_at == ERROR || (is_square && word_at != SQUARE_HI);
        inverts <= extreme || (above && x[W-1]);
        compares <= extreme;
        carry <= word_at == COUNT || extreme || ((above || is_square) && word_at != SQUARE && chain);
        if (writes) chain <= out;
        stores <= works && writes && pass != MULTIPLY && changes && !rst;
        {store_at, stored} <= {word_at, zero ? {W{1'b0}} : compares ? low : sum};
        if (stores) now[store_at] <= stored;
        if (works && writes && pass == WORDS && (e_snap || clears)) kept[word_at] <= clears ? {W{1'b0}} : old;
        if (pass == WORDS && last_step) begin
            if (e_snap) k_some <= some;
            some <= e_ok || (some && !e_snap);
        end
        if (rst) {some, k_some} <= 2'd0;
    end

    // ------------------------------------------------------------------ read
    always @(posedge clk) begin
        kept_word <= kept[index];
        is_flags <= index == FLAGS;
        word <= is_flags ? {{W - 3{1'b0}}, k_missed, busy, k_some} : kept_word;
    end
endmodule
`default_nettype wire
