// SPDX-License-Identifier: Apache-2.0
// PTP clock: relative time that only ever goes forward, an offset to absolute time (TAI), a pulse per second.
//
// Does:     adds the period to an accumulator of ns and 2^-32 ns in every clock, a signed drift in every n-th; takes a
//           new rate or offset at run time. Rules P1..P5 in README.md beside this file.
// Promises: rel_ns never goes back and never jumps; the offset changes whole, in the clock that `step` marks.
// Costs:    a rate is in use NPS_PTP_RATE_LATENCY clocks after rate_apply, an offset NPS_PTP_LOAD_LATENCY after load.
// Overflow: a load while one is under way is refused by load_error.
`default_nettype none
`include "nps_ptp.vh"
`include "nps_refuse.vh"
`include "nps_thresholds.vh"

module nps_ptp_clock #(
    parameter [39:0] PERIOD = `NPS_PTP_PERIOD  // after reset: ns in the top 8 bits, 2^-32 ns; 1 to 254 ns
) (
    input wire clk,
    input wire rst,

    // rate; refused by rate_error in the clock after next
    input  wire        rate_apply,
    input  wire [39:0] rate_period,        // as PERIOD
    input  wire [31:0] rate_drift,         // signed, 2^-32 ns, added in every n-th clock
    input  wire [15:0] rate_drift_clocks,  // n, 0: never
    output reg         rate_error,

    // absolute time of rel_ns 0
    input  wire        load,
    input  wire [32:0] load_sec,
    input  wire [29:0] load_nsec,          // less than 10^9; refused by load_error in the next clock
    output reg         load_error,
    output wire        load_busy,

    // state of the servo, passed on with the time of its clock
    input wire servo_locked,
    input wire servo_holdover,

    output reg  [63:0] rel_ns,
    output reg  [ 7:0] rel_frac,
    output reg  [63:0] offset_ns,
    output reg         step,               // offset_ns is a new one
    output wire        pps,                // rel_ns + offset_ns reached a whole second
    output reg         locked,
    output reg         holdover
);
    `NPS_REFUSE(PERIOD < `NPS_PTP_PERIOD_MIN || PERIOD > `NPS_PTP_PERIOD_MAX,
                nps_error__PERIOD_must_be_1_to_254_ns)

    localparam [31:0] SECOND = 32'd1000000000;

    // ------------------------------------------------------------------ rate
    reg [39:0] c_period, period, p_period, increment;   // increment: positive, as half a ns is the largest drift
    reg [31:0] c_drift, drift, p_drift;
    reg [15:0] c_clocks, clocks, left_clocks;
    reg c_apply;
    wire c_legal = c_period >= `NPS_PTP_PERIOD_MIN && c_period <= `NPS_PTP_PERIOD_MAX;
    always @(posedge clk) begin
        {c_period, c_drift, c_clocks} <= {rate_period, rate_drift, rate_drift_clocks};
        c_apply <= rate_apply && !rst;
        rate_error <= c_apply && !c_legal && !rst;
        left_clocks <= left_clocks <= 16'd1 ? clocks : left_clocks - 16'd1;
        p_drift <= left_clocks == 16'd1 ? drift : 32'd0;
        p_period <= period;
        increment <= p_period + {{8{p_drift[31]}}, p_drift};
        if (c_apply && c_legal) {period, drift, clocks, left_clocks} <= {c_period, c_drift, c_clocks, c_clocks};
        if (rst) begin
            {period, p_period, increment} <= {3{PERIOD}};
            {drift, p_drift, clocks, left_clocks} <= 96'd0;
        end
    end

    // ------------------------------------------------------------------ time: its low part is three clocks ahead
    reg [39:0] low;                         // 8 bits of ns, 32 of fraction
    reg [15:0] mid;                         // 8 bits of each
    reg [55:0] high;
    reg [71:0] next;                        // the time of the next clock
    reg [7:0] advance;                      // ns from the time shown to that
    reg carry;
    always @(posedge clk) begin
        {carry, low} <= {1'b0, low} + {1'b0, increment};
        mid <= low[39:24];
        high <= high + {55'd0, carry};
        next <= {high, mid};
        advance <= low[39:32] - mid[15:8];
        {rel_ns, rel_frac} <= next;
        {locked, holdover} <= {servo_locked, servo_holdover} & {2{!rst}};
        if (rst) {carry, low, mid, high, next, advance, rel_ns, rel_frac} <= 265'd0;
    end

    // ------------------------------------------------------------------ offset = sec * 10^9 + nsec, a bit of sec a clock
    reg [5:0] togo;                         // bits of sec to do, one clock to add nsec, one to take the result
    reg [32:0] sec;
    reg [29:0] nsec, old_nsec;
    reg [63:0] product;
    reg [31:0] shift, shift_more;           // of the boundaries of the seconds: -10^9 < shift <= 0; a second more
    wire taken = togo == 6'd1;
    wire start = load && !load_busy && load_nsec < SECOND[29:0];
    assign load_busy = togo != 6'd0;
    always @(posedge clk) begin
        load_error <= load && !start && !rst;
        step <= taken && product != offset_ns;
        if (load_busy) togo <= togo - 6'd1;
        if (togo > 6'd2) begin
            sec <= {sec[31:0], 1'b0};
            product <= {product[62:0], 1'b0} + ({32'd0, SECOND} & {64{sec[32]}});
        end
        if (togo == 6'd5) shift <= {2'd0, old_nsec} - {2'd0, nsec};
        if (togo == 6'd4 && !shift[31] && shift != 32'd0) shift <= shift - SECOND;
        shift_more <= shift + SECOND;
        if (togo == 6'd2) product <= product + {34'd0, nsec};
        if (taken) {offset_ns, old_nsec} <= {product, nsec};
        if (start) {togo, sec, nsec, product} <= {6'd35, load_sec, load_nsec, 64'd0};
        if (rst) {togo, offset_ns, old_nsec, step} <= {6'd0, 64'd0, 30'd0, 1'b0};
    end

    // ------------------------------------------------------------------ pulse per second
    reg [31:0] left;                        // ns to the next second of the time shown, less one: negative for one clock
    reg [31:0] less, more;                  // what the next clock adds to it: within a second, over its end
    reg shifted;
    assign pps = left[31] && !shifted;
    always @(posedge clk) begin
        less <= (togo == 6'd2 ? shift : 32'd0) - {24'd0, advance};
        more <= (togo == 6'd2 ? shift_more : SECOND) - {24'd0, advance};
        left <= left + (left[31] ? more : less);
        shifted <= taken;
        if (rst) {less, more, left, shifted} <= {32'd0, SECOND, SECOND - 32'd1, 1'b0};
    end
endmodule
`default_nettype wire
