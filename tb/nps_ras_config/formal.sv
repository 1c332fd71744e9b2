// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_ras_config: whatever is applied, what is in force is legal, and a refusal changes nothing.
`default_nettype none
`include "nps_thresholds.vh"

module formal_ras_config (
    input wire        clk,
    input wire        rst,
    input wire        apply,
    input wire [29:0] r_limit,
    input wire [29:0] a_limit,
    input wire [29:0] s_limit,
    input wire [ 7:0] r_run,
    input wire [ 7:0] r_rearm,
    input wire [ 7:0] a_budget,
    input wire [30:0] s_window,
    input wire [17:0] a_holdoff
);
    wire         done, error;
    wire [191:0] words;
    wire [ 27:0] holdoff_ns;
    nps_ras_config dut (
        .clk(clk), .rst(rst), .apply(apply), .r_limit(r_limit), .a_limit(a_limit), .s_limit(s_limit), .r_run(r_run),
        .r_rearm(r_rearm), .a_budget(a_budget), .s_window(s_window), .a_holdoff(a_holdoff), .done(done), .error(error),
        .words(words), .holdoff_ns(holdoff_ns)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    // the words stand from one clock before apply until the answer
    wire [162:0] given = {r_limit, a_limit, s_limit, r_run, r_rearm, a_budget, s_window, a_holdoff};
    reg  [162:0] given_was;
    reg  [191:0] words_was;
    reg  apply_1 = 1'b0, apply_2 = 1'b0, apply_next = 1'b0, done_was = 1'b0, rst_was = 1'b1;
    always @(posedge clk) begin
        {apply_2, apply_1} <= {apply_1, apply} & {2{!rst}};
        given_was <= given;
        words_was <= words;
        {done_was, rst_was} <= {done, rst};
    end
    always @(*) if (started && (apply || apply_1 || apply_2)) assume (given == given_was);

    reg [29:0] r_was, a_was, s_was;
    reg [7:0] r_run_was, r_rearm_was, a_budget_was;
    reg [30:0] s_window_was;
    reg [17:0] a_holdoff_was;
    always @(posedge clk) begin
        {r_was, a_was, s_was, r_run_was, r_rearm_was} <= {r_limit, a_limit, s_limit, r_run, r_rearm};
        {a_budget_was, s_window_was, a_holdoff_was} <= {a_budget, s_window, a_holdoff};
    end

    wire legal = r_limit <= a_limit && a_limit <= s_limit && r_run != 0 && r_rearm != 0
        && s_window >= `NPS_S_WINDOW_MIN && a_holdoff != 0;
    wire [31:0] r_now = words[31:0], a_now = words[63:32], s_now = words[95:64];
    always @(*) if (started && !rst_was) begin
        answer: assert (done == (apply_2 && legal) && error == (apply_2 && !legal));
        kept:   assert (done_was || words == words_was);
        taken:  assert (!done_was || words == {14'd0, a_holdoff_was, 1'b0, s_window_was, a_budget_was,
                        words[119:112], r_rearm_was, r_run_was, 2'd0, s_was, 2'd0, a_was, 2'd0, r_was});
        order:  assert (r_now <= a_now && a_now <= s_now && s_now <= `NPS_S_LIMIT_MAX);
        ranges: assert (words[103:96] != 0 && words[111:104] != 0 && words[159:128] >= `NPS_S_WINDOW_MIN
                        && words[191:160] != 0 && words[191:160] <= `NPS_A_HOLDOFF_MAX);
        way:    assert (dut.applied == apply_1);
        check:  assert (!(apply_1) || (dut.in_order == (r_limit <= a_limit && a_limit <= s_limit)
                        && dut.triple == {2'd0, a_holdoff} * 20'd3));
    end
    always @(posedge clk) if (started && !rst) begin
        refused:  cover (error);
        accepted: cover (done && r_limit == a_limit && s_limit == 30'h3FFFFFFF);
    end
endmodule

`default_nettype wire
