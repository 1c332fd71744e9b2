// SPDX-License-Identifier: Apache-2.0
// The way of a token interrupt to the stream: nps_token_irq, and nps_trace_fabric with an idle backpressure source.
// The top of tb/nps_trace_fabric, which plays nps_trace_control.
`default_nettype none
`include "nps_event.vh"
`include "nps_thresholds.vh"
`include "nps_token.vh"

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
    token_pair #(
        .WORDS(WORDS), .MEM_LOW_ON(MEM_LOW_ON), .MEM_LOW_OFF(MEM_LOW_OFF)
    ) u_pair (
        .clk(clk), .rst(rst), .restart(restart), .ts_ns(ts_ns), .tq(tq), .ts_step(ts_step), .rel_step(rel_step),
        .step_ns(step_ns), .ins_valid(ins_valid), .ins_ready(ins_ready), .ins_word(ins_word), .ins_rs1(ins_rs1),
        .ins_error(ins_error), .arm(arm), .arm_ptr(arm_ptr), .arm_mask(arm_mask), .tok_valid(tok_valid),
        .tok_ready(tok_ready), .tok_ptr(tok_ptr), .tok_id(tok_id), .tok_layer(tok_layer), .tok_slot(tok_slot),
        .tok_first(tok_first), .tok_eos(tok_eos), .tok_eosp(tok_eosp), .tok_boundary(tok_boundary),
        .tok_ctx(tok_ctx), .mem_free(mem_free), .pipe_valid(pipe_valid), .pipe_ready(pipe_ready),
        .pipe_freeze(pipe_freeze), .resume(resume), .trim(trim), .cfg_apply(cfg_apply),
        .cfg_mem_low_on(cfg_mem_low_on), .cfg_mem_low_off(cfg_mem_low_off), .cfg_error(cfg_error),
        .inj_enable(inj_enable), .inj_first(inj_first), .inj_every(inj_every), .inj_layer(inj_layer),
        .inj_force(inj_force), .armed(armed), .trimming(trimming), .held(held), .nested(nested),
        .snap_cause(snap_cause), .snap_token(snap_token), .snap_ctx(snap_ctx), .ev_valid(ev_valid),
        .ev_kind(ev_kind), .ev_sub(ev_sub), .ev_tq(ev_tq), .ev_ts(ev_ts), .ev_payload(ev_payload),
        .ev_tokens(ev_tokens), .ev_step(ev_step), .ev_step_ns(ev_step_ns)
    );

    reg [3:0] steps_coming;
    always @(posedge clk) steps_coming <= rst ? 4'd0 : {steps_coming[2:0], ts_step || rel_step};

    localparam SOURCES = 3;  // idle backpressure source, TOKEN, MARK, idle
    wire [SOURCES-1:0] unused_drops;
    nps_trace_fabric #(
        .NUM_BP(1), .TOKEN(1), .WORDS(WORDS), .LAYERS(32'd1), .FIFO_DEPTH(FIFO_DEPTH), .FRAME_RECORDS(FRAME_RECORDS),
        .FRAME_AGE_NS(FRAME_AGE_NS), .HEARTBEAT_NS(HEARTBEAT_NS)
    ) u_fabric (
        .clk(clk), .rst(rst), .restart(begin_stream), .rel_ns(rel_ns), .ts_ns(ts_ns), .tq(tq),
        .events({
            {`NPS_EVENT_W{1'b0}},
            {ev_step_ns, ev_step, ev_valid, ev_tokens, ev_tq, ev_ts, ev_kind, ev_sub, ev_payload},
            {`NPS_EVENT_W{1'b0}}
        }),
        .offer(3'b111), .token_context(snap_ctx),
        .limits(limits), .stale(stale), .ras_words(192'd0), .jitter_words(64'd0),
        .step_coming(|steps_coming), .flush(flush), .done(done), .dropped(unused_drops),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tlast(m_axis_tlast),
        .m_axis_tready(m_axis_tready)
    );
endmodule

`default_nettype wire
