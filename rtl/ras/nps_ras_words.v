// SPDX-License-Identifier: Apache-2.0
// Tells the words of a configuration in the stream: CFG records before the event that says they are new.
//
// Does:      on an event with `in_cfg` tells the WORDS words one a clock, then the event; every other event passes.
// Promises:  all events in order, each WORDS + 2 clocks late; a clock step comes before the words. Every word told has
//            the time of its event.
// Costs:     WORDS + 2 clocks.
// Overflow:  none.
//
// Needs:     events at least WORDS clocks apart, one with in_cfg a clock more after the one before, as nps_ras_map makes
//            them; words that stand until they are told.
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

    // clocks since an event, one hot
    reg [WORDS-1:0] age;
    reg has_record, has_step, tells;
    reg [2:0] at;  // word that is told
    wire comes = in_valid || in_step || in_cfg;
    wire [3:0] first = FIRST[3:0];
    wire [31:0] word = words[32*at+:32];

    // the event itself, after its words
    reg late, late_record, late_step;
    reg [3:0] late_kind, late_sub;
    reg [1:0] late_tq;
    reg [63:0] late_ts, late_step_ns;
    reg [31:0] late_payload;
    assign idle = age == {WORDS{1'b0}} && !comes && !late && !ev_valid && !ev_step;
    reg [3:0] kind, sub;
    reg [1:0] tq;
    reg [63:0] ts, step_ns;
    reg [31:0] payload;
    always @(posedge clk) begin
        age <= {age[WORDS-2:0], comes};
        if (comes) begin
            {has_record, has_step, tells, at} <= {in_valid, in_step, in_cfg, 3'd0};
            {kind, sub, tq, ts, payload, step_ns} <= {in_kind, in_sub, in_tq, in_ts, in_payload, in_step_ns};
        end else at <= at + 3'd1;

        ev_valid <= 1'b0;
        ev_step <= 1'b0;
        {ev_tq, ev_ts, ev_step_ns} <= {tq, ts, step_ns};
        {ev_kind, ev_sub, ev_payload} <= {`NPS_K_CFG, first + {1'b0, at}, word};
        if (age != {WORDS{1'b0}} && tells) begin
            ev_valid <= 1'b1;
            ev_step  <= age[0] && has_step;
        end
        if (late) begin
            ev_valid <= late_record;
            ev_step <= late_step;
            {ev_kind, ev_sub, ev_payload} <= {late_kind, late_sub, late_payload};
            {ev_tq, ev_ts, ev_step_ns} <= {late_tq, late_ts, late_step_ns};
        end
        if (rst) begin
            age <= {WORDS{1'b0}};
            {ev_valid, ev_step} <= 2'd0;
        end
    end

    always @(posedge clk) begin
        late <= age[WORDS-1] && !rst;
        {late_record, late_step} <= {has_record, has_step && !tells};
        {late_kind, late_sub, late_tq, late_ts, late_payload, late_step_ns} <= {kind, sub, tq, ts, payload, step_ns};
    end
endmodule

`default_nettype wire
