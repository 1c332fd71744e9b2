// SPDX-License-Identifier: Apache-2.0
// nps_csr with the blocks it is for, as nps_top joins them, on a plain time bus of 4 ns a clock. For the bench only.
`default_nettype none

module csr_blocks (
    input wire clk,
    input wire rst,

    input  wire [11:0] s_axil_awaddr,
    input  wire        s_axil_awvalid,
    output wire        s_axil_awready,
    input  wire [31:0] s_axil_wdata,
    input  wire [ 3:0] s_axil_wstrb,
    input  wire        s_axil_wvalid,
    output wire        s_axil_wready,
    output wire [ 1:0] s_axil_bresp,
    output wire        s_axil_bvalid,
    input  wire        s_axil_bready,
    input  wire [11:0] s_axil_araddr,
    input  wire        s_axil_arvalid,
    output wire        s_axil_arready,
    output wire [31:0] s_axil_rdata,
    output wire [ 1:0] s_axil_rresp,
    output wire        s_axil_rvalid,
    input  wire        s_axil_rready,
    output wire        irq,

    input  wire        sync_valid,
    input  wire        crc_reneg_ack,
    input  wire        phy_switch_ack,
    output wire        crc_reneg_req,
    output wire        phy_switch_req,

    input  wire        tok_valid,
    input  wire [31:0] tok_id,
    input  wire        tok_eos,
    input  wire [15:0] mem_free,
    output wire        tok_ready,
    output wire        pipe_valid,
    output wire        pipe_freeze,

    // in force
    output wire [ 63:0] limits,
    output wire [ 63:0] stale,
    output wire [ 47:0] t_nominal,
    output wire [ 15:0] options,
    output wire [191:0] ras_words
);
    localparam integer WORDS = 4;

    reg [47:0] rel_ns;
    always @(posedge clk) rel_ns <= rst ? 48'd0 : rel_ns + 48'd4;
    wire [63:0] ts_ns = {16'd0, rel_ns};

    wire enable, jitter_enable, ras_enable;
    wire [1:0] bp_apply, bp_error;
    wire [5:0] th_on, th_off, th_wet, level_step;
    wire [4:0] k;
    wire raw;
    wire [31:0] stale_ns;

    wire jitter_apply, jitter_error, sync_lost, stat_snap;
    wire [47:0] to_t_nominal;
    wire [ 3:0] to_options;
    wire [31:0] to_watchdog;
    wire [ 3:0] stat_index;
    wire [31:0] stat_word;
    wire js_valid, js_ok, js_saturated, js_sync_lost, js_phy_changed, js_ts_step, js_rel_step;
    wire [31:0] js_jitter;
    wire [47:0] js_rel_ns;
    wire [63:0] js_ts_ns, js_step_ns;
    wire [1:0] js_tq;

    wire ras_apply, ras_error, ras_snap;
    wire [29:0] r_limit, a_limit, s_limit;
    wire [7:0] r_run, r_rearm, a_budget;
    wire [30:0] s_window;
    wire [17:0] a_holdoff;
    wire [4:0] pending, overflow, clear, inject;
    wire [1:0] req_timeout;
    wire [2:0] snap_class, word_index;
    wire [31:0] ras_word;

    wire arm, resume, trim, token_apply, token_error, armed, trimming, inject_enable;
    wire [31:0] arm_ptr, snap_token;
    wire [3:0] arm_mask, held, snap_cause, inject_cause, inj_cause;
    wire [15:0] mem_low_on, mem_low_off, first, every;
    wire [7:0] nested, layer;
    wire [32*WORDS-1:0] snap_ctx;

    nps_csr #(
        .NUM_BP(2),
        .WORDS(WORDS),
        .SOURCES(6)
    ) u_csr (
        .clk(clk),
        .rst(rst),
        .s_axil_awaddr(s_axil_awaddr),
        .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata),
        .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid),
        .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid),
        .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr),
        .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata),
        .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready),
        .irq(irq),
        .enable(enable),
        .sampling(enable),
        .active(enable),
        .drop(6'd0),
        .ts_ns(ts_ns),
        .locked(1'b1),
        .holdover(1'b0),
        .mark_in_valid(1'b0),
        .mark_in_sub(2'd0),
        .mark_in_value(32'd0),
        .mark_valid(),
        .mark_sub(),
        .mark_value(),
        .bp_apply(bp_apply),
        .bp_th_on(th_on),
        .bp_th_off(th_off),
        .bp_th_wet(th_wet),
        .bp_level_step(level_step),
        .bp_k(k),
        .bp_raw(raw),
        .bp_stale_ns(stale_ns),
        .bp_error(bp_error),
        .jitter_enable(jitter_enable),
        .jitter_apply(jitter_apply),
        .jitter_t_nominal(to_t_nominal),
        .jitter_options(to_options),
        .jitter_watchdog(to_watchdog),
        .jitter_error(jitter_error),
        .jitter_sync_lost(sync_lost),
        .jitter_js_sync_lost(js_sync_lost),
        .jitter_stat_snap(stat_snap),
        .jitter_stat_index(stat_index),
        .jitter_stat_word(stat_word),
        .ras_enable(ras_enable),
        .ras_apply(ras_apply),
        .ras_r_limit(r_limit),
        .ras_a_limit(a_limit),
        .ras_s_limit(s_limit),
        .ras_r_run(r_run),
        .ras_r_rearm(r_rearm),
        .ras_a_budget(a_budget),
        .ras_s_window(s_window),
        .ras_a_holdoff(a_holdoff),
        .ras_error(ras_error),
        .ras_pending(pending),
        .ras_overflow(overflow),
        .ras_clear(clear),
        .ras_inject(inject),
        .ras_req_timeout(req_timeout),
        .ras_snap(ras_snap),
        .ras_snap_class(snap_class),
        .ras_word_index(word_index),
        .ras_word(ras_word),
        .token_arm(arm),
        .token_arm_ptr(arm_ptr),
        .token_arm_mask(arm_mask),
        .token_resume(resume),
        .token_trim(trim),
        .token_apply(token_apply),
        .token_mem_low_on(mem_low_on),
        .token_mem_low_off(mem_low_off),
        .token_error(token_error),
        .token_armed(armed),
        .token_freeze(pipe_freeze),
        .token_trimming(trimming),
        .token_held(held),
        .token_nested(nested),
        .token_cause(snap_cause),
        .token_id(snap_token),
        .token_ctx(snap_ctx),
        .inject_enable(inject_enable),
        .inject_first(first),
        .inject_every(every),
        .inject_layer(layer),
        .inject_cause(inject_cause)
    );

    genvar g;
    generate
        for (g = 0; g < 2; g = g + 1) begin : gen_bp
            nps_bp_probe u_probe (
                .clk(clk),
                .rst(rst),
                .restart(1'b0),
                .rel_ns(rel_ns),
                .ts_ns(ts_ns),
                .tq(2'd2),
                .ts_step(1'b0),
                .rel_step(1'b0),
                .step_ns(64'd0),
                .trace_valid(1'b0),
                .layer_id(5'd0),
                .buf_occupancy(6'd0),
                .backpressure_en(1'b0),
                .cfg_apply(bp_apply[g]),
                .cfg_th_on(th_on),
                .cfg_th_off(th_off),
                .cfg_th_wet(th_wet),
                .cfg_level_step(level_step),
                .cfg_k(k),
                .cfg_raw(raw),
                .cfg_stale_ns(stale_ns),
                .cfg_error(bp_error[g]),
                .limits(limits[32*g+:32]),
                .stale(stale[32*g+:32]),
                .ev_valid(),
                .ev_kind(),
                .ev_sub(),
                .ev_tq(),
                .ev_ts(),
                .ev_payload(),
                .ev_bp_samples(),
                .ev_step(),
                .ev_step_ns()
            );
        end
    endgenerate

    nps_jitter u_jitter (
        .clk(clk),
        .rst(rst),
        .enable(jitter_enable),
        .restart(1'b0),
        .rel_ns(rel_ns),
        .rel_frac(8'd0),
        .ts_ns(ts_ns),
        .tq(2'd2),
        .locked(1'b1),
        .holdover(1'b0),
        .ts_step(1'b0),
        .rel_step(1'b0),
        .step_ns(64'd0),
        .sync_valid(sync_valid),
        .phy_changed(1'b0),
        .cfg_apply(jitter_apply),
        .cfg_t_nominal(to_t_nominal),
        .cfg_options(to_options),
        .cfg_watchdog(to_watchdog),
        .cfg_error(jitter_error),
        .t_nominal(t_nominal),
        .options(options),
        .ev_valid(),
        .ev_kind(),
        .ev_sub(),
        .ev_tq(),
        .ev_ts(),
        .ev_payload(),
        .ev_step(),
        .ev_step_ns(),
        .js_valid(js_valid),
        .js_ok(js_ok),
        .js_sub(),
        .js_jitter(js_jitter),
        .js_saturated(js_saturated),
        .js_sync_lost(js_sync_lost),
        .js_phy_changed(js_phy_changed),
        .js_rel_ns(js_rel_ns),
        .js_ts_ns(js_ts_ns),
        .js_tq(js_tq),
        .js_ts_step(js_ts_step),
        .js_rel_step(js_rel_step),
        .js_step_ns(js_step_ns),
        .sync_lost(sync_lost),
        .stat_snap(stat_snap),
        .stat_busy(),
        .stat_index(stat_index),
        .stat_word(stat_word)
    );

    nps_ras_map u_ras (
        .clk(clk),
        .rst(rst),
        .enable(ras_enable),
        .sync_lost_a(options[3]),
        .js_valid(js_valid),
        .js_ok(js_ok),
        .js_jitter(js_jitter),
        .js_saturated(js_saturated),
        .js_sync_lost(js_sync_lost),
        .js_phy_changed(js_phy_changed),
        .js_rel_ns(js_rel_ns),
        .js_ts_ns(js_ts_ns),
        .js_tq(js_tq),
        .js_ts_step(js_ts_step),
        .js_rel_step(js_rel_step),
        .js_step_ns(js_step_ns),
        .crc_reneg_req(crc_reneg_req),
        .crc_reneg_ack(crc_reneg_ack),
        .reneg_done(1'b0),
        .phy_switch_req(phy_switch_req),
        .phy_switch_ack(phy_switch_ack),
        .cfg_apply(ras_apply),
        .cfg_r_limit(r_limit),
        .cfg_a_limit(a_limit),
        .cfg_s_limit(s_limit),
        .cfg_r_run(r_run),
        .cfg_r_rearm(r_rearm),
        .cfg_a_budget(a_budget),
        .cfg_s_window(s_window),
        .cfg_a_holdoff(a_holdoff),
        .cfg_done(),
        .cfg_error(ras_error),
        .cfg_words(ras_words),
        .pending(pending),
        .overflow(overflow),
        .clear(clear),
        .inject(inject),
        .req_timeout(req_timeout),
        .snap(ras_snap),
        .snap_class(snap_class),
        .snap_busy(),
        .word_index(word_index),
        .word(ras_word),
        .ev_valid(),
        .ev_step(),
        .ev_cfg(),
        .ev_kind(),
        .ev_sub(),
        .ev_tq(),
        .ev_ts(),
        .ev_payload(),
        .ev_step_ns(),
        .idle(),
        .lost_valid(),
        .lost_records(),
        .lost_step(),
        .lost_cfg(),
        .lost_tq(),
        .lost_ts(),
        .lost_step_ns()
    );

    nps_token_irq #(
        .WORDS(WORDS)
    ) u_token (
        .clk(clk),
        .rst(rst),
        .restart(1'b0),
        .ts_ns(ts_ns),
        .tq(2'd2),
        .ts_step(1'b0),
        .rel_step(1'b0),
        .step_ns(64'd0),
        .ins_valid(1'b0),
        .ins_ready(1'b0),
        .ins_word(32'd0),
        .ins_rs1(32'd0),
        .ins_error(),
        .arm(arm),
        .arm_ptr(arm_ptr),
        .arm_mask(arm_mask),
        .tok_valid(tok_valid),
        .tok_ready(tok_ready),
        .tok_ptr(tok_id),
        .tok_id(tok_id),
        .tok_layer(8'd3),
        .tok_slot(16'd7),
        .tok_first(1'b0),
        .tok_eos(tok_eos),
        .tok_eosp(1'b0),
        .tok_boundary(1'b0),
        .tok_ctx(~tok_id),
        .mem_free(mem_free),
        .inj_cause(inj_cause),
        .pipe_valid(pipe_valid),
        .pipe_ready(1'b1),
        .pipe_freeze(pipe_freeze),
        .resume(resume),
        .trim(trim),
        .cfg_apply(token_apply),
        .cfg_mem_low_on(mem_low_on),
        .cfg_mem_low_off(mem_low_off),
        .cfg_error(token_error),
        .armed(armed),
        .trimming(trimming),
        .held(held),
        .nested(nested),
        .snap_cause(snap_cause),
        .snap_token(snap_token),
        .snap_ctx(snap_ctx),
        .ev_valid(),
        .ev_kind(),
        .ev_sub(),
        .ev_tq(),
        .ev_ts(),
        .ev_payload(),
        .ev_tokens(),
        .ev_step(),
        .ev_step_ns()
    );

    nps_token_inject u_inject (
        .clk(clk),
        .rst(rst),
        .enable(inject_enable),
        .first(first),
        .every(every),
        .layer(layer),
        .cause(inject_cause),
        .pipe_valid(pipe_valid),
        .pipe_ready(1'b1),
        .tok_layer(8'd3),
        .inj_cause(inj_cause)
    );
endmodule

`default_nettype wire
