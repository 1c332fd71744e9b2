// SPDX-License-Identifier: Apache-2.0
// The account of what one source lost: drop registers and one shadow.
//
// Does:      while the FIFO drops, adds up records, first and last time, layers hit and clock steps; `mark` or `drain`
//            moves the account to the shadow, where the output reads it until `release`.
// Promises:  every dropped record is counted once, in the account that is open when it drops (count saturates at 2^32-1).
// Costs:     1 clock. Inputs are one clock behind the FIFO's decision, so that no adder hangs on it.
// Overflow:  the shadow is single: the user must not mark or drain while `busy` (nps_fifo's s_hold).
`default_nettype none
`include "nps_trace.vh"

module nps_trace_loss (
    input wire clk,
    input wire rst,

    // one entry dropped
    input wire        drop,
    input wire        drop_record,   // it had a record
    input wire        drop_step,     // it had a clock step, worth two records
    input wire [ 3:0] kind,
    input wire [ 3:0] sub,
    input wire [ 1:0] tq,
    input wire [63:0] ts,
    input wire [31:0] payload,
    input wire [63:0] step_ns,

    input wire move,     // account to shadow, never with drop
    input wire free,     // shadow no longer needed

    output reg         busy,   // shadow in use
    output reg  [31:0] count,
    output reg  [31:0] layers, // 0: the whole source
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
    reg open;
    reg [31:0] sum, mask;
    reg whole, cfg, step;
    reg [63:0] from_ts, to_ts, step_total;
    reg [1:0] from_tq, to_tq;

    wire [1:0] records = {drop_step, 1'b0} + {1'b0, drop_record};
    wire [32:0] sum_next = {1'b0, open ? sum : 32'd0} + {31'd0, records};

    wire is_bp = drop_record && kind == `NPS_K_BP;
    wire is_lapse = drop_record && kind == `NPS_K_STATE && sub == `NPS_STATE_UNKNOWN;
    wire is_cfg = drop_record && kind == `NPS_K_CFG;
    wire is_whole = drop_step || (drop_record && !is_bp && !is_lapse);
    wire [31:0] hit = is_bp ? 32'd1 << payload[`NPS_BP_LAYER_LSB+:`NPS_BP_LAYER_W] : is_lapse ? payload : 32'd0;

    always @(posedge clk) begin
        if (rst || move) begin
            open <= 1'b0;
        end else if (drop) begin
            open <= 1'b1;
        end
        if (drop) begin
            sum <= sum_next[32] ? 32'hFFFFFFFF : sum_next[31:0];
            mask <= (open ? mask : 32'd0) | hit;
            whole <= (open && whole) || is_whole;
            cfg <= (open && cfg) || is_cfg;
            step <= (open && step) || drop_step;
            step_total <= (open ? step_total : 64'd0) + (drop_step ? step_ns : 64'd0);
            if (!open) begin
                from_ts <= ts;
                from_tq <= tq;
            end
            to_ts <= ts;
            to_tq <= tq;
        end
    end

    assign step_open = open && step;

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
            count <= sum;
            layers <= whole ? 32'd0 : mask;
            first_ts <= from_ts;
            first_tq <= from_tq;
            last_ts <= to_ts;
            last_tq <= to_tq;
            step_sum <= step_total;
        end
    end

endmodule
`default_nettype wire
