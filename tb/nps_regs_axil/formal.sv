// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_regs_axil: AXI4-Lite rules, one access for each request, and how long anything may take.
`default_nettype none

module formal_axil #(
    parameter integer ADDR_W = 4,
    parameter integer SETTLE = 2
) (
    input wire              clk,
    input wire              rst,
    input wire [ADDR_W-1:0] awaddr,
    input wire              awvalid,
    input wire [31:0]       wdata,
    input wire [3:0]        wstrb,
    input wire              wvalid,
    input wire              bready,
    input wire [ADDR_W-1:0] araddr,
    input wire              arvalid,
    input wire              rready,
    input wire [31:0]       value,
    input wire              unmapped
);
    wire        awready, wready, bvalid, arready, rvalid, sample;
    wire [1:0]  bresp, rresp;
    wire [31:0] rdata, data;
    wire [3:0]  strobe;
    wire [ADDR_W-3:0] word;

    nps_regs_axil #(.ADDR_W(ADDR_W), .SETTLE(SETTLE)) dut (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
        .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .word(word), .data(data), .strobe(strobe), .sample(sample), .value(value), .unmapped(unmapped)
    );

    // clocks from a whole request whose answer has a place to the end of its access: the other kind may go first
    localparam [7:0] BOUND = 8'd13 + SETTLE[7:0];

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    // Model: requests taken and not answered; what the last of each kind asked for.
    reg aw_due = 1'b0, w_due = 1'b0, r_due = 1'b0;
    reg wrote = 1'b0, looked = 1'b0;    // the access of the request under way was seen
    reg [ADDR_W-3:0] aw_at, r_at;
    reg [31:0] w_data;
    reg [3:0]  w_strb;
    wire aw_take = awvalid && awready;
    wire w_take = wvalid && wready;
    wire ar_take = arvalid && arready;
    wire b_take = bvalid && bready;
    wire r_take = rvalid && rready;

    // answers still to be taken make room for one more request each: two may be under way
    reg b_open = 1'b0, r_open = 1'b0;   // an answer is offered
    reg [7:0] w_wait = 8'd0, r_wait = 8'd0;   // clocks since the request was whole and the answer's place free
    reg b_stall = 1'b0, r_stall = 1'b0;
    reg [1:0] b_old;
    reg [33:0] r_old;
    reg [31:0] sampled;
    reg        hole;
    reg        was_sample = 1'b0, was_last = 1'b0;
    reg        after_reset = 1'b1;

    always @(posedge clk) begin
        after_reset <= rst;
        b_stall <= !rst && bvalid && !bready;
        r_stall <= !rst && rvalid && !rready;
        b_old <= bresp;
        r_old <= {rresp, rdata};
        if (rst) begin
            aw_due <= 1'b0; w_due <= 1'b0; r_due <= 1'b0; wrote <= 1'b0; looked <= 1'b0;
            w_wait <= 8'd0; r_wait <= 8'd0; b_open <= 1'b0; r_open <= 1'b0;
        end else begin
            // a new answer ends its request
            if (dut.wrote) begin aw_due <= 1'b0; w_due <= 1'b0; wrote <= 1'b0; end
            if (dut.read) begin r_due <= 1'b0; looked <= 1'b0; end
            if (aw_take) begin aw_due <= 1'b1; aw_at <= awaddr[ADDR_W-1:2]; end
            if (w_take) begin w_due <= 1'b1; w_data <= wdata; w_strb <= wstrb; end
            if (ar_take) begin r_due <= 1'b1; r_at <= araddr[ADDR_W-1:2]; end
            if (|strobe || (w_strb == 4'd0 && dut.step[1] && dut.writing)) wrote <= 1'b1;
            if (sample) looked <= 1'b1;
            b_open <= (b_open && !bready) || dut.wrote;
            r_open <= (r_open && !rready) || dut.read;
            w_wait <= aw_due && w_due && !dut.wrote && !bvalid ? w_wait + 8'd1 : 8'd0;
            r_wait <= r_due && !dut.read && !rvalid ? r_wait + 8'd1 : 8'd0;
        end
        if (dut.read) begin sampled <= value; hole <= unmapped; end
        if (dut.wrote) hole <= unmapped;
    end

    always @(*) if (started) begin
        b_stable: assert (!b_stall || (bvalid && bresp == b_old));
        r_stable: assert (!r_stall || (rvalid && {rresp, rdata} == r_old));
        b_one:    assert (bvalid == b_open);
        r_one:    assert (rvalid == r_open);
        b_cause:  assert (!dut.wrote || (aw_due && w_due && wrote && !bvalid));
        r_cause:  assert (!dut.read || (r_due && looked && !rvalid));
        write:    assert (strobe == 4'd0 || (aw_due && w_due && !wrote && word == aw_at && data == w_data && strobe == w_strb));
        sampling: assert (!sample || (r_due && !looked && word == r_at));
        exclusive: assert (!(sample && strobe != 4'd0) && !(dut.wrote && dut.read));
        ready:    assert (after_reset ? !(awready || wready || arready)
                          : awready == !aw_due && wready == !w_due && arready == !r_due);
        bounded:  assert (w_wait <= BOUND && r_wait <= BOUND);
        value_at: assert (!dut.read || (word == r_at && was_sample));
        resp:     assert (!bvalid || bresp[0] == 1'b0);
    end

    // the answer is what the registers said two clocks after sample, one before the answer is offered
    reg was_read = 1'b0, was_write = 1'b0;
    always @(posedge clk) begin
        was_sample <= sample;
        was_read <= !rst && dut.read;
        was_write <= !rst && dut.wrote;
    end
    always @(*) if (started) begin
        answer:   assert (!was_read || (rdata == sampled && rresp == (hole ? 2'b10 : 2'b00)));
        done:     assert (!was_write || bresp == (hole ? 2'b10 : 2'b00));
    end

    // invariants: where an access is
    wire [5:0] step = dut.step;
    wire one = (step & (step - 6'd1)) == 6'd0;
    // clocks left until a request that may begin (can_*) has ended, at worst
    wire [7:0] rest = {4'd0, dut.rest};
    wire [7:0] at = step[0] ? 8'd0 : step[1] ? 8'd1 : step[2] ? 8'd2 : step[3] ? 8'd3 : step[4] ? 8'd4 : 8'd5;
    wire under_way = step != 6'd0 && rest == 8'd0;
    wire [7:0] w_left = under_way ? (dut.writing ? 8'd4 - at : 8'd11 - at)
                        : rest != 8'd0 ? rest + 8'd12 : dut.pick_write ? 8'd5 : 8'd12;
    wire [7:0] r_left = under_way ? (dut.writing ? 8'd10 + SETTLE[7:0] - at : 8'd4 - at)
                        : rest != 8'd0 ? rest + 8'd5 : dut.pick_write ? 8'd11 + SETTLE[7:0] : 8'd5;
    always @(*) if (started) begin
        walk:     assert (one && (!dut.free || (step == 6'd0 && dut.rest == 4'd0)));
        busy:     assert (dut.free || after_reset || step != 6'd0 || dut.rest != 4'd0);
        rests:    assert (dut.rest <= SETTLE && (dut.rest == 4'd0 || (dut.writing && step[4:0] == 5'd0)));
        held:     assert (dut.aw_held == aw_due && dut.w_held == w_due && dut.ar_held == r_due);
        slots:    assert ((!aw_due || dut.aw_word == aw_at) && (!r_due || dut.ar_word == r_at) &&
                          (!w_due || (data == w_data && dut.w_strobe == w_strb)));
        own_w:    assert (!(dut.writing && step[4:0] != 5'd0) || (aw_due && w_due && !bvalid && word == aw_at));
        own_r:    assert (!(!dut.writing && step[4:0] != 5'd0) || (r_due && !rvalid && word == r_at));
        seen_w:   assert (wrote == (dut.writing && (step[2] || step[3] || step[4])));
        seen_r:   assert (looked == (!dut.writing && step[4]));
        strobes:  assert (strobe == (dut.writing && step[1] ? w_strb : 4'd0));
        turn:     assert ((!dut.writing || dut.wrote_last || step == 6'd0) && (dut.rest == 4'd0 || dut.wrote_last) &&
                          (dut.writing || !dut.wrote_last || step == 6'd0));
        fresh:    assert (!(step[5] && !dut.writing) || !r_due);
        late:     assert ((w_wait == 8'd0 || dut.can_write) && (r_wait == 8'd0 || dut.can_read));
        progress: assert ((w_wait == 8'd0 || w_wait + w_left <= BOUND) && (r_wait == 8'd0 || r_wait + r_left < BOUND));
        can_w:    assert (!(dut.free && dut.can_write) || (aw_due && w_due && !bvalid));
        can_r:    assert (!(dut.free && dut.can_read) || (r_due && !rvalid));
    end

    reg [1:0] turns = 2'd0;
    always @(posedge clk) if (!rst && dut.begins) turns <= {turns[0], dut.pick_write};
    always @(posedge clk) if (started) begin
        wrote_it:  cover (b_take && bresp == 2'b00);
        refused:   cover (r_take && rresp == 2'b10);
        stalled:   cover (bvalid && rvalid && b_stall && r_stall);
        data_first: cover (w_due && !aw_due && aw_take);
        both:      cover (turns == 2'b10 && r_take && aw_due && w_due);
        longest:   cover (r_wait == BOUND - 8'd2);
    end
endmodule

`default_nettype wire
