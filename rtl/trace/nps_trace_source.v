// SPDX-License-Identifier: Apache-2.0
// One source's way to the framer: queue, account of losses, mirrors.
//
// Does:      queues what the source offers (one entry a clock: a clock step, a record, or both), accounts for what does
//            not fit, keeps what a reader of the offered and of the emitted records knows, and serves the words of
//            LOSS, STATE, CFG, CLK and CNT records to the framer.
// Promises:  every entry offered leaves by the queue or is counted in a LOSS; entries stay in order; the shadow is
//            never overwritten; nothing here can hold up the source.
// Costs:     the clocks of nps_fifo from an event to its entry, 3 from the framer's op to its word.
// Overflow:  whole entries drop while the FIFO is full, until it is half empty and the account before is told; also when
//            the side FIFO for clock steps or that for contexts is full. The first entry kept after a loss carries a mark.
//
// Word port: the framer shows each record it emits (op_*). An op with op_entry is of a FIFO entry; with op_burst of a
// LOSS burst; else of a group, the start or the end: then at least 2 clocks between it and the last entry. A record that is
// its entry's (all but CLK and CTX) has no word, nor has CNT ACCEPTED.
`default_nettype none
`include "nps_trace.vh"

module nps_trace_source #(
    parameter        HAS_LAYERS = 1,            // 1: backpressure source; 0: no keyframe, no BP_SAMPLES
    parameter        CFG_FIRST  = 0,            // without layers: sub of the first CFG word, and how many it owns in a
    parameter        CFG_WORDS  = 0,            // row, 0 none
    parameter        COLLECTS   = 0,            // 1: with events of kind LOSS (rtl/source/README.md)
    parameter        CONTEXT    = 0,            // CTX words of a TOKINT, 0 no such records, up to 16
    parameter [31:0] LAYERS     = 32'hFFFFFFFF, // layers present
    parameter [31:0] DRY_MASK   = 32'h00000000, // layers that can be dry
    parameter        FIFO_DEPTH = 64            // entries, a power of two
) (
    input wire clk,
    input wire rst,
    input wire restart, // mirrors and counts to their start, with nothing queued and no event in this clock

    // limits, or CFG words, in force, loaded by restart
    input wire [31:0] limits,
    input wire [31:0] stale,
    input wire [(CFG_WORDS>0?32*CFG_WORDS:1)-1:0] cfg_words,

    // events, no ready
    input wire        ev_valid,
    input wire [ 3:0] ev_kind,
    input wire [ 3:0] ev_sub,
    input wire [ 1:0] ev_tq,
    input wire [63:0] ev_ts,
    input wire [31:0] ev_payload,
    input wire [31:0] ev_bp_samples,
    input wire [(CONTEXT>0?32*CONTEXT:1)-1:0] ev_context,  // of a TOKINT, word 0 lowest
    input wire        ev_step,        // a clock step before the record, if any
    input wire [63:0] ev_step_ns,

    // queue; nps_trace_merge knows from its grants when an entry is there
    output wire         accept,  // this clock's entry is queued
    input  wire         q_take,  // the oldest entry leaves
    output wire         q_mark,  // of the entry taken 2 clocks ago, else 0
    output wire [139:0] q_entry, // {step, record, bp_samples, tq, ts, kind, sub, payload}

    // a loss whose queue ran empty: to be told without an entry
    output reg  drained,
    input  wire drained_ready,

    // the account that is next to be told
    output wire loss_cfg,
    output wire loss_step,

    // the framer's record, and 3 clocks later its words (0 unless selected; the time only of a burst)
    input  wire        op_select,
    input  wire        op_entry,
    input  wire        op_burst,
    input  wire        op_free,        // last of a LOSS burst
    input  wire [ 3:0] op_kind,
    input  wire [ 3:0] op_sub,
    input  wire [31:0] op_payload,
    input  wire [31:0] op_bp_samples,
    input  wire        final_counts,   // from here BP_SAMPLES is the live total
    output reg  [31:0] word,
    output reg  [63:0] word_ts,
    output reg  [ 1:0] word_tq,
    output reg         word_cause,     // of a LOSS: the cause is COLLECTOR

    output reg idle,         // nothing queued, dropped or untold
    output reg step_pending,  // a clock step is queued or untold
    output wire drop          // an event is dropped
);

    // ---------------------------------------------------------------- queue
    wire offer = ev_valid || ev_step;
    wire steps_full, contexts_full;
    wire tokint = CONTEXT != 0 && ev_valid && ev_kind == `NPS_K_TOKINT;
    wire untold = COLLECTS != 0 && ev_valid && ev_kind == `NPS_K_LOSS;
    wire mark, drain, dropping, busy;
    wire [$clog2(FIFO_DEPTH):0] level;

    nps_fifo #(
        .DATA_W(140),
        .DEPTH (FIFO_DEPTH)
    ) u_fifo (
        .clk(clk),
        .rst(rst),
        .s_valid(offer),
        .s_data({ev_step, ev_valid, ev_bp_samples, ev_tq, ev_ts, ev_kind, ev_sub, ev_payload}),
        .s_refuse((ev_step && steps_full) || (tokint && contexts_full) || untold),
        .s_hold(busy),
        .s_accept(accept),
        .s_drop(drop),
        .s_mark(mark),
        .s_drain(drain),
        .dropping(dropping),
        .level(level),
        .take(q_take),
        .m_data(q_entry),
        .m_mark(q_mark)
    );

    // ---------------------------------------------------------------- sizes of queued clock steps
    reg [63:0] steps[0:3];
    reg [1:0] steps_put, steps_take;  // a step is put one clock behind its entry
    reg [2:0] steps_held;  // but for a push of the clock before
    reg steps_pushed;
    reg [63:0] step_ns, step_head;
    reg steps_pop, frees;
    wire steps_push = accept && ev_step;

    assign steps_full = steps_held[2] || (steps_held[1] && steps_held[0] && steps_pushed);

    always @(posedge clk) begin
        if (steps_pushed) steps[steps_put] <= step_ns;
        step_head <= steps[steps_take];
        if (rst) begin
            steps_put  <= 2'd0;
            steps_take <= 2'd0;
            steps_held <= 3'd0;
            steps_pushed <= 1'b0;
        end else begin
            steps_pushed <= steps_push;
            if (steps_pushed) steps_put <= steps_put + 2'd1;
            if (steps_pop) steps_take <= steps_take + 2'd1;
            if (steps_pushed != steps_pop) steps_held <= steps_pushed ? steps_held + 3'd1 : steps_held - 3'd1;
        end
    end

    // ---------------------------------------------------------------- one clock behind: account and input mirror
    reg is_drop, is_before, is_tokint, is_move, is_closed, is_drain, is_record, is_step, is_cfg, is_whole;
    reg [3:0] kind, sub;
    reg [ 1:0] tq;
    reg [63:0] ts;
    reg [31:0] payload;

    always @(posedge clk) begin
        is_drop <= drop && !rst;
        is_move <= (mark || drain) && !rst;
        is_closed <= mark || drain || rst;
        is_drain <= drain && !rst;
        is_record <= ev_valid;
        is_step <= ev_step;
        is_tokint <= tokint;
        is_before <= untold;
        is_cfg <= ev_valid && (ev_kind == `NPS_K_CFG || (untold && ev_bp_samples[0]));
        is_whole <= ev_step || !(ev_kind == `NPS_K_BP || (ev_kind == `NPS_K_STATE && ev_sub == `NPS_STATE_UNKNOWN));
        kind <= ev_kind;
        sub <= ev_sub;
        tq <= ev_tq;
        ts <= ev_ts;
        payload <= ev_payload;
        step_ns <= ev_step_ns;
    end

    wire [31:0] loss_count, loss_layers, touched;
    wire [63:0] loss_ts, step_sum;
    wire [1:0] loss_tq, last_tq;
    wire step_open, loss_earlier;
    reg tells_last, tells_loss, cause;

    nps_trace_loss #(
        .HAS_LAYERS(HAS_LAYERS),
        .CONTEXT(CONTEXT)
    ) u_loss (
        .clk(clk),
        .rst(rst),
        .drop(is_drop),
        .drop_record(is_record && !is_before),
        .drop_cfg(is_cfg),
        .drop_whole(is_whole),
        .drop_step(is_step),
        .drop_tokint(is_tokint),
        .drop_before(is_before),
        .before_count(payload),
        .tq(tq),
        .ts(ts),
        .step_ns(step_ns),
        .touched(touched),
        .move(is_move),
        .clear(is_closed),
        .free(frees),
        .busy(busy),
        .count(loss_count),
        .earlier(loss_earlier),
        .layers(loss_layers),
        .at_last(tells_last),
        .at_ts(loss_ts),
        .at_tq(loss_tq),
        .last_tq(last_tq),
        .has_cfg(loss_cfg),
        .has_step(loss_step),
        .step_sum(step_sum),
        .step_open(step_open)
    );

    always @(posedge clk) begin
        if (rst) drained <= 1'b0;
        else if (is_drain) drained <= 1'b1;
        else if (drained_ready) drained <= 1'b0;

        idle <= !offer && level == 0 && !dropping && !is_move && !busy && !drained && !rst;
        step_pending <= steps_held != 3'd0 || steps_pushed || (is_drop && is_step) || step_open || (busy && loss_step);
    end

    // ---------------------------------------------------------------- op + 1: what the framer's record asks for
    localparam integer LAST_AT = CONTEXT > 0 ? CONTEXT - 1 : 0;
    localparam [3:0] LAST_WORD = LAST_AT[3:0];
    localparam [1:0] COUNT = 2'd0;
    localparam [1:0] LAYERS_HIT = 2'd1;
    localparam [1:0] DROPPED = 2'd2;
    localparam [1:0] BP_SAMPLES = 2'd3;

    // registers, so that nothing but them resets words; all of this source alone, so that none is shared by all
    reg emits, loads, context_pop, no_account, no_clock, no_context, no_ts, tells_low, tells_high, from_loss;
    reg [1:0] account_word;
    reg [3:0] at_kind, at_sub;
    reg [31:0] at_payload;

    wire tells = op_select && !rst && !op_entry;
    wire is_loss_first = op_kind == `NPS_K_LOSS && op_sub == `NPS_LOSS_FIRST;

    always @(posedge clk) begin
        emits <= op_select && op_entry && !rst;
        at_kind <= op_kind;
        at_sub <= op_sub;
        at_payload <= op_payload;
        frees <= op_select && op_free && !rst;
        loads <= op_select && is_loss_first && !rst;
        steps_pop <= op_select && op_entry && op_kind == `NPS_K_CLK && op_sub == `NPS_CLK_STEP_HI && !rst;
        context_pop <= op_select && op_entry && op_kind == `NPS_K_CTX && op_sub == LAST_WORD && !rst;

        no_account <= !(tells && (op_kind == `NPS_K_LOSS || (op_kind == `NPS_K_CNT && op_sub != `NPS_CNT_ACCEPTED)));
        account_word <= !tells ? COUNT : op_kind == `NPS_K_LOSS ? (is_loss_first ? COUNT : LAYERS_HIT) :
            op_sub == `NPS_CNT_DROPPED ? DROPPED : BP_SAMPLES;
        no_clock <= !(op_select && op_kind == `NPS_K_CLK) || rst;
        no_context <= !(op_select && op_kind == `NPS_K_CTX) || rst;
        tells_low <= op_select && op_sub == `NPS_CLK_STEP_LO;
        tells_high <= op_select && op_sub == `NPS_CLK_STEP_HI;
        no_ts <= !(tells && op_burst);
        tells_last <= op_select && !is_loss_first;
        from_loss <= op_select && op_burst;
        tells_loss <= tells && op_kind == `NPS_K_LOSS;
        cause <= tells_loss && loss_earlier;
        word_cause <= cause;
    end

    // ---------------------------------------------------------------- contexts of queued token interrupts
    wire [31:0] context_word;

    generate
        if (CONTEXT != 0) begin : gen_context
            nps_trace_context #(
                .WORDS(CONTEXT)
            ) u_context (
                .clk(clk),
                .rst(rst),
                .put(accept && tokint),
                .words(ev_context),
                .full(contexts_full),
                .take(context_pop),
                .index(at_sub),
                .word(context_word)
            );
        end else begin : gen_no_context
            assign contexts_full = 1'b0;
            assign context_word = 32'd0;
            wire unused_context = &{1'b0, ev_context, context_pop, 1'b0};
        end
    endgenerate

    // ---------------------------------------------------------------- mirrors
    wire [31:0] shot_word, out_word, bp_samples;

    generate
        if (HAS_LAYERS) begin : gen_mirrors
            nps_trace_mirrors #(
                .LAYERS  (LAYERS),
                .DRY_MASK(DRY_MASK)
            ) u_mirrors (
                .clk(clk),
                .rst(rst),
                .restart(restart),
                .limits(limits),
                .stale(stale),
                .offered(ev_valid),
                .kind(ev_kind),
                .sub(ev_sub),
                .payload(ev_payload),
                .touched(touched),
                .capture(mark || drain),
                .op_valid(op_select && !rst),
                .op_entry(op_entry),
                .op_burst(op_burst),
                .op_kind(op_kind),
                .op_sub(op_sub),
                .op_payload(op_payload),
                .shot_word(shot_word),
                .out_word(out_word)
            );
        end else begin : gen_no_mirrors
            assign touched = 32'd0;
            assign shot_word = 32'd0;
            wire unused = &{1'b0, limits, stale, LAYERS, DRY_MASK, 1'b0};
        end
        if (HAS_LAYERS || CONTEXT != 0) begin : gen_total  // BP_SAMPLES or TOKENS
            reg [31:0] told;
            always @(posedge clk) begin
                if (rst || restart) told <= 32'd0;
                else if (final_counts) told <= ev_bp_samples;
                else if (op_select && op_entry) told <= op_bp_samples;
            end
            assign bp_samples = told;
        end else begin : gen_no_total
            assign bp_samples = 32'd0;
            wire unused_total = &{1'b0, op_bp_samples, final_counts};
        end
        if (!HAS_LAYERS && CFG_WORDS != 0) begin : gen_words
            wire [31:0] cfg_word;
            reg tells_cfg;
            reg [31:0] cfg_told;
            nps_trace_words #(
                .FIRST(CFG_FIRST),
                .COUNT(CFG_WORDS)
            ) u_words (
                .clk(clk),
                .rst(rst),
                .restart(restart),
                .words(cfg_words),
                .reload(is_before && is_cfg),
                .offered(is_record),
                .kind(kind),
                .sub(sub),
                .payload(payload),
                .capture(is_move),
                .load(loads),
                .emitted(emits),
                .op_kind(at_kind),
                .op_sub(at_sub),
                .op_payload(at_payload),
                .word_sub(at_sub),
                .word(cfg_word)
            );
            always @(posedge clk) begin
                tells_cfg <= tells && op_kind == `NPS_K_CFG;
                cfg_told <= tells_cfg ? cfg_word : 32'd0;
            end
            assign out_word = cfg_told;
        end else begin : gen_no_words
            wire unused_words = &{1'b0, cfg_words, at_kind, at_sub, at_payload, emits, kind, sub, payload, 1'b0};
        end
        if (!HAS_LAYERS && CFG_WORDS == 0) begin : gen_no_cfg
            assign out_word = 32'd0;
            wire unused_cfg = &{1'b0, restart, 1'b0};
        end
    endgenerate

    // ---------------------------------------------------------------- op + 2: one word of each sort, all but one 0
    reg [31:0] dropped, account_told, clock_told;
    reg ts_silent, context_silent;

    always @(posedge clk) begin
        if (rst || restart) dropped <= 32'd0;
        else if (loads) dropped <= dropped + loss_count;
    end

    reg [31:0] clk_state;
    always @* begin
        clk_state = 32'd0;
        clk_state[`NPS_CLK_STATE_TQ_LSB+:`NPS_CLK_STATE_TQ_W] = last_tq;
        clk_state[`NPS_CLK_STATE_LOCKED_LSB] = last_tq == `NPS_TQ_LOCKED;
        clk_state[`NPS_CLK_STATE_HOLDOVER_LSB] = last_tq == `NPS_TQ_HOLDOVER;
    end

    wire [63:0] step = from_loss ? step_sum : step_head;

    always @(posedge clk) begin
        case (account_word)
            COUNT: account_told <= loss_count;
            LAYERS_HIT: account_told <= loss_layers;
            DROPPED: account_told <= dropped;
            default: account_told <= bp_samples;
        endcase
        if (no_account) account_told <= 32'd0;
        clock_told <= tells_low ? step[31:0] : tells_high ? step[63:32] : clk_state;
        if (no_clock) clock_told <= 32'd0;
        context_silent <= no_context;
        ts_silent <= no_ts;
    end

    // ---------------------------------------------------------------- op + 3: the word
    always @(posedge clk) begin
        word <= shot_word | out_word | account_told | clock_told | (context_silent ? 32'd0 : context_word);
        {word_tq, word_ts} <= ts_silent ? 66'd0 : {loss_tq, loss_ts};
    end

endmodule
`default_nettype wire
