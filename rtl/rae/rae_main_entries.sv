/// rae_main_entries: the extended MSHRs' main entries: a line being fetched, its W bit, and how many requests wait.
///
/// One comparator for each entry searches `line_i`. It takes two cycles: the line has to be there in the cycle before,
/// too, without an entry being taken in that. At most one entry has a line. Look-ups and claims share the comparators.
/// An entry is taken, joined, closed or ended at the clock edge.
///
///   owned    only this entry has the line: it came from memory, or the core's caches lost it, as the W bit was set.
///   closed   no request may join: the entry has a copy, or is full, or a claim waits until it ends (claimed).
///
/// That an entry is taken is known late in a cycle. That it may be, `may_take_i`, is known early: the first free entry
/// then gets the line and its state, which mean nothing while it is free.
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
    input  logic                    may_take_i,      // the free one, for this line,
    input  logic                    take_i,          // and it does
    input  logic                    join_i,          // the one that was found
    input  logic                    writes_i,        // the request that takes or joins
    input  logic                    claim_i,         // the one that was found
    input  logic                    grant_i,
    input  logic                    grant_core_i,
    input  logic [  EntryWidth-1:0] grant_entry_i,
    input  logic                    end_i,           // that of entry_i
    // The entry whose requests are done, and which one it is in the next cycle.
    input  logic [  EntryWidth-1:0] entry_i,
    input  logic [  EntryWidth-1:0] next_entry_i,
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

  // The comparators, and the first free entry: what concerns one entry is a bit for each of them. An entry that ended
  // in the cycle before is not found.
  logic [MAIN_ENTRIES-1:0] equal_d, equal_q, match, first_free;

  for (genvar i = 0; i < int'(MAIN_ENTRIES); i++) begin : gen_comparators
    assign equal_d[i] = lines_q[i] == line_i;
  end
  assign match      = used_q & equal_q;
  assign first_free = ~used_q & (used_q + 1'b1);

  always_comb begin
    found_entry_o  = '0;
    found_joined_o = '0;
    free_entry_o   = '0;
    for (int unsigned i = 0; i < MAIN_ENTRIES; ++i) begin
      found_entry_o |= match[i] ? entry_t'(i) : '0;
      found_joined_o |= match[i] ? joined_q[i] : '0;
      free_entry_o |= first_free[i] ? entry_t'(i) : '0;
    end
  end
  assign found_o    = match != '0;
  assign has_free_o = used_q != '1;

  // A grant counts in its own cycle.
  logic [MAIN_ENTRIES-1:0] gets_line, gets_copy, ends, may_begin, begins, joins, claims;

  for (genvar i = 0; i < int'(MAIN_ENTRIES); i++) begin : gen_bits
    assign gets_line[i] = grant_i && grant_entry_i == entry_t'(i) && (!grant_core_i || writes_q[i]);
    assign gets_copy[i] = grant_i && grant_entry_i == entry_t'(i) && grant_core_i && !writes_q[i];
    assign ends[i]      = end_i && entry_i == entry_t'(i);
  end
  assign may_begin = may_take_i ? first_free : '0;
  assign begins    = take_i ? first_free : '0;
  assign joins     = join_i ? match : '0;
  assign claims    = claim_i ? match : '0;

  assign found_owned_o = (match & (owned_q | gets_line)) != '0;
  assign found_open_o  = (match & ~closed_q & ~gets_copy) != '0;

  assign entry_line_o    = lines_q[entry_i];
  assign entry_owned_o   = owned_q[entry_i];
  assign entry_claimed_o = claimed_q[entry_i];
  assign entry_writes_o  = writes_q[entry_i];
  assign writes_o        = writes_q;

  // This count is asked for early in a cycle.
  count_t entry_joined_d, entry_joined_q;

  assign entry_joined_d = joins[next_entry_i] ? joined_q[next_entry_i] + 1'b1 : joined_q[next_entry_i];
  assign entry_joined_o = entry_joined_q;

  logic fills;

  assign fills     = found_joined_o == count_t'(SUB_ENTRIES - 1);
  assign used_d    = (used_q & ~ends) | begins;
  assign owned_d   = (owned_q | gets_line) & ~may_begin;
  assign claimed_d = (claimed_q | claims) & ~may_begin;

  always_comb begin
    closed_d = closed_q | gets_copy | claims | (fills ? joins : '0);
    writes_d = writes_q | (writes_i ? joins : '0);
    joined_d = joined_q;
    for (int unsigned i = 0; i < MAIN_ENTRIES; ++i) begin
      if (joins[i]) joined_d[i] = found_joined_o + 1'b1;
      if (may_begin[i]) closed_d[i] = !MERGE || SUB_ENTRIES == 1;
      if (may_begin[i]) joined_d[i] = count_t'(1);
      if (begins[i]) writes_d[i] = writes_i;
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
    for (int unsigned i = 0; i < MAIN_ENTRIES; ++i) if (may_begin[i]) lines_q[i] <= line_i;
    entry_joined_q <= entry_joined_d;
  end

endmodule
