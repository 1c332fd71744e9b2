// SPDX-License-Identifier: Apache-2.0
// Formal top of nps_token_inject: a reference that counts the tokens since enable rose or since the last turn.
`default_nettype none

module formal_token_inject (
    input wire        clk,
    input wire        rst,
    input wire        enable,
    input wire [15:0] first,
    input wire [15:0] every,
    input wire [ 7:0] layer,
    input wire [ 3:0] cause,
    input wire        pipe_valid,
    input wire        pipe_ready,
    input wire [ 7:0] tok_layer
);
    wire [3:0] inj_cause;

    nps_token_inject dut (
        .clk(clk), .rst(rst), .enable(enable), .first(first), .every(every), .layer(layer), .cause(cause),
        .pipe_valid(pipe_valid), .pipe_ready(pipe_ready), .tok_layer(tok_layer), .inj_cause(inj_cause)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);

    // the configuration is stable while enable is 1
    reg        was_enable;
    reg [35:0] was_config;
    wire [35:0] config_now = {first, every, cause};
    reg [ 7:0] was_layer;
    always @(posedge clk) {was_enable, was_config, was_layer} <= {enable, config_now, layer};
    always @(*) if (started) assume (!(enable && was_enable) || (was_config == config_now && was_layer == layer));

    // ---------------------------------------------------------------- reference
    reg         counts;                    // enable was 1 in the clock before
    reg         fired;                     // there was a turn
    reg  [16:0] passed;                    // tokens of the layer since then, or since enable rose
    wire        mine = tok_layer == layer;
    wire        enters = pipe_valid && pipe_ready && mine;
    wire [16:0] next = passed + 17'd1;
    wire        turn = fired ? every != 0 && next == every : next == first;
    wire        over = fired ? every == 0 : first == 0;
    always @(posedge clk) begin
        counts <= enable && !rst;
        if (!enable || !counts || rst) {fired, passed} <= 18'd0;
        else if (enters && turn) {fired, passed} <= {1'b1, 17'd0};
        else if (enters && !over) passed <= next;
    end

    wire [15:0] goal = fired ? every : first;
    always @(*) if (started) begin
        forces: assert (inj_cause == (enable && counts && mine && turn ? cause : 4'd0));
        left:   assert (!counts || !was_enable || (dut.running && (!enable || (dut.left == (over ? 0 : goal - passed[15:0])
                        && dut.due == (dut.left == 1)))));
        missed: assert (!counts || !enable || (over ? passed == 0 : passed < goal));
        off:    assert (counts == dut.running && (counts || !dut.due || (was_enable && started)) && (!counts || was_enable));
    end

    always @(posedge clk) if (started && !rst) begin
        second: cover (inj_cause != 0 && fired && every == 3);
        waits:  cover (inj_cause != 0 && passed == 2 && !pipe_ready);
        never:  cover (counts && first == 0 && enters);
    end
endmodule

`default_nettype wire
