// SPDX-License-Identifier: Apache-2.0
// What a reader of one source's records knows: its keyframe masks and its limits.
//
// Does:      replays the source's records (FORMAT.md, rules 2 and 15 to 19).
//            BP         known; bp_en as told; ENTER hot, EXIT not; occ 0 dry (layers of DRY_MASK), occ >= TH_WET wet
//            STATE      the mask as told; what is unknown is neither hot nor dry nor bp_en
//            CFG 2, 3   limits
// Promises:  a layer is never hot and unknown at once if no record says so; layers outside LAYERS stay 0 if none names one.
// Costs:     4 clocks from a record to the masks and limits. A mask is one gate of four inputs a bit: itself, whether the
//            record touches the layer, and two bits of what it does to the layers that it touches.
// Overflow:  none.
`default_nettype none
`include "nps_trace.vh"

module nps_trace_mirror #(
    parameter [31:0] LAYERS   = 32'hFFFFFFFF,  // layers present
    parameter [31:0] DRY_MASK = 32'h00000000   // layers that can be dry
) (
    input wire clk,
    input wire clear,  // all layers unknown

    input wire        update,
    input wire [ 3:0] kind,
    input wire [ 3:0] sub,
    input wire        given,    // the payload comes with the record, else (STATE and CFG only) 2 clocks later in `late`
    input wire [31:0] payload,
    input wire [31:0] late,     // else 0
    input wire        late_limits,  // as a CFG record whose word comes late
    input wire        late_stale,

    output reg [31:0] touched,  // 3 clocks behind a record: the layer of a BP, the mask or word of others
    output reg [31:0] hot,
    output reg [31:0] bp_en,
    output reg [31:0] unknown,
    output reg [31:0] dry,
    output reg [31:0] limits,
    output reg [31:0] stale
);

    // ---------------------------------------------------------------- what the record says
    reg bp, enters, cools, tells_hot, tells_bp_en, tells_unknown, tells_dry, tells_limits, tells_stale, absent;
    reg [31:0] content;

    wire is_bp = update && kind == `NPS_K_BP;
    wire is_state = update && kind == `NPS_K_STATE;
    wire is_cfg = update && kind == `NPS_K_CFG;

    always @(posedge clk) begin
        bp <= is_bp;
        enters <= is_bp && sub == `NPS_BP_ENTER;
        cools <= is_bp && sub == `NPS_BP_EXIT;
        tells_hot <= is_state && sub == `NPS_STATE_HOT;
        tells_bp_en <= is_state && sub == `NPS_STATE_BP_EN;
        tells_unknown <= is_state && sub == `NPS_STATE_UNKNOWN;
        tells_dry <= is_state && sub == `NPS_STATE_DRY;
        tells_limits <= (is_cfg && sub == `NPS_CFG_BP_LIMITS) || late_limits;
        tells_stale <= (is_cfg && sub == `NPS_CFG_STALE) || late_stale;
        absent <= !(given && (is_state || is_cfg));
        content <= payload;
    end

    // ---------------------------------------------------------------- what to do, where: only registers reset the wide ones
    localparam [1:0] KEEP = 2'd0;
    localparam [1:0] CLEAR = 2'd1;
    localparam [1:0] SET = 2'd2;
    localparam [1:0] REPLACE = 2'd3;  // the whole mask

    reg [1:0] next_hot, next_bp_en, next_unknown, to_hot, to_bp_en, to_unknown, to_dry;
    reg next_limits, next_stale, next_bp, next_lapse, next_dry, to_limits, to_stale;
    reg [7:0] low;    // its layer, one-hot in two digits; high is 0 unless it is a BP
    reg [3:0] high;
    reg [31:0] word;  // 0 if it is a BP
    reg [`NPS_BP_OCC_W-1:0] occ;
    integer i;

    wire [`NPS_BP_LAYER_W-1:0] layer = content[`NPS_BP_LAYER_LSB+:`NPS_BP_LAYER_W];
    localparam integer WET = `NPS_CFG_BP_LIMITS_TH_WET_LSB;
    localparam integer WET_W = `NPS_CFG_BP_LIMITS_TH_WET_W;
    wire [WET_W-1:0] th_wet = to_limits ? touched[WET+:WET_W] : limits[WET+:WET_W];  // as left by the record just ahead
    wire dries = occ == {`NPS_BP_OCC_W{1'b0}};
    wire wets = occ >= th_wet;

    always @(posedge clk) begin
        low <= 8'd1 << layer[2:0];
        high <= bp ? 4'd1 << layer[4:3] : 4'd0;
        word <= absent ? 32'd0 : content;
        occ <= content[`NPS_BP_OCC_LSB+:`NPS_BP_OCC_W];
        next_hot <= tells_hot ? REPLACE : enters ? SET : cools || tells_unknown ? CLEAR : KEEP;
        next_bp_en <= tells_bp_en ? REPLACE : bp && content[`NPS_BP_BP_EN_LSB] ? SET :
            bp || tells_unknown ? CLEAR : KEEP;
        next_unknown <= tells_unknown ? REPLACE : bp ? CLEAR : KEEP;
        {next_bp, next_lapse, next_dry} <= {bp, tells_unknown, tells_dry};
        {next_limits, next_stale} <= {tells_limits, tells_stale};

        for (i = 0; i < 32; i = i + 1) touched[i] <= (low[i%8] && high[i/8]) || word[i] || late[i];
        {to_hot, to_bp_en, to_unknown} <= {next_hot, next_bp_en, next_unknown};
        to_dry <= next_dry ? REPLACE : next_bp && dries ? SET : (next_bp && wets) || next_lapse ? CLEAR : KEEP;
        {to_limits, to_stale} <= {next_limits, next_stale};
    end

    // ---------------------------------------------------------------- masks
    function automatic [31:0] after(input reg [31:0] mask, input reg [31:0] layers, input reg [1:0] does);
        case (does)
            KEEP: after = mask;
            CLEAR: after = mask & ~layers;
            SET: after = mask | layers;
            default: after = layers;
        endcase
    endfunction

    always @(posedge clk) begin
        if (clear) begin
            hot <= 32'd0;
            bp_en <= 32'd0;
            unknown <= LAYERS;
            dry <= 32'd0;
        end else begin
            hot <= after(hot, touched, to_hot);
            bp_en <= after(bp_en, touched, to_bp_en);
            unknown <= after(unknown, touched, to_unknown);
            dry <= after(dry, touched & DRY_MASK, to_dry);
        end
        if (to_limits) limits <= touched;
        if (to_stale) stale <= touched;
    end

endmodule
`default_nettype wire
