/// rae_interface_counts_properties: no request is lost and none is answered twice, and main entries never leak.
///
/// At all times as many requests are inside as lie in the queue, among the hits, in the core, in main entries whose
/// lines are not done, and in the answer that is offered. A main entry in use waits to fetch, or its line is asked for
/// or comes, or the core works on it: one of these, so that its end follows. Lines are answered for entries that have
/// fetched, once. What rae_main_entries_properties assumes of the module's users is asserted here.
module rae_interface_counts_properties #(
    parameter int unsigned MAIN_ENTRIES = 64,
    parameter int unsigned SUB_ENTRIES = 64,
    parameter int unsigned QUEUE_ENTRIES = 64,
    parameter int unsigned LINE_WIDTH = 25,
    localparam int unsigned EntryWidth = MAIN_ENTRIES > 1 ? $clog2(MAIN_ENTRIES) : 1,
    localparam int unsigned CountWidth = $clog2(SUB_ENTRIES + 1)
) (
    input logic                   clk_i,
    input logic                   rst_ni,
    input logic                   request_valid_i,
    input logic                   request_ready_o,
    input logic                   answer_valid_o,
    input logic                   answer_ready_i,
    input logic                   fetch_valid_o,
    input logic                   fetch_ready_i,
    input logic [ EntryWidth-1:0] fetch_entry_o,
    input logic                   grant_valid_i,
    input logic [ EntryWidth-1:0] grant_entry_i,
    input logic                   line_valid_i,
    input logic                   line_ready_o,
    input logic [ EntryWidth-1:0] line_entry_i,
    input logic                   blocked,
    // What happens to main entries.
    input logic                   core_searches,
    input logic                   found,
    input logic                   found_owned,
    input logic                   found_open,
    input logic [ EntryWidth-1:0] found_entry,
    input logic                   has_free,
    input logic                   may_take,
    input logic                   takes,
    input logic                   joins,
    input logic                   claims_entry,
    input logic                   entry_ends,
    input logic [ EntryWidth-1:0] core_entry,
    input logic [           31:0] searched,    // the line
    // Inside.
    input logic [           31:0] queued,
    input logic [           31:0] stored,      // by the queue's memory, from `first` to before `last`
    input logic [           31:0] first,
    input logic [           31:0] last,
    input logic [           31:0] decoded,
    input logic                   looks_up,    // the head's look-up has begun
    input logic [           31:0] hits,
    input logic [            2:0] state,
    input logic                   claim_pending,
    input logic                   active,
    input logic [ EntryWidth-1:0] entry,
    input logic [ CountWidth-1:0] served,
    input logic [MAIN_ENTRIES-1:0] used,
    input logic [MAIN_ENTRIES-1:0] owned,
    input logic [MAIN_ENTRIES-1:0] closed,
    input logic [MAIN_ENTRIES-1:0] equal,
    input logic [ CountWidth-1:0] joined[MAIN_ENTRIES],
    input logic [ CountWidth-1:0] entry_joined,
    input logic [  LINE_WIDTH-1:0] lines[MAIN_ENTRIES]
);

  localparam logic [2:0] Idle = 3'd0, Hit = 3'd1, Walk = 3'd2, Step = 3'd3, Release = 3'd7;

  logic started_q = 1'b0;
  logic [31:0] inside_q;
  logic [MAIN_ENTRIES-1:0] fetched_q, granted_q;  // entries whose line is asked for; comes
  logic asks, answers;

  // The line that was searched in the cycle before, and whether an entry was taken in that.
  logic [31:0] searched_q;
  logic took_q = 1'b1;

  assign asks    = request_valid_i && request_ready_o;
  assign answers = answer_valid_o && answer_ready_i;

  always_ff @(posedge clk_i) begin
    started_q  <= 1'b1;
    searched_q <= searched;
    took_q     <= takes;
    if (!rst_ni) begin
      inside_q  <= '0;
      fetched_q <= '0;
      granted_q <= '0;
    end else begin
      inside_q <= inside_q + 32'(asks) - 32'(answers);
      if (fetch_valid_o && fetch_ready_i) fetched_q[fetch_entry_o] <= 1'b1;
      if (grant_valid_i) begin
        fetched_q[grant_entry_i] <= 1'b0;
        granted_q[grant_entry_i] <= 1'b1;
      end
      if (line_valid_i && line_ready_o) granted_q[line_entry_i] <= 1'b0;
    end
  end

  logic [31:0] held;
  always_comb begin
    held = queued + hits + 32'(state == Hit) + 32'(answer_valid_o);
    for (int unsigned i = 0; i < MAIN_ENTRIES; ++i) if (used[i]) held = held + 32'(joined[i]);
    if (active) held = held - 32'(served);
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (started_q && rst_ni) begin
      assume (32'(grant_entry_i) < MAIN_ENTRIES && 32'(line_entry_i) < MAIN_ENTRIES);
      assume (!grant_valid_i || fetched_q[grant_entry_i]);
      assume (!line_valid_i || granted_q[line_entry_i]);
      assert (inside_q == held);
      for (int unsigned i = 0; i < MAIN_ENTRIES; ++i) begin
        // In use: in one of these places.
        assert (32'(used[i]) == 32'(fetch_valid_o && 32'(fetch_entry_o) == i) + 32'(fetched_q[i]) +
                32'(granted_q[i]) + 32'(active && 32'(entry) == i));
        if (used[i]) assert (joined[i] != '0 && 32'(joined[i]) <= SUB_ENTRIES);
      end
      // A main entry is taken for a line that none has, joined where it may be, and ended while it is in use.
      if (takes) assert (may_take && has_free && !found);
      if (joins) assert (found && found_open && !claims_entry);
      if (takes || joins) assert (!core_searches);
      if (claims_entry) assert (found && found_owned);
      // A search has taken two cycles.
      if (takes || joins || state == Release) assert (!took_q && searched_q == searched);
      if (entry_ends) assert (used[core_entry]);
      if (entry_ends && grant_valid_i) assert (core_entry != grant_entry_i);
      if (entry_ends && joins) assert (core_entry != found_entry);
      if (grant_valid_i) assert (used[grant_entry_i] && !owned[grant_entry_i]);
      // For the induction.
      for (int unsigned i = 0; i < MAIN_ENTRIES; ++i) begin
        if (fetched_q[i] || (fetch_valid_o && 32'(fetch_entry_o) == i)) assert (!owned[i]);
      end
      // What makes a search right is a proof of its own (rae_main_entries_properties).
      for (int unsigned i = 0; i < MAIN_ENTRIES; ++i) begin
        for (int unsigned j = 0; j < i; ++j) if (used[i] && used[j]) assert (lines[i] != lines[j]);
        if (used[i] && !took_q) assert (equal[i] == (32'(lines[i]) == searched_q));
        if (used[i] && 32'(joined[i]) == SUB_ENTRIES) assert (closed[i]);
      end
      if (active) assert (entry_joined == joined[entry]);
      if (state == Release) assert (claim_pending);
      assert (queued == stored && queued <= QUEUE_ENTRIES && decoded <= queued && hits <= 4);
      assert (first < QUEUE_ENTRIES && last == (first + stored) % QUEUE_ENTRIES);
      if (looks_up) assert (decoded != 0 && !blocked);
      assert (32'(entry) < MAIN_ENTRIES && 32'(fetch_entry_o) < MAIN_ENTRIES);
      if (active) assert (used[entry] && served <= joined[entry] && state != Idle && state != Release);
      if (active && state != Walk && state != Step) assert (served == joined[entry]);
      if (state == Step) assert (served < joined[entry]);
      if (!active) assert (state == Idle || state == Hit || state == Release);
      // The head waits only while entries are in use: each end wakes it.
      if (blocked) assert (used != '0);
    end
  end

endmodule

bind rae_interface rae_interface_counts_properties #(
    .MAIN_ENTRIES (MAIN_ENTRIES),
    .SUB_ENTRIES  (SUB_ENTRIES),
    .QUEUE_ENTRIES(QUEUE_ENTRIES),
    .LINE_WIDTH   (LineWidth)
) counts (
    .queued (32'(queued_o)),
    .stored (32'(i_request_queue.i_requests.count_q)),
    .first  (32'(i_request_queue.i_requests.head_q)),
    .last   (32'(i_request_queue.i_requests.tail_q)),
    .decoded(32'(i_request_queue.decoded_q)),
    .looks_up(i_look_up.left_q != '0),
    .hits   (32'(i_hits.count_q)),
    .state  (i_interface_core.state_q),
    .claim_pending(i_interface_core.claim_pending),
    .active (i_interface_core.active_q),
    .entry  (i_interface_core.entry_q),
    .served (i_interface_core.served_q),
    .used   (i_main_entries.used_q),
    .owned  (i_main_entries.owned_q),
    .closed (i_main_entries.closed_q),
    .equal  (i_main_entries.equal_q),
    .lines  (i_main_entries.lines_q),
    .joined (i_main_entries.joined_q),
    .searched(32'(i_main_entries.line_i)),
    .*
);
