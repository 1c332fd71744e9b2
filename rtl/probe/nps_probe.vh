// SPDX-License-Identifier: Apache-2.0
// What others need to know about the probes at elaboration.
`ifndef NPS_PROBE_VH
`define NPS_PROBE_VH

// clocks from the inputs of nps_bp_probe to its event outputs
`define NPS_BP_LATENCY 8

// clocks from restart until the ports `limits` and `stale` of nps_bp_probe show what is in force for its first sample
`define NPS_BP_LIMITS_LATENCY 5

`endif
