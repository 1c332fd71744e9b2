// SPDX-License-Identifier: Apache-2.0
// What others need to know about the modules of this folder at elaboration.
`ifndef NPS_PTP_VH
`define NPS_PTP_VH

// clocks from the inputs of nps_jitter to its events and to js_*
`define NPS_JITTER_LATENCY 4

// clocks from a pulse until it is in a snapshot: stat_snap so many clocks later or more
`define NPS_JITTER_SNAP_AGE 5
// most clocks from stat_snap until stat_index reads the snapshot (until stat_busy falls), all samples waiting
`define NPS_JITTER_SNAP_LATENCY 1330
// clocks from stat_index to stat_word
`define NPS_JITTER_WORD_LATENCY 2

// clocks of nps_ptp_clock from rate_apply, load to the first time that follows from it
`define NPS_PTP_RATE_LATENCY 9
`define NPS_PTP_LOAD_LATENCY 36

`endif
