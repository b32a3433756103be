/// cni_regions: the region table: which addresses a tile's process may use through its interface, and how.
///
/// An entry is a match and a mask, as in a ternary CAM; the first matching entry counts. An entry that cannot be, or is
/// smaller than a line, is disabled. A question is answered for all lines of a range: a line is looked up in each
/// cycle, until one is refused. The answer has the code and the way of the first line, for a core's own accesses. Every
/// output depends on registers alone. A clock gate may use `quiet_o`.
module cni_regions #(
    parameter int unsigned ENTRIES = 16,
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
  // These bits of a line's number say which of a range's lines it is, as the range has less than 2^17 bytes.
  localparam int unsigned RangeWidth = InLine < 17 ? 18 - InLine : 1;
  localparam int unsigned LastWidth = RangeWidth < LineWidth ? RangeWidth : LineWidth;
  // Entries are chosen in a tree.
  localparam int unsigned Levels = $clog2(ENTRIES);
  localparam int unsigned Leaves = 1 << Levels;
  typedef logic [LineWidth-1:0] line_t;
  typedef logic [LastWidth-1:0] last_t;
  typedef struct packed {
    region_e             code;
    logic [WayWidth-1:0] way;
  } use_t;
  typedef struct packed {
    line_t match;
    line_t mask;
    use_t  use_;
  } entry_t;

  entry_t entries_q[ENTRIES];
  logic [ENTRIES-1:0] enabled_d, enabled_q;
  entry_t set;
  logic sound, set_sound_q;

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
    if (set_valid_i) enabled_d[set_entry_i] = sound;
  end

  // The range.
  typedef enum logic [1:0] {
    Wait = 2'd0,
    Walk = 2'd1,
    Told = 2'd2
  } step_e;
  step_e step_d, step_q;
  line_t line_d, line_q;
  last_t last_d, last_q;
  logic writes_d, writes_q, first_d, first_q, allowed_d, allowed_q;
  region_e code_d, code_q;
  logic [WayWidth-1:0] way_d, way_q;
  logic [64-InLine:0] end_line;
  logic outside;

  assign end_line = (65 - InLine)'((65'(ask_address_i) + 65'(ask_bytes_i) - 65'd1) >> InLine);
  assign outside  = ask_bytes_i == '0 || end_line[64-InLine:LineWidth] != '0;

  logic unused;
  assign unused = ^(end_line >> LastWidth);

  // The first entry that matches, chosen in pairs: node i has the choice of the nodes 2 i and 2 i + 1, the leaves are
  // the entries. Bits above ADDRESS_BITS of a mask meet zeros.
  logic [2*Leaves-1:0] found, allows;
  use_t [2*Leaves-1:0] uses;
  use_t entry;
  always_comb begin
    found  = '0;
    allows = '0;
    uses   = '0;
    for (int unsigned i = 0; i < ENTRIES; ++i) begin
      if (enabled_q[i] && (line_q & entries_q[i].mask) == entries_q[i].match) begin
        found[Leaves+i]  = 1'b1;
        allows[Leaves+i] = writes_q || entries_q[i].use_.code != RegionRemoteEvents;
        uses[Leaves+i]   = entries_q[i].use_;
      end
    end
    for (int unsigned i = Leaves - 1; i > 0; --i) begin
      found[i]  = found[2*i] || found[2*i+1];
      allows[i] = found[2*i] ? allows[2*i] : allows[2*i+1];
      uses[i]   = found[2*i] ? uses[2*i] : uses[2*i+1];
    end
  end
  assign entry = uses[1];

  always_comb begin
    step_d    = step_q;
    line_d    = line_q;
    last_d    = last_q;
    writes_d  = writes_q;
    first_d   = first_q;
    allowed_d = allowed_q;
    code_d    = code_q;
    way_d     = way_q;
    unique case (step_q)
      Wait: begin
        line_d    = ask_address_i[ADDRESS_BITS-1:InLine];
        last_d    = end_line[LastWidth-1:0];
        writes_d  = ask_writes_i;
        first_d   = 1'b1;
        allowed_d = 1'b0;
        code_d    = RegionNone;
        way_d     = '0;
        if (ask_valid_i) step_d = outside ? Told : Walk;
      end
      Walk: begin
        first_d = 1'b0;
        line_d  = line_q + 1'b1;
        if (first_q) begin
          code_d = entry.code;
          way_d  = entry.way;
        end
        if (!allows[1]) begin
          step_d = Told;
        end else if (line_q[LastWidth-1:0] == last_q) begin
          step_d    = Told;
          allowed_d = 1'b1;
        end
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
    last_q      <= last_d;
    writes_q    <= writes_d;
    first_q     <= first_d;
    allowed_q   <= allowed_d;
    code_q      <= code_d;
    way_q       <= way_d;
    if (set_valid_i) entries_q[set_entry_i] <= set;
  end

  if (ENTRIES == 0) begin : gen_wrong_entries
    $error("cni_regions: ENTRIES is at least 1");
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
