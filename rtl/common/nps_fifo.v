// SPDX-License-Identifier: Apache-2.0
// nps_fifo: event FIFO of one source. It never stops its source (there is no s_ready): an entry that does not fit is
// dropped whole, and the first entry accepted after a loss carries a mark.
//
// Promises: entries leave in order and unchanged; while nothing was dropped an entry is accepted iff level < DEPTH;
// after a drop none is accepted until level < DEPTH / 2, and the first that is has its mark bit set, or s_drain
// tells that all entries are gone and nothing followed. So between two marks more than DEPTH / 2 entries leave and a
// single shadow of the loss registers is enough: without s_refuse no entry is marked while a marked one is stored.
// Costs: 4 clocks from s_accept to m_valid, then one entry a clock (from DEPTH 8 on); distributed RAM.
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
    output reg                      m_valid,
    output reg  [       DATA_W-1:0] m_data,
    output reg                      m_mark,
    input  wire                     m_ready
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
    wire pop = m_valid && m_ready;
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
        end else if (push && !pop) begin
            level <= level + ONE;
            full  <= level == FULL - ONE;
            low   <= level < HALF - ONE;
            empty <= 1'b0;
        end else if (pop && !push) begin
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

    // ---- read stages: a latch behind each bank of the RAM, then the output register
    reg  [AW-1:0] read_at;
    reg  [  AW:0] in_ram;       // entries in the RAM
    reg           ram_some;     // in_ram != 0
    reg           latch_valid;
    wire          take = !m_valid || m_ready;    // the output register may load
    wire          load = !latch_valid || take;   // the latch may load
    wire          fetch = ram_some && load;

    always @(posedge clk) begin
        if (rst) begin
            read_at  <= {AW{1'b0}};
            in_ram   <= {AW + 1{1'b0}};
            ram_some <= 1'b0;
        end else begin
            if (fetch) read_at <= read_at + ONE[AW-1:0];
            if (write_valid && !fetch) in_ram <= in_ram + ONE;
            else if (fetch && !write_valid) in_ram <= in_ram - ONE;
            ram_some <= write_valid || (ram_some && (!fetch || in_ram != ONE));
        end
    end

    wire [DATA_W:0] latched;

    always @(posedge clk) begin
        if (rst) begin
            latch_valid <= 1'b0;
            m_valid     <= 1'b0;
        end else begin
            if (load) latch_valid <= ram_some;
            if (take) m_valid <= latch_valid;
        end
        if (take) {m_mark, m_data} <= latched;
    end

    // ---- RAM: distributed, in banks; a block RAM of an ECP5 alone takes 5.8 ns to its output
    localparam integer BANKW = AW < 5 ? AW : 5;
    localparam integer BANKS = DEPTH >> BANKW;

    wire [BANKS*(DATA_W+1)-1:0] latches;
    genvar bank;
    generate
        for (bank = 0; bank < BANKS; bank = bank + 1) begin : g_bank
            (* no_rw_check, ram_style = "distributed" *)
            reg [DATA_W:0] ram[0:(1<<BANKW)-1];
            reg [DATA_W:0] latch;
            wire [31:0]    write_bank = {{32 - AW{1'b0}}, write_at} >> BANKW;

            always @(posedge clk) begin
                if (write_valid && write_bank == bank) ram[write_at[BANKW-1:0]] <= write_data;
                if (load) latch <= ram[read_at[BANKW-1:0]];
            end
            assign latches[bank*(DATA_W+1)+:DATA_W+1] = latch;
        end
        if (BANKS == 1) begin : g_one
            assign latched = latches;
        end else begin : g_select
            reg [AW-BANKW-1:0] latch_bank;  // which latch has the entry
            always @(posedge clk) if (load) latch_bank <= read_at[AW-1:BANKW];
            assign latched = latches[latch_bank*(DATA_W+1)+:DATA_W+1];
        end
    endgenerate
endmodule

`default_nettype wire
