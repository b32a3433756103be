/// nca_range_slots: commands that have begun: how many of their lines are under way, and which have ended.
///
/// A command has a slot from its begin until all its lines have been visited and none is under way. At most one ends in
/// a cycle, with the last of its lines. Slots that have ended wait in a queue, so that results are in the order of ends
/// however seldom they are taken; the first leaves its slot, to a register, whence the result is offered.
///
/// Lines that were visited and lines that are done have numbers, modulo 2^n, which go on from command to command: so
/// each memory is written in one place, and needs no reset but a bit for each slot: before its first line is done, the
/// number is 0.
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
    // A line of the command in this slot is visited; `visiting_i` is high from the command's begin to its last line.
    input  logic                visiting_i,
    input  logic [SlotBits-1:0] slot_i,
    output logic                has_room_o,
    input  logic                visit_i,
    input  logic                done_valid_i,
    input  logic [SlotBits-1:0] done_slot_i,
    output logic                ends_o,          // a result comes at the next edge
    output logic                result_valid_o,
    input  logic                result_ready_i,
    output logic [TAG_BITS-1:0] result_tag_o
);
  localparam int unsigned CountBits = $clog2(UNDER_WAY + 1);
  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [CountBits-1:0] count_t;

  logic [SLOTS-1:0] used_d, used_q;
  logic [SLOTS-1:0] counts_d, counts_q;  // the slot's number of lines that are done is in memory
  count_t visited_d, visited_q;  // the number of the next line
  count_t under_way_d, under_way_q;  // lines of the command that is visited
  count_t done_q[SLOTS], finals_q[SLOTS];  // of the next one that is done, and of the last one that was visited
  count_t done;
  logic [TAG_BITS-1:0] tags_q[SLOTS];
  logic result_d, result_q, takes, done_here, end_now, ended, unused_ready;
  logic [TAG_BITS-1:0] result_tag_q;
  slot_t ended_slot;

  assign has_free_o = used_q != '1;
  assign has_room_o = under_way_q != count_t'(UNDER_WAY);
  assign done       = counts_q[done_slot_i] ? done_q[done_slot_i] : '0;
  assign done_here  = done_valid_i && visiting_i && done_slot_i == slot_i;
  assign end_now    = done_valid_i && !done_here && done == finals_q[done_slot_i];
  assign takes      = !result_q || result_ready_i;
  assign ends_o     = takes && ended;

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
    used_d      = used_q;
    counts_d    = counts_q;
    if (done_valid_i) counts_d[done_slot_i] = 1'b1;
    result_d    = takes ? ended : result_q;
    visited_d   = visited_q + count_t'(visit_i);
    under_way_d = under_way_q + {{(CountBits - 1) {done_here && !visit_i}}, done_here != visit_i};
    if (takes && ended) used_d[ended_slot] = 1'b0;
    if (begin_i) begin
      used_d[free_o] = 1'b1;
      visited_d      = counts_q[free_o] ? done_q[free_o] : '0;
      under_way_d    = '0;
    end
  end

  assign result_valid_o = result_q;
  assign result_tag_o   = result_tag_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q   <= '0;
      counts_q <= '0;
      result_q <= 1'b0;
    end else begin
      used_q   <= used_d;
      counts_q <= counts_d;
      result_q <= result_d;
    end
  end

  always_ff @(posedge clk_i) begin
    visited_q   <= visited_d;
    under_way_q <= under_way_d;
    if (done_valid_i) done_q[done_slot_i] <= done + 1'b1;
    if (visit_i) finals_q[slot_i] <= visited_q;
    if (begin_i) tags_q[free_o] <= tag_i;
    if (takes) result_tag_q <= tags_q[ended_slot];
  end

endmodule
