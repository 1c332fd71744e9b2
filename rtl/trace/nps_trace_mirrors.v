// SPDX-License-Identifier: Apache-2.0
// The two mirrors of a backpressure source and the snapshot between them.
//
// Does:      the input mirror follows the records offered (kept or dropped), the output mirror those emitted. `capture`
//            copies the input mirror, as it was before this clock's record, to the snapshot. A LOSS burst tells its
//            keyframe and limits from the snapshot, and the output mirror follows it as any other record.
// Promises:  words of a burst are the snapshot's; all others the output mirror as left by the records emitted up to 3
//            clocks ago.
// Costs:     2 clocks from an op to `shot_word` and `out_word`, of which at most one is not 0. 3 clocks from `capture` until
//            a burst may come; a restart is in all words 12 clocks later: its limits go the way of records and of a burst.
// Overflow:  none.
`default_nettype none
`include "nps_trace.vh"

module nps_trace_mirrors #(
    parameter [31:0] LAYERS   = 32'hFFFFFFFF,  // layers present
    parameter [31:0] DRY_MASK = 32'h00000000   // layers that can be dry
) (
    input wire clk,
    input wire rst,

    input wire        restart,
    input wire [31:0] limits,
    input wire [31:0] stale,

    // a record offered
    input  wire        offered,
    input  wire [ 3:0] kind,
    input  wire [ 3:0] sub,
    input  wire [31:0] payload,
    output wire [31:0] touched,  // 3 clocks later: the layers that it names

    input wire capture,

    // a record emitted: of an entry, of a burst, or else one that only tells
    input wire        op_valid,
    input wire        op_entry,
    input wire        op_burst,
    input wire [ 3:0] op_kind,
    input wire [ 3:0] op_sub,
    input wire [31:0] op_payload,

    output reg [31:0] shot_word,  // of a burst
    output reg [31:0] out_word    // of what is told otherwise
);

    // ---------------------------------------------------------------- restart: limits and stale as two records, then a burst
    reg [7:0] starts;  // clocks since
    reg [31:0] start_word, start_late, stale_kept;
    always @(posedge clk) begin
        starts <= {starts[6:0], restart} & {8{!rst}};
        stale_kept <= stale;
        start_word <= restart ? limits : starts[0] ? stale_kept : 32'd0;
        start_late <= start_word;
    end

    // ---------------------------------------------------------------- input mirror
    wire [31:0] in_hot, in_bp_en, in_unknown, in_dry, in_limits, in_stale;

    nps_trace_mirror #(
        .LAYERS  (LAYERS),
        .DRY_MASK(DRY_MASK)
    ) u_in (
        .clk(clk),
        .clear(restart),
        .update(offered),
        .kind(kind),
        .sub(sub),
        .given(1'b1),
        .payload(payload),
        .late(start_late),
        .late_limits(restart),
        .late_stale(starts[0]),
        .touched(touched),
        .hot(in_hot),
        .bp_en(in_bp_en),
        .unknown(in_unknown),
        .dry(in_dry),
        .limits(in_limits),
        .stale(in_stale)
    );

    // ---------------------------------------------------------------- snapshot
    reg [2:0] capturing;  // the record before is in the mirror, this clock's is not
    wire captures = capturing[2];
    reg [31:0] shot_hot, shot_bp_en, shot_unknown, shot_dry, shot_limits, shot_stale;
    always @(posedge clk) begin
        capturing <= {capturing[1:0], capture || starts[2]} & {3{!rst}};
        if (captures) begin
            shot_hot <= in_hot;
            shot_bp_en <= in_bp_en;
            shot_unknown <= in_unknown;
            shot_dry <= in_dry;
            shot_limits <= in_limits;
            shot_stale <= in_stale;
        end
    end

    // ---------------------------------------------------------------- words: one bit of each `tells` selects
    localparam HOT = 0;
    localparam BP_EN = 1;
    localparam UNKNOWN = 2;
    localparam DRY = 3;
    localparam BP_LIMITS = 4;
    localparam STALE = 5;

    reg [5:0] shot_tells, out_tells;
    reg tells_layers, tells_dry_mask;

    wire burst = op_valid && op_burst;
    wire told = op_valid && !op_burst && !op_entry;
    wire is_state = op_kind == `NPS_K_STATE;
    wire is_cfg = op_kind == `NPS_K_CFG;
    wire [5:0] word_is;
    assign word_is[HOT] = is_state && op_sub == `NPS_STATE_HOT;
    assign word_is[BP_EN] = is_state && op_sub == `NPS_STATE_BP_EN;
    assign word_is[UNKNOWN] = is_state && op_sub == `NPS_STATE_UNKNOWN;
    assign word_is[DRY] = is_state && op_sub == `NPS_STATE_DRY;
    assign word_is[BP_LIMITS] = is_cfg && op_sub == `NPS_CFG_BP_LIMITS;
    assign word_is[STALE] = is_cfg && op_sub == `NPS_CFG_STALE;

    wire [31:0] out_hot, out_bp_en, out_unknown, out_dry, out_limits, out_stale, unused_touched;
    wire [31:0] ones = ({32{tells_layers}} & LAYERS) | ({32{tells_dry_mask}} & DRY_MASK);

    always @(posedge clk) begin
        shot_tells <= burst ? word_is : 6'd0;
        if (starts[6]) shot_tells[BP_LIMITS] <= 1'b1;
        if (starts[7]) shot_tells[STALE] <= 1'b1;
        out_tells <= told ? word_is : 6'd0;
        tells_layers <= op_valid && !op_entry && op_kind == `NPS_K_CFG && op_sub == `NPS_CFG_LAYERS;
        tells_dry_mask <= op_valid && !op_entry && op_kind == `NPS_K_CFG && op_sub == `NPS_CFG_DRY_MASK;

        shot_word <= ({32{shot_tells[HOT]}} & shot_hot) | ({32{shot_tells[BP_EN]}} & shot_bp_en) |
            ({32{shot_tells[UNKNOWN]}} & shot_unknown) | ({32{shot_tells[DRY]}} & shot_dry) |
            ({32{shot_tells[BP_LIMITS]}} & shot_limits) | ({32{shot_tells[STALE]}} & shot_stale);
        out_word <= ({32{out_tells[HOT]}} & out_hot) | ({32{out_tells[BP_EN]}} & out_bp_en) |
            ({32{out_tells[UNKNOWN]}} & out_unknown) | ({32{out_tells[DRY]}} & out_dry) |
            ({32{out_tells[BP_LIMITS]}} & out_limits) | ({32{out_tells[STALE]}} & out_stale) | ones;
    end

    // ---------------------------------------------------------------- output mirror
    nps_trace_mirror #(
        .LAYERS  (LAYERS),
        .DRY_MASK(DRY_MASK)
    ) u_out (
        .clk(clk),
        .clear(restart),
        .update(op_valid && (op_entry || op_burst)),
        .kind(op_kind),
        .sub(op_sub),
        .given(!op_burst),
        .payload(op_payload),
        .late(shot_word),
        .late_limits(starts[6]),
        .late_stale(starts[7]),
        .touched(unused_touched),
        .hot(out_hot),
        .bp_en(out_bp_en),
        .unknown(out_unknown),
        .dry(out_dry),
        .limits(out_limits),
        .stale(out_stale)
    );

endmodule
`default_nettype wire
