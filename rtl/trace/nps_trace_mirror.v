// SPDX-License-Identifier: Apache-2.0
// What a reader of one source's records knows: its keyframe masks and its limits.
//
// Does:      replays the source's records (FORMAT.md, rules 2 and 15 to 19).
//            BP         known; bp_en as told; ENTER hot, EXIT and KNOWN not; occ 0 dry (layers of DRY_MASK), occ >= TH_WET wet
//            STATE 2    unknown as told; what is unknown is neither hot nor dry nor bp_en
//            CFG 2, 3   limits
// Promises:  a layer is never hot and unknown at once; layers outside LAYERS stay 0 if the records name none.
// Costs:     1 clock from a record to the masks. `load` wins over `update`.
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

    wire [`NPS_BP_LAYER_W-1:0] layer = payload[`NPS_BP_LAYER_LSB+:`NPS_BP_LAYER_W];
    wire [`NPS_BP_OCC_W-1:0] occ = payload[`NPS_BP_OCC_LSB+:`NPS_BP_OCC_W];
    wire [`NPS_CFG_BP_LIMITS_TH_WET_W-1:0] th_wet = limits[`NPS_CFG_BP_LIMITS_TH_WET_LSB+:`NPS_CFG_BP_LIMITS_TH_WET_W];

    wire told = update && kind == `NPS_K_BP;
    wire [31:0] one = told ? 32'd1 << layer : 32'd0;
    wire [31:0] now_bp_en = {32{payload[`NPS_BP_BP_EN_LSB]}};
    wire [31:0] sets_hot = {32{sub == `NPS_BP_ENTER}};
    wire [31:0] clears_hot = {32{sub == `NPS_BP_EXIT || sub == `NPS_BP_KNOWN}};
    wire [31:0] sets_dry = {32{occ == {`NPS_BP_OCC_W{1'b0}}}} & DRY_MASK;
    wire [31:0] clears_dry = {32{occ >= th_wet}};
    wire lapses = update && kind == `NPS_K_STATE && sub == `NPS_STATE_UNKNOWN;

    always @(posedge clk) begin
        if (load) begin
            hot <= load_hot;
            bp_en <= load_bp_en;
            unknown <= load_unknown;
            dry <= load_dry;
            limits <= load_limits;
            stale <= load_stale;
        end else if (lapses) begin
            hot <= hot & ~payload;
            bp_en <= bp_en & ~payload;
            unknown <= payload;
            dry <= dry & ~payload;
        end else begin
            hot <= (hot & ~(one & clears_hot)) | (one & sets_hot);
            bp_en <= (bp_en & ~one) | (one & now_bp_en);
            unknown <= unknown & ~one;
            dry <= (dry & ~(one & clears_dry)) | (one & sets_dry);
            if (update && kind == `NPS_K_CFG && sub == `NPS_CFG_BP_LIMITS) limits <= payload;
            if (update && kind == `NPS_K_CFG && sub == `NPS_CFG_STALE) stale <= payload;
        end
    end

endmodule
`default_nettype wire
