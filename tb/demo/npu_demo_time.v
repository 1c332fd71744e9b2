// SPDX-License-Identifier: Apache-2.0
// Time bus of a locked clock that never steps: relative ns since reset and TAI = EPOCH_NS + relative, for any clock
// period. What a PTP clock would give; rel_ns and ts_ns are those of this clock.
`default_nettype none

module npu_demo_time #(
    parameter        CLK_PERIOD_PS = 5000,                     // ps, >= 1
    parameter [63:0] EPOCH_NS      = 64'd1767225637000000000   // TAI ns at reset: 2026-01-01 00:00:00 UTC
) (
    input  wire        clk,
    input  wire        rst,
    output reg  [47:0] rel_ns,
    output reg  [63:0] ts_ns
);
    localparam [31:0] STEP_NS = CLK_PERIOD_PS / 1000;
    localparam [31:0] STEP_PS = CLK_PERIOD_PS % 1000;

    reg  [31:0] ps;  // below 1 ns
    wire        carry = ps + STEP_PS >= 32'd1000;
    wire [31:0] step = carry ? STEP_NS + 32'd1 : STEP_NS;

    always @(posedge clk) begin
        ps <= carry ? ps + STEP_PS - 32'd1000 : ps + STEP_PS;
        rel_ns <= rel_ns + {16'd0, step};
        ts_ns <= ts_ns + {32'd0, step};
        if (rst) begin
            ps <= 32'd0;
            rel_ns <= 48'd0;
            ts_ns <= EPOCH_NS;
        end
    end
endmodule

`default_nettype wire
