// SPDX-License-Identifier: Apache-2.0
// Hit rate of a cache over windows of time, against its limit, exactly and without a divider.
//
// Does:     counts accesses and hits in windows that follow each other, tells each window, judges
//           hits * 1000 < limit * accesses (rules H1..H5 in README.md beside this file).
// Promises: each access is in exactly one window; the verdict is exact; an empty window has none.
// Costs:    the record comes NPS_HITRATE_LATENCY clocks after the window's last.
// Overflow: a window counts its first 65535 accesses; its record then says 65535. Stores no events and has no ready.
`default_nettype none
`include "nps_monitor.vh"
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module nps_hitrate_mon #(
    // in force after reset
    parameter integer HITRATE_LIMIT  = `NPS_HITRATE_LIMIT,  // 1/1000, 0..1000
    parameter integer HITRATE_WINDOW = `NPS_HITRATE_WINDOW  // ns, 1000..1073741823
) (
    input wire clk,
    input wire rst,
    input wire enable,  // 0: nothing is counted, the window that runs is void

    // time bus
    input wire [31:0] rel_ns,  // low bits
    input wire        rel_step,

    input wire access,
    input wire hit,     // of an access

    // new limits, taken as a whole; refused by cfg_error, a clock later
    input  wire        cfg_apply,
    input  wire [ 9:0] cfg_limit,
    input  wire [29:0] cfg_window,
    output reg         cfg_error,
    output reg  [ 9:0] limit,      // in force
    output reg  [29:0] window,

    output reg under,  // verdict of the last window that had one

    // records, no ready
    output reg         ev_valid,
    output wire [ 3:0] ev_sub,
    output wire [31:0] ev_payload
);
    `NPS_REFUSE(HITRATE_LIMIT < `NPS_HITRATE_LIMIT_MIN || HITRATE_LIMIT > `NPS_HITRATE_LIMIT_MAX,
                nps_error__HITRATE_LIMIT_must_be_0_to_1000)
    `NPS_REFUSE(HITRATE_WINDOW < `NPS_HITRATE_WINDOW_MIN || HITRATE_WINDOW > `NPS_HITRATE_WINDOW_MAX,
                nps_error__HITRATE_WINDOW_must_be_1000_to_1073741823)

    localparam [9:0] THOUSAND = `NPS_HITRATE_LIMIT_MAX;
    localparam [29:0] WINDOW_MIN = `NPS_HITRATE_WINDOW_MIN;
    localparam [15:0] FULL = 16'hFFFF;

    // ------------------------------------------------------------------ limits
    wire legal = cfg_limit <= THOUSAND && cfg_window >= WINDOW_MIN;
    always @(posedge clk) begin
        cfg_error <= cfg_apply && !legal && !rst;
        if (cfg_apply && legal) {limit, window} <= {cfg_limit, cfg_window};
        if (rst) {limit, window} <= {HITRATE_LIMIT[9:0], HITRATE_WINDOW[29:0]};
    end

    // ------------------------------------------------------------------ windows: stage 1 age, 2 the first clock of the next one?
    reg [31:0] first, s1_rel, s1_age, s2_rel;
    reg s1_live, s1_breaks, s2_old, s2_live, s2_breaks, s3_turns;
    reg judging;                            // the window before has no record yet
    reg s1_access, s1_hit, s2_access, s2_hit, was_enabled;
    wire turns = s2_live && s2_old && !s3_turns && !judging;
    wire begins = turns || s2_breaks;
    always @(posedge clk) begin
        was_enabled <= enable && !rst;
        s1_rel <= rel_ns;
        s1_age <= rel_ns - (begins ? s2_rel : first);
        s1_live <= enable && was_enabled && !rel_step && !rst;
        s1_breaks <= (enable && !was_enabled) || rel_step || rst;
        {s1_access, s1_hit} <= {access && enable, hit};

        s2_rel <= s1_rel;
        s2_old <= s1_age >= {2'd0, window};
        {s2_live, s2_breaks} <= {s1_live && !rst, s1_breaks || rst};
        {s2_access, s2_hit} <= {s1_access, s1_hit};

        // the age of the clock behind was taken from the old window
        s3_turns <= begins;
        if (begins) first <= s2_rel;
    end

    // ------------------------------------------------------------------ count
    reg [15:0] accesses, hits, k_accesses, k_hits;
    reg starts;
    wire counts = s2_access && accesses != FULL;
    always @(posedge clk) begin
        if (begins) {accesses, hits} <= {15'd0, s2_access, 15'd0, s2_access && s2_hit};
        else begin
            accesses <= accesses + {15'd0, counts};
            hits <= hits + {15'd0, counts && s2_hit};
        end
        if (turns) {k_accesses, k_hits} <= {accesses, hits};
        starts <= turns && !rst;
    end

    // ------------------------------------------------------------------ judge
    wire done, less;
    nps_ratio #(
        .W(16)
    ) u_ratio (
        .clk(clk),
        .rst(rst),
        .start(starts),
        .x(k_hits),
        .x_factor(THOUSAND),
        .y(k_accesses),
        .y_factor(limit),
        .done(done),
        .less(less)
    );
    always @(posedge clk) begin
        ev_valid <= done && !rst;
        judging <= (turns || (judging && !done)) && !rst;
        if (done && k_accesses != 16'd0) under <= less;
        if (rst) under <= 1'b0;
    end
    assign ev_sub = `NPS_MON_HITRATE;
    assign ev_payload = {k_accesses, k_hits};
endmodule

`default_nettype wire
