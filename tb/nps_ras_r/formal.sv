// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_ras_r: runs and rows counted apart from each other and without end, limits chosen once.
`default_nettype none

module formal_ras_r #(
    parameter integer COUNT_W = 2
) (
    input wire       clk,
    input wire       rst,
    input wire       hold,
    input wire       sample,
    input wire [1:0] sort,       // 0 invalid, 1 good, 2, 3 excess
    input wire       reneg_done
);
    reg [COUNT_W-1:0] run_1, rearm_1;  // any, for ever
    always @(posedge clk) {run_1, rearm_1} <= {run_1, rearm_1};

    wire judged = sample && !hold;
    wire excess = judged && sort[1];
    wire good = judged && sort == 2'd1;
    wire fire;
    nps_ras_r #(.COUNT_W(COUNT_W)) dut (
        .clk(clk), .rst(rst), .hold(hold), .sample(judged), .excess(excess), .good(good), .reneg_done(reneg_done),
        .run_1(run_1), .rearm_1(rearm_1), .fire(fire)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    // how many excesses, good ones in a row end with the last sample (7: seven or more); since when they may count
    reg [2:0] bads = 3'd0, goods = 3'd0;
    reg       fired = 1'b0;  // and no row, no reneg_done since
    wire [2:0] bads_now = reneg_done || hold ? 3'd0 : bads;
    wire [2:0] goods_now = reneg_done || hold ? 3'd0 : goods;
    wire       disarmed = fired && !reneg_done;
    wire [2:0] bads_next = !judged ? bads_now : !excess ? 3'd0 : bads_now == 3'd7 ? 3'd7 : bads_now + 3'd1;
    wire [2:0] goods_next = !judged ? goods_now : !good ? 3'd0 : goods_now == 3'd7 ? 3'd7 : goods_now + 3'd1;
    wire       row_done = good && disarmed && goods_next > {1'b0, rearm_1};
    wire       due = excess && !disarmed && bads_next > {1'b0, run_1};
    always @(posedge clk)
        if (rst) {bads, goods, fired} <= 7'd0;
        else begin
            // excesses of a disarmed clock do not count later
            bads  <= disarmed || due ? 3'd0 : bads_next;
            goods <= due ? 3'd0 : goods_next;
            fired <= due || (disarmed && !row_done);
        end

    always @(*) if (started && !rst) begin
        fires:    assert (fire == due);
        hysteresis: assert (!fire || !disarmed);
        whole:    assert (!fire || bads_next == {1'b0, run_1} + 3'd1);
        armed:    assert (dut.armed == !fired);
        run:      assert (fired || dut.row == bads);
        row:      assert (!fired || dut.row == goods);
        short:    assert (bads <= {1'b0, run_1} && (!fired || goods <= {1'b0, rearm_1}));
    end

    reg [1:0] count = 2'd0;
    always @(posedge clk) count <= rst ? 2'd0 : count + {1'b0, fire && count != 2'd3};
    always @(posedge clk) if (started && !rst) begin
        third:   cover (fire && count == 2'd2 && run_1 != 0 && rearm_1 != 0);
        by_done: cover (fire && reneg_done);
    end
endmodule

`default_nettype wire
