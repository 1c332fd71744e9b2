// SPDX-License-Identifier: Apache-2.0
// What a reader of one source's records knows: its keyframe masks and its limits.
//
// Does:      replays the source's records (FORMAT.md, rules 2 and 15 to 19).
//            BP         known; bp_en as told; ENTER hot, EXIT not; occ 0 dry (layers of DRY_MASK), occ >= TH_WET wet
//            STATE 2    unknown as told; what is unknown is neither hot nor dry nor bp_en
//            CFG 2, 3   limits
// Promises:  a layer is never hot and unknown at once; layers outside LAYERS stay 0 if the records name none.
// Costs:     2 clocks from a record to the masks, 1 from a load, which wins.
// Overflow:  none.
`default_nettype none
`include "nps_trace.vh"

module nps_trace_mirror #(
    parameter [31:0] DRY_MASK = 32'h00000000  // layers that can be dry
) (
    input wire clk,

    input wire        load,
    input wire [31:0] load_hot,
    input wire [31:0] load_bp_en,
    input wire [31:0] load_unknown,
    input wire [31:0] load_dry,
    input wire [31:0] load_limits,
    input wire [31:0] load_stale,

    input wire        update,
    input wire [ 3:0] kind,
    input wire [ 3:0] sub,
    input wire [31:0] payload,

    output reg [31:0] hot,
    output reg [31:0] bp_en,
    output reg [31:0] unknown,
    output reg [31:0] dry,
    output reg [31:0] limits,
    output reg [31:0] stale
);

    // ---------------------------------------------------------------- what the record says
    reg lapses, new_limits, new_stale;
    reg [31:0] word, lapsed;
    // one-hot, 0 if the record does not say so: one register each, so that a mask is one gate behind them
    reg [31:0] layer, enters, cools, drives, dries, wets;

    wire told = update && kind == `NPS_K_BP;
    wire [`NPS_BP_OCC_W-1:0] occ = payload[`NPS_BP_OCC_LSB+:`NPS_BP_OCC_W];
    wire [31:0] one_hot = 32'd1 << payload[`NPS_BP_LAYER_LSB+:`NPS_BP_LAYER_W];
    // the limit of the record just ahead, if it has any
    wire [`NPS_CFG_BP_LIMITS_TH_WET_W-1:0] th_wet = new_limits ?
        word[`NPS_CFG_BP_LIMITS_TH_WET_LSB+:`NPS_CFG_BP_LIMITS_TH_WET_W] :
        limits[`NPS_CFG_BP_LIMITS_TH_WET_LSB+:`NPS_CFG_BP_LIMITS_TH_WET_W];
    wire lapse = update && kind == `NPS_K_STATE && sub == `NPS_STATE_UNKNOWN;

    always @(posedge clk) begin
        lapses <= lapse;
        new_limits <= update && kind == `NPS_K_CFG && sub == `NPS_CFG_BP_LIMITS;
        new_stale <= update && kind == `NPS_K_CFG && sub == `NPS_CFG_STALE;
        word <= payload;
        lapsed <= lapse ? payload : 32'd0;
        layer <= told ? one_hot : 32'd0;
        enters <= told && sub == `NPS_BP_ENTER ? one_hot : 32'd0;
        cools <= told && sub == `NPS_BP_EXIT ? one_hot : 32'd0;
        drives <= told && payload[`NPS_BP_BP_EN_LSB] ? one_hot : 32'd0;
        dries <= told && occ == {`NPS_BP_OCC_W{1'b0}} ? one_hot & DRY_MASK : 32'd0;
        wets <= told && occ >= th_wet ? one_hot : 32'd0;
    end

    // ---------------------------------------------------------------- masks
    always @(posedge clk) begin
        if (load) begin
            hot <= load_hot;
            bp_en <= load_bp_en;
            unknown <= load_unknown;
            dry <= load_dry;
            limits <= load_limits;
            stale <= load_stale;
        end else begin
            hot <= (hot & ~lapsed & ~cools) | enters;
            bp_en <= (bp_en & ~lapsed & ~layer) | drives;
            dry <= (dry & ~lapsed & ~wets) | dries;
            unknown <= lapses ? lapsed : unknown & ~layer;
            if (new_limits) limits <= word;
            if (new_stale) stale <= word;
        end
    end

endmodule
`default_nettype wire
