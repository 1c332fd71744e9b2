// SPDX-License-Identifier: Apache-2.0
// Delays the events of a source, so that those of one clock reach the fabric together, whatever made them.
//
// Does:      shows the event bus, and what goes with it, CLOCKS later.
// Promises:  nothing is lost, doubled or reordered; no record or step in the first CLOCKS clocks after reset.
// Costs:     CLOCKS clocks; all but the two strobes wait in a small RAM.
// Overflow:  none.
`default_nettype none
`include "nps_event.vh"
`include "nps_refuse.vh"

module nps_event_delay #(
    parameter integer CLOCKS = 4,  // 3..63
    parameter integer MORE_W = 1   // bits that go with the event, 1..
) (
    input wire clk,
    input wire rst,

    input wire [`NPS_EVENT_W-1:0] in_event,
    input wire [      MORE_W-1:0] in_more,

    output wire [`NPS_EVENT_W-1:0] event_bus,
    output wire [      MORE_W-1:0] more
);
    `NPS_REFUSE(CLOCKS < 3 || CLOCKS > 63, nps_error__CLOCKS_must_be_3_to_63)
    `NPS_REFUSE(MORE_W < 1, nps_error__MORE_W_must_be_at_least_1)

    localparam integer AW = CLOCKS > 4 ? $clog2(CLOCKS - 1) : 2;
    localparam integer LAST_SLOT = CLOCKS - 2;
    localparam [AW-1:0] LAST = LAST_SLOT[AW-1:0];
    localparam integer HIGH = `NPS_EVENT_W - 1 - `NPS_EVENT_STEP;  // bits above the strobes, and below
    localparam integer LOW = `NPS_EVENT_RECORD;
    localparam integer W = MORE_W + HIGH + LOW;

    reg [CLOCKS-1:0] records, steps;
    always @(posedge clk) begin
        records <= {records[CLOCKS-2:0], in_event[`NPS_EVENT_RECORD]};
        steps   <= {steps[CLOCKS-2:0], in_event[`NPS_EVENT_STEP]};
        if (rst) begin
            records <= {CLOCKS{1'b0}};
            steps   <= {CLOCKS{1'b0}};
        end
    end

    // the rest in a ring of CLOCKS-1 words, and the output register
    reg [W-1:0] ring[0:(1<<AW)-1];
    reg [AW-1:0] slot;
    reg [W-1:0] out;
    always @(posedge clk) begin
        out <= ring[slot];
        ring[slot] <= {in_more, in_event[`NPS_EVENT_W-1-:HIGH], in_event[LOW-1:0]};
        if (rst || slot == LAST) slot <= {AW{1'b0}};
        else slot <= slot + {{(AW - 1) {1'b0}}, 1'b1};
    end

    wire [HIGH-1:0] high;
    wire [LOW-1:0] low;
    assign {more, high, low} = out;
    assign event_bus = {high, steps[CLOCKS-1], records[CLOCKS-1], low};
endmodule

`default_nettype wire
