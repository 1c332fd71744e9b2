// SPDX-License-Identifier: Apache-2.0
// What others need to know about the probes at elaboration.
`ifndef NPS_PROBE_VH
`define NPS_PROBE_VH

// clocks from the inputs of nps_bp_probe to its event outputs
`define NPS_BP_LATENCY 7

`endif
