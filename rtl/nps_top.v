// SPDX-License-Identifier: Apache-2.0
// npuscope: probes, trace fabric and exit in one.
//
// Does:      watches NUM_BP trace ports and a MARK input, and streams what happened as NPT1 records (traces/FORMAT.md).
// Promises:  every event offered is delivered or counted; a sink that stalls for ever blocks nothing that is watched
//            (there is no ready towards it); one record a clock in bursts, at least 15/16 in the long run without loss.
// Costs:     about 30 clocks from an input to its record; see trace/README.md for area.
// Overflow:  whole entries drop per source and are told as LOSS with count, time span and layers.
//
// All inputs, the time bus included, are registered once, so that a sample and the time of its clock stay together.
`default_nettype none
`include "nps_probe.vh"
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module nps_top #(
    parameter                  NUM_BP        = 2,                      // trace ports, 1..62
    parameter [NUM_BP*32-1:0]  LAYERS        = {NUM_BP{32'hFFFFFFFF}}, // layers present, per trace port, not 0
    parameter [NUM_BP*32-1:0]  DRY_MASK      = {NUM_BP{32'h00000000}}, // layers with DRY and WET records
    parameter                  STEADY        = `NPS_STEADY,            // clocks, 1..65535
    // limits after reset, of all trace ports, 1/64 of the buffer
    parameter                  TH_ON         = `NPS_TH_ON,             // 1..63
    parameter                  TH_OFF        = `NPS_TH_OFF,            // 1..TH_ON-1
    parameter                  TH_WET        = `NPS_TH_WET,            // 1..63
    parameter                  LEVEL_STEP    = `NPS_LEVEL_STEP,        // 0..63, 0 = new peaks only
    parameter                  DWELL_SHIFT   = `NPS_DWELL_SHIFT,       // log2 ns, 0..31
    parameter [31:0]           STALE_NS      = `NPS_STALE_NS,          // relative ns, 0 = off
    parameter                  RAW           = 0,                      // 0 or 1
    // fabric
    parameter                  FIFO_DEPTH    = 64,                     // entries per source, a power of two, 4..4096
    parameter [31:0]           CLK_PERIOD_PS = 32'd5000,               // told in CFG
    parameter [63:0]           DESC_HASH     = 64'd0,                  // of the description, 0 = none
    parameter                  FRAME_RECORDS = `NPS_FRAME_RECORDS,     // most records of a frame, 32..512
    parameter [47:0]           FRAME_AGE_NS  = `NPS_FRAME_AGE_NS,      // relative ns, 1..HEARTBEAT_NS
    parameter [47:0]           HEARTBEAT_NS  = `NPS_HEARTBEAT_NS,      // relative ns
    parameter                  REGS          = 0                       // 1: s_axil_* in place of enable and cfg_*
) (
    input wire clk,
    input wire rst,
    input wire enable,  // rising: start; falling: flush and END

    // time bus
    input wire [47:0] rel_ns,
    input wire [63:0] ts_ns,
    input wire        locked,
    input wire        holdover,
    input wire        ts_step,   // ts_ns jumped by step_ns in this clock
    input wire        rel_step,  // rel_ns jumped in this clock
    input wire [63:0] step_ns,   // signed

    // trace ports
    input wire [  NUM_BP-1:0] trace_valid,
    input wire [5*NUM_BP-1:0] layer_id,
    input wire [6*NUM_BP-1:0] buf_occupancy,
    input wire [  NUM_BP-1:0] backpressure_en,

    // marks
    input wire        mark_valid,
    input wire [ 1:0] mark_sub,
    input wire [31:0] mark_value,

    // new limits, per trace port
    input  wire [   NUM_BP-1:0] cfg_apply,
    input  wire [ 6*NUM_BP-1:0] cfg_th_on,
    input  wire [ 6*NUM_BP-1:0] cfg_th_off,
    input  wire [ 6*NUM_BP-1:0] cfg_th_wet,
    input  wire [ 6*NUM_BP-1:0] cfg_level_step,
    input  wire [ 5*NUM_BP-1:0] cfg_k,
    input  wire [   NUM_BP-1:0] cfg_raw,
    input  wire [32*NUM_BP-1:0] cfg_stale_ns,
    output wire [   NUM_BP-1:0] cfg_error,       // pulse: refused, the old limits stay

    output wire sampling,  // the inputs of this clock are offered
    output wire active,    // from start until END has been taken

    output wire [127:0] m_axis_tdata,
    output wire         m_axis_tvalid,
    output wire         m_axis_tlast,   // last record of a group, and END
    input  wire         m_axis_tready,

    // registers, with REGS: see regs/README.md
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
    output wire        irq
);

    `NPS_REFUSE(NUM_BP < 1 || NUM_BP > 62, nps_error__NUM_BP_must_be_1_to_62)
    `NPS_REFUSE(FIFO_DEPTH < 4 || FIFO_DEPTH > 4096 || (FIFO_DEPTH & (FIFO_DEPTH - 1)) != 0,
                nps_error__FIFO_DEPTH_must_be_a_power_of_two_from_4_to_4096)

    `NPS_REFUSE(REGS < 0 || REGS > 1, nps_error__REGS_must_be_0_or_1)

    localparam SOURCES = NUM_BP + 1;
    localparam INDEX_W = $clog2(NUM_BP + 2);
    localparam ORDER_DEPTH = FIFO_DEPTH << $clog2(SOURCES);

    // ---------------------------------------------------------------- inputs
    reg [47:0] rel;
    reg [63:0] ts, step;
    reg [1:0] quality;
    reg stepped_ts, stepped_rel;

    reg [NUM_BP-1:0] valid, bp_en;
    reg [5*NUM_BP-1:0] layer;
    reg [6*NUM_BP-1:0] occupancy;

    reg mark;
    reg [1:0] mark_kind;
    reg [31:0] mark_payload;

    reg [NUM_BP-1:0] apply, to_raw;
    reg [6*NUM_BP-1:0] to_th_on, to_th_off, to_th_wet, to_level_step;
    reg [5*NUM_BP-1:0] to_k;
    reg [32*NUM_BP-1:0] to_stale_ns;

    // of the registers or of the pins
    wire run, in_mark;
    wire [1:0] in_mark_sub;
    wire [31:0] in_mark_value;
    wire [NUM_BP-1:0] in_apply, in_raw;
    wire [6*NUM_BP-1:0] in_th_on, in_th_off, in_th_wet, in_level_step;
    wire [5*NUM_BP-1:0] in_k;
    wire [32*NUM_BP-1:0] in_stale_ns;

    // time quality: doubt from the loss of lock and holdover, or from a jump of relative time, until locked
    reg doubt, had_time;
    wire has_time = locked || holdover;
    wire doubt_now = !locked && (doubt || rel_step || (had_time && !has_time));

    always @(posedge clk) begin
        rel <= rel_ns;
        ts <= ts_ns;
        step <= step_ns;
        layer <= layer_id;
        occupancy <= buf_occupancy;
        bp_en <= backpressure_en;
        mark_kind <= in_mark_sub;
        mark_payload <= in_mark_value;
        to_th_on <= in_th_on;
        to_th_off <= in_th_off;
        to_th_wet <= in_th_wet;
        to_level_step <= in_level_step;
        to_k <= in_k;
        to_raw <= in_raw;
        to_stale_ns <= in_stale_ns;
        quality <= locked ? `NPS_TQ_LOCKED : holdover ? `NPS_TQ_HOLDOVER : doubt_now ? `NPS_TQ_DOUBT : `NPS_TQ_FREE_RUN;
        if (rst) begin
            stepped_ts <= 1'b0;
            stepped_rel <= 1'b0;
            valid <= {NUM_BP{1'b0}};
            mark <= 1'b0;
            apply <= {NUM_BP{1'b0}};
            doubt <= 1'b0;
            had_time <= 1'b0;
        end else begin
            stepped_ts <= ts_step;
            stepped_rel <= rel_step;
            valid <= trace_valid & {NUM_BP{sampling}};
            mark <= in_mark && sampling;
            apply <= in_apply;
            doubt <= doubt_now;
            had_time <= has_time;
        end
    end

    // ---------------------------------------------------------------- start and flush
    wire sampled, restart, begin_stream, offer, flush, done;

    nps_trace_control #(
        .LATENCY(`NPS_BP_LATENCY),
        .BEGIN_LATENCY(`NPS_BP_LIMITS_LATENCY)
    ) u_control (
        .clk(clk),
        .rst(rst),
        .enable(run),
        .done(done),
        .sampling(sampling),
        .sampled(sampled),
        .active(active),
        .restart(restart),
        .begin_stream(begin_stream),
        .offer(offer),
        .flush(flush)
    );

    // ---------------------------------------------------------------- registers
    wire [SOURCES-1:0] dropped;  // a source drops an event

    generate
        if (REGS != 0) begin : gen_regs
            wire [5:0] th_on, th_off, th_wet, level_step;
            wire [4:0] k;
            wire raw;
            wire [31:0] stale_ns;

            assign in_th_on = {NUM_BP{th_on}};
            assign in_th_off = {NUM_BP{th_off}};
            assign in_th_wet = {NUM_BP{th_wet}};
            assign in_level_step = {NUM_BP{level_step}};
            assign in_k = {NUM_BP{k}};
            assign in_raw = {NUM_BP{raw}};
            assign in_stale_ns = {NUM_BP{stale_ns}};

            // of blocks that are not built in
            wire jitter_enable, jitter_apply, jitter_stat_snap, ras_enable, ras_apply, ras_snap, token_arm,
                token_resume, token_trim, token_apply, inject_enable;
            wire [47:0] jitter_t_nominal;
            wire [3:0] jitter_options, jitter_stat_index, token_arm_mask, inject_cause;
            wire [31:0] jitter_watchdog, token_arm_ptr;
            wire [29:0] ras_r_limit, ras_a_limit, ras_s_limit;
            wire [7:0] ras_r_run, ras_r_rearm, ras_a_budget, inject_layer;
            wire [30:0] ras_s_window;
            wire [17:0] ras_a_holdoff;
            wire [4:0] ras_clear, ras_inject;
            wire [2:0] ras_snap_class, ras_word_index;
            wire [15:0] token_mem_low_on, token_mem_low_off, inject_first, inject_every;
            wire unused = &{1'b0, jitter_enable, jitter_apply, jitter_stat_snap, ras_enable, ras_apply, ras_snap,
                token_arm, token_resume, token_trim, token_apply, inject_enable, jitter_t_nominal, jitter_options,
                jitter_stat_index, token_arm_mask, inject_cause, jitter_watchdog, token_arm_ptr, ras_r_limit,
                ras_a_limit, ras_s_limit, ras_r_run, ras_r_rearm, ras_a_budget, inject_layer, ras_s_window,
                ras_a_holdoff, ras_clear, ras_inject, ras_snap_class, ras_word_index, token_mem_low_on,
                token_mem_low_off, inject_first, inject_every};
            wire unused_pins = &{1'b0, enable, cfg_apply, cfg_th_on, cfg_th_off, cfg_th_wet, cfg_level_step, cfg_k,
                                 cfg_raw, cfg_stale_ns};

            nps_csr #(
                .NUM_BP(NUM_BP),
                .JITTER(0),
                .RAS(0),
                .TOKEN(0),
                .SOURCES(SOURCES),
                .CLK_PERIOD_PS(CLK_PERIOD_PS),
                .DESC_HASH(DESC_HASH)
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
                .enable(run),
                .sampling(sampling),
                .active(active),
                .drop(dropped),
                .ts_ns(ts),
                .locked(quality == `NPS_TQ_LOCKED),
                .holdover(quality == `NPS_TQ_HOLDOVER),
                .mark_in_valid(mark_valid),
                .mark_in_sub(mark_sub),
                .mark_in_value(mark_value),
                .mark_valid(in_mark),
                .mark_sub(in_mark_sub),
                .mark_value(in_mark_value),
                .bp_apply(in_apply),
                .bp_th_on(th_on),
                .bp_th_off(th_off),
                .bp_th_wet(th_wet),
                .bp_level_step(level_step),
                .bp_k(k),
                .bp_raw(raw),
                .bp_stale_ns(stale_ns),
                .bp_error(cfg_error),
                .jitter_enable(jitter_enable),
                .jitter_apply(jitter_apply),
                .jitter_stat_snap(jitter_stat_snap),
                .ras_enable(ras_enable),
                .ras_apply(ras_apply),
                .ras_snap(ras_snap),
                .token_arm(token_arm),
                .token_resume(token_resume),
                .token_trim(token_trim),
                .token_apply(token_apply),
                .inject_enable(inject_enable),
                .jitter_t_nominal(jitter_t_nominal),
                .jitter_options(jitter_options),
                .jitter_stat_index(jitter_stat_index),
                .token_arm_mask(token_arm_mask),
                .inject_cause(inject_cause),
                .jitter_watchdog(jitter_watchdog),
                .token_arm_ptr(token_arm_ptr),
                .ras_r_limit(ras_r_limit),
                .ras_a_limit(ras_a_limit),
                .ras_s_limit(ras_s_limit),
                .ras_r_run(ras_r_run),
                .ras_r_rearm(ras_r_rearm),
                .ras_a_budget(ras_a_budget),
                .inject_layer(inject_layer),
                .ras_s_window(ras_s_window),
                .ras_a_holdoff(ras_a_holdoff),
                .ras_clear(ras_clear),
                .ras_inject(ras_inject),
                .ras_snap_class(ras_snap_class),
                .ras_word_index(ras_word_index),
                .token_mem_low_on(token_mem_low_on),
                .token_mem_low_off(token_mem_low_off),
                .inject_first(inject_first),
                .inject_every(inject_every),
                .jitter_error(1'b0),
                .jitter_sync_lost(1'b0),
                .jitter_js_sync_lost(1'b0),
                .jitter_stat_word(32'd0),
                .ras_error(1'b0),
                .ras_pending(5'd0),
                .ras_overflow(5'd0),
                .ras_req_timeout(2'd0),
                .ras_word(32'd0),
                .token_error(1'b0),
                .token_armed(1'b0),
                .token_freeze(1'b0),
                .token_trimming(1'b0),
                .token_held(4'd0),
                .token_nested(8'd0),
                .token_cause(4'd0),
                .token_id(32'd0),
                .token_ctx(128'd0)
            );
        end else begin : gen_pins
            assign run = enable;
            assign in_mark = mark_valid;
            assign in_mark_sub = mark_sub;
            assign in_mark_value = mark_value;
            assign in_apply = cfg_apply;
            assign in_th_on = cfg_th_on;
            assign in_th_off = cfg_th_off;
            assign in_th_wet = cfg_th_wet;
            assign in_level_step = cfg_level_step;
            assign in_k = cfg_k;
            assign in_raw = cfg_raw;
            assign in_stale_ns = cfg_stale_ns;
            assign {s_axil_awready, s_axil_wready, s_axil_bresp, s_axil_bvalid} = 5'd0;
            assign {s_axil_arready, s_axil_rdata, s_axil_rresp, s_axil_rvalid, irq} = 37'd0;
            wire unused = &{1'b0, s_axil_awaddr, s_axil_awvalid, s_axil_wdata, s_axil_wstrb, s_axil_wvalid,
                            s_axil_bready, s_axil_araddr, s_axil_arvalid, s_axil_rready, dropped};
        end
    endgenerate

    // ---------------------------------------------------------------- probes, their queues and mirrors
    wire [SOURCES-1:0] accept, q_mark, q_take, drained, drained_ready, loss_cfg, loss_step, idle, step_held;
    wire [140*SOURCES-1:0] q_entry;

    wire [SOURCES-1:0] op_select;
    wire op_entry, op_burst, op_free, final_counts;
    wire [3:0] op_kind, op_sub;
    wire [31:0] op_payload, op_bp_samples;

    wire [32*SOURCES-1:0] words;
    wire [64*SOURCES-1:0] words_ts;
    wire [ 2*SOURCES-1:0] words_tq;

    genvar g;
    generate
        for (g = 0; g < SOURCES; g = g + 1) begin : gen_source
            wire ev_valid, ev_step;
            wire [3:0] ev_kind, ev_sub;
            wire [ 1:0] ev_tq;
            wire [63:0] ev_ts, ev_step_ns;
            wire [31:0] ev_payload, ev_bp_samples, limits, stale;

            if (g < NUM_BP) begin : gen_bp
                nps_bp_probe #(
                    .LAYERS(LAYERS[32*g+:32]),
                    .DRY_MASK(DRY_MASK[32*g+:32]),
                    .STEADY(STEADY),
                    .TH_ON(TH_ON),
                    .TH_OFF(TH_OFF),
                    .TH_WET(TH_WET),
                    .LEVEL_STEP(LEVEL_STEP),
                    .DWELL_SHIFT(DWELL_SHIFT),
                    .STALE_NS(STALE_NS),
                    .RAW(RAW)
                ) u_probe (
                    .clk(clk),
                    .rst(rst),
                    .restart(restart),
                    .rel_ns(rel),
                    .ts_ns(ts),
                    .tq(quality),
                    .ts_step(stepped_ts),
                    .rel_step(stepped_rel),
                    .step_ns(step),
                    .trace_valid(valid[g]),
                    .layer_id(layer[5*g+:5]),
                    .buf_occupancy(occupancy[6*g+:6]),
                    .backpressure_en(bp_en[g]),
                    .cfg_apply(apply[g]),
                    .cfg_th_on(to_th_on[6*g+:6]),
                    .cfg_th_off(to_th_off[6*g+:6]),
                    .cfg_th_wet(to_th_wet[6*g+:6]),
                    .cfg_level_step(to_level_step[6*g+:6]),
                    .cfg_k(to_k[5*g+:5]),
                    .cfg_raw(to_raw[g]),
                    .cfg_stale_ns(to_stale_ns[32*g+:32]),
                    .cfg_error(cfg_error[g]),
                    .limits(limits),
                    .stale(stale),
                    .ev_valid(ev_valid),
                    .ev_kind(ev_kind),
                    .ev_sub(ev_sub),
                    .ev_tq(ev_tq),
                    .ev_ts(ev_ts),
                    .ev_payload(ev_payload),
                    .ev_bp_samples(ev_bp_samples),
                    .ev_step(ev_step),
                    .ev_step_ns(ev_step_ns)
                );
            end else begin : gen_mark
                nps_mark #(
                    .LATENCY(`NPS_BP_LATENCY)
                ) u_mark (
                    .clk(clk),
                    .rst(rst),
                    .restart(restart),
                    .mark_valid(mark),
                    .mark_sub(mark_kind),
                    .mark_value(mark_payload),
                    .ts_ns(ts),
                    .tq(quality),
                    .ts_step(stepped_ts),
                    .rel_step(stepped_rel),
                    .step_ns(step),
                    .ev_valid(ev_valid),
                    .ev_kind(ev_kind),
                    .ev_sub(ev_sub),
                    .ev_tq(ev_tq),
                    .ev_ts(ev_ts),
                    .ev_payload(ev_payload),
                    .ev_step(ev_step),
                    .ev_step_ns(ev_step_ns)
                );
                assign ev_bp_samples = 32'd0;
                assign limits = 32'd0;
                assign stale = 32'd0;
            end

            nps_trace_source #(
                .HAS_LAYERS(g < NUM_BP),
                .LAYERS(g < NUM_BP ? LAYERS[32*(g%NUM_BP)+:32] : 32'd0),
                .DRY_MASK(g < NUM_BP ? DRY_MASK[32*(g%NUM_BP)+:32] : 32'd0),
                .FIFO_DEPTH(FIFO_DEPTH)
            ) u_source (
                .clk(clk),
                .rst(rst),
                .restart(begin_stream),
                .limits(limits),
                .stale(stale),
                .cfg_words(1'b0),
                .ev_context(1'b0),
                .ev_valid(ev_valid && offer),
                .ev_kind(ev_kind),
                .ev_sub(ev_sub),
                .ev_tq(ev_tq),
                .ev_ts(ev_ts),
                .ev_payload(ev_payload),
                .ev_bp_samples(ev_bp_samples),
                .ev_step(ev_step && offer),
                .ev_step_ns(ev_step_ns),
                .accept(accept[g]),
                .q_mark(q_mark[g]),
                .q_entry(q_entry[140*g+:140]),
                .q_take(q_take[g]),
                .drained(drained[g]),
                .drained_ready(drained_ready[g]),
                .loss_cfg(loss_cfg[g]),
                .loss_step(loss_step[g]),
                .op_select(op_select[g]),
                .op_entry(op_entry),
                .op_burst(op_burst),
                .op_free(op_free),
                .op_kind(op_kind),
                .op_sub(op_sub),
                .op_payload(op_payload),
                .op_bp_samples(op_bp_samples),
                .final_counts(final_counts),
                .word(words[32*g+:32]),
                .word_ts(words_ts[64*g+:64]),
                .word_tq(words_tq[2*g+:2]),
                .idle(idle[g]),
                .step_pending(step_held[g]),
                .drop(dropped[g])
            );
        end
    endgenerate

    // ---------------------------------------------------------------- merge
    wire e_valid, e_ready, e_plain, e_mark, e_loss_cfg, e_loss_step, e_empty;
    wire [INDEX_W-1:0] e_index;
    wire [139:0] e_entry;

    nps_trace_merge #(
        .SOURCES(SOURCES),
        .DEPTH  (ORDER_DEPTH),
        .INDEX_W(INDEX_W)
    ) u_merge (
        .clk(clk),
        .rst(rst),
        .accept(accept),
        .q_mark(q_mark),
        .q_entry(q_entry),
        .q_take(q_take),
        .drained(drained),
        .drained_ready(drained_ready),
        .loss_cfg(loss_cfg),
        .loss_step(loss_step),
        .m_valid(e_valid),
        .m_ready(e_ready),
        .m_index(e_index),
        .m_mark(e_mark),
        .m_loss_cfg(e_loss_cfg),
        .m_loss_step(e_loss_step),
        .m_plain(e_plain),
        .m_entry(e_entry),
        .empty(e_empty)
    );

    // the selected source's words; the others are 0
    reg [31:0] word;
    reg [63:0] word_ts;
    reg [1:0] word_tq;
    integer i;
    always @* begin
        word = 32'd0;
        word_ts = 64'd0;
        word_tq = 2'd0;
        for (i = 0; i < SOURCES; i = i + 1) begin
            word = word | words[32*i+:32];
            word_ts = word_ts | words_ts[64*i+:64];
            word_tq = word_tq | words_tq[2*i+:2];
        end
    end

    // a clock step that some source has still to tell, the way through the probes included
    reg [`NPS_BP_LATENCY+1:0] steps_coming;
    reg step_pending, ends;
    always @(posedge clk) begin
        if (rst) steps_coming <= {(`NPS_BP_LATENCY + 2) {1'b0}};
        else steps_coming <= {steps_coming[`NPS_BP_LATENCY:0], (stepped_ts || stepped_rel) && sampled};
        step_pending <= |steps_coming || |step_held;
        ends <= flush && &idle;
    end

    // ---------------------------------------------------------------- framer, seal, exit
    wire go, claim, out_empty, sealed_last, packing, crc_busy;
    wire [31:0] stalled, crc;
    wire [127:0] sealed;
    wire r_valid, r_accepted, r_last, sealed_valid;
    wire [63:0] r_ts;
    wire [ 1:0] r_tq;
    wire [3:0] r_kind, r_sub;
    wire [ 5:0] r_src;
    wire [31:0] r_payload;
    wire [INDEX_W-1:0] r_index;

    nps_trace_frame #(
        .NUM_BP(NUM_BP),
        .INDEX_W(INDEX_W),
        .FRAME_RECORDS(FRAME_RECORDS),
        .FRAME_AGE_NS(FRAME_AGE_NS),
        .HEARTBEAT_NS(HEARTBEAT_NS),
        .CLK_PERIOD_PS(CLK_PERIOD_PS),
        .DESC_HASH(DESC_HASH)
    ) u_frame (
        .clk(clk),
        .rst(rst),
        .restart(begin_stream),
        .rel_ns(rel),
        .ts_ns(ts),
        .tq(quality),
        .e_valid(e_valid),
        .e_ready(e_ready),
        .e_index(e_index),
        .e_mark(e_mark),
        .e_loss_cfg(e_loss_cfg),
        .e_loss_step(e_loss_step),
        .e_plain(e_plain),
        .e_entry(e_entry),
        .e_empty(e_empty),
        .op_select(op_select),
        .op_entry(op_entry),
        .op_burst(op_burst),
        .op_free(op_free),
        .op_kind(op_kind),
        .op_sub(op_sub),
        .op_payload(op_payload),
        .op_bp_samples(op_bp_samples),
        .final_counts(final_counts),
        .word(word),
        .word_ts(word_ts),
        .word_tq(word_tq),
        .step_pending(step_pending),
        .flush(ends),
        .done(done),
        .go(go),
        .claim(claim),
        .out_empty(out_empty),
        .stalled(stalled),
        .crc_closed(crc),
        .crc_open(crc),
        .sealing(packing || crc_busy),
        .m_valid(r_valid),
        .m_ts(r_ts),
        .m_tq(r_tq),
        .m_kind(r_kind),
        .m_sub(r_sub),
        .m_src(r_src),
        .m_payload(r_payload),
        .m_index(r_index),
        .m_accepted(r_accepted),
        .m_last(r_last)
    );

    nps_trace_pack #(
        .COUNTERS(NUM_BP + 2),
        .INDEX_W (INDEX_W)
    ) u_pack (
        .clk(clk),
        .rst(rst),
        .restart(begin_stream),
        .s_valid(r_valid),
        .s_ts(r_ts),
        .s_tq(r_tq),
        .s_kind(r_kind),
        .s_sub(r_sub),
        .s_src(r_src),
        .s_payload(r_payload),
        .s_index(r_index),
        .s_accepted(r_accepted),
        .s_last(r_last),
        .m_valid(sealed_valid),
        .m_data(sealed),
        .m_last(sealed_last),
        .busy(packing)
    );

    nps_trace_crc u_crc (
        .clk(clk),
        .rst(rst),
        .s_valid(sealed_valid),
        .s_data(sealed),
        .value(crc),
        .busy(crc_busy)
    );

    nps_trace_out u_out (
        .clk(clk),
        .rst(rst),
        .restart(begin_stream),
        .go(go),
        .claim(claim),
        .empty(out_empty),
        .s_valid(sealed_valid),
        .s_data(sealed),
        .s_last(sealed_last),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tlast(m_axis_tlast),
        .m_axis_tready(m_axis_tready),
        .stalled(stalled)
    );

endmodule
`default_nettype wire
