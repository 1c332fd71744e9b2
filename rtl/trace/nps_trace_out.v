// SPDX-License-Identifier: Apache-2.0
// A buffer whose places are claimed first: between the merge and the framer, and at the exit.
//
// Does:      a claim reserves the place of one record before it is made, `go` says that there is one; the record
//            arrives some clocks later and waits here. So nothing between claim and buffer ever stops or is lost.
// Promises:  AXI-Stream: valid does not wait for ready, data is stable until taken; tvalid and tlast are registers.
//            Claims at most while go is 1 => no overflow. One record a clock if a place is free again DEPTH - 3 clocks after its claim.
// Costs:     2 clocks from s_valid to m_axis_tvalid; DEPTH x (DATA_W + LAST_W) bits of distributed RAM.
// Overflow:  none by construction. A stalled sink is counted: `stalled` = floor(clocks with valid and not ready / 256).
`default_nettype none
`include "nps_refuse.vh"

module nps_trace_out #(
    parameter DEPTH = 16,   // records, a power of two, 4..64
    parameter DATA_W = 128, // bits of a record, 1..
    parameter LAST_W = 1    // bits of last: what leaves by a register, 1..
) (
    input wire clk,
    input wire rst,
    input wire restart, // stalled back to 0

    output reg  go,
    input  wire claim,
    output reg  empty,  // every claim has left, said two clocks late; no longer said in the clock after a claim

    input wire              s_valid,
    input wire [DATA_W-1:0] s_data,
    input wire [LAST_W-1:0] s_last,

    output wire [DATA_W-1:0] m_axis_tdata,   // straight from the RAM, whose address is a register
    output reg               m_axis_tvalid,
    output reg  [LAST_W-1:0] m_axis_tlast,
    input  wire              m_axis_tready,

    output wire [31:0] stalled
);

    `NPS_REFUSE(DEPTH < 4 || DEPTH > 64 || (DEPTH & (DEPTH - 1)) != 0,
                nps_error__DEPTH_must_be_a_power_of_two_from_4_to_64)

    localparam AW = $clog2(DEPTH);
    localparam [AW:0] ONE = 1;
    localparam [AW:0] FULL = DEPTH;

    // ---------------------------------------------------------------- claims
    reg [AW:0] claims;
    wire leaves = m_axis_tvalid && m_axis_tready;
    reg left;  // counted a clock late, so that ready does not reach the claims

    always @(posedge clk) begin
        left <= leaves && !rst;
        if (rst) begin
            claims <= {(AW + 1) {1'b0}};
            go <= 1'b1;
            empty <= 1'b1;
        end else begin
            if (claim != left) claims <= claim ? claims + ONE : claims - ONE;
            go <= claims < FULL - ONE;  // this clock's claim may take the last place
            empty <= claims == {(AW + 1) {1'b0}} && !claim;
        end
    end

    // ---------------------------------------------------------------- buffer: ready reaches only a few registers
    (* ram_style = "distributed" *)
    reg [DATA_W-1:0] buffer[0:DEPTH-1];
    (* ram_style = "distributed" *)
    reg [LAST_W-1:0] lasts[0:DEPTH-1];
    reg [AW:0] put, take, after;  // after: take + 1
    wire [AW-1:0] shown = m_axis_tvalid ? after[AW-1:0] : take[AW-1:0];  // the next one, unless the sink waits

    assign m_axis_tdata = buffer[take[AW-1:0]];

    always @(posedge clk) begin
        if (s_valid) begin
            buffer[put[AW-1:0]] <= s_data;
            lasts[put[AW-1:0]] <= s_last;
        end
        if (!m_axis_tvalid || m_axis_tready) m_axis_tlast <= lasts[shown];
        if (rst) begin
            put <= {(AW + 1) {1'b0}};
            take <= {(AW + 1) {1'b0}};
            after <= ONE;
            m_axis_tvalid <= 1'b0;
        end else begin
            if (s_valid) put <= put + ONE;
            if (leaves) begin
                take <= after;
                after <= after + ONE;
            end
            m_axis_tvalid <= leaves ? put != after : put != take;
        end
    end

    // ---------------------------------------------------------------- stall counter
    reg stall;
    reg [39:0] stalls;

    always @(posedge clk) begin
        stall <= m_axis_tvalid && !m_axis_tready;
        if (rst || restart) stalls <= 40'd0;
        else if (stall) stalls <= stalls + 40'd1;
    end

    assign stalled = stalls[39:8];

endmodule
`default_nettype wire
