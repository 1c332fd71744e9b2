// SPDX-License-Identifier: Apache-2.0
// One four-phase request (M8): req up, ack up, req down, ack down.
//
// Does:      a fire raises req once ack is low. req falls with ack (`acked`), or after TIMEOUT clocks without
//            (`timeout`). An ack that stays high for TIMEOUT clocks while req is low is told once (`timeout` with
//            `stuck`).
// Promises:  a fire while req waits for its ack is answered by that ack; any other fire is remembered and asked for
//            when the line is free: none is lost, and two fires make at most two requests. req never rises while ack is
//            high.
// Costs:     req is a register, one clock after the fire.
// Overflow:  fires while one is remembered are answered by that one's ack.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_thresholds.vh"

module nps_ras_request #(
    parameter integer TIMEOUT = `NPS_REQ_TIMEOUT  // clocks, 2..16777215
) (
    input wire clk,
    input wire rst,  // req falls at once; an ack that is still high must fall before it rises again

    input  wire fire,
    output reg  req,
    input  wire ack,

    output wire acked,
    output wire timeout,
    output wire stuck
);
    `NPS_REFUSE(TIMEOUT < `NPS_REQ_TIMEOUT_MIN || TIMEOUT > `NPS_REQ_TIMEOUT_MAX,
                nps_error__REQ_TIMEOUT_must_be_2_to_16777215)

    localparam integer W = $clog2(TIMEOUT);
    localparam integer LAST = TIMEOUT - 1;

    reg wanted, is_stuck, last;
    reg [W-1:0] since;

    wire waits = req != ack && !is_stuck;  // for the other side
    wire free = !req && !ack;
    assign acked = req && ack;
    assign timeout = waits && last;
    assign stuck = !req;
    wire merges = req && !ack && !last;
    wire rises = free && (wanted || fire);

    always @(posedge clk) begin
        if (rst) begin
            req      <= 1'b0;
            wanted   <= 1'b0;
            is_stuck <= 1'b0;
        end else begin
            req      <= rises || merges;
            wanted   <= !rises && (wanted || (fire && !merges));
            is_stuck <= !req && ack && (is_stuck || last);
        end
        if (rst || !waits || last) begin
            since <= {W{1'b0}};
            last  <= 1'b0;
        end else begin
            since <= since + {{W - 1{1'b0}}, 1'b1};
            last  <= since == LAST[W-1:0] - {{W - 1{1'b0}}, 1'b1};
        end
    end
endmodule

`default_nettype wire
