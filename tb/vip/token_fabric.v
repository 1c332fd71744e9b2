// SPDX-License-Identifier: Apache-2.0
// The way of a token interrupt to the stream: nps_token_irq, its source, an idle backpressure source, merge, framer, exit.
// The top of tb/token_fabric, which plays nps_trace_control.
`default_nettype none
`include "nps_thresholds.vh"
`include "nps_token.vh"
`include "nps_trace.vh"

module token_fabric #(
    parameter integer WORDS = 4,
    parameter integer MEM_LOW_ON = `NPS_MEM_LOW_ON,
    parameter integer MEM_LOW_OFF = `NPS_MEM_LOW_OFF,
    parameter FIFO_DEPTH = 16,
    parameter FRAME_RECORDS = 64,
    parameter [47:0] FRAME_AGE_NS = 48'd2000,
    parameter [47:0] HEARTBEAT_NS = 48'd20000
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire                    restart,      // of the events
    input  wire                    begin_stream,
    input  wire                    flush,
    output wire                    done,
    input  wire [            31:0] limits,       // of the idle source
    input  wire [            31:0] stale,
    input  wire [            47:0] rel_ns,
    input  wire [            63:0] ts_ns,
    input  wire [             1:0] tq,
    input  wire                    ts_step,
    input  wire                    rel_step,
    input  wire [            63:0] step_ns,
    input  wire                    ins_valid,
    input  wire                    ins_ready,
    input  wire [            31:0] ins_word,
    input  wire [            31:0] ins_rs1,
    output wire                    ins_error,
    input  wire                    arm,
    input  wire [            31:0] arm_ptr,
    input  wire [             3:0] arm_mask,
    input  wire                    tok_valid,
    output wire                    tok_ready,
    input  wire [            31:0] tok_ptr,
    input  wire [            31:0] tok_id,
    input  wire [             7:0] tok_layer,
    input  wire [            15:0] tok_slot,
    input  wire                    tok_first,
    input  wire                    tok_eos,
    input  wire                    tok_eosp,
    input  wire                    tok_boundary,
    input  wire [32*(WORDS-3)-1:0] tok_ctx,
    input  wire [            15:0] mem_free,
    output wire                    pipe_valid,
    input  wire                    pipe_ready,
    output wire                    pipe_freeze,
    input  wire                    resume,
    input  wire                    trim,
    input  wire                    cfg_apply,
    input  wire [            15:0] cfg_mem_low_on,
    input  wire [            15:0] cfg_mem_low_off,
    output wire                    cfg_error,
    input  wire                    inj_enable,
    input  wire [            15:0] inj_first,
    input  wire [            15:0] inj_every,
    input  wire [             7:0] inj_layer,
    input  wire [             3:0] inj_force,
    output wire [           127:0] m_axis_tdata,
    output wire                    m_axis_tvalid,
    output wire                    m_axis_tlast,
    input  wire                    m_axis_tready,
    // of the interrupt, for the checker
    output wire                    armed,
    output wire                    trimming,
    output wire [             3:0] held,
    output wire [             7:0] nested,
    output wire [             3:0] snap_cause,
    output wire [            31:0] snap_token,
    output wire [    32*WORDS-1:0] snap_ctx,
    output wire                    ev_valid,
    output wire [             3:0] ev_kind,
    output wire [             3:0] ev_sub,
    output wire [             1:0] ev_tq,
    output wire [            63:0] ev_ts,
    output wire [            31:0] ev_payload,
    output wire [            31:0] ev_tokens,
    output wire                    ev_step,
    output wire [            63:0] ev_step_ns
);
    wire [3:0] inj_cause;

    nps_token_inject u_inject (
        .clk(clk),
        .rst(rst),
        .enable(inj_enable),
        .first(inj_first),
        .every(inj_every),
        .layer(inj_layer),
        .cause(inj_force),
        .pipe_valid(pipe_valid),
        .pipe_ready(pipe_ready),
        .tok_layer(tok_layer),
        .inj_cause(inj_cause)
    );

    nps_token_irq #(
        .WORDS(WORDS),
        .MEM_LOW_ON(MEM_LOW_ON),
        .MEM_LOW_OFF(MEM_LOW_OFF)
    ) u_irq (
        .clk(clk),
        .rst(rst),
        .restart(restart),
        .ts_ns(ts_ns),
        .tq(tq),
        .ts_step(ts_step),
        .rel_step(rel_step),
        .step_ns(step_ns),
        .ins_valid(ins_valid),
        .ins_ready(ins_ready),
        .ins_word(ins_word),
        .ins_rs1(ins_rs1),
        .ins_error(ins_error),
        .arm(arm),
        .arm_ptr(arm_ptr),
        .arm_mask(arm_mask),
        .tok_valid(tok_valid),
        .tok_ready(tok_ready),
        .tok_ptr(tok_ptr),
        .tok_id(tok_id),
        .tok_layer(tok_layer),
        .tok_slot(tok_slot),
        .tok_first(tok_first),
        .tok_eos(tok_eos),
        .tok_eosp(tok_eosp),
        .tok_boundary(tok_boundary),
        .tok_ctx(tok_ctx),
        .mem_free(mem_free),
        .inj_cause(inj_cause),
        .pipe_valid(pipe_valid),
        .pipe_ready(pipe_ready),
        .pipe_freeze(pipe_freeze),
        .resume(resume),
        .trim(trim),
        .cfg_apply(cfg_apply),
        .cfg_mem_low_on(cfg_mem_low_on),
        .cfg_mem_low_off(cfg_mem_low_off),
        .cfg_error(cfg_error),
        .armed(armed),
        .trimming(trimming),
        .held(held),
        .nested(nested),
        .snap_cause(snap_cause),
        .snap_token(snap_token),
        .snap_ctx(snap_ctx),
        .ev_valid(ev_valid),
        .ev_kind(ev_kind),
        .ev_sub(ev_sub),
        .ev_tq(ev_tq),
        .ev_ts(ev_ts),
        .ev_payload(ev_payload),
        .ev_tokens(ev_tokens),
        .ev_step(ev_step),
        .ev_step_ns(ev_step_ns)
    );

    // ---------------------------------------------------------------- sources: 0 idle, 1 TOKEN, 2 MARK, idle
    localparam SOURCES = 3;
    localparam INDEX_W = 2;
    wire [SOURCES-1:0] accept, q_mark, q_take, drained, drained_ready, loss_cfg, loss_step, idle, step_held, op_select;
    wire [140*SOURCES-1:0] q_entry;
    wire op_entry, op_burst, op_free, final_counts;
    wire [3:0] op_kind, op_sub;
    wire [31:0] op_payload, op_bp_samples;
    wire [32*SOURCES-1:0] words;
    wire [64*SOURCES-1:0] words_ts;
    wire [2*SOURCES-1:0] words_tq;

    genvar g;
    generate
        for (g = 0; g < SOURCES; g = g + 1) begin : gen_source
            wire [(g==1?32*WORDS:1)-1:0] context_words;
            if (g == 1) begin : gen_token
                assign context_words = snap_ctx;
            end else begin : gen_idle
                assign context_words = 1'b0;
            end
            wire unused_drop;
            nps_trace_source #(
                .HAS_LAYERS(g == 0),
                .LAYERS(32'd1),
                .CONTEXT(g == 1 ? WORDS : 0),
                .FIFO_DEPTH(FIFO_DEPTH)
            ) u_source (
                .clk(clk),
                .rst(rst),
                .restart(begin_stream),
                .limits(limits),
                .stale(stale),
                .cfg_words(1'b0),
                .ev_context(context_words),
                .ev_valid(ev_valid && g == 1),
                .ev_kind(ev_kind),
                .ev_sub(ev_sub),
                .ev_tq(ev_tq),
                .ev_ts(ev_ts),
                .ev_payload(ev_payload),
                .ev_bp_samples(32'd0),
                .ev_step(ev_step && g == 1),
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
                .op_kind(op_kind),
                .op_sub(op_sub),
                .op_payload(op_payload),
                .op_bp_samples(op_bp_samples),
                .final_counts(final_counts),
                .word(words[32*g+:32]),
                .word_ts(words_ts[64*g+:64]),
                .word_tq(words_tq[2*g+:2]),
                .idle(idle[g]),
                .step_pending(step_held[g]),
                .drop(unused_drop)
            );
        end
    endgenerate

    // ---------------------------------------------------------------- merge, framer, seal, exit: as in nps_top
    wire e_valid, e_ready, e_plain, e_mark, e_loss_cfg, e_loss_step, e_empty;
    wire [INDEX_W-1:0] e_index;
    wire [139:0] e_entry;

    nps_trace_merge #(
        .SOURCES(SOURCES),
        .DEPTH  (4 * FIFO_DEPTH),
        .TOKEN  (1),
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

    reg step_pending, ends;
    reg [3:0] steps_coming;
    always @(posedge clk) begin
        steps_coming <= rst ? 4'd0 : {steps_coming[2:0], ts_step || rel_step};
        step_pending <= |steps_coming || |step_held;
        ends <= flush && &idle;
    end

    wire go, claim, out_empty, sealed_last, packing, crc_busy;
    wire [31:0] stalled, crc_value;
    wire [127:0] sealed;
    wire r_valid, r_accepted, r_last, sealed_valid;
    wire [63:0] r_ts;
    wire [1:0] r_tq;
    wire [3:0] r_kind, r_sub;
    wire [5:0] r_src;
    wire [31:0] r_payload;
    wire [INDEX_W-1:0] r_index;

    nps_trace_frame #(
        .NUM_BP(1),
        .TOKEN(1),
        .WORDS(WORDS),
        .INDEX_W(INDEX_W),
        .FRAME_RECORDS(FRAME_RECORDS),
        .FRAME_AGE_NS(FRAME_AGE_NS),
        .HEARTBEAT_NS(HEARTBEAT_NS)
    ) u_frame (
        .clk(clk),
        .rst(rst),
        .restart(begin_stream),
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
        .word(words[31:0] | words[63:32] | words[95:64]),
        .word_ts(words_ts[63:0] | words_ts[127:64] | words_ts[191:128]),
        .word_tq(words_tq[1:0] | words_tq[3:2] | words_tq[5:4]),
        .step_pending(step_pending),
        .flush(ends),
        .done(done),
        .go(go),
        .claim(claim),
        .out_empty(out_empty),
        .stalled(stalled),
        .crc_closed(crc_value),
        .crc_open(crc_value),
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
        .restart(begin_stream),
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
        .value(crc_value),
        .busy(crc_busy)
    );

    nps_trace_out u_out (
        .clk(clk),
        .rst(rst),
        .restart(begin_stream),
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
