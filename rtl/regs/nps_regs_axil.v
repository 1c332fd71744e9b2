// SPDX-License-Identifier: Apache-2.0
// npuscope: AXI4-Lite port of the register block, one access at a time.
//
// Does:      takes write address and write data in any order, and read addresses; shows each access to the registers in
//            five clocks and answers it.
// Promises:  one response for each request and no other; valid stays, its payload unchanged, until ready; no path from
//            an input to an output within a clock; reads and writes wait for each other in turn, so neither starves.
// Costs:     an answer can be taken 8 clocks after the last handshake of its request at an idle port; a read every 8
//            clocks; after a write the port rests SETTLE clocks, so that the next access sees what the write set off.
// Overflow:  none: ready is low while a request waits.
//
// The access, in clocks after `word` changes: 1 strobe (write), 3 sample (read), 4 value and unmapped are taken. An address
// that is not mapped is answered with SLVERR. awprot and arprot are ignored and have no port.
`default_nettype none
`include "nps_refuse.vh"

module nps_regs_axil #(
    parameter integer ADDR_W = 12,  // bits of an address in bytes, 3..32
    parameter integer SETTLE = 10   // clocks without an access after a write, 1..15
) (
    input wire clk,
    input wire rst,

    input  wire [ADDR_W-1:0] s_axil_awaddr,   // the two low bits do not count
    input  wire              s_axil_awvalid,
    output reg               s_axil_awready,
    input  wire [      31:0] s_axil_wdata,
    input  wire [       3:0] s_axil_wstrb,
    input  wire              s_axil_wvalid,
    output reg               s_axil_wready,
    output reg  [       1:0] s_axil_bresp,
    output reg               s_axil_bvalid,
    input  wire              s_axil_bready,
    input  wire [ADDR_W-1:0] s_axil_araddr,
    input  wire              s_axil_arvalid,
    output reg               s_axil_arready,
    output reg  [      31:0] s_axil_rdata,
    output reg  [       1:0] s_axil_rresp,
    output reg               s_axil_rvalid,
    input  wire              s_axil_rready,

    output reg  [ADDR_W-3:0] word,     // address of the access
    output reg  [      31:0] data,     // to be written
    output reg  [       3:0] strobe,   // bytes to be written, in the write's clock only
    output wire              sample,   // clock of a read
    input  wire [      31:0] value,    // read, in the clock after sample
    input  wire              unmapped  // there is nothing at this address
);
    `NPS_REFUSE(ADDR_W < 3 || ADDR_W > 32, nps_error__ADDR_W_must_be_3_to_32)
    `NPS_REFUSE(SETTLE < 1 || SETTLE > 15, nps_error__SETTLE_must_be_1_to_15)

    wire unused = &{1'b0, s_axil_awaddr[1:0], s_axil_araddr[1:0]};

    localparam [1:0] OKAY = 2'b00, SLVERR = 2'b10;

    // requests waiting
    reg aw_held, w_held, ar_held;
    reg [ADDR_W-3:0] aw_word, ar_word;
    reg [3:0] w_strobe;

    // the access: one bit walks through its clocks
    reg can_write, can_read;  // a clock late: an access ends two clocks before the next one may begin
    reg free, writing, wrote_last;
    reg [5:0] step;
    reg [3:0] rest;
    wire pick_write = can_write && !(can_read && wrote_last);
    wire begins = free && (can_write || can_read);
    wire wrote = step[4] && writing;
    wire read = step[4] && !writing;

    assign sample = step[3] && !writing;

    always @(posedge clk) begin
        if (rst) begin
            aw_held <= 1'b0;
            w_held <= 1'b0;
            ar_held <= 1'b0;
            s_axil_awready <= 1'b0;
            s_axil_wready <= 1'b0;
            s_axil_arready <= 1'b0;
            s_axil_bvalid <= 1'b0;
            s_axil_rvalid <= 1'b0;
            can_write <= 1'b0;
            can_read <= 1'b0;
            free <= 1'b1;
            step <= 6'd0;
            strobe <= 4'd0;
            wrote_last <= 1'b0;
            rest <= 4'd0;
        end else begin
            aw_held <= (s_axil_awvalid && s_axil_awready) || (aw_held && !wrote);
            w_held <= (s_axil_wvalid && s_axil_wready) || (w_held && !wrote);
            ar_held <= (s_axil_arvalid && s_axil_arready) || (ar_held && !read);
            s_axil_awready <= !(s_axil_awvalid && s_axil_awready) && (!aw_held || wrote);
            s_axil_wready <= !(s_axil_wvalid && s_axil_wready) && (!w_held || wrote);
            s_axil_arready <= !(s_axil_arvalid && s_axil_arready) && (!ar_held || read);
            s_axil_bvalid <= wrote || (s_axil_bvalid && !s_axil_bready);
            s_axil_rvalid <= read || (s_axil_rvalid && !s_axil_rready);
            can_write <= aw_held && w_held && !s_axil_bvalid;
            can_read <= ar_held && !s_axil_rvalid;
            free <= free ? !begins : (step[5] && !writing) || rest == 4'd1;
            step <= {step[4:0], begins};
            strobe <= step[0] && writing ? w_strobe : 4'd0;
            if (begins) wrote_last <= pick_write;
            rest <= wrote ? SETTLE[3:0] : rest - {3'd0, rest != 4'd0};
        end
        if (begins) begin
            writing <= pick_write;
            word <= pick_write ? aw_word : ar_word;
        end
        if (s_axil_awready) aw_word <= s_axil_awaddr[ADDR_W-1:2];
        if (s_axil_arready) ar_word <= s_axil_araddr[ADDR_W-1:2];
        if (s_axil_wready) begin
            data <= s_axil_wdata;
            w_strobe <= s_axil_wstrb;
        end
        if (wrote) s_axil_bresp <= unmapped ? SLVERR : OKAY;
        if (read) begin
            s_axil_rdata <= value;
            s_axil_rresp <= unmapped ? SLVERR : OKAY;
        end
    end
endmodule

`default_nettype wire
