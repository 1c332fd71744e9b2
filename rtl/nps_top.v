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
`include "nps_event.vh"
`include "nps_probe.vh"
`include "nps_ptp.vh"
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_token.vh"
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
    // sources beside the trace ports, 0 or 1: built in
    parameter                  JITTER        = 1,
    parameter [47:0]           T_NOMINAL      = `NPS_T_NOMINAL,        // 1/256 ns, not 0
    parameter [31:0]           WATCHDOG       = `NPS_WATCHDOG,         // clocks, 0 = off
    parameter integer          JITTER_OPTIONS = `NPS_JITTER_OPTIONS,   // 0..15: need_lock, exclude, strobe, sync_lost_a
    parameter                  RAS            = 1,                     // with JITTER only; limits as of nps_ras_map:
    parameter integer          UNIT           = 0,                     // reporting unit, 0..31
    parameter integer          S_COUNT        = `NPS_S_COUNT,          // excesses, 2..8
    parameter integer          REQ_TIMEOUT    = `NPS_REQ_TIMEOUT,      // clocks, 2..16777215
    parameter integer          R_LIMIT        = `NPS_R_LIMIT,          // 1/256 ns, 0..A_LIMIT
    parameter integer          A_LIMIT        = `NPS_A_LIMIT,          // 1/256 ns, R_LIMIT..S_LIMIT
    parameter integer          S_LIMIT        = `NPS_S_LIMIT,          // 1/256 ns, A_LIMIT..1073741823
    parameter integer          R_RUN          = `NPS_R_RUN,            // samples, 1..255
    parameter integer          R_REARM        = `NPS_R_REARM,          // samples, 1..255
    parameter integer          A_BUDGET       = `NPS_A_BUDGET,         // switches, 0..255
    parameter integer          S_WINDOW       = `NPS_S_WINDOW,         // ns, 1000..2147483647
    parameter integer          A_HOLDOFF      = `NPS_A_HOLDOFF,        // us, 1..262143
    parameter                  TOKEN          = 1,
    parameter integer          WORDS          = 4,                     // of a context, 4..16
    parameter [31:0]           OPCODE         = `NPS_TOKEN_OPCODE,     // of npu_token_int
    parameter [31:0]           OPCODE_BITS    = `NPS_TOKEN_OPCODE_BITS,// of it those that count, none of [31:20]
    parameter integer          MEM_LOW_ON     = `NPS_MEM_LOW_ON,       // blocks of free memory, 0..65534
    parameter integer          MEM_LOW_OFF    = `NPS_MEM_LOW_OFF,      // MEM_LOW_ON+1..65535
    // fabric
    parameter                  FIFO_DEPTH    = 64,                     // entries per source, a power of two, 4..4096
    parameter [31:0]           CLK_PERIOD_PS = 32'd5000,               // told in CFG
    parameter [63:0]           DESC_HASH     = 64'd0,                  // of the description, 0 = none
    parameter                  FRAME_RECORDS = `NPS_FRAME_RECORDS,     // most records of a frame, 32..512
    parameter [47:0]           FRAME_AGE_NS  = `NPS_FRAME_AGE_NS,      // relative ns, 1..HEARTBEAT_NS
    parameter [47:0]           HEARTBEAT_NS  = `NPS_HEARTBEAT_NS,      // relative ns
    parameter                  REGS          = 1                       // s_axil_* in place of enable and cfg_*
) (
    input wire clk,
    input wire rst,
    input wire enable,  // rising: start; falling: flush and END

    // time bus
    input wire [47:0] rel_ns,
    input wire [ 7:0] rel_frac,  // 1/256 ns, for JITTER only
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

    // sync, with JITTER
    input  wire sync_valid,
    input  wire phy_changed,  // pulse: the next interval would compare two paths
    output wire sync_lost,    // level: the watchdog found no pulse

    // requests, with RAS; an ack answers a request: req up, ack up, req down, ack down
    output wire crc_reneg_req,
    input  wire crc_reneg_ack,
    input  wire reneg_done,      // pulse: the CRC renegotiation is done
    output wire phy_switch_req,
    input  wire phy_switch_ack,  // phy_changed says that it is done

    // tokens, with TOKEN, in a valid/ready stream; without, they pass: see rtl/token/README.md
    input  wire                    ins_valid,     // instructions, watched
    input  wire                    ins_ready,
    input  wire [            31:0] ins_word,
    input  wire [            31:0] ins_rs1,
    output wire                    ins_error,     // pulse: refused
    input  wire                    tok_valid,
    output wire                    tok_ready,
    input  wire [            31:0] tok_ptr,
    input  wire [            31:0] tok_id,
    input  wire [             7:0] tok_layer,
    input  wire [            15:0] tok_slot,
    input  wire                    tok_first,
    input  wire                    tok_eos,
    input  wire                    tok_eosp,
    input  wire                    tok_boundary,
    input  wire [32*(WORDS-3)-1:0] tok_ctx,
    input  wire [            15:0] mem_free,
    output wire                    pipe_valid,
    input  wire                    pipe_ready,
    output wire                    pipe_freeze,   // the interrupt
    input  wire                    token_resume,  // pulse; the registers can do so too
    input  wire                    token_trim,    // level

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

    `NPS_REFUSE(REGS < 0 || REGS > 1, nps_error__REGS_must_be_0_or_1)

    `NPS_REFUSE(JITTER < 0 || JITTER > 1 || RAS < 0 || RAS > 1 || TOKEN < 0 || TOKEN > 1,
                nps_error__JITTER_RAS_and_TOKEN_must_be_0_or_1)
    `NPS_REFUSE(WORDS < 4 || WORDS > 16, nps_error__WORDS_must_be_4_to_16)
    `NPS_REFUSE(RAS != 0 && JITTER == 0, nps_error__RAS_needs_JITTER)

    localparam SOURCES = NUM_BP + TOKEN + RAS + JITTER + 1;
    localparam TOKEN_AT = NUM_BP;
    localparam MARK_AT = SOURCES - 1;
    localparam RAS_AT = SOURCES - 3;
    localparam JITTER_AT = SOURCES - 2;

    // ---------------------------------------------------------------- inputs
    reg [47:0] rel;
    reg [63:0] ts, step;
    reg [7:0] frac;
    reg [1:0] quality;
    reg stepped_ts, stepped_rel, has_lock, has_holdover;
    reg sync, new_phy, reneg_ack, reneg_over, switch_ack;

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
    wire [1:0] quality_now = locked ? `NPS_TQ_LOCKED : holdover ? `NPS_TQ_HOLDOVER
        : doubt_now ? `NPS_TQ_DOUBT : `NPS_TQ_FREE_RUN;

    always @(posedge clk) begin
        rel <= rel_ns;
        frac <= rel_frac;
        {has_lock, has_holdover} <= {locked, holdover};
        sync <= sync_valid;
        new_phy <= phy_changed && !rst;
        {reneg_ack, reneg_over, switch_ack} <= {crc_reneg_ack, reneg_done && !rst, phy_switch_ack};
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
        quality <= quality_now;
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
    wire sampled, starting, restart, begin_stream, offer, flush, done;

    nps_trace_control #(
        .LATENCY(`NPS_BP_LATENCY), .BEGIN_LATENCY(`NPS_BP_LIMITS_LATENCY)
    ) u_control (
        .clk(clk), .rst(rst), .enable(run), .done(done), .sampling(sampling), .sampled(sampled), .active(active),
        .starting(starting), .restart(restart), .begin_stream(begin_stream), .offer(offer), .flush(flush)
    );

    // ---------------------------------------------------------------- registers
    wire [SOURCES-1:0] dropped;  // a source drops an event

    // orders to the sources, of the registers or fixed, and what these answer
    wire jitter_enable, jitter_apply, jitter_stat_snap, jitter_error;
    wire [47:0] jitter_t_nominal;
    wire [3:0] jitter_options, jitter_stat_index;
    wire [31:0] jitter_watchdog, jitter_stat_word;
    wire js_sync_lost;
    wire ras_enable, ras_apply, ras_snap, ras_error;
    wire [29:0] ras_r_limit, ras_a_limit, ras_s_limit;
    wire [7:0] ras_r_run, ras_r_rearm, ras_a_budget;
    wire [30:0] ras_s_window;
    wire [17:0] ras_a_holdoff;
    wire [4:0] ras_clear, ras_inject, ras_pending, ras_overflow;
    wire [2:0] ras_snap_class, ras_word_index;
    wire [1:0] ras_req_timeout;
    wire [31:0] ras_word;
    wire token_arm, resume_order, trim_order, token_apply, inject_enable, token_error, token_armed, token_trimming;
    wire [31:0] token_arm_ptr, token_id;
    wire [15:0] token_mem_low_on, token_mem_low_off, inject_first, inject_every;
    wire [7:0] inject_layer, token_nested;
    wire [3:0] token_arm_mask, inject_cause, token_held, token_cause;
    wire [32*WORDS-1:0] token_ctx;

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

            wire unused_pins = &{1'b0, enable, cfg_apply, cfg_th_on, cfg_th_off, cfg_th_wet, cfg_level_step, cfg_k,
                                 cfg_raw, cfg_stale_ns};

            nps_csr #(
                .NUM_BP(NUM_BP), .JITTER(JITTER), .RAS(RAS), .TOKEN(TOKEN), .WORDS(WORDS), .S_COUNT(S_COUNT[7:0]),
                .SOURCES(SOURCES),
                .CLK_PERIOD_PS(CLK_PERIOD_PS), .DESC_HASH(DESC_HASH)
            ) u_csr (
                .clk(clk), .rst(rst), .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid),
                .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
                .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
                .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready), .s_axil_araddr(s_axil_araddr),
                .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready), .s_axil_rdata(s_axil_rdata),
                .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready), .irq(irq),
                .enable(run), .sampling(sampling), .active(active), .drop(dropped), .ts_ns(ts),
                .locked(quality == `NPS_TQ_LOCKED), .holdover(quality == `NPS_TQ_HOLDOVER),
                .mark_in_valid(mark_valid), .mark_in_sub(mark_sub), .mark_in_value(mark_value), .mark_valid(in_mark),
                .mark_sub(in_mark_sub), .mark_value(in_mark_value), .bp_apply(in_apply), .bp_th_on(th_on),
                .bp_th_off(th_off), .bp_th_wet(th_wet), .bp_level_step(level_step), .bp_k(k), .bp_raw(raw),
                .bp_stale_ns(stale_ns), .bp_error(cfg_error), .jitter_enable(jitter_enable),
                .jitter_apply(jitter_apply), .jitter_stat_snap(jitter_stat_snap), .ras_enable(ras_enable),
                .ras_apply(ras_apply), .ras_snap(ras_snap), .token_arm(token_arm), .token_resume(resume_order),
                .token_trim(trim_order), .token_apply(token_apply), .inject_enable(inject_enable),
                .jitter_t_nominal(jitter_t_nominal), .jitter_options(jitter_options),
                .jitter_stat_index(jitter_stat_index), .token_arm_mask(token_arm_mask), .inject_cause(inject_cause),
                .jitter_watchdog(jitter_watchdog), .token_arm_ptr(token_arm_ptr), .ras_r_limit(ras_r_limit),
                .ras_a_limit(ras_a_limit), .ras_s_limit(ras_s_limit), .ras_r_run(ras_r_run),
                .ras_r_rearm(ras_r_rearm), .ras_a_budget(ras_a_budget), .inject_layer(inject_layer),
                .ras_s_window(ras_s_window), .ras_a_holdoff(ras_a_holdoff), .ras_clear(ras_clear),
                .ras_inject(ras_inject), .ras_snap_class(ras_snap_class), .ras_word_index(ras_word_index),
                .token_mem_low_on(token_mem_low_on), .token_mem_low_off(token_mem_low_off),
                .inject_first(inject_first), .inject_every(inject_every), .jitter_error(jitter_error),
                .jitter_sync_lost(sync_lost), .jitter_js_sync_lost(js_sync_lost), .jitter_stat_word(jitter_stat_word),
                .ras_error(ras_error), .ras_pending(ras_pending), .ras_overflow(ras_overflow),
                .ras_req_timeout(ras_req_timeout), .ras_word(ras_word),
                .token_error(token_error), .token_armed(token_armed), .token_freeze(pipe_freeze),
                .token_trimming(token_trimming), .token_held(token_held),
                .token_nested(token_nested), .token_cause(token_cause), .token_id(token_id), .token_ctx(token_ctx)
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
            assign jitter_enable = sampled;
            assign {jitter_apply, jitter_t_nominal, jitter_options, jitter_watchdog} = 85'd0;
            assign {jitter_stat_snap, jitter_stat_index} = 5'd0;
            assign ras_enable = sampled;
            assign {ras_apply, ras_r_limit, ras_a_limit, ras_s_limit, ras_r_run, ras_r_rearm, ras_a_budget} = 115'd0;
            assign {ras_s_window, ras_a_holdoff, ras_clear, ras_inject} = 59'd0;
            assign {ras_snap, ras_snap_class, ras_word_index} = 7'd0;
            assign {token_arm, resume_order, trim_order, token_apply, inject_enable, token_arm_ptr} = 37'd0;
            assign {token_mem_low_on, token_mem_low_off, inject_first, inject_every, inject_layer} = 72'd0;
            assign {token_arm_mask, inject_cause} = 8'd0;
            assign {s_axil_awready, s_axil_wready, s_axil_bresp, s_axil_bvalid} = 5'd0;
            assign {s_axil_arready, s_axil_rdata, s_axil_rresp, s_axil_rvalid, irq} = 37'd0;
            wire unused = &{1'b0, s_axil_awaddr, s_axil_awvalid, s_axil_wdata, s_axil_wstrb, s_axil_wvalid,
                            s_axil_bready, s_axil_araddr, s_axil_arvalid, s_axil_rready, dropped, jitter_error,
                            js_sync_lost, jitter_stat_word, ras_error, ras_pending, ras_overflow, ras_req_timeout,
                            ras_word, token_error, token_armed, token_trimming, token_id, token_nested, token_held,
                            token_cause, token_ctx};
        end
    endgenerate

    // ---------------------------------------------------------------- sources
    wire [`NPS_EVENT_W*SOURCES-1:0] events;
    wire [SOURCES-1:0] offers;
    wire [32*NUM_BP-1:0] limits, stale;
    wire [63:0] jitter_words;
    wire [191:0] ras_words;
    wire [`NPS_JS_W-1:0] js;
    wire ras_step_coming, ras_offers;
    wire [32*WORDS-1:0] context_words;

    genvar g;
    generate
        for (g = 0; g < NUM_BP; g = g + 1) begin : gen_bp
            wire ev_valid, ev_step;
            wire [3:0] ev_kind, ev_sub;
            wire [ 1:0] ev_tq;
            wire [63:0] ev_ts, ev_step_ns;
            wire [31:0] ev_payload, ev_bp_samples;
            assign events[`NPS_EVENT_W*g+:`NPS_EVENT_W] =
                {ev_step_ns, ev_step, ev_valid, ev_bp_samples, ev_tq, ev_ts, ev_kind, ev_sub, ev_payload};
            assign offers[g] = offer;

            nps_bp_probe #(
                .LAYERS(LAYERS[32*g+:32]), .DRY_MASK(DRY_MASK[32*g+:32]), .STEADY(STEADY), .TH_ON(TH_ON),
                .TH_OFF(TH_OFF), .TH_WET(TH_WET), .LEVEL_STEP(LEVEL_STEP), .DWELL_SHIFT(DWELL_SHIFT),
                .STALE_NS(STALE_NS), .RAW(RAW)
            ) u_probe (
                .clk(clk), .rst(rst), .restart(restart), .rel_ns(rel), .ts_ns(ts), .tq(quality), .ts_step(stepped_ts),
                .rel_step(stepped_rel), .step_ns(step), .trace_valid(valid[g]), .layer_id(layer[5*g+:5]),
                .buf_occupancy(occupancy[6*g+:6]), .backpressure_en(bp_en[g]), .cfg_apply(apply[g]),
                .cfg_th_on(to_th_on[6*g+:6]), .cfg_th_off(to_th_off[6*g+:6]), .cfg_th_wet(to_th_wet[6*g+:6]),
                .cfg_level_step(to_level_step[6*g+:6]), .cfg_k(to_k[5*g+:5]), .cfg_raw(to_raw[g]),
                .cfg_stale_ns(to_stale_ns[32*g+:32]), .cfg_error(cfg_error[g]), .limits(limits[32*g+:32]),
                .stale(stale[32*g+:32]),
                .ev_valid(ev_valid), .ev_kind(ev_kind), .ev_sub(ev_sub), .ev_tq(ev_tq), .ev_ts(ev_ts),
                .ev_payload(ev_payload), .ev_bp_samples(ev_bp_samples), .ev_step(ev_step), .ev_step_ns(ev_step_ns)
            );
        end
        if (1) begin : gen_mark
            wire ev_valid, ev_step;
            wire [3:0] ev_kind, ev_sub;
            wire [ 1:0] ev_tq;
            wire [63:0] ev_ts, ev_step_ns;
            wire [31:0] ev_payload;
            assign events[`NPS_EVENT_W*MARK_AT+:`NPS_EVENT_W] =
                {ev_step_ns, ev_step, ev_valid, 32'd0, ev_tq, ev_ts, ev_kind, ev_sub, ev_payload};
            assign offers[MARK_AT] = offer;

            nps_mark #(
                .LATENCY(`NPS_BP_LATENCY)
            ) u_mark (
                .clk(clk), .rst(rst), .restart(restart), .mark_valid(mark), .mark_sub(mark_kind),
                .mark_value(mark_payload), .ts_ns(ts), .tq(quality), .ts_step(stepped_ts), .rel_step(stepped_rel),
                .step_ns(step), .ev_valid(ev_valid), .ev_kind(ev_kind), .ev_sub(ev_sub), .ev_tq(ev_tq),
                .ev_ts(ev_ts), .ev_payload(ev_payload), .ev_step(ev_step), .ev_step_ns(ev_step_ns)
            );
        end

        if (JITTER != 0) begin : gen_jitter
            assign offers[JITTER_AT] = offer;

            nps_source_jitter #(
                .T_NOMINAL(T_NOMINAL), .WATCHDOG(WATCHDOG), .OPTIONS(JITTER_OPTIONS)
            ) u_jitter (
                .clk(clk), .rst(rst), .restart(restart), .enable(jitter_enable),
                .rel_ns(rel), .rel_frac(frac), .ts_ns(ts), .tq(quality), .locked(has_lock), .holdover(has_holdover),
                .ts_step(stepped_ts), .rel_step(stepped_rel), .step_ns(step),
                .sync_valid(sync), .phy_changed(new_phy),
                .cfg_apply(jitter_apply), .cfg_t_nominal(jitter_t_nominal), .cfg_options(jitter_options),
                .cfg_watchdog(jitter_watchdog), .cfg_error(jitter_error),
                .js(js), .js_sync_lost(js_sync_lost), .sync_lost(sync_lost),
                .stat_snap(jitter_stat_snap), .stat_index(jitter_stat_index), .stat_word(jitter_stat_word),
                .words(jitter_words), .event_bus(events[`NPS_EVENT_W*JITTER_AT+:`NPS_EVENT_W])
            );
        end else begin : gen_no_jitter
            assign {sync_lost, jitter_error, js_sync_lost, jitter_stat_word, jitter_words} = 99'd0;
            assign js = {`NPS_JS_W{1'b0}};
            wire unused = &{1'b0, frac, has_lock, has_holdover, sync, new_phy, jitter_enable, jitter_apply,
                jitter_t_nominal, jitter_options, jitter_watchdog, jitter_stat_snap, jitter_stat_index};
        end

        if (RAS != 0) begin : gen_ras
            // what belongs to the clock of js
            reg [`NPS_JITTER_LATENCY-1:0] offered, enabled, renegotiated;
            always @(posedge clk) begin
                offered <= {offered[`NPS_JITTER_LATENCY-2:0], sampled};
                enabled <= {enabled[`NPS_JITTER_LATENCY-2:0], ras_enable};
                renegotiated <= {renegotiated[`NPS_JITTER_LATENCY-2:0], reneg_over};
                if (rst) {offered, enabled, renegotiated} <= {3 * `NPS_JITTER_LATENCY{1'b0}};
            end

            nps_source_ras #(
                .UNIT(UNIT), .S_COUNT(S_COUNT), .REQ_TIMEOUT(REQ_TIMEOUT), .R_LIMIT(R_LIMIT), .A_LIMIT(A_LIMIT),
                .S_LIMIT(S_LIMIT), .R_RUN(R_RUN), .R_REARM(R_REARM), .A_BUDGET(A_BUDGET), .S_WINDOW(S_WINDOW),
                .A_HOLDOFF(A_HOLDOFF)
            ) u_ras (
                .clk(clk), .rst(rst), .js(js), .js_offer(offered[`NPS_JITTER_LATENCY-1]),
                .enable(enabled[`NPS_JITTER_LATENCY-1]), .reneg_done(renegotiated[`NPS_JITTER_LATENCY-1]),
                .crc_reneg_req(crc_reneg_req), .crc_reneg_ack(reneg_ack), .phy_switch_req(phy_switch_req),
                .phy_switch_ack(switch_ack),
                .cfg_apply(ras_apply), .cfg_r_limit(ras_r_limit), .cfg_a_limit(ras_a_limit),
                .cfg_s_limit(ras_s_limit), .cfg_r_run(ras_r_run), .cfg_r_rearm(ras_r_rearm),
                .cfg_a_budget(ras_a_budget), .cfg_s_window(ras_s_window), .cfg_a_holdoff(ras_a_holdoff),
                .cfg_error(ras_error), .pending(ras_pending), .overflow(ras_overflow), .clear(ras_clear),
                .inject(ras_inject), .req_timeout(ras_req_timeout), .snap(ras_snap), .snap_class(ras_snap_class),
                .word_index(ras_word_index), .word(ras_word),
                .words(ras_words), .offers(ras_offers), .step_coming(ras_step_coming),
                .event_offer(offers[RAS_AT]), .event_bus(events[`NPS_EVENT_W*RAS_AT+:`NPS_EVENT_W])
            );
        end else begin : gen_no_ras
            assign {crc_reneg_req, phy_switch_req, ras_error, ras_pending, ras_overflow, ras_req_timeout} = 15'd0;
            assign {ras_word, ras_words, ras_offers, ras_step_coming} = 226'd0;
            wire unused = &{1'b0, js, reneg_ack, reneg_over, switch_ack, ras_enable, ras_apply, ras_r_limit,
                ras_a_limit, ras_s_limit, ras_r_run, ras_r_rearm, ras_a_budget, ras_s_window, ras_a_holdoff,
                ras_clear, ras_inject, ras_snap, ras_snap_class, ras_word_index};
        end

        if (TOKEN != 0) begin : gen_token
            assign offers[TOKEN_AT] = offer;

            nps_source_token #(
                .WORDS(WORDS), .OPCODE(OPCODE), .OPCODE_BITS(OPCODE_BITS), .MEM_LOW_ON(MEM_LOW_ON),
                .MEM_LOW_OFF(MEM_LOW_OFF)
            ) u_token (
                .clk(clk), .rst(rst), .restart(starting), .ts_ns(ts_ns), .tq(quality_now), .ts_step(ts_step),
                .rel_step(rel_step), .step_ns(step_ns), .ins_valid(ins_valid), .ins_ready(ins_ready),
                .ins_word(ins_word), .ins_rs1(ins_rs1), .ins_error(ins_error), .arm(token_arm),
                .arm_ptr(token_arm_ptr), .arm_mask(token_arm_mask), .tok_valid(tok_valid), .tok_ready(tok_ready),
                .tok_ptr(tok_ptr), .tok_id(tok_id), .tok_layer(tok_layer), .tok_slot(tok_slot),
                .tok_first(tok_first), .tok_eos(tok_eos), .tok_eosp(tok_eosp), .tok_boundary(tok_boundary),
                .tok_ctx(tok_ctx), .mem_free(mem_free), .pipe_valid(pipe_valid), .pipe_ready(pipe_ready),
                .pipe_freeze(pipe_freeze), .resume(token_resume || resume_order), .trim(token_trim || trim_order),
                .cfg_apply(token_apply), .cfg_mem_low_on(token_mem_low_on), .cfg_mem_low_off(token_mem_low_off),
                .cfg_error(token_error), .inject_enable(inject_enable), .inject_first(inject_first),
                .inject_every(inject_every), .inject_layer(inject_layer), .inject_cause(inject_cause),
                .armed(token_armed), .trimming(token_trimming), .held(token_held), .nested(token_nested),
                .snap_cause(token_cause), .snap_token(token_id), .snap_ctx(token_ctx),
                .context_words(context_words), .event_bus(events[`NPS_EVENT_W*TOKEN_AT+:`NPS_EVENT_W])
            );
        end else begin : gen_no_token
            assign {tok_ready, pipe_valid, pipe_freeze, ins_error} = {pipe_ready, tok_valid, 2'b00};
            assign {token_error, token_armed, token_trimming, token_id, token_nested, token_held, token_cause} = 51'd0;
            assign {token_ctx, context_words} = {64 * WORDS{1'b0}};
            wire unused = &{1'b0, starting, ins_valid, ins_ready, ins_word, ins_rs1, tok_ptr, tok_id, tok_layer,
                tok_slot, tok_first, tok_eos, tok_eosp, tok_boundary, tok_ctx, mem_free, token_resume, token_trim,
                token_arm, resume_order, trim_order, token_apply, inject_enable, token_arm_ptr, token_arm_mask,
                token_mem_low_on, token_mem_low_off, inject_first, inject_every, inject_layer, inject_cause};
        end
    endgenerate

    // ---------------------------------------------------------------- stream
    // a clock step on its way through the sources
    reg [`NPS_BP_LATENCY+1:0] steps_coming;
    always @(posedge clk) begin
        if (rst) steps_coming <= {(`NPS_BP_LATENCY + 2) {1'b0}};
        else steps_coming <= {steps_coming[`NPS_BP_LATENCY:0], (stepped_ts || stepped_rel) && sampled};
    end

    nps_trace_fabric #(
        .NUM_BP(NUM_BP), .TOKEN(TOKEN), .RAS(RAS), .JITTER(JITTER), .WORDS(WORDS), .LAYERS(LAYERS),
        .DRY_MASK(DRY_MASK), .FIFO_DEPTH(FIFO_DEPTH), .CLK_PERIOD_PS(CLK_PERIOD_PS), .DESC_HASH(DESC_HASH),
        .FRAME_RECORDS(FRAME_RECORDS), .FRAME_AGE_NS(FRAME_AGE_NS), .HEARTBEAT_NS(HEARTBEAT_NS)
    ) u_fabric (
        .clk(clk), .rst(rst), .restart(begin_stream), .rel_ns(rel), .ts_ns(ts), .tq(quality),
        .events(events), .offer(offers), .token_context(context_words),
        .limits(limits), .stale(stale), .ras_words(ras_words), .jitter_words(jitter_words),
        .step_coming(|steps_coming || ras_step_coming), .flush(flush && !ras_offers), .done(done), .dropped(dropped),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tlast(m_axis_tlast),
        .m_axis_tready(m_axis_tready)
    );

endmodule
`default_nettype wire
