// SPDX-License-Identifier: Apache-2.0
// Governor of voltage and frequency by the energy of the tokens.
//
// Does:     at a token over the limit one step down, under the release one up, between them none (rules G1..G5 in
//           README.md beside this file).
// Promises: the voltage is the high one whenever the frequency is above the low one: never below what it needs. At most one
//           step in DWELL tokens. A load that stays between release and limit makes no step; both ends are reached exactly
//           and never passed.
// Costs:    the step is made in the clock behind the verdict; its record comes with it.
// Overflow: cannot. Stores no events and has no ready.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module nps_dvfs #(
    parameter integer DVFS_V_HIGH = `NPS_DVFS_V_HIGH,  // mV, 1..4095
    parameter integer DVFS_V_LOW  = `NPS_DVFS_V_LOW,   // mV, 1..DVFS_V_HIGH
    parameter integer DVFS_V_STEP = `NPS_DVFS_V_STEP,  // mV, divides the range
    parameter integer DVFS_F_HIGH = `NPS_DVFS_F_HIGH,  // MHz, 1..4095
    parameter integer DVFS_F_LOW  = `NPS_DVFS_F_LOW,   // MHz, 1..DVFS_F_HIGH
    parameter integer DVFS_F_STEP = `NPS_DVFS_F_STEP,  // MHz, divides the range
    parameter integer DVFS_DWELL  = `NPS_DVFS_DWELL    // tokens from a step to the next one, at least, 1..255
) (
    input wire clk,
    input wire rst,     // high voltage, high frequency
    input wire enable,  // 0: no step, and tokens are not counted

    input wire token,  // verdict of a token
    input wire over,
    input wire under,

    output reg [11:0] voltage,    // mV
    output reg [11:0] frequency,  // MHz

    // records, no ready
    output reg         ev_valid,
    output wire [ 3:0] ev_sub,
    output wire [31:0] ev_payload
);
    `NPS_REFUSE(DVFS_V_LOW < 1 || DVFS_V_HIGH > 4095 || DVFS_V_LOW > DVFS_V_HIGH,
                nps_error__DVFS_V_LOW_and_DVFS_V_HIGH_must_be_1_to_4095_in_order)
    `NPS_REFUSE(DVFS_F_LOW < 1 || DVFS_F_HIGH > 4095 || DVFS_F_LOW > DVFS_F_HIGH,
                nps_error__DVFS_F_LOW_and_DVFS_F_HIGH_must_be_1_to_4095_in_order)
    `NPS_REFUSE(DVFS_V_STEP < 1 || (DVFS_V_HIGH - DVFS_V_LOW) % DVFS_V_STEP != 0,
                nps_error__DVFS_V_STEP_must_divide_the_range)
    `NPS_REFUSE(DVFS_F_STEP < 1 || (DVFS_F_HIGH - DVFS_F_LOW) % DVFS_F_STEP != 0,
                nps_error__DVFS_F_STEP_must_divide_the_range)
    `NPS_REFUSE(DVFS_DWELL < `NPS_DVFS_DWELL_MIN || DVFS_DWELL > `NPS_DVFS_DWELL_MAX,
                nps_error__DVFS_DWELL_must_be_1_to_255)

    localparam [11:0] V_HIGH = DVFS_V_HIGH[11:0], V_LOW = DVFS_V_LOW[11:0], V_STEP = DVFS_V_STEP[11:0];
    localparam [11:0] F_HIGH = DVFS_F_HIGH[11:0], F_LOW = DVFS_F_LOW[11:0], F_STEP = DVFS_F_STEP[11:0];
    localparam [2:0] F_DOWN = 3'd1, V_DOWN = 3'd2, V_UP = 3'd3, F_UP = 3'd4;  // state of MON DVFS: the last step

    reg [7:0] dwell;                        // tokens that must pass first
    reg [2:0] state;
    wire judged = token && enable;
    wire free = dwell == 8'd0;
    wire down = judged && free && over;
    wire up = judged && free && under && !over;
    wire f_down = down && frequency != F_LOW;
    wire v_down = down && frequency == F_LOW && voltage != V_LOW;
    wire v_up = up && voltage != V_HIGH;
    wire f_up = up && voltage == V_HIGH && frequency != F_HIGH;
    wire steps = f_down || v_down || v_up || f_up;
    always @(posedge clk) begin
        if (steps) dwell <= DVFS_DWELL[7:0] - 8'd1;
        else if (judged && !free) dwell <= dwell - 8'd1;
        if (f_down) frequency <= frequency - F_STEP;
        if (f_up) frequency <= frequency + F_STEP;
        if (v_down) voltage <= voltage - V_STEP;
        if (v_up) voltage <= voltage + V_STEP;
        if (steps) state <= f_down ? F_DOWN : v_down ? V_DOWN : v_up ? V_UP : F_UP;
        ev_valid <= steps && !rst;
        if (rst) {voltage, frequency, dwell, state} <= {V_HIGH, F_HIGH, 11'd0};
    end

    reg [31:0] record;
    always @* begin
        record = 32'd0;
        record[`NPS_MON_DVFS_VOLTAGE_LSB+:`NPS_MON_DVFS_VOLTAGE_W] = voltage;
        record[`NPS_MON_DVFS_FREQUENCY_LSB+:`NPS_MON_DVFS_FREQUENCY_W] = frequency;
        record[`NPS_MON_DVFS_STATE_LSB+:`NPS_MON_DVFS_STATE_W] = state;
    end
    assign ev_sub = `NPS_MON_DVFS;
    assign ev_payload = record;
endmodule

`default_nettype wire
