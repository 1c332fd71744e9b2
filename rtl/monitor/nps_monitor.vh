// SPDX-License-Identifier: Apache-2.0
// What others need to know about the modules of this folder at elaboration.
`ifndef NPS_MONITOR_VH
`define NPS_MONITOR_VH

// clocks from the inputs of a monitor to the record they make, for nps_mon_collect to label it with their time
`define NPS_MON_LATENCY 4

// clocks from a window's last to the record of nps_hitrate_mon
`define NPS_HITRATE_LATENCY 16

// clocks from a token to its record and verdict (nps_energy)
`define NPS_ENERGY_LATENCY 7

// clocks of nps_ratio from start to done
`define NPS_RATIO_LATENCY 12

// of nps_histogram: clocks from snap until the snapshot can be read, from an index without an add to its word
`define NPS_HISTOGRAM_SNAP_LATENCY 1
`define NPS_HISTOGRAM_WORD_LATENCY 4
// of nps_interval_mon: clocks from a token until its interval is in a snapshot, then as above (a token 4 clocks before
// the index goes first)
`define NPS_INTERVAL_SNAP_AGE 5
`define NPS_INTERVAL_SNAP_LATENCY 1
`define NPS_INTERVAL_WORD_LATENCY 5
// words of nps_interval_mon behind its 46 bins
`define NPS_INTERVAL_BINS 46
`define NPS_INTERVAL_W_COUNT 6'd48
`define NPS_INTERVAL_W_VIOLATIONS 6'd49
`define NPS_INTERVAL_W_TOKEN 6'd50

// clocks from the links to the trace port of nps_link_probe
`define NPS_LINK_LATENCY 8

// channel of a MON UTIL record that tells the clocks of the window
`define NPS_UTIL_WINDOW 6'd63

`endif
