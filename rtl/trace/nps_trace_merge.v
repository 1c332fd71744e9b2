// SPDX-License-Identifier: Apache-2.0
// Merges the queues of all sources into one, in order of arrival.
//
// Does:      follows the order queue: one arrival mask per clock, lowest source first. A drained loss goes first, as
//            an entry that has only the mark.
// Promises:  entries of one clock leave in source order, those of different clocks in order of time; nothing is
//            taken behind a marked entry until the framer has told its loss (`told`).
// Costs:     up to one entry a clock; 1 clock through the mux, 1 in the skid buffer.
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
    input  wire [    SOURCES-1:0] q_valid,
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
    output wire [        4:0] m_records,    // records that the entry makes, its LOSS burst included
    output wire [      139:0] m_entry,      // {step, record, bp_samples, tq, ts, kind, sub, payload}

    input  wire told,
    output reg  empty  // no entry here or in a queue
);

    // ---------------------------------------------------------------- arrivals
    wire order_valid, order_empty, order_ready;
    wire [INDEX_W-1:0] order_src;
    wire [SOURCES-1:0] order_mask;

    nps_orderq #(
        .N(SOURCES),
        .DEPTH(DEPTH)
    ) u_order (
        .clk(clk),
        .rst(rst),
        .s_mask(accept),
        .m_valid(order_valid),
        .m_src(order_src[$clog2(SOURCES)-1:0]),
        .m_mask(order_mask),
        .m_ready(order_ready),
        .empty(order_empty)
    );

    generate
        if (INDEX_W > $clog2(SOURCES)) begin : gen_wide_index
            assign order_src[INDEX_W-1:$clog2(SOURCES)] = 0;
        end
    endgenerate

    // ---------------------------------------------------------------- choose
    wire [SOURCES-1:0] lowest = drained & (~drained + {{(SOURCES - 1) {1'b0}}, 1'b1});
    wire any_drained = |drained;
    wire [SOURCES-1:0] from = any_drained ? lowest : order_mask;

    reg waits;  // a marked entry is on its way to the framer
    wire skid_ready;
    wire moves = skid_ready && !waits && (any_drained || (order_valid && |(order_mask & q_valid)));

    assign q_ready = moves && !any_drained ? order_mask : {SOURCES{1'b0}};
    assign drained_ready = moves ? lowest : {SOURCES{1'b0}};
    assign order_ready = moves && !any_drained;

    reg [139:0] entry;
    reg [INDEX_W-1:0] index;
    integer i;
    always @* begin
        entry = 140'd0;
        index = {INDEX_W{1'b0}};
        for (i = 0; i < SOURCES; i = i + 1) begin
            entry = entry | ({140{from[i] && !any_drained}} & q_entry[140*i+:140]);
            index = index | ({INDEX_W{lowest[i]}} & i[INDEX_W-1:0]);
        end
        if (!any_drained) index = order_src;
    end

    wire mark = any_drained || |(order_mask & q_mark);
    wire cfg = mark && |(from & loss_cfg);
    wire step = mark && |(from & loss_step);
    wire has_layers = !from[SOURCES-1];
    // LOSS x2, keyframe x4 and CFG 2, 3; CFG 14, 15; CLK STATE and pair; the entry's pair; its record
    wire [4:0] records = (!mark ? 5'd0 : has_layers ? 5'd8 : 5'd2) + (cfg && has_layers ? 5'd2 : 5'd0) +
        (step ? 5'd3 : 5'd0) + (entry[139] ? 5'd2 : 5'd0) + {4'd0, entry[138]};

    always @(posedge clk) begin
        if (rst || told) waits <= 1'b0;
        else if (moves && mark) waits <= 1'b1;
        empty <= order_empty && !any_drained && !m_valid && !moves && accept == {SOURCES{1'b0}};
    end

    localparam W = INDEX_W + 3 + 5 + 140;

    nps_skid #(
        .DATA_W(W)
    ) u_skid (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata({index, mark, cfg, step, records, entry}),
        .s_axis_tvalid(moves),
        .s_axis_tready(skid_ready),
        .m_axis_tdata({m_index, m_mark, m_loss_cfg, m_loss_step, m_records, m_entry}),
        .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready)
    );

endmodule
`default_nettype wire
