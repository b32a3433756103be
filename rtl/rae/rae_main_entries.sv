/// rae_main_entries: the extended MSHRs' main entries: a line being fetched, its W bit, and how many requests wait.
///
/// One comparator for each entry searches `line_i`. It takes two cycles: the line has to be there in the cycle before,
/// too, without an entry being taken in that. At most one entry has a line. Look-ups and claims share the comparators.
/// An entry is taken, joined, closed or ended at the clock edge.
///
///   owned    only this entry has the line: it came from memory, or the core's caches lost it, as the W bit was set.
///   closed   no request may join: the entry has a copy, or a claim waits until it ends (claimed).
///
/// Source: RAE, section 3: 64 main entries with a W bit; 64 comparators.
module rae_main_entries #(
    parameter int unsigned MAIN_ENTRIES = 64,
    parameter int unsigned SUB_ENTRIES = 64,
    parameter int unsigned LINE_WIDTH = 25,
    parameter bit MERGE = 1'b1,
    localparam int unsigned EntryWidth = MAIN_ENTRIES > 1 ? $clog2(MAIN_ENTRIES) : 1,
    localparam int unsigned CountWidth = $clog2(SUB_ENTRIES + 1)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // The search, and what the entry with that line is like.
    input  logic [  LINE_WIDTH-1:0] line_i,
    output logic                    found_o,
    output logic [  EntryWidth-1:0] found_entry_o,
    output logic                    found_owned_o,
    output logic                    found_open_o,    // one more request may join
    output logic [  CountWidth-1:0] found_joined_o,
    output logic                    has_free_o,
    output logic [  EntryWidth-1:0] free_entry_o,
    // What happens to entries.
    input  logic                    take_i,          // the free one, for this line
    input  logic                    join_i,          // the one that was found
    input  logic                    writes_i,        // the request that takes or joins
    input  logic                    claim_i,         // the one that was found
    input  logic                    grant_i,
    input  logic                    grant_core_i,
    input  logic [  EntryWidth-1:0] grant_entry_i,
    input  logic                    end_i,           // that of entry_i
    // The entry whose requests are done.
    input  logic [  EntryWidth-1:0] entry_i,
    output logic [  LINE_WIDTH-1:0] entry_line_o,
    output logic                    entry_owned_o,
    output logic                    entry_claimed_o,
    output logic                    entry_writes_o,
    output logic [  CountWidth-1:0] entry_joined_o,
    output logic [MAIN_ENTRIES-1:0] writes_o
);

  typedef logic [EntryWidth-1:0] entry_t;
  typedef logic [CountWidth-1:0] count_t;

  logic [MAIN_ENTRIES-1:0] used_d, used_q;
  logic [MAIN_ENTRIES-1:0] owned_d, owned_q;
  logic [MAIN_ENTRIES-1:0] closed_d, closed_q;
  logic [MAIN_ENTRIES-1:0] claimed_d, claimed_q;
  logic [MAIN_ENTRIES-1:0] writes_d, writes_q;
  logic [LINE_WIDTH-1:0] lines_q[MAIN_ENTRIES];
  count_t joined_d[MAIN_ENTRIES], joined_q[MAIN_ENTRIES];

  // The comparators, and the first free entry. An entry that ended in the cycle before is not found.
  logic [MAIN_ENTRIES-1:0] equal_d, equal_q, match;

  for (genvar i = 0; i < int'(MAIN_ENTRIES); i++) begin : gen_comparators
    assign equal_d[i] = lines_q[i] == line_i;
  end
  assign match = used_q & equal_q;

  always_comb begin
    found_entry_o = '0;
    free_entry_o  = '0;
    for (int i = int'(MAIN_ENTRIES) - 1; i >= 0; i--) begin
      if (match[i]) found_entry_o = entry_t'(i);
      if (!used_q[i]) free_entry_o = entry_t'(i);
    end
  end
  assign found_o    = match != '0;
  assign has_free_o = used_q != '1;

  // A grant counts in its own cycle.
  logic grants_line, grants_copy, granted_here;

  assign grants_line    = grant_i && (!grant_core_i || writes_q[grant_entry_i]);
  assign grants_copy    = grant_i && !grants_line;
  assign granted_here   = grant_entry_i == found_entry_o;
  assign found_owned_o  = owned_q[found_entry_o] || (grants_line && granted_here);
  assign found_joined_o = joined_q[found_entry_o];
  assign found_open_o   = MERGE && !closed_q[found_entry_o] && !(grants_copy && granted_here) &&
                          found_joined_o != count_t'(SUB_ENTRIES);

  assign entry_line_o    = lines_q[entry_i];
  assign entry_owned_o   = owned_q[entry_i];
  assign entry_claimed_o = claimed_q[entry_i];
  assign entry_writes_o  = writes_q[entry_i];
  assign entry_joined_o  = joined_q[entry_i];
  assign writes_o        = writes_q;

  always_comb begin
    used_d    = used_q;
    owned_d   = owned_q;
    closed_d  = closed_q;
    claimed_d = claimed_q;
    writes_d  = writes_q;
    joined_d  = joined_q;
    if (grants_line) owned_d[grant_entry_i] = 1'b1;
    if (grants_copy) closed_d[grant_entry_i] = 1'b1;
    if (claim_i) begin
      closed_d[found_entry_o]  = 1'b1;
      claimed_d[found_entry_o] = 1'b1;
    end
    if (join_i) begin
      writes_d[found_entry_o] = writes_q[found_entry_o] || writes_i;
      joined_d[found_entry_o] = found_joined_o + 1'b1;
    end
    if (end_i) used_d[entry_i] = 1'b0;
    if (take_i) begin
      used_d[free_entry_o]    = 1'b1;
      owned_d[free_entry_o]   = 1'b0;
      closed_d[free_entry_o]  = 1'b0;
      claimed_d[free_entry_o] = 1'b0;
      writes_d[free_entry_o]  = writes_i;
      joined_d[free_entry_o]  = count_t'(1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) used_q <= '0;
    else used_q <= used_d;
  end

  // The rest has no meaning while the entry is free.
  always_ff @(posedge clk_i) begin
    equal_q   <= equal_d;
    owned_q   <= owned_d;
    closed_q  <= closed_d;
    claimed_q <= claimed_d;
    writes_q  <= writes_d;
    joined_q  <= joined_d;
    if (take_i) lines_q[free_entry_o] <= line_i;
  end

endmodule
