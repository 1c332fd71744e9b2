// SPDX-License-Identifier: Apache-2.0
// Collector (M6): queues what happened, one entry a clock that holds all happenings of that clock, and gives it out one
// happening after the other.
//
// Does:      an entry is queued whole or dropped whole; after one that is dropped all are, until none is inside and
//            `lost_told` says that the loss is told at its place. The head entry is shown happening by happening, in the order of
//            NPS_RAS_H_*; step and configuration go with the first record of their entry, or alone.
// Promises:  entries in order, none doubled; each is told or shown at lost_* in its own clock. While 8 or less are
//            inside none is dropped, but for a second clock step or configuration while one is inside.
// Costs:     3 clocks from in_* to a happening, which stands for 6 clocks; 7 clocks a happening and 1 an entry.
// Overflow:  lost_valid with the number of records and what else was in the entry; the time is in_ts, in_tq.
`default_nettype none
`include "nps_ras.vh"

module nps_ras_collect #(
    parameter integer TIME_W = 66,  // bits of time and its quality, 1..
    parameter integer DATA_W = 32   // bits of the value that goes with a sample, 1..
) (
    input wire clk,
    input wire rst,

    // what happened in this clock
    input wire [`NPS_RAS_HAPPENS-1:0] in_happens,
    input wire [  `NPS_RAS_MORE-1:0] in_more,
    input wire [         TIME_W-1:0] in_time,
    input wire [         DATA_W-1:0] in_data,
    input wire [               63:0] in_step_ns,

    // an entry that is dropped in this clock
    output wire       lost_valid,
    output wire [3:0] lost_records,
    output wire       lost_waits,   // all entries before a dropped one are told
    input  wire       lost_told,    // accept entries again, with lost_waits

    output wire offers,       // an entry with NPS_RAS_M_OFFER is inside
    output reg  step_inside,  // a clock step is inside, until it is told

    // one happening; `out_tell` in the first of its 6 clocks
    input  wire                        pause,       // tell nothing new
    output wire                        paused,      // nothing is being told, and will not while pause is high
    output reg                         out_tell,
    output reg  [`NPS_RAS_HAPPENS-1:0] out_happens, // one record at most, with it or alone step and configuration
    output reg  [  `NPS_RAS_MORE-1:0] out_more,
    output reg  [         TIME_W-1:0] out_time,
    output reg  [         DATA_W-1:0] out_data,
    output reg  [               63:0] out_step_ns,

    output reg idle  // nothing is queued or being told
);
    localparam integer N = `NPS_RAS_HAPPENS;
    localparam integer W = N + `NPS_RAS_MORE + TIME_W + DATA_W;
    localparam [N-1:0] RECORDS = {N{1'b1}} << `NPS_RAS_H_FLUSHED;

    // ------------------------------------------------------------------ queue of 8
    (* no_rw_check, ram_style = "distributed" *)
    reg [W-1:0] ram[0:7];
    reg [2:0] put_at, take_at;
    reg [3:0] level;
    reg full, some;      // level == 8, level != 0
    reg cfg_inside;      // as step_inside, and while its words are told
    reg [2:0] cfg_left;  // clocks of that
    reg losing;          // an entry was dropped, and this is not told yet
    reg [3:0] offered;   // entries inside with NPS_RAS_M_OFFER
    wire any = in_happens != {N{1'b0}};
    wire steps = in_happens[`NPS_RAS_H_STEP];
    wire cfgs = in_happens[`NPS_RAS_H_CFG];
    assign lost_valid = any && (full || losing || (steps && step_inside) || (cfgs && cfg_inside));
    wire put = any && !lost_valid;

    // records of an entry: full adders of three bits, then their sums
    wire [11:0] bits = {1'b0, in_happens[N-1:`NPS_RAS_H_FLUSHED]};
    wire [1:0] ones0 = {1'b0, bits[0]} + {1'b0, bits[1]} + {1'b0, bits[2]};
    wire [1:0] ones1 = {1'b0, bits[3]} + {1'b0, bits[4]} + {1'b0, bits[5]};
    wire [1:0] ones2 = {1'b0, bits[6]} + {1'b0, bits[7]} + {1'b0, bits[8]};
    wire [1:0] ones3 = {1'b0, bits[9]} + {1'b0, bits[10]} + {1'b0, bits[11]};
    assign lost_records = {2'd0, ones0} + {2'd0, ones1} + {2'd0, ones2} + {2'd0, ones3};

    // ------------------------------------------------------------------ head entry, one happening at a time
    localparam [2:0] LOAD = 3'd0, PICK = 3'd1, TELL = 3'd2, LAST = 3'd7;
    reg [2:0] state;
    reg [N-1:0] head;    // happenings of the entry that are not told yet
    wire take = state == LOAD && some && !pause;
    wire [N-1:0] records = head & RECORDS;
    wire [N-1:0] first = records & (~records + {{N - 1{1'b0}}, 1'b1});
    assign paused = state == LOAD && pause;
    assign lost_waits = losing && !some && state == LOAD;
    assign offers = offered != 4'd0;
    wire ends = state == LAST && head == {N{1'b0}};

    always @(posedge clk) begin
        out_tell <= state == PICK;
        case (state)
            LOAD: begin
                if (take) begin
                    {head, out_more, out_time, out_data} <= ram[take_at];
                    state <= PICK;
                end
            end
            PICK: begin
                out_happens <= first | (head & ~RECORDS);
                head <= records & ~first;
                state <= TELL;
            end
            LAST: state <= head == {N{1'b0}} ? LOAD : PICK;
            default: state <= state + 3'd1;
        endcase

        if (put) ram[put_at] <= {in_happens, in_more, in_time, in_data};
        if (put && steps) out_step_ns <= in_step_ns;
        if (put) put_at <= put_at + 3'd1;
        if (take) take_at <= take_at + 3'd1;
        if (put && !take) level <= level + 4'd1;
        if (take && !put) level <= level - 4'd1;
        full <= (put && !take && level == 4'd7) || (full && !take);
        some <= put || (some && !(take && level == 4'd1));
        step_inside <= (put && steps) || (step_inside && !(state == LAST && out_happens[`NPS_RAS_H_STEP]));
        cfg_inside <= (put && cfgs) || (cfg_inside && cfg_left != 3'd1);
        cfg_left <= state == LAST && out_happens[`NPS_RAS_H_CFG] ? `NPS_RAS_CFG_CLOCKS
            : cfg_left == 3'd0 ? 3'd0 : cfg_left - 3'd1;
        losing <= lost_valid || (losing && !(lost_waits && lost_told));
        offered <= offered + {3'd0, put && in_more[`NPS_RAS_M_OFFER]} - {3'd0, ends && out_more[`NPS_RAS_M_OFFER]};
        idle <= !any && !some && state == LOAD;
        if (rst) begin
            state <= LOAD;
            put_at <= 3'd0;
            take_at <= 3'd0;
            level <= 4'd0;
            {full, some, step_inside, cfg_inside, losing, out_tell, idle} <= 7'd0;
            offered <= 4'd0;
            cfg_left <= 3'd0;
        end
    end
endmodule

`default_nettype wire
