// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_link_probe: each clock of each link is in one class, counted in step with its window; and a link
// that is watched does what the same link does that is not.
`default_nettype none
`include "nps_thresholds.vh"

// A register that waits for its reader: any valid and ready that a link may have.
module formal_link (
    input  wire clk,
    input  wire rst,
    input  wire offer,
    input  wire take,
    output wire valid,
    output wire ready
);
    reg full;
    assign ready = take;
    assign valid = full;
    always @(posedge clk) full <= (offer || (full && !take)) && !rst;
endmodule

module formal_link_probe (
    input wire clk,
    input wire rst,
    input wire enable,
    input wire [31:0] rel_ns,
    input wire rel_step,
    input wire [1:0] offer,
    input wire [1:0] take,
    input wire [31:0] level,
    input wire cfg_apply,
    input wire [25:0] cfg_period
);
    wire [1:0] valid, ready, bare_valid, bare_ready;
    genvar n;
    generate
        for (n = 0; n < 2; n = n + 1) begin : g_link
            formal_link u_watched (
                .clk(clk), .rst(rst), .offer(offer[n]), .take(take[n]), .valid(valid[n]), .ready(ready[n])
            );
            formal_link u_bare (
                .clk(clk), .rst(rst), .offer(offer[n]), .take(take[n]), .valid(bare_valid[n]), .ready(bare_ready[n])
            );
        end
    endgenerate
    wire [ 5:0] buf_occupancy;
    wire [ 4:0] layer_id;
    wire        trace_valid, backpressure_en, cfg_error, ev_valid;
    wire [15:0] overflow;
    wire [ 3:0] ev_sub;
    wire [31:0] ev_payload;
    nps_link_probe #(
        .LINKS (2),
        .DEPTHS({16'd0, 16'd5})
    ) dut (
        .clk(clk), .rst(rst), .enable(enable), .rel_ns(rel_ns), .rel_step(rel_step), .valid(valid), .ready(ready),
        .level(level), .cfg_apply(cfg_apply), .cfg_period(cfg_period), .cfg_error(cfg_error),
        .trace_valid(trace_valid), .layer_id(layer_id), .buf_occupancy(buf_occupancy),
        .backpressure_en(backpressure_en), .overflow(overflow), .ev_valid(ev_valid), .ev_sub(ev_sub),
        .ev_payload(ev_payload)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    // valid and ready of the clocks before, the last one lowest
    reg [9:0] was_valid, was_ready;
    reg [2:0] age = 3'd0;
    always @(posedge clk) begin
        was_valid <= {was_valid[7:0], valid};
        was_ready <= {was_ready[7:0], ready};
        if (age != 3'd7) age <= age + 3'd1;
    end
    // class c of clock t is offered c clocks after class 0 of it, as its window is c clocks later (rule U3)
    wire [1:0] idle = ~was_valid[3:2] & ~was_ready[3:2];
    wire [1:0] moving = was_valid[5:4] & was_ready[5:4];
    wire [1:0] stalls = was_valid[7:6] & ~was_ready[7:6];
    wire [1:0] starves = ~was_valid[9:8] & was_ready[9:8];
    always @(*) if (started) begin
        same: assert (rst || age < 3'd2 || {valid, ready} == {bare_valid, bare_ready});
        if (age >= 3'd6) begin
            idle_0:    assert ({dut.classes[4], dut.classes[0]} == idle);
            moves_1:   assert ({dut.classes[5], dut.classes[1]} == moving);
            stalls_2:  assert ({dut.classes[6], dut.classes[2]} == stalls);
            starves_3: assert ({dut.classes[7], dut.classes[3]} == starves);
        end
        order:   assert (!trace_valid || layer_id < 5'd2);
    end
    always @(posedge clk) if (started && !rst) begin
        full:  cover (trace_valid && layer_id == 5'd0 && buf_occupancy == 6'd63 && backpressure_en);
        empty: cover (trace_valid && layer_id == 5'd1 && buf_occupancy == 6'd0);
        moves: cover (trace_valid && layer_id == 5'd1 && buf_occupancy == 6'd32);
    end
endmodule

`default_nettype wire
