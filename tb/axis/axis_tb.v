// SPDX-License-Identifier: Apache-2.0
// axis_pipeline with nps_link_probe on its links and nps_top behind it: what a design without trace port needs.
//   +DUMP=<file> the stream   +CLOCKS=<n> clocks that are traced   +SLOW_FROM=<n> +SLOW_TO=<n> when average is slow
// Its last line is "axis: ok, <words> words, check <hash>" (hash: of clock and data of each word at the sink) or says
// what went wrong. With WATCH = 0 there is no probe and no dump.
`default_nettype none
`include "nps_thresholds.vh"

module axis_tb #(
    parameter        WATCH     = 1,
    parameter [63:0] DESC_HASH = 64'd0
);
    reg clk = 1'b0;
    always #1 clk = !clk;

    reg [8*1024-1:0] path;
    reg [31:0] clocks, slow_from, slow_to;
    integer file;
    initial begin
        if ($value$plusargs("CLOCKS=%d", clocks) == 0) clocks = 32'd4000;
        if ($value$plusargs("SLOW_FROM=%d", slow_from) == 0) slow_from = 32'd0;
        if ($value$plusargs("SLOW_TO=%d", slow_to) == 0) slow_to = 32'd0;
        file = 0;
        if (WATCH != 0 && $value$plusargs("DUMP=%s", path) != 0) file = $fopen(path, "wb");
    end

    reg [3:0] reset_left = 4'd8;
    reg [31:0] clock = 32'd0;
    wire rst = reset_left != 4'd0;
    wire sampling, active, m_valid, m_ready;
    wire [31:0] m_data;
    wire [2:0] link_valid, link_ready;
    wire [31:0] link_level;
    wire started = sampling && clock < clocks;
    axis_pipeline u_pipeline (
        .clk(clk), .rst(!started), .slow(clock >= slow_from && clock < slow_to), .m_axis_tdata(m_data),
        .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .link_valid(link_valid), .link_ready(link_ready),
        .link_level(link_level)
    );
    assign m_ready = clock[1:0] != 2'd3;

    // what comes out: 3 x + 1 of two words that follow each other, none of them the eighth, averaged
    reg [31:0] words = 32'd0, check = 32'd0, next = 32'd0;
    wire [31:0] after = next[2:0] == 3'd6 ? next + 32'd2 : next + 32'd1;
    wire [31:0] then_next = after[2:0] == 3'd6 ? after + 32'd2 : after + 32'd1;
    wire [31:0] wanted = (32'd3 * next + 32'd1 + 32'd3 * after + 32'd1) >> 1;
    reg wrong = 1'b0;
    always @(posedge clk) if (started && m_valid && m_ready) begin
        words <= words + 32'd1;
        next <= then_next;
        check <= {check[30:0], check[31]} ^ m_data ^ clock;
        if (m_data != wanted) wrong <= 1'b1;
    end

    // ------------------------------------------------------------------ the part to copy
    reg [47:0] rel_ns = 48'd0;
    always @(posedge clk) rel_ns <= rel_ns + 48'd5;
    wire enable = !rst && clock < clocks;
    generate
        if (WATCH != 0) begin : g_watch
            wire trace_valid, backpressure_en, tvalid;
            wire [4:0] layer_id;
            wire [5:0] buf_occupancy;
            wire [127:0] tdata;
            nps_link_probe #(
                .LINKS (3),
                .DEPTHS({16'd0, 16'd16, 16'd16})  // the sink has no FIFO
            ) u_probe (
                .clk(clk), .rst(rst), .enable(sampling), .rel_ns(rel_ns[31:0]), .rel_step(1'b0),
                .valid(link_valid), .ready(link_ready), .level({16'd0, link_level}),
                .cfg_apply(1'b0), .cfg_period(26'd0), .cfg_error(),
                .trace_valid(trace_valid), .layer_id(layer_id), .buf_occupancy(buf_occupancy),
                .backpressure_en(backpressure_en), .overflow(), .ev_valid(), .ev_sub(), .ev_payload()
            );
            nps_top #(
                .NUM_BP(1), .LAYERS(32'h7), .DRY_MASK(32'h7), .DESC_HASH(DESC_HASH),
                .JITTER(0), .RAS(0), .TOKEN(0), .REGS(0)
            ) u_top (
                .clk(clk), .rst(rst), .enable(enable), .rel_ns(rel_ns), .rel_frac(8'd0), .ts_ns({16'd0, rel_ns}),
                .locked(1'b1), .holdover(1'b0), .ts_step(1'b0), .rel_step(1'b0), .step_ns(64'd0),
                .trace_valid(trace_valid), .layer_id(layer_id), .buf_occupancy(buf_occupancy),
                .backpressure_en(backpressure_en),
                .sync_valid(1'b0), .phy_changed(1'b0), .sync_lost(), .crc_reneg_req(), .crc_reneg_ack(1'b0),
                .reneg_done(1'b0), .phy_switch_req(), .phy_switch_ack(1'b0),
                .ins_valid(1'b0), .ins_ready(1'b0), .ins_word(32'd0), .ins_rs1(32'd0), .ins_error(),
                .tok_valid(1'b0), .tok_ready(), .tok_ptr(32'd0), .tok_id(32'd0), .tok_layer(8'd0), .tok_slot(16'd0),
                .tok_first(1'b0), .tok_eos(1'b0), .tok_eosp(1'b0), .tok_boundary(1'b0), .tok_ctx(32'd0),
                .mem_free(16'd0), .pipe_valid(), .pipe_ready(1'b1), .pipe_freeze(), .token_resume(1'b0),
                .token_trim(1'b0),
                .mark_valid(1'b0), .mark_sub(2'd0), .mark_value(32'd0),
                .cfg_apply(1'b0), .cfg_th_on(6'd0), .cfg_th_off(6'd0), .cfg_th_wet(6'd0), .cfg_level_step(6'd0),
                .cfg_k(5'd0), .cfg_raw(1'b0), .cfg_stale_ns(32'd0), .cfg_error(),
                .sampling(sampling), .active(active),
                .m_axis_tdata(tdata), .m_axis_tvalid(tvalid), .m_axis_tlast(), .m_axis_tready(1'b1),
                .s_axil_awaddr(12'd0), .s_axil_awvalid(1'b0), .s_axil_awready(), .s_axil_wdata(32'd0),
                .s_axil_wstrb(4'd0), .s_axil_wvalid(1'b0), .s_axil_wready(), .s_axil_bresp(), .s_axil_bvalid(),
                .s_axil_bready(1'b0), .s_axil_araddr(12'd0), .s_axil_arvalid(1'b0), .s_axil_arready(),
                .s_axil_rdata(), .s_axil_rresp(), .s_axil_rvalid(), .s_axil_rready(1'b0), .irq()
            );
            always @(posedge clk) if (tvalid && file != 0) $fwrite(file, "%u", tdata);
        end else begin : g_bare
            reg [7:0] late = 8'd0;  // samples as long after the reset as with nps_top
            always @(posedge clk) late <= {late[6:0], enable};
            assign sampling = late[0] && enable;
            assign active = 1'b0;
        end
    endgenerate

    reg [15:0] flushed = 16'd0;
    always @(posedge clk) begin
        if (rst) reset_left <= reset_left - 4'd1;
        if (started) clock <= clock + 32'd1;
        if (clock == clocks) begin
            flushed <= flushed + 16'd1;
            if (!active || flushed == 16'd20000) begin
                if (wrong) $display("axis: a word is wrong");
                else if (flushed == 16'd20000) $display("axis: no END");
                else $display("axis: ok, %0d words, check %0h", words, check);
                if (file != 0) $fclose(file);
                $finish;
            end
        end
    end
endmodule

`default_nettype wire
