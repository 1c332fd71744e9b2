// SPDX-License-Identifier: Apache-2.0
// Runs npu_demo_top without a testbench language on top: clock, reset, and a sink that writes each record to a file.
//   +PIPELINE=<folder>  files of npuscope.pipeline.write_hdl     +DUMP=<file>  the stream, 16 bytes a record
//   +CLOCKS=<n>         clocks of the pipeline that are traced
//   +STALL_FIRST=<n> +STALL_END=<n>  the sink takes nothing in clocks [first, end), counted on after the end
// Its last line is "npu_demo: ok, <records> records" or says what went wrong.
`default_nettype none

module npu_demo_tb #(
    parameter                  STAGES        = 3,
    parameter                  BUFFERS       = 2,
    parameter                  CHANGES       = 1,
    parameter                  SOURCES       = 1,
    parameter                  MAX_DEPTH     = 16,
    parameter [SOURCES*32-1:0] LAYERS        = {SOURCES{32'h3}},
    parameter [SOURCES*32-1:0] DRY_MASK      = {SOURCES{32'h0}},
    parameter [          63:0] DESC_HASH     = 64'd0,
    parameter                  CLK_PERIOD_PS = 5000,
    parameter                  FIFO_DEPTH    = 64
);
    localparam FLUSH_LIMIT = 100000;  // clocks from the last one of the pipeline to END

    reg clk = 1'b0;
    always #1 clk = !clk;

    reg [8*1024-1:0] path;
    reg [31:0] clocks;
    reg [31:0] stall_first;
    reg [31:0] stall_end;
    integer file;
    reg ready_to_run;
    initial begin
        stall_first = 32'd0;
        stall_end = 32'd0;
        ready_to_run = $value$plusargs("CLOCKS=%d", clocks) != 0 && $value$plusargs("DUMP=%s", path) != 0;
        if ($value$plusargs("STALL_FIRST=%d", stall_first) == 0) stall_first = 32'd0;
        if ($value$plusargs("STALL_END=%d", stall_end) == 0) stall_end = 32'd0;
        file = 0;
        if (ready_to_run) file = $fopen(path, "wb");
        if (file == 0) begin
            $display("npu_demo: +CLOCKS and a +DUMP that can be written are needed");
            $finish;
        end
    end

    wire sampling;
    wire active;
    wire broken;
    wire [127:0] tdata;
    wire tvalid;

    reg [3:0] reset_left = 4'd8;
    reg [31:0] clock = 32'd0;  // clocks of the pipeline so far
    reg [31:0] flushed = 32'd0;
    reg [31:0] records = 32'd0;
    reg broken_ever = 1'b0;
    wire rst = reset_left != 4'd0;
    wire enable = !rst && clock < clocks;
    wire [31:0] now = clock + flushed;
    wire tready = !(now >= stall_first && now < stall_end);

    npu_demo_top #(
        .STAGES       (STAGES),
        .BUFFERS      (BUFFERS),
        .CHANGES      (CHANGES),
        .SOURCES      (SOURCES),
        .MAX_DEPTH    (MAX_DEPTH),
        .LAYERS       (LAYERS),
        .DRY_MASK     (DRY_MASK),
        .DESC_HASH    (DESC_HASH),
        .CLK_PERIOD_PS(CLK_PERIOD_PS),
        .FIFO_DEPTH   (FIFO_DEPTH)
    ) u_top (
        .clk          (clk),
        .rst          (rst),
        .enable       (enable),
        .sampling     (sampling),
        .active       (active),
        .broken       (broken),
        .m_axis_tdata (tdata),
        .m_axis_tvalid(tvalid),
        // verilator lint_off PINCONNECTEMPTY
        .m_axis_tlast (),
        // verilator lint_on PINCONNECTEMPTY
        .m_axis_tready(tready)
    );

    always @(posedge clk) begin
        if (rst) reset_left <= reset_left - 4'd1;
        if (sampling) clock <= clock + 32'd1;
        if (sampling && broken) broken_ever <= 1'b1;
        if (tvalid && tready && !rst) begin
            $fwrite(file, "%u", tdata);
            records <= records + 32'd1;
        end
        if (clock == clocks) begin
            flushed <= flushed + 32'd1;
            if (!active) begin
                if (broken_ever) $display("npu_demo: the pipeline lost the order of its tokens, or has no +PIPELINE");
                else $display("npu_demo: ok, %0d records", records);
                $fclose(file);
                $finish;
            end else if (flushed == FLUSH_LIMIT) begin
                $display("npu_demo: no END within %0d clocks", FLUSH_LIMIT);
                $finish;
            end
        end
    end
endmodule

`default_nettype wire
