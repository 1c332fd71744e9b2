// SPDX-License-Identifier: Apache-2.0
// Watches raw valid/ready links, with an optional FIFO level each: for designs without a trace port.
//
// Does:     shows the links in turn on a trace port for nps_bp_probe, and counts the clocks of each class of each link
//           over windows of time (rules L1..L6 in README.md beside this file).
// Promises: every clock of every link is in exactly one class, so the four counts of a window add up to it; a stall or
//           starvation of a single clock is shown; nothing is driven towards the links.
// Costs:    a link is shown every LINKS clocks (2 at least), NPS_LINK_LATENCY clocks late.
// Overflow: a link that both stalled and starved since it was shown last is shown stalled, and `overflow` counts it. A
//           window does not end while the last one is told. Stores no events and has no ready.
`default_nettype none
`include "nps_monitor.vh"
`include "nps_refuse.vh"
`include "nps_thresholds.vh"
`include "nps_trace.vh"

module nps_link_probe #(
    parameter integer LINKS = 4,                        // 1..32
    parameter [16*LINKS-1:0] DEPTHS = {16 * LINKS{1'b0}},  // of the FIFO behind each link, link 0 lowest; 0 no level
    parameter integer LINK_PERIOD = `NPS_LINK_PERIOD    // ns, after reset, 10000..67108863
) (
    input wire clk,
    input wire rst,
    input wire enable,  // 0: nothing is shown or counted, the window that runs is void

    // time bus
    input wire [31:0] rel_ns,  // low bits
    input wire        rel_step,

    input wire [   LINKS-1:0] valid,
    input wire [   LINKS-1:0] ready,
    input wire [16*LINKS-1:0] level,

    input  wire        cfg_apply,
    input  wire [25:0] cfg_period,
    output reg         cfg_error,  // a clock later

    // trace port
    output reg        trace_valid,
    output reg  [4:0] layer_id,
    output reg  [5:0] buf_occupancy,
    output reg        backpressure_en,

    output reg [15:0] overflow,  // saturates

    // records, no ready
    output reg         ev_valid,
    output wire [ 3:0] ev_sub,
    output wire [31:0] ev_payload
);
    `NPS_REFUSE(LINKS < 1 || LINKS > 32, nps_error__LINKS_must_be_1_to_32)
    `NPS_REFUSE(LINK_PERIOD < `NPS_LINK_PERIOD_MIN || LINK_PERIOD > `NPS_LINK_PERIOD_MAX,
                nps_error__LINK_PERIOD_must_be_10000_to_67108863)

    localparam [25:0] PERIOD_MIN = `NPS_LINK_PERIOD_MIN;
    localparam [5:0] LAST = LINKS < 2 ? 6'd1 : LINKS[5:0] - 6'd1;
    localparam [5:0] FULL = 6'd63, BETWEEN = 6'd32;

    reg [25:0] period;
    always @(posedge clk) begin
        cfg_error <= cfg_apply && cfg_period < PERIOD_MIN && !rst;
        if (cfg_apply && !(cfg_period < PERIOD_MIN)) period <= cfg_period;
        if (rst) period <= LINK_PERIOD[25:0];
    end

    // ------------------------------------------------------------------ classes
    reg [LINKS-1:0] is_valid, is_ready;
    reg [4*LINKS-1:0] classes;              // one hot; each as late as its window is behind that of class 0
    reg [LINKS-1:0] moves_1, stalls_1, stalls_2, starves_1, starves_2, starves_3;
    wire [LINKS-1:0] stalls = is_valid & ~is_ready;
    wire [LINKS-1:0] starves = ~is_valid & is_ready;
    integer at;
    always @(posedge clk) begin
        {is_valid, is_ready} <= {valid, ready};
        {moves_1, stalls_1, stalls_2} <= {is_valid & is_ready, stalls, stalls_1};
        {starves_1, starves_2, starves_3} <= {starves, starves_1, starves_2};
        for (at = 0; at < LINKS; at = at + 1)
            classes[4*at+:4] <= {starves_3[at], stalls_2[at], moves_1[at], ~(is_valid[at] | is_ready[at])};
    end

    // ------------------------------------------------------------------ a link a clock
    reg [5:0] turn;
    reg live, s1_live, s1_some, s1_stalled, s1_starved, has_stalled, has_starved, some;
    reg [LINKS-1:0] stalled, starved;       // since shown last
    reg [4:0] s1_link;
    reg [15:0] s1_level, s1_depth, its_level, its_depth;
    integer l;
    always @* begin
        {its_level, its_depth, some, has_stalled, has_starved} = 35'd0;
        for (l = 0; l < LINKS; l = l + 1)
            if (turn == l[5:0]) begin
                its_level = its_level | level[16*l+:16];
                its_depth = its_depth | DEPTHS[16*l+:16];
                some = 1'b1;
                has_stalled = has_stalled | stalled[l];
                has_starved = has_starved | starved[l];
            end
    end
    wire [LINKS-1:0] shows = {{LINKS - 1{1'b0}}, 1'b1} << turn;
    always @(posedge clk) begin
        live <= enable && !rst;
        turn <= !live || turn == LAST ? 6'd0 : turn + 6'd1;
        stalled <= ((stalled & ~shows) | stalls) & {LINKS{live && !rst}};
        starved <= ((starved & ~shows) | starves) & {LINKS{live && !rst}};
        s1_live <= live && some && enable && !rst;
        {s1_link, s1_stalled, s1_starved} <= {turn[4:0], has_stalled, has_starved};
        {s1_level, s1_depth, s1_some} <= {its_level, its_depth, its_depth != 16'd0};
        if (s1_live && s1_stalled && s1_starved && overflow != 16'hFFFF) overflow <= overflow + 16'd1;
        if (rst) overflow <= 16'd0;
    end

    // ------------------------------------------------------------------ min(63, 64 * level / depth): a bit of it a stage
    localparam integer STAGES = 6;
    reg [16*STAGES-17:0] depths, rests;     // for the next stage; a rest is below the depth
    reg [STAGES-2:0] sets;
    reg [6*STAGES-1:0] codes;
    reg [STAGES-1:0] lives, bps;
    reg [5*STAGES-1:0] links;
    wire [5:0] handshake = s1_stalled ? FULL : s1_starved ? 6'd0 : BETWEEN;
    genvar k;
    generate
        for (k = 0; k < STAGES; k = k + 1) begin : g_stage
            wire [15:0] depth, rest;
            wire [5:0] code;
            wire set;                       // the code is known already
            if (k == 0) begin : g_first
                assign depth = s1_depth;
                assign rest = s1_level;
                assign code = !s1_some ? handshake : s1_level >= s1_depth ? FULL : 6'd0;
                assign set = !s1_some || s1_level >= s1_depth;
            end else begin : g_next
                assign depth = depths[16*(k-1)+:16];
                assign rest = rests[16*(k-1)+:16];
                assign code = codes[6*(k-1)+:6];
                assign set = sets[k-1];
            end
            wire [16:0] twice = {rest, 1'b0};
            wire fits = twice >= {1'b0, depth};
            always @(posedge clk) codes[6*k+:6] <= set ? code : {code[4:0], fits};
            if (k < STAGES - 1) begin : g_rest
                wire [15:0] minus = twice[15:0] - depth;
                always @(posedge clk) begin
                    depths[16*k+:16] <= depth;
                    rests[16*k+:16] <= fits ? minus : twice[15:0];
                    sets[k] <= set;
                end
            end
        end
    endgenerate
    always @(posedge clk) begin
        lives <= {lives[STAGES-2:0], s1_live} & {STAGES{!rst}};
        bps <= {bps[STAGES-2:0], s1_stalled};
        links <= {links[5*(STAGES-1)-1:0], s1_link};
        trace_valid <= lives[STAGES-1] && !rst;
        layer_id <= links[5*(STAGES-1)+:5];
        buf_occupancy <= codes[6*(STAGES-1)+:6];
        backpressure_en <= bps[STAGES-1];
    end

    // ------------------------------------------------------------------ windows
    localparam integer A = $clog2(4 * LINKS);
    localparam [6:0] LAST_INDEX = {LINKS[4:0] - 5'd1, 2'd3};
    wire window_ready;
    wire [24:0] unused_clocks, count;
    reg telling;
    reg [6:0] index;
    reg [2:0] pace;                         // clocks to the next record
    nps_window_count #(
        .CHANNELS(4 * LINKS)
    ) u_count (
        .clk(clk),
        .rst(rst),
        .enable(enable),
        .rel_ns(rel_ns),
        .rel_step(rel_step),
        .events(classes),
        .period(period),
        .ready(window_ready),
        .clocks(unused_clocks),
        .busy(telling),
        .index(index[A-1:0]),
        .count(count)
    );
    wire tells = telling && pace == 3'd7;
    reg [31:0] record;
    always @(posedge clk) begin
        pace <= telling ? pace + 3'd1 : 3'd0;
        if (window_ready) index <= 7'd0;
        else if (tells) index <= index + 7'd1;
        telling <= (window_ready || (telling && !(tells && index == LAST_INDEX))) && !rst;
        ev_valid <= tells && !rst;
        record[`NPS_MON_CLASS_LINK_LSB+:`NPS_MON_CLASS_LINK_W] <= index[6:2];
        record[`NPS_MON_CLASS_CLASS_LSB+:`NPS_MON_CLASS_CLASS_W] <= index[1:0];
        record[`NPS_MON_CLASS_CLOCKS_LSB+:`NPS_MON_CLASS_CLOCKS_W] <= count;
    end
    assign ev_sub = `NPS_MON_CLASS;
    assign ev_payload = record;
endmodule

`default_nettype wire
