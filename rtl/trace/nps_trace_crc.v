// SPDX-License-Identifier: Apache-2.0
// CRC-32 of the frames that pass by.
//
// Does:      watches the sealed records; a SYNC-A closes the frame before it and opens its own.
// Promises:  once busy is 0, `value` is what comes next: if the last record was a SYNC-A, the CRC-32 of the frame before
//            it (garbage before the second SYNC-A), for SYNC-B; else that of the records from the last SYNC-A on, for END.
// Costs:     5 clocks from a record to its value; one record a clock. The running state is a linear transform of
//            the CRC in which a 128-bit step needs at most two terms, so the feedback is one gate deep; what leads to it
//            and from it are shared gates (gen/nps_trace.vh) in pipeline stages of at most three levels.
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

    // ---------------------------------------------------------------- a record's word
    reg half_valid, half_opens, word_valid, word_opens;
    reg [`NPS_CRC32_WORD_2_W-1:0] half;
    reg [`NPS_CRC32_WORD_4_W-1:0] most;
    wire [`NPS_CRC32_WORD_1_W-1:0] level_1 = `NPS_CRC32_WORD_1(s_data);
    wire [`NPS_CRC32_WORD_3_W-1:0] level_3 = `NPS_CRC32_WORD_3(half);
    wire [31:0] word = `NPS_CRC32_WORD_5(most);

    // ---------------------------------------------------------------- the frames' states
    reg state_valid, state_opens;
    reg [31:0] state, state_closed;
    wire [31:0] told = state_opens ? state_closed : state;

    // ---------------------------------------------------------------- the value
    reg part_valid, value_valid;
    reg [`NPS_CRC32_VALUE_2_W-1:0] part;
    wire [`NPS_CRC32_VALUE_1_W-1:0] value_1 = `NPS_CRC32_VALUE_1(told);
    wire [`NPS_CRC32_VALUE_3_W-1:0] value_3 = `NPS_CRC32_VALUE_3(part);

    always @(posedge clk) begin
        half_valid <= s_valid && !rst;
        word_valid <= half_valid && !rst;
        state_valid <= word_valid && !rst;
        part_valid <= state_valid && !rst;
        value_valid <= part_valid && !rst;
        if (s_valid) half <= `NPS_CRC32_WORD_2(level_1);  // only for a record: faster to simulate
        half_opens <= is_sync_a;
        if (half_valid) most <= `NPS_CRC32_WORD_4(level_3);
        word_opens <= half_opens;
        if (word_valid) begin
            state_opens <= word_opens;
            if (word_opens) begin
                state_closed <= state;
                state <= `NPS_CRC32_NEXT(`NPS_CRC32_INIT) ^ word;
            end else begin
                state <= `NPS_CRC32_NEXT(state) ^ word;
            end
        end
        if (state_valid) part <= `NPS_CRC32_VALUE_2(value_1);
        if (part_valid) value <= `NPS_CRC32_VALUE_4(value_3);
    end

    assign busy = half_valid || word_valid || state_valid || part_valid || value_valid;

endmodule
`default_nettype wire
