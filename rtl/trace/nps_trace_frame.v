// SPDX-License-Identifier: Apache-2.0
// The framer: chooses, record by record, what the stream says next.
//
// Does:      start contents, FIFO entries with their clock steps and LOSS bursts, groups, flush and END.
// Promises:  FORMAT.md, rules 1 to 13 and 20 to 25: a group is SYNC-A, B, C, CNT, CFG, STATE hot, bp, unknown, dry with
//            nothing between; a LOSS burst with its entry and a CLK pair with its record hold no group; no frame
//            exceeds FRAME_RECORDS; m_last on the last record of a group and on END, nowhere else.
// Costs:     one record a clock from the queues; a group costs its 9 records and about 14 idle clocks (the pipeline
//            empties between SYNC-A and SYNC-B, for the CRC-32). 3 clocks from the choice to the record.
// Overflow:  none: without `go` it stops, and entries wait in their queues.
//
// Stages: choose (state machine) -> op_* registers, the sources fetch their words -> ready_* registers -> record.
`default_nettype none
`include "nps_refuse.vh"
`include "nps_trace.vh"

module nps_trace_frame #(
    parameter        NUM_BP        = 2,                    // backpressure sources, 1..62
    parameter        INDEX_W       = 2,                    // bits that hold NUM_BP+1
    parameter        FRAME_RECORDS = `NPS_FRAME_RECORDS,   // most records of a frame, 32..512
    parameter [47:0] FRAME_AGE_NS  = `NPS_FRAME_AGE_NS,
    parameter [47:0] HEARTBEAT_NS  = `NPS_HEARTBEAT_NS,
    parameter [31:0] CLK_PERIOD_PS = 32'd5000,
    parameter [63:0] DESC_HASH     = 64'd0
) (
    input wire clk,
    input wire rst,
    input wire restart,  // begin a stream

    // time bus
    input wire [47:0] rel_ns,
    input wire [63:0] ts_ns,
    input wire [ 1:0] tq,

    // merged entries
    input  wire               e_valid,
    output wire               e_ready,
    input  wire [INDEX_W-1:0] e_index,
    input  wire               e_mark,
    input  wire               e_loss_cfg,
    input  wire               e_loss_step,
    input  wire [        4:0] e_records,
    input  wire [      139:0] e_entry,    // {step, record, bp_samples, tq, ts, kind, sub, payload}
    input  wire               e_empty,    // no entry queued anywhere
    output reg                told,       // a loss was told

    // sources: one word port
    output wire [ NUM_BP:0] op_select,
    output wire             op_entry,
    output wire             op_burst,
    output wire             op_free,
    output wire [      3:0] op_kind,
    output wire [      3:0] op_sub,
    output wire [     31:0] op_payload,
    output wire [     31:0] op_bp_samples,
    output reg              final_counts,
    input  wire [     31:0] word,         // of all sources, one clock after op_*
    input  wire [     63:0] word_ts,
    input  wire [      1:0] word_tq,
    input  wire             step_pending, // a clock step is still to be told by some source

    // flush
    input  wire flush,  // no event comes any more: END once nothing is queued or untold
    output reg  done,   // pulse: END has been taken by the sink

    // exit
    input  wire        go,
    output reg         claim,
    input  wire        out_empty,
    input  wire [31:0] stalled,
    input  wire [31:0] crc_closed,
    input  wire [31:0] crc_open,
    input  wire        sealing,     // records between here and crc_*

    // record, to nps_trace_pack
    output wire               m_valid,
    output wire [       63:0] m_ts,
    output wire [        1:0] m_tq,
    output wire [        3:0] m_kind,
    output wire [        3:0] m_sub,
    output wire [        5:0] m_src,
    output wire [       31:0] m_payload,
    output wire [INDEX_W-1:0] m_index,
    output wire               m_accepted,
    output wire               m_last
);

    `NPS_REFUSE(NUM_BP < 1 || NUM_BP > 62, nps_error__NUM_BP_must_be_1_to_62)
    `NPS_REFUSE((1 << INDEX_W) < NUM_BP + 2, nps_error__INDEX_W_must_hold_NUM_BP_plus_1)
    `NPS_REFUSE(FRAME_RECORDS < 32 || FRAME_RECORDS > 512, nps_error__FRAME_RECORDS_must_be_32_to_512)
    `NPS_REFUSE(FRAME_AGE_NS == 0 || HEARTBEAT_NS < FRAME_AGE_NS, nps_error__HEARTBEAT_NS_must_not_be_below_FRAME_AGE_NS)

    localparam [INDEX_W-1:0] MARK = NUM_BP;
    localparam [INDEX_W-1:0] FRAMER = NUM_BP + 1;

    // ---------------------------------------------------------------- state
    localparam [3:0] IDLE = 4'd0;
    localparam [3:0] CLOSE = 4'd1;        // latch the group's time, let the last user of the old one pass
    localparam [3:0] GROUP_A = 4'd2;
    localparam [3:0] GROUP = 4'd3;        // the other eight, once the pipeline is empty
    localparam [3:0] START_CFG = 4'd4;
    localparam [3:0] START_STATE = 4'd5;
    localparam [3:0] RUN = 4'd6;
    localparam [3:0] LOSS = 4'd7;
    localparam [3:0] STEP_LO = 4'd8;
    localparam [3:0] STEP_HI = 4'd9;
    localparam [3:0] RECORD = 4'd10;      // the record of a marked or step entry
    localparam [3:0] SETTLE = 4'd11;      // until step_pending shows what was just told
    localparam [3:0] END_LATCH = 4'd12;
    localparam [3:0] END_CNT = 4'd13;
    localparam [3:0] END = 4'd14;
    localparam [3:0] END_TAKEN = 4'd15;   // END is on its way to the sink

    localparam [2:0] SETTLE_CLOCKS = 3'd5;
    localparam [2:0] LATCH_CLOCKS = 3'd2;

    // words of a LOSS burst; a position is skipped if the source has no such word
    localparam [3:0] AT_FIRST = 4'd0;
    localparam [3:0] AT_SECOND = 4'd1;
    localparam [3:0] AT_CLK_STATE = 4'd2;
    localparam [3:0] AT_STEP_LO = 4'd3;
    localparam [3:0] AT_STEP_HI = 4'd4;
    localparam [3:0] AT_HOT = 4'd5;
    localparam [3:0] AT_BP_EN = 4'd6;
    localparam [3:0] AT_UNKNOWN = 4'd7;
    localparam [3:0] AT_DRY = 4'd8;
    localparam [3:0] AT_LIMITS = 4'd9;
    localparam [3:0] AT_STALE = 4'd10;
    localparam [3:0] AT_LAYERS = 4'd11;
    localparam [3:0] AT_DRY_MASK = 4'd12;

    // words of a group behind SYNC-A
    localparam [3:0] AT_SYNC_B = 4'd0;
    localparam [3:0] AT_SYNC_C = 4'd1;
    localparam [3:0] AT_CNT = 4'd2;
    localparam [3:0] AT_CFG = 4'd3;
    // then AT_HOT .. AT_DRY


    reg [3:0] state, resume, at;
    reg [2:0] pause;

    wire e_step = e_entry[139];
    wire e_record = e_entry[138];

    // ---------------------------------------------------------------- round robins and lists
    wire [INDEX_W-1:0] cnt_index, cfg_index, state_index, all_cnt_index, all_cfg_index, all_state_index;
    wire [3:0] cnt_sub, cfg_sub, state_sub, all_cnt_sub, all_cfg_sub, all_state_sub;
    wire all_cnt_last, all_cfg_last, all_state_last;
    wire [2:0] unused_last;
    reg takes_cnt, takes_cfg, takes_state;

    nps_trace_walk #(
        .KIND(`NPS_K_CNT),
        .NUM_BP(NUM_BP),
        .INDEX_W(INDEX_W)
    ) u_cnt (
        .clk(clk), .rst(rst), .restart(restart), .next(claim && state == GROUP && takes_cnt),
        .index(cnt_index), .sub(cnt_sub), .last(unused_last[0])
    );
    nps_trace_walk #(
        .KIND(`NPS_K_CFG),
        .NUM_BP(NUM_BP),
        .INDEX_W(INDEX_W)
    ) u_cfg (
        .clk(clk), .rst(rst), .restart(restart), .next(claim && state == GROUP && takes_cfg),
        .index(cfg_index), .sub(cfg_sub), .last(unused_last[1])
    );
    nps_trace_walk #(
        .KIND(`NPS_K_STATE),
        .NUM_BP(NUM_BP),
        .INDEX_W(INDEX_W)
    ) u_state (
        .clk(clk), .rst(rst), .restart(restart), .next(claim && state == GROUP && takes_state),
        .index(state_index), .sub(state_sub), .last(unused_last[2])
    );
    nps_trace_walk #(
        .KIND(`NPS_K_CNT),
        .NUM_BP(NUM_BP),
        .INDEX_W(INDEX_W)
    ) u_all_cnt (
        .clk(clk), .rst(rst), .restart(restart), .next(claim && state == END_CNT),
        .index(all_cnt_index), .sub(all_cnt_sub), .last(all_cnt_last)
    );
    nps_trace_walk #(
        .KIND(`NPS_K_CFG),
        .NUM_BP(NUM_BP),
        .INDEX_W(INDEX_W)
    ) u_all_cfg (
        .clk(clk), .rst(rst), .restart(restart), .next(claim && state == START_CFG),
        .index(all_cfg_index), .sub(all_cfg_sub), .last(all_cfg_last)
    );
    nps_trace_walk #(
        .KIND(`NPS_K_STATE),
        .NUM_BP(NUM_BP),
        .INDEX_W(INDEX_W)
    ) u_all_state (
        .clk(clk), .rst(rst), .restart(restart), .next(claim && state == START_STATE),
        .index(all_state_index), .sub(all_state_sub), .last(all_state_last)
    );

    // ---------------------------------------------------------------- frame accounting
    wire [15:0] previous;
    wire [9:0] room;
    wire close;
    reg opens, tells_loss, tells_step;

    nps_trace_close #(
        .FRAME_RECORDS(FRAME_RECORDS),
        .FRAME_AGE_NS (FRAME_AGE_NS),
        .HEARTBEAT_NS (HEARTBEAT_NS)
    ) u_close (
        .clk(clk),
        .rst(rst),
        .restart(restart),
        .rel_ns(rel_ns),
        .record(claim),
        .sync_a(claim && opens),
        .loss(claim && tells_loss),
        .step(claim && tells_step),
        .step_pending(step_pending),
        .previous(previous),
        .room(room),
        .close(close)
    );

    // ---------------------------------------------------------------- choose
    reg offers;                 // a record is chosen, if there is room at the exit
    reg [INDEX_W-1:0] index;
    reg [3:0] kind, sub;
    reg from_entry, from_burst, burst_ends, is_last;
    wire fetching;

    wire fits = {5'd0, e_records} <= room;
    wire plain = !e_mark && !e_step;
    wire moving = fetching || sealing;
    wire has_layers = e_index != MARK;

    always @* begin
        offers = 1'b0;
        index = e_index;
        kind = e_entry[39:36];
        sub = e_entry[35:32];
        from_entry = 1'b0;
        from_burst = 1'b0;
        burst_ends = 1'b0;
        is_last = 1'b0;
        opens = 1'b0;
        takes_cnt = 1'b0;
        takes_cfg = 1'b0;
        takes_state = 1'b0;
        tells_loss = 1'b0;
        tells_step = 1'b0;
        case (state)
            GROUP_A: begin
                offers = 1'b1;
                opens = 1'b1;
                index = FRAMER;
                kind = `NPS_K_SYNC;
                sub = `NPS_SYNC_A;
            end
            GROUP: begin
                offers = !moving || at != AT_SYNC_B;
                index = FRAMER;
                kind = `NPS_K_SYNC;
                case (at)
                    AT_SYNC_B: sub = `NPS_SYNC_B;
                    AT_SYNC_C: sub = `NPS_SYNC_C;
                    AT_CNT: begin
                        {index, kind, sub} = {cnt_index, `NPS_K_CNT, cnt_sub};
                        takes_cnt = 1'b1;
                    end
                    AT_CFG: begin
                        {index, kind, sub} = {cfg_index, `NPS_K_CFG, cfg_sub};
                        takes_cfg = 1'b1;
                    end
                    default: begin
                        {index, kind, sub} = {state_index, `NPS_K_STATE, state_sub};
                        takes_state = 1'b1;
                        is_last = at == AT_DRY;
                    end
                endcase
            end
            START_CFG: begin
                offers = !close;
                {index, kind, sub} = {all_cfg_index, `NPS_K_CFG, all_cfg_sub};
            end
            START_STATE: begin
                offers = !close;
                {index, kind, sub} = {all_state_index, `NPS_K_STATE, all_state_sub};
            end
            END_CNT: begin
                offers = !close;
                {index, kind, sub} = {all_cnt_index, `NPS_K_CNT, all_cnt_sub};
            end
            END: begin
                offers = !close && !moving;
                {index, kind, sub} = {FRAMER, `NPS_K_SYNC, `NPS_SYNC_END};
                is_last = 1'b1;
            end
            RUN: begin
                offers = e_valid && fits && plain && !close;
                from_entry = 1'b1;
            end
            LOSS: begin
                offers = 1'b1;
                from_burst = 1'b1;
                case (at)
                    AT_FIRST: begin
                        {kind, sub} = {`NPS_K_LOSS, `NPS_LOSS_FIRST};
                        tells_loss = 1'b1;
                    end
                    AT_SECOND: begin
                        {kind, sub} = {`NPS_K_LOSS, `NPS_LOSS_SECOND};
                        burst_ends = !e_loss_step && !has_layers;
                    end
                    AT_CLK_STATE: {kind, sub} = {`NPS_K_CLK, `NPS_CLK_STATE};
                    AT_STEP_LO: {kind, sub} = {`NPS_K_CLK, `NPS_CLK_STEP_LO};
                    AT_STEP_HI: begin
                        {kind, sub} = {`NPS_K_CLK, `NPS_CLK_STEP_HI};
                        tells_step = 1'b1;
                        burst_ends = !has_layers;
                    end
                    AT_HOT: {kind, sub} = {`NPS_K_STATE, `NPS_STATE_HOT};
                    AT_BP_EN: {kind, sub} = {`NPS_K_STATE, `NPS_STATE_BP_EN};
                    AT_UNKNOWN: {kind, sub} = {`NPS_K_STATE, `NPS_STATE_UNKNOWN};
                    AT_DRY: {kind, sub} = {`NPS_K_STATE, `NPS_STATE_DRY};
                    AT_LIMITS: {kind, sub} = {`NPS_K_CFG, `NPS_CFG_BP_LIMITS};
                    AT_STALE: begin
                        {kind, sub} = {`NPS_K_CFG, `NPS_CFG_STALE};
                        burst_ends = !e_loss_cfg;
                    end
                    AT_LAYERS: {kind, sub} = {`NPS_K_CFG, `NPS_CFG_LAYERS};
                    default: begin
                        {kind, sub} = {`NPS_K_CFG, `NPS_CFG_DRY_MASK};
                        burst_ends = 1'b1;
                    end
                endcase
            end
            STEP_LO: begin
                offers = 1'b1;
                from_entry = 1'b1;
                {kind, sub} = {`NPS_K_CLK, `NPS_CLK_STEP_LO};
            end
            STEP_HI: begin
                offers = 1'b1;
                from_entry = 1'b1;
                tells_step = 1'b1;
                {kind, sub} = {`NPS_K_CLK, `NPS_CLK_STEP_HI};
            end
            RECORD: begin
                offers = e_record;
                from_entry = 1'b1;
            end
            default: ;
        endcase
        claim = offers && go;
    end

    // a marked or step entry without a record leaves by RECORD too
    assign e_ready = state == RUN ? claim : state == RECORD && (go || !e_record);

    // ---------------------------------------------------------------- next state
    always @(posedge clk) begin
        told <= claim && burst_ends;
        done <= 1'b0;
        final_counts <= 1'b0;
        if (pause != 3'd0) pause <= pause - 3'd1;
        case (state)
            IDLE: begin
                pause  <= SETTLE_CLOCKS;
                resume <= START_CFG;
                if (restart) state <= CLOSE;
            end
            CLOSE: if (pause == 3'd0) state <= GROUP_A;
            GROUP_A: begin
                at <= AT_SYNC_B;
                if (claim) state <= GROUP;
            end
            GROUP:
            if (claim) begin
                at <= at == AT_CFG ? AT_HOT : at + 4'd1;
                if (is_last) state <= resume;
            end
            START_CFG: begin
                resume <= START_CFG;
                pause  <= LATCH_CLOCKS;
                if (close) state <= CLOSE;
                else if (claim && all_cfg_last) state <= START_STATE;
            end
            START_STATE: begin
                resume <= START_STATE;
                pause  <= LATCH_CLOCKS;
                if (close) state <= CLOSE;
                else if (claim && all_state_last) state <= RUN;
            end
            RUN: begin
                resume <= RUN;
                pause <= LATCH_CLOCKS;
                at <= AT_FIRST;
                if (close || (e_valid && !fits)) state <= CLOSE;
                else if (e_valid && e_mark) state <= LOSS;
                else if (e_valid && e_step) state <= STEP_LO;
                else if (!e_valid && e_empty && flush) state <= END_LATCH;
            end
            LOSS:
            if (claim) begin
                at <= at + 4'd1;
                if (at == AT_SECOND && !e_loss_step) at <= AT_HOT;
                if (burst_ends) state <= e_step ? STEP_LO : RECORD;
            end
            STEP_LO: if (claim) state <= STEP_HI;
            STEP_HI: if (claim) state <= RECORD;
            RECORD: begin
                pause <= SETTLE_CLOCKS;
                if (e_ready) state <= SETTLE;
            end
            SETTLE: if (pause == 3'd0) state <= RUN;
            END_LATCH: begin
                final_counts <= 1'b1;
                if (pause == 3'd0) state <= END_CNT;
            end
            END_CNT: begin
                resume <= END_CNT;
                pause  <= LATCH_CLOCKS;
                if (close) state <= CLOSE;
                else if (claim && all_cnt_last) state <= END;
            end
            END: begin
                resume <= END;
                pause  <= LATCH_CLOCKS;
                if (close) state <= CLOSE;
                else if (claim) state <= END_TAKEN;
            end
            default:  // END_TAKEN
            if (!moving && out_empty) begin
                done  <= 1'b1;
                state <= IDLE;
            end
        endcase
        if (rst) state <= IDLE;
    end

    // ---------------------------------------------------------------- time and number of the group
    reg emitted;  // a FIFO record since start
    reg [63:0] last_ts, group_ts;
    reg [1:0] last_tq, group_tq;
    reg [31:0] frame;

    always @(posedge clk) begin
        if (claim && from_entry) begin
            last_ts <= e_entry[103:40];
            last_tq <= e_entry[105:104];
        end
        if (restart) emitted <= 1'b0;
        else if (claim && from_entry) emitted <= 1'b1;

        if ((state == CLOSE || state == END_LATCH) && pause == 3'd0) begin
            group_ts <= state == CLOSE && emitted && !e_empty ? last_ts : ts_ns;
            group_tq <= state == CLOSE && emitted && !e_empty ? last_tq : tq;
        end

        if (restart) frame <= 32'd0;
        else if (claim && state == GROUP && is_last) frame <= frame + 32'd1;
    end

    nps_trace_fetch #(
        .NUM_BP(NUM_BP),
        .INDEX_W(INDEX_W),
        .CLK_PERIOD_PS(CLK_PERIOD_PS),
        .DESC_HASH(DESC_HASH)
    ) u_fetch (
        .clk(clk),
        .rst(rst),
        .s_valid(claim),
        .s_index(index),
        .s_kind(kind),
        .s_sub(sub),
        .s_entry(from_entry),
        .s_given(state == RUN || state == RECORD),
        .s_burst(from_burst),
        .s_free(burst_ends),
        .s_last(is_last),
        .s_tq(e_entry[105:104]),
        .s_ts(e_entry[103:40]),
        .s_payload(e_entry[31:0]),
        .s_bp_samples(e_entry[137:106]),
        .op_select(op_select),
        .op_entry(op_entry),
        .op_burst(op_burst),
        .op_free(op_free),
        .op_kind(op_kind),
        .op_sub(op_sub),
        .op_payload(op_payload),
        .op_bp_samples(op_bp_samples),
        .word(word),
        .word_ts(word_ts),
        .word_tq(word_tq),
        .group_ts(group_ts),
        .group_tq(group_tq),
        .frame(frame),
        .previous(previous),
        .stalled(stalled),
        .crc_closed(crc_closed),
        .crc_open(crc_open),
        .m_valid(m_valid),
        .m_ts(m_ts),
        .m_tq(m_tq),
        .m_kind(m_kind),
        .m_sub(m_sub),
        .m_src(m_src),
        .m_payload(m_payload),
        .m_index(m_index),
        .m_accepted(m_accepted),
        .m_last(m_last),
        .busy(fetching)
    );

endmodule
`default_nettype wire
