// SPDX-License-Identifier: Apache-2.0
// Completes the framer's choices: payload and time of each record.
//
// Does:      shows each choice to the sources (op_*), which answer with a word and a time 3 clocks later, and puts the
//            record together: a FIFO record has its own payload and time; a CLK pair and CTX words their entry's time and
//            the source's word; a LOSS burst the source's time and word; all else the group's time and the owner's word.
// Promises:  records leave in the order chosen, one a clock.
// Costs:     5 clocks. The group's time is read 3 clocks after the choice: it must not change before that. Words are only
//            ORed: who has none to tell says 0.
// Overflow:  none: no ready, the framer claims room at the exit first.
`default_nettype none
`include "nps_trace.vh"

module nps_trace_fetch #(
    parameter        NUM_BP        = 2,        // backpressure sources, 1..62
    parameter        TOKEN         = 0,        // 1: there is such a source
    parameter        RAS           = 0,
    parameter        JITTER        = 0,
    parameter        INDEX_W       = 2,        // bits that hold the framer's index
    parameter [31:0] CLK_PERIOD_PS = 32'd5000,
    parameter [63:0] DESC_HASH     = 64'd0
) (
    input wire clk,
    input wire rst,
    input wire restart,  // with no record inside

    // choice
    input wire               s_valid,
    input wire [INDEX_W-1:0] s_index,       // owner: BP sources, TOKEN, RAS, JITTER as far as present, MARK, framer
    input wire [        3:0] s_kind,
    input wire [        3:0] s_sub,
    input wire               s_entry,       // of a FIFO entry: its time
    input wire               s_given,       // with s_entry: its payload too
    input wire               s_burst,       // of a LOSS burst
    input wire               s_free,        // last of a LOSS burst
    input wire               s_last,
    input wire [        1:0] s_tq,
    input wire [       63:0] s_ts,
    input wire [       31:0] s_payload,
    input wire [       31:0] s_bp_samples,

    // sources
    output reg  [NUM_BP+TOKEN+RAS+JITTER:0] op_select,
    output reg             op_entry,
    output reg             op_burst,
    output reg             op_free,
    output reg  [4*(NUM_BP+TOKEN+RAS+JITTER+1)-1:0] op_kind,  // a copy for each source, 0 if it is not its
    output reg  [4*(NUM_BP+TOKEN+RAS+JITTER+1)-1:0] op_sub,
    output reg  [    31:0] op_payload,
    output reg  [    31:0] op_bp_samples,
    input  wire [    31:0] word,           // 3 clocks after op_*, 0 if none is selected or the payload is the entry's
    input  wire [    63:0] word_ts,        // 0 but for a burst
    input  wire [     1:0] word_tq,
    input  wire            word_cause,     // of a LOSS: COLLECTOR, else FIFO_FULL

    // the framer's own words
    input wire [63:0] group_ts,
    input wire [ 1:0] group_tq,
    input wire [31:0] frame,
    input wire        first_frame,
    input wire [15:0] previous,
    input wire [31:0] stalled,
    input wire [31:0] crc_closed,
    input wire [31:0] crc_open,

    // record
    output reg                m_valid,
    output reg  [       63:0] m_ts,
    output reg  [        1:0] m_tq,
    output reg  [        3:0] m_kind,
    output reg  [        3:0] m_sub,
    output reg  [        5:0] m_src,
    output reg  [       31:0] m_payload,
    output reg  [INDEX_W-1:0] m_index,
    output reg                m_accepted,
    output reg                m_last,
    output wire               busy,

    // time of the last FIFO record since restart, 2 clocks behind its choice
    output reg         last_known,
    output reg  [63:0] last_ts,
    output reg  [ 1:0] last_tq
);

    localparam SOURCES = NUM_BP + TOKEN + RAS + JITTER + 1;
    localparam [INDEX_W-1:0] TOKEN_AT = NUM_BP;
    localparam [INDEX_W-1:0] RAS_AT = NUM_BP + TOKEN;
    localparam [INDEX_W-1:0] JITTER_AT = NUM_BP + TOKEN + RAS;
    localparam [INDEX_W-1:0] MARK = SOURCES - 1;
    localparam [INDEX_W-1:0] FRAMER = SOURCES;

    // ---------------------------------------------------------------- op: the sources look up their word
    reg op_valid, op_other, op_last;  // other: the payload is not the entry's
    reg [3:0] chosen_kind, chosen_sub;
    reg [INDEX_W-1:0] op_index;
    reg [1:0] op_tq;
    reg [63:0] op_ts;
    integer i;

    always @(posedge clk) begin
        op_valid <= s_valid && !rst;
        for (i = 0; i < SOURCES; i = i + 1) begin
            op_select[i] <= s_valid && s_index == i[INDEX_W-1:0];
            op_kind[4*i+:4] <= s_index == i[INDEX_W-1:0] ? s_kind : 4'd0;
            op_sub[4*i+:4] <= s_index == i[INDEX_W-1:0] ? s_sub : 4'd0;
        end
        op_index <= s_index;
        chosen_kind <= s_kind;
        chosen_sub <= s_sub;
        op_entry <= s_entry;
        op_other <= !(s_entry && s_given);
        op_burst <= s_burst;
        op_free <= s_free;
        op_last <= s_last;
        op_tq <= s_tq;
        op_ts <= s_ts;
        op_payload <= s_payload;
        op_bp_samples <= s_bp_samples;
    end

    always @(posedge clk) begin
        if (op_valid && op_entry) {last_tq, last_ts} <= {op_tq, op_ts};
        if (rst || restart) last_known <= 1'b0;
        else if (op_valid && op_entry) last_known <= 1'b1;
    end

    // ---------------------------------------------------------------- look: the framer looks up its own
    reg look_valid, look_entry, look_burst, look_last;
    reg [INDEX_W-1:0] look_index;
    reg [3:0] look_kind, look_sub;
    reg [1:0] look_tq;
    reg [63:0] look_ts;
    reg [31:0] look_payload;  // of the entry, else 0
    reg tells_frame, tells_closed, tells_open, tells_records, tells_stalled, tells_const;
    wire op_own = op_index == FRAMER;

    always @(posedge clk) begin
        look_valid <= op_valid && !rst;
        look_index <= op_index;
        look_kind <= chosen_kind;
        look_sub <= chosen_sub;
        look_entry <= op_entry;
        look_burst <= op_burst;
        look_last <= op_last;
        look_tq <= op_tq;
        look_ts <= op_ts;
        look_payload <= op_other ? 32'd0 : op_payload;
        tells_frame <= op_own && chosen_kind == `NPS_K_SYNC && chosen_sub == `NPS_SYNC_A;
        tells_closed <= op_own && chosen_kind == `NPS_K_SYNC && chosen_sub == `NPS_SYNC_B && !first_frame;
        tells_open <= op_own && chosen_kind == `NPS_K_SYNC && chosen_sub == `NPS_SYNC_END;
        tells_records <= op_own && chosen_kind == `NPS_K_SYNC && chosen_sub == `NPS_SYNC_C;
        tells_stalled <= op_own && chosen_kind == `NPS_K_CNT && chosen_sub == `NPS_CNT_STALLED;
        tells_const <= op_own && chosen_kind == `NPS_K_CFG;
    end

    reg [31:0] const_word;
    always @* begin
        case (look_sub)
            `NPS_CFG_VERSION: const_word = `NPS_VERSION;
            `NPS_CFG_CLK_PERIOD: const_word = CLK_PERIOD_PS;
            `NPS_CFG_DESC_HASH_LO: const_word = DESC_HASH[31:0];
            default: const_word = DESC_HASH[63:32];
        endcase
        if (!tells_const) const_word = 32'd0;
        if (tells_records) begin
            const_word[`NPS_SYNC_C_RECORDS_LSB+:`NPS_SYNC_C_RECORDS_W] = previous;
            const_word[`NPS_SYNC_C_HASH_LSB+:`NPS_SYNC_C_HASH_W] = DESC_HASH[`NPS_SYNC_C_HASH_W-1:0];
        end
    end

    // ---------------------------------------------------------------- hold: the sources' words are on their way
    reg hold_valid, hold_entry, hold_burst, hold_last, hold_sync_a, hold_accepted;
    reg [INDEX_W-1:0] hold_index;
    reg [3:0] hold_kind, hold_sub;
    reg [1:0] hold_tq;
    reg [63:0] hold_ts;
    reg [31:0] hold_payload, counted, told;  // at most one of the three is not 0

    always @(posedge clk) begin
        hold_valid <= look_valid && !rst;
        hold_index <= look_index;
        hold_kind <= look_kind;
        hold_sub <= look_sub;
        hold_entry <= look_entry;
        hold_burst <= look_burst;
        hold_last <= look_last;
        hold_sync_a <= look_kind == `NPS_K_SYNC && look_sub == `NPS_SYNC_A;
        hold_accepted <= !look_entry && look_kind == `NPS_K_CNT && look_sub == `NPS_CNT_ACCEPTED;
        hold_tq <= look_tq;
        hold_ts <= look_ts;
        hold_payload <= look_payload;
        counted <= ({32{tells_frame}} & frame) | ({32{tells_closed}} & crc_closed) |
            ({32{tells_open}} & crc_open);
        told <= ({32{tells_stalled}} & stalled) | const_word;
    end

    // ---------------------------------------------------------------- ready: all but the sources' words
    reg ready_valid, ready_last, ready_accepted;
    reg [INDEX_W-1:0] ready_index;
    reg [3:0] ready_kind, ready_sub;
    reg [1:0] ready_tq;
    reg [63:0] ready_ts;  // 0 for a burst
    reg [31:0] ready_payload;

    always @(posedge clk) begin
        ready_valid <= hold_valid && !rst;
        ready_index <= hold_index;
        ready_kind <= hold_kind;
        ready_sub <= hold_sub;
        ready_last <= hold_last;
        ready_accepted <= hold_accepted;
        ready_tq <= hold_burst ? 2'd0 : hold_entry ? hold_tq : group_tq;
        ready_ts <= hold_burst ? 64'd0 : hold_entry ? hold_ts : hold_sync_a ? `NPS_MAGIC : group_ts;
        ready_payload <= hold_payload | counted | told;
    end

    // ---------------------------------------------------------------- record
    wire [5:0] bp_src;
    assign bp_src[INDEX_W-1:0] = ready_index;
    generate
        if (INDEX_W < 6) begin : gen_short_index
            assign bp_src[5:INDEX_W] = {(6 - INDEX_W) {1'b0}};
        end
    endgenerate

    always @(posedge clk) begin
        m_valid <= ready_valid && !rst;
        m_index <= ready_index;
        m_kind <= ready_kind;
        m_sub <= word_cause ? ready_sub | {1'b0, `NPS_LOSS_CAUSE_COLLECTOR} : ready_sub;
        m_src <= bp_src;
        if (ready_index == FRAMER) m_src <= `NPS_SRC_FRAMER;
        if (ready_index == MARK) m_src <= `NPS_SRC_MARK;
        if (JITTER != 0 && ready_index == JITTER_AT) m_src <= `NPS_SRC_JITTER;
        if (RAS != 0 && ready_index == RAS_AT) m_src <= `NPS_SRC_RAS;
        if (TOKEN != 0 && ready_index == TOKEN_AT) m_src <= `NPS_SRC_TOKEN;
        m_accepted <= ready_accepted;
        m_last <= ready_last;
        m_payload <= ready_payload | word;
        m_tq <= ready_tq | word_tq;
        m_ts <= ready_ts | word_ts;
    end

    assign busy = op_valid || look_valid || hold_valid || ready_valid || m_valid;

endmodule
`default_nettype wire
