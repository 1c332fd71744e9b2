// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_ptp_cdc behind its FIFO. That nps_fifo_async delivers whole words in order is proved by
// fifo_async_order for any two clocks; here it is a register that takes a word in any clock of clk it likes (input
// ptp_clk says when), which covers every ratio of the clocks and every stop of either. The reference judges a word in
// the clock in which it arrives; the outputs must show it three clocks later.
`default_nettype none
`include "nps_trace.vh"

module nps_fifo_async #(
    parameter integer DATA_W = 64,
    parameter integer DEPTH  = 16,
    parameter integer STAGES = 2
) (
    input  wire              s_clk,    // a word arrives
    input  wire              s_rst,
    input  wire              s_valid,
    input  wire [DATA_W-1:0] s_data,
    output wire              s_ready,
    input  wire              m_clk,
    input  wire              m_rst,
    output reg               m_valid,
    output reg  [DATA_W-1:0] m_data,
    input  wire              m_ready
);
    assign s_ready = s_valid && m_ready && !s_rst;
    always @(posedge m_clk) begin
        m_valid <= s_clk && !m_rst;
        if (s_clk) m_data <= s_data;
    end
endmodule

module formal_ptp_cdc #(
    parameter integer TIMEOUT = 5
) (
    input wire        clk,
    input wire        rst,
    input wire        arrives,
    input wire [63:0] ptp_rel_ns,
    input wire [ 7:0] ptp_rel_frac,
    input wire [63:0] ptp_offset_ns,
    input wire        ptp_locked,
    input wire        ptp_holdover
);
    localparam integer GAP_LOG2 = 10;
    wire [47:0] rel_ns;
    wire [ 7:0] rel_frac;
    wire [63:0] ts_ns, step_ns;
    wire [ 1:0] tq;
    wire        locked, holdover, ts_step, rel_step;

    nps_ptp_cdc #(.TIMEOUT(TIMEOUT), .GAP_LOG2(GAP_LOG2)) dut (
        .ptp_clk(arrives), .ptp_rst(1'b0), .ptp_rel_ns(ptp_rel_ns), .ptp_rel_frac(ptp_rel_frac),
        .ptp_offset_ns(ptp_offset_ns), .ptp_locked(ptp_locked), .ptp_holdover(ptp_holdover),
        .clk(clk), .rst(rst), .rel_ns(rel_ns), .rel_frac(rel_frac), .ts_ns(ts_ns), .tq(tq), .locked(locked),
        .holdover(holdover), .ts_step(ts_step), .rel_step(rel_step), .step_ns(step_ns)
    );

    // rst is high in the first four clocks, so that nothing from before it is in flight; then it falls for good
    reg [2:0] age = 3'd0;
    reg       out = 1'b0;
    wire      settled = age == 3'd5;
    always @(posedge clk) begin
        if (age != 3'd5) age <= age + 3'd1;
        out <= !rst;
    end
    always @(*) begin
        assume (settled || rst);
        assume (!(out && rst));
    end

    // ---------------------------------------------------------------- reference, in the clock of the arrival
    reg        some, stopped, doubt, is_locked, is_holdover;
    reg [63:0] rel, offset;
    reg [ 7:0] frac;
    reg [ 3:0] quiet;                      // clocks since the last arrival
    wire       new_ = arrives && !rst;
    wire [63:0] moved = ptp_rel_ns - rel, shift = ptp_offset_ns - offset;
    wire       stops = some && !new_ && quiet == TIMEOUT;
    wire       jump = !some || stopped || moved >= (64'd1 << GAP_LOG2);
    wire       loses = (new_ && jump && some) || stops;
    wire       doubts = loses || (doubt && !(new_ && !ptp_locked && !ptp_holdover));
    always @(posedge clk) begin
        doubt <= doubts;
        quiet <= new_ || !some ? 4'd1 : quiet + {3'd0, quiet != TIMEOUT};
        stopped <= !new_ && (stopped || stops);
        if (new_) {some, rel, frac, offset} <= {1'b1, ptp_rel_ns, ptp_rel_frac, ptp_offset_ns};
        if (new_) {is_locked, is_holdover} <= {ptp_locked, ptp_holdover} & {2{!doubt && !loses}};
        else if (stops) {is_locked, is_holdover} <= 2'b00;
        if (rst) begin
            {some, stopped, doubt, is_locked, is_holdover, quiet} <= {5'd0, 4'd1};
            {rel, frac, offset} <= 136'd0;
        end
    end

    // what must be shown: after this clock, and as late as the outputs
    localparam integer W = 48 + 8 + 64 + 2 + 1 + 2 + 64;
    reg step_t, step_r;
    reg [63:0] step;
    always @(posedge clk) begin
        step_t <= new_ && !jump && shift != 0;
        step_r <= new_ && jump;
        if (new_) step <= jump ? moved + shift : shift;
        if (rst) {step_t, step_r, step} <= 66'd0;
    end
    wire [W-1:0] due0 = {rel[47:0], frac, rel + offset, is_locked, is_holdover, doubt, step_t, step_r, step};
    reg [W-1:0] due1, due2, due3;
    reg [63:0] rel1, offset1;
    reg        some1, some2, some3, raw_l, raw_h, raw_l1, raw_h1, new1, new2, new3;
    reg [4:0]  clock1, clock2, clock3;
    always @(posedge clk) begin
        {due3, due2, due1} <= {due2, due1, due0};
        {rel1, offset1} <= {rel, offset};
        {some3, some2, some1} <= {some2, some1, some};
        {new3, new2, new1} <= {new2, new1, new_};
        {clock3, clock2, clock1} <= {clock2, clock1, stopped, quiet};
        if (new_) {raw_l, raw_h} <= {ptp_locked, ptp_holdover};
        {raw_l1, raw_h1} <= {raw_l, raw_h};
    end
    reg [47:0] rel_before;
    reg [63:0] ts_before;
    always @(posedge clk) {rel_before, ts_before} <= {rel_ns, ts_ns};
    wire [47:0] went = rel_ns - rel_before;
    wire [47:0] e_rel;
    wire [ 7:0] e_frac;
    wire [63:0] e_ts, e_step;
    wire        e_locked, e_holdover, e_doubt, e_step_t, e_step_r;
    assign {e_rel, e_frac, e_ts, e_locked, e_holdover, e_doubt, e_step_t, e_step_r, e_step} = due3;

    always @(*) if (settled) begin
        whole:    assert ({rel_ns, rel_frac, ts_ns} == {e_rel, e_frac, e_ts});
        steps:    assert (ts_step == e_step_t && rel_step == e_step_r && (!(ts_step || rel_step) || step_ns == e_step));
        lock:     assert (locked == e_locked && holdover == e_holdover);
        quality:  assert (tq == (e_doubt ? `NPS_TQ_DOUBT : e_locked ? `NPS_TQ_LOCKED : e_holdover ? `NPS_TQ_HOLDOVER
                          : `NPS_TQ_FREE_RUN));
        forward:  assert (rel_step || went < (48'd1 << GAP_LOG2));
        still:    assert (rel_step || ts_step || ts_ns - ts_before == {16'd0, went});
        asleep:   assert (!(stopped && !new_) || !(is_locked || is_holdover));
        // invariants
        base_:    assert (dut.b_rel == rel1 && dut.b_offset == offset1 && dut.some == some1);
        raw:      assert (!some1 || {dut.b_locked, dut.b_holdover} == {raw_l1, raw_h1});
        timer:    assert (!some3 || {dut.stopped, 1'b0, dut.quiet} == clock3);
    end
    always @(*) if (settled) begin
        stepped:  cover (ts_step && step_ns == 64'd37);
        woke:     cover (rel_step && tq == `NPS_TQ_DOUBT);
        relocked: cover (locked && tq == `NPS_TQ_LOCKED && new3 && e_rel > 48'd5000);
    end
endmodule

`default_nettype wire
