/// cni_regions: the region table: which addresses a tile's process may use through its interface, and how.
///
/// An entry is a match and a mask, as in a ternary CAM; the first matching entry counts. An entry that cannot be, or is
/// smaller than a line, is disabled. A question is answered for all lines of a range, one after another, until one is
/// refused. COMPARED entries are compared with a line in each cycle, the first ones first, until one matches: so what
/// is asked most belongs to the first entries. A range without bytes takes a cycle, too, and one that leaves the
/// addresses is refused at their end. The answer has the code and the way of the first line, for a core's own accesses.
/// Every output depends on registers alone. A clock gate may use `quiet_o`.
module cni_regions #(
    parameter int unsigned ENTRIES = 16,
    parameter int unsigned COMPARED = 4,       // entries, in a cycle; a power of two
    parameter int unsigned WAYS = 8,           // of the cache
    parameter int unsigned ADDRESS_BITS = 48,  // those above are zero
    parameter int unsigned LINE_BYTES = 64,
    localparam int unsigned EntryWidth = ENTRIES > 1 ? $clog2(ENTRIES) : 1,
    localparam int unsigned WayWidth = WAYS > 1 ? $clog2(WAYS) : 1
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // An entry is written; whether it is enabled then is said in the next cycle. Not while a question is inside.
    input  logic                        set_valid_i,
    input  logic       [EntryWidth-1:0] set_entry_i,
    input  cni_pkg::word_t              set_match_i,
    input  cni_pkg::word_t              set_mask_i,
    input  cni_pkg::word_t              set_code_i,
    input  cni_pkg::word_t              set_way_i,
    output logic                        set_sound_o,
    input  logic                        ask_valid_i,
    output logic                        ask_ready_o,
    input  cni_pkg::word_t              ask_address_i,
    input  logic                 [16:0] ask_bytes_i,     // up to 65536; 0 is refused
    input  logic                        ask_writes_i,    // or reads: not from lines with events of other tiles
    output logic                        answer_valid_o,
    input  logic                        answer_ready_i,
    output logic                        answer_allowed_o,
    output cni_pkg::region_e            answer_code_o,
    output logic         [WayWidth-1:0] answer_way_o,
    output logic                        quiet_o          // nothing changes until an input is valid
);
  import cni_pkg::*;

  localparam int unsigned InLine = $clog2(LINE_BYTES);
  localparam int unsigned LineWidth = ADDRESS_BITS - InLine;
  // The lines of a range, which has at most 2^16 bytes.
  localparam int unsigned CountWidth = InLine < 17 ? 18 - InLine : 1;
  localparam int unsigned Groups = (ENTRIES + COMPARED - 1) / COMPARED;
  localparam int unsigned GroupWidth = Groups > 1 ? $clog2(Groups) : 1;
  localparam int unsigned LaneWidth = COMPARED > 1 ? $clog2(COMPARED) : 1;
  typedef logic [GroupWidth-1:0] group_t;
  typedef logic [LineWidth-1:0] line_t;
  typedef logic [CountWidth-1:0] count_t;
  typedef struct packed {
    region_e             code;
    logic [WayWidth-1:0] way;
  } use_t;
  typedef struct packed {
    line_t match;
    line_t mask;
    use_t  use_;
  } entry_t;

  logic [Groups-1:0][COMPARED-1:0] enabled_d, enabled_q;
  entry_t set;
  logic sound, set_sound_q;

  // An entry's group, and its place there.
  group_t set_group, group_d, group_q;
  logic [LaneWidth-1:0] set_lane;
  assign set_group = group_t'(32'(set_entry_i) / COMPARED);
  assign set_lane  = LaneWidth'(32'(set_entry_i) % COMPARED);

  always_comb begin
    set.match = set_match_i[ADDRESS_BITS-1:InLine];
    set.mask  = set_mask_i[ADDRESS_BITS-1:InLine];
    set.use_.code = region_e'(set_code_i[2:0]);
    set.use_.way  = set_way_i[WayWidth-1:0];
    // Not a shift by ADDRESS_BITS, for which yosys makes 426 LUTs.
    sound     = set_mask_i[InLine-1:0] == '0 && (set_match_i & ~set_mask_i) == '0 &&
                set_match_i[63:InLine] == (64 - InLine)'(set.match) &&
                set_code_i != '0 && set_code_i <= 64'(RegionMemory) &&
                (set.use_.code != RegionOwnScratchpad || set_way_i < 64'(WAYS));
    enabled_d = enabled_q;
    if (set_valid_i) enabled_d[set_group][set_lane] = sound;
  end

  // The range.
  typedef enum logic [1:0] {
    Wait = 2'd0,
    Walk = 2'd1,
    Told = 2'd2
  } step_e;
  step_e step_d, step_q;
  line_t line_d, line_q;
  count_t left_d, left_q;         // lines after this one
  logic outside_d, outside_q;     // there is no first line
  logic writes_d, writes_q, first_d, first_q, allowed_d, allowed_q;
  region_e code_d, code_q;
  logic [WayWidth-1:0] way_d, way_q;

  // The first entry of the group that matches, chosen in pairs: node i has the choice of the nodes 2 i and 2 i + 1, the
  // leaves are the entries. Bits above ADDRESS_BITS of a mask meet zeros.
  entry_t [COMPARED-1:0] entries;
  logic [2*COMPARED-1:0] found, allows;
  use_t [2*COMPARED-1:0] uses;
  use_t entry;

  for (genvar lane = 0; lane < COMPARED; ++lane) begin : gen_lane
    entry_t entries_q[Groups];
    assign entries[lane] = entries_q[group_q];
    always_ff @(posedge clk_i) begin
      if (set_valid_i && set_lane == LaneWidth'(lane)) entries_q[set_group] <= set;
    end
  end

  always_comb begin
    found  = '0;
    allows = '0;
    uses   = '0;
    for (int unsigned i = 0; i < COMPARED; ++i) begin
      if (enabled_q[group_q][i] && (line_q & entries[i].mask) == entries[i].match) begin
        found[COMPARED+i]  = 1'b1;
        allows[COMPARED+i] = writes_q || entries[i].use_.code != RegionRemoteEvents;
        uses[COMPARED+i]   = entries[i].use_;
      end
    end
    for (int unsigned i = COMPARED - 1; i > 0; --i) begin
      found[i]  = found[2*i] || found[2*i+1];
      allows[i] = found[2*i] ? allows[2*i] : allows[2*i+1];
      uses[i]   = found[2*i] ? uses[2*i] : uses[2*i+1];
    end
  end
  assign entry = uses[1];

  always_comb begin
    step_d    = step_q;
    line_d    = line_q;
    group_d   = group_q;
    left_d    = left_q;
    outside_d = outside_q;
    writes_d  = writes_q;
    first_d   = first_q;
    allowed_d = allowed_q;
    code_d    = code_q;
    way_d     = way_q;
    unique case (step_q)
      Wait: begin
        line_d    = ask_address_i[ADDRESS_BITS-1:InLine];
        left_d    = count_t'((18'(ask_address_i[InLine-1:0]) + 18'(ask_bytes_i) - 18'd1) >> InLine);
        outside_d = ask_bytes_i == '0 || ask_address_i != 64'(ask_address_i[ADDRESS_BITS-1:0]);
        writes_d  = ask_writes_i;
        group_d   = '0;
        first_d   = 1'b1;
        allowed_d = 1'b0;
        code_d    = RegionNone;
        way_d     = '0;
        if (ask_valid_i) step_d = Walk;
      end
      Walk: begin
        group_d = group_q + 1'b1;
        if (found[1]) begin
          group_d = '0;
          first_d = 1'b0;
          line_d  = line_q + 1'b1;
          left_d  = left_q - 1'b1;
        end
        if (first_q && !outside_q) begin
          code_d = entry.code;
          way_d  = entry.way;
        end
        // Behind the last line of all there is none.
        if (found[1] ? !allows[1] || left_q == '0 || line_q == '1 : group_q == group_t'(Groups - 1)) step_d = Told;
        if (outside_q) step_d = Told;
        allowed_d = !outside_q && allows[1] && left_q == '0;
      end
      default: if (answer_ready_i) step_d = Wait;
    endcase
  end

  assign set_sound_o      = set_sound_q;
  assign ask_ready_o      = step_q == Wait;
  assign answer_valid_o   = step_q == Told;
  assign answer_allowed_o = allowed_q;
  assign answer_code_o    = code_q;
  assign answer_way_o     = way_q;
  assign quiet_o          = step_q == Wait;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q    <= Wait;
      enabled_q <= '0;
    end else begin
      step_q    <= step_d;
      enabled_q <= enabled_d;
    end
  end

  // Nothing else means anything before an entry and a question have come.
  always_ff @(posedge clk_i) begin
    set_sound_q <= sound;
    line_q      <= line_d;
    group_q     <= group_d;
    left_q      <= left_d;
    outside_q   <= outside_d;
    writes_q    <= writes_d;
    first_q     <= first_d;
    allowed_q   <= allowed_d;
    code_q      <= code_d;
    way_q       <= way_d;
  end

  if (ENTRIES == 0) begin : gen_wrong_entries
    $error("cni_regions: ENTRIES is at least 1");
  end
  if (COMPARED == 0 || (COMPARED & (COMPARED - 1)) != 0) begin : gen_wrong_compared
    $error("cni_regions: COMPARED is a power of two");
  end
  if (WAYS == 0) begin : gen_wrong_ways
    $error("cni_regions: WAYS is at least 1");
  end
  if (LINE_BYTES < 16 || (LINE_BYTES & (LINE_BYTES - 1)) != 0) begin : gen_wrong_line_bytes
    $error("cni_regions: LINE_BYTES is a power of two, at least 16");
  end
  if (ADDRESS_BITS <= $clog2(LINE_BYTES) || ADDRESS_BITS > 64) begin : gen_wrong_address_bits
    $error("cni_regions: ADDRESS_BITS is at most 64, and more than an offset in a line");
  end

endmodule
