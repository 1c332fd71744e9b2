// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_ras_collect: conservation, order and contents of one entry, any of sixteen numbers in turn.
`default_nettype none
`include "nps_ras.vh"

module formal_ras_collect (
    input wire        clk,
    input wire        rst,
    input wire [12:0] in_happens,
    input wire [ 6:0] in_more,
    input wire        in_time,
    input wire        in_data,
    input wire        in_step,
    input wire        pause,
    input wire        lost_told
);
    wire        lost_valid, lost_waits, offers, step_inside, paused, out_tell, out_time, out_data, idle;
    wire [ 3:0] lost_records;
    wire [12:0] out_happens;
    wire [ 6:0] out_more;
    wire [63:0] out_step_ns;
    nps_ras_collect #(.TIME_W(1), .DATA_W(1)) dut (
        .clk(clk), .rst(rst), .in_happens(in_happens), .in_more(in_more), .in_time(in_time), .in_data(in_data),
        .in_step_ns({64{in_step}}), .lost_valid(lost_valid), .lost_records(lost_records), .lost_waits(lost_waits),
        .lost_told(lost_told), .offers(offers), .step_inside(step_inside), .pause(pause),
        .paused(paused), .out_tell(out_tell), .out_happens(out_happens), .out_more(out_more), .out_time(out_time),
        .out_data(out_data),
        .out_step_ns(out_step_ns), .idle(idle)
    );
    localparam [2:0] LOAD = 3'd0, PICK = 3'd1, TELL = 3'd2, LAST = 3'd7;

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    // ---- entries are numbered as they are accepted, modulo 16
    reg [3:0] number;  // any, for ever
    always @(posedge clk) number <= number;
    reg [3:0] puts = 4'd0, takes = 4'd0;
    wire any = in_happens != 13'd0;
    wire put = any && !lost_valid;
    wire take = dut.state == LOAD && dut.some && !pause;
    reg [21:0] entry;        // what the entry of that number said
    reg        head_is = 1'b0;   // it is being told
    reg [12:0] told = 13'd0;     // of the head entry so far
    reg [12:0] said;             // by the head entry, as taken
    reg [3:0]  step_at = 4'd0;  // number of the entry with the last clock step, and the step's size
    reg        size;
    wire [3:0] stock = puts - takes;
    wire       queued = (number - takes) < stock;
    always @(posedge clk)
        if (rst) begin
            {puts, takes, head_is, told} <= {4'd0, 4'd0, 1'b0, 13'd0};
        end else begin
            if (put) puts <= puts + 4'd1;
            if (put && puts == number) entry <= {in_happens, in_more, in_time, in_data};
            if (take) begin
                takes <= takes + 4'd1;
                head_is <= takes == number;
                told <= 13'd0;
                said <= dut.ram[dut.take_at][21:9];
            end
            if (dut.state == PICK) told <= told | dut.first | (dut.head & 13'd3);
            if (put && in_happens[0]) {step_at, size} <= {puts, in_step};
        end
    wire [12:0] now = dut.first | (dut.head & 13'd3);  // what PICK chooses
    wire [10:0] records = out_happens[12:2];
    wire        busy = dut.state != LOAD;

    reg owed = 1'b0;  // a loss that is not told
    always @(posedge clk) owed <= !rst && (lost_valid || (owed && !(lost_waits && lost_told)));

    reg was_lost = 1'b0;
    always @(posedge clk) was_lost <= !rst && (was_lost || lost_valid);

    // entries inside that are offered
    wire [7:0] row_offer;
    wire [3:0] offer_rows = {3'd0, row_offer[0]} + {3'd0, row_offer[1]} + {3'd0, row_offer[2]} + {3'd0, row_offer[3]}
        + {3'd0, row_offer[4]} + {3'd0, row_offer[5]} + {3'd0, row_offer[6]} + {3'd0, row_offer[7]};

    // where a clock step can be: in the queue, in the head entry, or just told
    wire [7:0] stray;
    genvar row;
    generate
        for (row = 0; row < 8; row = row + 1) begin : g_row
            wire [2:0] ahead = row[2:0] - takes[2:0];
            assign row_offer[row] = {1'b0, ahead} < stock && dut.ram[row][8];
            assign stray[row] = {1'b0, ahead} < stock && dut.ram[row][9]
                && !(dut.step_inside && step_at == takes + {1'b0, ahead});
        end
    endgenerate
    wire [3:0] step_ahead = step_at - takes;
    wire in_queue = step_ahead < stock && dut.ram[step_at[2:0]][9];
    wire in_head = (dut.state == PICK && dut.head[0]) || (dut.state >= TELL && out_happens[0]);

    always @(*) if (started && !rst) begin
        level:    assert (dut.level == stock && stock <= 4'd8);
        flags:    assert (dut.full == (stock == 4'd8) && dut.some == (stock != 0));
        room:     assert (!lost_valid || stock == 4'd8 || owed || (in_happens[0] && dut.step_inside)
                          || (in_happens[1] && dut.cfg_inside));
        place:    assert (!(owed && put));
        owed_:    assert (owed == dut.losing);
        behind:   assert (!lost_waits || (owed && stock == 4'd0 && !busy));
        offers_:  assert (dut.offered == offer_rows + {3'd0, busy && out_more[6]});
        stray_:   assert (stray == 8'd0 && (!in_head || (dut.step_inside && step_at + 4'd1 == takes)));
        step:     assert (!dut.step_inside || in_queue || (in_head && step_at + 4'd1 == takes));
        size_:    assert (!dut.step_inside || out_step_ns[0] == size);
        pointers: assert (dut.put_at == puts[2:0] && dut.take_at == takes[2:0]);
        stored:   assert (!queued || dut.ram[number[2:0]] == entry);
        filled:   assert (!queued || entry[21:9] != 13'd0);
        whole:    assert (!(busy && head_is) || (said == entry[21:9] && {out_more, out_time, out_data} == entry[8:0]));
        number_:  assert (!(busy && head_is) || takes == number + 4'd1);
        parts:    assert (!busy || ((told | dut.head) == said && (told & dut.head) == 13'd0));
        some:     assert (!(dut.state == PICK && head_is) || dut.head != 13'd0);
        one:      assert (dut.state < TELL || (records & (records - 11'd1)) == 11'd0);
        first:    assert (dut.state != PICK || (now & dut.head) == now);
        order:    assert (dut.state < TELL || (dut.head & 13'h1FFC) == 13'd0
                          || {2'd0, records} < ((dut.head >> 2) & (~(dut.head >> 2) + 13'd1)));
        extra:    assert (dut.state < TELL || dut.head[1:0] == 2'd0);
        tell:     assert (out_tell == (dut.state == TELL));
        states:   assert (dut.state <= LAST);
        quiet:    assert (!paused || !busy);
        counted:  assert (lost_records == {3'd0, in_happens[2]} + {3'd0, in_happens[3]} + {3'd0, in_happens[4]}
                          + {3'd0, in_happens[5]} + {3'd0, in_happens[6]} + {3'd0, in_happens[7]}
                          + {3'd0, in_happens[8]} + {3'd0, in_happens[9]} + {3'd0, in_happens[10]}
                          + {3'd0, in_happens[11]} + {3'd0, in_happens[12]});
    end

    always @(posedge clk) if (started && !rst) begin
        full:     cover (lost_valid && stock == 4'd8);
        refused:  cover (lost_valid && stock == 4'd1);
        again:    cover (put && was_lost && !owed);
        three:    cover (dut.state == LAST && dut.head == 13'd0 && said[12:9] == 4'b1011 && head_is);
    end
endmodule

`default_nettype wire
