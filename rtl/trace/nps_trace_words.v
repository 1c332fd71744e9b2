// SPDX-License-Identifier: Apache-2.0
// The CFG words of a source without layers: what a reader of the offered and of the emitted records knows.
//
// Does:      the input words follow the CFG records offered (kept or dropped), the output words those emitted. `capture`
//            copies the input words, as they were before this clock's record, to the snapshot; `load` copies the snapshot
//            to the output words: a LOSS burst tells them from there. As nps_trace_mirrors, for words only.
// Promises:  `word` is the output word as left by the records emitted up to 2 clocks ago.
// Costs:     2 clocks from a record to its word, 3 from `capture` until `load` may come, none from word_sub to `word`. A
//            restart takes 3 clocks to the output words: it goes the way of a loss.
// Overflow:  none. Words of other subs are ignored.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_trace.vh"

module nps_trace_words #(
    parameter integer FIRST = 8,  // sub of the first word, 0..15
    parameter integer COUNT = 6   // words, 1..16-FIRST
) (
    input wire clk,
    input wire rst,

    input wire                restart,
    input wire [32*COUNT-1:0] words,    // in force, the first lowest

    input wire reload,  // as a record offered: `words` are what is known now

    // a record offered
    input wire        offered,
    input wire [ 3:0] kind,
    input wire [ 3:0] sub,
    input wire [31:0] payload,

    input wire capture,
    input wire load,

    // a record emitted
    input wire        emitted,
    input wire [ 3:0] op_kind,
    input wire [ 3:0] op_sub,
    input wire [31:0] op_payload,

    input  wire [ 3:0] word_sub,
    output reg  [31:0] word
);
    `NPS_REFUSE(FIRST < 0 || FIRST > 15, nps_error__FIRST_must_be_0_to_15)
    `NPS_REFUSE(COUNT < 1 || FIRST + COUNT > 16, nps_error__COUNT_must_be_1_to_16_minus_FIRST)

    localparam [3:0] BASE = FIRST[3:0];

    reg captures, capture_start, load_start, updates, emits, reloads;
    reg [3:0] at, op_at;
    reg [31:0] given, op_given;
    always @(posedge clk) begin
        captures <= capture && !rst;  // the record before is in the words, this clock's is not
        capture_start <= restart && !rst;
        load_start <= capture_start && !rst;
        reloads <= reload && !rst;
        updates <= offered && kind == `NPS_K_CFG && !rst;
        {at, given} <= {sub - BASE, payload};
        emits <= emitted && op_kind == `NPS_K_CFG && !rst;
        {op_at, op_given} <= {op_sub - BASE, op_payload};
    end

    reg [32*COUNT-1:0] in, shot, out;
    integer i;
    always @(posedge clk) begin
        for (i = 0; i < COUNT; i = i + 1) begin
            if (updates && at == i[3:0]) in[32*i+:32] <= given;
            if (emits && op_at == i[3:0]) out[32*i+:32] <= op_given;
        end
        if (restart || reloads) in <= words;
        if (captures || capture_start) shot <= in;
        if (load || load_start) out <= shot;
    end

    wire [3:0] word_at = word_sub - BASE;
    integer w;
    always @* begin
        word = 32'd0;
        for (w = 0; w < COUNT; w = w + 1) if (word_at == w[3:0]) word = word | out[32*w+:32];
    end
endmodule

`default_nettype wire
