// SPDX-License-Identifier: Apache-2.0
// Merges the queues of all sources into one, in order of arrival.
//
// Does:      follows the order queue: one arrival mask per clock, lowest source first. A drained loss goes first, as
//            an entry that has only the mark. What is taken waits in a buffer whose place was claimed before.
// Promises:  entries of one clock leave in source order, those of different clocks in order of time; a drained loss
//            leaves behind all entries of its source before it. Only registers decide what is taken; all that the
//            framer decides from (all outputs but payload, bp_samples and time) are registers.
// Costs:     one entry a clock; 6 clocks from the grant of the order queue to m_valid.
// Overflow:  none: what is not taken stays in its queue.
`default_nettype none
`include "nps_trace.vh"

module nps_trace_merge #(
    parameter SOURCES = 3,    // 2..63, the last is MARK (no layers)
    parameter DEPTH   = 256,  // arrival masks, a power of two, at least the sum of the queue depths
    parameter TOKEN   = 0,    // 1: a TOKINT takes its context along
    parameter INDEX_W = 2
) (
    input wire clk,
    input wire rst,

    // queues: an entry shows 2 clocks after its take, 0 else
    input  wire [    SOURCES-1:0] accept,
    output wire [    SOURCES-1:0] q_take,
    input  wire [    SOURCES-1:0] q_mark,
    input  wire [140*SOURCES-1:0] q_entry,
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
    output wire               m_plain,      // no mark, no clock step, no context
    output wire [      139:0] m_entry,      // {step, record, bp_samples, tq, ts, kind, sub, payload}

    output reg empty  // no entry here or in a queue
);

    // ---------------------------------------------------------------- arrivals
    localparam SRC_W = $clog2(SOURCES);

    wire order_valid, order_ready, order_empty;
    wire [SRC_W-1:0] order_src;
    wire [SOURCES-1:0] order_mask;

    nps_orderq #(
        .N(SOURCES),
        .DEPTH(DEPTH)
    ) u_order (
        .clk(clk),
        .rst(rst),
        .s_mask(accept),
        .m_valid(order_valid),
        .m_src(order_src),
        .m_mask(order_mask),
        .m_ready(order_ready),
        .empty(order_empty)
    );

    // ---------------------------------------------------------------- take
    // A granted entry is in its queue by now (merge_order): the grant takes longer than the queue.
    wire go;  // a place is free in the buffer

    // drained losses, seen a clock late: no later entry of their source is granted that soon
    reg [SOURCES-1:0] lowest;
    reg any_drained;
    wire drains = go && any_drained;
    wire grants = order_ready && order_valid;

    assign order_ready = go && !any_drained;
    assign q_take = order_mask & {SOURCES{grants}};
    assign drained_ready = lowest & {SOURCES{drains}};

    always @(posedge clk) begin
        lowest <= drained & (~drained + {{(SOURCES - 1) {1'b0}}, 1'b1});
        any_drained <= |drained && !drains && !rst;  // a loss just taken shows for one more clock
    end

    // ---------------------------------------------------------------- two clocks later: the entry
    wire [SOURCES-1:0] from = any_drained ? lowest : order_mask;
    reg taken_valid, taken_drain, taken_cfg, taken_step;
    reg [INDEX_W-1:0] taken_index, drain_index;
    reg here_valid, here_drain, here_cfg, here_step;
    reg [INDEX_W-1:0] here_index;
    reg s_valid, s_mark, s_cfg, s_step;
    reg [INDEX_W-1:0] s_index;
    reg [139:0] s_entry;
    integer i;

    always @* begin
        drain_index = {INDEX_W{1'b0}};
        for (i = 0; i < SOURCES; i = i + 1) drain_index = drain_index | ({INDEX_W{lowest[i]}} & i[INDEX_W-1:0]);
    end

    reg [139:0] entry;
    always @* begin
        entry = 140'd0;
        for (i = 0; i < SOURCES; i = i + 1) entry = entry | q_entry[140*i+:140];
    end

    always @(posedge clk) begin
        taken_valid <= (drains || grants) && !rst;
        taken_drain <= any_drained;
        taken_index <= drain_index;
        if (!any_drained) begin
            taken_index <= {INDEX_W{1'b0}};
            taken_index[SRC_W-1:0] <= order_src;
        end
        taken_cfg <= |(from & loss_cfg);
        taken_step <= |(from & loss_step);

        here_valid <= taken_valid && !rst;
        {here_drain, here_index, here_cfg, here_step} <= {taken_drain, taken_index, taken_cfg, taken_step};

        s_valid <= here_valid && !rst;
        {s_index, s_cfg, s_step} <= {here_index, here_cfg, here_step};
        s_mark <= here_drain || |q_mark;
        s_entry <= entry;
    end

    // ---------------------------------------------------------------- buffer
    localparam FLAGS_W = INDEX_W + 4 + 10;
    reg d_valid;
    reg [FLAGS_W-1:0] d_flags;  // what the framer decides from
    reg [129:0] d_data;
    wire [129:0] m_data;
    wire [9:0] m_what;  // step, record, kind, sub
    wire s_context = TOKEN != 0 && s_entry[39:36] == `NPS_K_TOKINT;

    always @(posedge clk) begin
        d_valid <= s_valid && !rst;
        d_flags <= {
            s_index, s_mark, s_cfg, s_step, !s_mark && !s_entry[139] && !s_context, s_entry[139:138], s_entry[39:32]
        };
        d_data <= {s_entry[137:40], s_entry[31:0]};
    end

    wire buffer_empty, unused;
    wire [31:0] unused_stalled;

    nps_trace_out #(
        .DEPTH (16),
        .DATA_W(130),
        .LAST_W(FLAGS_W)
    ) u_buffer (
        .clk(clk),
        .rst(rst),
        .restart(1'b0),
        .go(go),
        .claim(drains || grants),
        .empty(buffer_empty),
        .s_valid(d_valid),
        .s_data(d_data),
        .s_last(d_flags),
        .m_axis_tdata(m_data),
        .m_axis_tvalid(m_valid),
        .m_axis_tlast({m_index, m_mark, m_loss_cfg, m_loss_step, m_plain, m_what}),
        .m_axis_tready(m_ready),
        .stalled(unused_stalled)
    );
    assign m_entry = {m_what[9:8], m_data[129:32], m_what[7:0], m_data[31:0]};

    always @(posedge clk)
        empty <= order_empty && drained == {SOURCES{1'b0}} && accept == {SOURCES{1'b0}} && buffer_empty;

    assign unused = &{1'b0, unused_stalled, 1'b0};

endmodule
`default_nettype wire
