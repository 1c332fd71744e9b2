// SPDX-License-Identifier: Apache-2.0
// nps_fifo: event FIFO of one source. It never stops its source (there is no s_ready): an entry that does not fit is
// dropped whole, and the first entry accepted after a loss carries a mark.
//
// Promises: entries leave in order and unchanged; while nothing was dropped an entry is accepted iff level < DEPTH;
// after a drop none is accepted until level < DEPTH / 2, and the first that is has its mark bit set, or s_drain
// tells that all entries are gone and nothing followed. So between two marks more than DEPTH / 2 entries leave and a
// single shadow of the loss registers is enough: without s_refuse no entry is marked while a marked one is stored.
// Costs: an entry may be taken from the clock after its s_accept on (level != 0) and shows 2 clocks after its take, one
// entry a clock; distributed RAM. Between takes m_data is 0, so that many queues are merged by OR gates.
// Overflow: s_drop in the clock of the entry that is lost; the caller keeps count, times and layers.
`include "nps_refuse.vh"
`default_nettype none

module nps_fifo #(
    parameter integer DATA_W = 140,  // bits of an entry, 1..
    parameter integer DEPTH  = 64    // entries, a power of two, 4..
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     s_valid,   // an entry is offered in this clock
    input  wire [       DATA_W-1:0] s_data,
    input  wire                     s_refuse,  // drop it whatever the level
    input  wire                     s_hold,    // a dropping FIFO accepts nothing and does not drain
    output wire                     s_accept,  // stored in this clock
    output wire                     s_mark,    // stored with its mark: the loss before it is complete
    output wire                     s_drop,    // lost in this clock
    output wire                     s_drain,   // the loss is complete and no entry follows it yet
    output reg                      dropping,  // something was lost since the last s_mark or s_drain
    output reg  [$clog2(DEPTH):0]   level,     // entries stored, before this clock's push and pop
    input  wire                     take,      // the oldest entry leaves; only if level != 0
    output wire [       DATA_W-1:0] m_data,    // of the entry taken 2 clocks ago, else 0
    output wire                     m_mark
);
    localparam integer AW = $clog2(DEPTH);
    localparam [AW:0] FULL = DEPTH[AW:0];
    localparam [AW:0] HALF = FULL >> 1;
    localparam [AW:0] ONE = {{AW{1'b0}}, 1'b1};

    `NPS_REFUSE(DATA_W < 1, nps_error__DATA_W_must_be_at_least_1)
    `NPS_REFUSE(DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0, nps_error__DEPTH_must_be_a_power_of_two_of_at_least_4)

    // ---- accept, mark, drop: decided from registers only
    reg  full;  // level == DEPTH
    reg  low;   // level < DEPTH / 2
    reg  empty; // level == 0
    wire push = s_accept;

    assign s_accept = s_valid && !s_refuse && (dropping ? low && !s_hold : !full);
    assign s_mark = s_accept && dropping;
    assign s_drop = s_valid && !s_accept;
    assign s_drain = dropping && empty && !s_hold && !s_valid;

    always @(posedge clk) begin
        if (rst) dropping <= 1'b0;
        else     dropping <= s_drop || (dropping && !s_mark && !s_drain);
    end

    always @(posedge clk) begin
        if (rst) begin
            level <= {AW + 1{1'b0}};
            full  <= 1'b0;
            low   <= 1'b1;
            empty <= 1'b1;
        end else if (push && !take) begin
            level <= level + ONE;
            full  <= level == FULL - ONE;
            low   <= level < HALF - ONE;
            empty <= 1'b0;
        end else if (take && !push) begin
            level <= level - ONE;
            full  <= 1'b0;
            low   <= level <= HALF;
            empty <= level == ONE;
        end
    end

    // ---- write stage: the RAM sees only registers
    reg            write_valid;
    reg [DATA_W:0] write_data;
    reg [  AW-1:0] write_at;

    always @(posedge clk) begin
        write_data <= {s_mark, s_data};
        if (rst) begin
            write_valid <= 1'b0;
            write_at    <= {AW{1'b0}};
        end else begin
            write_valid <= push;
            if (write_valid) write_at <= write_at + ONE[AW-1:0];
        end
    end

    // ---- read stages: an address, then a latch behind each bank of the RAM, 0 unless the entry is of this bank
    localparam integer BANKS = DEPTH < 32 ? 1 : DEPTH < 64 ? 2 : 4;
    localparam integer BANKW = AW - $clog2(BANKS);

    reg  [   AW-1:0] take_at;   // of the next take
    reg  [BANKW-1:0] read_at;   // within the bank
    wire [     31:0] take_bank = {{32 - AW{1'b0}}, take_at} >> BANKW;
    wire [     31:0] write_bank = {{32 - AW{1'b0}}, write_at} >> BANKW;

    always @(posedge clk) begin
        read_at <= take_at[BANKW-1:0];
        if (rst)       take_at <= {AW{1'b0}};
        else if (take) take_at <= take_at + ONE[AW-1:0];
    end

    wire [BANKS*(DATA_W+1)-1:0] latches;
    genvar bank;
    generate
        for (bank = 0; bank < BANKS; bank = bank + 1) begin : g_bank
            (* no_rw_check, ram_style = "distributed" *)
            reg [DATA_W:0] ram[0:(1<<BANKW)-1];
            reg [DATA_W:0] latch;
            reg            idle;  // not this bank

            always @(posedge clk) begin
                idle <= !(take && take_bank == bank) || rst;
                if (write_valid && write_bank == bank) ram[write_at[BANKW-1:0]] <= write_data;
                latch <= idle ? {DATA_W + 1{1'b0}} : ram[read_at];
            end
            assign latches[bank*(DATA_W+1)+:DATA_W+1] = latch;
        end
        if (BANKS == 1) begin : g_one
            assign {m_mark, m_data} = latches;
        end else if (BANKS == 2) begin : g_two
            assign {m_mark, m_data} = latches[0+:DATA_W+1] | latches[DATA_W+1+:DATA_W+1];
        end else begin : g_four
            assign {m_mark, m_data} = latches[0+:DATA_W+1] | latches[DATA_W+1+:DATA_W+1] |
                latches[2*(DATA_W+1)+:DATA_W+1] | latches[3*(DATA_W+1)+:DATA_W+1];
        end
    endgenerate
endmodule

`default_nettype wire
