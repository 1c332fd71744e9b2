// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_ras_request: the four phases, and a debt of one answer that no fire can lose and none can double.
`default_nettype none

module formal_ras_request #(
    parameter integer TIMEOUT = 4
) (
    input wire clk,
    input wire rst,
    input wire fire,
    input wire ack
);
    wire req, acked, timeout, stuck;
    nps_ras_request #(.TIMEOUT(TIMEOUT)) dut (
        .clk(clk), .rst(rst), .fire(fire), .req(req), .ack(ack), .acked(acked), .timeout(timeout), .stuck(stuck)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    wire withdrawn = timeout && !stuck;
    reg  req_was = 1'b0, ack_was = 1'b0, acked_was = 1'b0, withdrawn_was = 1'b0, rst_was = 1'b1;
    reg  told_stuck = 1'b0;          // this stay of ack was told
    reg  owed = 1'b0;                // a fire that no ack, no withdrawal has answered
    reg  asked = 1'b0;               // a fire that no request before this one answers
    reg [3:0] high = 4'd0;           // clocks that req waits
    reg [3:0] low = 4'd0;            // clocks that ack stays while req is low
    wire answered = acked || withdrawn;
    always @(posedge clk) begin
        {req_was, ack_was, acked_was, withdrawn_was, rst_was} <= {req, ack, acked, withdrawn, rst};
        told_stuck <= !rst && !req && ack && (told_stuck || timeout);
        owed <= !rst && (fire || (owed && !answered));
        asked <= !rst && ((fire && !(req && !ack && !timeout)) || (asked && !(req && !req_was)));
        high <= rst || !req || ack || timeout ? 4'd0 : high + 4'd1;
        low <= rst || req || !ack ? 4'd0 : low == 4'd15 ? low : low + 4'd1;
    end

    always @(*) if (started && !rst_was) begin
        rise:      assert (!(req && !req_was) || !ack_was);
        fall:      assert (!(!req && req_was) || acked_was || withdrawn_was);
        no_reason: assert (!(req && !req_was) || asked);
        owe:       assert (owed == (req || dut.wanted));
        wanted:    assert (!dut.wanted || asked);
        one:       assert (!(req && dut.wanted));
        bound:     assert (high < TIMEOUT && (!timeout || stuck || high == TIMEOUT - 1));
        stays:     assert (!(timeout && stuck) || (low == TIMEOUT - 1 && !told_stuck));
        soon:      assert (!(owed && !req && !ack && !fire && !req_was && !ack_was));
        known:     assert (dut.is_stuck == told_stuck);
        waits:     assert (dut.waits || !ack || req || told_stuck);
        timer:     assert (dut.last == (dut.since == TIMEOUT - 1) && dut.since < TIMEOUT);
        timed:     assert (!dut.waits || dut.since == (req ? high : low) || dut.since == 0);
        timed_req: assert (!(req && !ack) || dut.since == high);
        timed_ack: assert (!(!req && ack && !told_stuck) || dut.since == low);
    end
    always @(*) if (started && rst_was) begin
        reset:     assert (!req);
    end

    reg [2:0] rounds = 3'd0;
    always @(posedge clk) rounds <= rst ? 3'd0 : rounds + {2'd0, acked && rounds != 3'd7};
    always @(posedge clk) if (started) begin
        twice:     cover (rounds == 3'd2);
        again:     cover (acked && fire && !rst);
        gave_up:   cover (withdrawn && fire && !rst);
        was_stuck: cover (timeout && stuck && owed);
    end
endmodule

`default_nettype wire
