// SPDX-License-Identifier: Apache-2.0
// Serviceability (M3 to M5): so many excesses in a sliding window of relative time.
//
// Does:      keeps for COUNT - 1 excesses until when they count; an excess that finds all of them still counting fires
//            and consumes them, any other takes a free place.
// Promises:  fires iff, of the excesses since the last fire or flush, the COUNT-th newest is at most the window older.
//            A place is free from the first clock in which its excess is too old, so that a wrapped time revives none.
// Costs:     `fire` is in the clock of the excess (stage 2), whose time came a clock earlier (stage 1).
// Overflow:  none: with no free place an excess fires.
//
// Needs:     time that advances by less than 2^(TIME_W-1) a clock and by at most the window from one clock to the next;
//            a window below 2^(TIME_W-1). Any other step of time comes with `flush`.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_thresholds.vh"

module nps_ras_s #(
    parameter integer COUNT  = `NPS_S_COUNT,  // excesses, 2..8
    parameter integer TIME_W = 32             // bits of time, 3..
) (
    input wire clk,
    input wire rst,

    input wire [TIME_W-1:0] s1_rel,    // time of the clock in stage 1
    input wire [TIME_W-1:0] s2_until,  // in stage 2: its time + window
    input wire              flush,     // stage 2, before the excess
    input wire              excess,    // stage 2

    output wire fire
);
    `NPS_REFUSE(COUNT < `NPS_S_COUNT_MIN || COUNT > `NPS_S_COUNT_MAX, nps_error__S_COUNT_must_be_2_to_8)

    localparam integer PLACES = COUNT - 1;

    reg [PLACES-1:0] taken;  // a place holds an excess
    reg [PLACES-1:0] old;    // in stage 2: it does not count any more
    wire [PLACES-1:0] counts = taken & ~old & ~{PLACES{flush}};
    wire [PLACES-1:0] lowest = ~counts & (counts + {{PLACES - 1{1'b0}}, 1'b1});  // free place, one hot
    wire [PLACES-1:0] takes = lowest & {PLACES{excess}};
    assign fire = excess && &counts;

    genvar place;
    generate
        for (place = 0; place < PLACES; place = place + 1) begin : g_place
            reg [TIME_W-1:0] counts_until;
            wire [TIME_W-1:0] left = counts_until - s1_rel;

            always @(posedge clk) begin
                if (takes[place]) counts_until <= s2_until;
                old[place] <= left[TIME_W-1] && !takes[place];
            end
        end
    endgenerate

    always @(posedge clk) begin
        if (rst || fire) taken <= {PLACES{1'b0}};
        else taken <= counts | takes;
    end
endmodule

`default_nettype wire
