// SPDX-License-Identifier: Apache-2.0
// What a source offers in one clock, as one bus:
//   {step_ns 64, step 1, record 1, count 32, tq 2, ts 64, kind 4, sub 4, payload 32}
// step: a clock step of step_ns before the record, if any. count: its own counter (CNT BP_SAMPLES of a trace port), always.
`ifndef NPS_EVENT_VH
`define NPS_EVENT_VH

`define NPS_EVENT_W 204
`define NPS_EVENT_RECORD 138
`define NPS_EVENT_STEP 139

// A sample of nps_jitter for nps_ras_map, with the time of its clock:
//   {sync_lost_a, valid, ok, saturated, sync_lost, phy_changed, ts_step, rel_step, tq 2, jitter 32, rel_ns 48, ts_ns 64, step_ns 64}
`define NPS_JS_W 218

`endif
