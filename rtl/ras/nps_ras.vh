// SPDX-License-Identifier: Apache-2.0
// What the modules of the RAS mapper share, and what others need to know about it at elaboration.
`ifndef NPS_RAS_VH
`define NPS_RAS_VH

// clocks from the js_* inputs of nps_ras_map to a request and to the entry of the collector
`define NPS_RAS_LATENCY 4

// clocks from cfg_apply to cfg_done or cfg_error, for which the cfg_* words must not change
`define NPS_RAS_CFG_LATENCY 2

// clocks behind ev_cfg for which told_words stand
`define NPS_RAS_CFG_CLOCKS 3'd7

// one clock's happenings, in the order in which they are told; the records are FLUSHED and up
`define NPS_RAS_H_STEP 0
`define NPS_RAS_H_CFG 1
`define NPS_RAS_H_FLUSHED 2
`define NPS_RAS_H_ENABLE 3
`define NPS_RAS_H_RENEG 4
`define NPS_RAS_H_PHY 5
`define NPS_RAS_H_REQ0 6
`define NPS_RAS_H_REQ1 7
`define NPS_RAS_H_LOST 8
`define NPS_RAS_H_R 9
`define NPS_RAS_H_A 10
`define NPS_RAS_H_EXHAUSTED 11
`define NPS_RAS_H_S 12
`define NPS_RAS_HAPPENS 13

// more about them: enable level; per request: 1 timeout, 2 stuck; injected; the moment is offered to the stream
`define NPS_RAS_M_LEVEL 0
`define NPS_RAS_M_TIMEOUT0 1
`define NPS_RAS_M_TIMEOUT1 2
`define NPS_RAS_M_STUCK0 3
`define NPS_RAS_M_STUCK1 4
`define NPS_RAS_M_INJECTED 5
`define NPS_RAS_M_OFFER 6
`define NPS_RAS_MORE 7

`endif
