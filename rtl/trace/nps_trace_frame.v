// SPDX-License-Identifier: Apache-2.0
// The framer: chooses, record by record, what the stream says next.
//
// Does:      start contents, FIFO entries with their clock steps and LOSS bursts, groups, flush and END.
// Promises:  FORMAT.md, rules 1 to 13 and 20 to 25: a group is SYNC-A, B, C, CNT, CFG, STATE hot, bp, unknown, dry with
//            nothing between; a LOSS burst with its entry and a CLK pair with its record hold no group; no frame
//            exceeds FRAME_RECORDS; m_last on the last record of a group and on END, nowhere else.
// Costs:     one plain entry a clock. A group costs its 9 records and about 20 idle clocks (the pipeline empties between
//            SYNC-A and SYNC-B, for the CRC-32), a clock step about 12, a LOSS burst as much and a clock a record. 5 clocks
//            from choice to record.
// Overflow:  none: without `go` it stops, and entries wait in their queues.
//
// The choice is a plain entry, in state RUN, or what the state machine has put into next_* a clock before: so that only
// a few registers decide whether an entry is taken.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_trace.vh"

module nps_trace_frame #(
    parameter        NUM_BP        = 2,                    // backpressure sources, 1..62
    parameter        TOKEN         = 0,                    // 1: there is such a source, behind the BP sources
    parameter        RAS           = 0,
    parameter        JITTER        = 0,
    parameter        WORDS         = 4,                    // CTX words of a TOKINT, 4..16
    parameter        INDEX_W       = 2,                    // bits that hold the framer's index, SOURCES
    parameter        FRAME_RECORDS = `NPS_FRAME_RECORDS,   // most records of a frame, 32..512
    parameter [47:0] FRAME_AGE_NS  = `NPS_FRAME_AGE_NS,
    parameter [47:0] HEARTBEAT_NS  = `NPS_HEARTBEAT_NS,
    parameter [31:0] CLK_PERIOD_PS = 32'd5000,
    parameter [63:0] DESC_HASH     = 64'd0
) (
    input wire clk,
    input wire rst,
    input wire restart,  // begin a stream

    // time bus
    input wire [47:0] rel_ns,
    input wire [63:0] ts_ns,
    input wire [ 1:0] tq,

    // merged entries
    input  wire               e_valid,
    output wire               e_ready,
    input  wire [INDEX_W-1:0] e_index,
    input  wire               e_mark,
    input  wire               e_loss_cfg,
    input  wire               e_loss_step,
    input  wire               e_plain,    // no mark, no clock step, no context
    input  wire [      139:0] e_entry,    // {step, record, bp_samples, tq, ts, kind, sub, payload}
    input  wire               e_empty,    // no entry queued anywhere

    // sources: one word port
    output wire [NUM_BP+TOKEN+RAS+JITTER:0] op_select,
    output wire             op_entry,
    output wire             op_burst,
    output wire             op_free,
    output wire [4*(NUM_BP+TOKEN+RAS+JITTER+1)-1:0] op_kind,  // a copy for each source, 0 if it is not its
    output wire [4*(NUM_BP+TOKEN+RAS+JITTER+1)-1:0] op_sub,
    output wire [     31:0] op_payload,
    output wire [     31:0] op_bp_samples,
    output reg              final_counts,
    input  wire [     31:0] word,         // of all sources, 3 clocks after op_*
    input  wire [     63:0] word_ts,
    input  wire [      1:0] word_tq,
    input  wire             word_cause,
    input  wire             step_pending, // a clock step is still to be told by some source

    // flush
    input  wire flush,  // no event comes any more: END once nothing is queued or untold
    output reg  done,   // pulse: END has been taken by the sink

    // exit
    input  wire        go,
    output wire        claim,
    input  wire        out_empty,
    input  wire [31:0] stalled,
    input  wire [31:0] crc_closed,
    input  wire [31:0] crc_open,
    input  wire        sealing,     // records between here and crc_*

    // record, to nps_trace_pack
    output wire               m_valid,
    output wire [       63:0] m_ts,
    output wire [        1:0] m_tq,
    output wire [        3:0] m_kind,
    output wire [        3:0] m_sub,
    output wire [        5:0] m_src,
    output wire [       31:0] m_payload,
    output wire [INDEX_W-1:0] m_index,
    output wire               m_accepted,
    output wire               m_last
);

    `NPS_REFUSE(NUM_BP < 1 || NUM_BP > 62, nps_error__NUM_BP_must_be_1_to_62)
    `NPS_REFUSE((1 << INDEX_W) < NUM_BP + TOKEN + RAS + JITTER + 2, nps_error__INDEX_W_must_hold_the_framer)
    `NPS_REFUSE((TOKEN != 0 || RAS != 0 || JITTER != 0) && NUM_BP > 59,
                nps_error__NUM_BP_must_be_at_most_59_beside_others)
    `NPS_REFUSE(TOKEN < 0 || TOKEN > 1 || RAS < 0 || RAS > 1 || JITTER < 0 || JITTER > 1,
                nps_error__TOKEN_RAS_JITTER_must_be_0_or_1)
    `NPS_REFUSE(TOKEN != 0 && (WORDS < 4 || WORDS > 16), nps_error__WORDS_must_be_4_to_16)
    `NPS_REFUSE(TOKEN != 0 && FRAME_RECORDS < 17 + WORDS, nps_error__FRAME_RECORDS_must_be_at_least_17_plus_WORDS)
    `NPS_REFUSE(FRAME_RECORDS < 32 || FRAME_RECORDS > 512, nps_error__FRAME_RECORDS_must_be_32_to_512)
    `NPS_REFUSE(FRAME_AGE_NS == 0 || HEARTBEAT_NS < FRAME_AGE_NS,
                nps_error__HEARTBEAT_NS_must_not_be_below_FRAME_AGE_NS)

    localparam [INDEX_W-1:0] BP_LAST = NUM_BP - 1;
    localparam [INDEX_W-1:0] RAS_AT = NUM_BP + TOKEN;
    localparam [INDEX_W-1:0] FRAMER = NUM_BP + TOKEN + RAS + JITTER + 1;
    localparam [4:0] CONTEXT_WORDS = WORDS;
    localparam [3:0] LAST_WORD = WORDS - 1;

    // ---------------------------------------------------------------- state
    localparam [19:0] IDLE = 20'd1 << 0;
    localparam [19:0] CLOSE = 20'd1 << 1;        // latch the group's time, once the last user of the old one has passed
    localparam [19:0] GROUP_A = 20'd1 << 2;
    localparam [19:0] GROUP = 20'd1 << 3;        // the other eight, once the pipeline is empty
    localparam [19:0] START_CFG = 20'd1 << 4;
    localparam [19:0] START_STATE = 20'd1 << 5;
    localparam [19:0] RUN = 20'd1 << 6;
    localparam [19:0] CHECK = 20'd1 << 7;        // does the run of a marked or step entry fit the frame?
    localparam [19:0] DECIDE = 20'd1 << 8;
    localparam [19:0] LOSS = 20'd1 << 9;
    localparam [19:0] STEP_LO = 20'd1 << 10;
    localparam [19:0] STEP_HI = 20'd1 << 11;
    localparam [19:0] RECORD = 20'd1 << 12;
    localparam [19:0] POP = 20'd1 << 13;         // the entry leaves when its last record has been chosen
    localparam [19:0] SETTLE = 20'd1 << 14;      // until step_pending shows what was just told
    localparam [19:0] END_LATCH = 20'd1 << 15;
    localparam [19:0] END_CNT = 20'd1 << 16;
    localparam [19:0] END = 20'd1 << 17;
    localparam [19:0] END_TAKEN = 20'd1 << 18;   // END is on its way to the sink
    localparam [19:0] CONTEXT = 20'd1 << 19;     // the CTX words behind a TOKINT

    localparam PAUSE = 5;                 // clocks of SETTLE and END_LATCH
    localparam CLOSED = 3;                // bit of `pause` that ends CLOSE: after 2 clocks

    // words of a LOSS burst; a position is skipped if the source has no such word
    localparam [3:0] AT_FIRST = 4'd0;
    localparam [3:0] AT_SECOND = 4'd1;
    localparam [3:0] AT_CLK_STATE = 4'd2;
    localparam [3:0] AT_STEP_LO = 4'd3;
    localparam [3:0] AT_STEP_HI = 4'd4;
    localparam [3:0] AT_HOT = 4'd5;
    localparam [3:0] AT_BP_EN = 4'd6;
    localparam [3:0] AT_UNKNOWN = 4'd7;
    localparam [3:0] AT_DRY = 4'd8;
    localparam [3:0] AT_LIMITS = 4'd9;
    localparam [3:0] AT_STALE = 4'd10;
    localparam [3:0] AT_LAYERS = 4'd11;  // then DRY_MASK
    localparam [3:0] AT_WORDS = 4'd13;   // all CFG words of RAS or JITTER

    // words of a group behind SYNC-A, then AT_HOT .. AT_DRY
    localparam [3:0] AT_SYNC_B = 4'd0;
    localparam [3:0] AT_SYNC_C = 4'd1;
    localparam [3:0] AT_CNT = 4'd2;
    localparam [3:0] AT_CFG = 4'd3;

    reg [19:0] state, resume;  // one-hot
    reg [3:0] at;
    reg [PAUSE-1:0] pause;  // a 1 for each clock left
    reg running;  // in RUN, where plain entries leave
    reg popping;  // e_ready for a marked or step entry

    wire e_step = e_entry[139];
    wire e_record = e_entry[138];
    wire has_layers = e_index <= BP_LAST;
    wire is_ras = RAS != 0 && e_index == RAS_AT;
    wire has_context = TOKEN != 0 && e_record && e_entry[39:36] == `NPS_K_TOKINT;
    reg [3:0] word_sub, word_last;  // the CFG or CTX word that is next, and the last
    wire paused = pause[0];

    // ---------------------------------------------------------------- choice
    reg next_valid, next_entry, next_given, next_burst, next_free, next_last, next_opens, next_loss, next_step;
    reg [INDEX_W-1:0] next_index;
    reg [3:0] next_kind, next_sub;
    wire close;

    // `keep` holds Yosys to one gate from `go` to claim and e_ready
    (* keep *) wire fresh;
    (* keep *) wire free;
    assign fresh = running && e_plain && e_valid && !close;
    assign free = running && e_plain && !close && !next_valid;
    wire place = !next_valid || go;  // next_* is free in the next clock

    assign e_ready = (free && go) || popping;
    assign claim = go && (next_valid || fresh);

    // ---------------------------------------------------------------- frame accounting
    wire [15:0] previous;
    wire [9:0] room;
    reg begun;  // restart, a clock late: no group comes before
    always @(posedge clk) begun <= restart && !rst;

    nps_trace_close #(
        .FRAME_RECORDS(FRAME_RECORDS),
        .FRAME_AGE_NS (FRAME_AGE_NS),
        .HEARTBEAT_NS (HEARTBEAT_NS)
    ) u_close (
        .clk(clk),
        .rst(rst),
        .restart(begun),
        .rel_ns(rel_ns),
        .record(claim),
        .sync_a(next_valid && go && next_opens),
        .loss(next_valid && go && next_loss),
        .step(next_valid && go && next_step),
        .step_pending(step_pending),
        .previous(previous),
        .room(room),
        .close(close)
    );

    // ---------------------------------------------------------------- round robins of the groups, lists of start and end
    wire [INDEX_W-1:0] cnt_index, cfg_index, state_index;
    wire [3:0] cnt_sub, cfg_sub, state_sub;
    wire cnt_last, cfg_last, state_last;
    reg robin;
    reg next_cnt, next_cfg, next_state;  // one clock behind the word's choice

    nps_trace_lists #(
        .NUM_BP (NUM_BP),
        .TOKEN  (TOKEN),
        .RAS    (RAS),
        .JITTER (JITTER),
        .INDEX_W(INDEX_W)
    ) u_lists (
        .clk(clk),
        .rst(rst),
        .restart(begun),
        .robin(robin),
        .next_cnt(next_cnt),
        .next_cfg(next_cfg),
        .next_state(next_state),
        .cnt_index(cnt_index),
        .cnt_sub(cnt_sub),
        .cfg_index(cfg_index),
        .cfg_sub(cfg_sub),
        .state_index(state_index),
        .state_sub(state_sub),
        .cnt_last(cnt_last),
        .cfg_last(cfg_last),
        .state_last(state_last)
    );

    // ---------------------------------------------------------------- where the state machine is
    wire in_idle = |(state & IDLE);
    wire in_close = |(state & CLOSE);
    wire in_group_a = |(state & GROUP_A);
    wire in_group = |(state & GROUP);
    wire in_start_cfg = |(state & START_CFG);
    wire in_start_state = |(state & START_STATE);
    wire in_run = |(state & RUN);
    wire in_check = |(state & CHECK);
    wire in_decide = |(state & DECIDE);
    wire in_loss = |(state & LOSS);
    wire in_step_lo = |(state & STEP_LO);
    wire in_step_hi = |(state & STEP_HI);
    wire in_record = |(state & RECORD);
    wire in_pop = |(state & POP);
    wire in_settle = |(state & SETTLE);
    wire in_end_latch = |(state & END_LATCH);
    wire in_end_cnt = |(state & END_CNT);
    wire in_end = |(state & END);
    wire in_end_taken = |(state & END_TAKEN);
    wire in_context = |(state & CONTEXT);
    wire in_list = in_start_cfg || in_start_state || in_end_cnt || in_end;

    // ---------------------------------------------------------------- the words of a LOSS burst, one every other clock
    reg burst_ready;  // burst_* is of `at`
    reg [3:0] burst_kind, burst_sub, burst_after;
    reg burst_ends, burst_first, burst_step, burst_words;
    wire no_cfg = !e_loss_cfg;

    always @(posedge clk) begin
        burst_first <= at == AT_FIRST;
        burst_step <= at == AT_STEP_HI;
        burst_words <= at == AT_WORDS;
        burst_after <= at + 4'd1;
        if ((at == AT_SECOND && !e_loss_step) || at == AT_STEP_HI) burst_after <= has_layers ? AT_HOT : AT_WORDS;
        if (at == AT_WORDS) burst_after <= AT_WORDS;
        burst_ends <= (at == AT_SECOND && !e_loss_step && !has_layers && no_cfg) ||
            (at == AT_STEP_HI && !has_layers && no_cfg) || (at == AT_STALE && no_cfg) || at == AT_LAYERS + 4'd1 ||
            (at == AT_WORDS && word_sub == word_last);
        case (at)
            AT_FIRST: {burst_kind, burst_sub} <= {`NPS_K_LOSS, `NPS_LOSS_FIRST};
            AT_SECOND: {burst_kind, burst_sub} <= {`NPS_K_LOSS, `NPS_LOSS_SECOND};
            AT_CLK_STATE: {burst_kind, burst_sub} <= {`NPS_K_CLK, `NPS_CLK_STATE};
            AT_STEP_LO: {burst_kind, burst_sub} <= {`NPS_K_CLK, `NPS_CLK_STEP_LO};
            AT_STEP_HI: {burst_kind, burst_sub} <= {`NPS_K_CLK, `NPS_CLK_STEP_HI};
            AT_HOT: {burst_kind, burst_sub} <= {`NPS_K_STATE, `NPS_STATE_HOT};
            AT_BP_EN: {burst_kind, burst_sub} <= {`NPS_K_STATE, `NPS_STATE_BP_EN};
            AT_UNKNOWN: {burst_kind, burst_sub} <= {`NPS_K_STATE, `NPS_STATE_UNKNOWN};
            AT_DRY: {burst_kind, burst_sub} <= {`NPS_K_STATE, `NPS_STATE_DRY};
            AT_LIMITS: {burst_kind, burst_sub} <= {`NPS_K_CFG, `NPS_CFG_BP_LIMITS};
            AT_STALE: {burst_kind, burst_sub} <= {`NPS_K_CFG, `NPS_CFG_STALE};
            AT_LAYERS: {burst_kind, burst_sub} <= {`NPS_K_CFG, `NPS_CFG_LAYERS};
            AT_WORDS: {burst_kind, burst_sub} <= {`NPS_K_CFG, word_sub};
            default: {burst_kind, burst_sub} <= {`NPS_K_CFG, `NPS_CFG_DRY_MASK};
        endcase
    end

    // ---------------------------------------------------------------- what the state machine says next
    reg [INDEX_W-1:0] group_index;
    reg [3:0] group_kind, group_sub;
    wire fetching;
    reg moving;   // records between here and crc_*
    reg armed;    // the word of a list may come: one by one, so that `close` knows of the word before
    reg holds_b;  // SYNC-B waits for the CRC
    wire lists = armed && !close;  // only in a list
    wire is_last = at[3];          // of a group: AT_DRY

    // what is put into next_* in this clock, by state
    wire puts_loss = in_loss && burst_ready && place;
    wire puts_group = in_group && !holds_b && place;
    wire puts_list = lists && place;
    wire puts_one = (in_group_a || in_step_lo || in_step_hi || in_record || in_context) && place;
    wire put = puts_loss || puts_group || puts_list || puts_one;

    always @* begin
        case (at)
            AT_SYNC_B: {group_index, group_kind, group_sub} = {FRAMER, `NPS_K_SYNC, `NPS_SYNC_B};
            AT_SYNC_C: {group_index, group_kind, group_sub} = {FRAMER, `NPS_K_SYNC, `NPS_SYNC_C};
            AT_CNT: {group_index, group_kind, group_sub} = {cnt_index, `NPS_K_CNT, cnt_sub};
            AT_CFG: {group_index, group_kind, group_sub} = {cfg_index, `NPS_K_CFG, cfg_sub};
            AT_HOT: {group_index, group_kind, group_sub} = {state_index, `NPS_K_STATE, `NPS_STATE_HOT};
            AT_BP_EN: {group_index, group_kind, group_sub} = {state_index, `NPS_K_STATE, `NPS_STATE_BP_EN};
            AT_UNKNOWN: {group_index, group_kind, group_sub} = {state_index, `NPS_K_STATE, `NPS_STATE_UNKNOWN};
            default: {group_index, group_kind, group_sub} = {state_index, `NPS_K_STATE, `NPS_STATE_DRY};
        endcase
    end

    localparam CHOICE_W = INDEX_W + 8;
    function automatic [CHOICE_W-1:0] choice(input reg when, input reg [CHOICE_W-1:0] what);
        choice = when ? what : {CHOICE_W{1'b0}};
    endfunction

    always @(posedge clk) begin
        if (rst) next_valid <= 1'b0;
        else next_valid <= put || (next_valid && !go);
        if (place) begin
            {next_index, next_kind, next_sub} <=
                choice(in_group_a, {FRAMER, `NPS_K_SYNC, `NPS_SYNC_A}) |
                choice(in_group, {group_index, group_kind, group_sub}) |
                choice(in_start_cfg, {cfg_index, `NPS_K_CFG, cfg_sub}) |
                choice(in_start_state, {state_index, `NPS_K_STATE, state_sub}) |
                choice(in_end_cnt, {cnt_index, `NPS_K_CNT, cnt_sub}) |
                choice(in_end, {FRAMER, `NPS_K_SYNC, `NPS_SYNC_END}) |
                choice(in_loss, {e_index, burst_kind, burst_sub}) |
                choice(in_step_lo, {e_index, `NPS_K_CLK, `NPS_CLK_STEP_LO}) |
                choice(in_step_hi, {e_index, `NPS_K_CLK, `NPS_CLK_STEP_HI}) |
                choice(in_record, {e_index, e_entry[39:32]}) |
                choice(in_context, {e_index, `NPS_K_CTX, word_sub});
            next_entry <= in_step_lo || in_step_hi || in_record || in_context;
            next_given <= in_record;
            next_burst <= in_loss;
            next_free <= in_loss && burst_ends;
            next_last <= (in_group && is_last) || in_end;
            next_opens <= in_group_a;
            next_loss <= in_loss && burst_first;
            next_step <= in_step_hi || (in_loss && burst_step);
        end
        robin <= in_group_a || in_group;
        next_cnt <= (in_end_cnt && puts_list) || (puts_group && at == AT_CNT);
        next_cfg <= (in_start_cfg && puts_list) || (puts_group && at == AT_CFG);
        next_state <= (in_start_state && puts_list) || (puts_group && is_last);
        moving <= put || next_valid || fetching || sealing;
        armed <= in_list && !(in_end && moving) && !close && !puts_list && place && !rst;
        holds_b <= in_group_a || (holds_b && moving);
        burst_ready <= in_decide || (in_loss && !burst_ready) || (in_loss && !place);
    end

    // ---------------------------------------------------------------- next state
    // records of an entry that is not plain: LOSS x2, CLK x3, keyframe x4, CFG x2 or x4 or all, CLK pair, record, context
    reg [4:0] needs;
    reg fits;

    wire turns = close && !next_valid;  // a list gives way to a group
    wire leaves_group = puts_group && is_last;
    wire leaves_loss = puts_loss && burst_ends;
    wire leaves_context = place && word_sub == word_last;
    wire looks = in_run && running;  // at what comes
    wire sees_other = looks && !close && e_valid && !e_plain;
    wire sees_end = looks && !close && !e_valid && e_empty && flush;
    wire is_over = !next_valid && !moving && out_empty;
    wire latched = !next_valid && !pause[CLOSED];
    wire settled = !next_valid && !paused;

    function automatic [19:0] go_to(input reg when, input reg [19:0] there);
        go_to = when ? there : 20'd0;
    endfunction

    always @(posedge clk) begin
        needs <= (e_mark ? (has_layers ? 5'd8 : 5'd2) : 5'd0) + (e_mark && e_loss_step ? 5'd3 : 5'd0) +
            (e_mark && e_loss_cfg ? (is_ras ? 5'd6 : 5'd2) : 5'd0) + (e_step ? 5'd2 : 5'd0) + {4'd0, e_record} +
            (has_context ? CONTEXT_WORDS : 5'd0);
        fits <= {5'd0, needs} <= room;

        if ((in_close || in_settle || in_end_latch) && !next_valid) pause <= pause >> 1;
        else pause <= {PAUSE{1'b1}};

        running <= in_run && !(running && (close || (e_valid ? !e_plain : e_empty && flush))) && !rst;
        popping <= in_pop && !next_valid && !rst;
        final_counts <= in_end_latch;
        done <= in_end_taken && is_over;

        if (in_idle) resume <= START_CFG;
        else if (in_list || in_run) resume <= state;

        if (in_group_a) at <= AT_SYNC_B;
        else if (in_run) at <= AT_FIRST;
        else if (puts_group) at <= at == AT_CFG ? AT_HOT : at + 4'd1;
        else if (puts_loss) at <= burst_after;

        if (in_check) begin
            word_sub  <= is_ras ? `NPS_CFG_R_LIMIT : `NPS_CFG_T_NOMINAL_LO;
            word_last <= is_ras ? `NPS_CFG_A_HOLDOFF : `NPS_CFG_T_NOMINAL_HI;
        end else if (in_record) begin
            word_sub  <= 4'd0;
            word_last <= LAST_WORD;
        end else if ((puts_loss && burst_words) || (in_context && place)) begin
            word_sub <= word_sub + 4'd1;
        end

        state <= go_to(in_idle, restart ? CLOSE : IDLE) |
            go_to(in_close, latched ? GROUP_A : CLOSE) |
            go_to(in_group_a, place ? GROUP : GROUP_A) |
            go_to(in_group, leaves_group ? resume : GROUP) |
            go_to(in_list && turns, CLOSE) |
            go_to(in_start_cfg && !turns, puts_list && cfg_last ? START_STATE : START_CFG) |
            go_to(in_start_state && !turns, puts_list && state_last ? RUN : START_STATE) |
            go_to(in_end_cnt && !turns, puts_list && cnt_last ? END : END_CNT) |
            go_to(in_end && !turns, puts_list ? END_TAKEN : END) |
            go_to(in_end_taken, is_over ? IDLE : END_TAKEN) |
            go_to(looks && close, CLOSE) | go_to(sees_other, CHECK) | go_to(sees_end, END_LATCH) |
            go_to(in_run && !(looks && close) && !sees_other && !sees_end, RUN) |
            go_to(in_check, next_valid ? CHECK : DECIDE) |  // `room` knows of the record before
            go_to(in_decide, !fits ? CLOSE : e_mark ? LOSS : e_step ? STEP_LO : RECORD) |
            go_to(in_loss, !leaves_loss ? LOSS : e_step ? STEP_LO : e_record ? RECORD : POP) |
            go_to(in_step_lo, place ? STEP_HI : STEP_LO) |
            go_to(in_step_hi, !place ? STEP_HI : e_record ? RECORD : POP) |
            go_to(in_record, !place ? RECORD : has_context ? CONTEXT : POP) |
            go_to(in_context, leaves_context ? POP : CONTEXT) |
            go_to(in_pop, next_valid ? POP : SETTLE) |
            go_to(in_settle, settled ? RUN : SETTLE) |
            go_to(in_end_latch, settled ? END_CNT : END_LATCH);
        if (rst) state <= IDLE;
    end

    // ---------------------------------------------------------------- time and number of the group
    wire emitted;  // a FIFO record since start
    reg first_frame;
    wire [63:0] last_ts;
    wire [1:0] last_tq;
    reg [63:0] group_ts;
    reg [1:0] group_tq;
    reg [31:0] frame;

    wire queued = in_close && emitted && !e_empty;
    reg latches, from_queue, ends_group;  // one clock behind, with the time of that clock
    reg [63:0] ts_before;
    reg [1:0] tq_before;

    always @(posedge clk) begin
        latches <= (in_close && latched) || (in_end_latch && settled);
        from_queue <= queued;
        {tq_before, ts_before} <= {tq, ts_ns};
        if (latches) {group_tq, group_ts} <= from_queue ? {last_tq, last_ts} : {tq_before, ts_before};

        ends_group <= leaves_group;
        if (restart) begin
            frame <= 32'd0;
            first_frame <= 1'b1;
        end else if (ends_group) begin
            frame <= frame + 32'd1;
            first_frame <= 1'b0;
        end
    end

    // ---------------------------------------------------------------- complete it
    nps_trace_fetch #(
        .NUM_BP(NUM_BP),
        .TOKEN(TOKEN),
        .RAS(RAS),
        .JITTER(JITTER),
        .INDEX_W(INDEX_W),
        .CLK_PERIOD_PS(CLK_PERIOD_PS),
        .DESC_HASH(DESC_HASH)
    ) u_fetch (
        .clk(clk),
        .rst(rst),
        .restart(restart),
        .s_valid(claim),
        .s_index(next_valid ? next_index : e_index),
        .s_kind(next_valid ? next_kind : e_entry[39:36]),
        .s_sub(next_valid ? next_sub : e_entry[35:32]),
        .s_entry(next_valid ? next_entry : 1'b1),
        .s_given(next_valid ? next_given : 1'b1),
        .s_burst(next_valid && next_burst),
        .s_free(next_valid && next_free),
        .s_last(next_valid && next_last),
        .s_tq(e_entry[105:104]),
        .s_ts(e_entry[103:40]),
        .s_payload(e_entry[31:0]),
        .s_bp_samples(e_entry[137:106]),
        .op_select(op_select),
        .op_entry(op_entry),
        .op_burst(op_burst),
        .op_free(op_free),
        .op_kind(op_kind),
        .op_sub(op_sub),
        .op_payload(op_payload),
        .op_bp_samples(op_bp_samples),
        .word(word),
        .word_ts(word_ts),
        .word_tq(word_tq),
        .word_cause(word_cause),
        .group_ts(group_ts),
        .group_tq(group_tq),
        .frame(frame),
        .first_frame(first_frame),
        .previous(previous),
        .stalled(stalled),
        .crc_closed(crc_closed),
        .crc_open(crc_open),
        .m_valid(m_valid),
        .m_ts(m_ts),
        .m_tq(m_tq),
        .m_kind(m_kind),
        .m_sub(m_sub),
        .m_src(m_src),
        .m_payload(m_payload),
        .m_index(m_index),
        .m_accepted(m_accepted),
        .m_last(m_last),
        .busy(fetching),
        .last_known(emitted),
        .last_ts(last_ts),
        .last_tq(last_tq)
    );

endmodule
`default_nettype wire
