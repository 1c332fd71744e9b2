// SPDX-License-Identifier: Apache-2.0
// Makes records of the MARK input.
//
// Does:      a mark becomes a MARK record with the time of its clock; a clock step is passed on as one.
// Promises:  one event a clock, in order, LATENCY clocks after the inputs. Given the latency of the probes, marks and
//            samples of one clock reach the fabric together.
// Costs:     LATENCY clocks; the wide part waits in a small RAM.
// Overflow:  none.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_trace.vh"

module nps_mark #(
    parameter integer LATENCY = 8  // clocks from the inputs to the event, 3..63
) (
    input wire clk,
    input wire rst,
    input wire restart, // what is in flight is void, this clock's inputs too

    input wire        mark_valid,
    input wire [ 1:0] mark_sub,
    input wire [31:0] mark_value,

    input wire [63:0] ts_ns,
    input wire [ 1:0] tq,
    input wire        ts_step,
    input wire        rel_step,
    input wire [63:0] step_ns,

    output wire        ev_valid,
    output wire [ 3:0] ev_kind,
    output wire [ 3:0] ev_sub,
    output wire [ 1:0] ev_tq,
    output wire [63:0] ev_ts,
    output wire [31:0] ev_payload,
    output wire        ev_step,
    output wire [63:0] ev_step_ns
);

    `NPS_REFUSE(LATENCY < 3 || LATENCY > 63, nps_error__LATENCY_must_be_3_to_63)

    localparam AW = LATENCY > 4 ? $clog2(LATENCY - 1) : 2;
    localparam [31:0] SLOTS = LATENCY - 1;
    localparam [AW-1:0] LAST = SLOTS[AW-1:0] - {{(AW - 1) {1'b0}}, 1'b1};
    localparam W = 2 + 32 + 64 + 2 + 64;

    // strobes in a shift register that restart can clear
    reg [LATENCY-1:0] marks, steps;

    always @(posedge clk) begin
        if (rst || restart) begin
            marks <= {LATENCY{1'b0}};
            steps <= {LATENCY{1'b0}};
        end else begin
            marks <= {marks[LATENCY-2:0], mark_valid};
            steps <= {steps[LATENCY-2:0], ts_step || rel_step};
        end
    end

    // values in a ring of LATENCY-1 words, plus the output register
    reg [W-1:0] ring[0:(1<<AW)-1];
    reg [AW-1:0] slot;
    reg [W-1:0] out;

    always @(posedge clk) begin
        out <= ring[slot];
        ring[slot] <= {mark_sub, mark_value, tq, ts_ns, step_ns};
        if (rst || slot == LAST) slot <= {AW{1'b0}};
        else slot <= slot + {{(AW - 1) {1'b0}}, 1'b1};
    end

    assign ev_valid = marks[LATENCY-1];
    assign ev_kind = `NPS_K_MARK;
    assign ev_sub[3:2] = 2'd0;
    assign {ev_sub[1:0], ev_payload, ev_tq, ev_ts, ev_step_ns} = out;
    assign ev_step = steps[LATENCY-1];

endmodule
`default_nettype wire
