/// rae_interface: RAE's network interface beside a node's memory: loads, stores and atomics of other nodes.
///
/// A request passes the queue, in which its packet is decoded, and a look-up of interface cache and extended MSHRs. A
/// hit is done by the interface core. A request for a line that is being fetched is merged into its main entry; another
/// one takes a main entry, which fetches the line. Ports:
///
///   request     packets with operations on words; one a cycle.
///   answer      one for each request, with its tag: what was loaded, or the old value.
///   fetch       a main entry wants its line, from the core's caches or from memory.
///   grant       where the line of an entry comes from, once this is decided, and at the latest with the line. From
///               memory, or from the core's caches if the entry's W bit (`writes_o`) is set, only the interface has it
///               from now on, and the core's caches must lose it; otherwise the entry has a copy. It is not given
///               while the end of a claim of its line is offered.
///   line        the bytes of a fetched line.
///   store       changed lines to memory. The memory must order them before fetches that follow.
///   claim       others are about to read a line in memory, or to own or write it (`takes`).
///   claim_done  memory has the line.
///
/// All outputs come from registers, and none depends on an input of the same cycle. A request that finds its line in
/// the cache is answered PACKET_CYCLES + LOOK_UP_CYCLES + OPERATION_CYCLES after the cycle in which it was accepted.
/// `busy_o` is low if nothing changes as long as all inputs are low. Addresses are offsets in the node's memory.
/// Source: RAE, section 3 and Table I. Model: src/machine/rae/interface_pipeline.hpp.
module rae_interface
  import rae_pkg::*;
