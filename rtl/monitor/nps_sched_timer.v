// SPDX-License-Identifier: Apache-2.0
// WARP_SCHED_CTRL: the period in which tokens are scheduled and the number of active warps, kept in time.
//
// Does:     `tick` once a period, `slot` 0 .. slots - 1 in turn; takes a new register value (rules W1..W5 in README.md
//           beside this file); tells each value that comes in force.
// Promises: the n-th tick is less than a clock behind n periods, however long a clock is and however it changes; a value
//           with a reserved bit or code changes nothing.
// Costs:    a tick comes 2 clocks after the clock it belongs to; the record NPS_MON_LATENCY clocks after that one.
// Overflow: time that jumps over a tick (a stopped clock) makes one tick, not many. Needs a clock of at most a third
//           of the period.
`default_nettype none
`include "nps_monitor.vh"
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module nps_sched_timer #(
    parameter integer SCHED_PERIOD     = `NPS_SCHED_PERIOD,      // period select 0, ns, 8..65535
    parameter integer SCHED_PERIOD_LOW = `NPS_SCHED_PERIOD_LOW,  // period select 3, ns, 8..65535
    parameter integer SCHED_SLOTS      = `NPS_SCHED_SLOTS,       // 1..64
    parameter integer SCHED_SLOTS_LOW  = `NPS_SCHED_SLOTS_LOW    // in low-latency mode, 1..64
) (
    input wire clk,
    input wire rst,
    input wire enable,  // first tick a period after it rises

    // time bus
    input wire [23:0] rel_ns,  // low bits
    input wire [ 7:0] rel_frac,
    input wire        rel_step,

    // WARP_SCHED_CTRL: bit 15 low latency, 13:12 period select
    input  wire        cfg_apply,
    input  wire [15:0] cfg_ctrl,
    output reg         cfg_error,      // a clock later: a reserved bit or period select
    output wire [15:0] ctrl,           // in force

    output reg        tick,
    output reg  [5:0] slot,  // of the tick

    // records, no ready
    output wire        ev_valid,
    output wire [ 3:0] ev_sub,
    output wire [31:0] ev_payload
);
    `NPS_REFUSE(SCHED_PERIOD < `NPS_SCHED_PERIOD_MIN || SCHED_PERIOD > `NPS_SCHED_PERIOD_MAX,
                nps_error__SCHED_PERIOD_must_be_8_to_65535)
    `NPS_REFUSE(SCHED_PERIOD_LOW < `NPS_SCHED_PERIOD_LOW_MIN || SCHED_PERIOD_LOW > `NPS_SCHED_PERIOD_LOW_MAX,
                nps_error__SCHED_PERIOD_LOW_must_be_8_to_65535)
    `NPS_REFUSE(SCHED_SLOTS < `NPS_SCHED_SLOTS_MIN || SCHED_SLOTS > `NPS_SCHED_SLOTS_MAX,
                nps_error__SCHED_SLOTS_must_be_1_to_64)
    `NPS_REFUSE(SCHED_SLOTS_LOW < `NPS_SCHED_SLOTS_LOW_MIN || SCHED_SLOTS_LOW > `NPS_SCHED_SLOTS_LOW_MAX,
                nps_error__SCHED_SLOTS_LOW_must_be_1_to_64)

    localparam integer T = 32;  // bits of time that are compared: 24 of ns, 8 of 1/256 ns
    localparam [5:0] LAST = SCHED_SLOTS[5:0] - 6'd1;
    localparam [5:0] LAST_LOW = SCHED_SLOTS_LOW[5:0] - 6'd1;
    localparam integer MODE = 15, SELECT = 12;  // bit 13 is as bit 12
    localparam [15:0] RESERVED = 16'h4FFF;

    // ------------------------------------------------------------------ register
    reg mode, select;                   // comes in force with the next tick or start
    reg changed;                        // it is not in force yet
    wire legal = (cfg_ctrl & RESERVED) == 16'd0 && cfg_ctrl[SELECT+1] == cfg_ctrl[SELECT];
    wire [15:0] period = select ? SCHED_PERIOD_LOW[15:0] : SCHED_PERIOD[15:0];
    wire [5:0] last = mode ? LAST_LOW : LAST;
    wire [T-1:0] ahead = {{T - 24{1'b0}}, period, 8'd0};

    // ------------------------------------------------------------------ time
    // Stage 1: how far the clock is behind `due`; 2: the next `due`, tick. The two clocks behind a tick are judged by the
    // old one, and so are not.
    reg [T-1:0] due, s1_behind, s1_now, s2_on_time, s2_anew;
    reg s1_live, s1_start, s2_moves, s3_moves, s2_late, was_enabled;
    wire [T-1:0] now = {rel_ns, rel_frac};
    wire reached = s1_live && !s1_behind[T-1] && !s2_moves && !s3_moves;
    always @(posedge clk) begin
        was_enabled <= enable && !rst;
        s1_now <= now;
        s1_behind <= now - due;
        s1_live <= enable && was_enabled && !rel_step && !rst;
        s1_start <= enable && (!was_enabled || rel_step) && !rst;

        {s2_moves, s3_moves} <= {(reached || s1_start) && !rst, s2_moves};
        s2_late <= s1_start || s1_behind >= ahead;
        s2_on_time <= due + ahead;
        s2_anew <= s1_now + ahead;
        if (s2_moves) due <= s2_late ? s2_anew : s2_on_time;

        tick <= reached && !rst;
        if (reached) slot <= slot >= last ? 6'd0 : slot + 6'd1;
        if (s1_start) slot <= 6'd63;

        cfg_error <= cfg_apply && !legal && !rst;
        changed <= (cfg_apply && legal) || (changed && !(reached || s1_start));
        if (cfg_apply && legal) {mode, select} <= {cfg_ctrl[MODE], cfg_ctrl[SELECT]};
        if (rst) {changed, mode, select} <= 3'd0;
    end

    // ------------------------------------------------------------------ what is in force, told
    reg mode_now, select_now;
    reg [1:0] s3_word, s4_word;
    reg s2_tell, s3_tell, s4_tell;
    always @(posedge clk) begin
        if (reached || s1_start) {mode_now, select_now} <= {mode, select};
        if (rst) {mode_now, select_now} <= 2'd0;
        {s2_tell, s3_tell, s4_tell} <= {s1_start || (reached && changed), s2_tell, s3_tell} & {3{!rst}};
        {s3_word, s4_word} <= {mode_now, select_now, s3_word};
    end
    assign ctrl = {mode_now, 1'b0, {2{select_now}}, 12'd0};
    assign ev_valid = s4_tell;
    assign ev_sub = `NPS_MON_SCHED;
    reg [31:0] record;
    always @* begin
        record = 32'd0;
        record[`NPS_MON_SCHED_REGISTER_LSB+:`NPS_MON_SCHED_REGISTER_W] = {s4_word[1], 1'b0, {2{s4_word[0]}}, 12'd0};
        record[`NPS_MON_SCHED_PERIOD_LSB+:`NPS_MON_SCHED_PERIOD_W] =
            s4_word[0] ? SCHED_PERIOD_LOW[15:0] : SCHED_PERIOD[15:0];
    end
    assign ev_payload = record;
endmodule

`default_nettype wire
