// SPDX-License-Identifier: Apache-2.0
// 8-bit trace bus to trace port.
//
// Does:     joins two adjacent beats of the 8-bit valid/data bus into one sample:
//             beat 0 = {layer_id[4:0], buf_occupancy[5:3]}
//             beat 1 = {buf_occupancy[2:0], backpressure_en, check[3:0]}
//           check = ~(n0 ^ n1 ^ n2) over the three other nibbles.
// Promises: beats = 2 * samples + mismatches + orphans + beat held; from any phase it is in step again after
//           the first idle clock.
// Costs:    one clock from beat 1 to the sample; a sample every two clocks at most.
// Overflow: nothing is stored, nothing can overflow. A wrong check drops the older beat only (the newer one is
//           tried as beat 0) and counts in `mismatches`; a beat followed by an idle clock is dropped and counts
//           in `orphans`. Both counters saturate.
`default_nettype none
`include "nps_refuse.vh"

module nps_bus8 #(
    parameter integer COUNT_W = 16  // bits of each counter, 1..32
) (
    input wire clk,
    input wire rst,

    input wire bus_valid,
    input wire [7:0] bus_data,

    output reg trace_valid,
    output reg [4:0] layer_id,
    output reg [5:0] buf_occupancy,
    output reg backpressure_en,

    output reg [COUNT_W-1:0] mismatches,
    output reg [COUNT_W-1:0] orphans
);
    `NPS_REFUSE(COUNT_W < 1 || COUNT_W > 32, nps_error__COUNT_W_must_be_1_to_32)

    reg       held_valid;  // the clock before had a beat that is not used up
    reg [7:0] held;

    wire [3:0] check = ~(held[7:4] ^ held[3:0] ^ bus_data[7:4]);
    wire       second = bus_valid && held_valid;
    wire       match = bus_data[3:0] == check;

    always @(posedge clk) begin
        trace_valid     <= second && match;
        layer_id        <= held[7:3];
        buf_occupancy   <= {held[2:0], bus_data[7:5]};
        backpressure_en <= bus_data[4];

        held_valid      <= bus_valid && !(held_valid && match);
        held            <= bus_data;

        if (second && !match && !(&mismatches)) mismatches <= mismatches + 1'b1;
        if (held_valid && !bus_valid && !(&orphans)) orphans <= orphans + 1'b1;

        if (rst) begin
            trace_valid <= 1'b0;
            held_valid  <= 1'b0;
            mismatches  <= {COUNT_W{1'b0}};
            orphans     <= {COUNT_W{1'b0}};
        end
    end
endmodule

`default_nettype wire
