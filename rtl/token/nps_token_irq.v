// SPDX-License-Identifier: Apache-2.0
// Token interrupt: freezes the pipeline at exactly the token that meets a condition.
//
// Does:     sits in a valid/ready stream of tokens, decodes `npu_token_int rs1, #mask`, compares each token that enters
//           with what was asked for, keeps the context of the one that meets it and lets no later one in until `resume`;
//           drops the tokens behind it on order (trim). The rules are numbered in README.md beside this file.
// Promises: the snapshot is the token that met the condition; pipe_freeze is high NPS_TOKEN_IRQ_LATENCY clock after it
//           and no token enters until it falls; what the waiting token meets meanwhile is held and counted; every
//           token makes exactly one record.
// Costs:    no clock in the stream: ready and valid pass combinationally. Events NPS_TOKEN_EV_LATENCY clocks later.
// Overflow: stores no events and has no ready for them: at most one a clock, by construction.
//
// Signals s1_* belong to the clock before; last_* is what was shown in the last clock without freeze: in a frozen clock
// the token of the snapshot.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_token.vh"
`include "nps_trace.vh"

module nps_token_irq #(
    parameter integer WORDS = 4,                      // of a context, 4..16; WORDS-3 are the pipeline's own
    parameter [31:0] OPCODE = `NPS_TOKEN_OPCODE,      // of npu_token_int
    parameter [31:0] OPCODE_BITS = `NPS_TOKEN_OPCODE_BITS,  // bits of it that count, none of [31:20]
    // limits in force after reset, in blocks of free memory
    parameter integer MEM_LOW_ON = `NPS_MEM_LOW_ON,   // 0..65534
    parameter integer MEM_LOW_OFF = `NPS_MEM_LOW_OFF  // MEM_LOW_ON+1..65535
) (
    input wire clk,
    input wire rst,
    input wire restart,  // of the trace: events in flight and the token count are void; all else goes on

    // time bus
    input wire [63:0] ts_ns,
    input wire [ 1:0] tq,
    input wire        ts_step,
    input wire        rel_step,
    input wire [63:0] step_ns,

    // instruction port, watched: an instruction is taken with ins_valid && ins_ready
    input  wire        ins_valid,
    input  wire        ins_ready,
    input  wire [31:0] ins_word,
    input  wire [31:0] ins_rs1,
    output reg         ins_error,  // a reserved bit of the mask was set: refused, one clock later

    // the same order from a register; an instruction in the same clock wins
    input wire        arm,
    input wire [31:0] arm_ptr,
    input wire [ 3:0] arm_mask,

    // tokens in; what belongs to a token is stable until it is taken
    input  wire                    tok_valid,
    output wire                    tok_ready,
    input  wire [            31:0] tok_ptr,
    input  wire [            31:0] tok_id,
    input  wire [             7:0] tok_layer,
    input  wire [            15:0] tok_slot,
    input  wire                    tok_first,     // of its sequence
    input  wire                    tok_eos,
    input  wire                    tok_eosp,
    input  wire                    tok_boundary,
    input  wire [32*(WORDS-3)-1:0] tok_ctx,
    input  wire [            15:0] mem_free,      // judged with the token of the next clock
    input  wire [             3:0] inj_cause,     // causes forced on the token shown (nps_token_inject)

    // tokens out, into the pipeline
    output wire pipe_valid,
    input  wire pipe_ready,
    output reg  pipe_freeze,  // also the interrupt

    // orders
    input wire resume,  // pulse
    input wire trim,    // level

    // new limits; refused as a whole by a cfg_error pulse
    input  wire        cfg_apply,
    input  wire [15:0] cfg_mem_low_on,
    input  wire [15:0] cfg_mem_low_off,
    output reg         cfg_error,

    // state
    output wire                armed,
    output wire                trimming,
    output wire [         3:0] held,        // causes that the waiting token met while frozen
    output reg  [         7:0] nested,      // how often that happened, saturates
    output reg  [         3:0] snap_cause,
    output reg  [        31:0] snap_token,
    output reg  [32*WORDS-1:0] snap_ctx,    // word 0 lowest; with a TOKINT event its CTX words

    // events, no ready
    output reg         ev_valid,
    output reg  [ 3:0] ev_kind,
    output reg  [ 3:0] ev_sub,
    output reg  [ 1:0] ev_tq,
    output reg  [63:0] ev_ts,
    output reg  [31:0] ev_payload,
    output reg  [31:0] ev_tokens,  // CNT TOKENS with this record: tokens that entered since start
    output reg         ev_step,
    output reg  [63:0] ev_step_ns
);
    `NPS_REFUSE(WORDS < 4 || WORDS > 16, nps_error__WORDS_must_be_4_to_16)
    `NPS_REFUSE((OPCODE & ~OPCODE_BITS) != 0, nps_error__OPCODE_must_be_within_OPCODE_BITS)
    `NPS_REFUSE((OPCODE_BITS & 32'hFFF00000) != 0, nps_error__OPCODE_BITS_must_leave_the_mask_free)
    `NPS_REFUSE(MEM_LOW_ON < `NPS_MEM_LOW_ON_MIN || MEM_LOW_ON > `NPS_MEM_LOW_ON_MAX,
                nps_error__MEM_LOW_ON_must_be_0_to_65534)
    `NPS_REFUSE(MEM_LOW_OFF > `NPS_MEM_LOW_OFF_MAX, nps_error__MEM_LOW_OFF_must_be_at_most_65535)
    `NPS_REFUSE(MEM_LOW_OFF <= MEM_LOW_ON, nps_error__MEM_LOW_OFF_must_be_above_MEM_LOW_ON)

    localparam integer EOS = 0, EOSP = 1, LOW = 2, BOUNDARY = 3;  // bits of mask, cause and TOKINT.sub
    wire clear = rst || restart;

    // ------------------------------------------------------------------ arming
    wire ins_taken = ins_valid && ins_ready && (ins_word & OPCODE_BITS) == OPCODE;
    wire ins_legal = ins_word[31:24] == 8'd0;
    reg order;                             // in the clock after the instruction
    reg [3:0] order_mask, mask;
    reg [31:0] order_since, since;
    always @(posedge clk) begin
        order <= ((ins_taken && ins_legal) || arm) && !rst;
        ins_error <= ins_taken && !ins_legal && !rst;
        {order_mask, order_since} <= ins_taken && ins_legal ? {ins_word[23:20], ins_rs1} : {arm_mask, arm_ptr};
        if (order) {mask, since} <= {order_mask, order_since};
        if (rst) mask <= 4'd0;
    end

    // ------------------------------------------------------------------ limits
    reg c1_apply;
    reg [15:0] c1_on, c1_off, mem_low_on, mem_low_off;
    wire c1_legal = c1_on < c1_off;
    always @(posedge clk) begin
        c1_apply <= cfg_apply && !rst;
        {c1_on, c1_off} <= {cfg_mem_low_on, cfg_mem_low_off};
        cfg_error <= c1_apply && !c1_legal && !rst;
        if (c1_apply && c1_legal) {mem_low_on, mem_low_off} <= {c1_on, c1_off};
        if (rst) {mem_low_on, mem_low_off} <= {MEM_LOW_ON[15:0], MEM_LOW_OFF[15:0]};
    end

    // ------------------------------------------------------------------ the stream
    reg [15:0] trim_slot;
    reg trim_on, s1_trims, s1_enters;      // s1_trims: the token shown was of the slot that is trimmed
    assign trimming = trim_on && !(s1_trims && s1_enters);
    wire trims = trimming && tok_slot == trim_slot;
    wire drop = trims && !tok_first;
    assign tok_ready = !pipe_freeze && (pipe_ready || drop);
    assign pipe_valid = tok_valid && !pipe_freeze && !drop;
    wire taken = tok_valid && tok_ready;
    wire enters = pipe_valid && pipe_ready;

    // ------------------------------------------------------------------ conditions of the token shown
    // The comparison with `since` is the longest: it comes in last, everywhere.
    wire mem_told;                         // MEM_LOW was told and the memory has not recovered
    reg is_low, is_ample;                  // by the memory one clock ago
    reg [15:0] free, limit;
    always @(posedge clk) begin
        {free, limit} <= {mem_free, mem_low_on};
        is_low <= mem_free <= mem_low_on;
        is_ample <= mem_free >= mem_low_off;
    end
    reg [3:0] found;
    always @* begin
        found[EOS] = tok_eos;
        found[EOSP] = tok_eosp;
        found[LOW] = is_low && !mem_told;
        found[BOUNDARY] = tok_boundary;
    end
    wire [3:0] wanted = (found | inj_cause) & mask;
    wire behind;                           // tok_ptr is before `since`, modulo 2^32
    wire [30:0] unused_distance;
    assign {behind, unused_distance} = tok_ptr - since;
    reg watching;                          // armed, but in the first frozen clock
    wire could_enter = tok_valid && pipe_ready && !pipe_freeze;
    (* keep *) wire hits_if_ahead, hits_anyway;  // kept: `behind` and `drop` then come in last
    assign hits_if_ahead = could_enter && watching && wanted != 4'd0;
    assign hits_anyway = could_enter && held != 4'd0;
    wire hit = ((hits_if_ahead && !behind) || hits_anyway) && !drop;

    // ------------------------------------------------------------------ freeze and what is held over it
    reg was_frozen;
    wire s1_hit = pipe_freeze && !was_frozen;  // first frozen clock
    reg s1_order, s1_taken, resumed, was_held;
    assign armed = watching && !(s1_hit && !s1_order);
    reg [3:0] holding;
    reg s1_armed, s1_behind, s1_waits, s1_ample;
    reg [3:0] s1_wanted, s1_held, s1_forced;
    wire [3:0] s1_cause = (s1_wanted & {4{s1_armed && !s1_behind}}) | s1_held;
    assign held = (holding & {4{!s1_taken}}) | (s1_wanted & {4{s1_waits && !s1_behind}});
    wire release_now = pipe_freeze && !s1_hit && (resume || resumed);
    always @(posedge clk) begin
        was_frozen <= pipe_freeze;
        pipe_freeze <= (hit || (pipe_freeze && !release_now)) && !rst;
        resumed <= resume;                 // in the first frozen clock

        s1_order <= order;
        watching <= order ? order_mask != 4'd0 : armed;

        s1_taken <= taken;
        {s1_wanted, s1_forced, s1_held} <= {wanted, inj_cause, held};
        {s1_armed, s1_behind, s1_ample} <= {watching, behind, is_ample};
        s1_waits <= pipe_freeze && tok_valid && !order && !rst;
        holding <= order ? 4'd0 : held;
        was_held <= held != 4'd0;
        if (held != 4'd0 && !was_held && nested != 8'hFF) nested <= nested + 8'd1;

        if (rst) {watching, holding, nested} <= 13'd0;
    end

    // ------------------------------------------------------------------ what was shown in the last clock without freeze
    reg [31:0] last_ptr, last_id;
    reg [7:0] last_layer;
    reg [15:0] last_slot, last_free, last_limit;
    reg last_first;
    reg [32*(WORDS-3)-1:0] last_ctx;
    always @(posedge clk)
        if (!pipe_freeze) begin
            {last_ptr, last_id, last_layer, last_slot, last_ctx} <= {tok_ptr, tok_id, tok_layer, tok_slot, tok_ctx};
            {last_first, last_free, last_limit} <= {tok_first, free, limit};
        end

    // ------------------------------------------------------------------ MEM_LOW is met once until the memory recovers
    // at the token that enters; a forced MEM_LOW leaves no trace
    reg mem_was_told;
    assign mem_told = mem_was_told || (s1_hit && s1_cause[LOW] && !s1_forced[LOW] && !s1_ample);
    always @(posedge clk) mem_was_told <= mem_told && !(enters && is_ample) && !rst;

    // ------------------------------------------------------------------ trimming
    always @(posedge clk) begin
        s1_trims <= trims;
        trim_on <= trim && (release_now || trimming) && !rst;
        if (release_now) trim_slot <= last_slot;
    end

    reg [31:0] head, memory;
    always @* begin
        head = 32'd0;
        head[`NPS_CTX_HEAD_WORDS_LSB+:`NPS_CTX_HEAD_WORDS_W] = WORDS[`NPS_CTX_HEAD_WORDS_W-1:0];
        head[`NPS_CTX_HEAD_LAYER_LSB+:`NPS_CTX_HEAD_LAYER_W] = last_layer;
        head[`NPS_CTX_HEAD_SLOT_LSB+:`NPS_CTX_HEAD_SLOT_W] = last_slot;
        head[`NPS_CTX_HEAD_INJECTED_LSB] = (s1_forced & s1_cause) != 4'd0;
        head[`NPS_CTX_HEAD_FIRST_LSB] = last_first;
        head[`NPS_CTX_HEAD_NESTED_LSB] = s1_held != 4'd0;
        memory = 32'd0;
        memory[`NPS_CTX_MEMORY_FREE_LSB+:`NPS_CTX_MEMORY_FREE_W] = last_free;
        memory[`NPS_CTX_MEMORY_LIMIT_LSB+:`NPS_CTX_MEMORY_LIMIT_W] = last_limit;
    end
    always @(posedge clk)
        if (s1_hit) {snap_cause, snap_token, snap_ctx} <= {s1_cause, last_id, last_ctx, memory, last_ptr, head};

    // ------------------------------------------------------------------ events
    reg s1_live, s1_drops, s1_frozen, s1_resumes, s1_step;
    reg [1:0] s1_tq;
    reg [63:0] s1_ts, s1_step_ns;
    always @(posedge clk) begin
        s1_live <= !clear;
        {s1_enters, s1_drops, s1_frozen, s1_resumes} <= {enters, taken && drop, s1_hit, release_now};
        s1_step <= ts_step || rel_step;
        {s1_tq, s1_ts, s1_step_ns} <= {tq, ts_ns, step_ns};

        ev_valid <= s1_live && !clear && (s1_enters || s1_drops || s1_frozen || s1_resumes);
        ev_step <= s1_live && !clear && s1_step;
        ev_kind <= s1_hit ? `NPS_K_TOKINT : `NPS_K_TOKEN;
        ev_sub <= s1_hit ? s1_cause : s1_frozen ? `NPS_TOKEN_FROZEN : s1_resumes ? `NPS_TOKEN_RESUMED
            : s1_drops ? `NPS_TOKEN_TRIMMED : last_first ? `NPS_TOKEN_FIRST : `NPS_TOKEN_NEXT;
        ev_payload <= last_id;
        ev_tokens <= clear ? 32'd0 : ev_tokens + {31'd0, s1_live && s1_enters};
        {ev_tq, ev_ts, ev_step_ns} <= {s1_tq, s1_ts, s1_step_ns};
    end
endmodule

`default_nettype wire
