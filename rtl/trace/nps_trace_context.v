// SPDX-License-Identifier: Apache-2.0
// The contexts of the TOKINT entries in a source's queue.
//
// Does:      keeps the CTX words of up to 4 contexts beside the queue, in the queue's order, as nps_trace_source keeps the
//            sizes of clock steps.
// Promises:  `word` is word `index` of the oldest context; with `full` no context is put.
// Costs:     2 clocks from put or take to `word`, 1 from `index`.
// Overflow:  the user drops an entry whose context finds no place (`full`), whole.
`default_nettype none
`include "nps_refuse.vh"

module nps_trace_context #(
    parameter integer WORDS = 4  // of a context, 1..16
) (
    input wire clk,
    input wire rst,

    input  wire                put,   // not while full
    input  wire [32*WORDS-1:0] words,  // word 0 lowest
    output wire                full,

    input  wire        take,
    input  wire [ 3:0] index,
    output reg  [31:0] word
);
    `NPS_REFUSE(WORDS < 1 || WORDS > 16, nps_error__WORDS_must_be_1_to_16)

    reg [1:0] puts, takes;
    reg [2:0] held;  // 4: full
    assign full = held[2];

    (* no_rw_check, ram_style = "distributed" *)
    reg [32*WORDS-1:0] contexts[0:3];
    reg [32*WORDS-1:0] oldest;
    always @(posedge clk) begin
        if (put) contexts[puts] <= words;
        oldest <= contexts[takes];
        if (rst) {puts, takes, held} <= 7'd0;
        else begin
            puts  <= puts + {1'd0, put};
            takes <= takes + {1'd0, take};
            if (put != take) held <= put ? held + 3'd1 : held - 3'd1;
        end
    end

    reg [31:0] chosen;
    integer i;
    always @* begin
        chosen = 32'd0;
        for (i = 0; i < WORDS; i = i + 1) if (index == i[3:0]) chosen = chosen | oldest[32*i+:32];
    end
    always @(posedge clk) word <= chosen;
endmodule

`default_nettype wire
