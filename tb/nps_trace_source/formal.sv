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
    wire steps = step_told && !tells && !frees && dut.steps_put != dut.steps_take && !dut.steps_pop;

    wire contexts = context_told && !tells && !frees && !steps && dut.gen_context.u_context.puts != dut.gen_context.u_context.takes
        && !dut.context_pop;

    nps_trace_source #(.HAS_LAYERS(0), .CONTEXT(CONTEXT), .FIFO_DEPTH(FIFO_DEPTH)) dut (
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

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    // ---- how many records were offered, kept, lost and told
    wire        tokint = ev_valid && ev_kind == `NPS_K_TOKINT;
    wire [3:0]  size = {2'd0, ev_step, ev_valid} + (tokint ? 4'd4 : 4'd0);
    wire        offer = ev_valid || ev_step;
    wire        lose = offer && !accept;
    reg  [31:0] offered = 32'd0, kept = 32'd0, counted = 32'd0;
    reg  [1:0]  telling = 2'd0;  // the LOSS word is on its way
    always @(posedge clk) begin
        if (rst) begin
            offered <= 32'd0;
            kept    <= 32'd0;
            counted <= 32'd0;
            telling <= 2'd0;
            told    <= 1'b0;
        end else begin
            if (offer) offered <= offered + {28'd0, size};
            if (accept) kept <= kept + {28'd0, size};
            telling <= {telling[0], tells};
            if (telling[1]) counted <= counted + word;
            told <= tells || (told && dut.busy && !dut.frees);
        end
    end
    always @(*) assume (offered < 32'hFFFFFFF0);  // below saturation

    wire [31:0] in_lag = dut.is_drop ? {30'd0, dut.is_step, dut.is_record} + (dut.is_tokint ? 32'd4 : 32'd0) : 32'd0;
    wire [31:0] in_shadow = dut.busy && !told ? dut.loss_count : telling[0] ? dut.loss_told : 32'd0;
    wire [31:0] in_word = telling[1] ? word : 32'd0;  // read
    wire [31:0] lost = offered - kept;
    wire [34:0] all_lost = {3'd0, counted} + {3'd0, in_word} + {3'd0, in_shadow} + {3'd0, dut.u_loss.sum} + {3'd0, in_lag};

    // ---- what the open account and the shadow must say, kept without pipeline
    reg        open = 1'b0, whole, cfg, step;
    reg [31:0] mask;
    reg [65:0] first, last;
    reg        shot = 1'b0, shot_cfg, shot_step;  // the shadow, or about to be
    reg [31:0] shot_mask;
    reg [65:0] shot_first, shot_last;
    wire       moves = dut.mark || dut.drain;
    wire       is_bp = ev_valid && ev_kind == `NPS_K_BP;
    wire       is_lapse = ev_valid && ev_kind == `NPS_K_STATE && ev_sub == `NPS_STATE_UNKNOWN;
    wire       is_whole = ev_step || (ev_valid && !is_bp && !is_lapse);
    wire [31:0] hit = is_bp ? 32'd1 << ev_payload[4:0] : is_lapse ? ev_payload : 32'd0;
    always @(posedge clk) begin
        if (rst) begin
            open <= 1'b0;
            shot <= 1'b0;
        end else begin
            if (lose) begin
                open  <= 1'b1;
                whole <= (open && whole) || is_whole;
                cfg   <= (open && cfg) || (ev_valid && ev_kind == `NPS_K_CFG);
                step  <= (open && step) || ev_step;
                mask  <= (open ? mask : 32'd0) | hit;
                if (!open) first <= {ev_tq, ev_ts};
                last <= {ev_tq, ev_ts};
            end
            if (moves) begin
                open       <= 1'b0;
                shot_mask  <= whole ? 32'd0 : mask;
                shot_cfg   <= cfg;
                shot_step  <= step;
                shot_first <= first;
                shot_last  <= last;
            end
            shot <= moves || (shot && !dut.frees);
        end
    end

    reg open_before = 1'b0;
    always @(posedge clk) open_before <= open && !rst;

    // the drop registers with the drop that is one clock behind
    wire        now_whole = dut.u_loss.whole || (dut.is_drop && (dut.is_step || dut.is_cfg || dut.is_other));
    wire        now_cfg = dut.u_loss.cfg || (dut.is_drop && dut.is_cfg);
    wire        now_step = dut.u_loss.step || (dut.is_drop && dut.is_step);
    wire [31:0] now_mask = dut.u_loss.mask | (dut.is_drop ? dut.u_loss.hit : 32'd0);
    wire [65:0] now_first = dut.is_drop && !dut.u_loss.open ? {dut.tq, dut.ts} : {dut.u_loss.from_tq, dut.u_loss.from_ts};
    wire [65:0] now_last = dut.is_drop ? {dut.tq, dut.ts} : {dut.u_loss.to_tq, dut.u_loss.to_ts};

    wire calm = !dut.is_move;  // the shadow is one clock behind the decision
    always @(*) if (started) begin
        conserved: assert ({3'd0, offered} == {3'd0, kept} + all_lost && !dut.u_loss.full);
        dropped:   assert ({3'd0, lost} == all_lost);
        single:    assert (!(dut.is_move && dut.busy));
        account:   assert (!(shot && calm) || (dut.busy && dut.loss_layers == shot_mask && loss_cfg == shot_cfg &&
                           loss_step == shot_step && {dut.first_tq, dut.first_ts} == shot_first &&
                           {dut.last_tq, dut.last_ts} == shot_last));
        quiet:     assert (!(dut.idle && !dut.is_drop && !dut.is_move && !dut.busy && dut.u_loss.open) || dut.dropping);
        held:      assert (shot == (dut.busy || dut.is_move));
        opened:    assert (open == dut.dropping && dut.u_loss.open == open_before);
        cleared:   assert (dut.u_loss.open || (dut.u_loss.sum == 0 && dut.u_loss.mask == 0 &&
                           !dut.u_loss.whole && !dut.u_loss.cfg && !dut.u_loss.step));
        telling_is: assert ((!told || dut.busy) && (!telling[0] || (told && dut.selected && dut.loads && dut.from == 2)) &&
                           dut.loads == telling[0]);
        lagging:   assert (!dut.is_drop || open);
        registers: assert (!open || {now_whole, now_cfg, now_step, now_mask, now_first, now_last} ==
                           {whole, cfg, step, mask, first, last});
        moving:    assert (!dut.is_move || (!open && !dut.is_drop && dut.u_loss.open &&
                           (dut.u_loss.whole ? 32'd0 : dut.u_loss.mask) == shot_mask && dut.u_loss.cfg == shot_cfg &&
                           dut.u_loss.step == shot_step && {dut.u_loss.from_tq, dut.u_loss.from_ts} == shot_first &&
                           {dut.u_loss.to_tq, dut.u_loss.to_ts} == shot_last));
    end

    always @(posedge clk) if (started) begin
        overflow:  cover (counted == 3 && lost == counted && dut.level == 0 && idle);
        again:     cover (dut.busy && dut.u_loss.open && lost > 4);
        refused:   cover (dut.drop && ev_step && dut.level < FIFO_DEPTH);
        whole_ctx: cover (counted == 6 && lost == counted && idle);
    end
endmodule

`default_nettype wire
