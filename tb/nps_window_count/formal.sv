// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_window_count: channels of which one a clock has its event, each as late as its window (rule U3).
`default_nettype none

module formal_window_count (
    input wire clk,
    input wire rst,
    input wire enable,
    input wire [31:0] rel_ns,
    input wire rel_step,
    input wire kind,    // of this clock: which channel it belongs to
    input wire busy
);
    reg [25:0] period;
    always @(posedge clk) period <= period;
    reg late;
    always @(posedge clk) late <= kind;
    wire [1:0] events = {late, !kind};  // channel 1 a clock later
    wire ready;
    wire [24:0] clocks, count;
    nps_window_count #(
        .CHANNELS(2)
    ) dut (
        .clk(clk), .rst(rst), .enable(enable), .rel_ns(rel_ns), .rel_step(rel_step), .events(events),
        .period(period), .ready(ready), .clocks(clocks), .busy(busy), .index(1'b0), .count(count)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    always @(*) if (started && ready) begin
        classes: assert (dut.shown[0] + dut.shown[1] == clocks);
        most:    assert (dut.shown[0] <= clocks);
        rounds:  assert (!clocks[0] && clocks != 25'd0);
    end
    always @(posedge clk) if (started && !rst) begin
        one:    cover (ready && dut.shown[0] == 25'd0);
        second: cover (ready && clocks == 25'd6);
    end
endmodule

`default_nettype wire
