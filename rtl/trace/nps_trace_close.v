// SPDX-License-Identifier: Apache-2.0
// Decides when a frame ends.
//
// Does:      counts the frame's records and watches its age; `close` asks for the next group, because the frame is full,
//            old (and not empty), the heartbeat is due, a loss was told, or a clock step was told by every source.
// Promises:  FORMAT.md, rules 6 and 24. LOSS forces a group at most once per FRAME_RECORDS records; it waits, any
//            group satisfies it. A clock step forces one behind the last source's pair.
// Costs:     full: 1 clock after the record. Loss: 3. Age and heartbeat: 4. Clock step: 2 after step_pending fell.
// Overflow:  none.
`default_nettype none
`include "nps_trace.vh"

module nps_trace_close #(
    parameter        FRAME_RECORDS = `NPS_FRAME_RECORDS,
    parameter [47:0] FRAME_AGE_NS  = `NPS_FRAME_AGE_NS,
    parameter [47:0] HEARTBEAT_NS  = `NPS_HEARTBEAT_NS
) (
    input wire clk,
    input wire rst,
    input wire restart,

    input wire [47:0] rel_ns,

    // the record chosen in this clock
    input wire record,
    input wire sync_a,  // it opens a frame
    input wire loss,    // it tells a loss
    input wire step,    // it tells a clock step

    input wire step_pending,  // some source has a clock step to tell

    output reg  [15:0] previous,  // records of the frame before, valid from SYNC-A on
    output reg  [ 9:0] room,      // records that still fit this frame
    output reg         close
);

    localparam [9:0] MAX = FRAME_RECORDS;
    localparam [9:0] GROUP_LEFT = FRAME_RECORDS - `NPS_GROUP_RECORDS;

    // ---------------------------------------------------------------- count
    reg full, room_for_one;  // room is 0, 1

    always @(posedge clk) begin
        if (rst || restart) begin
            room <= MAX;
            room_for_one <= 1'b0;
            full <= 1'b0;
            previous <= 16'd0;
        end else if (sync_a) begin
            previous <= {6'd0, MAX - room};
            room <= MAX - 10'd1;
            room_for_one <= 1'b0;
            full <= 1'b0;
        end else if (record) begin
            room <= room - 10'd1;
            room_for_one <= room == 10'd2;
            full <= room_for_one;
        end
    end

    wire fills = full || (record && room_for_one);

    // ---------------------------------------------------------------- age
    reg [47:0] opened, age;
    reg old, heartbeat;

    always @(posedge clk) begin
        if (sync_a) opened <= rel_ns;
        age <= rel_ns - opened;
        old <= age >= FRAME_AGE_NS && room < GROUP_LEFT;
        heartbeat <= age >= HEARTBEAT_NS;
    end

    // ---------------------------------------------------------------- loss
    reg loss_told;
    reg [9:0] credit;  // records until LOSS may force a group again
    reg owes, loss_due;  // owes: credit is not 0

    always @(posedge clk) begin
        if (rst || restart) begin
            loss_told <= 1'b0;
            loss_due <= 1'b0;
            credit <= 10'd0;
            owes <= 1'b0;
        end else begin
            if (sync_a) loss_told <= 1'b0;
            else if (loss) loss_told <= 1'b1;
            loss_due <= loss_told && !owes && !sync_a;

            if (sync_a && loss_due) begin
                credit <= MAX - 10'd1;
                owes <= 1'b1;
            end else if (record && owes) begin
                credit <= credit - 10'd1;
                owes <= credit != 10'd1;
            end
        end
    end

    // ---------------------------------------------------------------- clock step
    reg step_told, step_due;

    always @(posedge clk) begin
        if (rst || restart || sync_a) step_told <= 1'b0;
        else if (step) step_told <= 1'b1;
        step_due <= step_told && !step_pending;
    end

    always @(posedge clk) begin
        close <= !rst && !restart && ((fills && !sync_a) || old || heartbeat || loss_due || step_due);
    end

endmodule
`default_nettype wire
