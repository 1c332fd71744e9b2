// SPDX-License-Identifier: Apache-2.0
// Utilisation of memory channels: how many clocks of each window each was busy, and whether that is saturation.
//
// Does:     counts the clocks of `busy` of each channel (nps_window_count) and tells each window: its length, then each
//           channel with its verdict, busy * 1000 > limit * clocks (rules U1..U6 in README.md beside this file).
// Promises: a record of the window and one of each channel, in order, of each window; the verdict is exact.
// Costs:    a round after the window's end, and then 16 clocks a channel.
// Overflow: a window does not end while the last one is told. Stores no events and has no ready.
`default_nettype none
`include "nps_monitor.vh"
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module nps_util_probe #(
    parameter integer CHANNELS        = 8,                    // 2..62
    // in force after reset
    parameter integer UTIL_PERIOD     = `NPS_UTIL_PERIOD,     // ns, 10000..67108863
    parameter integer UTIL_SATURATION = `NPS_UTIL_SATURATION  // 1/1000, 0..1000
) (
    input wire clk,
    input wire rst,
    input wire enable,  // 0: nothing is counted, the window that runs is void

    // time bus
    input wire [31:0] rel_ns,  // low bits
    input wire        rel_step,

    input wire [CHANNELS-1:0] channel_busy,

    // new limits, taken as a whole; refused by cfg_error, a clock later
    input  wire        cfg_apply,
    input  wire [25:0] cfg_period,
    input  wire [ 9:0] cfg_saturation,
    output reg         cfg_error,

    output reg [CHANNELS-1:0] saturated,  // verdict of each channel's last window

    // records, no ready
    output reg         ev_valid,
    output wire [ 3:0] ev_sub,
    output wire [31:0] ev_payload
);
    `NPS_REFUSE(CHANNELS < 2 || CHANNELS > 62, nps_error__CHANNELS_must_be_2_to_62)
    `NPS_REFUSE(UTIL_PERIOD < `NPS_UTIL_PERIOD_MIN || UTIL_PERIOD > `NPS_UTIL_PERIOD_MAX,
                nps_error__UTIL_PERIOD_must_be_10000_to_67108863)
    `NPS_REFUSE(UTIL_SATURATION < `NPS_UTIL_SATURATION_MIN || UTIL_SATURATION > `NPS_UTIL_SATURATION_MAX,
                nps_error__UTIL_SATURATION_must_be_0_to_1000)

    localparam [9:0] THOUSAND = `NPS_UTIL_SATURATION_MAX;
    localparam [25:0] PERIOD_MIN = `NPS_UTIL_PERIOD_MIN;
    localparam integer A = $clog2(CHANNELS);
    localparam [5:0] LAST = CHANNELS[5:0] - 6'd1;

    reg [25:0] period;
    reg [9:0] limit;
    wire legal = cfg_period >= PERIOD_MIN && cfg_saturation <= THOUSAND;
    always @(posedge clk) begin
        cfg_error <= cfg_apply && !legal && !rst;
        if (cfg_apply && legal) {period, limit} <= {cfg_period, cfg_saturation};
        if (rst) {period, limit} <= {UTIL_PERIOD[25:0], UTIL_SATURATION[9:0]};
    end

    // ------------------------------------------------------------------ count
    wire ready;
    wire [24:0] clocks, count;
    reg telling;
    reg [5:0] channel;
    nps_window_count #(
        .CHANNELS(CHANNELS)
    ) u_count (
        .clk(clk),
        .rst(rst),
        .enable(enable),
        .rel_ns(rel_ns),
        .rel_step(rel_step),
        .events(channel_busy),
        .period(period),
        .ready(ready),
        .clocks(clocks),
        .busy(telling),
        .index(channel[A-1:0]),
        .count(count)
    );

    // ------------------------------------------------------------------ judge and tell, one channel after the other
    wire done, less;
    reg start;
    reg [1:0] settles;                      // the index is new: its count comes
    nps_ratio #(
        .W(25)
    ) u_ratio (
        .clk(clk),
        .rst(rst),
        .start(start),
        .x(clocks),
        .x_factor(limit),
        .y(count),
        .y_factor(THOUSAND),
        .done(done),
        .less(less)
    );
    reg [31:0] record;
    always @(posedge clk) begin
        settles <= {settles[0], ready || (done && channel != LAST)} & {2{!rst}};
        start <= settles[1] && !rst;
        if (ready) channel <= 6'd0;
        else if (done) channel <= channel + 6'd1;
        telling <= (ready || (telling && !(done && channel == LAST))) && !rst;
        if (done) saturated[channel[A-1:0]] <= less;
        if (rst) saturated <= {CHANNELS{1'b0}};

        ev_valid <= (ready || done) && !rst;
        record[`NPS_MON_UTIL_CHANNEL_LSB+:`NPS_MON_UTIL_CHANNEL_W] <= done ? channel : `NPS_UTIL_WINDOW;
        record[`NPS_MON_UTIL_SATURATED_LSB] <= done && less;
        record[`NPS_MON_UTIL_BUSY_LSB+:`NPS_MON_UTIL_BUSY_W] <= done ? count : clocks;
    end
    assign ev_sub = `NPS_MON_UTIL;
    assign ev_payload = record;
endmodule

`default_nettype wire
