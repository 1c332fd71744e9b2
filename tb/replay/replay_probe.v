// SPDX-License-Identifier: Apache-2.0
// probe.cpp as Verilog, for Icarus: the same file of samples, the same events (+STIMULUS=, +EVENTS=).
`default_nettype none
`timescale 1ns / 1ps

module replay_probe;
    localparam [47:0] START_NS = 48'd1000;
    localparam [63:0] EPOCH_NS = 64'd1700000000000000000;
    reg clk, rst, trace_valid, backpressure_en;
    reg [4:0] layer_id;
    reg [5:0] buf_occupancy;
    reg [47:0] rel;
    wire ev_valid;
    wire [3:0] ev_kind, ev_sub;
    wire [63:0] ev_ts;
    wire [31:0] ev_payload;

    nps_bp_probe dut (
        .clk(clk), .rst(rst), .restart(1'b0), .rel_ns(rel), .ts_ns(EPOCH_NS + {16'd0, rel}), .tq(2'd2), .ts_step(1'b0),
        .rel_step(1'b0), .step_ns(64'd0), .trace_valid(trace_valid), .layer_id(layer_id), .buf_occupancy(buf_occupancy),
        .backpressure_en(backpressure_en), .cfg_apply(1'b0), .cfg_th_on(6'd0), .cfg_th_off(6'd0), .cfg_th_wet(6'd0),
        .cfg_level_step(6'd0), .cfg_k(5'd0), .cfg_raw(1'b0), .cfg_stale_ns(32'd0), .cfg_error(), .limits(), .stale(),
        .ev_valid(ev_valid), .ev_kind(ev_kind), .ev_sub(ev_sub), .ev_tq(), .ev_ts(ev_ts), .ev_payload(ev_payload),
        .ev_bp_samples(), .ev_step(), .ev_step_ns()
    );

    reg [8*1024-1:0] name;
    reg [15:0] sample;  // low byte first in the file
    integer in, out, got;

    task automatic clock;
        begin
            #1 clk = 1'b1;
            #1 clk = 1'b0;
        end
    endtask

    initial begin
        if (!$value$plusargs("STIMULUS=%s", name)) $finish;
        in = $fopen(name, "rb");
        if (!$value$plusargs("EVENTS=%s", name)) $finish;
        out = $fopen(name, "w");
        {clk, trace_valid, layer_id, buf_occupancy, backpressure_en, rel, rst} = {14'd0, START_NS, 1'b1};
        repeat (4) clock;
        rst = 1'b0;
        got = $fread(sample, in);
        while (got == 2) begin
            rel = rel + 48'd5;
            trace_valid = sample[8];
            {backpressure_en, buf_occupancy, layer_id} = {sample[4], sample[3:0], sample[15:14], sample[13:9]};
            clock;
            if (ev_valid) $fwrite(out, "%0d %0d %0d %0d\n", ev_ts, ev_kind, ev_sub, ev_payload);
            got = $fread(sample, in);
        end
        $fclose(out);
        $display("replay: done");
        $finish;
    end
endmodule

`default_nettype wire
