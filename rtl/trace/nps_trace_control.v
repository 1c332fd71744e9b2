// SPDX-License-Identifier: Apache-2.0
// Starts and ends the stream by `enable`.
//
// Does:      enable high while idle starts: `restart` clears the probes, later `begin_stream` the fabric; enable low
//            ends the offer at once and asks for `flush` when the last event has left the probes.
// Promises:  `sampling` = the inputs of this clock are offered; `offer` = the same, LATENCY clocks later, for the events.
//            Each start is followed by one END before the next start. enable while flushing counts as a level: high
//            when END has been taken starts again (FORMAT.md, rule 25).
// Costs:     1 clock from enable to the first offered inputs; LATENCY + 3 from its fall to flush.
// Overflow:  none.
`default_nettype none
`include "nps_refuse.vh"

module nps_trace_control #(
    parameter LATENCY = 8,        // clocks from the registered inputs to the events, 3..63
    parameter BEGIN_LATENCY = 5   // clocks from restart to begin_stream: the probes' limits are in force, 2..LATENCY-1
) (
    input wire clk,
    input wire rst,
    input wire enable,
    input wire done,    // pulse: END has been taken

    output wire sampling,
    output wire sampled,       // the inputs in the registered bus are offered
    output reg  active,        // from start until END has been taken
    output wire starting,      // pulse, in the clock before the first offered inputs
    output reg  restart,       // pulse, in the clock before the first offered inputs show in the registered bus
    output wire begin_stream,  // pulse, before the first event
    output wire offer,
    output reg  flush          // no event comes any more
);

    `NPS_REFUSE(LATENCY < 3 || LATENCY > 63, nps_error__LATENCY_must_be_3_to_63)
    `NPS_REFUSE(BEGIN_LATENCY < 2 || BEGIN_LATENCY >= LATENCY, nps_error__BEGIN_LATENCY_must_be_2_to_LATENCY_minus_1)

    reg run;
    reg [LATENCY:0] offers;
    reg [BEGIN_LATENCY-1:0] restarted;
    reg over;  // no sample is on its way

    wire starts = !active && enable;
    assign starting = starts;

    assign sampling = run && enable;
    assign sampled = offers[0];
    assign offer = offers[LATENCY];
    assign begin_stream = restarted[BEGIN_LATENCY-1];

    always @(posedge clk) begin
        if (rst) begin
            run <= 1'b0;
            active <= 1'b0;
            restart <= 1'b0;
            restarted <= {BEGIN_LATENCY{1'b0}};
            offers <= {(LATENCY + 1) {1'b0}};
            over <= 1'b0;
            flush <= 1'b0;
        end else begin
            restart <= starts;
            if (starts) begin
                run <= 1'b1;
                active <= 1'b1;
            end else if (run && !enable) begin
                run <= 1'b0;
            end else if (done) begin
                active <= 1'b0;
            end
            restarted <= {restarted[BEGIN_LATENCY-2:0], restart};
            offers <= {offers[LATENCY-1:0], sampling};
            over <= !run && !starts && !restart && restarted == {BEGIN_LATENCY{1'b0}} &&
                offers == {(LATENCY + 1) {1'b0}};
            flush <= active && over && !done;
        end
    end

endmodule
`default_nettype wire
