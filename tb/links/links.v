// SPDX-License-Identifier: Apache-2.0
// Pipelines of valid/ready stages and FIFOs without data, to be dumped as VCD and read by npuscope (see README.md).
// Plusargs: shape=0 chain, 1 skip; gap, stop_a, stop_b = windows FROM..TO in clocks; skip, depth_a, depth_b = depths; batch.
`default_nettype none
`timescale 1ns / 1ps

// Words only: counts what is inside. ready while not full.
module fifo (
    input  wire       clk,
    input  wire [7:0] depth,
    input  wire       in_valid,
    output wire       in_ready,
    output wire       out_valid,
    input  wire       out_ready
);
  reg [7:0] level = 0;
  assign in_ready  = level < depth;
  assign out_valid = level != 0;
  always @(posedge clk) level <= level + (in_valid & in_ready) - (out_valid & out_ready);
endmodule

// Takes a word in a clock and gives it out in the next; while stop it takes none.
module stage (
    input  wire clk,
    input  wire stop,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready
);
  reg full = 0;
  assign out_valid = full;
  assign in_ready  = !stop & (!full | out_ready);
  always @(posedge clk) full <= in_valid & in_ready | full & !out_ready;
endmodule

// A pipeline of 12 clocks; with batch it gives words out in groups of that many, once it has them all.
module slow (
    input  wire       clk,
    input  wire [7:0] batch,
    input  wire       in_valid,
    output wire       in_ready,
    output wire       out_valid,
    input  wire       out_ready
);
  reg [11:0] pipe = 0;
  reg [7:0] have = 0, give = 0;
  wire last = pipe[11];
  assign in_ready  = have < 100;
  assign out_valid = give != 0;
  wire [7:0] kept = have + last;
  wire whole = kept >= batch;
  always @(posedge clk) begin
    pipe <= {pipe[10:0], in_valid & in_ready};
    have <= whole ? 8'd0 : kept;
    give <= give - (out_valid & out_ready) + (whole ? kept : 8'd0);
  end
endmodule

module links;
  integer stop_a_from = 0, stop_a_to = 0, stop_b_from = 0, stop_b_to = 0, gap_from = 0, gap_to = 0, skip = 4, batch = 1;
  integer depth_a = 4, depth_b = 8, shape = 0, clocks = 600, now = 0;
  reg clk = 0;
  always #2 clk = !clk;
  always @(posedge clk) now <= now + 1;

  // the source offers a word two clocks in three, but none in the gap
  wire offer = now > 4 & now % 3 != 0 & !(now >= gap_from & now < gap_to);
  reg waits = 0;  // a word once offered stays
  always @(posedge clk) waits <= shape == 0 ? v0 & !r0 : w0 & !s0;
  wire stop_a = now >= stop_a_from & now < stop_a_to;
  wire stop_b = now >= stop_b_from & now < stop_b_to;

  // chain: source, q0, a, q1, b, q2, sink
  wire v0, r0, v0o, r0o, v1, r1, v1o, r1o, v2, r2, v2o;
  assign v0 = (offer | waits) & shape == 0;
  fifo  q0 (clk, depth_a[7:0], v0, r0, v0o, r0o);
  stage a  (clk, stop_a, v0o, r0o, v1, r1);
  fifo  q1 (clk, depth_b[7:0], v1, r1, v1o, r1o);
  stage b  (clk, stop_b, v1o, r1o, v2, r2);
  fifo  q2 (clk, 8'd8, v2, r2, v2o, 1'b1);

  // skip: source, p0, split, (pa, slow, pb) and ps, join, p3, sink
  wire w0, s0, w0o, s0o, wa, sa, wao, sao, wb, sb, wbo, sbo, ws, ss, wso, sso, w3, s3, w3o;
  assign w0 = (offer | waits) & shape == 1;
  fifo p0 (clk, 8'd4, w0, s0, w0o, s0o);
  assign s0o = sa & ss;
  assign wa  = w0o & ss;
  assign ws  = w0o & sa;
  fifo pa (clk, 8'd4, wa, sa, wao, sao);
  slow m  (clk, batch[7:0], wao, sao, wb, sb);
  fifo pb (clk, 8'd8, wb, sb, wbo, sbo);
  fifo ps (clk, skip[7:0], ws, ss, wso, sso);
  assign w3  = wbo & wso;
  assign sbo = wso & s3;
  assign sso = wbo & s3;
  fifo p3 (clk, 8'd4, w3, s3, w3o, 1'b1);

  reg [8*256-1:0] file;
  initial begin
    if (!$value$plusargs("file=%s", file)) $finish;
    if ($value$plusargs("shape=%d", shape)) ;
    if ($value$plusargs("clocks=%d", clocks)) ;
    if ($value$plusargs("stop_a_from=%d", stop_a_from)) ;
    if ($value$plusargs("stop_a_to=%d", stop_a_to)) ;
    if ($value$plusargs("stop_b_from=%d", stop_b_from)) ;
    if ($value$plusargs("stop_b_to=%d", stop_b_to)) ;
    if ($value$plusargs("gap_from=%d", gap_from)) ;
    if ($value$plusargs("gap_to=%d", gap_to)) ;
    if ($value$plusargs("skip=%d", skip)) ;
    if ($value$plusargs("batch=%d", batch)) ;
    if ($value$plusargs("depth_a=%d", depth_a)) ;
    if ($value$plusargs("depth_b=%d", depth_b)) ;
    $dumpfile(file);
    $dumpvars(0, links);
    repeat (clocks) @(posedge clk);
    #1 $finish;
  end
endmodule
`default_nettype wire
