// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_ptp_clock: a reference that adds the increment to one wide number at once. What an increment is
// (the period in use, with the drift in every n-th clock) is held against the rate port; that sec * 10^9 + nsec is
// formed, and where the seconds lie, is tested only: multipliers are beyond the solver.
`default_nettype none
`include "nps_thresholds.vh"

module formal_ptp_clock (
    input wire        clk,
    input wire        rst,
    input wire        rate_apply,
    input wire [39:0] rate_period,
    input wire [31:0] rate_drift,
    input wire [15:0] rate_drift_clocks,
    input wire        load,
    input wire [32:0] load_sec,
    input wire [29:0] load_nsec,
    input wire        servo_locked,
    input wire        servo_holdover
);
    wire        rate_error, load_error, load_busy, step, pps, locked, holdover;
    wire [63:0] rel_ns, offset_ns;
    wire [ 7:0] rel_frac;

    nps_ptp_clock dut (
        .clk(clk), .rst(rst), .rate_apply(rate_apply), .rate_period(rate_period), .rate_drift(rate_drift),
        .rate_drift_clocks(rate_drift_clocks), .rate_error(rate_error), .load(load), .load_sec(load_sec),
        .load_nsec(load_nsec), .load_error(load_error), .load_busy(load_busy), .servo_locked(servo_locked),
        .servo_holdover(servo_holdover), .rel_ns(rel_ns), .rel_frac(rel_frac), .offset_ns(offset_ns), .step(step),
        .pps(pps), .locked(locked), .holdover(holdover)
    );

    // rst is high in the first six clocks, then it falls for good
    reg [2:0] age = 3'd0;
    reg       out = 1'b0;
    wire      settled = age == 3'd6;
    always @(posedge clk) begin
        if (age != 3'd6) age <= age + 3'd1;
        out <= !rst;
    end
    always @(*) begin
        assume (settled || rst);
        assume (!(out && rst));
    end

    // ---------------------------------------------------------------- reference
    reg [95:0] sum, sum1, sum2, sum3;      // ns and 2^-32 ns
    reg [71:0] last;
    reg [63:0] offset_before;
    reg        good1, bad1, bad2, wrong1, taking1, out1;
    wire       legal = rate_period >= `NPS_PTP_PERIOD_MIN && rate_period <= `NPS_PTP_PERIOD_MAX;
    always @(posedge clk) begin
        sum <= rst ? 96'd0 : sum + {56'd0, dut.increment};
        {sum3, sum2, sum1} <= rst ? 288'd0 : {sum2, sum1, sum};
        last <= {rel_ns, rel_frac};
        offset_before <= offset_ns;
        {bad2, bad1} <= {bad1, rate_apply && !legal} & {2{!rst}};
        wrong1 <= load && !rst && (load_busy || load_nsec >= 30'd1000000000);
        out1 <= out;
    end
    wire [71:0] went = {rel_ns, rel_frac} - last;

    always @(*) if (settled) begin
        exact:    assert ({rel_ns, rel_frac} == sum3[95:24]);
        forward:  assert (went[71:8] < 64'd256);
        positive: assert (dut.increment >= 40'h0080000000 && dut.increment < 40'hFF00000000);
        whole:    assert (!out1 || step == (offset_ns != offset_before));
        refusal:  assert (rate_error == bad2 && load_error == wrong1);
        rated:    assert (dut.period >= `NPS_PTP_PERIOD_MIN && dut.period <= `NPS_PTP_PERIOD_MAX);
        // invariants
        carried:  assert ({dut.high + {55'd0, dut.carry}, dut.low} == sum);
        middle:   assert ({dut.high, dut.mid} == sum1[95:24] && dut.next == sum2[95:24]);
        waiting:  assert (!dut.d_good || (dut.d_period >= `NPS_PTP_PERIOD_MIN && dut.d_period <= `NPS_PTP_PERIOD_MAX));
        checked:  assert (dut.p_period >= `NPS_PTP_PERIOD_MIN && dut.p_period <= `NPS_PTP_PERIOD_MAX);
        busy:     assert (dut.togo <= 6'd35);
    end
    always @(*) if (settled) begin
        drifted:  cover (dut.increment == 40'h0080000000);
        far:      cover (went[71:8] == 64'd254);
        stepped:  cover (step);
    end
endmodule

`default_nettype wire
