/// cni_regions_properties: the table has what was written, the first entry that matches counts, and a question is
/// allowed exactly if all lines of its range are.
///
/// The table is kept here as it was written, in words of 64 bits, beside the module's. Any one line of each question is
/// watched: an answer that allows the range allows it. An answer that refuses has met a line that is refused, or the
/// range leaves the addresses. Each question has one answer, which stays until it is taken. Nobody writes an entry
/// while a question is inside.
module cni_regions_properties #(
    parameter int unsigned ENTRIES = 16,
    parameter int unsigned COMPARED = 2,
    parameter int unsigned WAYS = 8,
    parameter int unsigned ADDRESS_BITS = 48,
    parameter int unsigned LINE_BYTES = 64,
    localparam int unsigned EntryWidth = ENTRIES > 1 ? $clog2(ENTRIES) : 1,
    localparam int unsigned WayWidth = WAYS > 1 ? $clog2(WAYS) : 1,
    localparam int unsigned InLine = $clog2(LINE_BYTES),
    localparam int unsigned LineWidth = ADDRESS_BITS - InLine,
    localparam int unsigned Groups = (ENTRIES + COMPARED - 1) / COMPARED,
    localparam int unsigned GroupWidth = Groups > 1 ? $clog2(Groups) : 1,
    localparam int unsigned CountWidth = InLine < 17 ? 18 - InLine : 1
) (
    input logic                             clk_i,
    input logic                             rst_ni,
    input logic                             set_valid_i,
    input logic             [EntryWidth-1:0] set_entry_i,
    input cni_pkg::word_t                   set_match_i,
    input cni_pkg::word_t                   set_mask_i,
    input cni_pkg::word_t                   set_code_i,
    input cni_pkg::word_t                   set_way_i,
    input logic                             set_sound_o,
    input logic                             ask_valid_i,
    input logic                             ask_ready_o,
    input cni_pkg::word_t                   ask_address_i,
    input logic             [16:0]          ask_bytes_i,
    input logic                             ask_writes_i,
    input logic                             answer_valid_o,
    input logic                             answer_ready_i,
    input logic                             answer_allowed_o,
    input cni_pkg::region_e                 answer_code_o,
    input logic             [WayWidth-1:0]  answer_way_o,
    input logic                             quiet_o,
    // Inside: entries as match, mask, code, way, those of even and of odd numbers.
    input logic   [Groups-1:0][COMPARED-1:0] enabled_q,
    input logic             [2*LineWidth+WayWidth+2:0] even_q[Groups],
    input logic             [2*LineWidth+WayWidth+2:0] odd_q[Groups],
    input logic            [GroupWidth-1:0] group_q,
    input logic             [LineWidth-1:0] line_q,
    input logic            [CountWidth-1:0] left_q,
    input logic                             no_line_q,
    input logic                             writes_q,
    input logic                             first_q,
    input logic             [1:0]           step_q
);
  import cni_pkg::*;

  typedef struct packed {
    logic                found;
    region_e             code;
    logic [WayWidth-1:0] way;
  } use_t;

  logic [LineWidth-1:0] any;  // free in every cycle
  logic started_q = 1'b0;
  // The table as it was written.
  logic [ENTRIES-1:0] sound_q;
  word_t match_q[ENTRIES], mask_q[ENTRIES], code_q[ENTRIES], way_q[ENTRIES];
  logic set_q, set_as_sound_q;
  // The question.
  logic inside_q, offered_q, allowed_q, outside_q, stores_q;
  logic [64:0] end_q;
  word_t address_q;
  region_e said_code_q;
  logic [WayWidth-1:0] said_way_q;
  logic [LineWidth-1:0] watched_q, refused_q;
  logic [64:0] ends;

  // An entry that can be: whole lines, no bit outside of its mask, an address that there is, a known code and way.
  function automatic logic can_be(word_t match, word_t mask, word_t code, word_t way);
    logic fits;
    fits = 1'b1;
    for (int unsigned i = 0; i < 64; ++i) begin
      if (i < InLine && mask[i]) fits = 1'b0;
      if (match[i] && (!mask[i] || i >= ADDRESS_BITS)) fits = 1'b0;
    end
    if (code == '0 || code > 64'd4) fits = 1'b0;
    if (code == 64'(RegionOwnScratchpad) && way >= 64'(WAYS)) fits = 1'b0;
    return fits;
  endfunction

  // The first entry that matches the line, from the lowest on.
  function automatic use_t use_of(logic [LineWidth-1:0] line);
    use_t use_;
    use_ = '0;
    for (int unsigned i = 0; i < ENTRIES; ++i) begin
      if (!use_.found && sound_q[i] && ((64'(line) << InLine) & mask_q[i]) == match_q[i]) begin
        use_.found = 1'b1;
        use_.code  = region_e'(code_q[i][2:0]);
        use_.way   = way_q[i][WayWidth-1:0];
      end
    end
    return use_;
  endfunction

  // An entry before this group matches the line.
  function automatic logic passed(logic [LineWidth-1:0] line, logic [GroupWidth-1:0] group);
    logic found;
    found = 1'b0;
    for (int unsigned i = 0; i < ENTRIES; ++i) begin
      if (i < COMPARED * 32'(group) && sound_q[i] && ((64'(line) << InLine) & mask_q[i]) == match_q[i]) found = 1'b1;
    end
    return found;
  endfunction

  function automatic logic allows(logic [LineWidth-1:0] line);
    use_t use_;
    use_ = use_of(line);
    return use_.found && (stores_q || use_.code != RegionRemoteEvents);
  endfunction

  assign ends = 65'(ask_address_i) + 65'(ask_bytes_i) - 65'd1;

  always_ff @(posedge clk_i) begin
    started_q      <= 1'b1;
    set_q          <= rst_ni && set_valid_i;
    set_as_sound_q <= can_be(set_match_i, set_mask_i, set_code_i, set_way_i);
    offered_q      <= rst_ni && answer_valid_o && !answer_ready_i;
    allowed_q      <= answer_allowed_o;
    said_code_q    <= answer_code_o;
    said_way_q     <= answer_way_o;
    refused_q      <= line_q;  // the line that was looked up last, when the answer comes
    if (set_valid_i) begin
      match_q[set_entry_i] <= set_match_i;
      mask_q[set_entry_i]  <= set_mask_i;
      code_q[set_entry_i]  <= set_code_i;
      way_q[set_entry_i]   <= set_way_i;
    end
    if (!rst_ni) begin
      sound_q  <= '0;
      inside_q <= 1'b0;
    end else begin
      if (set_valid_i) sound_q[set_entry_i] <= can_be(set_match_i, set_mask_i, set_code_i, set_way_i);
      if (answer_valid_o && answer_ready_i) inside_q <= 1'b0;
      if (ask_valid_i && ask_ready_o) begin
        inside_q  <= 1'b1;
        address_q <= ask_address_i;
        end_q     <= ends;
        stores_q  <= ask_writes_i;
        outside_q <= ask_bytes_i == '0 || 65'(ask_address_i) >= 65'd1 << ADDRESS_BITS;
        watched_q <= any;
      end
    end
  end

  logic [LineWidth-1:0] from;
  logic [64-InLine:0] to;
  logic leaves;  // the addresses
  assign from   = address_q[ADDRESS_BITS-1:InLine];
  assign to     = end_q[64:InLine];
  assign leaves = end_q >= 65'd1 << ADDRESS_BITS;

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (inside_q) assume (!set_valid_i);
    assume (!set_valid_i || 32'(set_entry_i) < ENTRIES);
    assume (ask_bytes_i <= 17'd65536);
    if (started_q && rst_ni) begin
      // The table has what was written.
      if (set_q) assert (set_sound_o == set_as_sound_q);
      assert ((Groups * COMPARED)'(enabled_q) == (Groups * COMPARED)'(sound_q));
      for (int unsigned i = 0; i < ENTRIES; ++i) begin
        if (sound_q[i]) begin
          assert (can_be(match_q[i], mask_q[i], code_q[i], way_q[i]));
          assert ((i % 2 == 0 ? even_q[i/2] : odd_q[i/2]) ==
                  {match_q[i][ADDRESS_BITS-1:InLine], mask_q[i][ADDRESS_BITS-1:InLine], code_q[i][2:0],
                   way_q[i][WayWidth-1:0]});
        end
      end
      // One answer for each question, which stays.
      assert (ask_ready_o == !inside_q && quiet_o == !inside_q);
      if (answer_valid_o) assert (inside_q);
      if (offered_q) begin
        assert (answer_valid_o && answer_allowed_o == allowed_q);
        assert (answer_code_o == said_code_q && answer_way_o == said_way_q);
      end
      if (answer_valid_o) begin
        // All lines are allowed, and any one of them is;
        if (answer_allowed_o) begin
          assert (!outside_q && !leaves);
          if (watched_q >= from && 65'(watched_q) <= 65'(to)) assert (allows(watched_q));
        end
        // or there is one that is not.
        if (!answer_allowed_o && !outside_q && !offered_q) begin
          assert (refused_q >= from && 65'(refused_q) <= 65'(to));
          assert (!allows(refused_q) || (leaves && refused_q == '1));
        end
        // The use of the first line.
        if (outside_q) assert (answer_code_o == RegionNone && answer_way_o == '0);
        else assert (answer_code_o == use_of(from).code && answer_way_o == use_of(from).way);
      end
      // For the induction.
      assert (step_q <= 2'd2 && inside_q == (step_q != 2'd0) && answer_valid_o == (step_q == 2'd2));
      if (inside_q && !outside_q) assert (65'(from) <= 65'(to));
      if (step_q == 2'd1) begin
        assert (!answer_allowed_o && writes_q == stores_q && no_line_q == outside_q);
        if (outside_q) assert (first_q && group_q == '0);
        assert (32'(group_q) < Groups);
        if (first_q) assert (answer_code_o == RegionNone && answer_way_o == '0);
      end
      if (step_q == 2'd1 && !outside_q) begin
        assert (line_q >= from && 65'(line_q) + 65'(left_q) == 65'(to) && first_q == (line_q == from));
        assert (!passed(line_q, group_q));
        if (watched_q >= from && watched_q < line_q) assert (allows(watched_q));
        if (!first_q) assert (answer_code_o == use_of(from).code && answer_way_o == use_of(from).way);
      end
    end
  end

endmodule

bind cni_regions cni_regions_properties #(
    .ENTRIES     (ENTRIES),
    .COMPARED    (COMPARED),
    .WAYS        (WAYS),
    .ADDRESS_BITS(ADDRESS_BITS),
    .LINE_BYTES  (LINE_BYTES)
) properties (
    .even_q   (gen_lane[0].entries_q),
    .odd_q    (gen_lane[1].entries_q),
    .step_q   (step_q),
    .no_line_q(outside_q),
    .*
);
