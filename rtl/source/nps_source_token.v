// SPDX-License-Identifier: Apache-2.0
// The TOKEN source of the stream: nps_token_irq with nps_token_inject, as late as the trace ports.
//
// Does:      sits in a valid/ready stream of tokens and freezes it at the token asked for; its events, each TOKINT with
//            its context, come NPS_BP_LATENCY + 1 clocks after the token.
// Promises:  those of nps_token_irq.
// Costs:     no clock in the stream of tokens. Tokens and time come from pins, not from registers of the top: hence one
//            clock more than the trace ports, whose inputs the top registers.
// Overflow:  none: no ready for events.
`default_nettype none
`include "nps_event.vh"
`include "nps_probe.vh"
`include "nps_thresholds.vh"
`include "nps_token.vh"

module nps_source_token #(
    parameter integer WORDS       = 4,                       // as nps_token_irq
    parameter [31:0]  OPCODE      = `NPS_TOKEN_OPCODE,
    parameter [31:0]  OPCODE_BITS = `NPS_TOKEN_OPCODE_BITS,
    parameter integer MEM_LOW_ON  = `NPS_MEM_LOW_ON,
    parameter integer MEM_LOW_OFF = `NPS_MEM_LOW_OFF
) (
    input wire clk,
    input wire rst,
    input wire restart,  // in the clock before the first token of the stream

    // time bus, of the clock of the tokens
    input wire [63:0] ts_ns,
    input wire [ 1:0] tq,
    input wire        ts_step,
    input wire        rel_step,
    input wire [63:0] step_ns,

    input  wire        ins_valid,
    input  wire        ins_ready,
    input  wire [31:0] ins_word,
    input  wire [31:0] ins_rs1,
    output wire        ins_error,
    input  wire        arm,
    input  wire [31:0] arm_ptr,
    input  wire [ 3:0] arm_mask,

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

    input  wire        cfg_apply,
    input  wire [15:0] cfg_mem_low_on,
    input  wire [15:0] cfg_mem_low_off,
    output wire        cfg_error,

    input wire        inject_enable,
    input wire [15:0] inject_first,
    input wire [15:0] inject_every,
    input wire [ 7:0] inject_layer,
    input wire [ 3:0] inject_cause,

    output wire                armed,
    output wire                trimming,
    output wire [         3:0] held,
    output wire [         7:0] nested,
    output wire [         3:0] snap_cause,
    output wire [        31:0] snap_token,
    output wire [32*WORDS-1:0] snap_ctx,

    output wire [    32*WORDS-1:0] context_words,  // with a TOKINT, word 0 lowest
    output wire [`NPS_EVENT_W-1:0] event_bus       // count: tokens that entered since start
);
    wire [3:0] inj_cause;
    nps_token_inject u_inject (
        .clk(clk), .rst(rst), .enable(inject_enable), .first(inject_first), .every(inject_every),
        .layer(inject_layer), .cause(inject_cause), .pipe_valid(pipe_valid), .pipe_ready(pipe_ready),
        .tok_layer(tok_layer), .inj_cause(inj_cause)
    );

    wire ev_valid, ev_step;
    wire [3:0] ev_kind, ev_sub;
    wire [1:0] ev_tq;
    wire [63:0] ev_ts, ev_step_ns;
    wire [31:0] ev_payload, ev_tokens;
    nps_token_irq #(
        .WORDS(WORDS), .OPCODE(OPCODE), .OPCODE_BITS(OPCODE_BITS), .MEM_LOW_ON(MEM_LOW_ON), .MEM_LOW_OFF(MEM_LOW_OFF)
    ) u_irq (
        .clk(clk), .rst(rst), .restart(restart), .ts_ns(ts_ns), .tq(tq), .ts_step(ts_step), .rel_step(rel_step),
        .step_ns(step_ns), .ins_valid(ins_valid), .ins_ready(ins_ready), .ins_word(ins_word), .ins_rs1(ins_rs1),
        .ins_error(ins_error), .arm(arm), .arm_ptr(arm_ptr), .arm_mask(arm_mask), .tok_valid(tok_valid),
        .tok_ready(tok_ready), .tok_ptr(tok_ptr), .tok_id(tok_id), .tok_layer(tok_layer), .tok_slot(tok_slot),
        .tok_first(tok_first), .tok_eos(tok_eos), .tok_eosp(tok_eosp), .tok_boundary(tok_boundary),
        .tok_ctx(tok_ctx), .mem_free(mem_free), .inj_cause(inj_cause), .pipe_valid(pipe_valid),
        .pipe_ready(pipe_ready), .pipe_freeze(pipe_freeze), .resume(resume), .trim(trim), .cfg_apply(cfg_apply),
        .cfg_mem_low_on(cfg_mem_low_on), .cfg_mem_low_off(cfg_mem_low_off), .cfg_error(cfg_error), .armed(armed),
        .trimming(trimming), .held(held), .nested(nested), .snap_cause(snap_cause), .snap_token(snap_token),
        .snap_ctx(snap_ctx), .ev_valid(ev_valid), .ev_kind(ev_kind), .ev_sub(ev_sub), .ev_tq(ev_tq), .ev_ts(ev_ts),
        .ev_payload(ev_payload), .ev_tokens(ev_tokens), .ev_step(ev_step), .ev_step_ns(ev_step_ns)
    );

    nps_event_delay #(
        .CLOCKS(`NPS_BP_LATENCY + 1 - `NPS_TOKEN_EV_LATENCY), .MORE_W(32 * WORDS)
    ) u_delay (
        .clk(clk), .rst(rst),
        .in_event({ev_step_ns, ev_step, ev_valid, ev_tokens, ev_tq, ev_ts, ev_kind, ev_sub, ev_payload}),
        .in_more(snap_ctx), .event_bus(event_bus), .more(context_words)
    );
endmodule

`default_nettype wire
