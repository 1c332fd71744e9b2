// SPDX-License-Identifier: Apache-2.0
// Token intervals against the limit of true streaming, in time: whatever the clock does.
//
// Does:     measures from token to token, tells each interval, counts those above the limit, keeps the id of the last
//           token that was late, and a histogram with logarithmic bins (rules V1..V6 in README.md beside this file).
// Promises: exactly one record for each interval, its value exact up to where it saturates; each interval is in exactly
//           one snapshot, the same one in the histogram and in the counts.
// Costs:    NPS_MON_LATENCY clocks to the record, a token a clock if need be.
// Overflow: an interval saturates at 2^23 ns - 1/256; counts are modulo 2^32. Stores no events and has no ready.
//
// Signals sN_* belong to the token in stage N: 1 interval, 2 saturated, 3 compared, 4 told, 5 counted.
`default_nettype none
`include "nps_monitor.vh"
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module nps_interval_mon #(
    parameter integer TOKEN_INTERVAL = `NPS_TOKEN_INTERVAL  // limit after reset, ns, 1..8388607
) (
    input wire clk,
    input wire rst,
    input wire enable,  // 0: tokens are not seen

    // time bus
    input wire [47:0] rel_ns,
    input wire [ 7:0] rel_frac,
    input wire        rel_step,

    input wire        token,     // a token is done
    input wire [31:0] token_id,
    input wire        idle,      // nothing is being generated: the time since the last token is not an interval

    input  wire        cfg_apply,
    input  wire [22:0] cfg_limit,  // ns; 0 is refused by cfg_error, a clock later
    output reg         cfg_error,
    output reg  [22:0] limit,      // in force

    // records, no ready
    output reg         ev_valid,
    output wire [ 3:0] ev_sub,
    output wire [31:0] ev_payload,

    // statistics: bins, then NPS_INTERVAL_W_*
    input  wire        stat_snap,
    input  wire [ 5:0] stat_index,
    output reg  [31:0] stat_word
);
    `NPS_REFUSE(TOKEN_INTERVAL < `NPS_TOKEN_INTERVAL_MIN || TOKEN_INTERVAL > `NPS_TOKEN_INTERVAL_MAX,
                nps_error__TOKEN_INTERVAL_must_be_1_to_8388607)

    localparam [5:0] FIRST_WORD = `NPS_INTERVAL_W_COUNT;  // a multiple of 4
    localparam integer T = 56;
    localparam integer W = `NPS_MON_INTERVAL_INTERVAL_W;  // 23 bits of ns, 8 of 1/256 ns

    // ------------------------------------------------------------------ limit
    always @(posedge clk) begin
        cfg_error <= cfg_apply && cfg_limit == 23'd0 && !rst;
        if (cfg_apply && cfg_limit != 23'd0) limit <= cfg_limit;
        if (rst) limit <= TOKEN_INTERVAL[22:0];
    end

    // ------------------------------------------------------------------ interval
    reg based;                              // there is a token to measure from
    reg [T-1:0] base, s1_interval;
    reg s1_valid, s2_valid, s3_valid, s3_over;
    reg [W-1:0] s2_value, s3_value, s4_value;
    reg [31:0] s1_id, s2_id, s3_id, s4_id;
    reg s4_over;
    wire seen = token && enable;
    wire broken = idle || rel_step || !enable;
    wire s1_wide = s1_interval[T-1:W] != {T - W{1'b0}};
    always @(posedge clk) begin
        based <= (seen || (based && !broken)) && !rst;
        if (token) base <= {rel_ns, rel_frac};
        s1_interval <= {rel_ns, rel_frac} - base;
        s1_valid <= seen && based && !rel_step && !idle && !rst;
        s2_value <= s1_interval[W-1:0] | {W{s1_wide}};
        s3_over <= s2_value > {limit, 8'd0};
        {s2_valid, s3_valid, ev_valid} <= {s1_valid, s2_valid, s3_valid} & {3{!rst}};
        {s3_value, s4_value, s4_over} <= {s2_value, s3_value, s3_over};
        {s1_id, s2_id, s3_id, s4_id} <= {token_id, s1_id, s2_id, s3_id};
    end
    assign ev_sub = `NPS_MON_INTERVAL;
    assign ev_payload = {s4_over, s4_value};

    // ------------------------------------------------------------------ bin: the place of the leading one, the bit behind it
    // ns 0, 1 are their own bins; from 2^e on two bins of 2^(e-1) ns, 2 e and 2 e + 1. Stage 4: per three bits of ns, 5: bin.
    localparam integer GROUPS = 8;
    localparam integer N = 3 * GROUPS;      // 23 bits of ns and a 0
    wire [N:0] s3_ns = {1'b0, s3_value[W-1:8], s3_value[8]};  // behind the lowest bit: itself
    reg [GROUPS-1:0] s4_some;               // a one in the group, then which, and the bit behind it
    reg [2*GROUPS-1:0] s4_which;
    reg [GROUPS-1:0] s4_behind;
    reg [5:0] s5_bin, bin;
    reg s5_valid, s5_over;
    reg [31:0] s5_id;
    integer g, h;
    always @* begin
        bin = 6'd0;
        for (g = 0; g < GROUPS; g = g + 1)
            if (s4_some[g]) bin = {5'd3 * g[4:0] + {3'd0, s4_which[2*g+:2]}, s4_behind[g]};
    end
    always @(posedge clk) begin
        for (h = 0; h < GROUPS; h = h + 1) begin
            s4_some[h] <= s3_ns[3*h+1+:3] != 3'd0;
            s4_which[2*h+:2] <= s3_ns[3*h+3] ? 2'd2 : s3_ns[3*h+2] ? 2'd1 : 2'd0;
            s4_behind[h] <= s3_ns[3*h+3] ? s3_ns[3*h+2] : s3_ns[3*h+2] ? s3_ns[3*h+1] : s3_ns[3*h];
        end
        s5_bin <= bin;
        {s5_valid, s5_over, s5_id} <= {ev_valid && !rst, s4_over, s4_id};
    end

    // ------------------------------------------------------------------ statistics
    wire [31:0] bin_word;
    nps_histogram #(
        .BINS(`NPS_INTERVAL_BINS)
    ) u_histogram (
        .clk  (clk),
        .rst  (rst),
        .add  (s5_valid),
        .index(s5_bin),
        .snap (stat_snap),
        .read (stat_index),
        .word (bin_word)
    );

    reg [31:0] count, violations, k_count, k_violations, late_id, k_late_id;
    wire [31:0] step = {31'd0, s5_valid};
    wire [31:0] late = {31'd0, s5_valid && s5_over};
    always @(posedge clk) begin
        count <= (stat_snap ? 32'd0 : count) + step;
        violations <= (stat_snap ? 32'd0 : violations) + late;
        if (s5_valid && s5_over) late_id <= s5_id;
        if (stat_snap) {k_count, k_violations, k_late_id} <= {count, violations, late_id};
        if (rst) {count, violations, late_id, k_count, k_violations, k_late_id} <= 192'd0;
    end
    reg [31:0] w2_word, w3_word, w4_word;   // as late as the word of the histogram
    reg [1:0] w1_index;
    reg [3:0] tail;
    always @(posedge clk) begin
        w1_index <= stat_index[1:0];
        case (w1_index)
            2'd0: w2_word <= k_count;
            2'd1: w2_word <= k_violations;
            2'd2: w2_word <= k_late_id;
            default: w2_word <= 32'd0;
        endcase
        tail <= {tail[2:0], stat_index[5:2] == FIRST_WORD[5:2]};
        {w3_word, w4_word} <= {w2_word, w3_word};
        stat_word <= tail[3] ? w4_word : bin_word;
    end
endmodule

`default_nettype wire
