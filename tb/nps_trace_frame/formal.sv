// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_trace_frame: frame structure. A reference automaton follows the choices (`want` is the word that must
// come next, 0 = a run may begin), its record count and the framer's own state are tied by invariants; what leaves is
// what was chosen 4 clocks before. Entries, time, sink, pipeline and clock steps are free.
`default_nettype none
`include "nps_trace.vh"

module formal_frame #(
    parameter integer FRAME_RECORDS = 32,
    parameter integer TOKEN = 0            // 1: the source without layers is TOKEN, whose TOKINT takes 4 CTX words along
) (
    input wire         clk,
    input wire         rst,
    input wire         restart,
    input wire         late,       // relative time: any age, by one bit
    input wire         e_valid,
    input wire         e_index,    // 0 backpressure source, 1 MARK or TOKEN
    input wire         e_mark,
    input wire         e_loss_cfg,
    input wire         e_loss_step,
    input wire         e_step,
    input wire         e_record,
    input wire [3:0]   e_kind,
    input wire [3:0]   e_sub,
    input wire         e_empty,
    input wire         step_pending,
    input wire         flush,
    input wire         go,
    input wire         out_empty,
    input wire         sealing
);
    localparam [1:0] FRAMER = 2 + TOKEN;

    wire         e_ready, op_entry, op_burst, op_free, final_counts, done, claim;
    wire [1:0]   m_tq, m_index;
    wire [1+TOKEN:0] op_select;
    wire [3:0]   m_kind, m_sub;
    wire [4*TOKEN+7:0] op_kind, op_sub;
    wire [31:0]  op_payload, op_bp_samples, m_payload;
    wire [63:0]  m_ts;
    wire [5:0]   m_src;
    wire         m_valid, m_accepted, m_last;
    wire         context_ = TOKEN != 0 && e_record && e_kind == `NPS_K_TOKINT;
    wire         e_plain = !e_mark && !e_step && !context_;

    nps_trace_frame #(
        .NUM_BP(1), .TOKEN(TOKEN), .WORDS(4), .INDEX_W(2), .FRAME_RECORDS(FRAME_RECORDS), .FRAME_AGE_NS(48'd1), .HEARTBEAT_NS(48'd2)
    ) dut (
        .clk(clk), .rst(rst), .restart(restart), .rel_ns({47'd0, late}), .ts_ns(64'd0), .tq(2'd0),
        .e_valid(e_valid), .e_ready(e_ready), .e_index({1'b0, e_index}), .e_mark(e_mark), .e_loss_cfg(e_loss_cfg),
        .e_loss_step(e_loss_step), .e_plain(e_plain), .e_entry({e_step, e_record, 98'd0, e_kind, e_sub, 32'd0}),
        .e_empty(e_empty),
        .op_select(op_select), .op_entry(op_entry), .op_burst(op_burst), .op_free(op_free), .op_kind(op_kind),
        .op_sub(op_sub), .op_payload(op_payload), .op_bp_samples(op_bp_samples), .final_counts(final_counts),
        .word(32'd0), .word_ts(64'd0), .word_tq(2'd0), .word_cause(1'b0), .step_pending(step_pending), .flush(flush), .done(done),
        .go(go), .claim(claim), .out_empty(out_empty), .stalled(32'd0), .crc_closed(32'd0), .crc_open(32'd0),
        .sealing(sealing),
        .m_valid(m_valid), .m_ts(m_ts), .m_tq(m_tq), .m_kind(m_kind), .m_sub(m_sub), .m_src(m_src),
        .m_payload(m_payload), .m_index(m_index), .m_accepted(m_accepted), .m_last(m_last)
    );

    // ---- neighbours
    reg started = 1'b0, open = 1'b0, waits = 1'b0;
    reg [14:0] entry;
    wire [14:0] entry_now = {e_index, e_mark, e_loss_cfg, e_loss_step, e_step, e_record, e_kind, e_sub, 1'b0};
    always @(posedge clk) begin
        started <= 1'b1;
        open    <= !rst && (restart || (open && !done));
        waits   <= !rst && e_valid && !e_ready;
        entry   <= entry_now;
    end
    always @(*) begin
        if (!started) assume (rst);
        assume (!(restart && open && !done));
        if (waits) assume (e_valid && entry_now == entry);
        assume (e_step || e_record || e_mark);
        assume (!e_loss_cfg || (e_mark && !e_index));
        assume (!e_loss_step || e_mark);
        assume (e_kind != `NPS_K_SYNC && e_kind != `NPS_K_LOSS && e_kind != `NPS_K_CNT);
    end

    // ---- words of groups, bursts and pairs
    localparam [4:0] FREE = 0, B = 1, C = 2, CNT = 3, CFG = 4, G_HOT = 5, G_BP_EN = 6, G_UNKNOWN = 7, G_DRY = 8,
        SECOND = 9, CLK_STATE = 10, LOST_LO = 11, LOST_HI = 12, HOT = 13, BP_EN = 14, UNKNOWN = 15, DRY = 16,
        LIMITS = 17, STALE = 18, LAYERS = 19, DRY_MASK = 20, STEP_LO = 21, STEP_HI = 22, RECORD = 23, FIRST = 24,
        CTX_0 = 25, CTX_3 = 28;

    wire [4:0] behind_burst = e_step ? STEP_LO : e_record ? RECORD : FREE;

    // the word behind word w of a group or run
    function [4:0] next_of(input [4:0] w);
        case (w)
            G_DRY, CTX_3:  next_of = FREE;
            RECORD:        next_of = context_ ? CTX_0 : FREE;
            SECOND:        next_of = e_loss_step ? CLK_STATE : !e_index ? HOT : behind_burst;
            LOST_HI:       next_of = !e_index ? HOT : behind_burst;
            STALE:         next_of = e_loss_cfg ? LAYERS : behind_burst;
            DRY_MASK:      next_of = behind_burst;
            STEP_HI:       next_of = e_record ? RECORD : FREE;
            FIRST:         next_of = SECOND;
            default:       next_of = w + 5'd1;
        endcase
    endfunction

    // kind and sub of it
    function [7:0] code_of(input [4:0] w);
        case (w)
            B:         code_of = {`NPS_K_SYNC, `NPS_SYNC_B};
            C:         code_of = {`NPS_K_SYNC, `NPS_SYNC_C};
            G_HOT, HOT:         code_of = {`NPS_K_STATE, `NPS_STATE_HOT};
            G_BP_EN, BP_EN:     code_of = {`NPS_K_STATE, `NPS_STATE_BP_EN};
            G_UNKNOWN, UNKNOWN: code_of = {`NPS_K_STATE, `NPS_STATE_UNKNOWN};
            G_DRY, DRY:         code_of = {`NPS_K_STATE, `NPS_STATE_DRY};
            FIRST:     code_of = {`NPS_K_LOSS, `NPS_LOSS_FIRST};
            SECOND:    code_of = {`NPS_K_LOSS, `NPS_LOSS_SECOND};
            CLK_STATE: code_of = {`NPS_K_CLK, `NPS_CLK_STATE};
            LOST_LO, STEP_LO:   code_of = {`NPS_K_CLK, `NPS_CLK_STEP_LO};
            LOST_HI, STEP_HI:   code_of = {`NPS_K_CLK, `NPS_CLK_STEP_HI};
            LIMITS:    code_of = {`NPS_K_CFG, `NPS_CFG_BP_LIMITS};
            STALE:     code_of = {`NPS_K_CFG, `NPS_CFG_STALE};
            LAYERS:    code_of = {`NPS_K_CFG, `NPS_CFG_LAYERS};
            DRY_MASK:  code_of = {`NPS_K_CFG, `NPS_CFG_DRY_MASK};
            25, 26, 27, 28: code_of = {`NPS_K_CTX, w[3:0] - 4'd9};
            default:   code_of = {e_kind, e_sub};  // RECORD; CNT and CFG of a group are any
        endcase
    endfunction

    // records from word w of a run to its end
    wire [4:0] end_ = {4'd0, e_record} + (context_ ? 5'd4 : 5'd0);
    wire [4:0] tail = {3'd0, e_step, 1'b0} + end_;
    wire [4:0] cfgs = {3'd0, e_loss_cfg, 1'b0} + tail;
    wire [4:0] keys = !e_index ? 5'd6 + cfgs : tail;
    function [4:0] left_of(input [4:0] w);
        case (w)
            FIRST:     left_of = 5'd2 + (e_loss_step ? 5'd3 : 5'd0) + keys;
            SECOND:    left_of = 5'd1 + (e_loss_step ? 5'd3 : 5'd0) + keys;
            CLK_STATE: left_of = 5'd3 + keys;
            LOST_LO:   left_of = 5'd2 + keys;
            LOST_HI:   left_of = 5'd1 + keys;
            HOT, BP_EN, UNKNOWN, DRY, LIMITS, STALE: left_of = STALE + 5'd1 - w + cfgs;
            LAYERS:    left_of = 5'd2 + tail;
            DRY_MASK:  left_of = 5'd1 + tail;
            STEP_LO:   left_of = 5'd2 + end_;
            STEP_HI:   left_of = 5'd1 + end_;
            RECORD:    left_of = end_;
            25, 26, 27, 28: left_of = CTX_3 + 5'd1 - w;
            default:   left_of = 5'd0;
        endcase
    endfunction

    // ---- the automaton
    wire       plain = dut.free && go && e_valid;
    wire [3:0] kind = dut.next_valid ? dut.next_kind : e_kind;
    wire [3:0] sub = dut.next_valid ? dut.next_sub : e_sub;
    wire [1:0] index = dut.next_valid ? dut.next_index : {1'b0, e_index};
    wire       last = dut.next_valid && dut.next_last;
    wire       is_a = {kind, sub} == {`NPS_K_SYNC, `NPS_SYNC_A};
    wire       is_end = {kind, sub} == {`NPS_K_SYNC, `NPS_SYNC_END};
    wire       is_first = {kind, sub} == {`NPS_K_LOSS, `NPS_LOSS_FIRST};
    wire       is_step = {kind, sub} == {`NPS_K_CLK, `NPS_CLK_STEP_LO};

    reg  [4:0] want = FREE;
    reg  [9:0] count = 10'd0;  // records of this frame
    reg        ended = 1'b0;
    wire       is_whole = TOKEN != 0 && dut.next_valid && dut.next_given;  // a TOKINT that nothing precedes
    wire [4:0] begins = is_a ? B : is_first ? SECOND : is_step && !plain ? STEP_HI : is_whole ? CTX_0 : FREE;
    wire [4:0] run_begin = e_mark ? FIRST : e_step ? STEP_LO : RECORD;
    wire [4:0] want_next = want == FREE ? begins : next_of(want);
    always @(posedge clk) begin
        if (rst || restart) begin
            want  <= FREE;
            count <= 10'd0;
            ended <= 1'b0;
        end else if (claim) begin
            want  <= want_next;
            count <= is_a ? 10'd1 : count + 10'd1;
            ended <= is_end;
        end
    end

    // list words: start contents and the counters of the end
    wire list = kind == `NPS_K_CNT || (kind == `NPS_K_CFG && dut.next_valid) || (kind == `NPS_K_STATE && dut.next_valid);
    wire fits_want = want == FREE ? plain || is_a || is_end || list || (is_first && e_valid && e_mark) ||
                                    (is_step && e_valid && e_step && !e_mark) ||
                                    (is_whole && e_valid && context_ && !e_mark && !e_step && {kind, sub} == {e_kind, e_sub})
                   : want == CNT ? kind == `NPS_K_CNT
                   : want == CFG ? kind == `NPS_K_CFG
                   : {kind, sub} == code_of(want) && (want <= G_DRY || e_valid);
    wire owner = want == B || want == C || (want == FREE && (is_a || is_end)) ? index == FRAMER
               : want > G_DRY || (want == FREE && !list && !plain) ? index == {1'b0, e_index} : 1'b1;  // lists: see nps_trace_walk

    // ---- what leaves, 5 clocks later
    reg [4:0] was_valid = 5'd0;
    reg [10:0] was_1, was_2, was_3, was_4, was_5;
    always @(posedge clk) begin
        was_valid <= rst ? 5'd0 : {was_valid[3:0], claim};
        was_1 <= {index, kind, sub, last};
        was_2 <= was_1;
        was_3 <= was_2;
        was_4 <= was_3;
        was_5 <= was_4;
    end

    // ---- the framer's place, in words
    wire [4:0] at = {1'b0, dut.at};
    wire       in_loss = dut.state == dut.LOSS;
    wire       in_context = dut.state == dut.CONTEXT;
    wire       in_run = in_loss || dut.state == dut.STEP_LO || dut.state == dut.STEP_HI || dut.state == dut.RECORD || in_context;
    wire       on_entry = in_run || dut.state == dut.CHECK || dut.state == dut.DECIDE || dut.state == dut.POP || dut.popping;
    wire [4:0] loss_word = at == 0 ? FIRST : at + 5'd8;
    wire [4:0] run_word = in_loss ? loss_word : dut.state == dut.STEP_LO ? STEP_LO : dut.state == dut.STEP_HI ? STEP_HI
                        : in_context ? CTX_0 + {1'b0, dut.word_sub} : RECORD;
    wire [4:0] place = dut.state == dut.GROUP ? (dut.at < 4 ? at + B : at)
                     : in_run && run_word != run_begin ? run_word : FREE;
    wire [4:0] seen = dut.next_valid ? want_next : want;  // once next_* has left
    wire [9:0] pending = {9'd0, dut.next_valid};
    wire       resumes = dut.resume == dut.START_CFG || dut.resume == dut.START_STATE || dut.resume == dut.RUN ||
                         dut.resume == dut.END_CNT || dut.resume == dut.END;
    wire       in_list = dut.state == dut.START_CFG || dut.state == dut.START_STATE || dut.state == dut.END_CNT;

    always @(*) if (started && !rst) begin
        order:     assert (!claim || fits_want);
        owned:     assert (!claim || owner);
        tlast:     assert (!claim || last == (want == G_DRY || (want == FREE && !plain && is_end)));
        maximum:   assert (count <= FRAME_RECORDS && (!claim || is_a || count < FRAME_RECORDS));
        taken:     assert (!(e_ready && e_valid) || (e_plain ? claim && plain : want == FREE && !claim));
        over:      assert (!(claim && ended));
        leaves:    assert (m_valid == was_valid[4] && (!m_valid || {m_index, m_kind, m_sub, m_last} == was_5));
        source:    assert (!m_valid || m_src == (m_index == FRAMER ? `NPS_SRC_FRAMER : m_index == FRAMER - 2'd1 ? `NPS_SRC_MARK :
                           m_index == 2'd1 ? `NPS_SRC_TOKEN : {4'd0, m_index}));

        // invariants
        states:    assert (dut.state != 0 && (dut.state & (dut.state - 1'b1)) == 0 && (resumes || dut.state == dut.IDLE)
                           && (TOKEN != 0 || !in_context));
        in_place:  assert (seen == place);
        coming:    assert (!dut.next_valid || (fits_want && owner && dut.next_last == (want == G_DRY || is_end) &&
                           dut.next_opens == is_a && !plain));
        books:     assert (!open || dut.begun || count + dut.room == FRAME_RECORDS);
        anew:   assert (!dut.begun || (open && count == 0 && dut.state == dut.CLOSE && !dut.next_valid));
        grouped:   assert (want == FREE || want > G_DRY || count == {5'd0, want});
        closes:    assert (dut.room != 0 || dut.close || !open);
        room:      assert (!dut.next_valid || dut.next_opens || dut.room != 0);
        run_fits:  assert (!in_run || {5'd0, left_of(run_word)} + pending <= dut.room);
        decides:   assert (dut.state != dut.DECIDE || (!dut.next_valid &&
                           dut.fits == ({5'd0, left_of(run_begin)} <= dut.room)));
        weighs:    assert (dut.state != dut.CHECK || dut.needs == left_of(run_begin));
        holds:     assert (!on_entry || (e_valid && !e_plain));
        flags:     assert (dut.u_close.full == (dut.room == 0) && dut.u_close.room_for_one == (dut.room == 1));
        reads:     assert (!dut.running || dut.state == dut.RUN);
        pops:      assert (!dut.popping || (dut.state == dut.SETTLE && !dut.next_valid));
        words:     assert ((!in_loss || (e_mark && dut.at <= 12 && (dut.at < 2 || dut.at > 4 || e_loss_step) &&
                           (dut.at < 5 || !e_index) && (dut.at < 11 || e_loss_cfg))) &&
                           (dut.state != dut.STEP_LO || e_step) && (dut.state != dut.STEP_HI || e_step) &&
                           (dut.state != dut.RECORD || e_record) &&
                           (!in_context || (context_ && dut.word_sub <= 3 && dut.word_last == 3)));
        says:      assert (!(in_loss && dut.burst_ready) || ({dut.burst_kind, dut.burst_sub} == code_of(loss_word) &&
                           dut.burst_ends == (next_of(loss_word) == behind_burst) &&
                           (dut.burst_ends || {1'b0, dut.burst_after} + 5'd8 == next_of(loss_word))));
        asks:      assert (!dut.armed || in_list || dut.state == dut.END);
        group_at:  assert (dut.state != dut.GROUP || (dut.at != 4 && dut.at <= 8));
        first_at:  assert (!(dut.running || dut.state == dut.CHECK || dut.state == dut.DECIDE) || dut.at == 0);
        streams:   assert (open || done || dut.state == dut.IDLE);
        ends:      assert (!ended || (!dut.next_valid && (dut.state == dut.END_TAKEN || dut.state == dut.IDLE)));
        ending:    assert (dut.state != dut.END_TAKEN || (dut.next_valid ? is_end : ended));
        last_one:  assert (!dut.next_valid || !is_end || dut.state == dut.END_TAKEN);
        idle:      assert (dut.state != dut.IDLE || !dut.next_valid);
        single:    assert (!(in_list || dut.state == dut.END) || !dut.next_valid || !dut.running);
    end

    // Calm: one start, a sink that always takes, no age, inputs that never change. Deep covers are cheap in it.
    reg [3:0]  clocks = 4'd0;
    reg [17:0] inputs_were;
    reg        calm = 1'b1;
    wire [17:0] now = {e_valid, flush, e_empty, entry_now};
    always @(posedge clk) begin
        if (clocks != 4'd15) clocks <= clocks + 4'd1;
        inputs_were <= now;
        calm <= calm && rst == (clocks == 0) && restart == (clocks == 2) && (clocks == 0 || now == inputs_were) && go && !late &&
                !sealing && step_pending && out_empty;
    end
    always @(posedge clk) if (started && calm) begin
        full:      cover (claim && is_a && count == FRAME_RECORDS);
        burst:     cover (claim && want == RECORD && e_loss_step && e_loss_cfg && e_step);
        finished:  cover (done && ended);
    end
    generate if (TOKEN != 0) begin : gen_context
        always @(posedge clk) if (started && calm) begin
            tokint: cover (claim && want == CTX_3 && e_loss_step && e_step);
            early:  cover (claim && is_a && count == FRAME_RECORDS - 2 && context_);
        end
    end endgenerate
endmodule

`default_nettype wire
