// SPDX-License-Identifier: Apache-2.0
// npuscope: control and status of nps_top: the generated registers, and what joins them to the blocks.
//
// Does:      shows each block the vectors that it takes: limits of a trace port by its number, configuration words,
//            orders, latches by class; picks the word of a token's snapshot; counts what was dropped; joins MARKs of software
//            with those of the port; raises the interrupt.
// Promises:  those of nps_regs. A block that is not built in, and a trace port that does not exist, refuse what is
//            applied to them. A MARK of the port is never delayed; one of software waits for a free clock.
// Costs:     one clock more than nps_regs for bp_apply, none for other ports; a MARK of the port passes within its clock.
// Overflow:  a MARK written while one waits replaces it; the count of dropped events is modular.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_thresholds.vh"

module nps_csr #(
    parameter integer NUM_BP        = 2,         // trace ports, 1..62
    parameter integer JITTER        = 1,         // 0 or 1: built in
    parameter integer RAS           = 1,         // 0 or 1: built in
    parameter integer TOKEN         = 1,         // 0 or 1: built in
    parameter integer WORDS         = 4,         // of a token's context, 4..16
    parameter integer SOURCES       = 6,         // of the stream, NUM_BP+1..64
    parameter [7:0]   S_COUNT       = `NPS_S_COUNT,  // of nps_ras_map, told
    parameter [31:0]  CLK_PERIOD_PS = 32'd5000,  // told
    parameter [63:0]  DESC_HASH     = 64'd0      // told
) (
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

    // stream
    output wire               enable,
    input  wire               sampling,
    input  wire               active,
    input  wire [SOURCES-1:0] drop,      // a source dropped an event, one a clock each
    input  wire [       63:0] ts_ns,
    input  wire               locked,
    input  wire               holdover,

    // MARK: of the port in, of port and software out
    input  wire        mark_in_valid,
    input  wire [ 1:0] mark_in_sub,
    input  wire [31:0] mark_in_value,
    output wire        mark_valid,
    output wire [ 1:0] mark_sub,
    output wire [31:0] mark_value,

    // nps_bp_probe, by trace port
    output reg  [NUM_BP-1:0] bp_apply,
    output wire [       5:0] bp_th_on,
    output wire [       5:0] bp_th_off,
    output wire [       5:0] bp_th_wet,
    output wire [       5:0] bp_level_step,
    output wire [       4:0] bp_k,
    output wire              bp_raw,
    output wire [      31:0] bp_stale_ns,
    input  wire [NUM_BP-1:0] bp_error,

    // nps_jitter
    output wire        jitter_enable,
    output wire        jitter_apply,
    output wire [47:0] jitter_t_nominal,
    output wire [ 3:0] jitter_options,
    output wire [31:0] jitter_watchdog,
    input  wire        jitter_error,
    input  wire        jitter_sync_lost,     // level
    input  wire        jitter_js_sync_lost,  // pulse
    output wire        jitter_stat_snap,
    output wire [ 3:0] jitter_stat_index,
    input  wire [31:0] jitter_stat_word,

    // nps_ras_map; bit n: class code n
    output wire        ras_enable,
    output wire        ras_apply,
    output wire [29:0] ras_r_limit,
    output wire [29:0] ras_a_limit,
    output wire [29:0] ras_s_limit,
    output wire [ 7:0] ras_r_run,
    output wire [ 7:0] ras_r_rearm,
    output wire [ 7:0] ras_a_budget,
    output wire [30:0] ras_s_window,
    output wire [17:0] ras_a_holdoff,
    input  wire        ras_error,
    input  wire [ 4:0] ras_pending,
    input  wire [ 4:0] ras_overflow,
    output wire [ 4:0] ras_clear,
    output wire [ 4:0] ras_inject,
    input  wire [ 1:0] ras_req_timeout,
    output wire        ras_snap,
    output wire [ 2:0] ras_snap_class,
    output wire [ 2:0] ras_word_index,
    input  wire [31:0] ras_word,

    // nps_token_irq, nps_token_inject
    output wire                token_arm,
    output wire [        31:0] token_arm_ptr,
    output wire [         3:0] token_arm_mask,
    output wire                token_resume,
    output wire                token_trim,
    output wire                token_apply,
    output wire [        15:0] token_mem_low_on,
    output wire [        15:0] token_mem_low_off,
    input  wire                token_error,
    input  wire                token_armed,
    input  wire                token_freeze,
    input  wire                token_trimming,
    input  wire [         3:0] token_held,
    input  wire [         7:0] token_nested,
    input  wire [         3:0] token_cause,
    input  wire [        31:0] token_id,
    input  wire [32*WORDS-1:0] token_ctx,
    output wire                inject_enable,
    output wire [        15:0] inject_first,
    output wire [        15:0] inject_every,
    output wire [         7:0] inject_layer,
    output wire [         3:0] inject_cause
);
    `NPS_REFUSE(NUM_BP < 1 || NUM_BP > 62, nps_error__NUM_BP_must_be_1_to_62)
    `NPS_REFUSE(WORDS < 4 || WORDS > 16, nps_error__WORDS_must_be_4_to_16)
    `NPS_REFUSE(SOURCES <= NUM_BP || SOURCES > 64, nps_error__SOURCES_must_be_above_NUM_BP_and_at_most_64)
    `NPS_REFUSE(JITTER < 0 || JITTER > 1 || RAS < 0 || RAS > 1 || TOKEN < 0 || TOKEN > 1,
                nps_error__JITTER_RAS_and_TOKEN_must_be_0_or_1)

    wire apply_bp, apply_jitter, apply_ras, apply_token;
    wire [5:0] port;
    wire [1:0] sub;
    wire [31:0] value;
    wire [4:0] token_index;
    wire written, need_lock, exclude, strobe, sync_lost_a;
    reg waiting, refuses_bp, refuses_jitter, refuses_ras, refuses_token, refuses, dropping;
    reg [31:0] token_word, dropped, droppers;

    integer a, b, c, d;

    // ---------------------------------------------------------------- orders
    assign jitter_apply = apply_jitter;
    assign jitter_options = {sync_lost_a, strobe, exclude, need_lock};
    assign ras_apply = apply_ras;
    assign token_apply = apply_token;

    always @(posedge clk) begin
        for (a = 0; a < NUM_BP; a = a + 1) bp_apply[a] <= !rst && apply_bp && port == a[5:0];
        refuses_bp <= !rst && (|bp_error || (apply_bp && {26'd0, port} >= NUM_BP));
        refuses_jitter <= !rst && (JITTER != 0 ? jitter_error : apply_jitter);
        refuses_ras <= !rst && (RAS != 0 ? ras_error : apply_ras);
        refuses_token <= !rst && (TOKEN != 0 ? token_error : apply_token);
        refuses <= !rst && (refuses_bp || refuses_jitter || refuses_ras || refuses_token);
    end

    // ---------------------------------------------------------------- MARK
    assign mark_valid = mark_in_valid || waiting;
    assign mark_sub = mark_in_valid ? mark_in_sub : sub;
    assign mark_value = mark_in_valid ? mark_in_value : value;
    always @(posedge clk) waiting <= !rst && (written || (waiting && mark_in_valid));

    // ---------------------------------------------------------------- what was dropped
    reg [6:0] count;
    always @* begin
        count = 7'd0;
        for (b = 0; b < SOURCES; b = b + 1) count = count + {6'd0, drop[b]};
    end
    reg [6:0] counted;
    always @(posedge clk) begin
        counted <= count;
        if (rst) begin
            dropping <= 1'b0;
            dropped <= 32'd0;
            droppers <= 32'd0;
        end else begin
            dropping <= |drop;
            dropped <= dropped + (dropping ? {25'd0, counted} : 32'd0);
            for (c = 0; c < SOURCES; c = c + 1)
                if (drop[c]) droppers[c < 31 ? c : 31] <= 1'b1;
        end
    end

    // ---------------------------------------------------------------- snapshot of a token, a clock behind its index
    always @(posedge clk) begin
        token_word <= 32'd0;
        for (d = 0; d < WORDS; d = d + 1) if (token_index == d[4:0]) token_word <= token_ctx[32*d+:32];
        if (token_index == 5'd16) token_word <= token_id;
    end

    // ---------------------------------------------------------------- registers
    localparam [5:0] PORTS = NUM_BP[5:0];

    nps_regs #(
        .NUM_BP(PORTS),
        .JITTER(JITTER != 0),
        .RAS(RAS != 0),
        .TOKEN(TOKEN != 0),
        .DESC_HASH_LO(DESC_HASH[31:0]),
        .DESC_HASH_HI(DESC_HASH[63:32]),
        .CLK_PERIOD_PS(CLK_PERIOD_PS),
        .S_COUNT(S_COUNT)
    ) u_regs (
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
        .control_enable(enable),
        .control_jitter(jitter_enable),
        .control_ras(ras_enable),
        .status_sampling(sampling),
        .status_active(active),
        .status_locked(locked),
        .status_holdover(holdover),
        .status_sync_lost(jitter_sync_lost),
        .status_mark_waiting(waiting),
        .mark_sub(sub),
        .mark(value),
        .mark_written(written),
        .int_raw_loss_set(dropping),
        .int_raw_cfg_set(refuses),
        .int_raw_sync_lost_set(jitter_js_sync_lost),
        .int_raw_ras_r_set(ras_pending[0]),
        .int_raw_ras_a_set(ras_pending[1]),
        .int_raw_ras_s_set(ras_pending[2]),
        .int_raw_ras_exhausted_set(ras_pending[4]),
        .int_raw_reneg_timeout_set(ras_req_timeout[0]),
        .int_raw_switch_timeout_set(ras_req_timeout[1]),
        .int_raw_token_set(token_freeze),
        .int_raw_token_nested_set(|token_held),
        .int_status_any(irq),
        .cfg_err_bp_set(refuses_bp),
        .cfg_err_jitter_set(refuses_jitter),
        .cfg_err_ras_set(refuses_ras),
        .cfg_err_token_set(refuses_token),
        .apply_bp(apply_bp),
        .apply_jitter(apply_jitter),
        .apply_ras(apply_ras),
        .apply_token(apply_token),
        .loss_count(dropped),
        .loss_sources(droppers),
        .jitter_snap(jitter_stat_snap),
        .timestamp(ts_ns),
        .bp_port(port),
        .bp_limits_th_on(bp_th_on),
        .bp_limits_th_off(bp_th_off),
        .bp_limits_level_step(bp_level_step),
        .bp_limits_k(bp_k),
        .bp_limits_raw(bp_raw),
        .bp_limits_th_wet(bp_th_wet),
        .bp_stale(bp_stale_ns),
        .t_nominal_lo(jitter_t_nominal[31:0]),
        .t_nominal_hi_hi(jitter_t_nominal[47:32]),
        .t_nominal_hi_need_lock(need_lock),
        .t_nominal_hi_exclude(exclude),
        .t_nominal_hi_strobe(strobe),
        .t_nominal_hi_sync_lost_a(sync_lost_a),
        .watchdog(jitter_watchdog),
        .r_limit(ras_r_limit),
        .a_limit(ras_a_limit),
        .s_limit(ras_s_limit),
        .ras_counts_r_run(ras_r_run),
        .ras_counts_r_rearm(ras_r_rearm),
        .ras_counts_a_budget(ras_a_budget),
        .s_window(ras_s_window),
        .a_holdoff(ras_a_holdoff),
        .ras_pending_reliability(ras_pending[0]),
        .ras_pending_reliability_clear(ras_clear[0]),
        .ras_pending_availability(ras_pending[1]),
        .ras_pending_availability_clear(ras_clear[1]),
        .ras_pending_serviceability(ras_pending[2]),
        .ras_pending_serviceability_clear(ras_clear[2]),
        .ras_pending_sync_lost(ras_pending[3]),
        .ras_pending_sync_lost_clear(ras_clear[3]),
        .ras_pending_exhausted(ras_pending[4]),
        .ras_pending_exhausted_clear(ras_clear[4]),
        .ras_pending_overflow(ras_overflow),
        .ras_snap(ras_snap_class),
        .ras_snap_written(ras_snap),
        .ras_inject_reliability(ras_inject[0]),
        .ras_inject_availability(ras_inject[1]),
        .ras_inject_serviceability(ras_inject[2]),
        .ras_inject_sync_lost(ras_inject[3]),
        .ras_inject_exhausted(ras_inject[4]),
        .tok_ptr(token_arm_ptr),
        .tok_control_mask(token_arm_mask),
        .tok_control_trim(token_trim),
        .tok_cmd_arm(token_arm),
        .tok_cmd_resume(token_resume),
        .mem_low_on(token_mem_low_on),
        .mem_low_off(token_mem_low_off),
        .tok_status_cause(token_cause),
        .tok_status_held(token_held),
        .tok_status_nested(token_nested),
        .tok_status_armed(token_armed),
        .tok_status_frozen(token_freeze),
        .tok_status_trimming(token_trimming),
        .inj_token_first(inject_first),
        .inj_token_every(inject_every),
        .inj_control_layer(inject_layer),
        .inj_control_cause(inject_cause),
        .inj_control_enable(inject_enable),
        .jitter_index(jitter_stat_index),
        .jitter_word(jitter_stat_word),
        .ras_index(ras_word_index),
        .ras_word(ras_word),
        .token_index(token_index),
        .token_word(token_word)
    );
endmodule

`default_nettype wire
