/// nma_copy_machine: copies object graphs within a memory by pointer reversal (Algorithm 1 of NEMESYS), with all
/// traversal state in the copies: the states and the parts that do what they say.
///
/// It goes depth first, without a stack: on the way to a child, the position in the parent is saved in the transition
/// words of the parent's copy, and the parent in those of the child's copy; on the way back they are restored. What
/// comes back from memory is checked as originals are, so nothing outside of the buffer and the map is ever written.
/// src/machine/nma/copy_machine.hpp is the same circuit as the simulator has it.
module nma_copy_machine #(
    parameter int unsigned STATE_CYCLES = 1,   // of each state of Algorithm 1
    parameter int unsigned LANES = 8,          // words of a burst
    parameter int unsigned STREAM_BURSTS = 8,  // read ahead
    parameter int unsigned POSTED_WRITES = 8,  // under way
    parameter bit HASHED = 1'b1,               // has the hashed map
    localparam int unsigned LaneBits = $clog2(LANES),
    localparam int unsigned TagBits = $clog2(STREAM_BURSTS + 1)
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    input  nma_pkg::settings_t                      settings_i,
    input  logic                                    job_valid_i,
    output logic                                    job_ready_o,
    input  nma_pkg::job_t                           job_i,
    // Accesses to memory, done in their order: the words [lane, lane + words) of the data are written, or so many are
    // read, and the answer begins with them.
    output logic                                    access_valid_o,
    input  logic                                    access_ready_i,
    output logic                                    access_writes_o,
    output logic               [TagBits-1:0]        access_tag_o,
    output nma_pkg::offset_t                        access_offset_o,
    output logic               [LaneBits:0]         access_words_o,
    output logic               [LaneBits-1:0]       access_lane_o,
    output logic               [LANES-1:0][63:0]    access_data_o,
    input  logic                                    answer_valid_i,
    input  logic               [TagBits-1:0]        answer_tag_i,
    input  logic               [LANES-1:0][63:0]    answer_words_i,
    input  logic                                    written_i,              // a write is in memory
    // Records of types and words of masks.
    output logic                                    record_valid_o,
    input  logic                                    record_ready_i,
    output nma_pkg::word_t                          record_address_o,
    output logic                                    record_whole_o,         // a record; otherwise a word
    input  logic                                    record_answer_valid_i,
    input  logic                                    record_fault_i,         // it is outside of all memory
    input  logic               [2:0][63:0]          record_words_i,         // size, kind, mask; or one word
    output logic                                    result_valid_o,
    input  logic                                    result_ready_i,
    output nma_pkg::result_t                        result_o,
    output logic                                    quiet_o                 // nothing changes until an input is valid
);
  import nma_pkg::*;

  if (STATE_CYCLES == 0) begin : g_wrong_state_cycles
    $error("nma_copy_machine: STATE_CYCLES is at least 1");
  end
  if (LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_wrong_lanes
    $error("nma_copy_machine: LANES is a power of two, at least 2");
  end
  if (STREAM_BURSTS == 0) begin : g_wrong_stream_bursts
    $error("nma_copy_machine: STREAM_BURSTS is at least 1");
  end
  if (POSTED_WRITES == 0) begin : g_wrong_posted_writes
    $error("nma_copy_machine: POSTED_WRITES is at least 1");
  end

  localparam int unsigned LineBits = OffsetBits - LaneBits - 3;
  localparam int unsigned SlotBits = STREAM_BURSTS > 1 ? $clog2(STREAM_BURSTS) : 1;
  localparam logic [TagBits-1:0] Single = TagBits'(STREAM_BURSTS);  // the tag of reads that are no stream's

  // The registers of the states.
  states_t state;
  job_t job;
  word_t child, bytes, src, word;
  offset_t used, dst, range_at;
  count_t range_left;
  word_e what;
  logic [31:0] header;
  logic back, is_null, out_full, fills_copy, pauses;

  // ---- The object, its type, its words ----

  kind_e kind;
  logic set_type, record_sound, is_array, aligned_16;
  logic [31:0] type_bytes;
  word_t mask_at;

  nma_descriptor i_descriptor (
      .clk_i,
      .set_i       (set_type),
      .words_i     (record_words_i),
      .sound_o     (record_sound),
      .kind_o      (kind),
      .is_array_o  (is_array),
      .aligned_16_o(aligned_16),
      .bytes_o     (type_bytes),
      .mask_at_o   (mask_at)
  );

  logic wild, front_wild, beyond, no_room, parent_wild, sets_parent;
  count_t words;
  offset_t object, end_at;
  word_t final_copy;

  assign final_copy = job.final_shift + 64'(object);

  nma_bounds i_bounds (
      .clk_i,
      .job_i        (job),
      .child_i      (child),
      .back_i       (back),
      .used_i       (used),
      .dst_i        (dst),
      .is_array_i   (is_array),
      .aligned_16_i (aligned_16),
      .bytes_i      (bytes),
      .wild_o       (wild),
      .front_wild_o (front_wild),
      .beyond_o     (beyond),
      .place_i      (state[Check]),
      .words_o      (words),
      .object_o     (object),
      .end_o        (end_at),
      .no_room_o    (no_room),
      .set_parent_i (sets_parent),
      .parent_i     (word),
      .parent_wild_o(parent_wild)
  );

  cursor_do_t cursor_do;
  logic mask_missing, position_beyond, last;
  logic [1:0] index, new_index;
  count_t position, remain, left;
  code_e code;

  nma_cursor i_cursor (
      .clk_i,
      .do_i          (cursor_do),
      .words_i       (words),
      .position_i    (CountBits'(word[OffsetBits-4:0])),
      .index_i       (new_index),
      .kind_i        (kind),
      .mask_i        (record_words_i[0]),
      .position_o    (position),
      .remain_o      (remain),
      .beyond_o      (position_beyond),
      .left_o        (left),
      .last_o        (last),
      .index_o       (index),
      .mask_missing_o(mask_missing),
      .code_o        (code)
  );

  addresses_do_t addresses_do;
  offset_t original_at, copy_at;
  logic [LineBits-1:0] original_line, copy_line;
  logic original_enters, copy_enters;

  nma_addresses #(
      .LANES(LANES)
  ) i_addresses (
      .clk_i,
      .do_i             (addresses_do),
      .state_i          (state),
      .child_i          (child),
      .source_shift_i   (job.source_shift),
      .object_i         (object),
      .dst_i            (dst),
      .up_i             (word),
      .position_i       (position),
      .is_array_i       (is_array),
      .original_at_o    (original_at),
      .copy_at_o        (copy_at),
      .original_line_i  (original_line),
      .copy_line_i      (copy_line),
      .original_enters_o(original_enters),
      .copy_enters_o    (copy_enters)
  );

  // ---- Line registers ----

  word_t original_word, copy_word;
  logic original_has, original_missing, copy_missing, store_missing, copy_has_line, copy_has, copies;
  lines_do_t lines_do;
  logic copy_dirty, run_last;
  logic [LaneBits-1:0] run_lane;
  logic [LaneBits:0] run_words;
  logic [LANES-1:0][63:0] copy_words;

  nma_lines #(
      .LANES(LANES)
  ) i_lines (
      .clk_i,
      .rst_ni,
      .state_i           (state),
      .original_at_i     (original_at),
      .copy_at_i         (copy_at),
      .moves_i           (addresses_do),
      .original_enters_i (original_enters),
      .copy_enters_i     (copy_enters),
      .original_line_o   (original_line),
      .copy_line_o       (copy_line),
      .is_array_i        (is_array),
      .front_wild_i      (front_wild),
      .back_i            (back),
      .mask_missing_i    (mask_missing),
      .what_i            (what),
      .word_i            (word),
      .null_i            (is_null),
      .target_i          (job.target),
      .dst_i             (dst),
      .object_i          (object),
      .final_copy_i      (final_copy),
      .src_i             (src),
      .bytes_i           (bytes),
      .header_i          (header),
      .position_i        (position),
      .index_i           (index),
      .runs_i            (!pauses),
      .do_i              (lines_do),
      .fill_words_i      (answer_words_i),
      .original_word_o   (original_word),
      .copy_word_o       (copy_word),
      .copies_o          (copies),
      .original_has_o    (original_has),
      .original_missing_o(original_missing),
      .copy_missing_o    (copy_missing),
      .copy_has_line_o   (copy_has_line),
      .copy_has_o        (copy_has),
      .store_missing_o   (store_missing),
      .dirty_o           (copy_dirty),
      .words_o           (copy_words),
      .run_lane_o        (run_lane),
      .run_words_o       (run_words),
      .run_last_o        (run_last)
  );

  // ---- The stream, and the search in it ----

  logic answered, arrived, arrived_live, matched, found;
  stream_do_t stream_do;
  logic stream_can_issue, stream_complete, stream_head_full;
  offset_t stream_begin_offset, stream_offset, arrived_offset, match_at;
  count_t stream_begin_words;
  logic [SlotBits-1:0] stream_slot;
  logic [LaneBits:0] stream_words, arrived_count, out_words;
  logic [LANES-1:0][63:0] out_data;

  assign answered = answer_valid_i && answer_tag_i == Single;
  assign arrived  = answer_valid_i && answer_tag_i != Single;

  nma_stream_reader #(
      .SLOTS(STREAM_BURSTS),
      .LANES(LANES)
  ) i_stream (
      .clk_i,
      .rst_ni,
      .do_i            (stream_do),
      .begin_offset_i  (stream_begin_offset),
      .begin_words_i   (stream_begin_words),
      .can_issue_o     (stream_can_issue),
      .slot_o          (stream_slot),
      .offset_o        (stream_offset),
      .words_o         (stream_words),
      .arrived_i       (arrived),
      .arrived_slot_i  (SlotBits'(answer_tag_i)),
      .keep_i          (state[Stream]),
      .arrived_words_i (answer_words_i),
      .arrived_live_o  (arrived_live),
      .arrived_offset_o(arrived_offset),
      .arrived_count_o (arrived_count),
      .complete_o      (stream_complete),
      .head_full_o     (stream_head_full),
      .out_o           (out_data),
      .out_words_o     (out_words)
  );

  nma_match #(
      .LANES(LANES)
  ) i_match (
      .clk_i,
      .rst_ni,
      .looks_i (arrived && arrived_live && state[Search] && !found),
      .word_i  (child),
      .words_i (answer_words_i),
      .count_i (arrived_count),
      .offset_i(arrived_offset),
      .found_o (matched),
      .at_o    (match_at)
  );

  // ---- The map ----

  map_do_t map_do;
  logic map_misfit, map_full, map_round;
  count_t table_words, map_count;
  offset_t original_entry, copy_entry;

  nma_map #(
      .HASHED(HASHED)
  ) i_map (
      .clk_i,
      .rst_ni,
      .map_at_i      (settings_i.map_offset),
      .entries_i     (settings_i.map_entries),
      .child_i       (child),
      .hashed_i      (job.hashed),
      .do_i          (map_do),
      .objects_i     (job.objects),
      .table_words_o (table_words),
      .misfit_o      (map_misfit),
      .full_o        (map_full),
      .round_o       (map_round),
      .count_o       (map_count),
      .original_at_o (original_entry),
      .copy_at_o     (copy_entry),
      .match_i       (matched),
      .match_at_i    (match_at),
      .found_o       (found)
  );

  // ---- Accesses ----

  logic drained, has_room;
  taken_t taken;
  nma_access #(
      .LANES        (LANES),
      .STREAM_BURSTS(STREAM_BURSTS),
      .POSTED_WRITES(POSTED_WRITES)
  ) i_access (
      .clk_i,
      .rst_ni,
      .state_i         (state),
      .pauses_i        (pauses),
      .range_at_i      (range_at),
      .range_left_i    (range_left),
      .original_entry_i(original_entry),
      .copy_entry_i    (copy_entry),
      .original_i      (child),
      .copy_i          (final_copy),
      .found_i         (found),
      .can_issue_i     (stream_can_issue),
      .slot_i          (stream_slot),
      .stream_offset_i (stream_offset),
      .stream_words_i  (stream_words),
      .out_full_i      (out_full),
      .out_data_i      (out_data),
      .out_words_i     (out_words),
      .wanted_i        (fills_copy ? copy_at : original_at),
      .dirty_i         (copy_dirty),
      .line_i          ({copy_line, (LaneBits + 3)'(0)}),
      .line_data_i     (copy_words),
      .run_lane_i      (run_lane),
      .run_words_i     (run_words),
      .written_i,
      .drained_o       (drained),
      .has_room_o      (has_room),
      .valid_o         (access_valid_o),
      .ready_i         (access_ready_i),
      .taken_o         (taken),
      .writes_o        (access_writes_o),
      .tag_o           (access_tag_o),
      .offset_o        (access_offset_o),
      .words_o         (access_words_o),
      .lane_o          (access_lane_o),
      .data_o          (access_data_o)
  );

  // ---- States ----

  nma_states #(
      .STATE_CYCLES(STATE_CYCLES),
      .LANES       (LANES)
  ) i_states (
      .clk_i,
      .rst_ni,
      .settings_i,
      .job_valid_i,
      .job_ready_o,
      .job_i,
      .record_valid_o,
      .record_ready_i,
      .record_address_o,
      .record_whole_o,
      .record_answer_valid_i,
      .record_fault_i,
      .result_valid_o,
      .result_ready_i,
      .result_o,
      .quiet_o,
      .kind_i               (kind),
      .is_array_i           (is_array),
      .type_bytes_i         (type_bytes),
      .mask_at_i            (mask_at),
      .record_sound_i       (record_sound),
      .wild_i               (wild),
      .front_wild_i         (front_wild),
      .beyond_i             (beyond),
      .no_room_i            (no_room),
      .parent_wild_i        (parent_wild),
      .words_i              (words),
      .object_i             (object),
      .end_at_i             (end_at),
      .final_copy_i         (final_copy),
      .position_i           (position),
      .remain_i             (remain),
      .position_beyond_i    (position_beyond),
      .left_i               (left),
      .last_i               (last),
      .mask_missing_i       (mask_missing),
      .code_i               (code),
      .original_at_i        (original_at),
      .original_has_i       (original_has),
      .original_word_i      (original_word),
      .copy_word_i          (copy_word),
      .copies_i             (copies),
      .original_missing_i   (original_missing),
      .copy_missing_i       (copy_missing),
      .store_missing_i      (store_missing),
      .copy_has_line_i      (copy_has_line),
      .copy_has_i           (copy_has),
      .copy_dirty_i         (copy_dirty),
      .run_last_i           (run_last),
      .table_words_i        (table_words),
      .map_misfit_i         (map_misfit),
      .map_full_i           (map_full),
      .map_round_i          (map_round),
      .map_count_i          (map_count),
      .found_i              (found),
      .stream_complete_i    (stream_complete),
      .stream_head_full_i   (stream_head_full),
      .out_words_i          (out_words),
      .access_valid_i       (access_valid_o),
      .taken_i              (taken),
      .drained_i            (drained),
      .has_room_i           (has_room),
      .answered_i           (answered),
      .answer_i             (answer_words_i[0]),
      .state_o              (state),
      .pauses_o             (pauses),
      .job_o                (job),
      .used_o               (used),
      .child_o              (child),
      .back_o               (back),
      .header_o             (header),
      .bytes_o              (bytes),
      .src_o                (src),
      .dst_o                (dst),
      .word_o               (word),
      .what_o               (what),
      .is_null_o            (is_null),
      .range_at_o           (range_at),
      .range_left_o         (range_left),
      .out_full_o           (out_full),
      .fills_copy_o         (fills_copy),
      .addresses_do_o       (addresses_do),
      .cursor_do_o          (cursor_do),
      .lines_do_o           (lines_do),
      .map_do_o             (map_do),
      .stream_do_o          (stream_do),
      .new_index_o          (new_index),
      .set_type_o           (set_type),
      .sets_parent_o        (sets_parent),
      .stream_begin_offset_o(stream_begin_offset),
      .stream_begin_words_o (stream_begin_words)
  );

endmodule
