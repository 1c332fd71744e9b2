// SPDX-License-Identifier: Apache-2.0
// The demo: npu_pipeline, watched by nps_top. The pipeline leaves reset with the first clock that is sampled, so its
// clock 0 is that clock; a MARK START says when that was, a MARK USER each 1024 tokens how far it got.
// enable: starts it, and must fall to end the trace (flush); the pipeline is back in reset then.
`default_nettype none
`include "nps_trace.vh"
`include "nps_thresholds.vh"

module npu_demo_top #(
    // of npu_pipeline, from npuscope.pipeline.hdl_parameters
    parameter                   STAGES        = 3,
    parameter                   BUFFERS       = 2,
    parameter                   CHANGES       = 1,
    parameter                   SOURCES       = 1,
    parameter                   MAX_DEPTH     = 16,
    // of nps_top, from npuscope.pipeline.probe_masks and describe
    parameter [SOURCES*32-1:0]  LAYERS        = {SOURCES{32'h3}},
    parameter [SOURCES*32-1:0]  DRY_MASK      = {SOURCES{32'h0}},
    parameter [           63:0] DESC_HASH     = 64'd0,
    parameter                   CLK_PERIOD_PS = 5000,
    parameter                   FIFO_DEPTH    = 64
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         enable,
    output wire         sampling,       // this clock of the pipeline is watched
    output wire         active,         // from the start to the END record accepted
    output wire         broken,         // the pipeline lost the order of its tokens
    output wire [127:0] m_axis_tdata,
    output wire         m_axis_tvalid,
    output wire         m_axis_tlast,
    input  wire         m_axis_tready
);
    wire [SOURCES-1:0] trace_valid;
    wire [5*SOURCES-1:0] layer_id;
    wire [6*SOURCES-1:0] buf_occupancy;
    wire [SOURCES-1:0] backpressure_en;
    wire token_valid;
    wire [31:0] token;
    wire [47:0] rel_ns;
    wire [63:0] ts_ns;

    reg started;  // clock 0 is over
    always @(posedge clk) started <= sampling && !rst;

    // verilator lint_off UNUSEDSIGNAL
    wire [3:0] mark_sub;  // a sub has 4 bits, those of MARK need 2
    // verilator lint_on UNUSEDSIGNAL
    wire start_mark = sampling && !started;
    wire token_mark = sampling && token_valid && token[9:0] == 10'd0;

    assign mark_sub = start_mark ? `NPS_MARK_START : `NPS_MARK_USER;

    wire sync_valid, phy_changed, crc_reneg_req, crc_reneg_ack, reneg_done, phy_switch_req, phy_switch_ack;
    npu_demo_sync #(
        .CLK_PERIOD_PS(CLK_PERIOD_PS)
    ) u_sync (
        .clk           (clk),
        .rst           (!sampling),
        .sync_valid    (sync_valid),
        .phy_changed   (phy_changed),
        .crc_reneg_req (crc_reneg_req),
        .crc_reneg_ack (crc_reneg_ack),
        .reneg_done    (reneg_done),
        .phy_switch_req(phy_switch_req),
        .phy_switch_ack(phy_switch_ack)
    );

    wire ins_valid, tok_valid, tok_ready, tok_first, tok_eos, pipe_freeze, token_resume, token_trim;
    wire [31:0] ins_word, ins_rs1, tok_id;
    wire [15:0] tok_slot;
    npu_demo_tokens #(
        .CLK_PERIOD_PS(CLK_PERIOD_PS)
    ) u_tokens (
        .clk         (clk),
        .rst         (!sampling),
        .ins_valid   (ins_valid),
        .ins_word    (ins_word),
        .ins_rs1     (ins_rs1),
        .tok_valid   (tok_valid),
        .tok_ready   (tok_ready),
        .tok_id      (tok_id),
        .tok_slot    (tok_slot),
        .tok_first   (tok_first),
        .tok_eos     (tok_eos),
        .pipe_freeze (pipe_freeze),
        .token_resume(token_resume),
        .token_trim  (token_trim)
    );

    // verilator lint_off PINCONNECTEMPTY
    npu_pipeline #(
        .STAGES   (STAGES),
        .BUFFERS  (BUFFERS),
        .CHANGES  (CHANGES),
        .SOURCES  (SOURCES),
        .MAX_DEPTH(MAX_DEPTH)
    ) u_pipeline (
        .clk            (clk),
        .rst            (!sampling),
        .trace_valid    (trace_valid),
        .layer_id       (layer_id),
        .buf_occupancy  (buf_occupancy),
        .backpressure_en(backpressure_en),
        .token_valid    (token_valid),
        .token          (token),
        .used           (),
        .stopped        (),
        .broken         (broken)
    );

    npu_demo_time #(
        .CLK_PERIOD_PS(CLK_PERIOD_PS)
    ) u_time (
        .clk   (clk),
        .rst   (rst),
        .rel_ns(rel_ns),
        .ts_ns (ts_ns)
    );

    nps_top #(
        .NUM_BP       (SOURCES),
        .LAYERS       (LAYERS),
        .DRY_MASK     (DRY_MASK),
        .A_BUDGET     (1),
        .REGS         (0),
        .FIFO_DEPTH   (FIFO_DEPTH),
        .CLK_PERIOD_PS(CLK_PERIOD_PS),
        .DESC_HASH    (DESC_HASH)
    ) u_nps (
        .clk            (clk),
        .rst            (rst),
        .enable         (enable),
        .rel_ns         (rel_ns),
        .rel_frac       (8'd0),
        .ts_ns          (ts_ns),
        .locked         (1'b1),
        .holdover       (1'b0),
        .ts_step        (1'b0),
        .rel_step       (1'b0),
        .step_ns        (64'd0),
        .trace_valid    (trace_valid),
        .layer_id       (layer_id),
        .buf_occupancy  (buf_occupancy),
        .backpressure_en(backpressure_en),
        .sync_valid     (sync_valid),
        .phy_changed    (phy_changed),
        .sync_lost      (),
        .crc_reneg_req  (crc_reneg_req),
        .crc_reneg_ack  (crc_reneg_ack),
        .reneg_done     (reneg_done),
        .phy_switch_req (phy_switch_req),
        .phy_switch_ack (phy_switch_ack),
        .ins_valid      (ins_valid),
        .ins_ready      (1'b1),
        .ins_word       (ins_word),
        .ins_rs1        (ins_rs1),
        .ins_error      (),
        .tok_valid      (tok_valid),
        .tok_ready      (tok_ready),
        .tok_ptr        (tok_id),
        .tok_id         (tok_id),
        .tok_layer      (8'd0),
        .tok_slot       (tok_slot),
        .tok_first      (tok_first),
        .tok_eos        (tok_eos),
        .tok_eosp       (1'b0),
        .tok_boundary   (1'b0),
        .tok_ctx        (32'd0),
        .mem_free       (16'hFFFF),
        .pipe_valid     (),
        .pipe_ready     (1'b1),
        .pipe_freeze    (pipe_freeze),
        .token_resume   (token_resume),
        .token_trim     (token_trim),
        .mark_valid     (start_mark || token_mark),
        .mark_sub       (mark_sub[1:0]),
        .mark_value     (start_mark ? 32'd0 : token),
        .cfg_apply      ({SOURCES{1'b0}}),
        .cfg_th_on      ({6 * SOURCES{1'b0}}),
        .cfg_th_off     ({6 * SOURCES{1'b0}}),
        .cfg_th_wet     ({6 * SOURCES{1'b0}}),
        .cfg_level_step ({6 * SOURCES{1'b0}}),
        .cfg_k          ({5 * SOURCES{1'b0}}),
        .cfg_raw        ({SOURCES{1'b0}}),
        .cfg_stale_ns   ({32 * SOURCES{1'b0}}),
        .cfg_error      (),
        .sampling       (sampling),
        .active         (active),
        .m_axis_tdata   (m_axis_tdata),
        .m_axis_tvalid  (m_axis_tvalid),
        .m_axis_tlast   (m_axis_tlast),
        .m_axis_tready  (m_axis_tready),
        .s_axil_awaddr  (12'd0),
        .s_axil_awvalid (1'b0),
        .s_axil_awready (),
        .s_axil_wdata   (32'd0),
        .s_axil_wstrb   (4'd0),
        .s_axil_wvalid  (1'b0),
        .s_axil_wready  (),
        .s_axil_bresp   (),
        .s_axil_bvalid  (),
        .s_axil_bready  (1'b0),
        .s_axil_araddr  (12'd0),
        .s_axil_arvalid (1'b0),
        .s_axil_arready (),
        .s_axil_rdata   (),
        .s_axil_rresp   (),
        .s_axil_rvalid  (),
        .s_axil_rready  (1'b0),
        .irq            ()
    );
    // verilator lint_on PINCONNECTEMPTY
endmodule

`default_nettype wire
