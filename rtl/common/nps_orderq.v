// SPDX-License-Identifier: Apache-2.0
// nps_orderq: remembers in which clock which sources had an entry accepted, and grants them in that order: oldest
// clock first, within a clock the lowest source first. It replaces the comparison of timestamps.
//
// Promises: every bit of every mask is granted exactly once and in order; one grant a clock.
// Costs: 6 clocks from s_mask to m_valid; masks of zero take no room.
// Overflow: cannot happen if DEPTH >= the sum of the depths of the FIFOs whose s_accept make up s_mask and an entry
// leaves its FIFO after its grant, for then each mask stands for at least one entry that is still stored.
`include "nps_refuse.vh"
`default_nettype none

module nps_orderq #(
    parameter integer N     = 4,   // sources, 1..64
    parameter integer DEPTH = 256  // masks, a power of two, 4..
) (
    input  wire                             clk,
    input  wire                             rst,
    input  wire [                    N-1:0] s_mask,   // sources with an entry accepted in this clock
    output reg                              m_valid,
    output reg  [(N>1 ? $clog2(N) : 1)-1:0] m_src,    // the source granted
    output reg  [                    N-1:0] m_mask,   // the same, one-hot
    input  wire                             m_ready,
    output wire                             empty     // nothing stored, no grant at the output
);
    localparam integer SRCW = N > 1 ? $clog2(N) : 1;

    `NPS_REFUSE(N < 1 || N > 64, nps_error__N_must_be_1_to_64)
    `NPS_REFUSE(DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0, nps_error__DEPTH_must_be_a_power_of_two_of_at_least_4)

    function automatic [N-1:0] lowest(input reg [N-1:0] mask);
        integer i;
        reg     above;  // a lower source was found
        begin
            above = 1'b0;
            for (i = 0; i < N; i = i + 1) begin
                lowest[i] = mask[i] && !above;
                above = above || mask[i];
            end
        end
    endfunction

    function automatic [SRCW-1:0] index(input reg [N-1:0] one_hot);
        integer i;
        begin
            index = {SRCW{1'b0}};
            for (i = 0; i < N; i = i + 1) if (one_hot[i]) index = index | i[SRCW-1:0];
        end
    endfunction

    // ---- masks in order of their clocks
    wire                   fifo_valid;
    wire [          N-1:0] fifo_mask;
    wire                   fifo_ready;
    wire [$clog2(DEPTH):0] level;
    wire [            5:0] unused;

    nps_fifo #(
        .DATA_W(N),
        .DEPTH (DEPTH)
    ) masks (
        .clk     (clk),
        .rst     (rst),
        .s_valid (|s_mask),
        .s_data  (s_mask),
        .s_refuse(1'b0),
        .s_hold  (1'b0),
        .s_accept(unused[0]),
        .s_mark  (unused[1]),
        .s_drop  (unused[2]),
        .s_drain (unused[3]),
        .dropping(unused[4]),
        .level   (level),
        .m_valid (fifo_valid),
        .m_data  (fifo_mask),
        .m_mark  (unused[5]),
        .m_ready (fifo_ready)
    );

    // ---- the next mask, split into its lowest source and the rest
    reg          next_valid;
    reg  [N-1:0] next_first;
    reg  [N-1:0] next_rest;
    // ---- the mask being granted: its lowest source is at the output, the rest waits
    reg  [N-1:0] rest;
    reg          rest_some;
    wire [N-1:0] rest_first = lowest(rest);
    wire         advance = !m_valid || m_ready;
    wire         take_next = advance && !rest_some && next_valid;

    assign fifo_ready = !next_valid || take_next;
    assign empty = level == 0 && !next_valid && !m_valid;

    always @(posedge clk) begin
        if (rst) next_valid <= 1'b0;
        else if (fifo_ready) next_valid <= fifo_valid;
        if (fifo_ready) begin
            next_first <= lowest(fifo_mask);
            next_rest  <= fifo_mask & ~lowest(fifo_mask);
        end
    end

    always @(posedge clk) begin
        if (rst) begin
            m_valid   <= 1'b0;
            rest_some <= 1'b0;
        end else if (advance) begin
            m_valid   <= rest_some || next_valid;
            rest_some <= rest_some ? rest != rest_first : next_valid && next_rest != {N{1'b0}};
        end
        if (advance) begin
            m_mask <= rest_some ? rest_first : next_first;
            m_src  <= index(rest_some ? rest_first : next_first);
            rest   <= rest_some ? rest & ~rest_first : next_rest;
        end
    end
endmodule

`default_nettype wire
