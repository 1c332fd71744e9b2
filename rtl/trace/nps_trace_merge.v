// SPDX-License-Identifier: Apache-2.0
// Merges the queues of all sources into one, in order of arrival.
//
// Does:      follows the order queue: one arrival mask per clock, lowest source first. A drained loss goes first, as
//            an entry that has only the mark.
// Promises:  entries of one clock leave in source order, those of different clocks in order of time; nothing is
//            taken behind a marked entry until the framer has told its loss (`told`).
// Costs:     up to one entry a clock; 1 clock behind the grant of the order queue, 1 through the mux.
// Overflow:  none: what is not taken stays in its queue.
`default_nettype none
`include "nps_trace.vh"

module nps_trace_merge #(
    parameter SOURCES = 3,    // 2..63, the last is MARK (no layers)
    parameter DEPTH   = 256,  // arrival masks, a power of two, at least the sum of the queue depths
    parameter INDEX_W = 2
) (
    input wire clk,
    input wire rst,

    // queues
    input  wire [    SOURCES-1:0] accept,
    input  wire [    SOURCES-1:0] q_mark,
    input  wire [140*SOURCES-1:0] q_entry,
    output wire [    SOURCES-1:0] q_ready,
    input  wire [    SOURCES-1:0] drained,
    output wire [    SOURCES-1:0] drained_ready,
    input  wire [    SOURCES-1:0] loss_cfg,
    input  wire [    SOURCES-1:0] loss_step,

    // merged
    output wire               m_valid,
    input  wire               m_ready,
    output wire [INDEX_W-1:0] m_index,
    output wire               m_mark,
    output wire               m_loss_cfg,   // this mark's account has a CFG word
    output wire               m_loss_step,  // this mark's account has a clock step
    output wire               m_plain,      // no mark, no clock step
    output wire [      139:0] m_entry,      // {step, record, bp_samples, tq, ts, kind, sub, payload}

    input  wire told,
    output reg  empty  // no entry here or in a queue
);

    // ---------------------------------------------------------------- arrivals
    localparam SRC_W = $clog2(SOURCES);

    wire grant_valid, grant_ready, grant_empty, order_valid, order_ready;
    wire [SRC_W-1:0] grant_src, order_src;
    wire [SOURCES-1:0] grant_mask, order_mask;

    nps_orderq #(
        .N(SOURCES),
        .DEPTH(DEPTH)
    ) u_order (
        .clk(clk),
        .rst(rst),
        .s_mask(accept),
        .m_valid(grant_valid),
        .m_src(grant_src),
        .m_mask(grant_mask),
        .m_ready(grant_ready),
        .empty(grant_empty)
    );

    // cuts the way back from the mux into the order queue
    nps_skid #(
        .DATA_W(SRC_W + SOURCES)
    ) u_grant (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata({grant_src, grant_mask}),
        .s_axis_tvalid(grant_valid),
        .s_axis_tready(grant_ready),
        .m_axis_tdata({order_src, order_mask}),
        .m_axis_tvalid(order_valid),
        .m_axis_tready(order_ready)
    );

    // ---------------------------------------------------------------- choose
    // A granted entry is at the head of its queue by now (merge_order): the grant takes longer than the queue.
    reg waits;  // a marked entry is on its way to the framer

    // seen a clock late: no later entry of its source is granted that soon, and `waits` covers the clock behind its take
    reg [SOURCES-1:0] lowest;
    reg any_drained;
    always @(posedge clk) begin
        lowest <= drained & (~drained + {{(SOURCES - 1) {1'b0}}, 1'b1});
        any_drained <= |drained && !rst;
    end

    wire skid_ready;
    wire free = skid_ready && !waits;
    wire moves = free && (any_drained || order_valid);

    assign order_ready = free && !any_drained;
    assign q_ready = order_mask & {SOURCES{order_ready && order_valid}};
    assign drained_ready = lowest & {SOURCES{free && any_drained}};

    reg [139:0] entry;
    reg [INDEX_W-1:0] index;
    integer i;
    always @* begin
        entry = 140'd0;
        index = {INDEX_W{1'b0}};
        for (i = 0; i < SOURCES; i = i + 1) begin
            entry = entry | ({140{order_mask[i]}} & q_entry[140*i+:140]);
            index = index | ({INDEX_W{lowest[i]}} & i[INDEX_W-1:0]);
        end
        if (any_drained) entry[139:138] = 2'b00;  // neither clock step nor record
        else index[SRC_W-1:0] = order_src;
    end

    wire mark = any_drained || |(order_mask & q_mark);
    wire [SOURCES-1:0] from = any_drained ? lowest : order_mask;
    wire cfg = |(from & loss_cfg);
    wire step = |(from & loss_step);
    wire plain = !mark && !entry[139];

    always @(posedge clk) begin
        if (rst || told) waits <= 1'b0;
        else if (moves && mark) waits <= 1'b1;
        empty <= grant_empty && !order_valid && drained == {SOURCES{1'b0}} && !m_valid && accept == {SOURCES{1'b0}};
    end

    localparam W = INDEX_W + 4 + 140;

    nps_skid #(
        .DATA_W(W)
    ) u_skid (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata({index, plain, mark, cfg, step, entry}),
        .s_axis_tvalid(moves),
        .s_axis_tready(skid_ready),
        .m_axis_tdata({m_index, m_plain, m_mark, m_loss_cfg, m_loss_step, m_entry}),
        .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready)
    );

endmodule
`default_nettype wire
