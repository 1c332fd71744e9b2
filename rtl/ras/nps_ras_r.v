// SPDX-License-Identifier: Apache-2.0
// Reliability (M1): so many excesses in a row.
//
// Does:      counts the run of excesses while armed, the row of good samples while not. The run's last sample fires and
//            disarms, the row's last arms, reneg_done arms at once.
// Promises:  between two fires lie a whole row of good samples or reneg_done; a good or invalid sample ends a run, a
//            bad or invalid one a row. Of one clock reneg_done comes first, then the sample.
// Costs:     `fire` is in the clock of the sample.
// Overflow:  none: the count ends where it fires.
`default_nettype none

module nps_ras_r #(
    parameter integer COUNT_W = 8  // bits of the limits, 1..
) (
    input wire clk,
    input wire rst,

    input wire               hold,     // disabled: run and row are 0, `sample` is low
    input wire               sample,
    input wire               excess,   // a valid sample over the limit
    input wire               good,     // a valid sample not over it; neither: invalid
    input wire               reneg_done,
    input wire [COUNT_W-1:0] run_1,    // length of the run, less 1
    input wire [COUNT_W-1:0] rearm_1,  // length of the row, less 1

    output wire fire
);
    reg armed;
    reg [COUNT_W-1:0] row;

    wire armed_now = armed || reneg_done;
    wire fresh = reneg_done || hold;  // the count is 0 in this clock
    wire run_full = fresh ? run_1 == {COUNT_W{1'b0}} : row >= run_1;
    wire row_full = row >= rearm_1;   // asked only when not armed, without reneg_done
    wire counts = sample && (armed_now ? excess : good);
    wire turns = counts && (armed_now ? run_full : row_full);
    assign fire = turns && armed_now;

    always @(posedge clk) begin
        if (rst) begin
            armed <= 1'b1;
            row   <= {COUNT_W{1'b0}};
        end else begin
            armed <= armed_now != turns;
            if (turns || (sample && !counts)) row <= {COUNT_W{1'b0}};
            else if (fresh) row <= {{COUNT_W - 1{1'b0}}, counts};
            else if (counts) row <= row + {{COUNT_W - 1{1'b0}}, 1'b1};
        end
    end
endmodule

`default_nettype wire
