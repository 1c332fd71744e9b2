// Generated from rtl/spec/nps.rdl by `make gen`: do not edit.
// SPDX-License-Identifier: Apache-2.0
// npuscope: registers of nps_top behind an AXI4-Lite port. Map: rtl/gen/nps_regs.md, rules: rtl/regs/README.md.
//
// Does:      keeps the configuration, holds events until they are cleared, passes commands on, shows status.
// Promises:  AXI4-Lite (nps_regs_axil); byte strobes; a set beats a clear; a 64-bit register reads as of one clock.
// Costs:     see nps_regs_axil; a field or command shows what was written 4 clocks after the write's last handshake.
// Overflow:  none: an event that comes while its bit is set changes nothing.
`default_nettype none

module nps_regs #(
    parameter [5:0] NUM_BP = 6'd2,
    parameter [0:0] JITTER = 1'd1,
    parameter [0:0] RAS = 1'd1,
    parameter [0:0] TOKEN = 1'd1,
    parameter [31:0] DESC_HASH_LO = 32'd0,
    parameter [31:0] DESC_HASH_HI = 32'd0,
    parameter [31:0] CLK_PERIOD_PS = 32'd5000,
    parameter [7:0] S_COUNT = 8'd3
) (
    input  wire clk,
    input  wire rst,
    input  wire [11:0] s_axil_awaddr,
    input  wire s_axil_awvalid,
    output wire s_axil_awready,
    input  wire [31:0] s_axil_wdata,
    input  wire [3:0] s_axil_wstrb,
    input  wire s_axil_wvalid,
    output wire s_axil_wready,
    output wire [1:0] s_axil_bresp,
    output wire s_axil_bvalid,
    input  wire s_axil_bready,
    input  wire [11:0] s_axil_araddr,
    input  wire s_axil_arvalid,
    output wire s_axil_arready,
    output wire [31:0] s_axil_rdata,
    output wire [1:0] s_axil_rresp,
    output wire s_axil_rvalid,
    input  wire s_axil_rready,

    // 0x020 CONTROL: Start and end of the stream.
    output reg  control_enable,
    output reg  control_jitter,
    output reg  control_ras,

    // 0x024 STATUS: What is going on.
    input  wire status_sampling,
    input  wire status_active,
    input  wire status_locked,
    input  wire status_holdover,
    input  wire status_sync_lost,
    input  wire status_mark_waiting,

    // 0x028 MARK_SUB: Sub of the next MARK.
    output reg  [1:0] mark_sub,

    // 0x02C MARK: A write puts a MARK of this value into the stream. One that still waits (STATUS.mark_waiting) is
    // replaced.
    output reg  [31:0] mark,
    output reg  mark_written,

    // 0x030 INT_RAW: Events since they were cleared, masked or not.
    input  wire int_raw_loss_set,
    input  wire int_raw_cfg_set,
    input  wire int_raw_sync_lost_set,
    input  wire int_raw_ras_r_set,
    input  wire int_raw_ras_a_set,
    input  wire int_raw_ras_s_set,
    input  wire int_raw_ras_exhausted_set,
    input  wire int_raw_reneg_timeout_set,
    input  wire int_raw_switch_timeout_set,
    input  wire int_raw_token_set,
    input  wire int_raw_token_nested_set,

    // 0x038 INT_STATUS: INT_RAW and INT_MASK; the interrupt is high while any is set.
    output reg  int_status_any,

    // 0x03C CFG_ERR: Blocks that refused a configuration; the one before stays in force.
    input  wire cfg_err_bp_set,
    input  wire cfg_err_jitter_set,
    input  wire cfg_err_ras_set,
    input  wire cfg_err_token_set,

    // 0x040 APPLY: Hand the words written to a block, which takes or refuses them as a whole. One that is not built in
    // refuses.
    output reg  apply_bp,
    output reg  apply_jitter,
    output reg  apply_ras,
    output reg  apply_token,

    // 0x044 JITTER_SNAP: Hold the words of the JITTER window as they are now, until the next time.
    output reg  jitter_snap,

    // 0x048 TIMESTAMP: Time now. Read the low word first: it holds the high word.
    input  wire [63:0] timestamp,

    // 0x050 BP_PORT: Trace port for APPLY.bp. APPLY to one that does not exist is refused.
    output reg  [5:0] bp_port,

    // 0x054 BP_LIMITS: Limits, as CFG BP_LIMITS. Refused unless th_off < th_on and none of th_on, th_off, th_wet is 0.
    output reg  [5:0] bp_limits_th_on,
    output reg  [5:0] bp_limits_th_off,
    output reg  [5:0] bp_limits_level_step,
    output reg  [4:0] bp_limits_k,
    output reg  bp_limits_raw,
    output reg  [5:0] bp_limits_th_wet,

    // 0x058 BP_STALE: Stale period, as CFG STALE.
    output reg  [31:0] bp_stale,

    // 0x060 T_NOMINAL_LO: Nominal sync interval, as CFG T_NOMINAL_LO. An interval of 0 is refused.
    output reg  [31:0] t_nominal_lo,

    // 0x064 T_NOMINAL_HI: Nominal sync interval and options, as CFG T_NOMINAL_HI.
    output reg  [15:0] t_nominal_hi_hi,
    output reg  t_nominal_hi_need_lock,
    output reg  t_nominal_hi_exclude,
    output reg  t_nominal_hi_strobe,
    output reg  t_nominal_hi_sync_lost_a,

    // 0x068 WATCHDOG: Watchdog of the sync pulses.
    output reg  [31:0] watchdog,

    // 0x070 LOSS_COUNT: Events dropped by all sources since reset, modulo 2^32; LOSS records in the stream tell them by
    // source and time.
    input  wire [31:0] loss_count,

    // 0x074 LOSS_SOURCES: Sources that dropped any since reset: bit n is the n-th source of the stream, bit 31 the 32nd
    // and later.
    input  wire [31:0] loss_sources,

    // 0x080 R_LIMIT: Reliability limit. Refused unless R <= A <= S and all counts and times are legal.
    output reg  [29:0] r_limit,

    // 0x084 A_LIMIT: Availability limit.
    output reg  [29:0] a_limit,

    // 0x088 S_LIMIT: Serviceability limit.
    output reg  [29:0] s_limit,

    // 0x08C RAS_COUNTS: Counts, as CFG RAS_COUNTS.
    output reg  [7:0] ras_counts_r_run,
    output reg  [7:0] ras_counts_r_rearm,
    output reg  [7:0] ras_counts_a_budget,

    // 0x090 S_WINDOW: Sliding window of S.
    output reg  [30:0] s_window,

    // 0x094 A_HOLDOFF: No PHY switch within this time of the last.
    output reg  [17:0] a_holdoff,

    // 0x098 RAS_PENDING: Latched classes. Writing 1 to a class clears it with its count, stamps and overflow.
    input  wire ras_pending_reliability,
    output reg  ras_pending_reliability_clear,
    input  wire ras_pending_availability,
    output reg  ras_pending_availability_clear,
    input  wire ras_pending_serviceability,
    output reg  ras_pending_serviceability_clear,
    input  wire ras_pending_sync_lost,
    output reg  ras_pending_sync_lost_clear,
    input  wire ras_pending_exhausted,
    output reg  ras_pending_exhausted_clear,
    input  wire [4:0] ras_pending_overflow,

    // 0x09C RAS_SNAP: Copies the latch of a class into the RAS window.
    output reg  [2:0] ras_snap,
    output reg  ras_snap_written,

    // 0x0A0 RAS_INJECT: Test injection: the class fires, marked injected.
    output reg  ras_inject_reliability,
    output reg  ras_inject_availability,
    output reg  ras_inject_serviceability,
    output reg  ras_inject_sync_lost,
    output reg  ras_inject_exhausted,

    // 0x0A8 TOK_PTR: Arm by software: watch tokens from this pointer on.
    output reg  [31:0] tok_ptr,

    // 0x0AC TOK_CONTROL: What to watch for and what to do.
    output reg  [3:0] tok_control_mask,
    output reg  tok_control_trim,

    // 0x0B0 TOK_CMD: Commands of the token interrupt.
    output reg  tok_cmd_arm,
    output reg  tok_cmd_resume,

    // 0x0B4 MEM_LOW: MEM_LOW. Refused unless off > on.
    output reg  [15:0] mem_low_on,
    output reg  [15:0] mem_low_off,

    // 0x0B8 TOK_STATUS: What the token interrupt holds.
    input  wire [3:0] tok_status_cause,
    input  wire [3:0] tok_status_held,
    input  wire [7:0] tok_status_nested,
    input  wire tok_status_armed,
    input  wire tok_status_frozen,
    input  wire tok_status_trimming,

    // 0x0C0 INJ_TOKEN: Which tokens get a cause injected, for verification; stable while INJ_CONTROL.enable is 1.
    output reg  [15:0] inj_token_first,
    output reg  [15:0] inj_token_every,

    // 0x0C4 INJ_CONTROL: Token injection.
    output reg  [7:0] inj_control_layer,
    output reg  [3:0] inj_control_cause,
    output reg  inj_control_enable,

    // 0x140 JITTER: Jitter statistics as JITTER_SNAP holds them: 0 count, 1 min, 2 max since the snapshot before, 3..4
    // sum, 5..7 sum of squares, 8..9 running TIE, 10 bit 0: min and max hold a sample, bit 1: busy, the words do not
    // stand yet, bit 2: samples are missing. All but min and max are cumulative, modular.
    output wire [3:0] jitter_index,
    input  wire [31:0] jitter_word,

    // 0x180 RAS: The class RAS_SNAP copied: 0 flags (0 pending, 1 overflow, 12:8 count), 1 worst jitter, 2..3 first ts,
    // 4..5 last ts.
    output wire [2:0] ras_index,
    input  wire [31:0] ras_word,

    // 0x200 TOKEN: Snapshot of the token interrupt: 0..15 context words, 16 token id.
    output wire [4:0] token_index,
    input  wire [31:0] token_word
);

    // ---------------------------------------------------------------- access
    wire [9:0] word;      // of the access under way
    wire [31:0] data;      // written
    wire [3:0] strobe;     // bytes to be written, in one clock of a write
    wire sample;           // in one clock of a read: what is read is that of this clock
    wire [31:0] value;
    reg  unmapped;

    nps_regs_axil #(
        .ADDR_W(12)
    ) u_axil (
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
        .word(word),
        .data(data),
        .strobe(strobe),
        .sample(sample),
        .value(value),
        .unmapped(unmapped)
    );

    // eight words are a row; one-hot, a clock after word
    reg [6:0] row;
    reg [7:0] column;
    reg in_jitter, in_ras, in_token;
    integer i;
    always @(posedge clk) begin
        for (i = 0; i < 7; i = i + 1) row[i] <= word[9:3] == i[6:0];
        for (i = 0; i < 8; i = i + 1) column[i] <= word[2:0] == i[2:0];
        in_jitter <= word[9:4] == 6'd5;
        in_ras <= word[9:3] == 7'd12;
        in_token <= word[9:5] == 5'd4;
    end
    always @(posedge clk) unmapped <= !(
        (row[0] && |(column & 8'b01111111)) || row[1] || (row[2] && |(column & 8'b01111111)) ||
        (row[3] && |(column & 8'b00110111)) || row[4] || (row[5] && |(column & 8'b01111101)) ||
        (row[6] && |(column & 8'b00000011)) || in_jitter || in_ras || in_token);

    // ---------------------------------------------------------------- registers

    // 0x000 ID: Which block this is.
    wire [31:0] v_id = 32'h4E505331;

    // 0x004 VERSION: Version of this map: a reader refuses another major.
    wire [31:0] v_version = {16'd1, 16'd0};

    // 0x008 STREAM: Version of the trace stream, as CFG VERSION.
    wire [31:0] v_stream = 32'h10000;

    // 0x00C CAPS: What was built in.
    wire [31:0] v_caps = {21'd0, TOKEN, RAS, JITTER, 2'd0, NUM_BP};

    // 0x010 DESC_HASH_LO: Hash of the description that the stream belongs to, 0 = none.
    wire [31:0] v_desc_hash_lo = DESC_HASH_LO;

    // 0x014 DESC_HASH_HI: Hash of the description that the stream belongs to.
    wire [31:0] v_desc_hash_hi = DESC_HASH_HI;

    // 0x018 CLK_PERIOD: Clock period.
    wire [31:0] v_clk_period = CLK_PERIOD_PS;

    // 0x020 CONTROL: Start and end of the stream.
    wire control_w0 = row[1] && column[0] && strobe[0];
    always @(posedge clk) begin
        if (rst) begin
            control_enable <= 1'd0;
            control_jitter <= 1'd0;
            control_ras <= 1'd0;
        end else begin
            if (control_w0) control_enable <= data[0];
            if (control_w0) control_jitter <= data[1];
            if (control_w0) control_ras <= data[2];
        end
    end
    wire [31:0] v_control = {29'd0, control_ras, control_jitter, control_enable};

    // 0x024 STATUS: What is going on.
    wire [31:0] v_status = {
        26'd0, status_mark_waiting, status_sync_lost, status_holdover, status_locked, status_active, status_sampling};

    // 0x028 MARK_SUB: Sub of the next MARK.
    wire mark_sub_w0 = row[1] && column[2] && strobe[0];
    always @(posedge clk) begin
        if (rst) begin
            mark_sub <= 2'd0;
        end else begin
            if (mark_sub_w0) mark_sub <= data[1:0];
        end
    end
    wire [31:0] v_mark_sub = {30'd0, mark_sub};

    // 0x02C MARK: A write puts a MARK of this value into the stream. One that still waits (STATUS.mark_waiting) is
    // replaced.
    wire mark_w0 = row[1] && column[3] && strobe[0];
    wire mark_w1 = row[1] && column[3] && strobe[1];
    wire mark_w2 = row[1] && column[3] && strobe[2];
    wire mark_w3 = row[1] && column[3] && strobe[3];
    always @(posedge clk) begin
        if (rst) begin
            mark <= 32'd0;
            mark_written <= 1'b0;
        end else begin
            if (mark_w0) mark[7:0] <= data[7:0];
            if (mark_w1) mark[15:8] <= data[15:8];
            if (mark_w2) mark[23:16] <= data[23:16];
            if (mark_w3) mark[31:24] <= data[31:24];
            mark_written <= mark_w0 || mark_w1 || mark_w2 || mark_w3;
        end
    end

    // 0x030 INT_RAW: Events since they were cleared, masked or not.
    reg int_raw_loss;
    reg int_raw_cfg;
    reg int_raw_sync_lost;
    reg int_raw_ras_r;
    reg int_raw_ras_a;
    reg int_raw_ras_s;
    reg int_raw_ras_exhausted;
    reg int_raw_reneg_timeout;
    reg int_raw_switch_timeout;
    reg int_raw_token;
    reg int_raw_token_nested;
    wire int_raw_w0 = row[1] && column[4] && strobe[0];
    wire int_raw_w1 = row[1] && column[4] && strobe[1];
    always @(posedge clk) begin
        if (rst) begin
            int_raw_loss <= 1'd0;
            int_raw_cfg <= 1'd0;
            int_raw_sync_lost <= 1'd0;
            int_raw_ras_r <= 1'd0;
            int_raw_ras_a <= 1'd0;
            int_raw_ras_s <= 1'd0;
            int_raw_ras_exhausted <= 1'd0;
            int_raw_reneg_timeout <= 1'd0;
            int_raw_switch_timeout <= 1'd0;
            int_raw_token <= 1'd0;
            int_raw_token_nested <= 1'd0;
        end else begin
            if (int_raw_loss_set) int_raw_loss <= 1'b1;
            else if (int_raw_w0 && data[0]) int_raw_loss <= 1'b0;
            if (int_raw_cfg_set) int_raw_cfg <= 1'b1;
            else if (int_raw_w0 && data[1]) int_raw_cfg <= 1'b0;
            if (int_raw_sync_lost_set) int_raw_sync_lost <= 1'b1;
            else if (int_raw_w0 && data[2]) int_raw_sync_lost <= 1'b0;
            if (int_raw_ras_r_set) int_raw_ras_r <= 1'b1;
            else if (int_raw_w0 && data[3]) int_raw_ras_r <= 1'b0;
            if (int_raw_ras_a_set) int_raw_ras_a <= 1'b1;
            else if (int_raw_w0 && data[4]) int_raw_ras_a <= 1'b0;
            if (int_raw_ras_s_set) int_raw_ras_s <= 1'b1;
            else if (int_raw_w0 && data[5]) int_raw_ras_s <= 1'b0;
            if (int_raw_ras_exhausted_set) int_raw_ras_exhausted <= 1'b1;
            else if (int_raw_w0 && data[6]) int_raw_ras_exhausted <= 1'b0;
            if (int_raw_reneg_timeout_set) int_raw_reneg_timeout <= 1'b1;
            else if (int_raw_w0 && data[7]) int_raw_reneg_timeout <= 1'b0;
            if (int_raw_switch_timeout_set) int_raw_switch_timeout <= 1'b1;
            else if (int_raw_w1 && data[8]) int_raw_switch_timeout <= 1'b0;
            if (int_raw_token_set) int_raw_token <= 1'b1;
            else if (int_raw_w1 && data[9]) int_raw_token <= 1'b0;
            if (int_raw_token_nested_set) int_raw_token_nested <= 1'b1;
            else if (int_raw_w1 && data[10]) int_raw_token_nested <= 1'b0;
        end
    end
    wire [31:0] v_int_raw = {
        21'd0, int_raw_token_nested, int_raw_token, int_raw_switch_timeout, int_raw_reneg_timeout,
        int_raw_ras_exhausted, int_raw_ras_s, int_raw_ras_a, int_raw_ras_r, int_raw_sync_lost, int_raw_cfg,
        int_raw_loss};

    // 0x034 INT_MASK: Which events raise the interrupt.
    reg int_mask_loss;
    reg int_mask_cfg;
    reg int_mask_sync_lost;
    reg int_mask_ras_r;
    reg int_mask_ras_a;
    reg int_mask_ras_s;
    reg int_mask_ras_exhausted;
    reg int_mask_reneg_timeout;
    reg int_mask_switch_timeout;
    reg int_mask_token;
    reg int_mask_token_nested;
    wire int_mask_w0 = row[1] && column[5] && strobe[0];
    wire int_mask_w1 = row[1] && column[5] && strobe[1];
    always @(posedge clk) begin
        if (rst) begin
            int_mask_loss <= 1'd0;
            int_mask_cfg <= 1'd0;
            int_mask_sync_lost <= 1'd0;
            int_mask_ras_r <= 1'd0;
            int_mask_ras_a <= 1'd0;
            int_mask_ras_s <= 1'd0;
            int_mask_ras_exhausted <= 1'd0;
            int_mask_reneg_timeout <= 1'd0;
            int_mask_switch_timeout <= 1'd0;
            int_mask_token <= 1'd0;
            int_mask_token_nested <= 1'd0;
        end else begin
            if (int_mask_w0) int_mask_loss <= data[0];
            if (int_mask_w0) int_mask_cfg <= data[1];
            if (int_mask_w0) int_mask_sync_lost <= data[2];
            if (int_mask_w0) int_mask_ras_r <= data[3];
            if (int_mask_w0) int_mask_ras_a <= data[4];
            if (int_mask_w0) int_mask_ras_s <= data[5];
            if (int_mask_w0) int_mask_ras_exhausted <= data[6];
            if (int_mask_w0) int_mask_reneg_timeout <= data[7];
            if (int_mask_w1) int_mask_switch_timeout <= data[8];
            if (int_mask_w1) int_mask_token <= data[9];
            if (int_mask_w1) int_mask_token_nested <= data[10];
        end
    end
    wire [31:0] v_int_mask = {
        21'd0, int_mask_token_nested, int_mask_token, int_mask_switch_timeout, int_mask_reneg_timeout,
        int_mask_ras_exhausted, int_mask_ras_s, int_mask_ras_a, int_mask_ras_r, int_mask_sync_lost, int_mask_cfg,
        int_mask_loss};

    // 0x038 INT_STATUS: INT_RAW and INT_MASK; the interrupt is high while any is set.
    wire [31:0] v_int_status = {
        21'd0, int_raw_token_nested & int_mask_token_nested, int_raw_token & int_mask_token,
        int_raw_switch_timeout & int_mask_switch_timeout, int_raw_reneg_timeout & int_mask_reneg_timeout,
        int_raw_ras_exhausted & int_mask_ras_exhausted, int_raw_ras_s & int_mask_ras_s, int_raw_ras_a & int_mask_ras_a,
        int_raw_ras_r & int_mask_ras_r, int_raw_sync_lost & int_mask_sync_lost, int_raw_cfg & int_mask_cfg,
        int_raw_loss & int_mask_loss};
    always @(posedge clk) int_status_any <= !rst && |v_int_status;

    // 0x03C CFG_ERR: Blocks that refused a configuration; the one before stays in force.
    reg cfg_err_bp;
    reg cfg_err_jitter;
    reg cfg_err_ras;
    reg cfg_err_token;
    wire cfg_err_w0 = row[1] && column[7] && strobe[0];
    always @(posedge clk) begin
        if (rst) begin
            cfg_err_bp <= 1'd0;
            cfg_err_jitter <= 1'd0;
            cfg_err_ras <= 1'd0;
            cfg_err_token <= 1'd0;
        end else begin
            if (cfg_err_bp_set) cfg_err_bp <= 1'b1;
            else if (cfg_err_w0 && data[0]) cfg_err_bp <= 1'b0;
            if (cfg_err_jitter_set) cfg_err_jitter <= 1'b1;
            else if (cfg_err_w0 && data[1]) cfg_err_jitter <= 1'b0;
            if (cfg_err_ras_set) cfg_err_ras <= 1'b1;
            else if (cfg_err_w0 && data[2]) cfg_err_ras <= 1'b0;
            if (cfg_err_token_set) cfg_err_token <= 1'b1;
            else if (cfg_err_w0 && data[3]) cfg_err_token <= 1'b0;
        end
    end
    wire [31:0] v_cfg_err = {28'd0, cfg_err_token, cfg_err_ras, cfg_err_jitter, cfg_err_bp};

    // 0x040 APPLY: Hand the words written to a block, which takes or refuses them as a whole. One that is not built in
    // refuses.
    wire apply_w0 = row[2] && column[0] && strobe[0];
    always @(posedge clk) begin
        if (rst) begin
            apply_bp <= 1'd0;
            apply_jitter <= 1'd0;
            apply_ras <= 1'd0;
            apply_token <= 1'd0;
        end else begin
            apply_bp <= apply_w0 && data[0];
            apply_jitter <= apply_w0 && data[1];
            apply_ras <= apply_w0 && data[2];
            apply_token <= apply_w0 && data[3];
        end
    end

    // 0x044 JITTER_SNAP: Hold the words of the JITTER window as they are now, until the next time.
    wire jitter_snap_w0 = row[2] && column[1] && strobe[0];
    always @(posedge clk) begin
        if (rst) begin
            jitter_snap <= 1'd0;
        end else begin
            jitter_snap <= jitter_snap_w0 && data[0];
        end
    end

    // 0x048 TIMESTAMP: Time now. Read the low word first: it holds the high word.
    reg [31:0] timestamp_held;  // high word, of the clock in which the low one was read
    always @(posedge clk) begin
        if (rst) timestamp_held <= 32'd0;
        else if (sample && row[2] && column[2])
            timestamp_held <= timestamp[63:32];
    end

    // 0x050 BP_PORT: Trace port for APPLY.bp. APPLY to one that does not exist is refused.
    wire bp_port_w0 = row[2] && column[4] && strobe[0];
    always @(posedge clk) begin
        if (rst) begin
            bp_port <= 6'd0;
        end else begin
            if (bp_port_w0) bp_port <= data[5:0];
        end
    end
    wire [31:0] v_bp_port = {26'd0, bp_port};

    // 0x054 BP_LIMITS: Limits, as CFG BP_LIMITS. Refused unless th_off < th_on and none of th_on, th_off, th_wet is 0.
    wire bp_limits_w0 = row[2] && column[5] && strobe[0];
    wire bp_limits_w1 = row[2] && column[5] && strobe[1];
    wire bp_limits_w2 = row[2] && column[5] && strobe[2];
    wire bp_limits_w3 = row[2] && column[5] && strobe[3];
    always @(posedge clk) begin
        if (rst) begin
            bp_limits_th_on <= 6'd56;
            bp_limits_th_off <= 6'd48;
            bp_limits_level_step <= 6'd0;
            bp_limits_k <= 5'd8;
            bp_limits_raw <= 1'd0;
            bp_limits_th_wet <= 6'd4;
        end else begin
            if (bp_limits_w0) bp_limits_th_on <= data[5:0];
            if (bp_limits_w0) bp_limits_th_off[1:0] <= data[7:6];
            if (bp_limits_w1) bp_limits_th_off[5:2] <= data[11:8];
            if (bp_limits_w1) bp_limits_level_step[3:0] <= data[15:12];
            if (bp_limits_w2) bp_limits_level_step[5:4] <= data[17:16];
            if (bp_limits_w2) bp_limits_k <= data[22:18];
            if (bp_limits_w2) bp_limits_raw <= data[23];
            if (bp_limits_w3) bp_limits_th_wet <= data[29:24];
        end
    end
    wire [31:0] v_bp_limits = {
        2'd0, bp_limits_th_wet, bp_limits_raw, bp_limits_k, bp_limits_level_step, bp_limits_th_off, bp_limits_th_on};

    // 0x058 BP_STALE: Stale period, as CFG STALE.
    wire bp_stale_w0 = row[2] && column[6] && strobe[0];
    wire bp_stale_w1 = row[2] && column[6] && strobe[1];
    wire bp_stale_w2 = row[2] && column[6] && strobe[2];
    wire bp_stale_w3 = row[2] && column[6] && strobe[3];
    always @(posedge clk) begin
        if (rst) begin
            bp_stale <= 32'h186A0;
        end else begin
            if (bp_stale_w0) bp_stale[7:0] <= data[7:0];
            if (bp_stale_w1) bp_stale[15:8] <= data[15:8];
            if (bp_stale_w2) bp_stale[23:16] <= data[23:16];
            if (bp_stale_w3) bp_stale[31:24] <= data[31:24];
        end
    end
    wire [31:0] v_bp_stale = bp_stale;

    // 0x060 T_NOMINAL_LO: Nominal sync interval, as CFG T_NOMINAL_LO. An interval of 0 is refused.
    wire t_nominal_lo_w0 = row[3] && column[0] && strobe[0];
    wire t_nominal_lo_w1 = row[3] && column[0] && strobe[1];
    wire t_nominal_lo_w2 = row[3] && column[0] && strobe[2];
    wire t_nominal_lo_w3 = row[3] && column[0] && strobe[3];
    always @(posedge clk) begin
        if (rst) begin
            t_nominal_lo <= 32'h1E84800;
        end else begin
            if (t_nominal_lo_w0) t_nominal_lo[7:0] <= data[7:0];
            if (t_nominal_lo_w1) t_nominal_lo[15:8] <= data[15:8];
            if (t_nominal_lo_w2) t_nominal_lo[23:16] <= data[23:16];
            if (t_nominal_lo_w3) t_nominal_lo[31:24] <= data[31:24];
        end
    end
    wire [31:0] v_t_nominal_lo = t_nominal_lo;

    // 0x064 T_NOMINAL_HI: Nominal sync interval and options, as CFG T_NOMINAL_HI.
    wire t_nominal_hi_w0 = row[3] && column[1] && strobe[0];
    wire t_nominal_hi_w1 = row[3] && column[1] && strobe[1];
    wire t_nominal_hi_w2 = row[3] && column[1] && strobe[2];
    always @(posedge clk) begin
        if (rst) begin
            t_nominal_hi_hi <= 16'd0;
            t_nominal_hi_need_lock <= 1'd1;
            t_nominal_hi_exclude <= 1'd0;
            t_nominal_hi_strobe <= 1'd0;
            t_nominal_hi_sync_lost_a <= 1'd0;
        end else begin
            if (t_nominal_hi_w0) t_nominal_hi_hi[7:0] <= data[7:0];
            if (t_nominal_hi_w1) t_nominal_hi_hi[15:8] <= data[15:8];
            if (t_nominal_hi_w2) t_nominal_hi_need_lock <= data[16];
            if (t_nominal_hi_w2) t_nominal_hi_exclude <= data[17];
            if (t_nominal_hi_w2) t_nominal_hi_strobe <= data[18];
            if (t_nominal_hi_w2) t_nominal_hi_sync_lost_a <= data[19];
        end
    end
    wire [31:0] v_t_nominal_hi = {
        12'd0, t_nominal_hi_sync_lost_a, t_nominal_hi_strobe, t_nominal_hi_exclude, t_nominal_hi_need_lock,
        t_nominal_hi_hi};

    // 0x068 WATCHDOG: Watchdog of the sync pulses.
    wire watchdog_w0 = row[3] && column[2] && strobe[0];
    wire watchdog_w1 = row[3] && column[2] && strobe[1];
    wire watchdog_w2 = row[3] && column[2] && strobe[2];
    wire watchdog_w3 = row[3] && column[2] && strobe[3];
    always @(posedge clk) begin
        if (rst) begin
            watchdog <= 32'h124F8;
        end else begin
            if (watchdog_w0) watchdog[7:0] <= data[7:0];
            if (watchdog_w1) watchdog[15:8] <= data[15:8];
            if (watchdog_w2) watchdog[23:16] <= data[23:16];
            if (watchdog_w3) watchdog[31:24] <= data[31:24];
        end
    end
    wire [31:0] v_watchdog = watchdog;

    // 0x070 LOSS_COUNT: Events dropped by all sources since reset, modulo 2^32; LOSS records in the stream tell them by
    // source and time.
    wire [31:0] v_loss_count = loss_count;

    // 0x074 LOSS_SOURCES: Sources that dropped any since reset: bit n is the n-th source of the stream, bit 31 the 32nd
    // and later.
    wire [31:0] v_loss_sources = loss_sources;

    // 0x080 R_LIMIT: Reliability limit. Refused unless R <= A <= S and all counts and times are legal.
    wire r_limit_w0 = row[4] && column[0] && strobe[0];
    wire r_limit_w1 = row[4] && column[0] && strobe[1];
    wire r_limit_w2 = row[4] && column[0] && strobe[2];
    wire r_limit_w3 = row[4] && column[0] && strobe[3];
    always @(posedge clk) begin
        if (rst) begin
            r_limit <= 30'h30D400;
        end else begin
            if (r_limit_w0) r_limit[7:0] <= data[7:0];
            if (r_limit_w1) r_limit[15:8] <= data[15:8];
            if (r_limit_w2) r_limit[23:16] <= data[23:16];
            if (r_limit_w3) r_limit[29:24] <= data[29:24];
        end
    end
    wire [31:0] v_r_limit = {2'd0, r_limit};

    // 0x084 A_LIMIT: Availability limit.
    wire a_limit_w0 = row[4] && column[1] && strobe[0];
    wire a_limit_w1 = row[4] && column[1] && strobe[1];
    wire a_limit_w2 = row[4] && column[1] && strobe[2];
    wire a_limit_w3 = row[4] && column[1] && strobe[3];
    always @(posedge clk) begin
        if (rst) begin
            a_limit <= 30'h9C4000;
        end else begin
            if (a_limit_w0) a_limit[7:0] <= data[7:0];
            if (a_limit_w1) a_limit[15:8] <= data[15:8];
            if (a_limit_w2) a_limit[23:16] <= data[23:16];
            if (a_limit_w3) a_limit[29:24] <= data[29:24];
        end
    end
    wire [31:0] v_a_limit = {2'd0, a_limit};

    // 0x088 S_LIMIT: Serviceability limit.
    wire s_limit_w0 = row[4] && column[2] && strobe[0];
    wire s_limit_w1 = row[4] && column[2] && strobe[1];
    wire s_limit_w2 = row[4] && column[2] && strobe[2];
    wire s_limit_w3 = row[4] && column[2] && strobe[3];
    always @(posedge clk) begin
        if (rst) begin
            s_limit <= 30'h186A000;
        end else begin
            if (s_limit_w0) s_limit[7:0] <= data[7:0];
            if (s_limit_w1) s_limit[15:8] <= data[15:8];
            if (s_limit_w2) s_limit[23:16] <= data[23:16];
            if (s_limit_w3) s_limit[29:24] <= data[29:24];
        end
    end
    wire [31:0] v_s_limit = {2'd0, s_limit};

    // 0x08C RAS_COUNTS: Counts, as CFG RAS_COUNTS.
    wire ras_counts_w0 = row[4] && column[3] && strobe[0];
    wire ras_counts_w1 = row[4] && column[3] && strobe[1];
    wire ras_counts_w3 = row[4] && column[3] && strobe[3];
    always @(posedge clk) begin
        if (rst) begin
            ras_counts_r_run <= 8'd5;
            ras_counts_r_rearm <= 8'd5;
            ras_counts_a_budget <= 8'd4;
        end else begin
            if (ras_counts_w0) ras_counts_r_run <= data[7:0];
            if (ras_counts_w1) ras_counts_r_rearm <= data[15:8];
            if (ras_counts_w3) ras_counts_a_budget <= data[31:24];
        end
    end
    wire [31:0] v_ras_counts = {ras_counts_a_budget, S_COUNT, ras_counts_r_rearm, ras_counts_r_run};

    // 0x090 S_WINDOW: Sliding window of S.
    wire s_window_w0 = row[4] && column[4] && strobe[0];
    wire s_window_w1 = row[4] && column[4] && strobe[1];
    wire s_window_w2 = row[4] && column[4] && strobe[2];
    wire s_window_w3 = row[4] && column[4] && strobe[3];
    always @(posedge clk) begin
        if (rst) begin
            s_window <= 31'h3B9ACA00;
        end else begin
            if (s_window_w0) s_window[7:0] <= data[7:0];
            if (s_window_w1) s_window[15:8] <= data[15:8];
            if (s_window_w2) s_window[23:16] <= data[23:16];
            if (s_window_w3) s_window[30:24] <= data[30:24];
        end
    end
    wire [31:0] v_s_window = {1'd0, s_window};

    // 0x094 A_HOLDOFF: No PHY switch within this time of the last.
    wire a_holdoff_w0 = row[4] && column[5] && strobe[0];
    wire a_holdoff_w1 = row[4] && column[5] && strobe[1];
    wire a_holdoff_w2 = row[4] && column[5] && strobe[2];
    always @(posedge clk) begin
        if (rst) begin
            a_holdoff <= 18'h3E8;
        end else begin
            if (a_holdoff_w0) a_holdoff[7:0] <= data[7:0];
            if (a_holdoff_w1) a_holdoff[15:8] <= data[15:8];
            if (a_holdoff_w2) a_holdoff[17:16] <= data[17:16];
        end
    end
    wire [31:0] v_a_holdoff = {14'd0, a_holdoff};

    // 0x098 RAS_PENDING: Latched classes. Writing 1 to a class clears it with its count, stamps and overflow.
    wire ras_pending_w0 = row[4] && column[6] && strobe[0];
    always @(posedge clk) begin
        if (rst) begin
            ras_pending_reliability_clear <= 1'd0;
            ras_pending_availability_clear <= 1'd0;
            ras_pending_serviceability_clear <= 1'd0;
            ras_pending_sync_lost_clear <= 1'd0;
            ras_pending_exhausted_clear <= 1'd0;
        end else begin
            ras_pending_reliability_clear <= ras_pending_w0 && data[0];
            ras_pending_availability_clear <= ras_pending_w0 && data[1];
            ras_pending_serviceability_clear <= ras_pending_w0 && data[2];
            ras_pending_sync_lost_clear <= ras_pending_w0 && data[3];
            ras_pending_exhausted_clear <= ras_pending_w0 && data[4];
        end
    end
    wire [31:0] v_ras_pending = {
        19'd0, ras_pending_overflow, 3'd0, ras_pending_exhausted, ras_pending_sync_lost, ras_pending_serviceability,
        ras_pending_availability, ras_pending_reliability};

    // 0x09C RAS_SNAP: Copies the latch of a class into the RAS window.
    wire ras_snap_w0 = row[4] && column[7] && strobe[0];
    always @(posedge clk) begin
        if (rst) begin
            ras_snap <= 3'd0;
            ras_snap_written <= 1'b0;
        end else begin
            if (ras_snap_w0) ras_snap <= data[2:0];
            ras_snap_written <= ras_snap_w0;
        end
    end

    // 0x0A0 RAS_INJECT: Test injection: the class fires, marked injected.
    wire ras_inject_w0 = row[5] && column[0] && strobe[0];
    always @(posedge clk) begin
        if (rst) begin
            ras_inject_reliability <= 1'd0;
            ras_inject_availability <= 1'd0;
            ras_inject_serviceability <= 1'd0;
            ras_inject_sync_lost <= 1'd0;
            ras_inject_exhausted <= 1'd0;
        end else begin
            ras_inject_reliability <= ras_inject_w0 && data[0];
            ras_inject_availability <= ras_inject_w0 && data[1];
            ras_inject_serviceability <= ras_inject_w0 && data[2];
            ras_inject_sync_lost <= ras_inject_w0 && data[3];
            ras_inject_exhausted <= ras_inject_w0 && data[4];
        end
    end

    // 0x0A8 TOK_PTR: Arm by software: watch tokens from this pointer on.
    wire tok_ptr_w0 = row[5] && column[2] && strobe[0];
    wire tok_ptr_w1 = row[5] && column[2] && strobe[1];
    wire tok_ptr_w2 = row[5] && column[2] && strobe[2];
    wire tok_ptr_w3 = row[5] && column[2] && strobe[3];
    always @(posedge clk) begin
        if (rst) begin
            tok_ptr <= 32'd0;
        end else begin
            if (tok_ptr_w0) tok_ptr[7:0] <= data[7:0];
            if (tok_ptr_w1) tok_ptr[15:8] <= data[15:8];
            if (tok_ptr_w2) tok_ptr[23:16] <= data[23:16];
            if (tok_ptr_w3) tok_ptr[31:24] <= data[31:24];
        end
    end
    wire [31:0] v_tok_ptr = tok_ptr;

    // 0x0AC TOK_CONTROL: What to watch for and what to do.
    wire tok_control_w0 = row[5] && column[3] && strobe[0];
    wire tok_control_w1 = row[5] && column[3] && strobe[1];
    always @(posedge clk) begin
        if (rst) begin
            tok_control_mask <= 4'd0;
            tok_control_trim <= 1'd0;
        end else begin
            if (tok_control_w0) tok_control_mask <= data[3:0];
            if (tok_control_w1) tok_control_trim <= data[8];
        end
    end
    wire [31:0] v_tok_control = {23'd0, tok_control_trim, 4'd0, tok_control_mask};

    // 0x0B0 TOK_CMD: Commands of the token interrupt.
    wire tok_cmd_w0 = row[5] && column[4] && strobe[0];
    always @(posedge clk) begin
        if (rst) begin
            tok_cmd_arm <= 1'd0;
            tok_cmd_resume <= 1'd0;
        end else begin
            tok_cmd_arm <= tok_cmd_w0 && data[0];
            tok_cmd_resume <= tok_cmd_w0 && data[1];
        end
    end

    // 0x0B4 MEM_LOW: MEM_LOW. Refused unless off > on.
    wire mem_low_w0 = row[5] && column[5] && strobe[0];
    wire mem_low_w1 = row[5] && column[5] && strobe[1];
    wire mem_low_w2 = row[5] && column[5] && strobe[2];
    wire mem_low_w3 = row[5] && column[5] && strobe[3];
    always @(posedge clk) begin
        if (rst) begin
            mem_low_on <= 16'h40;
            mem_low_off <= 16'h60;
        end else begin
            if (mem_low_w0) mem_low_on[7:0] <= data[7:0];
            if (mem_low_w1) mem_low_on[15:8] <= data[15:8];
            if (mem_low_w2) mem_low_off[7:0] <= data[23:16];
            if (mem_low_w3) mem_low_off[15:8] <= data[31:24];
        end
    end
    wire [31:0] v_mem_low = {mem_low_off, mem_low_on};

    // 0x0B8 TOK_STATUS: What the token interrupt holds.
    wire [31:0] v_tok_status = {
        13'd0, tok_status_trimming, tok_status_frozen, tok_status_armed, tok_status_nested, tok_status_held,
        tok_status_cause};

    // 0x0C0 INJ_TOKEN: Which tokens get a cause injected, for verification; stable while INJ_CONTROL.enable is 1.
    wire inj_token_w0 = row[6] && column[0] && strobe[0];
    wire inj_token_w1 = row[6] && column[0] && strobe[1];
    wire inj_token_w2 = row[6] && column[0] && strobe[2];
    wire inj_token_w3 = row[6] && column[0] && strobe[3];
    always @(posedge clk) begin
        if (rst) begin
            inj_token_first <= 16'd0;
            inj_token_every <= 16'd0;
        end else begin
            if (inj_token_w0) inj_token_first[7:0] <= data[7:0];
            if (inj_token_w1) inj_token_first[15:8] <= data[15:8];
            if (inj_token_w2) inj_token_every[7:0] <= data[23:16];
            if (inj_token_w3) inj_token_every[15:8] <= data[31:24];
        end
    end
    wire [31:0] v_inj_token = {inj_token_every, inj_token_first};

    // 0x0C4 INJ_CONTROL: Token injection.
    wire inj_control_w0 = row[6] && column[1] && strobe[0];
    wire inj_control_w1 = row[6] && column[1] && strobe[1];
    wire inj_control_w2 = row[6] && column[1] && strobe[2];
    always @(posedge clk) begin
        if (rst) begin
            inj_control_layer <= 8'd0;
            inj_control_cause <= 4'd0;
            inj_control_enable <= 1'd0;
        end else begin
            if (inj_control_w0) inj_control_layer <= data[7:0];
            if (inj_control_w1) inj_control_cause <= data[11:8];
            if (inj_control_w2) inj_control_enable <= data[16];
        end
    end
    wire [31:0] v_inj_control = {15'd0, inj_control_enable, 4'd0, inj_control_cause, inj_control_layer};

    // 0x140 JITTER: Jitter statistics as JITTER_SNAP holds them: 0 count, 1 min, 2 max since the snapshot before, 3..4
    // sum, 5..7 sum of squares, 8..9 running TIE, 10 bit 0: min and max hold a sample, bit 1: busy, the words do not
    // stand yet, bit 2: samples are missing. All but min and max are cumulative, modular.
    assign jitter_index = word[3:0];

    // 0x180 RAS: The class RAS_SNAP copied: 0 flags (0 pending, 1 overflow, 12:8 count), 1 worst jitter, 2..3 first ts,
    // 4..5 last ts.
    assign ras_index = word[2:0];

    // 0x200 TOKEN: Snapshot of the token interrupt: 0..15 context words, 16 token id.
    assign token_index = word[4:0];

    // ---------------------------------------------------------------- reading: all but one of these are 0
    reg [31:0] row_0;
    always @(posedge clk) begin
        if (!row[0]) row_0 <= 32'd0;
        else if (sample)
            row_0 <=
                ({32{column[0]}} & v_id) | ({32{column[1]}} & v_version) | ({32{column[2]}} & v_stream) |
                ({32{column[3]}} & v_caps) | ({32{column[4]}} & v_desc_hash_lo) | ({32{column[5]}} & v_desc_hash_hi) |
                ({32{column[6]}} & v_clk_period);
    end
    reg [31:0] row_1;
    always @(posedge clk) begin
        if (!row[1]) row_1 <= 32'd0;
        else if (sample)
            row_1 <=
                ({32{column[0]}} & v_control) | ({32{column[1]}} & v_status) | ({32{column[2]}} & v_mark_sub) |
                ({32{column[4]}} & v_int_raw) | ({32{column[5]}} & v_int_mask) | ({32{column[6]}} & v_int_status) |
                ({32{column[7]}} & v_cfg_err);
    end
    reg [31:0] row_2;
    always @(posedge clk) begin
        if (!row[2]) row_2 <= 32'd0;
        else if (sample)
            row_2 <=
                ({32{column[2]}} & timestamp[31:0]) | ({32{column[3]}} & timestamp_held) |
                ({32{column[4]}} & v_bp_port) | ({32{column[5]}} & v_bp_limits) | ({32{column[6]}} & v_bp_stale);
    end
    reg [31:0] row_3;
    always @(posedge clk) begin
        if (!row[3]) row_3 <= 32'd0;
        else if (sample)
            row_3 <=
                ({32{column[0]}} & v_t_nominal_lo) | ({32{column[1]}} & v_t_nominal_hi) |
                ({32{column[2]}} & v_watchdog) | ({32{column[4]}} & v_loss_count) | ({32{column[5]}} & v_loss_sources);
    end
    reg [31:0] row_4;
    always @(posedge clk) begin
        if (!row[4]) row_4 <= 32'd0;
        else if (sample)
            row_4 <=
                ({32{column[0]}} & v_r_limit) | ({32{column[1]}} & v_a_limit) | ({32{column[2]}} & v_s_limit) |
                ({32{column[3]}} & v_ras_counts) | ({32{column[4]}} & v_s_window) | ({32{column[5]}} & v_a_holdoff) |
                ({32{column[6]}} & v_ras_pending);
    end
    reg [31:0] row_5;
    always @(posedge clk) begin
        if (!row[5]) row_5 <= 32'd0;
        else if (sample)
            row_5 <=
                ({32{column[2]}} & v_tok_ptr) | ({32{column[3]}} & v_tok_control) | ({32{column[5]}} & v_mem_low) |
                ({32{column[6]}} & v_tok_status);
    end
    reg [31:0] row_6;
    always @(posedge clk) begin
        if (!row[6]) row_6 <= 32'd0;
        else if (sample)
            row_6 <= ({32{column[0]}} & v_inj_token) | ({32{column[1]}} & v_inj_control);
    end
    reg [31:0] read_jitter;
    always @(posedge clk) begin
        if (!in_jitter) read_jitter <= 32'd0;
        else if (sample) read_jitter <= jitter_word;
    end
    reg [31:0] read_ras;
    always @(posedge clk) begin
        if (!in_ras) read_ras <= 32'd0;
        else if (sample) read_ras <= ras_word;
    end
    reg [31:0] read_token;
    always @(posedge clk) begin
        if (!in_token) read_token <= 32'd0;
        else if (sample) read_token <= token_word;
    end
    assign value = row_0 | row_1 | row_2 | row_3 | row_4 | row_5 | row_6 | read_jitter | read_ras | read_token;
endmodule

`default_nettype wire
