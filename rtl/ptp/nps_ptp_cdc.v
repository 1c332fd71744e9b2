// SPDX-License-Identifier: Apache-2.0
// Carries PTP time into clk: the whole time bus of the fabric.
//
// Does:     sends the time, the offset and the state of the servo of each PTP clock through one nps_fifo_async; shows
//           the newest that has arrived; adds relative time and offset, tells steps, sees the PTP clock stop, wake or
//           jump. Rules C1..C6 in README.md beside this file.
// Promises: never a torn value: what is shown is one the PTP clock had in one of its clocks, in order. rel_ns goes back
//           or jumps only with rel_step, the offset of ts_ns changes only with ts_step.
// Costs:    at the clk edge that uses it, a time is STAGES + 6 to STAGES + 7 clk old; up to a period of the PTP clock more
//           until the next one arrives; with a clk slower than the PTP clock up to 12 clk more (the FIFO is full). The
//           age wanders by no more than one period of each clock: that is the accuracy of an interval.
// Overflow: a PTP clock too fast for clk: times are skipped, never mixed.
// Resets:   of both sides overlap, as nps_fifo_async wants.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_trace.vh"
`include "nps_thresholds.vh"

module nps_ptp_cdc #(
    parameter integer TIMEOUT = `NPS_PTP_TIMEOUT,  // clk without a new time until the PTP clock counts as stopped
    parameter integer GAP_LOG2 = 10,               // a move of 2^GAP_LOG2 ns or more is a jump, 4..32
    parameter integer STAGES = 2                   // registers per crossing, 2..
) (
    // from nps_ptp_clock
    input wire        ptp_clk,
    input wire        ptp_rst,
    input wire [63:0] ptp_rel_ns,
    input wire [ 7:0] ptp_rel_frac,
    input wire [63:0] ptp_offset_ns,
    input wire        ptp_locked,
    input wire        ptp_holdover,

    // time bus
    input  wire        clk,
    input  wire        rst,
    output reg  [47:0] rel_ns,
    output reg  [ 7:0] rel_frac,
    output reg  [63:0] ts_ns,
    output wire [ 1:0] tq,
    output reg         locked,
    output reg         holdover,
    output reg         ts_step,
    output reg         rel_step,
    output reg  [63:0] step_ns
);
    `NPS_REFUSE(TIMEOUT < `NPS_PTP_TIMEOUT_MIN || TIMEOUT > `NPS_PTP_TIMEOUT_MAX,
                nps_error__TIMEOUT_must_be_4_to_65535)
    `NPS_REFUSE(GAP_LOG2 < 4 || GAP_LOG2 > 32, nps_error__GAP_LOG2_must_be_4_to_32)

    // ------------------------------------------------------------------ crossing: one word a PTP clock
    localparam integer W = 64 + 8 + 64 + 2;
    wire a_new;
    wire [63:0] a_rel, a_offset;
    wire [7:0] a_frac;
    wire a_locked, a_holdover;
    wire unused_ready;                      // full: this time is skipped
    nps_fifo_async #(
        .DATA_W(W),
        .DEPTH (16),
        .STAGES(STAGES)
    ) times (
        .s_clk  (ptp_clk),
        .s_rst  (ptp_rst),
        .s_valid(1'b1),
        .s_data ({ptp_locked, ptp_holdover, ptp_rel_frac, ptp_rel_ns, ptp_offset_ns}),
        .s_ready(unused_ready),
        .m_clk  (clk),
        .m_rst  (rst),
        .m_valid(a_new),
        .m_data ({a_locked, a_holdover, a_frac, a_rel, a_offset}),
        .m_ready(1'b1)
    );

    // ------------------------------------------------------------------ compare with the time before
    reg stopped, c_jumps;                   // c_jumps: too far, the first, or the first after a stop
    wire stops;
    reg [63:0] b_rel, b_ts, b_offset, b_moved, b_shift, c_ts, c_moved, c_shift;
    reg [47:0] c_rel;
    reg [7:0] b_frac, c_frac;
    reg some, b_new, b_locked, b_holdover, b_first, c_new, c_locked, c_holdover, c_first, c_shifts;
    always @(posedge clk) begin
        {c_new, b_new} <= {b_new, a_new} & {2{!rst}};
        if (a_new) begin
            {b_locked, b_holdover, b_frac, b_rel, b_offset} <= {a_locked, a_holdover, a_frac, a_rel, a_offset};
            b_ts <= a_rel + a_offset;
            b_moved <= a_rel - b_rel;
            b_shift <= a_offset - b_offset;
            b_first <= !some;
            some <= 1'b1;
        end
        {c_locked, c_holdover, c_first, c_frac, c_rel} <= {b_locked, b_holdover, b_first, b_frac, b_rel[47:0]};
        {c_ts, c_moved, c_shift} <= {b_ts, b_moved, b_shift};
        c_jumps <= b_first || b_moved[63:GAP_LOG2] != {64 - GAP_LOG2{1'b0}} || (!c_new && (stopped || stops));
        c_shifts <= b_shift != 64'd0;
        if (rst) {some, b_rel, b_offset} <= {1'b0, 64'd0, 64'd0};
    end

    // ------------------------------------------------------------------ the PTP clock has stopped
    localparam integer QW = $clog2(TIMEOUT + 1);
    localparam [QW-1:0] LIMIT = TIMEOUT[QW-1:0];
    reg [QW-1:0] quiet;                     // clocks since the last new time
    assign stops = quiet == LIMIT && !c_new;
    always @(posedge clk) begin
        quiet <= c_new || !some ? {{QW - 1{1'b0}}, 1'b1} : quiet + {{QW - 1{1'b0}}, quiet != LIMIT};
        stopped <= !c_new && (stopped || stops);
        if (rst) {quiet, stopped} <= {{QW - 1{1'b0}}, 2'b10};
    end

    // ------------------------------------------------------------------ show
    wire loses = (c_new && c_jumps && !c_first) || stops;
    reg doubt;                              // the servo has not said unlocked since time was lost
    always @(posedge clk) begin
        {ts_step, rel_step} <= {c_new && c_shifts && !c_jumps, c_new && c_jumps} & {2{!rst}};
        doubt <= loses || (doubt && !(c_new && !c_locked && !c_holdover));
        if (c_new) begin
            {rel_ns, rel_frac, ts_ns} <= {c_rel, c_frac, c_ts};
            step_ns <= (c_moved & {64{c_jumps}}) + c_shift;
        end
        if (c_new || stops) {locked, holdover} <= {c_locked, c_holdover} & {2{!(doubt || loses)}};
        if (rst) begin
            {rel_ns, rel_frac, ts_ns, step_ns} <= {48'd0, 8'd0, 64'd0, 64'd0};
            {locked, holdover, doubt} <= 3'd0;
        end
    end
    assign tq = doubt ? `NPS_TQ_DOUBT : locked ? `NPS_TQ_LOCKED : holdover ? `NPS_TQ_HOLDOVER : `NPS_TQ_FREE_RUN;
endmodule
`default_nettype wire
