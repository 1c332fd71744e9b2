// SPDX-License-Identifier: Apache-2.0
// nps_fifo_async: FIFO between two clocks. Gray-coded pointers cross through nps_sync; data only through the RAM.
//
// Promises: entries leave in order and unchanged, none lost, none doubled, whatever the ratio of the clocks.
// Costs: about STAGES + 3 clocks of the reader; one entry a clock of the slower side if DEPTH >= 2 * STAGES + 6.
// Overflow: cannot happen, s_ready falls first. Both sides are reset together: the two resets overlap for at least
// STAGES + 1 clocks of each side.
`include "nps_refuse.vh"
`default_nettype none

module nps_fifo_async #(
    parameter integer DATA_W = 64,  // bits of an entry, 1..
    parameter integer DEPTH  = 16,  // entries, a power of two, 4..
    parameter integer STAGES = 2    // registers per crossing, 2..
) (
    input  wire              s_clk,
    input  wire              s_rst,
    input  wire              s_valid,
    input  wire [DATA_W-1:0] s_data,
    output reg               s_ready,
    input  wire              m_clk,
    input  wire              m_rst,
    output reg               m_valid,
    output reg  [DATA_W-1:0] m_data,
    input  wire              m_ready
);
    localparam integer AW = $clog2(DEPTH);
    localparam [AW:0] ONE = {{AW{1'b0}}, 1'b1};

    `NPS_REFUSE(DATA_W < 1, nps_error__DATA_W_must_be_at_least_1)
    `NPS_REFUSE(DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0, nps_error__DEPTH_must_be_a_power_of_two_of_at_least_4)
    `NPS_REFUSE(STAGES < 2, nps_error__STAGES_must_be_at_least_2)

    (* no_rw_check, ram_style = "distributed" *)
    reg [DATA_W-1:0] ram[0:DEPTH-1];

    // ---- writer: s_clk
    reg  [AW:0] write_bin;
    reg  [AW:0] write_gray;
    wire [AW:0] read_gray_s;
    wire        push = s_valid && s_ready;
    wire [AW:0] write_bin_next = push ? write_bin + ONE : write_bin;
    wire [AW:0] write_gray_next = write_bin_next ^ (write_bin_next >> 1);

    always @(posedge s_clk) begin
        if (s_rst) begin
            write_bin  <= {AW + 1{1'b0}};
            write_gray <= {AW + 1{1'b0}};
            s_ready    <= 1'b0;
        end else begin
            write_bin  <= write_bin_next;
            write_gray <= write_gray_next;
            // full: DEPTH ahead of the reader, which in Gray code is its pointer with the two top bits inverted
            s_ready    <= write_gray_next != {~read_gray_s[AW:AW-1], read_gray_s[AW-2:0]};
        end
        if (push) ram[write_bin[AW-1:0]] <= s_data;
    end

    // ---- reader: m_clk
    reg  [      AW:0] read_bin;
    reg  [      AW:0] read_gray;
    wire [      AW:0] write_gray_m;
    reg               ram_some;
    reg  [DATA_W-1:0] latch;
    reg               latch_valid;
    wire              move = latch_valid && (!m_valid || m_ready);
    wire              fetch = ram_some && (!latch_valid || move);
    wire [      AW:0] read_bin_next = fetch ? read_bin + ONE : read_bin;
    wire [      AW:0] read_gray_next = read_bin_next ^ (read_bin_next >> 1);

    always @(posedge m_clk) begin
        if (m_rst) begin
            read_bin    <= {AW + 1{1'b0}};
            read_gray   <= {AW + 1{1'b0}};
            ram_some    <= 1'b0;
            latch_valid <= 1'b0;
            m_valid     <= 1'b0;
        end else begin
            read_bin    <= read_bin_next;
            read_gray   <= read_gray_next;
            ram_some    <= read_gray_next != write_gray_m;
            latch_valid <= fetch || (latch_valid && !move);
            m_valid     <= move || (m_valid && !m_ready);
        end
        if (fetch) latch <= ram[read_bin[AW-1:0]];
        if (move) m_data <= latch;
    end

    // ---- crossings
    nps_sync #(
        .W     (AW + 1),
        .STAGES(STAGES)
    ) write_to_m (
        .clk(m_clk),
        .rst(m_rst),
        .d  (write_gray),
        .q  (write_gray_m)
    );

    nps_sync #(
        .W     (AW + 1),
        .STAGES(STAGES)
    ) read_to_s (
        .clk(s_clk),
        .rst(s_rst),
        .d  (read_gray),
        .q  (read_gray_s)
    );
endmodule

`default_nettype wire
