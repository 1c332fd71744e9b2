// SPDX-License-Identifier: Apache-2.0
// Seals records: gives each its sequence number and its CRC-8.
//
// Does:      counts the records of each source; puts the low byte of that count into the record, the whole
//            count into the payload of a CNT ACCEPTED, and the CRC-8 over all of it.
// Promises:  a source's records carry 0, 1, 2 .. from restart on, in the order given here; one record a clock.
// Costs:     3 clocks. One 32-bit counter per source in a small RAM, read one clock ahead and forwarded when
//            the same source comes twice in a row.
// Overflow:  none: what is given comes out; there is no ready. Counts wrap at 2^32.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_trace.vh"

module nps_trace_pack #(
    parameter COUNTERS = 4,  // sources that are counted, 1..64
    parameter INDEX_W  = 2   // bits of s_index, at least clog2(COUNTERS)
) (
    input wire clk,
    input wire rst,
    input wire restart, // all counts back to 0; with no record in flight

    input wire               s_valid,
    input wire [       63:0] s_ts,
    input wire [        1:0] s_tq,
    input wire [        3:0] s_kind,
    input wire [        3:0] s_sub,
    input wire [        5:0] s_src,
    input wire [       31:0] s_payload,
    input wire [INDEX_W-1:0] s_index,     // counter of s_src, below COUNTERS
    input wire               s_accepted,  // payload is the count, given as 0
    input wire               s_last,

    output wire         m_valid,
    output wire [127:0] m_data,
    output wire         m_last,
    output wire         busy      // a record is inside
);

    `NPS_REFUSE(COUNTERS < 1 || COUNTERS > 64, nps_error__COUNTERS_must_be_1_to_64)
    `NPS_REFUSE(INDEX_W < 1 || (1 << INDEX_W) < COUNTERS, nps_error__INDEX_W_must_hold_COUNTERS)

    // ---------------------------------------------------------------- look up
    reg [31:0] counts[0:(1<<INDEX_W)-1];
    reg [(1<<INDEX_W)-1:0] counted;  // 0: this source's count is 0, whatever the RAM holds

    reg a_valid, a_accepted, a_last, a_known, a_again, a_before;
    reg [INDEX_W-1:0] a_index, b_index;
    reg [31:0] a_count, a_payload;
    reg [63:0] a_ts;
    reg [ 1:0] a_tq;
    reg [3:0] a_kind, a_sub;
    reg [ 5:0] a_src;

    // CRC-8 of all but the count, which is known last
    reg [127:0] known;
    reg [`NPS_CRC8_2_W-1:0] a_crc;
    reg [7:0] b_crc;
    wire unused = &{1'b0, known[`NPS_REC_CRC8_LSB+:`NPS_REC_CRC8_W], known[`NPS_REC_TS_LSB+`NPS_REC_TS_W-1], 1'b0};
    wire [`NPS_CRC8_1_W-1:0] level_1 = `NPS_CRC8_1(known);
    wire [`NPS_CRC8_3_W-1:0] level_3 = `NPS_CRC8_3(a_crc);
    wire [`NPS_CRC8_4_W-1:0] level_4 = `NPS_CRC8_4(level_3);

    always @* begin
        known = 128'd0;
        known[`NPS_REC_TS_LSB+:`NPS_REC_TS_W] = s_ts;
        known[`NPS_REC_KIND_LSB+:`NPS_REC_KIND_W] = s_kind;
        known[`NPS_REC_SUB_LSB+:`NPS_REC_SUB_W] = s_sub;
        known[`NPS_REC_SRC_LSB+:`NPS_REC_SRC_W] = s_src;
        known[`NPS_REC_TQ_LSB+:`NPS_REC_TQ_W] = s_tq;
        known[`NPS_REC_PAYLOAD_LSB+:`NPS_REC_PAYLOAD_W] = s_payload;
    end

    reg b_valid;
    reg [31:0] b_count, older;
    wire [31:0] b_next = b_count + 32'd1;

    // the RAM shows a count 2 clocks late: take it from the record just ahead, or from the one before that
    wire [31:0] count = a_again ? b_next : a_before ? older : a_known ? a_count : 32'd0;

    always @(posedge clk) begin
        if (b_valid) counts[b_index] <= b_next;
        a_count <= counts[s_index];
        older <= b_next;
        b_count <= count;
        b_index <= a_index;
    end

    always @(posedge clk) begin
        if (rst || restart) begin
            counted <= {(1 << INDEX_W) {1'b0}};
        end else if (s_valid) begin
            counted[s_index] <= 1'b1;
        end
        a_valid <= s_valid && !rst;
        a_known <= counted[s_index];
        a_again <= a_valid && a_index == s_index;
        a_before <= b_valid && b_index == s_index;
        a_index <= s_index;
        a_accepted <= s_accepted;
        a_last <= s_last;
        a_ts <= s_ts;
        a_tq <= s_tq;
        a_kind <= s_kind;
        a_sub <= s_sub;
        a_src <= s_src;
        a_payload <= s_payload;
        if (s_valid) a_crc <= `NPS_CRC8_2(level_1);  // only for a record: faster to simulate
    end

    // ---------------------------------------------------------------- sequence number, then CRC-8
    reg b_last, c_valid, c_last;
    reg [127:0] b_data, c_data;
    reg [31:0] b_told;  // the count in the payload
    reg [127:0] late;
    always @* begin
        late = 128'd0;
        late[`NPS_REC_SEQ_LSB+:`NPS_REC_SEQ_W] = b_count[`NPS_REC_SEQ_W-1:0];
        late[`NPS_REC_PAYLOAD_LSB+:`NPS_REC_PAYLOAD_W] = b_told;
    end

    always @(posedge clk) begin
        b_valid <= a_valid && !rst;
        b_last  <= a_last;
        b_data[`NPS_REC_TS_LSB+:`NPS_REC_TS_W] <= a_ts;
        b_data[`NPS_REC_KIND_LSB+:`NPS_REC_KIND_W] <= a_kind;
        b_data[`NPS_REC_SUB_LSB+:`NPS_REC_SUB_W] <= a_sub;
        b_data[`NPS_REC_SRC_LSB+:`NPS_REC_SRC_W] <= a_src;
        b_data[`NPS_REC_TQ_LSB+:`NPS_REC_TQ_W] <= a_tq;
        b_data[`NPS_REC_SEQ_LSB+:`NPS_REC_SEQ_W] <= count[`NPS_REC_SEQ_W-1:0];
        b_data[`NPS_REC_CRC8_LSB+:`NPS_REC_CRC8_W] <= {`NPS_REC_CRC8_W{1'b0}};
        b_data[`NPS_REC_PAYLOAD_LSB+:`NPS_REC_PAYLOAD_W] <= a_payload;
        b_told <= a_accepted ? count : 32'd0;
        if (a_valid) b_crc <= `NPS_CRC8_5(level_4);

        c_valid <= b_valid && !rst;
        c_last <= b_last;
        c_data <= b_data;
        c_data[`NPS_REC_PAYLOAD_LSB+:`NPS_REC_PAYLOAD_W] <= b_data[`NPS_REC_PAYLOAD_LSB+:`NPS_REC_PAYLOAD_W] | b_told;
        if (b_valid) c_data[`NPS_REC_CRC8_LSB+:`NPS_REC_CRC8_W] <= b_crc ^ `NPS_CRC8(late);
    end

    assign m_valid = c_valid;
    assign m_data = c_data;
    assign m_last = c_last;
    assign busy = a_valid || b_valid || c_valid;

endmodule
`default_nettype wire
