// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_trace_source: loss conservation. Events and queue readers are free; the LOSS burst of an account may
// come at any time once the shadow holds it, which includes every time the framer chooses.
`default_nettype none
`include "nps_trace.vh"

module formal_source #(
    parameter integer FIFO_DEPTH = 4,
    parameter integer CONTEXT = 4          // CTX words of a TOKINT
) (
    input wire        clk,
    input wire        rst,
    input wire        ev_valid,
    input wire [3:0]  ev_kind,
    input wire [3:0]  ev_sub,
    input wire [1:0]  ev_tq,
    input wire [63:0] ev_ts,
    input wire [31:0] ev_payload,
    input wire        ev_step,
    input wire [63:0] ev_step_ns,
    input wire        any_take,
    input wire        drained_ready,
    input wire        tell,          // LOSS FIRST now, if an account waits
    input wire        let_go,        // end of its burst
    input wire        step_told,     // STEP_HI of an entry
    input wire        context_told,  // the last CTX of an entry
    input wire [127:0] ev_context
);
    wire         accept, q_mark, drained, loss_cfg, loss_step, idle, step_pending;
    wire [139:0] q_entry;
    wire [31:0]  word;
    wire [63:0]  word_ts;
    wire [1:0]   word_tq;

    reg  told = 1'b0;  // the account in the shadow has been told
    wire tells = tell && dut.busy && !told;
    wire frees = let_go && dut.busy && told && !dut.frees;
    wire steps = step_told && !tells && !frees && (dut.steps_held != 0 || dut.steps_pushed) && !dut.steps_pop;

    wire contexts = context_told && !tells && !frees && !steps && dut.gen_context.u_context.held != 0
        && !dut.context_pop;

    nps_trace_source #(.HAS_LAYERS(1), .CONTEXT(CONTEXT), .FIFO_DEPTH(FIFO_DEPTH)) dut (
        .clk(clk), .rst(rst), .restart(1'b0), .limits(32'd0), .stale(32'd0), .cfg_words(1'b0), .ev_context(ev_context),
        .ev_valid(ev_valid), .ev_kind(ev_kind), .ev_sub(ev_sub), .ev_tq(ev_tq), .ev_ts(ev_ts), .ev_payload(ev_payload),
        .ev_bp_samples(32'd0), .ev_step(ev_step), .ev_step_ns(ev_step_ns),
        .accept(accept), .q_mark(q_mark), .q_entry(q_entry), .q_take(any_take && dut.level != 0),
        .drained(drained), .drained_ready(drained_ready), .loss_cfg(loss_cfg), .loss_step(loss_step),
        .op_select(tells || frees || steps || contexts), .op_entry(steps || contexts), .op_burst(tells || frees), .op_free(frees),
        .op_kind(tells ? `NPS_K_LOSS : contexts ? `NPS_K_CTX : `NPS_K_CLK),
        .op_sub(tells ? `NPS_LOSS_FIRST : contexts ? 4'd3 : `NPS_CLK_STEP_HI),
        .op_payload(32'd0), .op_bp_samples(32'd0), .final_counts(1'b0),
        .word(word), .word_ts(word_ts), .word_tq(word_tq), .idle(idle), .step_pending(step_pending)
    );

    reg [2:0] settled = 3'd0;
    always @(posedge clk) settled <= !settled[2] ? settled + 3'd1 : rst ? 3'd1 : settled;  // a reset lasts 4 clocks
    always @(*) if (!settled[2]) assume (rst);
    wire started = settled[2];

    // ---- how many records were offered, kept, lost and told
    wire        tokint = ev_valid && ev_kind == `NPS_K_TOKINT;
    wire [3:0]  size = {2'd0, ev_step, ev_valid} + (tokint ? 4'd4 : 4'd0);
    wire        offer = ev_valid || ev_step;
    wire        lose = offer && !accept;
    reg  [31:0] offered = 32'd0, kept = 32'd0, counted = 32'd0;
    reg  [2:0]  telling = 3'd0;  // the LOSS word is on its way
    always @(posedge clk) begin
        if (rst) begin
            offered <= 32'd0;
            kept    <= 32'd0;
            counted <= 32'd0;
            telling <= 3'd0;
            told    <= 1'b0;
        end else begin
            if (offer) offered <= offered + {28'd0, size};
            if (accept) kept <= kept + {28'd0, size};
            telling <= {telling[1:0], tells};
            if (telling[2]) counted <= counted + word;
            told <= tells || (told && dut.busy && !dut.frees);
        end
    end
    always @(*) assume (offered < 32'hFFFFFFF0);  // below saturation

    wire [31:0] in_lag = dut.is_drop ? {30'd0, dut.is_step, dut.is_record} + (dut.is_tokint ? 32'd4 : 32'd0) : 32'd0;
    // in the shadow until it is read, in the clock behind the op
    wire [31:0] in_shadow = (dut.busy && !told) || telling[0] ? dut.loss_count : 32'd0;
    wire [31:0] in_word = telling[1] ? dut.account_told : telling[2] ? word : 32'd0;
    wire [31:0] lost = offered - kept;
    wire [34:0] all_lost = {3'd0, counted} + {3'd0, in_word} + {3'd0, in_shadow} + {3'd0, dut.u_loss.sum} + {3'd0, in_lag};

    // ---- what the open account and the shadow must say, kept without pipeline
    reg        open = 1'b0, whole, cfg, step;
    reg [31:0] mask;
    reg [65:0] first, last;
    reg        shot = 1'b0, shot_cfg, shot_step;  // the shadow, or about to be
    reg [65:0] shot_first, shot_last;
    wire       moves = dut.mark || dut.drain;
    wire       is_bp = ev_valid && ev_kind == `NPS_K_BP;
    wire       is_lapse = ev_valid && ev_kind == `NPS_K_STATE && ev_sub == `NPS_STATE_UNKNOWN;
    wire       is_whole = ev_step || (ev_valid && !is_bp && !is_lapse);
    wire [31:0] hit = is_bp ? 32'd1 << ev_payload[4:0] : is_lapse ? ev_payload : 32'd0;
    always @(posedge clk) begin
        if (rst) begin
            {open, whole, cfg, step, mask} <= 36'd0;
            shot <= 1'b0;
        end else begin
            if (lose) begin
                open  <= 1'b1;
                whole <= whole || is_whole;
                cfg   <= cfg || (ev_valid && ev_kind == `NPS_K_CFG);
                step  <= step || ev_step;
                mask  <= mask | hit;
                if (!open) first <= {ev_tq, ev_ts};
                last <= {ev_tq, ev_ts};
            end
            if (moves) begin
                {open, whole, cfg, step, mask} <= 36'd0;
                shot_cfg   <= cfg;
                shot_step  <= step;
                shot_first <= first;
                shot_last  <= last;
            end
            shot <= moves || (shot && !dut.frees);
        end
    end

    // ---- the same of layers, as late as the source knows them
    reg         lose1 = 1'b0, lose2 = 1'b0, lose3 = 1'b0, moves1 = 1'b0, moves2 = 1'b0, moves3 = 1'b0;
    reg         whole1 = 1'b0, whole2 = 1'b0, whole3 = 1'b0, is_whole1, is_whole2, is_whole3, shot_some = 1'b0;
    reg  [31:0] mask1, mask2, mask3, hit1, hit2, hit3, shot_mask;
    always @(posedge clk) begin
        {lose3, lose2, lose1} <= rst ? 3'd0 : {lose2, lose1, lose};
        {moves3, moves2, moves1} <= rst ? 3'd0 : {moves2, moves1, moves};
        {whole3, whole2, whole1} <= rst ? 3'd0 : {whole2, whole1, whole};
        {is_whole3, is_whole2, is_whole1} <= {is_whole2, is_whole1, is_whole};
        {mask3, mask2, mask1} <= rst ? 96'd0 : {mask2, mask1, mask};
        {hit3, hit2, hit1} <= {hit2, hit1, hit};
        if (moves3) shot_mask <= whole3 ? 32'd0 : mask3;
        shot_some <= !rst && (moves3 || shot_some);
    end

    reg open_before = 1'b0, rst1, rst2, rst3;
    always @(posedge clk) begin
        open_before <= open && !rst;
        {rst3, rst2, rst1} <= {rst2, rst1, rst};
    end

    // the drop registers with the drop that is one clock behind
    wire        now_whole = dut.u_loss.whole || (dut.is_drop && dut.is_whole);
    wire        now_cfg = dut.u_loss.cfg || (dut.is_drop && dut.is_cfg);
    wire        now_step = dut.u_loss.step || (dut.is_drop && dut.is_step);

    wire calm = !dut.is_move;  // the shadow is one clock behind the decision
    always @(*) if (started && !rst && !rst1) begin  // the drop registers are cleared one clock after rst
        conserved: assert ({3'd0, offered} == {3'd0, kept} + all_lost && !dut.u_loss.full);
        dropped:   assert ({3'd0, lost} == all_lost);
        single:    assert (!(dut.is_move && dut.busy));
        account:   assert (!(shot && calm) || (dut.busy && loss_cfg == shot_cfg && loss_step == shot_step));
        layers:    assert (!shot_some || dut.loss_layers == shot_mask);
        quiet:     assert (!(dut.idle && !dut.is_drop && !dut.is_move && !dut.busy && dut.u_loss.open) || dut.dropping);
        held:      assert (shot == (dut.busy || dut.is_move));
        opened:    assert (open == dut.dropping && dut.u_loss.open == open_before);
        cleared:   assert (dut.u_loss.open || (dut.u_loss.sum == 0 &&
                           !dut.u_loss.whole && !dut.u_loss.cfg && !dut.u_loss.step));
        closing:   assert (dut.is_closed == (dut.is_move || rst1));
        telling_is: assert ((!told || dut.busy) && dut.loads == telling[0] && (!telling[0] || (told && !dut.no_account &&
                           dut.account_word == dut.COUNT && dut.no_clock && dut.no_context)) &&
                           (!telling[1] || (dut.clock_told == 0 && dut.context_silent)));
        silent:    assert (dut.shot_word == 0 && dut.out_word == 0 && dut.gen_mirrors.u_mirrors.shot_tells == 0 &&
                           dut.gen_mirrors.u_mirrors.out_tells == 0 && !dut.gen_mirrors.u_mirrors.tells_layers &&
                           !dut.gen_mirrors.u_mirrors.tells_dry_mask && dut.gen_mirrors.u_mirrors.starts == 0 &&
                           dut.gen_mirrors.u_mirrors.start_word == 0 && dut.gen_mirrors.u_mirrors.start_late == 0);
        fresh:     assert (open || {whole, cfg, step, mask} == 0);
        lagging:   assert (!dut.is_drop || open);
        registers: assert (!open || {now_whole, now_cfg, now_step} == {whole, cfg, step});
        moving:    assert (!dut.is_move || (!open && !dut.is_drop && dut.u_loss.open && dut.u_loss.cfg == shot_cfg &&
                           dut.u_loss.step == shot_step));
        late:      assert (dut.u_loss.gen_layers.drop_late == lose3 && dut.u_loss.gen_layers.move_late == moves3 &&
                           dut.u_loss.gen_layers.clear_late == (moves3 || rst3) && (!moves3 || dut.u_loss.shadow_whole == whole3));
        touching:  assert (!lose3 || is_whole3 || dut.touched == hit3);
        masked:    assert (whole3 || dut.u_loss.gen_layers.mask == mask3);
    end

    always @(posedge clk) if (started) begin
        overflow:  cover (counted == 3 && lost == counted && dut.level == 0 && idle);
        again:     cover (dut.busy && dut.u_loss.open && lost > 4);
        refused:   cover (dut.drop && ev_step && dut.level < FIFO_DEPTH);
        whole_ctx: cover (counted == 6 && lost == counted && idle);
    end
endmodule

`default_nettype wire
