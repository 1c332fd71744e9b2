// SPDX-License-Identifier: Apache-2.0
// One buffer of npu_pipeline: a FIFO of token numbers (rule P1 of npuscope.pipeline). The producer writes only with
// room, the consumer reads only what it has; depth is constant out of reset, 1..MAX_DEPTH. Not product RTL.
`default_nettype none

module npu_pipeline_buffer #(
    parameter MAX_DEPTH = 16
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [15:0] depth,
    input  wire        push,
    input  wire [31:0] push_token,
    input  wire        pop,
    output wire [31:0] head,        // the next token read
    output wire        has,
    output wire        room,
    output reg  [15:0] used
);
    localparam AW = MAX_DEPTH < 2 ? 1 : $clog2(MAX_DEPTH);

    reg [31:0] tokens[0:MAX_DEPTH-1];
    reg [AW-1:0] write_at;
    reg [AW-1:0] read_at;

    wire [AW-1:0] last = depth[AW-1:0] - 1'b1;

    assign has = used != 16'd0;
    assign room = used != depth;
    assign head = tokens[read_at];

    always @(posedge clk)
        if (rst) begin
            used <= 16'd0;
            write_at <= {AW{1'b0}};
            read_at <= {AW{1'b0}};
        end else begin
            if (push) begin
                tokens[write_at] <= push_token;
                write_at <= write_at == last ? {AW{1'b0}} : write_at + 1'b1;
            end
            if (pop) read_at <= read_at == last ? {AW{1'b0}} : read_at + 1'b1;
            if (push != pop) used <= push ? used + 16'd1 : used - 16'd1;
        end
endmodule

`default_nettype wire
