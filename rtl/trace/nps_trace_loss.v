// SPDX-License-Identifier: Apache-2.0
// The account of what one source lost: drop registers and one shadow.
//
// Does:      while the FIFO drops, adds up records, first and last time, layers hit and clock steps; `move` closes the
//            account and copies it to the shadow, where the output reads it until `free`.
// Promises:  every dropped record is counted once, in the account that is open when it drops (count saturates at 2^32-1).
// Costs:     1 clock, 2 for the upper half of step_sum. Runs one clock behind the FIFO's decision, so that no adder
//            hangs on it.
// Overflow:  the shadow is single: the user must not move while `busy` (nps_fifo's s_hold sees to it).
`default_nettype none
`include "nps_trace.vh"

module nps_trace_loss #(
    parameter CONTEXT = 0  // CTX words of a TOKINT, 0..16
) (
    input wire clk,
    input wire rst,

    // one entry dropped
    input wire        drop,
    input wire        drop_bp,     // with a BP record
    input wire        drop_lapse,  // with a STATE unknown record
    input wire        drop_cfg,    // with a CFG record
    input wire        drop_other,  // with another record
    input wire        drop_step,   // with a clock step, worth two records
    input wire        drop_tokint, // with a TOKINT, worth CONTEXT records more
    input wire [ 1:0] tq,
    input wire [63:0] ts,
    input wire [31:0] payload,
    input wire [63:0] step_ns,

    input wire move,  // account to shadow, never with drop
    input wire free,  // shadow no longer needed

    output reg         busy,      // shadow in use
    output reg  [31:0] count,
    output reg  [31:0] layers,    // 0: the whole source
    output reg  [63:0] first_ts,
    output reg  [ 1:0] first_tq,
    output reg  [63:0] last_ts,
    output reg  [ 1:0] last_tq,
    output reg         has_cfg,   // a CFG word was dropped
    output reg         has_step,  // a clock step was dropped
    output reg  [63:0] step_sum,
    output wire        step_open  // a clock step waits in the drop registers
);

    // ---------------------------------------------------------------- drop registers
    reg open, full, whole, cfg, step;
    reg [31:0] sum, mask;
    reg [63:0] from_ts, to_ts;
    reg [1:0] from_tq, to_tq;

    wire record = drop_bp || drop_lapse || drop_cfg || drop_other;
    localparam [4:0] WORDS = CONTEXT;
    wire [4:0] records = {3'd0, drop_step, record} + (CONTEXT != 0 && drop_tokint ? WORDS : 5'd0);
    wire [32:0] sum_next = {1'b0, sum} + {28'd0, records};
    wire [31:0] hit = (drop_bp ? 32'd1 << payload[`NPS_BP_LAYER_LSB+:`NPS_BP_LAYER_W] : 32'd0) |
        (drop_lapse ? payload : 32'd0);

    always @(posedge clk) begin
        if (rst || move) begin
            open <= 1'b0;
            full <= 1'b0;
            whole <= 1'b0;
            cfg <= 1'b0;
            step <= 1'b0;
            sum <= 32'd0;
            mask <= 32'd0;
        end else if (drop) begin
            open <= 1'b1;
            full <= full || sum_next[32];
            whole <= whole || drop_step || drop_cfg || drop_other;
            cfg <= cfg || drop_cfg;
            step <= step || drop_step;
            sum <= sum_next[31:0];
            mask <= mask | hit;
        end
        if (drop && !open) {from_tq, from_ts} <= {tq, ts};
        if (drop) {to_tq, to_ts} <= {tq, ts};
    end

    assign step_open = step;

    // the sum of steps, its upper half one clock behind
    reg [31:0] low, high;
    reg adds_high, carry, moves_high;
    reg [31:0] step_high;
    wire adds = drop && drop_step;
    wire [32:0] low_next = {1'b0, low} + {1'b0, step_ns[31:0]};

    always @(posedge clk) begin
        if (rst || move) low <= 32'd0;
        else if (adds) low <= low_next[31:0];
        carry <= low_next[32];
        step_high <= step_ns[63:32];
        adds_high <= adds && !rst;
        moves_high <= move && !rst;
        if (rst || moves_high) high <= 32'd0;
        else if (adds_high) high <= high + step_high + {31'd0, carry};
    end

    // ---------------------------------------------------------------- shadow
    always @(posedge clk) begin
        if (rst) begin
            busy <= 1'b0;
            has_cfg <= 1'b0;
            has_step <= 1'b0;
        end else if (move) begin
            busy <= 1'b1;
            has_cfg <= cfg;
            has_step <= step;
        end else if (free) begin
            busy <= 1'b0;
            has_cfg <= 1'b0;
            has_step <= 1'b0;
        end
        if (move) begin
            count <= sum | {32{full}};
            layers <= whole ? 32'd0 : mask;
            {first_tq, first_ts} <= {from_tq, from_ts};
            {last_tq, last_ts} <= {to_tq, to_ts};
            step_sum[31:0] <= low;
        end
        if (moves_high) step_sum[63:32] <= high;
    end

endmodule
`default_nettype wire
