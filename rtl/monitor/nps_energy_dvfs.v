// SPDX-License-Identifier: Apache-2.0
// Energy per token and the governor that keeps it below its limit: nps_energy and nps_dvfs.
//
// Does:     what they do; the governor follows the verdict of each token.
// Promises: as theirs.
// Costs:    NPS_ENERGY_LATENCY clocks from a token to its record, one more to a step.
// Overflow: as theirs.
`default_nettype none
`include "nps_thresholds.vh"

module nps_energy_dvfs #(
    parameter [41:0]  ENERGY_LIMIT   = `NPS_ENERGY_LIMIT,
    parameter [41:0]  ENERGY_RELEASE = `NPS_ENERGY_RELEASE,
    parameter integer DVFS_V_HIGH    = `NPS_DVFS_V_HIGH,
    parameter integer DVFS_V_LOW     = `NPS_DVFS_V_LOW,
    parameter integer DVFS_V_STEP    = `NPS_DVFS_V_STEP,
    parameter integer DVFS_F_HIGH    = `NPS_DVFS_F_HIGH,
    parameter integer DVFS_F_LOW     = `NPS_DVFS_F_LOW,
    parameter integer DVFS_F_STEP    = `NPS_DVFS_F_STEP,
    parameter integer DVFS_DWELL     = `NPS_DVFS_DWELL
) (
    input wire clk,
    input wire rst,
    input wire enable,
    input wire govern,  // 0: no steps

    input wire [47:0] rel_ns,
    input wire        rel_step,
    input wire        power_valid,
    input wire [23:0] power_mw,
    input wire        token,

    input  wire        cfg_apply,
    input  wire [41:0] cfg_limit,
    input  wire [41:0] cfg_release,
    output wire        cfg_error,

    output wire [11:0] voltage,
    output wire [11:0] frequency,

    // records of the energy, and of the steps
    output wire        ev_valid,
    output wire [ 3:0] ev_sub,
    output wire [31:0] ev_payload,
    output wire        dv_valid,
    output wire [ 3:0] dv_sub,
    output wire [31:0] dv_payload
);
    wire done, over, under;

    nps_energy #(
        .ENERGY_LIMIT  (ENERGY_LIMIT),
        .ENERGY_RELEASE(ENERGY_RELEASE)
    ) u_energy (
        .clk(clk),
        .rst(rst),
        .enable(enable),
        .rel_ns(rel_ns),
        .rel_step(rel_step),
        .power_valid(power_valid),
        .power_mw(power_mw),
        .token(token),
        .cfg_apply(cfg_apply),
        .cfg_limit(cfg_limit),
        .cfg_release(cfg_release),
        .cfg_error(cfg_error),
        .done(done),
        .over(over),
        .under(under),
        .ev_valid(ev_valid),
        .ev_sub(ev_sub),
        .ev_payload(ev_payload)
    );

    nps_dvfs #(
        .DVFS_V_HIGH(DVFS_V_HIGH),
        .DVFS_V_LOW (DVFS_V_LOW),
        .DVFS_V_STEP(DVFS_V_STEP),
        .DVFS_F_HIGH(DVFS_F_HIGH),
        .DVFS_F_LOW (DVFS_F_LOW),
        .DVFS_F_STEP(DVFS_F_STEP),
        .DVFS_DWELL (DVFS_DWELL)
    ) u_dvfs (
        .clk(clk),
        .rst(rst),
        .enable(govern),
        .token(done),
        .over(over),
        .under(under),
        .voltage(voltage),
        .frequency(frequency),
        .ev_valid(dv_valid),
        .ev_sub(dv_sub),
        .ev_payload(dv_payload)
    );
endmodule

`default_nettype wire
