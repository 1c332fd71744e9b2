// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_util_probe: what it tells of two channels whose windows are read as slowly as it does.
`default_nettype none
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module formal_util_probe (
    input wire clk,
    input wire rst,
    input wire [31:0] rel_ns,
    input wire rel_step,
    input wire [1:0] channel_busy
);
    wire [1:0] saturated;
    wire cfg_error, ev_valid;
    wire [3:0] ev_sub;
    wire [31:0] ev_payload;
    nps_util_probe #(
        .CHANNELS(2)
    ) dut (
        .clk(clk), .rst(rst), .enable(1'b1), .rel_ns(rel_ns), .rel_step(rel_step), .channel_busy(channel_busy),
        .cfg_apply(1'b0), .cfg_period(26'd0), .cfg_saturation(10'd0), .cfg_error(cfg_error), .saturated(saturated),
        .ev_valid(ev_valid), .ev_sub(ev_sub), .ev_payload(ev_payload)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    wire [5:0] channel = ev_payload[`NPS_MON_UTIL_CHANNEL_LSB+:`NPS_MON_UTIL_CHANNEL_W];
    wire [24:0] busy = ev_payload[`NPS_MON_UTIL_BUSY_LSB+:`NPS_MON_UTIL_BUSY_W];
    wire verdict = ev_payload[`NPS_MON_UTIL_SATURATED_LSB];
    reg [24:0] clocks;
    reg [5:0] wanted;
    reg in_window = 1'b0;
    always @(posedge clk) begin
        if (ev_valid && channel == `NPS_UTIL_WINDOW) {clocks, wanted, in_window} <= {busy, 6'd0, 1'b1};
        else if (ev_valid) wanted <= wanted + 6'd1;
        if (rst) in_window <= 1'b0;
    end
    wire [35:0] share = busy * 36'd1000, limit = clocks * 36'd`NPS_UTIL_SATURATION;

    always @(*) if (started && ev_valid) begin
        head:  assert (channel == `NPS_UTIL_WINDOW || in_window);
        order: assert (channel == `NPS_UTIL_WINDOW || channel == wanted && wanted < 6'd2);
        if (channel != `NPS_UTIL_WINDOW) begin
            most:  assert (busy <= clocks);
            exact: assert (verdict == (share > limit));
        end
    end
    always @(posedge clk) if (started && !rst) begin
        yes: cover (ev_valid && channel == 6'd1 && verdict);
        no:  cover (ev_valid && channel == 6'd0 && !verdict && busy != 25'd0);
    end
endmodule

`default_nettype wire
