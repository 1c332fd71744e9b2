// SPDX-License-Identifier: Apache-2.0
// The JITTER source of the stream: nps_jitter, as late as the trace ports, and the words that a stream begins with.
//
// Does:      captures sync jitter; its events come NPS_BP_LATENCY clocks after the inputs; `words` are CFG T_NOMINAL_LO, _HI
//            as in force for the first clock after `restart`.
// Promises:  those of nps_jitter. The first record of a stream was judged by `words`, or CFG records come before it.
// Costs:     NPS_BP_LATENCY clocks; js_* come NPS_JITTER_LATENCY after the inputs.
// Overflow:  none: no ready.
`default_nettype none
`include "nps_event.vh"
`include "nps_probe.vh"
`include "nps_ptp.vh"
`include "nps_thresholds.vh"

module nps_source_jitter #(
    // in force after reset
    parameter [47:0] T_NOMINAL = `NPS_T_NOMINAL,     // 1/256 ns, not 0
    parameter [31:0] WATCHDOG = `NPS_WATCHDOG,       // clocks, 0 off
    parameter integer OPTIONS = `NPS_JITTER_OPTIONS  // 0..15: need_lock, exclude, strobe, sync_lost_a
) (
    input wire clk,
    input wire rst,
    input wire restart,
    input wire enable,

    // time bus
    input wire [47:0] rel_ns,
    input wire [ 7:0] rel_frac,
    input wire [63:0] ts_ns,
    input wire [ 1:0] tq,
    input wire        locked,
    input wire        holdover,
    input wire        ts_step,
    input wire        rel_step,
    input wire [63:0] step_ns,

    input wire sync_valid,
    input wire phy_changed,

    input  wire        cfg_apply,
    input  wire [47:0] cfg_t_nominal,
    input  wire [ 3:0] cfg_options,
    input  wire [31:0] cfg_watchdog,
    output wire        cfg_error,

    output wire [`NPS_JS_W-1:0] js,            // samples for the mapper (nps_event.vh)
    output wire                 js_sync_lost,  // pulse
    output wire                 sync_lost,     // level
    input  wire                 stat_snap,
    input  wire [          3:0] stat_index,
    output wire [         31:0] stat_word,

    output reg  [            63:0] words,     // CFG T_NOMINAL_LO, _HI, 4 clocks after restart and on
    output wire [`NPS_EVENT_W-1:0] event_bus
);
    wire ev_valid, ev_step;
    wire [3:0] ev_kind, ev_sub;
    wire [1:0] ev_tq;
    wire [63:0] ev_ts, ev_step_ns;
    wire [31:0] ev_payload;
    wire [47:0] t_nominal;
    wire [15:0] options;
    wire js_valid, js_ok, js_saturated, js_phy_changed, js_ts_step, js_rel_step;
    wire [31:0] js_jitter;
    wire [47:0] js_rel_ns;
    wire [63:0] js_ts_ns, js_step_ns;
    wire [1:0] js_tq;
    wire [3:0] unused_sub;
    reg [`NPS_JITTER_LATENCY-1:0] lost_a;  // the option as it was for the sample
    always @(posedge clk) lost_a <= {lost_a[`NPS_JITTER_LATENCY-2:0], options[3] && !rst};
    assign js = {
        lost_a[`NPS_JITTER_LATENCY-1], js_valid, js_ok, js_saturated, js_sync_lost, js_phy_changed, js_ts_step,
        js_rel_step, js_tq, js_jitter, js_rel_ns, js_ts_ns, js_step_ns
    };

    wire unused_busy;  // in word 10
    nps_jitter #(
        .T_NOMINAL(T_NOMINAL), .WATCHDOG(WATCHDOG), .OPTIONS(OPTIONS)
    ) u_jitter (
        .clk(clk), .rst(rst), .enable(enable), .restart(restart),
        .rel_ns(rel_ns), .rel_frac(rel_frac), .ts_ns(ts_ns), .tq(tq), .locked(locked), .holdover(holdover),
        .ts_step(ts_step), .rel_step(rel_step), .step_ns(step_ns),
        .sync_valid(sync_valid), .phy_changed(phy_changed),
        .cfg_apply(cfg_apply), .cfg_t_nominal(cfg_t_nominal), .cfg_options(cfg_options), .cfg_watchdog(cfg_watchdog),
        .cfg_error(cfg_error), .t_nominal(t_nominal), .options(options),
        .ev_valid(ev_valid), .ev_kind(ev_kind), .ev_sub(ev_sub), .ev_tq(ev_tq), .ev_ts(ev_ts),
        .ev_payload(ev_payload), .ev_step(ev_step), .ev_step_ns(ev_step_ns),
        .js_valid(js_valid), .js_ok(js_ok), .js_sub(unused_sub), .js_jitter(js_jitter), .js_saturated(js_saturated),
        .js_sync_lost(js_sync_lost), .js_phy_changed(js_phy_changed), .js_rel_ns(js_rel_ns), .js_ts_ns(js_ts_ns),
        .js_tq(js_tq), .js_ts_step(js_ts_step), .js_rel_step(js_rel_step), .js_step_ns(js_step_ns),
        .sync_lost(sync_lost), .stat_snap(stat_snap), .stat_busy(unused_busy), .stat_index(stat_index),
        .stat_word(stat_word)
    );

    wire unused_more;
    nps_event_delay #(
        .CLOCKS(`NPS_BP_LATENCY - `NPS_JITTER_LATENCY)
    ) u_delay (
        .clk(clk), .rst(rst),
        .in_event({ev_step_ns, ev_step, ev_valid, 32'd0, ev_tq, ev_ts, ev_kind, ev_sub, ev_payload}),
        .in_more(1'b0), .event_bus(event_bus), .more(unused_more)
    );

    // What restart puts in force shows 2 clocks later; what is applied in the clock before it, 4 clocks later, and is told.
    reg [2:0] restarted;
    always @(posedge clk) begin
        restarted <= rst ? 3'd0 : {restarted[1:0], restart};
        if (restarted[2]) words <= {options, t_nominal};
    end
endmodule

`default_nettype wire
