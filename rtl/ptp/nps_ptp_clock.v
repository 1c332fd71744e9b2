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
    reg [39:0] c_period, d_period, period, p_period, increment;    // positive: half a ns is the largest drift
    reg [31:0] c_drift, d_drift, drift, p_drift;
    reg [15:0] c_clocks, d_clocks, clocks, left_clocks;
    reg c_apply, d_good;
    // the limits are whole ns: what is above them is told by 8 bits and whether there is a fraction
    localparam [39:0] LONGEST = `NPS_PTP_PERIOD_MAX, SHORTEST = `NPS_PTP_PERIOD_MIN;
    wire c_fraction = c_period[31:0] != 32'd0;
    wire c_longer = c_period[39:32] > LONGEST[39:32] || (c_period[39:32] == LONGEST[39:32] && c_fraction);
    wire c_legal = !(c_longer || c_period[39:32] < SHORTEST[39:32]);
    always @(posedge clk) begin
        {c_period, c_drift, c_clocks} <= {rate_period, rate_drift, rate_drift_clocks};
        {d_period, d_drift, d_clocks} <= {c_period, c_drift, c_clocks};
        d_good <= c_apply && c_legal && !rst;
        c_apply <= rate_apply && !rst;
        rate_error <= c_apply && !c_legal && !rst;
        left_clocks <= left_clocks[15:1] == 15'd0 ? clocks : left_clocks - 16'd1;
        p_drift <= left_clocks == 16'd1 ? drift : 32'd0;
        p_period <= period;
        increment <= p_period + {{8{p_drift[31]}}, p_drift};
        if (d_good) {period, drift, clocks, left_clocks} <= {d_period, d_drift, d_clocks, d_clocks};
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

    // ------------------------------------------------------------------ offset = sec * 10^9 + nsec, a bit a clock
    // 10^9 = FACTOR * 2^9. The lowest bit of sec goes first: each clock adds FACTOR or nothing to what is left of the
    // sum, whose lowest bit is then done and moves in where the bits of sec move out.
    localparam [20:0] FACTOR = SECOND[29:9];
    reg [5:0] togo;                         // bits of sec to do, one clock to compare, one to take the result
    reg [20:0] rest;
    reg [32:0] bits;
    reg [29:0] nsec, new_nsec;
    reg [30:0] shift;                       // of the boundaries of the seconds, signed: -10^9 < shift < 10^9
    reg differs, taken;                     // taken: togo is 1
    wire [21:0] sum = {1'b0, rest} + {1'b0, FACTOR & {21{bits[0]}}};
    wire [63:0] product = {1'b0, rest, bits, new_nsec[8:0]};
    wire idle = togo == 6'd0;
    wire fits = load_nsec[29:9] < FACTOR;
    assign load_busy = !idle;
    always @(posedge clk) begin
        load_error <= load && !(idle && fits) && !rst;
        differs <= product != offset_ns;
        taken <= togo == 6'd2 && !rst;
        step <= taken && differs;
        if (idle ? load && fits : 1'b1) togo <= idle ? 6'd35 : togo - 6'd1;
        if (idle) {rest, bits, new_nsec} <= {load_nsec[29:9], load_sec, load_nsec};
        else if (togo > 6'd2) {rest, bits} <= {sum, bits[32:1]};
        shift <= {1'b0, nsec} - {1'b0, new_nsec};
        if (taken) {offset_ns, nsec} <= {product, new_nsec};
        if (rst) {togo, offset_ns, nsec, step} <= {6'd0, 64'd0, 30'd0, 1'b0};
    end

    // ------------------------------------------------------------------ pulse per second
    // A shift takes the place of an advance, which is owed for a clock; up to a second too much or too little is made
    // up for in the clocks after it.
    reg [31:0] left;                        // ns to the next second of the time shown, less one; below 0 for two clocks
    reg [8:0] owed;                         // ns to take from it in this clock, negated
    reg [22:0] whole;                       // above them: a second more or less, the borrow of owed
    reg over;                               // a second more
    reg [5:0] shifted;                      // of the last clocks
    wire [8:0] owes = (owed & {9{taken}}) - {1'b0, advance};
    wire none = owes == 9'd0;
    wire more = left[31] && !over;
    wire later = taken && !shift[30] && shift != 31'd0;    // the boundaries move back, a second less
    assign pps = left[31] && !over && shifted == 6'd0;
    always @(posedge clk) begin
        owed <= owes;
        over <= more;
        whole <= more == later ? {23{!none}} : more ? {2'd0, FACTOR[20:1], none} : {2'd3, ~FACTOR[20:1], none};
        left <= left + (taken ? {shift[30], shift} : {whole, owed});
        shifted <= {shifted[4:0], taken};
        if (rst) {owed, whole, over, left, shifted} <= {9'd0, 23'd0, 1'b0, SECOND - 32'd1, 6'd0};
    end
endmodule
`default_nettype wire
