// SPDX-License-Identifier: Apache-2.0
// An elastic NPU pipeline with a trace port: stimulus with real FIFOs, not product RTL.
//
// Does: stages with FIFOs between them, forks, joins and skip branches, service times with jitter, bursts, stages
// stopped or slowed for known windows. It equals npuscope.pipeline clock by clock (rules P1 to P8 there); clock 0 is the
// first clock with rst low.
// Reads: the folder +PIPELINE=<folder> with the files of npuscope.pipeline.write_hdl, written for these parameters.
// Trace port (P8): round robin over the buffers of a source, one sample a clock, from the registered FIFO levels.
`default_nettype none

module npu_pipeline #(
    parameter STAGES      = 3,   // 3..254, source and sink included
    parameter BUFFERS     = 2,   // 2..64
    parameter CHANGES     = 1,   // 1..65535: changes of stop and extra, over all stages
    parameter SOURCES     = 1,   // 1..62
    parameter MAX_DEPTH   = 16,  // 1..1024 tokens
    parameter SHOW_LEVELS = 0    // 1: the levels on the port used, for a bench (slow on Icarus); else used is 0
) (
    input  wire                  clk,
    input  wire                  rst,
    // trace port, one per source
    output wire [   SOURCES-1:0] trace_valid,
    output wire [ 5*SOURCES-1:0] layer_id,
    output wire [ 6*SOURCES-1:0] buf_occupancy,
    output wire [   SOURCES-1:0] backpressure_en,
    // tokens that leave the sink
    output wire                  token_valid,
    output wire [          31:0] token,
    // for the bench
    output wire [16*BUFFERS-1:0] used,             // 16 bits a buffer, with SHOW_LEVELS
    output wire [    STAGES-1:0] stopped,
    output reg                   broken            // a token out of order, or no pipeline loaded
);
    localparam SW = $clog2(STAGES);
    localparam BW = $clog2(BUFFERS);

    // words of the files; fields as in npuscope/pipeline/hdl.py, wider than a small build needs
    // verilator lint_off UNUSEDSIGNAL
    reg [255:0] stage_word[0:STAGES-1];
    reg [31:0] buffer_word[0:BUFFERS-1];
    reg [63:0] change_word[0:CHANGES-1];
    reg [47:0] size_word[0:0];

    reg [8*1024-1:0] folder;
    reg loaded;
    initial begin
        loaded = $value$plusargs("PIPELINE=%s", folder) != 0;
        if (loaded) begin
            $readmemh({folder, "/stage.hex"}, stage_word);
            $readmemh({folder, "/buffer.hex"}, buffer_word);
            $readmemh({folder, "/change.hex"}, change_word);
            $readmemh({folder, "/size.hex"}, size_word);
        end
    end
    wire [15:0] stages = size_word[0][15:0];
    wire [15:0] buffers = size_word[0][31:16];
    wire [15:0] span = size_word[0][47:32];

    reg  [31:0] clock;  // number of this clock
    wire [31:0] next_clock = rst ? 32'd0 : clock + 32'd1;
    always @(posedge clk) clock <= next_clock;

    wire [BUFFERS-1:0] has;
    wire [BUFFERS-1:0] room;
    wire [STAGES-1:0] take;
    wire [STAGES-1:0] put;
    wire [31:0] held_token[0:STAGES-1];
    wire [31:0] next_token[0:STAGES-1];
    wire [15:0] level[0:BUFFERS-1];
    wire [BUFFERS-1:0] disorder;

    // windows: a change is in force from its clock on; the changes are sorted by clock
    reg [STAGES-1:0] stop;
    reg [16*STAGES-1:0] extra;
    reg [31:0] change_due;  // clock of the next change
    integer i;
    always @(posedge clk)
        if (rst || change_due == next_clock) begin
            if (rst) begin
                stop <= {STAGES{1'b0}};
                extra <= {16 * STAGES{1'b0}};
            end
            change_due <= 32'hFFFFFFFF;
            for (i = CHANGES - 1; i >= 0; i = i - 1) begin
                if (change_word[i][31:0] > next_clock) change_due <= change_word[i][31:0];
                if (change_word[i][31:0] == next_clock) begin
                    extra[16*change_word[i][48+:SW]+:16] <= change_word[i][47:32];
                    stop[change_word[i][48+:SW]] <= change_word[i][56];
                end
            end
        end
    assign stopped = stop;

    genvar g;
    generate
        for (g = 0; g < STAGES; g = g + 1) begin : g_stage
            wire [255:0] word = stage_word[g];
            npu_pipeline_stage #(
                .BUFFERS(BUFFERS)
            ) u_stage (
                .clk    (clk),
                .rst    (rst),
                .service(word[15:0]),
                .jitter (word[31:16]),
                .burst  (word[47:32]),
                .gap    (word[63:48]),
                .limit  (word[95:64]),
                .seed   (word[127:96]),
                .inputs (word[128+:BUFFERS]),
                .outputs(word[192+:BUFFERS]),
                .stopped(stop[g]),
                .extra  (extra[16*g+:16]),
                .has    (has),
                .room   (room),
                .take   (take[g]),
                .put    (put[g]),
                .token  (held_token[g]),
                .count  (next_token[g])
            );
        end

        for (g = 0; g < BUFFERS; g = g + 1) begin : g_buffer
            wire [31:0] word = buffer_word[g];
            wire [SW-1:0] producer = word[SW-1:0];
            wire [SW-1:0] consumer = word[8+:SW];
            wire in_use = g < buffers;
            wire pop = in_use && take[consumer];
            wire [31:0] head;
            npu_pipeline_buffer #(
                .MAX_DEPTH(MAX_DEPTH)
            ) u_buffer (
                .clk       (clk),
                .rst       (rst),
                .depth     (word[31:16]),
                .push      (in_use && put[producer]),
                .push_token(held_token[producer]),
                .pop       (pop),
                .head      (head),
                .has       (has[g]),
                .room      (room[g]),
                .used      (level[g])
            );
            assign used[16*g+:16] = SHOW_LEVELS != 0 ? level[g] : 16'd0;
            assign disorder[g] = pop && head != next_token[consumer];
        end
    endgenerate

    // verilator lint_on UNUSEDSIGNAL

    wire [SW-1:0] sink = stages[SW-1:0] - 1'b1;
    assign token_valid = put[sink];
    assign token = held_token[sink];

    always @(posedge clk)
        if (rst) broken <= !loaded;
        else if (disorder != {BUFFERS{1'b0}}) broken <= 1'b1;

    // P8: slot = clock mod span
    reg [15:0] slot;
    always @(posedge clk) slot <= rst || slot + 16'd1 == span ? 16'd0 : slot + 16'd1;

    generate
        for (g = 0; g < SOURCES; g = g + 1) begin : g_source
            wire [15:0] which = g * span + slot;
            wire [15:0] depth = buffer_word[which[BW-1:0]][31:16];
            wire [15:0] looked_at = level[which[BW-1:0]];
            wire [31:0] code = {10'd0, looked_at, 6'd0} / {16'd0, depth};
            assign trace_valid[g] = !rst && which < buffers;
            assign layer_id[5*g+:5] = slot[4:0];
            assign buf_occupancy[6*g+:6] = !trace_valid[g] ? 6'd0 : code > 32'd63 ? 6'd63 : code[5:0];
            assign backpressure_en[g] = trace_valid[g] && looked_at == depth;
        end
    endgenerate
endmodule

`default_nettype wire
