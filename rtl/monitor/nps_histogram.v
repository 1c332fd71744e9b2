// SPDX-License-Identifier: Apache-2.0
// Histogram: how often each number came, readable as one snapshot.
//
// Does:     counts `index` in each clock of `add`; `snap` turns what was counted into the snapshot, begins anew.
// Promises: each add is in exactly one snapshot, that of the next snap in a later clock; a snapshot holds still until the
//           next snap.
// Costs:    one add a clock; the snapshot is whole NPS_HISTOGRAM_SNAP_LATENCY clocks after snap. A word comes
//           NPS_HISTOGRAM_WORD_LATENCY clocks after its index, if there was no add in the index's clock: adds go first.
// Overflow: counts are modulo 2^COUNT_W.
//
// Two banks: one counts, one is the snapshot. A bank is not cleared: `used` says which of its words mean something.
// Signals sN_* belong to the add, or the index, that is in stage N: 1 RAM reads, 2 sum.
`default_nettype none
`include "nps_refuse.vh"

module nps_histogram #(
    parameter integer BINS    = 46,  // 2..64
    parameter integer COUNT_W = 32   // bits of a count, 2..32
) (
    input wire clk,
    input wire rst,

    input wire       add,
    input wire [5:0] index,  // of an add: below BINS

    input  wire               snap,
    input  wire [        5:0] read,  // bin of the snapshot
    output reg  [COUNT_W-1:0] word   // 0 at or above BINS
);
    `NPS_REFUSE(BINS < 2 || BINS > 64, nps_error__BINS_must_be_2_to_64)
    `NPS_REFUSE(COUNT_W < 2 || COUNT_W > 32, nps_error__COUNT_W_must_be_2_to_32)

    localparam integer A = $clog2(BINS);
    localparam [6:0] END = BINS[6:0];

    (* no_rw_check, ram_style = "distributed" *)
    reg [COUNT_W-1:0] counts[0:2*(1<<A)-1];

    // ------------------------------------------------------------------ stage 0: adds go first
    reg s0_add, s0_snap, s0_exists;
    reg [A-1:0] s0_bin;                      // of the add, else of the snapshot
    always @(posedge clk) begin
        {s0_add, s0_snap} <= {add, snap} & {2{!rst}};
        s0_bin <= add ? index[A-1:0] : read[A-1:0];
        s0_exists <= {1'b0, read} < END;
    end

    // ------------------------------------------------------------------ banks
    reg bank;                                // counts
    reg [BINS-1:0] used, used_shown;         // words that mean something, of the counting bank and of the snapshot
    wire [BINS-1:0] one = {{BINS - 1{1'b0}}, s0_add} << s0_bin;
    wire bank_now = bank ^ s0_snap;
    always @(posedge clk) begin
        bank <= bank_now && !rst;
        used <= ((used & {BINS{!s0_snap}}) | one) & {BINS{!rst}};
        if (rst || s0_snap) used_shown <= used & {BINS{!rst}};
    end

    // ------------------------------------------------------------------ count, or read
    reg s1_add, s2_add, s2_same;             // same: the add in the clock before was of the same word
    reg [A:0] s1_at, s2_at;
    reg s1_use, s2_use;                      // the word means something
    reg [COUNT_W-1:0] s2_word, s3_sum;
    wire [COUNT_W-1:0] prior = !s2_use ? {COUNT_W{1'b0}} : s2_same ? s3_sum : s2_word;
    wire [COUNT_W-1:0] sum = prior + {{COUNT_W - 1{1'b0}}, 1'b1};
    always @(posedge clk) begin
        {s1_add, s2_add} <= {s0_add, s1_add} & {2{!rst}};
        {s1_at, s2_at} <= {bank_now ^ !s0_add, s0_bin, s1_at};
        s1_use <= s0_add ? used[s0_bin] && !s0_snap : used_shown[s0_bin] && s0_exists;
        s2_use <= s1_use;
        s2_word <= counts[s1_at];
        s2_same <= s2_add && s2_at == s1_at;
        s3_sum <= sum;
        if (s2_add) counts[s2_at] <= sum;
        if (!s2_add) word <= s2_use ? s2_word : {COUNT_W{1'b0}};
    end
endmodule

`default_nettype wire
