// SPDX-License-Identifier: Apache-2.0
// The account of what one source lost: drop registers and one shadow.
//
// Does:      while the FIFO drops, adds up records, first and last time, layers hit and clock steps; `move` closes the
//            account and copies it to the shadow, where the output reads it until `free`. Times do not move: the two
//            accounts of a small RAM change places.
// Promises:  every dropped record is counted once, in the account that is open when it drops (count saturates at 2^32-1).
// Costs:     1 clock, 2 for the upper half of step_sum, 4 for `layers`, 1 from at_last to `at_ts`. Runs one clock behind
//            the FIFO's decision, so that no adder hangs on it.
// Overflow:  the shadow is single: the user must not move while `busy` (nps_fifo's s_hold sees to it).
`default_nettype none
`include "nps_trace.vh"

module nps_trace_loss #(
    parameter HAS_LAYERS = 1,  // 0: `layers` is 0
    parameter CONTEXT    = 0   // CTX words of a TOKINT, 0..16
) (
    input wire clk,
    input wire rst,

    // one entry dropped
    input wire        drop,
    input wire        drop_record, // with a record
    input wire        drop_cfg,    // that is a CFG
    input wire        drop_whole,  // with a clock step or a record that names no layers
    input wire        drop_step,   // with a clock step, worth two records
    input wire        drop_tokint, // with a TOKINT, worth CONTEXT records more
    input wire        drop_before, // no record, but news of before_count records lost before they could be offered
    input wire [31:0] before_count,
    input wire [ 1:0] tq,
    input wire [63:0] ts,
    input wire [63:0] step_ns,
    input wire [31:0] touched,     // 2 clocks later: the layers that the record names

    input wire move,  // account to shadow, never with drop
    input wire clear, // with move, and under rst: no account is open
    input wire free,  // shadow no longer needed

    output reg         busy,      // shadow in use
    output reg  [31:0] count,
    output reg         earlier,   // all of it was lost before it was offered
    output wire [31:0] layers,    // 0: the whole source
    input  wire        at_last,   // which time of the shadow: first or last
    output reg  [63:0] at_ts,
    output reg  [ 1:0] at_tq,
    output reg  [ 1:0] last_tq,
    output reg         has_cfg,   // a CFG word was dropped
    output reg         has_step,  // a clock step was dropped
    output reg  [63:0] step_sum,
    output wire        step_open  // a clock step waits in the drop registers
);

    // ---------------------------------------------------------------- drop registers
    reg open, several, full, whole, cfg, step, here;  // here: something of it was lost here
    reg [31:0] sum;
    reg [1:0] to_tq;

    localparam [4:0] WORDS = CONTEXT;
    wire [4:0] records = {3'd0, drop_step, drop_record} + (CONTEXT != 0 && drop_tokint ? WORDS : 5'd0);
    wire [32:0] sum_next = {1'b0, sum} + {28'd0, records} + (drop_before ? {1'b0, before_count} : 33'd0);

    always @(posedge clk) begin
        if (clear) begin
            open <= 1'b0;
            several <= 1'b0;
            full <= 1'b0;
            whole <= 1'b0;
            cfg <= 1'b0;
            step <= 1'b0;
            here <= 1'b0;
            sum <= 32'd0;
        end else if (drop) begin
            open <= 1'b1;
            several <= open;
            full <= full || sum_next[32];
            whole <= whole || drop_whole;
            cfg <= cfg || drop_cfg;
            step <= step || drop_step;
            here <= here || !drop_before;
            sum <= sum_next[31:0];
        end
        if (drop) to_tq <= tq;
    end

    assign step_open = step;

    // ---------------------------------------------------------------- times: two accounts, first and last
    reg account, shadow_several;  // account: the open one
    (* no_rw_check, ram_style = "distributed" *)
    reg [65:0] times[0:3];

    always @(posedge clk) begin
        if (drop) times[{account, open}] <= {tq, ts};
        {at_tq, at_ts} <= times[{!account, at_last && shadow_several}];
        if (rst) account <= 1'b0;
        else if (move) account <= !account;
        if (move) shadow_several <= several;
    end

    // ---------------------------------------------------------------- layers, as late as they are known
    reg shadow_whole;
    generate
        if (HAS_LAYERS) begin : gen_layers
            reg drop_next, drop_late, move_next, move_late, clear_next, clear_late;
            reg [31:0] mask, told;
            assign layers = told;
            always @(posedge clk) begin
                {drop_late, drop_next} <= {drop_next, drop} & {2{!rst}};
                {move_late, move_next} <= {move_next, move} & {2{!rst}};
                {clear_late, clear_next} <= {clear_next, clear};
                if (clear_late) mask <= 32'd0;
                else if (drop_late) mask <= mask | touched;
                if (move_late) told <= shadow_whole ? 32'd0 : mask;
            end
        end else begin : gen_no_layers
            assign layers = 32'd0;
            wire unused = &{1'b0, touched, shadow_whole};
        end
    endgenerate

    // ---------------------------------------------------------------- the sum of steps, its upper half one clock behind
    reg [31:0] low, high;
    reg adds_high, carry, moves_high, clears_high;
    reg [31:0] step_high;
    wire adds = drop && drop_step;
    wire [32:0] low_next = {1'b0, low} + {1'b0, step_ns[31:0]};

    always @(posedge clk) begin
        if (clear) low <= 32'd0;
        else if (adds) low <= low_next[31:0];
        carry <= low_next[32];
        step_high <= step_ns[63:32];
        adds_high <= adds && !rst;
        moves_high <= move && !rst;
        clears_high <= clear;
        if (clears_high) high <= 32'd0;
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
            count <= full ? 32'hFFFFFFFF : sum;
            earlier <= !here;
            shadow_whole <= whole;
            last_tq <= to_tq;
            step_sum[31:0] <= low;
        end
        if (moves_high) step_sum[63:32] <= high;
    end

endmodule
`default_nettype wire
