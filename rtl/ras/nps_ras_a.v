// SPDX-License-Identifier: Apache-2.0
// Availability (M2): one excess switches, but not again within a hold-off, nor more often than a budget in a window.
//
// Does:      an excess after the hold-off is due. The first one opens a window; in it a due excess fires while the
//            budget lasts, then tells `exhausted` once. The hold-off runs from a fire, phy_changed and rel_step.
// Promises:  two fires are at least the hold-off apart; at most `budget` fires and one `exhausted` in a window; a step
//            of relative time lengthens hold-off and window, never shortens them. Of one clock the notes come first.
// Costs:     `fire` and `exhausted` are in the clock of the excess (stage 2), whose time came a clock earlier (stage
//            1).
// Overflow:  none.
//
// Needs:     time that advances by less than 2^(TIME_W-1) a clock, and by less than the hold-off and at most the window
//            from one clock to the next; both below 2^(TIME_W-1). Any other step of time comes with rel_step.
`default_nettype none

module nps_ras_a #(
    parameter integer TIME_W  = 32,  // bits of time, 3..
    parameter integer COUNT_W = 8    // bits of the budget, 1..
) (
    input wire clk,
    input wire rst,

    input wire [ TIME_W-1:0] s1_rel,         // time of the clock in stage 1
    input wire [COUNT_W-1:0] s1_budget,
    input wire [ TIME_W-1:0] s2_until,       // in stage 2: its time + window
    input wire [ TIME_W-1:0] s2_held_until,  // in stage 2: its time + hold-off
    input wire               excess,         // all inputs from here on: stage 2
    input wire               phy_changed,
    input wire               rel_step,

    output wire fire,
    output wire exhausted
);
    // hold-off: while time < held_until
    reg held, held_old;
    reg [TIME_W-1:0] held_until;
    wire [TIME_W-1:0] held_over = s1_rel - held_until;
    wire note = phy_changed || rel_step;
    wire holds = note || fire;
    wire held_now = (held && !held_old) || note;
    wire due = excess && !held_now;

    // window: while time <= runs_until
    reg runs, runs_old;
    reg [TIME_W-1:0] runs_until;
    wire [TIME_W-1:0] left_time = runs_until - s1_rel;
    wire runs_now = runs && (!runs_old || rel_step);
    wire opens = due && !runs_now;
    wire again = opens || (rel_step && runs);

    // budget: switches left in the window. After a fire nothing is due for a clock, so `some` may be a clock late.
    reg budget_some, some, told;
    reg [COUNT_W-1:0] budget, left;
    wire can = runs_now ? some : budget_some;
    assign fire = due && can;
    assign exhausted = due && !can && !(runs_now && told);

    always @(posedge clk) begin
        if (holds) held_until <= s2_held_until;
        held_old <= !held_over[TIME_W-1] && !holds;
        if (again) runs_until <= s2_until;
        runs_old <= left_time[TIME_W-1] && !again;

        budget <= s1_budget;
        budget_some <= s1_budget != {COUNT_W{1'b0}};
        if (due) left <= (runs_now ? left : budget) - {{COUNT_W - 1{1'b0}}, can};
        some <= left != {COUNT_W{1'b0}} && !opens;
        if (due) told <= !can;

        held <= held_now || fire;
        runs <= runs_now || opens;
        if (rst) begin
            held <= 1'b0;
            runs <= 1'b0;
        end
    end
endmodule

`default_nettype wire
