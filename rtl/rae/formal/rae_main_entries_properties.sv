/// rae_main_entries_properties: entries never leak: each is in use from its take to its end, and no two have one line.
///
/// Any two entries are watched. Whoever uses the module searches for two cycles, takes only for a line that no entry
/// has, joins only where it may, and ends only what is in use; that is assumed here, and the interface's own proof has
/// it as an assertion.
module rae_main_entries_properties #(
    parameter int unsigned MAIN_ENTRIES = 64,
    parameter int unsigned SUB_ENTRIES = 64,
    parameter int unsigned LINE_WIDTH = 25,
    parameter bit MERGE = 1'b1,
    localparam int unsigned EntryWidth = MAIN_ENTRIES > 1 ? $clog2(MAIN_ENTRIES) : 1,
    localparam int unsigned CountWidth = $clog2(SUB_ENTRIES + 1)
) (
    input logic                    clk_i,
    input logic                    rst_ni,
    input logic [  LINE_WIDTH-1:0] line_i,
    input logic                    found_o,
    input logic [  EntryWidth-1:0] found_entry_o,
    input logic                    found_owned_o,
    input logic                    found_open_o,
    input logic                    has_free_o,
    input logic [  EntryWidth-1:0] free_entry_o,
    input logic                    may_take_i,
    input logic                    take_i,
    input logic                    join_i,
    input logic                    writes_i,
    input logic                    claim_i,
    input logic                    grant_i,
    input logic                    grant_core_i,
    input logic [  EntryWidth-1:0] grant_entry_i,
    input logic                    end_i,
    input logic [  EntryWidth-1:0] entry_i,
    input logic [  EntryWidth-1:0] next_entry_i,
    input logic [  CountWidth-1:0] entry_joined_o,
    input logic [MAIN_ENTRIES-1:0] used_q,
    input logic [MAIN_ENTRIES-1:0] owned_q,
    input logic [MAIN_ENTRIES-1:0] closed_q,
    input logic [MAIN_ENTRIES-1:0] writes_q,
    input logic [  LINE_WIDTH-1:0] lines_q[MAIN_ENTRIES],
    input logic [  CountWidth-1:0] joined_q[MAIN_ENTRIES],
    input logic [MAIN_ENTRIES-1:0] equal_q
);

  logic [EntryWidth-1:0] any_one, any_other;  // free in every cycle
  logic [EntryWidth-1:0] one_q, other_q;      // as they were at reset
  logic started_q = 1'b0;
  logic used_one_q, writes_one_q, owned_one_q;
  int unsigned joined_one_q;
  logic searched;  // this is the second cycle of a search
  logic took_q = 1'b1;
  logic [LINE_WIDTH-1:0] line_was_q;
  logic [EntryWidth-1:0] entry_q;  // as it was announced
  logic takes, joins, ends, granted;

  assign searched = !took_q && line_was_q == line_i;
  assign takes   = take_i && free_entry_o == one_q;
  assign joins   = join_i && found_entry_o == one_q;
  assign ends    = end_i && entry_i == one_q;
  assign granted = grant_i && grant_entry_i == one_q;

  always_ff @(posedge clk_i) begin
    started_q  <= 1'b1;
    took_q     <= take_i;
    line_was_q <= line_i;
    entry_q    <= next_entry_i;
    if (!rst_ni) begin
      one_q      <= any_one;
      other_q    <= any_other;
      used_one_q <= 1'b0;
    end else begin
      if (ends) used_one_q <= 1'b0;
      if (granted && (!grant_core_i || writes_one_q)) owned_one_q <= 1'b1;
      if (joins) begin
        joined_one_q <= joined_one_q + 1;
        writes_one_q <= writes_one_q || writes_i;
      end
      if (takes) begin
        used_one_q   <= 1'b1;
        joined_one_q <= 1;
        writes_one_q <= writes_i;
        owned_one_q  <= 1'b0;
      end
    end
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (started_q && rst_ni) begin
      assume (32'(one_q) < MAIN_ENTRIES && 32'(other_q) < MAIN_ENTRIES && one_q != other_q);
      assume (32'(grant_entry_i) < MAIN_ENTRIES && 32'(entry_i) < MAIN_ENTRIES);
      assume (may_take_i || !take_i);
      assume (searched || !(take_i || join_i || claim_i));
      assume (!take_i || (has_free_o && !found_o));
      assume (!join_i || (found_o && found_open_o && !claim_i));
      assume (!claim_i || (found_o && found_owned_o));
      assume (!end_i || used_q[entry_i]);
      assume (!(end_i && grant_i && entry_i == grant_entry_i));
      assume (!(join_i && end_i && entry_i == found_entry_o));
      assume (!grant_i || (used_q[grant_entry_i] && !owned_q[grant_entry_i]));
      // In use from its take to its end, and only then.
      assert (used_q[one_q] == used_one_q);
      if (used_one_q) begin
        assert (32'(joined_q[one_q]) == joined_one_q && joined_one_q >= 1 && joined_one_q <= SUB_ENTRIES);
        assert (writes_q[one_q] == writes_one_q);
        assert (owned_q[one_q] == owned_one_q);
      end
      // One entry has a line.
      if (used_q[one_q] && used_q[other_q]) assert (lines_q[one_q] != lines_q[other_q]);
      if (searched) begin
        if (used_q[one_q] && lines_q[one_q] == line_i) assert (found_o && found_entry_o != other_q);
        if (found_o) assert (used_q[found_entry_o] && lines_q[found_entry_o] == line_i);
      end
      // The count of the entry that was announced, but for one that was taken meanwhile.
      if (used_one_q && entry_q == one_q && !took_q) assert (32'(entry_joined_o) == joined_one_q);
      if (searched && found_open_o && found_entry_o == one_q) assert (MERGE && joined_one_q < SUB_ENTRIES);
      // A free entry is found if there is one.
      if (!used_q[one_q]) assert (has_free_o);
      if (has_free_o) assert (!used_q[free_entry_o]);
      // For the induction.
      for (int unsigned i = 0; i < MAIN_ENTRIES; ++i) begin
        for (int unsigned j = 0; j < i; ++j) if (used_q[i] && used_q[j]) assert (lines_q[i] != lines_q[j]);
        if (used_q[i] && !took_q) assert (equal_q[i] == (lines_q[i] == line_was_q));
        if (used_q[i]) assert (32'(joined_q[i]) <= SUB_ENTRIES);
        if (used_q[i] && (!MERGE || 32'(joined_q[i]) == SUB_ENTRIES)) assert (closed_q[i]);
      end
    end
  end

endmodule

bind rae_main_entries rae_main_entries_properties #(
    .MAIN_ENTRIES(MAIN_ENTRIES),
    .SUB_ENTRIES (SUB_ENTRIES),
    .LINE_WIDTH  (LINE_WIDTH),
    .MERGE       (MERGE)
) properties (.*);
