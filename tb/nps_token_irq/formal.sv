// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_token_irq: a reference written from the rules of rtl/token/README.md (each of its registers is the
// state in which a clock begins), and what the ports must show. The invariants say which registers of the module hold
// that state; they make the proof hold for any number of clocks.
`default_nettype none
`include "nps_token.vh"
`include "nps_trace.vh"

module formal_token_irq (
    input wire        clk,
    input wire        rst,
    input wire        ins_valid,
    input wire        ins_ready,
    input wire [31:0] ins_word,
    input wire [31:0] ins_rs1,
    input wire        arm,
    input wire [31:0] arm_ptr,
    input wire [ 3:0] arm_mask,
    input wire        tok_valid,
    input wire [31:0] tok_ptr,
    input wire [31:0] tok_id,
    input wire [ 7:0] tok_layer,
    input wire [15:0] tok_slot,
    input wire        tok_first,
    input wire        tok_eos,
    input wire        tok_eosp,
    input wire        tok_boundary,
    input wire [31:0] tok_ctx,
    input wire [15:0] mem_free,
    input wire [ 3:0] inj_cause,
    input wire        pipe_ready,
    input wire        resume,
    input wire        trim,
    input wire        cfg_apply,
    input wire [15:0] cfg_mem_low_on,
    input wire [15:0] cfg_mem_low_off
);
    wire tok_ready, pipe_valid, pipe_freeze, armed, trimming, ins_error, cfg_error, ev_valid, ev_step;
    wire [3:0] held, snap_cause, ev_kind, ev_sub;
    wire [7:0] nested;
    wire [31:0] snap_token, ev_payload, ev_tokens;
    wire [127:0] snap_ctx;
    wire [1:0] ev_tq;
    wire [63:0] ev_ts, ev_step_ns;

    nps_token_irq dut (
        .clk(clk), .rst(rst), .restart(1'b0),
        .ts_ns(64'd0), .tq(2'd0), .ts_step(1'b0), .rel_step(1'b0), .step_ns(64'd0),
        .ins_valid(ins_valid), .ins_ready(ins_ready), .ins_word(ins_word), .ins_rs1(ins_rs1), .ins_error(ins_error),
        .arm(arm), .arm_ptr(arm_ptr), .arm_mask(arm_mask),
        .tok_valid(tok_valid), .tok_ready(tok_ready), .tok_ptr(tok_ptr), .tok_id(tok_id), .tok_layer(tok_layer),
        .tok_slot(tok_slot), .tok_first(tok_first), .tok_eos(tok_eos), .tok_eosp(tok_eosp),
        .tok_boundary(tok_boundary), .tok_ctx(tok_ctx), .mem_free(mem_free), .inj_cause(inj_cause),
        .pipe_valid(pipe_valid), .pipe_ready(pipe_ready), .pipe_freeze(pipe_freeze), .resume(resume), .trim(trim),
        .cfg_apply(cfg_apply), .cfg_mem_low_on(cfg_mem_low_on), .cfg_mem_low_off(cfg_mem_low_off),
        .cfg_error(cfg_error), .armed(armed), .trimming(trimming), .held(held), .nested(nested),
        .snap_cause(snap_cause), .snap_token(snap_token), .snap_ctx(snap_ctx),
        .ev_valid(ev_valid), .ev_kind(ev_kind), .ev_sub(ev_sub), .ev_tq(ev_tq), .ev_ts(ev_ts), .ev_payload(ev_payload),
        .ev_tokens(ev_tokens), .ev_step(ev_step), .ev_step_ns(ev_step_ns)
    );

    // two clocks of reset: what the memory of the clock before is compared with is set by the first
    reg [1:0] age = 2'd0;
    wire started = age == 2'd2;
    always @(posedge clk) if (!started) age <= age + 2'd1;
    always @(*) if (!started) assume (rst);

    // ---------------------------------------------------------------- T1, T2, T6: orders and limits, two clocks later
    wire        ours = ins_valid && ins_ready && (ins_word & `NPS_TOKEN_OPCODE_BITS) == `NPS_TOKEN_OPCODE;
    wire        legal = ins_word[31:24] == 0;
    reg         soon, soon_limits, wrong_ins, wrong_limits, wrong_limits2;
    reg  [ 3:0] soon_mask, mask;
    reg  [31:0] soon_since, since;
    reg  [15:0] soon_on, soon_off, on, off;
    always @(posedge clk) begin
        soon <= !rst && ((ours && legal) || arm);
        soon_mask <= ours && legal ? ins_word[23:20] : arm_mask;
        soon_since <= ours && legal ? ins_rs1 : arm_ptr;
        wrong_ins <= !rst && ours && !legal;
        soon_limits <= !rst && cfg_apply && cfg_mem_low_on < cfg_mem_low_off;
        soon_on <= cfg_mem_low_on;
        soon_off <= cfg_mem_low_off;
        wrong_limits <= !rst && cfg_apply && cfg_mem_low_on >= cfg_mem_low_off;
        wrong_limits2 <= !rst && wrong_limits;
        if (soon) {mask, since} <= {soon_mask, soon_since};
        if (soon_limits) {on, off} <= {soon_on, soon_off};
        if (rst) {mask, on, off} <= {4'd0, 16'd64, 16'd96};
    end

    // ---------------------------------------------------------------- T3 to T5, T16: what the token shown meets
    reg  [15:0] free, free_on, free_off;   // the memory of the clock before and what judges it
    always @(posedge clk) {free, free_on, free_off} <= {mem_free, on, off};
    wire [31:0] distance = tok_ptr - since;
    wire        ahead = distance < 32'h80000000;
    reg         is_armed, told;
    wire [ 3:0] found = {tok_boundary, free <= free_on && !told, tok_eosp, tok_eos};
    wire [ 3:0] met = ahead ? (found | inj_cause) & mask : 4'd0;

    // ---------------------------------------------------------------- T7 to T12
    reg  [ 1:0] frozen;                    // 0 no, 1 first frozen clock, 2 later
    reg  [ 3:0] keep;                      // held
    reg  [ 7:0] count, count_then;
    reg         early, trims;              // resume came in the first frozen clock; a slot is trimmed
    reg  [15:0] trim_slot;
    wire        drops = trims && tok_slot == trim_slot && !tok_first;
    wire        enters = tok_valid && frozen == 0 && !drops && pipe_ready;
    wire        taken = tok_valid && frozen == 0 && (drops || pipe_ready);
    wire [ 3:0] cause = (is_armed ? met : 4'd0) | keep;
    wire        hit = enters && cause != 0;
    wire        let_go = frozen == 2 && (resume || early);
    wire [ 3:0] keeps = soon || taken ? 4'd0 : keep | (frozen != 0 && tok_valid ? met : 4'd0);
    reg  [ 3:0] s_cause;                   // the snapshot
    reg         s_any, s_any_then;
    reg  [31:0] s_id, s_head;
    reg  [127:0] s_ctx, s_ctx_then;
    reg  [ 3:0] s_cause_then;
    reg  [31:0] s_id_then;
    wire [31:0] head = {keep != 0, tok_first, (inj_cause & cause) != 0, tok_slot, tok_layer, 5'd4};
    always @(posedge clk) begin
        frozen <= hit ? 2'd1 : let_go ? 2'd0 : frozen == 1 ? 2'd2 : frozen;
        early <= frozen == 1 && resume;
        is_armed <= soon ? soon_mask != 0 : is_armed && !hit;
        keep <= keeps;
        count_then <= count;
        if (keeps != 0 && keep == 0 && count != 8'hFF) count <= count + 8'd1;
        told <= !(enters && free >= free_off) && (told || (hit && cause[2] && !inj_cause[2]));
        if (let_go) {trims, trim_slot} <= {trim, s_ctx[28:13]};
        else trims <= trims && trim && !(enters && tok_slot == trim_slot);
        {s_any_then, s_cause_then, s_id_then, s_ctx_then} <= {s_any, s_cause, s_id, s_ctx};
        if (hit && !rst) {s_any, s_cause, s_id, s_ctx} <= {1'b1, cause, tok_id, tok_ctx, free_on, free, tok_ptr, head};
        if (rst) {frozen, early, is_armed, keep, count, count_then, told, trims} <= 0;
    end
    initial {s_any, s_any_then} = 2'd0;

    // ---------------------------------------------------------------- T13: the record of a clock, told two clocks later
    reg         a_valid, b_valid;
    reg  [ 3:0] a_kind, a_sub, b_kind, b_sub;
    reg  [31:0] a_id, b_id;
    always @(posedge clk) begin
        a_valid <= !rst && (taken || frozen == 1 || let_go);
        a_kind <= hit ? `NPS_K_TOKINT : `NPS_K_TOKEN;
        a_sub <= hit ? cause : frozen == 1 ? `NPS_TOKEN_FROZEN : let_go ? `NPS_TOKEN_RESUMED
            : drops ? `NPS_TOKEN_TRIMMED : tok_first ? `NPS_TOKEN_FIRST : `NPS_TOKEN_NEXT;
        a_id <= taken ? tok_id : s_id;
        b_valid <= !rst && a_valid;
        {b_kind, b_sub, b_id} <= {a_kind, a_sub, a_id};
    end

    reg was_rst = 1'b1;
    reg [3:0] was_mask, was_keep;
    reg was_entering;                      // a token entered in the clock before
    always @(posedge clk) {was_rst, was_mask, was_keep, was_entering} <= {rst, mask, keep, enters && !rst};

    wire live = started && !was_rst;
    always @(*) if (live) begin
        one_clock: assert (pipe_freeze == (frozen != 0));
        closed:    assert (!pipe_freeze || (!tok_ready && !pipe_valid));
        open:      assert (pipe_freeze || !tok_valid || (pipe_valid == !drops && tok_ready == (drops || pipe_ready)));
        keeps_it:  assert (held == keep);
        counts_it: assert (nested == count_then);
        disarmed:  assert (armed == is_armed && (mask != 0 || (!is_armed && keep == 0)));
        quiet:     assert (!(frozen == 1) || was_mask != 0);
        one_hit:   assert (!(frozen == 1) || was_entering);
        slot:      assert (trimming == trims);
        record:    assert (ev_valid == b_valid
                           && (!b_valid || (ev_kind == b_kind && ev_sub == b_sub && ev_payload == b_id)));
        refused:   assert (ins_error == wrong_ins && cfg_error == wrong_limits2);
    end

    // ---------------------------------------------------------------- invariants
    reg shown_hit;                         // in the clock before
    always @(posedge clk) shown_hit <= hit && !rst;
    always @(*) begun: assert (age != 3 && (started || (!s_any && !s_any_then)));
    always @(*) if (started) begin
        exact:   assert (!s_any_then || (snap_cause == s_cause_then && snap_token == s_id_then && snap_ctx == s_ctx_then));
        stays:   assert (shown_hit || (s_any_then == s_any && s_cause_then == s_cause && s_id_then == s_id
                         && s_ctx_then == s_ctx));
        orders:  assert (dut.order == soon && (!soon || (dut.order_mask == soon_mask && dut.order_since == soon_since))
                         && dut.mask == mask && (mask == 0 || dut.since == since));
        limits:  assert ((dut.c1_apply && dut.c1_legal) == soon_limits && (dut.c1_apply && !dut.c1_legal) == wrong_limits
                         && dut.mem_low_on == on && dut.mem_low_off == off
                         && (!soon_limits || (dut.c1_on == soon_on && dut.c1_off == soon_off)));
        ordered: assert (on < off && free_on < free_off && (!soon_limits || soon_on < soon_off));
        memory:  assert (dut.free == free && dut.limit == free_on && dut.is_low == (free <= free_on)
                         && dut.is_ample == (free >= free_off));
        phase:   assert (frozen != 3 && dut.s1_hit == (frozen == 1) && shown_hit == (frozen == 1)
                         && (frozen != 2 || dut.resumed == early || resume) && (frozen == 2 || !early));
        asked:   assert (dut.watching == (is_armed || (frozen == 1 && dut.watching && !dut.s1_order)));
        memo:    assert (dut.mem_told == told);
        trimmed: assert (!trims || dut.trim_slot == trim_slot);
        last:    assert (frozen == 0 || (dut.last_id == s_id && {dut.last_slot, dut.last_layer} == s_ctx[28:5]
                         && dut.last_ptr == s_ctx[63:32] && dut.last_free == s_ctx[79:64]
                         && dut.last_limit == s_ctx[95:80] && dut.last_ctx == s_ctx[127:96]
                         && dut.last_first == s_ctx[30] && s_ctx[4:0] == 4 && s_any));
        judged:  assert (frozen != 1 || (dut.s1_cause == s_cause && (dut.s1_held != 0) == s_ctx[31]
                         && ((dut.s1_forced & dut.s1_cause) != 0) == s_ctx[29]));
        first:   assert (!a_valid || (dut.last_id == a_id && (a_sub[3:1] != 0 || a_kind == `NPS_K_TOKINT
                         || dut.last_first == (a_sub == `NPS_TOKEN_FIRST))));
        kinds:   assert (!a_valid || (dut.s1_hit == (a_kind == `NPS_K_TOKINT)
                         && (a_kind != `NPS_K_TOKINT || a_sub == dut.s1_cause)));
        subs:    assert (dut.s1_live == !was_rst && (was_rst || (a_valid == (dut.s1_enters || dut.s1_drops || dut.s1_frozen
                         || dut.s1_resumes) && (!a_valid || a_kind == `NPS_K_TOKINT
                         || a_sub == (dut.s1_frozen ? `NPS_TOKEN_FROZEN : dut.s1_resumes ? `NPS_TOKEN_RESUMED
                         : dut.s1_drops ? `NPS_TOKEN_TRIMMED : dut.last_first ? `NPS_TOKEN_FIRST : `NPS_TOKEN_NEXT)))));
    end

    // ---------------------------------------------------------------- covers
    always @(posedge clk) if (live && !rst) begin
        all_four: cover (frozen == 1 && s_cause == 4'hF && inj_cause == 0 && dut.s1_forced == 0);
        wrapped:  cover (hit && tok_ptr < since && dut.s1_forced == 0 && inj_cause == 0);
        chained:  cover (frozen == 1 && s_ctx[31] && count == 2);
        dipped:   cover (hit && keep == 4'b0100 && free > free_on && inj_cause == 0);
        cut:      cover (b_valid && b_sub == `NPS_TOKEN_TRIMMED && b_kind == `NPS_K_TOKEN && a_valid
                         && a_sub == `NPS_TOKEN_FIRST && a_kind == `NPS_K_TOKEN);
        off_now:  cover (frozen == 0 && mask == 0 && was_mask != 0 && tok_eos && enters);
        again:    cover (hit && told && !cause[2] && free <= free_on && mask[2]);
        refuses:  cover (ins_error && cfg_error);
        shortest: cover (let_go && early);
    end
endmodule

`default_nettype wire
