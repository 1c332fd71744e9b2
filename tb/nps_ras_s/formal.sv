// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_ras_s for COUNT 3: the window by its definition, on the ages of the last two excesses since the
// last fire or flush, which never wrap. The window is any that is legal, time advances by any step up to it.
`default_nettype none

module formal_ras_s #(
    parameter integer TIME_W = 5,
    parameter integer COUNT = 3
) (
    input wire              clk,
    input wire              rst,
    input wire [TIME_W-2:0] advance,  // from this moment to the next
    input wire              jump,     // the next moment follows a step of time
    input wire [TIME_W-1:0] anywhere,
    input wire              voids,
    input wire              wants
);
    localparam integer AGE_W = TIME_W + 1;
    localparam [AGE_W-1:0] OLDEST = {AGE_W{1'b1}};

    reg [TIME_W-2:0] window;  // any, for ever
    always @(posedge clk) window <= window;
    always @(*) assume (window != 0 && (jump || advance <= window));

    // s1_rel is the time of the next moment, s2_rel of the one that is judged
    reg [TIME_W-1:0] s1_rel, s2_rel;
    reg  [TIME_W-2:0] step;   // from s2_rel to s1_rel
    reg  s1_jumps = 1'b0, s2_jumps = 1'b0;
    wire flush = s2_jumps || voids;
    wire excess = wants;
    wire fire;
    always @(posedge clk) begin
        s1_rel <= jump ? anywhere : s1_rel + {1'b0, advance};
        step <= advance;
        s2_rel <= s1_rel;
        {s2_jumps, s1_jumps} <= {s1_jumps, jump};
    end
    nps_ras_s #(.COUNT(COUNT), .TIME_W(TIME_W)) dut (
        .clk(clk), .rst(rst), .s1_rel(s1_rel), .s2_until(s2_rel + {1'b0, window}), .flush(flush), .excess(excess),
        .fire(fire)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);
    always @(*) if (started && !s1_jumps) assume (s1_rel == s2_rel + {1'b0, step});

    // ---- the definition: ages of the newest and the second newest
    reg some = 1'b0, two = 1'b0;
    reg [AGE_W-1:0] newest, second;
    function automatic [AGE_W-1:0] older(input [AGE_W-1:0] age, input [TIME_W-2:0] by);
        older = {1'b0, age} + {3'd0, by} > {1'b0, OLDEST} ? OLDEST : age + {2'd0, by};
    endfunction
    wire some_now = some && !flush;
    wire two_now = two && !flush;
    wire due = excess && two_now && second <= {2'd0, window};
    always @(posedge clk)
        if (rst || due) {some, two} <= 2'b00;
        else begin
            some <= some_now || excess;
            two <= two_now || (some_now && excess);
            newest <= older(excess ? {AGE_W{1'b0}} : newest, step);
            second <= older(excess ? newest : second, step);
        end

    // ---- invariants: what is left of each place
    wire counts0 = dut.counts[0], counts1 = dut.counts[1];
    wire [TIME_W-1:0] left0 = dut.g_place[0].counts_until - s2_rel;
    wire [TIME_W-1:0] left1 = dut.g_place[1].counts_until - s2_rel;
    wire [AGE_W-1:0] age0 = {2'd0, window} - {1'b0, left0};
    wire [AGE_W-1:0] age1 = {2'd0, window} - {1'b0, left1};
    wire newest_in = some_now && newest <= {2'd0, window};
    wire second_in = two_now && second <= {2'd0, window};
    always @(*) if (started && !rst) begin
        fires:    assert (fire == due);
        order:    assert (!two || second >= newest);
        pair:     assert (some || !two);
        number:   assert ({1'b0, counts0} + {1'b0, counts1} == {1'b0, newest_in} + {1'b0, second_in});
        places:   assert (!(counts0 && counts1) || (age0 == newest && age1 == second)
                          || (age1 == newest && age0 == second));
        single0:  assert (!(counts0 && !counts1) || age0 == newest);
        single1:  assert (!(counts1 && !counts0) || age1 == newest);
        old0:     assert (flush || !dut.taken[0] || dut.old[0] == left0[TIME_W-1]);
        old1:     assert (flush || !dut.taken[1] || dut.old[1] == left1[TIME_W-1]);
    end

    reg [1:0] fires_seen = 2'd0;
    always @(posedge clk) fires_seen <= rst ? 2'd0 : fires_seen + {1'b0, fire && fires_seen != 2'd3};
    always @(posedge clk) if (started && !rst) begin
        edge_:   cover (fire && second == {2'd0, window} && window == 4'd9);
        beyond:  cover (excess && two_now && second == {2'd0, window} + 1'b1 && !flush);
        wrapped: cover (two_now && second == OLDEST && excess);
        again:   cover (fire && fires_seen == 2'd1);
    end
endmodule

`default_nettype wire
