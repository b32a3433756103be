/// nca_range_slots_properties: each command that begins gets one result, with its tag, and not before all its lines are
/// done; a line that was visited is counted until it is done; commands leave their slots in the order of their ends.
///
/// Any slot is watched, and the tag of the command in it, beside any other slot. Whoever uses the module visits lines
/// of the command that has begun last, and reports as done what was visited: that is assumed here.
module nca_range_slots_properties #(
    parameter int unsigned SLOTS = 3,
    parameter int unsigned UNDER_WAY = 3,
    parameter int unsigned TAG_BITS = 3,
    localparam int unsigned SlotBits = SLOTS > 1 ? $clog2(SLOTS) : 1,
    localparam int unsigned CountBits = $clog2(UNDER_WAY + 1),
    localparam int unsigned EndedBits = $clog2(SLOTS + 1)
) (
    input logic                 clk_i,
    input logic                 rst_ni,
    input logic                 has_free_o,
    input logic [ SlotBits-1:0] free_o,
    input logic                 begin_i,
    input logic [ TAG_BITS-1:0] tag_i,
    input logic                 visiting_i,
    input logic [ SlotBits-1:0] slot_i,
    input logic                 has_room_o,
    input logic                 visit_i,
    input logic                 done_valid_i,
    input logic [ SlotBits-1:0] done_slot_i,
    input logic                 result_valid_o,
    input logic                 result_ready_i,
    input logic [ TAG_BITS-1:0] result_tag_o,
    input logic [    SLOTS-1:0] used_q,
    input logic [    SLOTS-1:0] counts_q,
    input logic [CountBits-1:0] visited_q,
    input logic [CountBits-1:0] under_way_q,
    input logic [CountBits-1:0] done_q[SLOTS],
    input logic [CountBits-1:0] finals_q[SLOTS],
    input logic [ TAG_BITS-1:0] tags_q[SLOTS],
    // The queue of slots that have ended.
    input logic [ SlotBits-1:0] ended_items[SLOTS],
    input logic [ SlotBits-1:0] ended_head,
    input logic [ SlotBits-1:0] ended_tail,
    input logic [EndedBits-1:0] ended_count
);

  // How many lines a slot has under way, and whether all of them have been visited.
  logic [SLOTS-1:0] closed;
  logic [CountBits-1:0] under_way[SLOTS], done_before[SLOTS];
  always_comb begin
    for (int unsigned at = 0; at < SLOTS; ++at) begin
      closed[at]      = used_q[at] && !(visiting_i && 32'(slot_i) == at);
      done_before[at] = counts_q[at] ? done_q[at] : '0;
      under_way[at]   = !used_q[at] ? '0 : (closed[at] ? finals_q[at] + 1'b1 : visited_q) - done_before[at];
    end
  end

  logic [SlotBits-1:0] any_slot, any_other;  // free in every cycle
  logic [SlotBits-1:0] slot_q, other_q;      // as they were at reset
  logic before_q;  // the slot waits since before the other one ended
  logic started_q = 1'b0;
  logic begun_q, waits_q, visiting_q, maybe_last_q;
  logic [SlotBits-1:0] visiting_slot_q;
  logic [TAG_BITS-1:0] tag_q, waiting_tag_q;
  int unsigned lines_q, inside_q, used;
  logic begins, visits, done;

  assign begins = begin_i && free_o == slot_q;
  assign visits = visit_i && slot_i == slot_q;
  assign done   = done_valid_i && done_slot_i == slot_q;

  function automatic logic [SlotBits-1:0] place(int unsigned distance);
    automatic int unsigned sum = 32'(ended_head) + distance;
    return SlotBits'(sum >= SLOTS ? sum - SLOTS : sum);
  endfunction

  logic [SLOTS-1:0] ended, waits;  // by slot; places of the queue by their distance from its head
  logic [SlotBits-1:0] items[SLOTS];
  int unsigned ends, slot_place, other_place;
  logic other_ends;

  assign other_ends = done_valid_i && done_slot_i == other_q && closed[other_q] &&
      under_way[other_q] == CountBits'(1);

  always_comb begin
    used        = 0;
    ends        = 0;
    slot_place  = SLOTS;
    other_place = SLOTS;
    for (int unsigned at = 0; at < SLOTS; ++at) begin
      used      = used + 32'(used_q[at]);
      ended[at] = closed[at] && under_way[at] == '0;
      ends      = ends + 32'(ended[at]);
      waits[at] = at < 32'(ended_count);
      items[at] = ended_items[place(at)];
      if (waits[at] && items[at] == slot_q) slot_place = at;
      if (waits[at] && items[at] == other_q) other_place = at;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q     <= 1'b1;
    waits_q       <= rst_ni && result_valid_o && !result_ready_i;
    waiting_tag_q <= result_tag_o;
    // A visit is the last one if its user says so.
    visiting_q      <= rst_ni && (visiting_i || begin_i);
    maybe_last_q    <= visit_i;
    visiting_slot_q <= begin_i ? free_o : slot_i;
    if (!rst_ni) begin
      slot_q   <= any_slot;
      other_q  <= any_other;
      before_q <= 1'b0;
      begun_q  <= 1'b0;
      lines_q  <= 0;
      inside_q <= 0;
    end else begin
      inside_q <= inside_q + 32'(begin_i) - 32'(result_valid_o && result_ready_i);
      lines_q  <= lines_q + 32'(visits) - 32'(done);
      before_q <= ended[slot_q] && (before_q || other_ends);
      // Its result is on the way when the slot is free again.
      if (begun_q && !used_q[slot_q]) begun_q <= 1'b0;
      if (begins) begin
        begun_q <= 1'b1;
        tag_q   <= tag_i;
      end
    end
  end

  logic leaves_q;
  logic [TAG_BITS-1:0] left_tag_q;
  always_ff @(posedge clk_i) begin
    leaves_q   <= started_q && rst_ni && ended[slot_q];
    left_tag_q <= tags_q[slot_q];
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    assume (32'(slot_q) < SLOTS && 32'(any_slot) < SLOTS && 32'(other_q) < SLOTS && 32'(any_other) < SLOTS);
    assume (32'(slot_i) < SLOTS && 32'(done_slot_i) < SLOTS);
    if (begin_i) assume (has_free_o && !visiting_i);
    if (visit_i) assume (has_room_o && visiting_i);
    if (done_valid_i) assume (under_way[done_slot_i] != '0);
    if (started_q) begin
      if (visiting_q && !maybe_last_q) assume (visiting_i);
      if (visiting_i) assume (visiting_q && slot_i == visiting_slot_q);
    end
    if (started_q && rst_ni) begin
      // As many are inside as have no result.
      assert (inside_q == used + 32'(result_valid_o));
      if (waits_q) assert (result_valid_o && result_tag_o == waiting_tag_q);
      // The slot in use is that of a command that has begun, with its tag and its lines.
      if (used_q[slot_q]) assert (begun_q && tags_q[slot_q] == tag_q);
      if (visiting_i) assert (used_q[slot_i] && under_way[slot_i] == under_way_q);
      if (lines_q != 0) assert (used_q[slot_q]);
      assert (32'(under_way[slot_q]) == lines_q && lines_q <= UNDER_WAY);
      if (!used_q[slot_q]) assert (lines_q == 0);
      // What leaves its slot is the result.
      if (leaves_q && !used_q[slot_q]) assert (result_valid_o && result_tag_o == left_tag_q);
      if (begin_i) assert (!used_q[free_o]);
      // What ended first leaves first.
      if (before_q && ended[slot_q] && slot_q != other_q) assert (used_q[other_q] && slot_place < other_place);
      // For the induction: the queue has each slot that has ended, once.
      assert (32'(ended_head) < SLOTS && ends == 32'(ended_count) && ended_tail == place(ends));
      for (int unsigned at = 0; at < SLOTS; ++at) begin
        assert (32'(under_way[at]) <= UNDER_WAY);
        if (waits[at]) assert (32'(items[at]) < SLOTS && ended[items[at]]);
        for (int unsigned to = 0; to < at; ++to) if (waits[at]) assert (items[at] != items[to]);
      end
    end
  end

endmodule

bind nca_range_slots nca_range_slots_properties #(
    .SLOTS(SLOTS), .UNDER_WAY(UNDER_WAY), .TAG_BITS(TAG_BITS)
) properties (
    .*,
    .ended_items(i_ended.items_q),
    .ended_head (i_ended.head_q),
    .ended_tail (i_ended.tail_q),
    .ended_count(i_ended.count_q)
);
