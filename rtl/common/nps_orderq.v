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

    // ---- masks in order of their clocks: write stage, distributed RAM in banks, a latch behind each
    localparam integer AW = $clog2(DEPTH);
    localparam integer BANKW = AW < 4 ? AW : 4;
    localparam integer BANKS = DEPTH >> BANKW;
    localparam [AW-1:0] ONE = 1;

    reg           write_valid;
    reg  [ N-1:0] write_mask;
    reg  [AW-1:0] write_at;
    reg  [AW-1:0] read_at, read_next;
    reg           ram_some;             // a mask is in the RAM
    reg           latch_valid;          // and in the latch that is not 0
    wire          head_ready;
    wire          load = !latch_valid || head_ready;
    wire          fetch = load && ram_some;
    wire [  31:0] write_bank = {{32 - AW{1'b0}}, write_at} >> BANKW;
    wire [  31:0] read_bank = {{32 - AW{1'b0}}, read_at} >> BANKW;

    always @(posedge clk) begin
        write_mask <= s_mask;
        if (rst) begin
            write_valid <= 1'b0;
            write_at    <= {AW{1'b0}};
            read_at     <= {AW{1'b0}};
            read_next   <= ONE;
            ram_some    <= 1'b0;
            latch_valid <= 1'b0;
        end else begin
            write_valid <= |s_mask;
            if (write_valid) write_at <= write_at + ONE;
            if (fetch) begin
                read_at   <= read_next;
                read_next <= read_next + ONE;
            end
            ram_some <= write_valid || (ram_some && !(fetch && read_next == write_at));
            if (load) latch_valid <= ram_some;
        end
    end

    wire [BANKS*N-1:0] latches;
    genvar bank;
    generate
        for (bank = 0; bank < BANKS; bank = bank + 1) begin : g_bank
            (* no_rw_check, ram_style = "distributed" *)
            reg [N-1:0] ram[0:(1<<BANKW)-1];
            reg [N-1:0] latch;

            always @(posedge clk) begin
                if (write_valid && write_bank == bank) ram[write_at[BANKW-1:0]] <= write_mask;
                if (load) latch <= read_bank == bank ? ram[read_at[BANKW-1:0]] : {N{1'b0}};
            end
            assign latches[bank*N+:N] = latch;
        end
    endgenerate

    reg [N-1:0] head;
    integer each;
    always @* begin
        head = {N{1'b0}};
        for (each = 0; each < BANKS; each = each + 1) head = head | latches[each*N+:N];
    end

    // ---- cuts the way back from m_ready to the RAM
    wire         fifo_valid, next_ready;
    wire [N-1:0] fifo_mask;

    nps_skid #(
        .DATA_W(N)
    ) u_skid (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(head),
        .s_axis_tvalid(latch_valid),
        .s_axis_tready(head_ready),
        .m_axis_tdata(fifo_mask),
        .m_axis_tvalid(fifo_valid),
        .m_axis_tready(next_ready)
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

    assign next_ready = !next_valid || take_next;
    assign empty = !write_valid && !ram_some && !latch_valid && !fifo_valid && !next_valid && !m_valid;

    always @(posedge clk) begin
        if (rst) next_valid <= 1'b0;
        else if (next_ready) next_valid <= fifo_valid;
        if (next_ready) begin
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
