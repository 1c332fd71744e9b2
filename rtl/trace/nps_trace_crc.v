// SPDX-License-Identifier: Apache-2.0
// CRC-32 of the frames that pass by.
//
// Does:      watches the sealed records; a SYNC-A closes the frame before it and opens its own.
// Promises:  once busy is 0, `value` is what comes next: if the last record was a SYNC-A, the CRC-32 of the frame before
//            it (garbage before the second SYNC-A), for SYNC-B; else that of the records from the last SYNC-A on, for END.
// Costs:     3 clocks from a record to its value; one record a clock. The running state is a linear transform of
//            the CRC in which a 128-bit step needs at most two terms, so the feedback is one gate deep.
// Overflow:  none: it only watches.
`default_nettype none
`include "nps_trace.vh"

module nps_trace_crc (
    input wire clk,
    input wire rst,

    input wire         s_valid,
    input wire [127:0] s_data,

    output reg  [31:0] value,
    output wire        busy
);

    wire is_sync_a = s_data[`NPS_REC_KIND_LSB+:`NPS_REC_KIND_W] == `NPS_K_SYNC &&
        s_data[`NPS_REC_SUB_LSB+:`NPS_REC_SUB_W] == `NPS_SYNC_A;

    reg word_valid, word_opens, state_valid, state_opens, value_valid;
    reg [31:0] word_low, word_high;  // the wide XOR in two halves, one gate less deep
    reg [31:0] state, state_closed;
    wire [31:0] told = state_opens ? state_closed : state;

    always @(posedge clk) begin
        word_valid  <= s_valid && !rst;
        state_valid <= word_valid && !rst;
        value_valid <= state_valid && !rst;
        if (s_valid) begin
            word_low <= `NPS_CRC32_WORD({64'd0, s_data[63:0]});
            word_high <= `NPS_CRC32_WORD({s_data[127:64], 64'd0});
            word_opens <= is_sync_a;
        end
        if (word_valid) begin
            state_opens <= word_opens;
            if (word_opens) begin
                state_closed <= state;
                state <= `NPS_CRC32_NEXT(`NPS_CRC32_INIT) ^ word_low ^ word_high;
            end else begin
                state <= `NPS_CRC32_NEXT(state) ^ word_low ^ word_high;
            end
        end
        if (state_valid) value <= `NPS_CRC32_VALUE(told);
    end

    assign busy = word_valid || state_valid || value_valid;

endmodule
`default_nettype wire
