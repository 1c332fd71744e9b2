// SPDX-License-Identifier: Apache-2.0
// From events to the stream: a queue with its account for each source, merge, framer, seal, exit.
//
// Does:      queues what the sources offer, merges it in order of arrival, and streams it as NPT1 records with groups,
//            losses, start and END (traces/FORMAT.md).
// Promises:  every event offered is delivered or counted; a sink that stalls for ever blocks nothing in front of it; one
//            record a clock in bursts, at least 15/16 in the long run without loss.
// Costs:     about 21 clocks from an event to its record; see README.md for area.
// Overflow:  whole entries drop per source and are told as LOSS with count, time span and layers.
//
// Sources by index: trace ports from 0, then TOKEN, RAS, JITTER as far as they are there, MARK.
`default_nettype none
`include "nps_event.vh"
`include "nps_refuse.vh"
`include "nps_trace.vh"

module nps_trace_fabric #(
    parameter                  NUM_BP        = 2,                      // 1..62, 59 beside others
    parameter                  TOKEN         = 0,                      // 1: there is such a source
    parameter                  RAS           = 0,
    parameter                  JITTER        = 0,
    parameter                  WORDS         = 4,                      // CTX words of a TOKINT, 4..16
    parameter [NUM_BP*32-1:0]  LAYERS        = {NUM_BP{32'hFFFFFFFF}}, // layers present, per backpressure source
    parameter [NUM_BP*32-1:0]  DRY_MASK      = {NUM_BP{32'h00000000}}, // layers with DRY and WET records
    parameter                  FIFO_DEPTH    = 64,                     // entries per source, a power of two, 4..4096
    parameter [31:0]           CLK_PERIOD_PS = 32'd5000,
    parameter [63:0]           DESC_HASH     = 64'd0,
    parameter                  FRAME_RECORDS = `NPS_FRAME_RECORDS,
    parameter [47:0]           FRAME_AGE_NS  = `NPS_FRAME_AGE_NS,
    parameter [47:0]           HEARTBEAT_NS  = `NPS_HEARTBEAT_NS
) (
    input wire clk,
    input wire rst,
    input wire restart,  // begin a stream, before its first event

    // time bus, registered as that of the sources
    input wire [47:0] rel_ns,
    input wire [63:0] ts_ns,
    input wire [ 1:0] tq,

    // events by source (nps_event.vh), no ready; taken if `offer`
    input wire [`NPS_EVENT_W*(NUM_BP+TOKEN+RAS+JITTER+1)-1:0] events,
    input wire [NUM_BP+TOKEN+RAS+JITTER:0]                    offer,
    input wire [32*WORDS-1:0]                                 token_context,  // of a TOKINT, word 0 lowest

    // what is in force at `restart`
    input wire [32*NUM_BP-1:0] limits,
    input wire [32*NUM_BP-1:0] stale,
    input wire [        191:0] ras_words,     // CFG R_LIMIT to A_HOLDOFF, the first lowest
    input wire [         63:0] jitter_words,  // CFG T_NOMINAL_LO, _HI

    input  wire step_coming,  // a clock step is on its way to some source
    input  wire flush,        // no event comes any more
    output wire done,         // pulse: END has been taken

    output wire [NUM_BP+TOKEN+RAS+JITTER:0] dropped,  // a source drops an event

    output wire [127:0] m_axis_tdata,
    output wire         m_axis_tvalid,
    output wire         m_axis_tlast,   // last record of a group, and END
    input  wire         m_axis_tready
);
    `NPS_REFUSE(NUM_BP < 1 || NUM_BP > 62, nps_error__NUM_BP_must_be_1_to_62)
    `NPS_REFUSE(FIFO_DEPTH < 4 || FIFO_DEPTH > 4096 || (FIFO_DEPTH & (FIFO_DEPTH - 1)) != 0,
                nps_error__FIFO_DEPTH_must_be_a_power_of_two_from_4_to_4096)

    localparam SOURCES = NUM_BP + TOKEN + RAS + JITTER + 1;
    localparam INDEX_W = $clog2(SOURCES + 1);
    localparam ORDER_DEPTH = FIFO_DEPTH << $clog2(SOURCES);
    localparam TOKEN_AT = TOKEN != 0 ? NUM_BP : -1;
    localparam RAS_AT = RAS != 0 ? NUM_BP + TOKEN : -1;
    localparam JITTER_AT = JITTER != 0 ? NUM_BP + TOKEN + RAS : -1;

    // ---------------------------------------------------------------- sources: queues and mirrors
    wire [SOURCES-1:0] accept, q_mark, q_take, drained, drained_ready, loss_cfg, loss_step, idle, step_held, step_comes;
    wire [140*SOURCES-1:0] q_entry;

    wire [SOURCES-1:0] op_select;
    wire op_entry, op_burst, op_free, final_counts;
    wire [4*SOURCES-1:0] op_kind, op_sub;
    wire [31:0] op_payload, op_bp_samples;

    wire [32*SOURCES-1:0] words;
    wire [64*SOURCES-1:0] words_ts;
    wire [ 2*SOURCES-1:0] words_tq;
    wire [SOURCES-1:0] causes;

    genvar g;
    generate
        for (g = 0; g < SOURCES; g = g + 1) begin : gen_source
            localparam OWNED = g == RAS_AT ? 6 : g == JITTER_AT ? 2 : 0;  // CFG words
            localparam CONTEXT = g == TOKEN_AT ? WORDS : 0;

            wire [31:0] limit, period;
            wire [(OWNED>0?32*OWNED:1)-1:0] owned;
            wire [(CONTEXT>0?32*CONTEXT:1)-1:0] context_words;

            // the event in a register next to its queue: all that is decided here hangs on it
            wire in_valid, in_step;
            wire [3:0] in_kind, in_sub;
            wire [ 1:0] in_tq;
            wire [63:0] in_ts, in_step_ns;
            wire [31:0] in_payload, in_bp_samples;
            assign {in_step_ns, in_step, in_valid, in_bp_samples, in_tq, in_ts, in_kind, in_sub, in_payload} =
                events[`NPS_EVENT_W*g+:`NPS_EVENT_W];

            reg ev_valid, ev_step;
            reg [3:0] ev_kind, ev_sub;
            reg [ 1:0] ev_tq;
            reg [63:0] ev_ts, ev_step_ns;
            reg [31:0] ev_payload, ev_bp_samples;
            reg [(CONTEXT>0?32*CONTEXT:1)-1:0] ev_context;
            always @(posedge clk) begin
                ev_valid <= in_valid && offer[g] && !rst;
                ev_step <= in_step && offer[g] && !rst;
                {ev_step_ns, ev_tq, ev_ts, ev_kind, ev_sub, ev_payload} <=
                    {in_step_ns, in_tq, in_ts, in_kind, in_sub, in_payload};
                if (offer[g]) ev_bp_samples <= in_bp_samples;  // at the end the total of the stream stays
                ev_context <= context_words;
            end
            assign step_comes[g] = ev_step;

            if (g < NUM_BP) begin : gen_limits
                assign limit = limits[32*g+:32];
                assign period = stale[32*g+:32];
            end else begin : gen_no_limits
                assign limit = 32'd0;
                assign period = 32'd0;
            end
            if (g == RAS_AT) begin : gen_ras
                assign owned = ras_words;
            end else if (g == JITTER_AT) begin : gen_jitter
                assign owned = jitter_words;
            end else begin : gen_no_words
                assign owned = 1'b0;
            end
            if (g == TOKEN_AT) begin : gen_token
                assign context_words = token_context;
            end else begin : gen_no_context
                assign context_words = 1'b0;
            end

            nps_trace_source #(
                .HAS_LAYERS(g < NUM_BP),
                .CFG_FIRST({28'd0, g == RAS_AT ? `NPS_CFG_R_LIMIT : `NPS_CFG_T_NOMINAL_LO}),
                .CFG_WORDS(OWNED),
                .COLLECTS(g == RAS_AT),
                .CONTEXT(CONTEXT),
                .LAYERS(g < NUM_BP ? LAYERS[32*(g%NUM_BP)+:32] : 32'd0),
                .DRY_MASK(g < NUM_BP ? DRY_MASK[32*(g%NUM_BP)+:32] : 32'd0),
                .FIFO_DEPTH(FIFO_DEPTH)
            ) u_source (
                .clk(clk),
                .rst(rst),
                .restart(restart),
                .limits(limit),
                .stale(period),
                .cfg_words(owned),
                .ev_context(ev_context),
                .ev_valid(ev_valid),
                .ev_kind(ev_kind),
                .ev_sub(ev_sub),
                .ev_tq(ev_tq),
                .ev_ts(ev_ts),
                .ev_payload(ev_payload),
                .ev_bp_samples(ev_bp_samples),
                .ev_step(ev_step),
                .ev_step_ns(ev_step_ns),
                .accept(accept[g]),
                .q_mark(q_mark[g]),
                .q_entry(q_entry[140*g+:140]),
                .q_take(q_take[g]),
                .drained(drained[g]),
                .drained_ready(drained_ready[g]),
                .loss_cfg(loss_cfg[g]),
                .loss_step(loss_step[g]),
                .op_select(op_select[g]),
                .op_entry(op_entry),
                .op_burst(op_burst),
                .op_free(op_free),
                .op_kind(op_kind[4*g+:4]),
                .op_sub(op_sub[4*g+:4]),
                .op_payload(op_payload),
                .op_bp_samples(op_bp_samples),
                .final_counts(final_counts),
                .word(words[32*g+:32]),
                .word_ts(words_ts[64*g+:64]),
                .word_tq(words_tq[2*g+:2]),
                .word_cause(causes[g]),
                .idle(idle[g]),
                .step_pending(step_held[g]),
                .drop(dropped[g])
            );
        end
    endgenerate

    generate
        if (RAS == 0) begin : gen_no_ras
            wire unused_ras = &{1'b0, ras_words};
        end
        if (JITTER == 0) begin : gen_no_jitter
            wire unused_jitter = &{1'b0, jitter_words};
        end
        if (TOKEN == 0) begin : gen_no_token
            wire unused_token = &{1'b0, token_context};
        end
    endgenerate

    // ---------------------------------------------------------------- merge
    wire e_valid, e_ready, e_plain, e_mark, e_loss_cfg, e_loss_step, e_empty;
    wire [INDEX_W-1:0] e_index;
    wire [139:0] e_entry;

    nps_trace_merge #(
        .SOURCES(SOURCES),
        .DEPTH  (ORDER_DEPTH),
        .TOKEN  (TOKEN),
        .INDEX_W(INDEX_W)
    ) u_merge (
        .clk(clk),
        .rst(rst),
        .accept(accept),
        .q_mark(q_mark),
        .q_entry(q_entry),
        .q_take(q_take),
        .drained(drained),
        .drained_ready(drained_ready),
        .loss_cfg(loss_cfg),
        .loss_step(loss_step),
        .m_valid(e_valid),
        .m_ready(e_ready),
        .m_index(e_index),
        .m_mark(e_mark),
        .m_loss_cfg(e_loss_cfg),
        .m_loss_step(e_loss_step),
        .m_plain(e_plain),
        .m_entry(e_entry),
        .empty(e_empty)
    );

    // the selected source's words; the others are 0
    reg [31:0] word;
    reg [63:0] word_ts;
    reg [1:0] word_tq;
    integer i;
    always @* begin
        word = 32'd0;
        word_ts = 64'd0;
        word_tq = 2'd0;
        for (i = 0; i < SOURCES; i = i + 1) begin
            word = word | words[32*i+:32];
            word_ts = word_ts | words_ts[64*i+:64];
            word_tq = word_tq | words_tq[2*i+:2];
        end
    end

    reg step_pending, ends;  // a clock step that some source has still to tell
    always @(posedge clk) begin
        step_pending <= step_coming || |step_comes || |step_held;
        ends <= flush && &idle;
    end

    // ---------------------------------------------------------------- framer, seal, exit
    wire go, claim, out_empty, sealed_last, packing, crc_busy;
    wire [31:0] stalled, crc;
    wire [127:0] sealed;
    wire r_valid, r_accepted, r_last, sealed_valid;
    wire [63:0] r_ts;
    wire [ 1:0] r_tq;
    wire [3:0] r_kind, r_sub;
    wire [ 5:0] r_src;
    wire [31:0] r_payload;
    wire [INDEX_W-1:0] r_index;

    nps_trace_frame #(
        .NUM_BP(NUM_BP),
        .TOKEN(TOKEN),
        .RAS(RAS),
        .JITTER(JITTER),
        .WORDS(WORDS),
        .INDEX_W(INDEX_W),
        .FRAME_RECORDS(FRAME_RECORDS),
        .FRAME_AGE_NS(FRAME_AGE_NS),
        .HEARTBEAT_NS(HEARTBEAT_NS),
        .CLK_PERIOD_PS(CLK_PERIOD_PS),
        .DESC_HASH(DESC_HASH)
    ) u_frame (
        .clk(clk),
        .rst(rst),
        .restart(restart),
        .rel_ns(rel_ns),
        .ts_ns(ts_ns),
        .tq(tq),
        .e_valid(e_valid),
        .e_ready(e_ready),
        .e_index(e_index),
        .e_mark(e_mark),
        .e_loss_cfg(e_loss_cfg),
        .e_loss_step(e_loss_step),
        .e_plain(e_plain),
        .e_entry(e_entry),
        .e_empty(e_empty),
        .op_select(op_select),
        .op_entry(op_entry),
        .op_burst(op_burst),
        .op_free(op_free),
        .op_kind(op_kind),
        .op_sub(op_sub),
        .op_payload(op_payload),
        .op_bp_samples(op_bp_samples),
        .final_counts(final_counts),
        .word(word),
        .word_ts(word_ts),
        .word_tq(word_tq),
        .word_cause(|causes),
        .step_pending(step_pending),
        .flush(ends),
        .done(done),
        .go(go),
        .claim(claim),
        .out_empty(out_empty),
        .stalled(stalled),
        .crc_closed(crc),
        .crc_open(crc),
        .sealing(packing || crc_busy),
        .m_valid(r_valid),
        .m_ts(r_ts),
        .m_tq(r_tq),
        .m_kind(r_kind),
        .m_sub(r_sub),
        .m_src(r_src),
        .m_payload(r_payload),
        .m_index(r_index),
        .m_accepted(r_accepted),
        .m_last(r_last)
    );

    nps_trace_pack #(
        .COUNTERS(SOURCES + 1),
        .INDEX_W (INDEX_W)
    ) u_pack (
        .clk(clk),
        .rst(rst),
        .restart(restart),
        .s_valid(r_valid),
        .s_ts(r_ts),
        .s_tq(r_tq),
        .s_kind(r_kind),
        .s_sub(r_sub),
        .s_src(r_src),
        .s_payload(r_payload),
        .s_index(r_index),
        .s_accepted(r_accepted),
        .s_last(r_last),
        .m_valid(sealed_valid),
        .m_data(sealed),
        .m_last(sealed_last),
        .busy(packing)
    );

    nps_trace_crc u_crc (
        .clk(clk),
        .rst(rst),
        .s_valid(sealed_valid),
        .s_data(sealed),
        .value(crc),
        .busy(crc_busy)
    );

    nps_trace_out u_out (
        .clk(clk),
        .rst(rst),
        .restart(restart),
        .go(go),
        .claim(claim),
        .empty(out_empty),
        .s_valid(sealed_valid),
        .s_data(sealed),
        .s_last(sealed_last),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tlast(m_axis_tlast),
        .m_axis_tready(m_axis_tready),
        .stalled(stalled)
    );

endmodule
`default_nettype wire
