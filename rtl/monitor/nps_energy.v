// SPDX-License-Identifier: Apache-2.0
// Energy per token: power integrated over time, exactly.
//
// Does:     adds power times the ns of each clock, in pJ; at each token tells the sum in units of 1024 pJ and judges it
//           (rules E1..E5 in README.md beside this file).
// Promises: each ns of a token is counted once, with the power that was in force; what the units leave over is told with
//           the next token, so that the told sum never drifts; saturation never wraps, and is over every limit.
// Costs:    NPS_ENERGY_LATENCY clocks from a token to its record and verdict, a token a clock if need be.
// Overflow: 2^42 pJ (4.4 J) in a token saturate. Stores no events and has no ready.
//
// Signals sN_* belong to the clock in stage N: 1 ns, 2 to 4 pJ of the clock, 5 pJ of the token, 6 judged, 7 told.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module nps_energy #(
    // in force after reset, pJ
    parameter [41:0] ENERGY_LIMIT   = `NPS_ENERGY_LIMIT,   // ENERGY_RELEASE..4398046511103
    parameter [41:0] ENERGY_RELEASE = `NPS_ENERGY_RELEASE  // 0..ENERGY_LIMIT
) (
    input wire clk,
    input wire rst,
    input wire enable,  // 0: nothing is counted; the token that runs is void

    // time bus
    input wire [47:0] rel_ns,
    input wire        rel_step,

    input wire        power_valid,  // a sample of the sensor, in force from this clock on
    input wire [23:0] power_mw,
    input wire        token,        // a token is done

    // new limits, taken as a whole; refused by cfg_error, a clock later, unless release <= limit
    input  wire        cfg_apply,
    input  wire [41:0] cfg_limit,
    input  wire [41:0] cfg_release,
    output reg         cfg_error,

    // verdict of a token
    output reg done,
    output reg over,   // above the limit
    output reg under,  // below the release

    // records, no ready
    output wire        ev_valid,
    output wire [ 3:0] ev_sub,
    output wire [31:0] ev_payload
);
    `NPS_REFUSE(ENERGY_RELEASE > ENERGY_LIMIT, nps_error__ENERGY_RELEASE_must_not_be_above_ENERGY_LIMIT)
    `NPS_REFUSE(ENERGY_LIMIT > `NPS_ENERGY_LIMIT_MAX, nps_error__ENERGY_LIMIT_must_be_below_4398046511104)

    localparam integer E = 42;  // bits of a token's pJ
    localparam integer K = 10;  // bits of pJ below the unit that is told

    // ------------------------------------------------------------------ limits
    reg [E-1:0] limit, release_at;
    always @(posedge clk) begin
        cfg_error <= cfg_apply && cfg_release > cfg_limit && !rst;
        if (cfg_apply && !(cfg_release > cfg_limit)) {limit, release_at} <= {cfg_limit, cfg_release};
        if (rst) {limit, release_at} <= {ENERGY_LIMIT, ENERGY_RELEASE};
    end

    // ------------------------------------------------------------------ ns of each clock, power in force
    reg [47:0] last_ns;
    reg [7:0] s1_ns;
    reg [23:0] power, s1_power;
    reg powered, live, s1_token, s1_good;
    wire [47:0] passed = rel_ns - last_ns;
    always @(posedge clk) begin
        last_ns <= rel_ns;
        if (power_valid) power <= power_mw;
        powered <= (power_valid || powered) && !rst;
        live <= enable && !rst;
        s1_ns <= passed[7:0];
        s1_power <= power;
        s1_token <= token && enable && !rst;
        // the clock counts: there was power, and it was no jump
        s1_good <= live && enable && powered && !rel_step && passed[47:8] == 40'd0 && !rst;
    end

    // ------------------------------------------------------------------ mW * ns, as sums of shifted powers
    reg [25:0] s2_a, s2_b, s2_c, s2_d;
    reg [27:0] s3_low, s3_high;
    reg [31:0] s4_energy;
    reg s2_token, s3_token, s4_token, s2_good, s3_good, s4_good;
    wire [25:0] one = {2'd0, s1_power};
    wire [25:0] two = {1'b0, s1_power, 1'b0};
    always @(posedge clk) begin
        s2_a <= (one & {26{s1_ns[0]}}) + (two & {26{s1_ns[1]}});
        s2_b <= (one & {26{s1_ns[2]}}) + (two & {26{s1_ns[3]}});
        s2_c <= (one & {26{s1_ns[4]}}) + (two & {26{s1_ns[5]}});
        s2_d <= (one & {26{s1_ns[6]}}) + (two & {26{s1_ns[7]}});
        s3_low <= {2'd0, s2_a} + {s2_b, 2'd0};
        s3_high <= {2'd0, s2_c} + {s2_d, 2'd0};
        s4_energy <= {4'd0, s3_low} + {s3_high, 4'd0};
        {s2_token, s3_token, s4_token} <= {s1_token, s2_token, s3_token} & {3{!rst}};
        {s2_good, s3_good, s4_good} <= {s1_good, s2_good, s3_good} & {3{!rst}};
    end

    // ------------------------------------------------------------------ the token's sum
    reg whole;                       // the token that runs was counted from its first ns on
    reg [E:0] sum, s5_total;         // top bit: saturated
    reg s5_done;
    wire [E:0] total = sum + {{E - 31{1'b0}}, s4_energy};
    always @(posedge clk) begin
        if (s4_token || !s4_good) sum <= {E + 1{1'b0}};
        else sum <= total | {sum[E], {E{1'b0}}};
        s5_total <= total | {sum[E], {E{1'b0}}};
        s5_done <= s4_token && s4_good && whole && !rst;
        whole <= (s4_token || (whole && s4_good)) && !rst;
    end

    // ------------------------------------------------------------------ judged; what the units leave over is carried on
    reg [K-1:0] left;
    reg [E:0] s6_told;
    reg s6_done, s6_over, s6_under, s6_full, s7_done;
    reg [31:0] s7_told;
    wire [K-1:0] left_now = s6_done ? s6_told[K-1:0] & {K{!(s6_full || s6_told[E])}} : left;
    always @(posedge clk) begin
        s6_done <= s5_done && !rst;
        s6_over <= s5_total[E] || s5_total[E-1:0] > limit;
        s6_under <= !s5_total[E] && s5_total[E-1:0] < release_at;
        s6_full <= s5_total[E];
        s6_told <= {1'b0, s5_total[E-1:0]} + {{E + 1 - K{1'b0}}, left_now};
        if (rst) left <= {K{1'b0}};
        else left <= left_now;

        s7_done <= s6_done && !rst;
        {done, over, under} <= {s6_done && !rst, s6_over, s6_under};
        s7_told <= s6_told[E-1:K] | {32{s6_full || s6_told[E]}};
    end
    assign ev_valid = s7_done;
    assign ev_sub = `NPS_MON_ENERGY;
    assign ev_payload = s7_told;
endmodule

`default_nettype wire
