/// nma_access: the access to memory that each state offers, and the writes that are under way.
///
/// An offer is kept until it is taken: a read of the stream that was offered stays before a write.
module nma_access #(
    parameter int unsigned LANES = 8,
    parameter int unsigned STREAM_BURSTS = 8,
    parameter int unsigned POSTED_WRITES = 8,
    localparam int unsigned LaneBits = $clog2(LANES),
    localparam int unsigned TagBits = $clog2(STREAM_BURSTS + 1),
    localparam int unsigned SlotBits = STREAM_BURSTS > 1 ? $clog2(STREAM_BURSTS) : 1
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    input  nma_pkg::states_t                     state_i,
    input  logic                                 pauses_i,
    // The table to clear, or the place of an array's next burst.
    input  nma_pkg::offset_t                     range_at_i,
    input  nma_pkg::count_t                      range_left_i,
    // The map.
    input  nma_pkg::offset_t                     original_entry_i,
    input  nma_pkg::offset_t                     copy_entry_i,
    input  nma_pkg::word_t                       original_i,
    input  nma_pkg::word_t                       copy_i,
    input  logic                                 found_i,
    // The stream.
    input  logic                                 can_issue_i,
    input  logic             [SlotBits-1:0]      slot_i,
    input  nma_pkg::offset_t                     stream_offset_i,
    input  logic             [LaneBits:0]        stream_words_i,
    input  logic                                 out_full_i,
    input  logic             [LANES-1:0][63:0]   out_data_i,
    input  logic             [LaneBits:0]        out_words_i,
    // The line registers: the line that is wanted, and what has changed in the one of the copy.
    input  nma_pkg::offset_t                     wanted_i,
    input  logic                                 dirty_i,
    input  nma_pkg::offset_t                     line_i,
    input  logic             [LANES-1:0][63:0]   line_data_i,
    input  logic             [LaneBits-1:0]      run_lane_i,
    input  logic             [LaneBits:0]        run_words_i,
    // Writes that have come to memory; none is under way.
    input  logic                                 written_i,
    output logic                                 drained_o,
    output logic                                 has_room_o,        // for another write
    output logic                                 valid_o,
    input  logic                                 ready_i,
    output nma_pkg::taken_t                      taken_o,
    output logic                                 writes_o,
    output logic             [TagBits-1:0]       tag_o,
    output nma_pkg::offset_t                     offset_o,
    output logic             [LaneBits:0]        words_o,
    output logic             [LaneBits-1:0]      lane_o,
    output logic             [LANES-1:0][63:0]   data_o
);
  import nma_pkg::*;

  if (LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_wrong_lanes
    $error("nma_access: LANES is a power of two, at least 2");
  end
  if (STREAM_BURSTS == 0) begin : g_wrong_stream_bursts
    $error("nma_access: STREAM_BURSTS is at least 1");
  end
  if (POSTED_WRITES == 0) begin : g_wrong_posted_writes
    $error("nma_access: POSTED_WRITES is at least 1");
  end

  localparam logic [TagBits-1:0] Single = TagBits'(STREAM_BURSTS);  // the tag of reads that are no stream's
  typedef logic [LaneBits:0] words_t;

  localparam int unsigned PostedBits = $clog2(POSTED_WRITES + 1);

  logic held_d, held_q;  // a read was offered and not taken
  logic [PostedBits-1:0] under_way_d, under_way_q, rest;
  logic has_room_d, has_room_q;
  logic taken_write;
  logic stores, searches;  // a burst of an array; the list goes on
  logic streams;

  assign held_d      = valid_o && !ready_i && !writes_o;
  assign rest        = under_way_q - PostedBits'(written_i);
  assign under_way_d = taken_write ? rest + 1'b1 : rest;
  assign has_room_d  = rest != (taken_write ? PostedBits'(POSTED_WRITES - 1) : PostedBits'(POSTED_WRITES));
  assign drained_o   = under_way_q == '0;
  assign has_room_o  = has_room_q;
  assign taken_write = valid_o && ready_i && writes_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q      <= 1'b0;
      under_way_q <= '0;
      has_room_q  <= 1'b1;
    end else begin
      held_q      <= held_d;
      under_way_q <= under_way_d;
      has_room_q  <= has_room_d;
    end
  end

  assign stores   = out_full_i && has_room_o && !held_q;
  assign searches = !found_i || held_q;
  assign streams  = state_i[Search] || (state_i[Stream] && !stores);

  assign taken_o.read     = ready_i;
  assign taken_o.write    = ready_i && has_room_o;
  assign taken_o.run      = ready_i && has_room_o && dirty_i;
  assign taken_o.searched = ready_i && can_issue_i && searches;
  assign taken_o.streamed = ready_i && can_issue_i && !stores;
  assign taken_o.stored   = ready_i && stores;

  always_comb begin
    valid_o  = 1'b0;
    writes_o = 1'b0;
    tag_o    = Single;
    offset_o = range_at_i;
    words_o  = words_t'(1);
    lane_o   = '0;
    data_o   = '0;
    unique case (1'b1)
      state_i[Clear]: begin
        valid_o  = has_room_o;
        writes_o = 1'b1;
        words_o  = range_left_i < CountBits'(LANES) ? words_t'(range_left_i) : words_t'(LANES);
      end
      state_i[InsertOriginal]: begin
        valid_o   = has_room_o;
        writes_o  = 1'b1;
        offset_o  = original_entry_i;
        data_o[0] = original_i;
      end
      state_i[InsertCopy]: begin
        valid_o   = has_room_o;
        writes_o  = 1'b1;
        offset_o  = copy_entry_i;
        data_o[0] = copy_i;
      end
      state_i[Stream]: begin
        valid_o  = stores || can_issue_i;
        writes_o = stores;
        words_o  = out_words_i;
        data_o   = out_data_i;
      end
      state_i[Search]: valid_o = can_issue_i && searches;
      state_i[Probe]: begin
        valid_o  = !pauses_i;
        offset_o = original_entry_i;
      end
      state_i[Known]: begin
        valid_o  = 1'b1;
        offset_o = copy_entry_i;
      end
      state_i[Fetch]: begin
        valid_o  = 1'b1;
        offset_o = {wanted_i[OffsetBits-1:LaneBits+3], (LaneBits + 3)'(0)};
        words_o  = words_t'(LANES);
      end
      state_i[Clean]: begin
        valid_o  = dirty_i && has_room_o;
        writes_o = 1'b1;
        offset_o = line_i | {(OffsetBits - LaneBits - 3)'(0), run_lane_i, 3'b000};
        words_o  = run_words_i;
        lane_o   = run_lane_i;
        data_o   = line_data_i;
      end
      default: ;
    endcase
    if (streams) begin
      tag_o    = TagBits'(slot_i);
      offset_o = stream_offset_i;
      words_o  = stream_words_i;
    end
  end

  logic unused;
  assign unused = ^{state_i, wanted_i[LaneBits+2:0]};

endmodule
