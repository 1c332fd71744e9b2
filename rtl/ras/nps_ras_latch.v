// SPDX-License-Identifier: Apache-2.0
// Latch bank (M7): per class pending, count, overflow, first and last time, worst jitter in units of 256 ns.
//
// Does:      keeps for each class what software reads and clears. A snapshot copies one class into words.
// Promises:  a set (its second clock) beats a clear of that clock: it is then the first of a new burst. An event that the collector dropped
//            sets overflow, and so pending. A snapshot is of one moment and stays until the next.
// Costs:     `set` is the first of 4 clocks in which the set_* inputs must stand and no other set or snapshot comes;
//            count, first, over stand from the fourth on. A snapshot takes 8 clocks; a word comes 1 clock after its
//            index.
// Overflow:  count stays at its maximum and overflow is set: count is then a lower bound.
`default_nettype none
`include "nps_ras.vh"
`include "nps_trace.vh"

module nps_ras_latch #(
    parameter integer CLASSES = 5  // 1..8
) (
    input wire clk,
    input wire rst,

    // one event
    input wire               set,
    input wire [        2:0] set_class,
    input wire [CLASSES-1:0] set_mask,   // the same, one hot
    input wire [       63:0] set_ts,
    input wire [       15:0] set_key,    // {bits below the sign, inverted if negative; sign}: greater is worse
    output reg [        4:0] count,      // of the class, this event included
    output reg               first,      // of a burst
    output reg               over,       // overflow of the class

    input wire [CLASSES-1:0] lose,       // an event of the class was dropped
    input wire [CLASSES-1:0] clear,
    output wire [CLASSES-1:0] pending,
    output reg [CLASSES-1:0] overflow,

    // snapshot, from `snap` on
    input wire        snap,
    input wire [ 2:0] snap_class,  // stands from `snap` until snap_busy falls
    output wire       snap_busy,
    input wire [ 2:0] word_index,  // 0 flags, 1 worst, 2, 3 first, 4, 5 last
    output reg [31:0] word
);
    localparam integer COUNT_W = `NPS_RAS_COUNT_W;
    localparam [COUNT_W-1:0] MOST = {COUNT_W{1'b1}};

    (* no_rw_check, ram_style = "distributed" *)
    reg [63:0] times[0:15];  // {class, last}
    (* no_rw_check, ram_style = "distributed" *)
    reg [15:0] worsts[0:7];
    (* no_rw_check, ram_style = "distributed" *)
    reg [COUNT_W-1:0] counts[0:7];
    (* no_rw_check, ram_style = "distributed" *)
    reg [31:0] words[0:7];

    reg [CLASSES-1:0] held;  // the RAMs hold something of the class
    assign pending = held | overflow;

    // -------------------------------------------------------------- set: 1 read   2 decide   3 write, last   4 first
    reg set2, set3, set4, new3, over3, full3, greater3;
    reg [15:0] worst2;
    reg [COUNT_W-1:0] count2, count3;
    wire [2:0] read_class = set ? set_class : snap_class;
    wire [15:0] worst_read = worsts[read_class];
    wire [COUNT_W-1:0] count_read = counts[read_class];

    wire [CLASSES-1:0] sets = {CLASSES{set2}} & set_mask;
    wire new2 = (held & ~clear & set_mask) == {CLASSES{1'b0}};
    wire over2 = (overflow & ~clear & set_mask) != {CLASSES{1'b0}};
    wire full2 = !new2 && count2 == MOST;
    wire [COUNT_W-1:0] count_next = new3 ? {{COUNT_W - 1{1'b0}}, 1'b1} : full3 ? MOST
        : count3 + {{COUNT_W - 1{1'b0}}, 1'b1};

    always @(posedge clk) begin
        {set4, set3, set2} <= {set3, set2, set};
        worst2 <= worst_read;
        count2 <= count_read;

        if (set2) {new3, over3, full3, greater3, count3} <= {new2, over2, full2, worst2 < set_key, count2};
        held <= (held & ~clear) | sets;
        overflow <= (overflow & ~clear) | lose | (sets & {CLASSES{full2}});

        if (set3) begin
            counts[set_class] <= count_next;
            count <= count_next;
            first <= new3 && !over3;
            over <= over3 || full3;
        end
        if (set3 && (new3 || greater3)) worsts[set_class] <= set_key;
        if (set3 || (set4 && new3)) times[{set_class, set3}] <= set_ts;

        if (rst) begin
            {set4, set3, set2} <= 3'd0;
            held <= {CLASSES{1'b0}};
            overflow <= {CLASSES{1'b0}};
        end
    end

    // ------------------------------------------------------------------ snapshot: a word a clock
    reg copies;
    reg [2:0] at;
    reg [31:0] copy;
    reg copy_valid, is_held, is_overflow;
    reg [2:0] copy_at;
    wire [63:0] time_read = times[{snap_class, at[2]}];
    wire [7:0] held_all = {{8 - CLASSES{1'b0}}, held};
    wire [7:0] overflow_all = {{8 - CLASSES{1'b0}}, overflow};
    assign snap_busy = copies || copy_valid;

    always @(posedge clk) begin
        is_held <= held_all[snap_class];
        is_overflow <= overflow_all[snap_class];
        if (snap) begin
            copies <= 1'b1;
            at <= 3'd0;
        end else begin
            at <= at + 3'd1;
            if (at == 3'd5) copies <= 1'b0;
        end
        case (at)
            3'd2, 3'd4: copy <= time_read[31:0];
            3'd3, 3'd5: copy <= time_read[63:32];
            3'd1: copy <= {worst_read[0], worst_read[15:1] ^ {15{worst_read[0]}}, 16'd0};
            default: copy <= {19'd0, is_held ? count_read : {COUNT_W{1'b0}}, 6'd0, is_overflow, is_held || is_overflow};
        endcase
        copy_valid <= copies;
        copy_at <= at;
        if (copy_valid) words[copy_at] <= copy;
        word <= words[word_index];
        if (rst) {copies, copy_valid} <= 2'd0;
    end
endmodule

`default_nettype wire
