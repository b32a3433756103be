/// nca_range_slots: commands that have begun: how many of their lines are under way, and which have ended.
///
/// A command has a slot from its begin until all its lines have been visited and none is under way. At most one ends in
/// a cycle, with the last of its lines. Slots that have ended wait in a queue, so that results are in the order of ends
/// however seldom they are taken; the first leaves its slot, to a register, whence the result is offered.
module nca_range_slots #(
    parameter int unsigned SLOTS = 8,
    parameter int unsigned UNDER_WAY = 255,
    parameter int unsigned TAG_BITS = 4,
    localparam int unsigned SlotBits = SLOTS > 1 ? $clog2(SLOTS) : 1
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    // A free slot, and its command.
    output logic                has_free_o,
    output logic [SlotBits-1:0] free_o,
    input  logic                begin_i,
    input  logic [TAG_BITS-1:0] tag_i,
    // A line of the command in this slot was visited, perhaps its last.
    input  logic [SlotBits-1:0] slot_i,
    output logic                has_room_o,
    input  logic                visit_i,
    input  logic                last_i,
    input  logic                done_valid_i,
    input  logic [SlotBits-1:0] done_slot_i,
    output logic                ends_o,          // a result comes at the next edge
    output logic                result_valid_o,
    input  logic                result_ready_i,
    output logic [TAG_BITS-1:0] result_tag_o
);
  localparam int unsigned CountBits = $clog2(UNDER_WAY + 1);
  typedef logic [SlotBits-1:0] slot_t;

  logic [SLOTS-1:0] used_d, used_q, closed_d, closed_q, more, fewer;
  logic [CountBits-1:0] under_way_d[SLOTS], under_way_q[SLOTS];
  logic [TAG_BITS-1:0] tags_d[SLOTS], tags_q[SLOTS];
  logic result_d, result_q, takes, end_now, ended, unused_ready;
  logic [TAG_BITS-1:0] result_tag_d, result_tag_q;
  slot_t ended_slot;

  assign has_free_o = used_q != '1;
  assign has_room_o = under_way_q[slot_i] != CountBits'(UNDER_WAY);
  assign takes      = !result_q || result_ready_i;
  assign ends_o     = takes && ended;
  assign end_now    = done_valid_i && closed_q[done_slot_i] && under_way_q[done_slot_i] == CountBits'(1);

  // It is never full: each slot is in it once at most.
  fifo #(
      .DEPTH(SLOTS),
      .T    (slot_t)
  ) i_ended (
      .clk_i,
      .rst_ni,
      .valid_i(end_now),
      .ready_o(unused_ready),
      .data_i (done_slot_i),
      .valid_o(ended),
      .ready_i(takes),
      .data_o (ended_slot)
  );

  always_comb begin
    free_o = '0;
    for (int unsigned at = SLOTS; at > 0; --at) if (!used_q[at-1]) free_o = slot_t'(at - 1);
  end

  always_comb begin
    used_d       = used_q;
    closed_d     = closed_q;
    under_way_d  = under_way_q;
    tags_d       = tags_q;
    result_d     = result_q;
    result_tag_d = result_tag_q;
    if (takes) begin
      result_d     = ended;
      result_tag_d = tags_q[ended_slot];
      if (ended) used_d[ended_slot] = 1'b0;
    end
    for (int unsigned at = 0; at < SLOTS; ++at) begin
      more[at]        = visit_i && slot_i == slot_t'(at);
      fewer[at]       = done_valid_i && done_slot_i == slot_t'(at);
      under_way_d[at] = under_way_q[at] + {{(CountBits - 1) {fewer[at] && !more[at]}}, more[at] != fewer[at]};
    end
    if (visit_i && last_i) closed_d[slot_i] = 1'b1;
    if (begin_i) begin
      used_d[free_o]   = 1'b1;
      closed_d[free_o] = 1'b0;
      tags_d[free_o]   = tag_i;
    end
  end

  assign result_valid_o = result_q;
  assign result_tag_o   = result_tag_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q      <= '0;
      under_way_q <= '{default: '0};
      result_q    <= 1'b0;
    end else begin
      used_q      <= used_d;
      under_way_q <= under_way_d;
      result_q    <= result_d;
    end
  end

  always_ff @(posedge clk_i) begin
    closed_q     <= closed_d;
    tags_q       <= tags_d;
    result_tag_q <= result_tag_d;
  end

endmodule
