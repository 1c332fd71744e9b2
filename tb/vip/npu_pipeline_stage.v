// SPDX-License-Identifier: Apache-2.0
// One stage of npu_pipeline: joins its inputs, works, forks to its outputs (rules P2 to P6 of npuscope.pipeline).
// Not product RTL: its work is a counter and its jitter three multiplications.
`default_nettype none

module npu_pipeline_stage #(
    parameter BUFFERS = 2
) (
    input  wire               clk,
    input  wire               rst,
    // constant out of reset
    input  wire [       15:0] service,
    input  wire [       15:0] jitter,
    input  wire [       15:0] burst,
    input  wire [       15:0] gap,
    input  wire [       31:0] limit,    // tokens it takes in all
    input  wire [       31:0] seed,
    input  wire [BUFFERS-1:0] inputs,   // buffers it reads
    input  wire [BUFFERS-1:0] outputs,  // buffers it writes
    // windows in force in this clock
    input  wire               stopped,
    input  wire [       15:0] extra,
    // buffers, registered
    input  wire [BUFFERS-1:0] has,
    input  wire [BUFFERS-1:0] room,
    output wire               take,     // one token of each input in this clock
    output wire               put,      // one token into each output in this clock
    output reg  [       31:0] token,    // number of the token it holds
    output reg  [       31:0] count     // tokens taken = number of the next one
);
    reg        held;
    reg [17:0] left;        // clocks of work before it can put
    reg [15:0] burst_left;  // tokens to the next gap

    assign put  = held && left == 18'd0 && !stopped && (outputs & ~room) == {BUFFERS{1'b0}};
    assign take = (put || !held) && !stopped && count != limit && (inputs & ~has) == {BUFFERS{1'b0}};

    // P6: 32-bit finaliser of MurmurHash3
    function automatic [31:0] mix(input reg [31:0] word);
        begin
            mix = word ^ (word >> 16);
            mix = mix * 32'h85EBCA6B;
            mix = mix ^ (mix >> 13);
            mix = mix * 32'hC2B2AE35;
            mix = mix ^ (mix >> 16);
        end
    endfunction

    // verilator lint_off UNUSEDSIGNAL
    // P6 takes the upper half of both products
    function automatic [15:0] draw(input reg [31:0] n);
        reg [31:0] word;
        reg [32:0] scaled;
        begin
            word   = mix(seed + n * 32'h9E3779B9);
            scaled = {17'd0, word[31:16]} * ({17'd0, jitter} + 33'd1);
            draw   = scaled[31:16];
        end
    endfunction
    // verilator lint_on UNUSEDSIGNAL

    wire gap_due = burst != 16'd0 && count != 32'd0 && burst_left == 16'd0;

    always @(posedge clk)
        if (rst) begin
            held <= 1'b0;
            left <= 18'd0;
            count <= 32'd0;
            token <= 32'd0;
            burst_left <= 16'd0;
        end else if (take) begin
            held <= 1'b1;
            token <= count;
            left <= {2'd0, service} + (jitter == 16'd0 ? 18'd0 : {2'd0, draw(count)}) +
                    (gap_due ? {2'd0, gap} : 18'd0) + {2'd0, extra} - 18'd1;
            count <= count + 32'd1;
            burst_left <= (burst_left == 16'd0 ? burst : burst_left) - 16'd1;
        end else if (put) begin
            held <= 1'b0;
        end else if (left != 18'd0 && !stopped) begin
            left <= left - 18'd1;
        end
endmodule

`default_nettype wire
