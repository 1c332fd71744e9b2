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
    parameter STAGES    = 3,   // 3..254, source and sink included
    parameter BUFFERS   = 2,   // 2..64
    parameter CHANGES   = 1,   // 1..65535: changes of stop and extra, over all stages
    parameter SOURCES   = 1,   // 1..62
    parameter MAX_DEPTH = 16   // 1..1024 tokens
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
    output wire [16*BUFFERS-1:0] used,
    output wire [    STAGES-1:0] stopped,
    output reg                   broken  // a token out of order, or no pipeline loaded
);
    localparam SW = $clog2(STAGES);
    localparam BW = $clog2(BUFFERS);
    localparam CW = CHANGES < 2 ? 1 : $clog2(CHANGES);

    // words of the files; fields as in npuscope/pipeline/hdl.py, wider than a small build needs
    // verilator lint_off UNUSEDSIGNAL
    reg [287:0] stage_word[0:STAGES-1];
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
    wire [32*STAGES-1:0] held_token;
    wire [32*STAGES-1:0] next_token;
    wire [BUFFERS-1:0] disorder;

    genvar g;
    generate
        for (g = 0; g < STAGES; g = g + 1) begin : g_stage
            wire [287:0] word = stage_word[g];
            // windows of this stage: a change is in force from its clock on
            reg [15:0] extra;
            reg stop;
            reg [15:0] change_at;
            wire [15:0] candidate = rst ? word[143:128] : change_at;
            wire [63:0] change = change_word[candidate[CW-1:0]];
            wire due = candidate != word[159:144] && change[31:0] == next_clock;
            always @(posedge clk) begin
                change_at <= candidate + {15'd0, due};
                if (due) {stop, extra} <= change[48:32];
                else if (rst) {stop, extra} <= 17'd0;
            end
            assign stopped[g] = stop;

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
                .inputs (word[160+:BUFFERS]),
                .outputs(word[224+:BUFFERS]),
                .stopped(stop),
                .extra  (extra),
                .has    (has),
                .room   (room),
                .take   (take[g]),
                .put    (put[g]),
                .token  (held_token[32*g+:32]),
                .count  (next_token[32*g+:32])
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
                .push_token(held_token[32*producer+:32]),
                .pop       (pop),
                .head      (head),
                .has       (has[g]),
                .room      (room[g]),
                .used      (used[16*g+:16])
            );
            assign disorder[g] = pop && head != next_token[32*consumer+:32];
        end
    endgenerate

    // verilator lint_on UNUSEDSIGNAL

    wire [SW-1:0] sink = stages[SW-1:0] - 1'b1;
    assign token_valid = put[sink];
    assign token = held_token[32*sink+:32];

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
            wire [15:0] level = used[16*which[BW-1:0]+:16];
            wire [31:0] code = {10'd0, level, 6'd0} / {16'd0, depth};
            assign trace_valid[g] = !rst && which < buffers;
            assign layer_id[5*g+:5] = slot[4:0];
            assign buf_occupancy[6*g+:6] = !trace_valid[g] ? 6'd0 : code > 32'd63 ? 6'd63 : code[5:0];
            assign backpressure_en[g] = trace_valid[g] && level == depth;
        end
    endgenerate
endmodule

`default_nettype wire
