// SPDX-License-Identifier: Apache-2.0
// Tells the words of a configuration in the stream: CFG records before the event that says they are new.
//
// Does:      on an event with `in_cfg` tells the WORDS words one a clock, then the event; every other event passes.
// Promises:  all events in order; a clock step comes before the words. Every word told has the time of its event.
// Costs:     1 clock, of an event with in_cfg WORDS + 1 clocks.
// Overflow:  none.
//
// Needs:     no event in the WORDS clocks after one with in_cfg, as nps_ras_map makes them; words that stand from the
//            clock before it until they are told.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_trace.vh"

module nps_ras_words #(
    parameter integer WORDS = 6,  // 2..8
    parameter integer FIRST = 8   // CFG sub of the first word, 0..16 - WORDS
) (
    input wire clk,
    input wire rst,

    input wire [32*WORDS-1:0] words,  // the first in the lowest bits

    input wire        in_valid,
    input wire        in_step,
    input wire        in_cfg,
    input wire [ 3:0] in_kind,
    input wire [ 3:0] in_sub,
    input wire [ 1:0] in_tq,
    input wire [63:0] in_ts,
    input wire [31:0] in_payload,
    input wire [63:0] in_step_ns,

    output reg         ev_valid,
    output reg         ev_step,
    output reg  [ 3:0] ev_kind,
    output reg  [ 3:0] ev_sub,
    output reg  [ 1:0] ev_tq,
    output reg  [63:0] ev_ts,
    output reg  [31:0] ev_payload,
    output reg  [63:0] ev_step_ns,
    output wire        idle         // nothing is inside
);
    `NPS_REFUSE(WORDS < 2 || WORDS > 8, nps_error__WORDS_must_be_2_to_8)
    `NPS_REFUSE(FIRST < 0 || FIRST + WORDS > 16, nps_error__FIRST_must_be_0_to_16_less_WORDS)

    // the event, while its words are told
    reg has_record;
    reg [3:0] kind, sub;
    reg [31:0] payload;

    reg tells, ends;  // words after the first; the event behind them
    reg [2:0] at;     // word that is told
    localparam [2:0] LAST = WORDS[2:0] - 3'd1;
    wire comes = in_valid || in_step || in_cfg;
    wire word = in_cfg || tells;
    wire [3:0] first = FIRST[3:0];
    wire [2:0] next = word && at != LAST && !rst ? at + 3'd1 : 3'd0;
    // the word that is told is read a clock earlier; by bits: an indexed part select is built as a shifter
    wire [255:0] all = {{256 - 32 * WORDS{1'b0}}, words};
    wire [127:0] half = next[2] ? all[255:128] : all[127:0];
    wire [63:0] quarter = next[1] ? half[127:64] : half[63:0];
    reg [31:0] told;
    assign idle = !(comes || tells || ends || ev_valid || ev_step);
    always @(posedge clk) begin
        if (comes) {ev_tq, ev_ts, ev_step_ns} <= {in_tq, in_ts, in_step_ns};
        if (comes) {has_record, kind, sub, payload} <= {in_valid, in_kind, in_sub, in_payload};
        tells <= word && at != LAST && !rst;
        ends <= tells && at == LAST && !rst;
        at <= next;
        told <= next[0] ? quarter[63:32] : quarter[31:0];
        ev_valid <= (word || (ends ? has_record : in_valid)) && !rst;
        ev_step <= in_step && !rst;
        {ev_kind, ev_sub, ev_payload} <= word ? {`NPS_K_CFG, first + {1'b0, at}, told}
            : ends ? {kind, sub, payload} : {in_kind, in_sub, in_payload};
    end
endmodule

`default_nettype wire
