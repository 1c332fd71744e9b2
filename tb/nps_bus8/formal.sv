// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_bus8: every beat is used once or counted.
`default_nettype none

module formal_bus8 (
    input wire       clk,
    input wire       rst,
    input wire       bus_valid,
    input wire [7:0] bus_data
);
    localparam integer W = 5;
    wire trace_valid, backpressure_en;
    wire [4:0] layer_id;
    wire [5:0] buf_occupancy;
    wire [W-1:0] mismatches, orphans;

    nps_bus8 #(.COUNT_W(W)) dut (
        .clk(clk), .rst(rst), .bus_valid(bus_valid), .bus_data(bus_data),
        .trace_valid(trace_valid), .layer_id(layer_id), .buf_occupancy(buf_occupancy),
        .backpressure_en(backpressure_en), .mismatches(mismatches), .orphans(orphans)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    reg [W+1:0] given = 0, samples = 0;   // modulo 2^(W+2)
    reg         said_before = 1'b0, idle1 = 1'b1, idle2 = 1'b1;
    reg [7:0]   data1, data2;
    reg         clean = 1'b1;             // no counter has reached its end
    always @(posedge clk) begin
        given       <= rst ? 0 : given + bus_valid;
        samples     <= rst ? 0 : samples + trace_valid;
        said_before <= trace_valid && !rst;
        {idle2, idle1} <= rst ? 2'b11 : {idle1, !bus_valid};
        {data2, data1} <= {data1, bus_data};
        clean       <= rst || (clean && !(&mismatches) && !(&orphans));
    end
    wire [W+1:0] used = samples + samples + {trace_valid, 1'b0} + mismatches + orphans + dut.held_valid;
    wire clean_now = clean && !(&mismatches) && !(&orphans);

    always @(*) if (started) begin
        beats:  assert (!clean_now || given == used);
        sample: assert (!trace_valid || (!idle1 && !idle2 && {layer_id, buf_occupancy, backpressure_en}
                        == {data2, data1[7:4]}));
        check:  assert (!trace_valid || (data2[7:4] ^ data2[3:0] ^ data1[7:4] ^ data1[3:0]) == 4'hF);
        once:   assert (!(trace_valid && (said_before || dut.held_valid)));
        held:   assert (dut.held_valid == (!idle1 && !trace_valid) && (!dut.held_valid || dut.held == data1));
    end

    always @(posedge clk) if (started && !rst) begin
        stray:     cover (trace_valid && mismatches == 1 && orphans == 0);
        saturated: cover (&mismatches);
        train:     cover (samples == 4 && given == 9);
    end
endmodule

`default_nettype wire
