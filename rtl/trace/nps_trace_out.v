// SPDX-License-Identifier: Apache-2.0
// The exit: buffers sealed records towards the sink and hands out the room there is.
//
// Does:      a claim reserves the place of one record before it is made, `go` says that there is one; the record
//            arrives some clocks later and waits here. So nothing behind the framer ever stops or is lost.
// Promises:  AXI-Stream with registered outputs: valid does not wait for ready, data is stable until taken.
//            Claims at most while go is 1 => no overflow. One record a clock if a place is free again DEPTH - 2 clocks after its claim.
// Costs:     2 clocks from s_valid to m_axis_tvalid; DEPTH x (DATA_W + 1) bits of distributed RAM.
// Overflow:  none by construction. A stalled sink is counted: `stalled` = floor(clocks with valid and not ready / 256).
`default_nettype none
`include "nps_refuse.vh"

module nps_trace_out #(
    parameter DEPTH = 16,   // records, a power of two, 4..64
    parameter DATA_W = 128  // bits of a record, 1..
) (
    input wire clk,
    input wire rst,
    input wire restart, // stalled back to 0

    output reg  go,
    input  wire claim,
    output reg  empty,  // every claim has left

    input wire              s_valid,
    input wire [DATA_W-1:0] s_data,
    input wire              s_last,

    output wire [DATA_W-1:0] m_axis_tdata,
    output wire         m_axis_tvalid,
    output wire         m_axis_tlast,
    input  wire         m_axis_tready,

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
    wire [AW:0] claims_next = claims + (claim ? ONE : {(AW + 1) {1'b0}}) - (leaves ? ONE : {(AW + 1) {1'b0}});

    always @(posedge clk) begin
        if (rst) begin
            claims <= {(AW + 1) {1'b0}};
            go <= 1'b1;
            empty <= 1'b1;
        end else begin
            claims <= claims_next;
            go <= claims < FULL - ONE;  // this clock's claim may take the last place
            empty <= claims_next == {(AW + 1) {1'b0}};
        end
    end

    // ---------------------------------------------------------------- buffer
    reg [DATA_W:0] buffer[0:DEPTH-1];
    reg [AW:0] put, take;
    wire held = put != take;
    wire skid_ready;
    wire [DATA_W:0] skid_out;

    always @(posedge clk) begin
        if (s_valid) buffer[put[AW-1:0]] <= {s_last, s_data};
        if (rst) begin
            put  <= {(AW + 1) {1'b0}};
            take <= {(AW + 1) {1'b0}};
        end else begin
            if (s_valid) put <= put + ONE;
            if (held && skid_ready) take <= take + ONE;
        end
    end

    nps_skid #(
        .DATA_W(DATA_W + 1)
    ) u_skid (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(buffer[take[AW-1:0]]),
        .s_axis_tvalid(held),
        .s_axis_tready(skid_ready),
        .m_axis_tdata(skid_out),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

    assign {m_axis_tlast, m_axis_tdata} = skid_out;

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
