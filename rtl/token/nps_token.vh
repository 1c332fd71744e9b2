// SPDX-License-Identifier: Apache-2.0
// What others need to know about the token interrupt at elaboration.
`ifndef NPS_TOKEN_VH
`define NPS_TOKEN_VH

// clocks from the token that meets a condition to pipe_freeze
`define NPS_TOKEN_IRQ_LATENCY 1

// clocks from the inputs of nps_token_irq to its event outputs
`define NPS_TOKEN_EV_LATENCY 2

// clocks from an instruction to the first token judged by it
`define NPS_TOKEN_ARM_LATENCY 2

// clocks from cfg_apply to cfg_error, or to the first memory level judged by the new limits: that of the next clock's token
`define NPS_TOKEN_CFG_LATENCY 2

// npu_token_int rs1, #mask: what an instruction word must be, and which of its bits count; mask in [31:20]
`define NPS_TOKEN_OPCODE 32'h0000000B
`define NPS_TOKEN_OPCODE_BITS 32'h0000707F

`endif