#(
    parameter int unsigned MAIN_ENTRIES = 64,
    parameter int unsigned SUB_ENTRIES = 64,
    parameter int unsigned QUEUE_ENTRIES = 64,
    parameter int unsigned PACKET_CYCLES = 4,     // at least 2
    parameter int unsigned LOOK_UP_CYCLES = 1,    // at least 1
    parameter int unsigned OPERATION_CYCLES = 2,  // at least 2
    parameter int unsigned CACHE_LINES = 1024,    // a power of two
    parameter int unsigned LINE_BYTES = 64,       // a power of two, at least 8
    parameter int unsigned ADDRESS_WIDTH = 31,
    parameter int unsigned REQUEST_TAG_WIDTH = 13,
    parameter bit RETAIN = 1'b1,                  // lines stay in the cache when their entry ends
    parameter bit MERGE = 1'b1,
    localparam int unsigned EntryWidth = MAIN_ENTRIES > 1 ? $clog2(MAIN_ENTRIES) : 1,
    localparam int unsigned QueuedWidth = $clog2(QUEUE_ENTRIES + 1),
    localparam int unsigned OffsetWidth = $clog2(LINE_BYTES),
    localparam int unsigned LineWidth = ADDRESS_WIDTH - OffsetWidth
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         request_valid_i,
    output logic                         request_ready_o,
    input  packet_e                      request_packet_i,
    input  word_e                        request_word_i,
    input  size_t                        request_size_i,
    input  logic [REQUEST_TAG_WIDTH-1:0] request_tag_i,
    input  logic [    ADDRESS_WIDTH-1:0] request_address_i,
    input  logic [                 63:0] request_operand_i,
    input  logic [                 63:0] request_expected_i,
    output logic [      QueuedWidth-1:0] queued_o,
    output logic                         answer_valid_o,
    input  logic                         answer_ready_i,
    output logic                         answer_wrong_o,
    output logic [REQUEST_TAG_WIDTH-1:0] answer_tag_o,
    output logic [                 63:0] answer_data_o,
    output logic                         fetch_valid_o,
    input  logic                         fetch_ready_i,
    output logic [       EntryWidth-1:0] fetch_entry_o,
    output logic [        LineWidth-1:0] fetch_line_o,
    input  logic                         grant_valid_i,
    input  logic                         grant_core_i,
    input  logic [       EntryWidth-1:0] grant_entry_i,
    output logic [     MAIN_ENTRIES-1:0] writes_o,
    input  logic                         line_valid_i,
    output logic                         line_ready_o,
    input  logic [       EntryWidth-1:0] line_entry_i,
    input  logic [     8*LINE_BYTES-1:0] line_data_i,
    output logic                         store_valid_o,
    input  logic                         store_ready_i,
    output logic [        LineWidth-1:0] store_line_o,
    output logic [     8*LINE_BYTES-1:0] store_data_o,
    input  logic                         claim_valid_i,
    output logic                         claim_ready_o,
    input  logic                         claim_takes_i,
    input  logic [        LineWidth-1:0] claim_line_i,
    output logic                         claim_done_valid_o,
    input  logic                         claim_done_ready_i,
    output logic                         busy_o,
    // What happened in the cycle before, for statistics.
    output logic                         hit_o,
    output logic                         entered_o,
    output logic                         merged_o,
    output logic                         stalled_o
);

  localparam int unsigned HitEntries = 4;
  localparam int unsigned CountWidth = $clog2(SUB_ENTRIES + 1);
  localparam int unsigned IndexBits = $clog2(CACHE_LINES);
  localparam int unsigned IndexWidth = CACHE_LINES > 1 ? IndexBits : 1;
  localparam int unsigned TagWidth = LineWidth > IndexBits ? LineWidth - IndexBits : 1;
  localparam int unsigned PlaceWidth = $clog2(CACHE_LINES + MAIN_ENTRIES);
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [TagWidth-1:0] tag_t;

  typedef struct packed {
    operation_e operation;
    size_t size;
    logic [OffsetWidth-1:0] offset;
    logic [REQUEST_TAG_WIDTH-1:0] tag;
  } sub_entry_t;
  typedef struct packed {
    logic [63:0] operand;
    logic [63:0] expected;
  } operands_t;
  typedef struct packed {
    logic wrong;
    logic [LineWidth-1:0] line;
    sub_entry_t what;
    operands_t operands;
  } request_t;
  typedef struct packed {
    logic wrong;
    index_t index;
    tag_t tag;
    sub_entry_t what;
    operands_t operands;
  } hit_t;

  // The queue.
  request_t request, head;
  operation_e operation;
  logic operation_wrong, head_valid, head_leaves, decodes;

  rae_operation_map #(
      .LINE_BYTES(LINE_BYTES)
  ) i_operation_map (
      .packet_i   (request_packet_i),
      .word_i     (request_word_i),
      .size_i     (request_size_i),
      .offset_i   (request_address_i[OffsetWidth-1:0]),
      .operation_o(operation),
      .wrong_o    (operation_wrong)
  );

  assign request.wrong             = operation_wrong;
  assign request.line              = request_address_i[ADDRESS_WIDTH-1:OffsetWidth];
  assign request.what.operation    = operation;
  assign request.what.size         = request_size_i;
  assign request.what.offset       = request_address_i[OffsetWidth-1:0];
  assign request.what.tag          = request_tag_i;
  assign request.operands.operand  = request_operand_i;
  assign request.operands.expected = request_expected_i;

  rae_request_queue #(
      .QUEUE_ENTRIES(QUEUE_ENTRIES),
      .PACKET_CYCLES(PACKET_CYCLES),
      .request_t    (request_t)
  ) i_request_queue (
      .clk_i,
      .rst_ni,
      .valid_i  (request_valid_i),
      .ready_o  (request_ready_o),
      .data_i   (request),
      .valid_o  (head_valid),
      .ready_i  (head_leaves),
      .data_o   (head),
      .queued_o,
      .decodes_o(decodes)
  );

  // The look-up.
  logic frozen, core_busy, blocked, look_up_reads, tag_hit, takes, joins, has_free, found, found_owned, found_open;
  logic may_take, may_enter;
  logic [EntryWidth-1:0] free_entry, found_entry;
  logic [CountWidth-1:0] found_joined;
  logic hit_valid, hit_ready, core_hit_valid, core_hit_ready, entry_ends;
  hit_t hit, core_hit;
  index_t head_index;
  logic tag_valid, tag_dirty;
  tag_t tag, head_tag;

  assign head_index = index_t'(head.line & LineWidth'(CACHE_LINES - 1));
  assign head_tag   = tag_t'(head.line >> IndexBits);
  assign tag_hit    = tag_valid && tag == head_tag;

  rae_look_up #(
      .LOOK_UP_CYCLES(LOOK_UP_CYCLES),
      .ENTRY_WIDTH   (EntryWidth),
      .LINE_WIDTH    (LineWidth)
  ) i_look_up (
      .clk_i,
      .rst_ni,
      .frozen_i     (frozen),
      .ended_i      (entry_ends),
      .head_i       (head_valid),
      .wrong_i      (head.wrong),
      .line_i       (head.line),
      .leaves_o     (head_leaves),
      .tag_read_o   (look_up_reads),
      .hit_i        (tag_hit),
      .found_i      (found),
      .open_i       (found_open),
      .has_free_i   (has_free),
      .free_entry_i (free_entry),
      .core_valid_o (hit_valid),
      .core_ready_i (hit_ready),
      .join_o       (joins),
      .take_o       (takes),
      .may_take_o   (may_take),
      .may_enter_o  (may_enter),
      .store_waits_i(store_valid_o),
      .fetch_valid_o,
      .fetch_ready_i,
      .fetch_entry_o,
      .fetch_line_o,
      .blocked_o    (blocked),
      .hit_o,
      .entered_o,
      .merged_o,
      .stalled_o
  );

  assign hit.wrong    = head.wrong;
  assign hit.index    = head_index;
  assign hit.tag      = head_tag;
  assign hit.what     = head.what;
  assign hit.operands = head.operands;

  fifo #(
      .DEPTH(HitEntries),
      .T    (hit_t)
  ) i_hits (
      .clk_i,
      .rst_ni,
      .valid_i(hit_valid),
      .ready_o(hit_ready),
      .data_i (hit),
      .valid_o(core_hit_valid),
      .ready_i(core_hit_ready),
      .data_o (core_hit)
  );

  // The extended MSHRs.
  logic core_searches, claims_entry, entry_owned, entry_claimed, entry_writes, sub_reads;
  logic [LineWidth-1:0] search_line, entry_line;
  logic [EntryWidth-1:0] core_entry, next_core_entry;
  logic [CountWidth-1:0] entry_joined, sub_number;
  logic head_writes;
  sub_entry_t sub;
  operands_t sub_operands;

  assign head_writes = head.what.operation != OperationLoad;

  rae_main_entries #(
      .MAIN_ENTRIES(MAIN_ENTRIES),
      .SUB_ENTRIES (SUB_ENTRIES),
      .LINE_WIDTH  (LineWidth),
      .MERGE       (MERGE)
  ) i_main_entries (
      .clk_i,
      .rst_ni,
      .line_i         (core_searches ? search_line : head.line),
      .found_o        (found),
      .found_entry_o  (found_entry),
      .found_owned_o  (found_owned),
      .found_open_o   (found_open),
      .found_joined_o (found_joined),
      .has_free_o     (has_free),
      .free_entry_o   (free_entry),
      .may_take_i     (may_take),
      .take_i         (takes),
      .join_i         (joins),
      .writes_i       (head_writes),
      .claim_i        (claims_entry),
      .grant_i        (grant_valid_i),
      .grant_core_i,
      .grant_entry_i,
      .end_i          (entry_ends),
      .entry_i        (core_entry),
      .next_entry_i   (next_core_entry),
      .entry_line_o   (entry_line),
      .entry_owned_o  (entry_owned),
      .entry_claimed_o(entry_claimed),
      .entry_writes_o (entry_writes),
      .entry_joined_o (entry_joined),
      .writes_o
  );

  rae_sub_entries #(
      .MAIN_ENTRIES(MAIN_ENTRIES),
      .SUB_ENTRIES (SUB_ENTRIES),
      .sub_entry_t (sub_entry_t),
      .operands_t  (operands_t)
  ) i_sub_entries (
      .clk_i,
      .write_i         (may_enter),
      .write_entry_i   (found ? found_entry : free_entry),
      .write_number_i  (found_joined),  // 0 if there is none
      .write_data_i    (head.what),
      .write_operands_i(head.operands),
      .read_i          (sub_reads),
      .read_entry_i    (core_entry),
      .read_number_i   (sub_number),
      .read_data_o     (sub),
      .read_operands_o (sub_operands)
  );

  // The interface cache and the interface core.
  logic core_tag_reads, tag_writes, new_valid, new_dirty, line_reads, line_writes;
  index_t core_tag_index, tag_write_index;
  tag_t new_tag;
  logic [PlaceWidth-1:0] line_read_place, line_write_place;
  logic [8*LINE_BYTES-1:0] line_read, line_written;

  rae_interface_cache #(
      .CACHE_LINES (CACHE_LINES),
      .MAIN_ENTRIES(MAIN_ENTRIES),
      .LINE_BYTES  (LINE_BYTES),
      .TAG_WIDTH   (TagWidth)
  ) i_interface_cache (
      .clk_i,
      .rst_ni,
      .tag_read_i        (core_tag_reads || look_up_reads),
      .tag_read_index_i  (frozen ? core_tag_index : head_index),
      .valid_o           (tag_valid),
      .dirty_o           (tag_dirty),
      .tag_o             (tag),
      .tag_write_i       (tag_writes),
      .tag_write_index_i (tag_write_index),
      .valid_i           (new_valid),
      .dirty_i           (new_dirty),
      .tag_i             (new_tag),
      .line_read_i       (line_reads),
      .line_read_place_i (line_read_place),
      .line_o            (line_read),
      .line_write_i      (line_writes),
      .line_write_place_i(line_write_place),
      .line_i            (line_written)
  );

  rae_interface_core #(
      .OPERATION_CYCLES (OPERATION_CYCLES),
      .CACHE_LINES      (CACHE_LINES),
      .MAIN_ENTRIES     (MAIN_ENTRIES),
      .SUB_ENTRIES      (SUB_ENTRIES),
      .LINE_BYTES       (LINE_BYTES),
      .LINE_WIDTH       (LineWidth),
      .TAG_WIDTH        (TagWidth),
      .REQUEST_TAG_WIDTH(REQUEST_TAG_WIDTH),
      .RETAIN           (RETAIN),
      .sub_entry_t      (sub_entry_t),
      .operands_t       (operands_t)
  ) i_interface_core (
      .clk_i,
      .rst_ni,
      .frozen_o          (frozen),
      .busy_o            (core_busy),
      .hit_valid_i       (core_hit_valid),
      .hit_ready_o       (core_hit_ready),
      .hit_i             (core_hit.what),
      .hit_operands_i    (core_hit.operands),
      .hit_index_i       (core_hit.index),
      .hit_tag_i         (core_hit.tag),
      .hit_wrong_i       (core_hit.wrong),
      .line_valid_i,
      .line_ready_o,
      .line_entry_i,
      .line_data_i,
      .claim_valid_i,
      .claim_ready_o,
      .claim_takes_i,
      .claim_line_i,
      .claim_done_valid_o,
      .claim_done_ready_i,
      .searches_o        (core_searches),
      .search_line_o     (search_line),
      .found_owned_i     (found && found_owned),
      .claim_entry_o     (claims_entry),
      .entry_o           (core_entry),
      .next_entry_o      (next_core_entry),
      .entry_end_o       (entry_ends),
      .entry_line_i      (entry_line),
      .entry_owned_i     (entry_owned),
      .entry_claimed_i   (entry_claimed),
      .entry_writes_i    (entry_writes),
      .entry_joined_i    (entry_joined),
      .sub_read_o        (sub_reads),
      .sub_number_o      (sub_number),
      .sub_i             (sub),
      .sub_operands_i    (sub_operands),
      .tag_read_o        (core_tag_reads),
      .tag_read_index_o  (core_tag_index),
      .valid_i           (tag_valid),
      .dirty_i           (tag_dirty),
      .tag_i             (tag),
      .tag_write_o       (tag_writes),
      .tag_write_index_o (tag_write_index),
      .valid_o           (new_valid),
      .dirty_o           (new_dirty),
      .tag_o             (new_tag),
      .line_read_o       (line_reads),
      .line_read_place_o (line_read_place),
      .line_i            (line_read),
      .line_write_o      (line_writes),
      .line_write_place_o(line_write_place),
      .line_o            (line_written),
      .answer_valid_o,
      .answer_ready_i,
      .answer_wrong_o,
      .answer_tag_o,
      .answer_data_o,
      .store_valid_o,
      .store_ready_i,
      .store_line_o,
      .store_data_o
  );

  assign busy_o = (queued_o != '0 && !blocked) || decodes || core_hit_valid || core_busy || fetch_valid_o ||
                  hit_o || entered_o || merged_o || stalled_o;

  if (MAIN_ENTRIES == 0) begin : gen_wrong_main_entries
    $error("rae_interface: MAIN_ENTRIES is at least 1");
  end
  if (SUB_ENTRIES == 0) begin : gen_wrong_sub_entries
    $error("rae_interface: SUB_ENTRIES is at least 1");
  end
  if (QUEUE_ENTRIES == 0) begin : gen_wrong_queue_entries
    $error("rae_interface: QUEUE_ENTRIES is at least 1");
  end
  if (PACKET_CYCLES < 2) begin : gen_wrong_packet_cycles
    $error("rae_interface: PACKET_CYCLES is at least 2");
  end
  if (LOOK_UP_CYCLES == 0) begin : gen_wrong_look_up_cycles
    $error("rae_interface: LOOK_UP_CYCLES is at least 1");
  end
  if (OPERATION_CYCLES < 2) begin : gen_wrong_operation_cycles
    $error("rae_interface: OPERATION_CYCLES is at least 2");
  end
  if (CACHE_LINES == 0 || (CACHE_LINES & (CACHE_LINES - 1)) != 0) begin : gen_wrong_cache_lines
    $error("rae_interface: CACHE_LINES is a power of two");
  end
  if (LINE_BYTES < 8 || (LINE_BYTES & (LINE_BYTES - 1)) != 0) begin : gen_wrong_line_bytes
    $error("rae_interface: LINE_BYTES is a power of two, at least 8");
  end
  if (ADDRESS_WIDTH <= $clog2(LINE_BYTES) + $clog2(CACHE_LINES) || ADDRESS_WIDTH > 64) begin : gen_wrong_address_width
    $error("rae_interface: ADDRESS_WIDTH is at most 64, and more than an index and an offset");
  end
  if (REQUEST_TAG_WIDTH == 0) begin : gen_wrong_tag_width
    $error("rae_interface: REQUEST_TAG_WIDTH is at least 1");
  end

endmodule
