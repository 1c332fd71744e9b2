// SPDX-License-Identifier: Apache-2.0
// Configuration of the RAS mapper: checked as a whole, in force as a whole.
//
// Does:      `apply` checks the words and puts them in force (`done`), or refuses them all (`error`): R <= A <= S, and
//            each in its range of the threshold book.
// Promises:  what is in force is legal; a refused configuration changes nothing.
// Costs:     done or error NPS_RAS_CFG_LATENCY clocks after apply; the words must not change from one clock before
//            apply until then. What is in force changes in the clock after done.
// Overflow:  none. An apply in the clock after another is judged by the words of its own clock.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module nps_ras_config #(
    // in force after reset
    parameter integer R_LIMIT   = `NPS_R_LIMIT,    // 1/256 ns, 0..A_LIMIT
    parameter integer A_LIMIT   = `NPS_A_LIMIT,    // 1/256 ns, R_LIMIT..S_LIMIT
    parameter integer S_LIMIT   = `NPS_S_LIMIT,    // 1/256 ns, A_LIMIT..1073741823
    parameter integer R_RUN     = `NPS_R_RUN,      // samples, 1..255
    parameter integer R_REARM   = `NPS_R_REARM,    // samples, 1..255
    parameter integer S_COUNT   = `NPS_S_COUNT,    // excesses, fixed
    parameter integer A_BUDGET  = `NPS_A_BUDGET,   // switches, 0..255
    parameter integer S_WINDOW  = `NPS_S_WINDOW,   // ns, 1000..2147483647
    parameter integer A_HOLDOFF = `NPS_A_HOLDOFF   // us, 1..262143
) (
    input wire clk,
    input wire rst,

    input  wire        apply,
    input  wire [29:0] r_limit,
    input  wire [29:0] a_limit,
    input  wire [29:0] s_limit,
    input  wire [ 7:0] r_run,
    input  wire [ 7:0] r_rearm,
    input  wire [ 7:0] a_budget,
    input  wire [30:0] s_window,
    input  wire [17:0] a_holdoff,
    output reg         done,
    output reg         error,

    output wire [191:0] words,      // CFG R_LIMIT to A_HOLDOFF in force, the first in the lowest bits
    output reg  [ 27:0] holdoff_ns  // the hold-off in force, in ns
);
    `NPS_REFUSE(R_LIMIT < `NPS_R_LIMIT_MIN, nps_error__R_LIMIT_must_not_be_negative)
    `NPS_REFUSE(R_LIMIT > A_LIMIT, nps_error__R_LIMIT_must_not_be_above_A_LIMIT)
    `NPS_REFUSE(A_LIMIT > S_LIMIT, nps_error__A_LIMIT_must_not_be_above_S_LIMIT)
    `NPS_REFUSE(S_LIMIT > `NPS_S_LIMIT_MAX, nps_error__S_LIMIT_must_not_be_above_1073741823)
    `NPS_REFUSE(R_RUN < `NPS_R_RUN_MIN || R_RUN > `NPS_R_RUN_MAX, nps_error__R_RUN_must_be_1_to_255)
    `NPS_REFUSE(R_REARM < `NPS_R_REARM_MIN || R_REARM > `NPS_R_REARM_MAX, nps_error__R_REARM_must_be_1_to_255)
    `NPS_REFUSE(A_BUDGET < `NPS_A_BUDGET_MIN || A_BUDGET > `NPS_A_BUDGET_MAX, nps_error__A_BUDGET_must_be_0_to_255)
    `NPS_REFUSE(S_WINDOW < `NPS_S_WINDOW_MIN, nps_error__S_WINDOW_must_be_1000_to_2147483647)
    `NPS_REFUSE(A_HOLDOFF < `NPS_A_HOLDOFF_MIN || A_HOLDOFF > `NPS_A_HOLDOFF_MAX,
                nps_error__A_HOLDOFF_must_be_1_to_262143)

    localparam integer LIMIT_W = 30;    // bits of a legal limit
    localparam integer HOLDOFF_W = 18;  // of a legal hold-off
    localparam integer WINDOW_W = 10;   // of the smallest window
    localparam [WINDOW_W-1:0] WINDOW_MIN = `NPS_S_WINDOW_MIN;

    // ------------------------------------------------------------------ check
    reg applied, in_order, in_range;
    reg [HOLDOFF_W+1:0] triple;  // 1000 us = 1024 us - 8 * 3 us
    reg [27:0] product;
    wire counts_fit = r_run != 8'd0 && r_rearm != 8'd0;
    wire window_fits = s_window[30:WINDOW_W] != {31 - WINDOW_W{1'b0}} || !(s_window[WINDOW_W-1:0] < WINDOW_MIN);
    wire times_fit = window_fits && a_holdoff != {HOLDOFF_W{1'b0}};
    wire legal = in_order && in_range;
    always @(posedge clk) begin
        in_order <= !(a_limit < r_limit) && !(s_limit < a_limit);  // <= would be built with an equality beside it
        in_range <= counts_fit && times_fit;
        triple <= {1'b0, a_holdoff, 1'b0} + {2'd0, a_holdoff};
        product <= {a_holdoff, 10'd0} - {5'd0, triple, 3'd0};
        applied <= apply && !rst;
        done <= applied && legal && !rst;
        error <= applied && !legal && !rst;
    end

    // ------------------------------------------------------------------ in force
    reg [LIMIT_W-1:0] r_now, a_now, s_now;
    reg [7:0] run_now, rearm_now, budget_now;
    reg [30:0] window_now;
    reg [HOLDOFF_W-1:0] holdoff_now;
    localparam [27:0] HOLDOFF_NS = A_HOLDOFF[27:0] * 28'd1000;
    always @(posedge clk) begin
        if (rst) begin
            {r_now, a_now, s_now} <= {R_LIMIT[LIMIT_W-1:0], A_LIMIT[LIMIT_W-1:0], S_LIMIT[LIMIT_W-1:0]};
            {run_now, rearm_now, budget_now} <= {R_RUN[7:0], R_REARM[7:0], A_BUDGET[7:0]};
            {window_now, holdoff_now, holdoff_ns} <= {S_WINDOW[30:0], A_HOLDOFF[HOLDOFF_W-1:0], HOLDOFF_NS};
        end else if (done) begin
            {r_now, a_now, s_now} <= {r_limit, a_limit, s_limit};
            {run_now, rearm_now, budget_now} <= {r_run, r_rearm, a_budget};
            {window_now, holdoff_now, holdoff_ns} <= {s_window, a_holdoff, product};
        end
    end

    reg [31:0] counts;
    always @* begin
        counts = 32'd0;
        counts[`NPS_CFG_RAS_COUNTS_R_RUN_LSB+:`NPS_CFG_RAS_COUNTS_R_RUN_W] = run_now;
        counts[`NPS_CFG_RAS_COUNTS_R_REARM_LSB+:`NPS_CFG_RAS_COUNTS_R_REARM_W] = rearm_now;
        counts[`NPS_CFG_RAS_COUNTS_S_COUNT_LSB+:`NPS_CFG_RAS_COUNTS_S_COUNT_W] = S_COUNT[7:0];
        counts[`NPS_CFG_RAS_COUNTS_A_BUDGET_LSB+:`NPS_CFG_RAS_COUNTS_A_BUDGET_W] = budget_now;
    end
    assign words = {
        {32 - HOLDOFF_W{1'b0}}, holdoff_now, 1'b0, window_now, counts, 2'd0, s_now, 2'd0, a_now, 2'd0, r_now
    };
endmodule

`default_nettype wire
