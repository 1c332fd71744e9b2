// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_regs: events (a set beats a clear), commands, configuration, and the 64-bit read of one clock.
`default_nettype none

module formal_regs (
    input wire        clk,
    input wire        rst,
    input wire [11:0] awaddr,
    input wire        awvalid,
    input wire [31:0] wdata,
    input wire [3:0]  wstrb,
    input wire        wvalid,
    input wire        bready,
    input wire [11:0] araddr,
    input wire        arvalid,
    input wire        rready,
    input wire [10:0] set,
    input wire [3:0]  refuse,
    input wire [63:0] timestamp
);
    localparam [9:0] INT_RAW = 10'h00C, CFG_ERR = 10'h00F, APPLY = 10'h010, TIME_LO = 10'h012, TIME_HI = 10'h013,
                     BP_LIMITS = 10'h015;

    wire        awready, wready, bvalid, arready, rvalid, any;
    wire [1:0]  bresp, rresp;
    wire [31:0] rdata;
    wire [3:0]  apply;
    wire [5:0]  th_on, th_off;

    nps_regs dut (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
        .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .int_raw_loss_set(set[0]), .int_raw_cfg_set(set[1]), .int_raw_sync_lost_set(set[2]),
        .int_raw_ras_r_set(set[3]), .int_raw_ras_a_set(set[4]), .int_raw_ras_s_set(set[5]),
        .int_raw_ras_exhausted_set(set[6]), .int_raw_reneg_timeout_set(set[7]),
        .int_raw_switch_timeout_set(set[8]), .int_raw_token_set(set[9]), .int_raw_token_nested_set(set[10]),
        .cfg_err_bp_set(refuse[0]), .cfg_err_jitter_set(refuse[1]), .cfg_err_ras_set(refuse[2]),
        .cfg_err_token_set(refuse[3]),
        .int_status_any(any), .timestamp(timestamp),
        .apply_bp(apply[0]), .apply_jitter(apply[1]), .apply_ras(apply[2]), .apply_token(apply[3]),
        .bp_limits_th_on(th_on), .bp_limits_th_off(th_off),
        .status_sampling(1'b0), .status_active(1'b0), .status_locked(1'b0), .status_holdover(1'b0),
        .status_sync_lost(1'b0), .ras_pending_reliability(1'b0), .ras_pending_availability(1'b0),
        .ras_pending_serviceability(1'b0), .ras_pending_sync_lost(1'b0), .ras_pending_exhausted(1'b0),
        .ras_pending_overflow(5'd0), .tok_status_cause(4'd0), .tok_status_held(4'd0), .tok_status_nested(8'd0),
        .tok_status_armed(1'b0), .tok_status_frozen(1'b0), .tok_status_trimming(1'b0),
        .loss_count(32'd0), .loss_sources(32'd0), .status_mark_waiting(1'b0), .jitter_word(32'd0), .ras_word(32'd0), .token_word(32'd0)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    wire [10:0] raw = {dut.int_raw_token_nested, dut.int_raw_token, dut.int_raw_switch_timeout,
                       dut.int_raw_reneg_timeout, dut.int_raw_ras_exhausted, dut.int_raw_ras_s, dut.int_raw_ras_a,
                       dut.int_raw_ras_r, dut.int_raw_sync_lost, dut.int_raw_cfg, dut.int_raw_loss};
    wire [3:0] errors = {dut.cfg_err_token, dut.cfg_err_ras, dut.cfg_err_jitter, dut.cfg_err_bp};

    // what the port does to the registers in this clock (formal_axil proves the port itself)
    wire [9:0]  word = dut.word;
    wire [31:0] ones = dut.data & {{8{dut.strobe[3]}}, {8{dut.strobe[2]}}, {8{dut.strobe[1]}}, {8{dut.strobe[0]}}};
    wire [10:0] clear_raw = word == INT_RAW ? ones[10:0] : 11'd0;
    wire [3:0]  clear_errors = word == CFG_ERR ? ones[3:0] : 4'd0;

    reg  [14:0] expected = 15'd0;
    reg  [3:0]  ordered = 4'd0;
    reg  [11:0] limits, limits_then;
    reg         limits_written;
    reg  [63:0] sampled = 64'd0;  // time in the clock of the last read of the low word
    reg         answers_lo = 1'b0, answers_hi = 1'b0;
    always @(posedge clk) begin
        expected <= rst ? 15'd0 : {refuse, set} | ({errors, raw} & ~{clear_errors, clear_raw});
        ordered <= rst || word != APPLY ? 4'd0 : ones[3:0];
        limits_then <= {th_off, th_on};
        limits_written <= rst || (word == BP_LIMITS && dut.strobe[1:0] != 2'd0);
        if (rst) sampled[63:32] <= 32'd0;
        if (!rst && dut.sample && word == TIME_LO) sampled <= timestamp;
        answers_lo <= !rst && dut.u_axil.read && word == TIME_LO;
        answers_hi <= !rst && dut.u_axil.read && word == TIME_HI;
    end

    always @(posedge clk) if (started) begin
        events:   assert ({errors, raw} == expected);
        commands: assert (apply == ordered);
        config_:  assert (limits_written || {th_off, th_on} == limits_then);
        held:     assert (dut.timestamp_held == sampled[63:32]);
        low:      assert (!answers_lo || (rdata == sampled[31:0] && rresp == 2'b00));
        high:     assert (!answers_hi || (rdata == sampled[63:32] && rresp == 2'b00));
    end

    // invariants: the decoder follows the word of the access, and an access is in one place (as in formal_axil)
    wire [5:0] step = dut.u_axil.step;
    reg  [9:0] word_then;
    always @(posedge clk) word_then <= word;
    always @(*) if (started) begin
        walk:     assert ((step & (step - 6'd1)) == 6'd0 && (!dut.u_axil.free || (step == 6'd0 && dut.u_axil.rest == 4'd0)));
        rests:    assert (dut.u_axil.rest == 4'd0 || (dut.u_axil.writing && step[4:0] == 5'd0));
        strobes:  assert (dut.strobe == 4'd0 || step[1]);
        decoder:  assert (!(|step[5:1]) || (word == word_then && dut.row == (7'd1 << word[9:3] & 7'h7F) &&
                                           dut.column == 8'd1 << word[2:0]));
        mapped:   assert (!(|step[5:2] && (word == TIME_LO || word == TIME_HI)) || !dut.unmapped);
        lo_kept:  assert (!(step[4] && !dut.u_axil.writing && word == TIME_LO) || dut.row_2 == sampled[31:0]);
        hi_kept:  assert (!(step[4] && !dut.u_axil.writing && word == TIME_HI) || dut.row_2 == sampled[63:32]);
        others:   assert (!(step[4] && (word == TIME_LO || word == TIME_HI)) ||
                          (dut.row_0 | dut.row_1 | dut.row_3 | dut.row_4 | dut.row_5 | dut.row_6 |
                           dut.read_jitter | dut.read_ras | dut.read_token) == 32'd0);
        unread:   assert (!(|step[5:2]) || (dut.in_jitter == (word[9:4] == 6'd5) &&
                                           dut.in_ras == (word[9:3] == 7'd12) && dut.in_token == (word[9:5] == 5'd4)));
    end

    reg seen_lo = 1'b0;
    always @(posedge clk) seen_lo <= (seen_lo || answers_lo) && !rst;
    always @(posedge clk) if (started && !rst) begin
        race:     cover (clear_raw[5] && set[5] && raw[5]);
        cleared:  cover (clear_errors[2] && errors == 4'b0100);
        applied:  cover (apply == 4'b1010);
        carried:  cover (answers_hi && seen_lo && timestamp[63:32] != sampled[63:32]);
        raised:   cover (any);
    end
endmodule

`default_nettype wire
