// SPDX-License-Identifier: Apache-2.0
// Clocks in which something is so, of many channels over windows of time, with one adder for all.
//
// Does:     each channel has a small counter; in turn, a channel a clock, they are added to their sums (a *round* is CHANNELS
//           clocks); at the end of a window the sums become the snapshot (rules U1..U4 in README.md beside this file).
// Promises: each clock of each channel is in exactly one window; all channels have windows of the same number of clocks, that
//           of channel n n clocks later; the snapshot holds still until it is read.
// Costs:    the snapshot is whole a round and NPS_WINDOW_LATENCY clocks after the window's end.
// Overflow: sums are modulo 2^25. While the reader is not done a window does not end: it gets longer.
`default_nettype none
`include "nps_refuse.vh"

module nps_window_count #(
    parameter integer CHANNELS = 8  // 2..128
) (
    input wire clk,
    input wire rst,
    input wire enable,  // 0: nothing is counted, the window that runs is void

    input wire [31:0] rel_ns,  // time bus, low bits
    input wire        rel_step,

    input wire [CHANNELS-1:0] events,
    input wire [        25:0] period,  // ns

    output reg         ready,  // pulse: a snapshot is whole
    output reg  [24:0] clocks, // of its window
    input  wire        busy,   // it is being read
    input  wire [$clog2(CHANNELS)-1:0] index,  // channel of the snapshot
    output reg  [24:0] count   // 1 clock later
);
    `NPS_REFUSE(CHANNELS < 2 || CHANNELS > 128, nps_error__CHANNELS_must_be_2_to_128)

    localparam integer A = $clog2(CHANNELS);
    localparam integer S = $clog2(CHANNELS + 1);  // bits of a small counter
    localparam integer LAST = CHANNELS - 1;
    localparam integer W = 25;
    localparam [W-1:0] ROUND = CHANNELS[W-1:0];

    // ------------------------------------------------------------------ rounds and windows; a round begins in the clock of turn 0
    reg [A-1:0] turn;
    reg running, opens, closes;             // this round's sums begin anew; and those before become the snapshot
    reg due, waits;                         // a window's time is over; a snapshot is not read yet
    reg [31:0] since, age;
    reg [W-1:0] length;
    wire last_turn = turn == LAST[A-1:0];
    wire starts = enable && (!running || rel_step);
    wire ends = running && last_turn && due && !opens && !waits && !busy;
    always @(posedge clk) begin
        running <= enable && !rst;
        turn <= starts || last_turn || !running ? {A{1'b0}} : turn + {{A - 1{1'b0}}, 1'b1};
        age <= rel_ns - since;
        due <= age >= {6'd0, period} && running && !starts;
        if (starts || (running && last_turn)) begin
            opens <= starts || ends;
            closes <= ends && !starts;
        end
        if (starts || (ends && last_turn)) since <= rel_ns;
        if (ends) clocks <= length + ROUND;  // not by a step: it is being read
        if (starts || ends) length <= {W{1'b0}};
        else if (last_turn) length <= length + ROUND;
        if (starts || ends) due <= 1'b0;
        waits <= (ends || (waits && !ready)) && enable && !rel_step && !rst;
        if (rst) {opens, closes, due} <= 3'd0;
    end

    // ------------------------------------------------------------------ small counters
    reg [S*CHANNELS-1:0] pre;
    genvar n;
    generate
        for (n = 0; n < CHANNELS; n = n + 1) begin : g_channel
            localparam integer ME = n;
            wire mine = turn == ME[A-1:0];
            wire [S-1:0] before_it = mine ? {S{1'b0}} : pre[S*n+:S];
            always @(posedge clk) pre[S*n+:S] <= before_it + {{S - 1{1'b0}}, events[n]};
        end
    endgenerate

    // ------------------------------------------------------------------ sums: stage 1 has the small counter, 2 the sum
    (* no_rw_check, ram_style = "distributed" *)
    reg [W-1:0] sums[0:(1<<A)-1];
    (* no_rw_check, ram_style = "distributed" *)
    reg [W-1:0] shown[0:(1<<A)-1];
    reg [A-1:0] s1_turn, s2_turn;
    reg [S-1:0] s1_pre;
    reg s1_opens, s1_closes, s1_last, s2_opens, s2_closes, s2_last, s1_live, s2_live, s3_ready;
    reg [W-1:0] s2_sum;
    reg [S-1:0] chosen;
    integer at;
    always @* begin
        chosen = {S{1'b0}};
        for (at = 0; at < CHANNELS; at = at + 1) if (turn == at[A-1:0]) chosen = chosen | pre[S*at+:S];
    end
    always @(posedge clk) begin
        {s1_turn, s2_turn} <= {turn, s1_turn};
        s1_pre <= chosen;
        {s1_opens, s1_closes, s1_last} <= {opens, closes, last_turn};
        {s2_opens, s2_closes, s2_last} <= {s1_opens, s1_closes, s1_last};
        {s1_live, s2_live} <= {running && !starts && !rst, s1_live && !starts && !rst};
        s2_sum <= sums[s1_turn] + {{W - S{1'b0}}, s1_pre};
        if (s2_live) sums[s2_turn] <= s2_opens ? {W{1'b0}} : s2_sum;
        if (s2_live && s2_closes) shown[s2_turn] <= s2_sum;
        s3_ready <= s2_live && s2_closes && s2_last;
        ready <= s3_ready && waits && enable && !rel_step && !rst;
        count <= shown[index];
    end
endmodule

`default_nettype wire
