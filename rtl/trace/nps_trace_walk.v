// SPDX-License-Identifier: Apache-2.0
// Walks over all the words of one kind that the stream owns, for round robins and whole lists.
//
// Does:      points at one word (counter index of its owner, sub) and steps to the next; after the last comes the first.
//            CNT:    BP sources ascending ACCEPTED, DROPPED, BP_SAMPLES; TOKEN ACCEPTED, DROPPED, TOKENS; RAS, JITTER, MARK
//                    ACCEPTED, DROPPED; framer ACCEPTED, STALLED
//            CFG:    framer VERSION, CLK_PERIOD, DESC_HASH_LO, _HI; BP sources ascending BP_LIMITS, STALE, LAYERS, DRY_MASK;
//                    RAS R_LIMIT to A_HOLDOFF; JITTER T_NOMINAL_LO, _HI
//            STATE:  BP sources ascending HOT, BP_EN, UNKNOWN, DRY
// Promises:  the order above (FORMAT.md, rules 7 and 9), from the first word on after rst or restart.
// Costs:     1 clock from next to the new word; all outputs are registers.
// Overflow:  none.
//
// Owners by counter index: BP sources from 0, then TOKEN, RAS, JITTER as far as they are there, MARK, framer.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_trace.vh"

module nps_trace_walk #(
    parameter [3:0] KIND    = `NPS_K_CNT,  // CNT, CFG or STATE
    parameter       NUM_BP  = 2,           // backpressure sources, 1..62
    parameter       TOKEN   = 0,           // 1: there is such a source
    parameter       RAS     = 0,
    parameter       JITTER  = 0,
    parameter       INDEX_W = 2            // bits of index
) (
    input wire clk,
    input wire rst,
    input wire restart,
    input wire next,

    output reg [INDEX_W-1:0] index,
    output reg [        3:0] sub,
    output reg               last
);

    `NPS_REFUSE(KIND != `NPS_K_CNT && KIND != `NPS_K_CFG && KIND != `NPS_K_STATE,
                nps_error__KIND_must_be_CNT_CFG_or_STATE)

    localparam [INDEX_W-1:0] ONE = 1;
    localparam [INDEX_W-1:0] BP_FIRST = 0;
    localparam [INDEX_W-1:0] BP_LAST = NUM_BP - 1;
    localparam [INDEX_W-1:0] TOKEN_AT = NUM_BP;
    localparam [INDEX_W-1:0] RAS_AT = NUM_BP + TOKEN;
    localparam [INDEX_W-1:0] JITTER_AT = NUM_BP + TOKEN + RAS;
    localparam [INDEX_W-1:0] FRAMER = NUM_BP + TOKEN + RAS + JITTER + 1;

    localparam [INDEX_W-1:0] FIRST = KIND == `NPS_K_CFG ? FRAMER : BP_FIRST;
    localparam [3:0] FIRST_SUB = KIND == `NPS_K_CNT ? `NPS_CNT_ACCEPTED :
        KIND == `NPS_K_CFG ? `NPS_CFG_VERSION : `NPS_STATE_HOT;

    localparam [INDEX_W+3:0] AFTER_RAS = JITTER != 0 ? {JITTER_AT, `NPS_CFG_T_NOMINAL_LO} : {FIRST, FIRST_SUB};
    localparam [INDEX_W+3:0] AFTER_BP = RAS != 0 ? {RAS_AT, `NPS_CFG_R_LIMIT} : AFTER_RAS;

    // the word after (index, sub)
    reg [INDEX_W-1:0] index_next;
    reg [3:0] sub_next;

    generate
        if (KIND == `NPS_K_CNT) begin : gen_cnt
            always @* begin
                index_next = index;
                sub_next = `NPS_CNT_ACCEPTED;
                case (sub)
                    `NPS_CNT_ACCEPTED: sub_next = index == FRAMER ? `NPS_CNT_STALLED : `NPS_CNT_DROPPED;
                    `NPS_CNT_DROPPED: begin
                        if (index <= BP_LAST) sub_next = `NPS_CNT_BP_SAMPLES;
                        else if (TOKEN != 0 && index == TOKEN_AT) sub_next = `NPS_CNT_TOKENS;
                        else index_next = index + ONE;
                    end
                    `NPS_CNT_BP_SAMPLES, `NPS_CNT_TOKENS: index_next = index + ONE;
                    default: index_next = FIRST;  // STALLED
                endcase
            end
        end else if (KIND == `NPS_K_CFG) begin : gen_cfg
            always @* begin
                index_next = index;
                sub_next = `NPS_CFG_BP_LIMITS;
                case (sub)
                    `NPS_CFG_VERSION: sub_next = `NPS_CFG_CLK_PERIOD;
                    `NPS_CFG_CLK_PERIOD: sub_next = `NPS_CFG_DESC_HASH_LO;
                    `NPS_CFG_DESC_HASH_LO: sub_next = `NPS_CFG_DESC_HASH_HI;
                    `NPS_CFG_DESC_HASH_HI: index_next = BP_FIRST;
                    `NPS_CFG_BP_LIMITS: sub_next = `NPS_CFG_STALE;
                    `NPS_CFG_STALE: sub_next = `NPS_CFG_LAYERS;
                    `NPS_CFG_LAYERS: sub_next = `NPS_CFG_DRY_MASK;
                    `NPS_CFG_DRY_MASK: begin
                        if (index != BP_LAST) index_next = index + ONE;
                        else {index_next, sub_next} = AFTER_BP;
                    end
                    `NPS_CFG_A_HOLDOFF: {index_next, sub_next} = AFTER_RAS;
                    `NPS_CFG_T_NOMINAL_HI: {index_next, sub_next} = {FIRST, FIRST_SUB};
                    default: sub_next = sub + 4'd1;  // of RAS and JITTER, in a row
                endcase
            end
        end else begin : gen_state
            always @* begin
                index_next = index;
                sub_next = `NPS_STATE_HOT;
                case (sub)
                    `NPS_STATE_HOT: sub_next = `NPS_STATE_BP_EN;
                    `NPS_STATE_BP_EN: sub_next = `NPS_STATE_UNKNOWN;
                    `NPS_STATE_UNKNOWN: sub_next = `NPS_STATE_DRY;
                    default: index_next = index == BP_LAST ? FIRST : index + ONE;  // DRY
                endcase
            end
        end
    endgenerate

    // last: the word after it is the first
    localparam [INDEX_W+3:0] END_CFG = JITTER != 0 ? {JITTER_AT, `NPS_CFG_T_NOMINAL_HI} :
        RAS != 0 ? {RAS_AT, `NPS_CFG_A_HOLDOFF} : {BP_LAST, `NPS_CFG_DRY_MASK};
    localparam [INDEX_W+3:0] END = KIND == `NPS_K_CNT ? {FRAMER, `NPS_CNT_STALLED} :
        KIND == `NPS_K_CFG ? END_CFG : {BP_LAST, `NPS_STATE_DRY};

    always @(posedge clk) begin
        if (rst || restart) begin
            index <= FIRST;
            sub   <= FIRST_SUB;
            last  <= 1'b0;
        end else if (next) begin
            index <= index_next;
            sub   <= sub_next;
            last  <= {index_next, sub_next} == END;
        end
    end

endmodule
`default_nettype wire
