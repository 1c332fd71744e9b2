// SPDX-License-Identifier: Apache-2.0
// The two mirrors of a backpressure source and the snapshot between them.
//
// Does:      the input mirror follows the records offered (kept or dropped), the output mirror those emitted. `capture`
//            copies the input mirror, as it was before this clock's record, to the snapshot; `load` copies the snapshot
//            to the output mirror: from there a LOSS burst reads its keyframe and limits.
// Promises:  mask and limit words show the output mirror as left by the records emitted up to 2 clocks ago.
// Costs:     2 clocks from a record to its mirror, 2 from `capture` until `load` may come, 2 from `load` to the words,
//            none from word_sub. A restart takes 3 clocks to the output mirror: it goes the way of a loss.
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
    input wire        offered,
    input wire [ 3:0] kind,
    input wire [ 3:0] sub,
    input wire [31:0] payload,

    input wire capture,
    input wire load,

    // a record emitted
    input wire        emitted,
    input wire [ 3:0] op_kind,
    input wire [ 3:0] op_sub,
    input wire [31:0] op_payload,

    // words of the output mirror
    input  wire [ 3:0] word_sub,
    output reg  [31:0] mask_word,   // of STATE word_sub
    output reg  [31:0] limit_word   // of CFG word_sub
);

    reg captures, capture_start, loads;
    always @(posedge clk) begin
        captures <= capture && !rst;  // the record before is in the masks, this clock's is not
        capture_start <= restart && !rst;
        loads <= (load || capture_start) && !rst;
    end

    wire [31:0] in_hot, in_bp_en, in_unknown, in_dry, in_limits, in_stale;

    nps_trace_mirror #(
        .DRY_MASK(DRY_MASK)
    ) u_in (
        .clk(clk),
        .load(restart),
        .load_hot(32'd0),
        .load_bp_en(32'd0),
        .load_unknown(LAYERS),
        .load_dry(32'd0),
        .load_limits(limits),
        .load_stale(stale),
        .update(offered),
        .kind(kind),
        .sub(sub),
        .payload(payload),
        .hot(in_hot),
        .bp_en(in_bp_en),
        .unknown(in_unknown),
        .dry(in_dry),
        .limits(in_limits),
        .stale(in_stale)
    );

    reg [31:0] shot_hot, shot_bp_en, shot_unknown, shot_dry, shot_limits, shot_stale;
    always @(posedge clk) begin
        if (captures || capture_start) begin
            shot_hot <= in_hot;
            shot_bp_en <= in_bp_en;
            shot_unknown <= in_unknown;
            shot_dry <= in_dry;
            shot_limits <= in_limits;
            shot_stale <= in_stale;
        end
    end

    wire [31:0] out_hot, out_bp_en, out_unknown, out_dry, out_limits, out_stale;

    nps_trace_mirror #(
        .DRY_MASK(DRY_MASK)
    ) u_out (
        .clk(clk),
        .load(loads),
        .load_hot(shot_hot),
        .load_bp_en(shot_bp_en),
        .load_unknown(shot_unknown),
        .load_dry(shot_dry),
        .load_limits(shot_limits),
        .load_stale(shot_stale),
        .update(emitted),
        .kind(op_kind),
        .sub(op_sub),
        .payload(op_payload),
        .hot(out_hot),
        .bp_en(out_bp_en),
        .unknown(out_unknown),
        .dry(out_dry),
        .limits(out_limits),
        .stale(out_stale)
    );

    always @* begin
        case (word_sub)
            `NPS_STATE_HOT: mask_word = out_hot;
            `NPS_STATE_BP_EN: mask_word = out_bp_en;
            `NPS_STATE_UNKNOWN: mask_word = out_unknown;
            default: mask_word = out_dry;
        endcase
        case (word_sub)
            `NPS_CFG_BP_LIMITS: limit_word = out_limits;
            `NPS_CFG_STALE: limit_word = out_stale;
            `NPS_CFG_LAYERS: limit_word = LAYERS;
            default: limit_word = DRY_MASK;
        endcase
    end

endmodule
`default_nettype wire
