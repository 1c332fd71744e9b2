// SPDX-License-Identifier: Apache-2.0
// Prefetch trigger coupled to the layers: which blocks of the KV cache will be needed next.
//
// Does:     a sample of one of the layers FIRST..LAST with norm_std below the limit asks for the window of PREFETCH_WINDOW
//           blocks that begins with the block of seq_pos + 1, unless that layer has asked for it already
//           (rules F1..F5 in README.md beside this file).
// Promises: one request and one record for each window that slides on, none for other layers, none at or above the limit.
// Costs:    NPS_MON_LATENCY clocks, a sample a clock if need be.
// Overflow: stores no requests and has no ready.
`default_nettype none
`include "nps_monitor.vh"
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module nps_prefetch_trig #(
    parameter [31:0]  PREFETCH_NORM   = `NPS_PREFETCH_NORM,    // limit after reset, u16.16
    parameter integer PREFETCH_FIRST  = `NPS_PREFETCH_FIRST,   // layer, 0..PREFETCH_LAST
    parameter integer PREFETCH_LAST   = `NPS_PREFETCH_LAST,    // layer, at most PREFETCH_FIRST + 31, 0..255
    parameter integer PREFETCH_WINDOW = `NPS_PREFETCH_WINDOW,  // blocks, 1..15
    parameter integer PREFETCH_BLOCK  = `NPS_PREFETCH_BLOCK    // positions, a power of two, 2..4096
) (
    input wire clk,
    input wire rst,
    input wire enable,  // 0: samples are not seen
    input wire forget,  // another sequence: nothing has been asked for, this clock's sample is of the new one

    input wire        valid,
    input wire [ 7:0] layer,
    input wire [23:0] seq_pos,
    input wire [31:0] norm_std,  // u16.16

    input  wire        cfg_apply,
    input  wire [31:0] cfg_norm,
    output reg  [31:0] norm,       // limit in force

    // request, with the record
    output reg  [23:0] pf_base,  // first position of the window
    output reg  [23:0] pf_end,   // first position behind it

    // records, no ready
    output reg         ev_valid,
    output wire [ 3:0] ev_sub,
    output wire [31:0] ev_payload
);
    `NPS_REFUSE(PREFETCH_FIRST < 0 || PREFETCH_FIRST > PREFETCH_LAST,
                nps_error__PREFETCH_FIRST_must_be_0_to_PREFETCH_LAST)
    `NPS_REFUSE(PREFETCH_LAST > 255 || PREFETCH_LAST > PREFETCH_FIRST + 31,
                nps_error__PREFETCH_LAST_must_be_at_most_PREFETCH_FIRST_plus_31)
    `NPS_REFUSE(PREFETCH_WINDOW < 1 || PREFETCH_WINDOW > 15, nps_error__PREFETCH_WINDOW_must_be_1_to_15)
    `NPS_REFUSE(PREFETCH_BLOCK < 2 || PREFETCH_BLOCK > 4096 || (PREFETCH_BLOCK & (PREFETCH_BLOCK - 1)) != 0,
                nps_error__PREFETCH_BLOCK_must_be_a_power_of_two_from_2_to_4096)

    localparam integer SHIFT = $clog2(PREFETCH_BLOCK);
    localparam integer B = 24 - SHIFT;                 // bits of a block's number
    localparam [B-1:0] WINDOW = PREFETCH_WINDOW[B-1:0];
    localparam [7:0] FIRST = PREFETCH_FIRST[7:0];
    localparam [7:0] LAST = PREFETCH_LAST[7:0];

    always @(posedge clk)
        if (rst) norm <= PREFETCH_NORM;
        else if (cfg_apply) norm <= cfg_norm;

    // ------------------------------------------------------------------ stages 1, 2: judged; 3: asked for already?
    reg s1_valid, s1_below, s1_first, s1_last, s1_forget, s2_wants, s2_forget, s3_wants;
    reg [7:0] s1_layer, s2_layer, s3_layer;
    reg [23:0] s1_pos, s2_pos, s3_pos;
    reg [4:0] s1_place, s2_place;
    always @(posedge clk) begin
        s1_valid <= valid && enable && !rst;
        s1_below <= norm_std < norm;
        s1_first <= layer >= FIRST;
        s1_last <= layer <= LAST;
        s1_place <= layer[4:0] - FIRST[4:0];
        s1_pos <= seq_pos + 24'd1;
        s2_wants <= s1_valid && s1_below && s1_first && s1_last && !rst;
        {s1_forget, s2_forget} <= {forget || rst, s1_forget || rst};
        {s1_layer, s2_layer, s2_place, s2_pos} <= {layer, s1_layer, s1_place, s1_pos};
    end

    (* no_rw_check, ram_style = "distributed" *)
    reg [B-1:0] asked[0:31];                           // block of the last request
    reg [31:0] has_asked;
    wire [B-1:0] block = s2_pos[23:SHIFT];
    reg [B-1:0] last_block;
    reg known;
    always @(posedge clk) begin
        if (s2_wants) asked[s2_place] <= block;
        has_asked <= (has_asked & {32{!s2_forget}}) | (32'd1 << s2_place & {32{s2_wants}});
        last_block <= asked[s2_place];
        known <= has_asked[s2_place] && !s2_forget;
        s3_wants <= s2_wants && !rst;
        {s3_layer, s3_pos} <= {s2_layer, s2_pos};
    end

    // ------------------------------------------------------------------ told
    reg [31:0] record;
    wire [B-1:0] s3_block = s3_pos[23:SHIFT];
    always @(posedge clk) begin
        ev_valid <= s3_wants && !(known && last_block == s3_block) && !rst;
        record[`NPS_MON_PREFETCH_SEQ_POS_LSB+:`NPS_MON_PREFETCH_SEQ_POS_W] <= s3_pos;
        record[`NPS_MON_PREFETCH_LAYER_LSB+:`NPS_MON_PREFETCH_LAYER_W] <= s3_layer;
        pf_base <= {s3_block, {SHIFT{1'b0}}};
        pf_end <= {s3_block + WINDOW, {SHIFT{1'b0}}};
    end
    assign ev_sub = `NPS_MON_PREFETCH;
    assign ev_payload = record;
endmodule

`default_nettype wire
