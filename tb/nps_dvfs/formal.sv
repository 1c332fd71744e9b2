// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_dvfs: what it promises, for any sequence of verdicts, with its default points.
`default_nettype none
`include "nps_thresholds.vh"

module formal_dvfs (
    input wire clk,
    input wire rst,
    input wire enable,
    input wire token,
    input wire over,
    input wire under
);
    wire [11:0] voltage, frequency;
    wire        ev_valid;
    wire [ 3:0] ev_sub;
    wire [31:0] ev_payload;
    nps_dvfs dut (
        .clk(clk), .rst(rst), .enable(enable), .token(token), .over(over), .under(under), .voltage(voltage),
        .frequency(frequency), .ev_valid(ev_valid), .ev_sub(ev_sub), .ev_payload(ev_payload)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    // the point of the clock before, its verdict, and the tokens since the last step
    reg [11:0] was_v, was_f;
    reg        was_rst = 1'b1, was_token, was_over, was_under;
    reg [ 7:0] since;
    wire       moved = was_v != voltage || was_f != frequency;
    always @(posedge clk) begin
        {was_v, was_f, was_rst} <= {voltage, frequency, rst};
        {was_token, was_over, was_under} <= {token && enable && !rst, over, under};
        if (rst) since <= 8'hFF;
        else if (started && !was_rst && moved) since <= {7'd0, token && enable};
        else if (token && enable && since != 8'hFF) since <= since + 8'd1;
    end
    wire [7:0] passed = !was_rst && moved ? 8'd0 : since;  // tokens counted behind the last step, before this clock
    wire at_grid = (voltage - `NPS_DVFS_V_LOW) % `NPS_DVFS_V_STEP == 0 && (frequency - `NPS_DVFS_F_LOW) % `NPS_DVFS_F_STEP == 0;

    always @(*) if (started && !was_rst) begin
        safe:   assert (voltage == `NPS_DVFS_V_HIGH || frequency == `NPS_DVFS_F_LOW);
        range_v: assert (voltage >= `NPS_DVFS_V_LOW && voltage <= `NPS_DVFS_V_HIGH);
        range_f: assert (frequency >= `NPS_DVFS_F_LOW && frequency <= `NPS_DVFS_F_HIGH);
        grid:   assert (at_grid);
        band:   assert (!moved || (was_token && (was_over || was_under)));
        told:   assert (moved == ev_valid);
        dwell:  assert (!moved || since >= `NPS_DVFS_DWELL || since == 8'hFF);
        waits:  assert (dut.dwell == 8'd0 ? passed + 8'd1 >= `NPS_DVFS_DWELL || passed == 8'hFF
                        : passed + dut.dwell + 8'd1 == `NPS_DVFS_DWELL);
    end
    always @(posedge clk) if (started && !rst) begin
        low:    cover (voltage == `NPS_DVFS_V_LOW && frequency == `NPS_DVFS_F_LOW);
        again:  cover (was_v < voltage && started && !was_rst);
    end
endmodule

`default_nettype wire
