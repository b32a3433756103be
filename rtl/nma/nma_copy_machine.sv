/// nma_copy_machine: copies object graphs within a memory by pointer reversal (Algorithm 1 of NEMESYS), with all
/// traversal state in the copies: the states, and the registers that they change.
///
/// It goes depth first, without a stack: on the way to a child, the position in the parent is saved in the transition
/// words of the parent's copy, and the parent in those of the child's copy; on the way back they are restored. What
/// comes back from memory is checked as originals are, so nothing outside of the buffer and the map is ever written.
/// A state that needs a word of a line register gets its line first and is then entered again.
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

  localparam int unsigned PauseBits = STATE_CYCLES > 1 ? $clog2(STATE_CYCLES) : 1;
  localparam int unsigned SlotBits = STREAM_BURSTS > 1 ? $clog2(STREAM_BURSTS) : 1;
  localparam logic [TagBits-1:0] Single = TagBits'(STREAM_BURSTS);  // the tag of reads that are no stream's
  localparam logic [PauseBits-1:0] Charged = PauseBits'(STATE_CYCLES - 1);

  state_e state_d, state_q, next_d, next_q;
  logic [PauseBits-1:0] pause_d, pause_q;  // further cycles of this state

  // The job.
  job_t job_d, job_q;
  fault_e fault_d, fault_q;
  offset_t delta_d, delta_q;  // from a source address to its offset
  offset_t used_d, used_q;
  logic [31:0] objects_d, objects_q;
  word_t root_d, root_q;  // final address of the first copy

  // The object whose copy may begin or go on.
  word_t child_d, child_q;
  offset_t child_from_d, child_from_q;  // its offset
  logic back_d, back_q;
  offset_t up_d, up_q;  // the parent's copy
  count_t up_position_d, up_position_q;
  logic [31:0] header_d, header_q;
  word_t bytes_d, bytes_q;
  word_t record_at_d, record_at_q;  // its record, or a word of its mask

  // The object that is being copied.
  word_t src_d, src_q;
  offset_t dst_d, dst_q;  // 0: none yet

  logic inserts_d, inserts_q;
  word_t word_d, word_q;  // the last that was read without a register

  // Ranges: the table to clear, the copy of an array.
  offset_t range_at_d, range_at_q;
  count_t range_left_d, range_left_q;
  logic out_full_d, out_full_q;  // the stream's burst in turn is to be written

  // A line register gets another line.
  logic fills_copy_d, fills_copy_q, fetches_d, fetches_q;
  offset_t wanted_d, wanted_q;

  // ---- The object, its type, its words ----

  word_t original_word, copy_word;
  logic pauses;

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

  assign pauses = STATE_CYCLES > 1 && pause_q != '0;

  logic wild, front_wild, beyond, no_room, parent_wild;
  count_t words;
  place_t object, end_place;

  nma_bounds i_bounds (
      .clk_i,
      .begin_i      (state_q == Start),
      .job_i        (job_q),
      .child_i      (child_q),
      .back_i       (back_q),
      .up_i         (up_q),
      .used_i       (used_q),
      .is_array_i   (is_array),
      .aligned_16_i (aligned_16),
      .bytes_i      (bytes_q),
      .wild_o       (wild),
      .front_wild_o (front_wild),
      .beyond_o     (beyond),
      .place_i      (state_q == Check),
      .words_o      (words),
      .object_o     (object),
      .end_o        (end_place),
      .no_room_o    (no_room),
      .parent_i     (copy_word),
      .parent_wild_o(parent_wild)
  );

  cursor_do_t cursor_do;
  logic mask_missing;
  logic [1:0] index, new_index;
  count_t cursor_position, position, left;
  offset_t from, to, object_place;
  word_t final_copy;
  code_e code;

  assign object_place = object[OffsetBits-1:0];
  assign final_copy   = job_q.final_address + 64'(object);

  nma_cursor i_cursor (
      .clk_i,
      .do_i          (cursor_do),
      .from_i        (child_from_q),
      .to_i          (job_q.target + object_place),
      .words_i       (words),
      .position_i    (cursor_position),
      .index_i       (new_index),
      .kind_i        (kind),
      .mask_i        (record_words_i[0]),
      .position_o    (position),
      .left_o        (left),
      .index_o       (index),
      .from_o        (from),
      .to_o          (to),
      .mask_missing_o(mask_missing),
      .code_o        (code)
  );

  // ---- Line registers ----

  offset_t missing_at, copy_line;
  logic original_missing, copy_missing, store_missing, copy_has_line, stores;
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
      .state_i           (state_q),
      .target_i          (job_q.target),
      .child_from_i      (child_from_q),
      .from_i            (from),
      .to_i              (to),
      .up_i              (up_q),
      .dst_i             (dst_q),
      .object_i          (object),
      .src_i             (src_q),
      .bytes_i           (bytes_q),
      .header_i          (header_q),
      .position_i        (position),
      .index_i           (index),
      .known_i           (word_q),
      .final_copy_i      (final_copy),
      .wild_i            (wild),
      .is_array_i        (is_array),
      .front_wild_i      (front_wild),
      .back_i            (back_q),
      .mask_missing_i    (mask_missing),
      .code_i            (code),
      .do_i              (lines_do),
      .runs_i            (!pauses),
      .fill_words_i      (answer_words_i),
      .take_offset_i     (wanted_q),
      .original_word_o   (original_word),
      .copy_word_o       (copy_word),
      .stores_o          (stores),
      .original_missing_o(original_missing),
      .copy_missing_o    (copy_missing),
      .copy_has_line_o   (copy_has_line),
      .store_missing_o   (store_missing),
      .missing_at_o      (missing_at),
      .dirty_o           (copy_dirty),
      .line_o            (copy_line),
      .words_o           (copy_words),
      .run_lane_o        (run_lane),
      .run_words_o       (run_words),
      .run_last_o        (run_last)
  );

  // Places that are too high have no room.
  logic unused;
  assign unused = ^end_place[PlaceBits-1:OffsetBits];

  // ---- The stream, and the search in it ----

  logic answered, arrived, arrived_live, matched;
  stream_do_t stream_do;
  logic stream_can_issue, stream_complete, stream_head_full;
  offset_t stream_begin_offset, stream_offset, arrived_offset;
  count_t stream_begin_words;
  logic [SlotBits-1:0] stream_slot;
  logic [LaneBits:0] stream_words, arrived_count, out_words;
  logic [LANES-1:0][63:0] out_data;
  logic [LaneBits-1:0] match_lane;

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
      .keep_i          (state_q == Stream),
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
      .word_i (child_q),
      .words_i(answer_words_i),
      .count_i(arrived_count),
      .found_o(matched),
      .lane_o (match_lane)
  );

  // ---- The map ----

  map_do_t map_do;
  logic map_misfit, map_full, found;
  count_t table_words, map_count;
  offset_t original_entry, copy_entry, found_at;

  nma_map #(
      .LANES (LANES),
      .HASHED(HASHED)
  ) i_map (
      .clk_i,
      .rst_ni,
      .map_at_i      (settings_i.map_offset),
      .entries_i     (settings_i.map_entries),
      .child_i       (child_q),
      .hashed_i      (job_q.hashed),
      .do_i          (map_do),
      .objects_i     (job_q.objects),
      .table_words_o (table_words),
      .misfit_o      (map_misfit),
      .full_o        (map_full),
      .count_o       (map_count),
      .original_at_o (original_entry),
      .copy_at_o     (copy_entry),
      .match_i       (arrived && arrived_live && state_q != Stream && matched),
      .match_offset_i(arrived_offset),
      .match_lane_i  (match_lane),
      .found_o       (found),
      .found_at_o    (found_at)
  );

  // ---- Accesses ----

  logic drained, has_room, taken;
  nma_access #(
      .LANES        (LANES),
      .STREAM_BURSTS(STREAM_BURSTS),
      .POSTED_WRITES(POSTED_WRITES)
  ) i_access (
      .clk_i,
      .rst_ni,
      .state_i         (state_q),
      .pauses_i        (pauses),
      .range_at_i      (range_at_q),
      .range_left_i    (range_left_q),
      .original_entry_i(original_entry),
      .copy_entry_i    (copy_entry),
      .original_i      (child_q),
      .copy_i          (final_copy),
      .found_i         (found),
      .found_at_i      (found_at),
      .can_issue_i     (stream_can_issue),
      .slot_i          (stream_slot),
      .stream_offset_i (stream_offset),
      .stream_words_i  (stream_words),
      .out_full_i      (out_full_q),
      .out_data_i      (out_data),
      .out_words_i     (out_words),
      .wanted_i        (wanted_q),
      .dirty_i         (copy_dirty),
      .line_i          (copy_line),
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

  assign job_ready_o      = state_q == Idle;
  assign record_valid_o   = state_q == TypeAsk || state_q == MaskAsk;
  assign record_address_o = record_at_q;
  assign record_whole_o   = state_q == TypeAsk;
  assign result_valid_o   = state_q == Result;
  assign result_o.fault   = fault_q;
  assign result_o.root    = fault_q == FaultNone ? root_q : '0;
  assign result_o.bytes   = used_q;
  assign result_o.objects = objects_q;

  always_comb begin
    unique case (state_q)
      Idle: quiet_o = !job_valid_i;
      Clear, InsertOriginal, InsertCopy: quiet_o = !has_room;
      Stream: quiet_o = !access_valid_o && (out_full_q || !stream_head_full);
      Search: quiet_o = !access_valid_o && !found && !stream_complete;
      Clean: quiet_o = copy_dirty && !has_room;
      Drain: quiet_o = !drained;
      TypeWait, MaskWait, ProbeWait, KnownWait, FetchWait: quiet_o = 1'b1;
      default: quiet_o = 1'b0;
    endcase
  end

  // ---- States ----

  word_t size_word, record_of_type;
  logic wrong_size, begins_copy, fails;
  fault_e fails_with;

  assign record_of_type = settings_i.types_address + 64'({header_q, 6'd0}) + 64'({header_q, 3'd0});  // 72 bytes each
  // The elements of a data array were copied before anything else, so none is a parent.
  assign size_word  = back_q ? copy_word : original_word;
  assign wrong_size = is_array && (kind == KindPointerArray ? size_word[2:0] != '0 : back_q);

  always_comb begin
    state_d             = state_q;
    next_d              = next_q;
    pause_d             = '0;
    job_d               = job_q;
    fault_d             = fault_q;
    delta_d             = delta_q;
    used_d              = used_q;
    objects_d           = objects_q;
    root_d              = root_q;
    child_d             = child_q;
    child_from_d        = child_from_q;
    back_d              = back_q;
    up_d                = up_q;
    up_position_d       = up_position_q;
    header_d            = header_q;
    bytes_d             = bytes_q;
    record_at_d         = record_at_q;
    src_d               = src_q;
    dst_d               = dst_q;
    inserts_d           = inserts_q;
    word_d              = word_q;
    range_at_d          = range_at_q;
    range_left_d        = range_left_q;
    map_do              = '0;
    stream_do           = '0;
    cursor_do           = '0;
    lines_do            = '0;
    out_full_d          = out_full_q;
    fills_copy_d        = fills_copy_q;
    fetches_d           = fetches_q;
    wanted_d            = wanted_q;
    stream_begin_offset = settings_i.map_offset;
    stream_begin_words  = map_count;
    cursor_position     = '0;
    new_index           = '0;
    set_type            = 1'b0;
    begins_copy         = 1'b0;
    fails               = 1'b0;
    fails_with          = FaultWildPointer;

    if (pauses) begin
      pause_d = pause_q - 1'b1;
    end else if (original_missing || copy_missing || store_missing) begin
      next_d       = state_q;
      fills_copy_d = !original_missing;
      fetches_d    = original_missing || copy_missing;
      wanted_d     = missing_at;
      state_d      = original_missing || (copy_missing && copy_has_line) ? Fetch : Clean;
    end else begin
      unique case (state_q)
        Idle: begin
          if (job_valid_i) begin
            job_d   = job_i;
            state_d = Start;
          end
        end
        Start: begin
          fault_d        = FaultNone;
          delta_d        = job_q.source_offset - job_q.source_base[OffsetBits-1:0];
          used_d         = job_q.sound ? OffsetBits'(job_q.first) : '0;
          objects_d      = '0;
          root_d         = '0;
          dst_d          = '0;
          src_d          = '0;
          child_d        = job_q.root;
          back_d         = 1'b0;
          lines_do.clear = 1'b1;
          map_do.begins  = 1'b1;
          range_at_d     = settings_i.map_offset;
          range_left_d   = table_words;
          if (!job_q.sound) begin
            fault_d = FaultBadRequest;
            state_d = Result;
          end else if (job_q.root == '0) begin
            fails      = 1'b1;
            fails_with = FaultNullPointer;
          end else if (job_q.hashed) begin
            state_d    = Clear;
            fails      = map_misfit;
            fails_with = FaultMapFull;
          end else begin
            state_d = Advance;
            pause_d = Charged;
          end
        end
        Clear: begin
          if (taken) begin
            range_at_d   = range_at_q + {(OffsetBits - LaneBits - 4)'(0), access_words_o, 3'b000};
            range_left_d = range_left_q - CountBits'(access_words_o);
            if (range_left_q == CountBits'(access_words_o)) begin
              state_d = Advance;
              pause_d = Charged;
            end
          end
        end
        Advance: begin
          child_from_d = child_q[OffsetBits-1:0] + delta_q;
          state_d      = LoadHeader;
          fails        = wild;
        end
        LoadHeader: begin
          header_d = original_word[31:0];
          back_d   = 1'b0;
          state_d  = Type;
          pause_d  = Charged;
        end
        Type: begin
          record_at_d = record_of_type;
          state_d     = TypeAsk;
          fails       = header_q >= settings_i.types_count;
          fails_with  = FaultBadDescriptor;
        end
        TypeAsk: if (record_ready_i) state_d = TypeWait;
        TypeWait: begin
          if (record_answer_valid_i) begin
            set_type              = 1'b1;
            cursor_do.forget_mask = 1'b1;
            state_d               = back_q ? UpPosition : Size;
            fails                 = record_fault_i || !record_sound;
            fails_with            = FaultBadDescriptor;
          end
        end
        Size: begin
          bytes_d = is_array ? size_word : 64'(type_bytes);
          state_d = Check;
          fails   = front_wild || wrong_size;
          if (!front_wild) fails_with = FaultBadDescriptor;
        end
        Check: begin
          state_d = Room;
          fails   = beyond;
        end
        Room: begin
          pause_d = Charged;
          fails   = no_room;
          if (!back_q) begin
            fails_with = FaultBufferFull;
            state_d    = Insert;
            if (!no_room) begin
              used_d    = end_place[OffsetBits-1:0];
              objects_d = objects_q + 1'b1;
            end
          end else begin
            fails            = no_room || up_position_q > words;
            src_d            = child_q;
            dst_d            = object_place;
            cursor_do.begins = 1'b1;
            cursor_position  = up_position_q;
            state_d          = up_position_q == words ? Retreat : Word;
          end
        end
        Insert: begin
          inserts_d     = 1'b1;
          map_do.insert = 1'b1;
          state_d       = job_q.hashed ? Probe : InsertOriginal;
          pause_d       = job_q.hashed ? Charged : '0;
          fails         = map_full;
          fails_with    = FaultMapFull;
        end
        InsertOriginal: if (taken) state_d = InsertCopy;
        InsertCopy: begin
          if (taken) begin
            map_do.inserted = 1'b1;
            state_d         = dst_q != '0 ? ParentWord : is_array ? SaveBytes : SaveParentSrc;
          end
        end
        ParentWord: state_d = SavePosition;
        SavePosition: state_d = SaveIndex;
        SaveIndex: state_d = is_array ? SaveBytes : SaveParentSrc;
        SaveBytes: state_d = SaveParentSrc;
        SaveParentSrc: state_d = SaveParentDst;
        SaveParentDst: state_d = SaveHeader;
        SaveHeader: begins_copy = 1'b1;
        Stream: begin
          stream_do.issued = taken && !access_writes_o;
          if (taken && access_writes_o) begin
            range_at_d   = range_at_q + {(OffsetBits - LaneBits - 4)'(0), out_words, 3'b000};
            range_left_d = range_left_q - CountBits'(out_words);
            out_full_d   = 1'b0;
            if (range_left_q == CountBits'(out_words)) begin
              state_d = Retreat;
              pause_d = Charged;
            end
          end else if (!out_full_q && stream_head_full) begin
            stream_do.take = 1'b1;
            out_full_d     = 1'b1;
          end
        end
        Word: begin
          if (mask_missing) begin
            record_at_d = mask_at + 64'({position[CountBits-1:5], 3'b000});
            state_d     = MaskAsk;
          end else if (stores) begin
            cursor_do.next   = 1'b1;
            cursor_do.copied = 1'b1;
          end else if (code == CodeDescriptor && left < CountBits'(DescriptorWords)) begin
            fails      = 1'b1;
            fails_with = FaultBadDescriptor;
          end else if (original_word == '0) begin
            state_d = NoElements;
          end else begin
            cursor_do.set_index = code == CodeDescriptor;
            new_index           = 2'(DescriptorWords - 1);
            child_d             = original_word;
            state_d             = Find;
            pause_d             = Charged;
          end
        end
        MaskAsk: if (record_ready_i) state_d = MaskWait;
        MaskWait: begin
          if (record_answer_valid_i) begin
            cursor_do.set_mask = 1'b1;
            state_d            = Word;
            fails              = record_fault_i;
            fails_with         = FaultBadDescriptor;
          end
        end
        NoElements: begin
          cursor_do.next      = stores;
          cursor_do.set_index = 1'b1;
          new_index           = 2'(DescriptorWords - 1);
          fails               = !stores;
          fails_with          = FaultNullPointer;
        end
        Point: cursor_do.next = 1'b1;
        Find: begin
          inserts_d        = 1'b0;
          map_do.find      = 1'b1;
          stream_do.begins = !job_q.hashed && !wild;
          state_d          = job_q.hashed ? Probe : Search;
          pause_d          = job_q.hashed ? Charged : '0;
          fails            = wild;
        end
        Search: begin
          stream_do.issued = taken;
          if (found && !access_valid_o) begin
            stream_do.abandon = 1'b1;
            state_d           = Known;
          end else if (!found && stream_complete) begin
            state_d = Advance;
            pause_d = Charged;
          end
        end
        Probe: if (taken) state_d = ProbeWait;
        ProbeWait: begin
          if (answered) begin
            word_d  = answer_words_i[0];
            state_d = Probed;
          end
        end
        Probed: begin
          if (word_q != child_q && word_q != '0) begin
            map_do.next = 1'b1;
            state_d     = Probe;
            pause_d     = Charged;
          end else if (inserts_q) begin
            state_d = InsertOriginal;
          end else if (word_q == child_q) begin
            map_do.hit = 1'b1;
            state_d    = Known;
          end else begin
            state_d = Advance;
            pause_d = Charged;
          end
        end
        Known: if (taken) state_d = KnownWait;
        KnownWait: begin
          if (answered) begin
            word_d  = answer_words_i[0];
            state_d = Point;
          end
        end
        Retreat: begin
          child_d = copy_word;
          state_d = Up;
        end
        Up: begin
          up_d    = copy_word[OffsetBits-1:0];
          state_d = UpHeader;
          fails   = parent_wild;
          if (copy_word == '0) begin
            fails     = 1'b0;
            fetches_d = 1'b0;
            next_d    = Drain;
            state_d   = Clean;
          end
        end
        UpHeader: begin
          child_from_d = child_q[OffsetBits-1:0] + delta_q;
          header_d     = copy_word[31:0];
          back_d       = 1'b1;
          state_d      = Type;
          pause_d      = Charged;
          fails        = wild;
        end
        UpPosition: begin
          up_position_d = CountBits'(copy_word[OffsetBits-4:0]);
          state_d       = UpIndex;
          fails         = copy_word[63:OffsetBits-3] != '0;
        end
        UpIndex: begin
          cursor_do.set_index = 1'b1;
          new_index           = copy_word[1:0];
          state_d             = Size;
        end
        Fetch: if (taken) state_d = FetchWait;
        FetchWait: begin
          if (answered) begin
            lines_do.fill_original = !fills_copy_q;
            lines_do.fill_copy     = fills_copy_q;
            state_d                = next_q;
          end
        end
        Clean: begin
          lines_do.written = taken;
          if (!copy_dirty || (taken && run_last)) begin
            lines_do.take_copy = 1'b1;
            state_d            = fetches_q ? Fetch : next_q;
          end
        end
        Drain: if (drained) state_d = Result;
        Result: if (result_ready_i) state_d = Idle;
        default: state_d = Idle;
      endcase
    end

    if (cursor_do.next) begin
      state_d = left == CountBits'(1) ? Retreat : Word;
      pause_d = Charged;
    end

    if (begins_copy) begin
      if (dst_q == '0) root_d = final_copy;
      src_d               = child_q;
      dst_d               = object_place;
      cursor_do.begins    = 1'b1;
      cursor_do.set_index = 1'b1;
      range_at_d          = job_q.target + object_place;
      range_left_d        = words;
      stream_begin_offset = child_from_q;
      stream_begin_words  = words;
      state_d             = words == '0 ? Retreat : Word;
      pause_d             = Charged;
      if (words != '0 && kind == KindDataArray) begin
        stream_do.begins = 1'b1;
        state_d          = Stream;
        pause_d          = '0;
      end
    end

    if (fails) begin
      fault_d   = fails_with;
      fetches_d = 1'b0;
      next_d    = Drain;
      state_d   = Clean;
      pause_d   = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= Idle;
      pause_q    <= '0;
      out_full_q <= 1'b0;
    end else begin
      state_q    <= state_d;
      pause_q    <= pause_d;
      out_full_q <= out_full_d;
    end
  end

  // Nothing else means anything before a state has set it.
  always_ff @(posedge clk_i) begin
    next_q        <= next_d;
    job_q         <= job_d;
    fault_q       <= fault_d;
    delta_q       <= delta_d;
    used_q        <= used_d;
    objects_q     <= objects_d;
    root_q        <= root_d;
    child_q       <= child_d;
    child_from_q  <= child_from_d;
    back_q        <= back_d;
    up_q          <= up_d;
    up_position_q <= up_position_d;
    header_q      <= header_d;
    bytes_q       <= bytes_d;
    record_at_q   <= record_at_d;
    src_q         <= src_d;
    dst_q         <= dst_d;
    inserts_q     <= inserts_d;
    word_q        <= word_d;
    range_at_q    <= range_at_d;
    range_left_q  <= range_left_d;
    fills_copy_q  <= fills_copy_d;
    fetches_q     <= fetches_d;
    wanted_q      <= wanted_d;
  end

endmodule
