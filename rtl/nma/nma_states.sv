/// nma_states: the states of the copying machine, and the registers that they change; all of them see the registers as
/// they were before the edge.
///
/// A state that needs a word of a line register gets its line first and is then entered again. Offsets of words that
/// are loaded and stored begin at registers, which the state before has set (nma_addresses).
module nma_states #(
    parameter int unsigned STATE_CYCLES = 1,
    parameter int unsigned LANES = 8,
    localparam int unsigned LaneBits = $clog2(LANES)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  nma_pkg::settings_t      settings_i,
    input  logic                    job_valid_i,
    output logic                    job_ready_o,
    input  nma_pkg::job_t           job_i,
    output logic                    record_valid_o,
    input  logic                    record_ready_i,
    output nma_pkg::word_t          record_address_o,
    output logic                    record_whole_o,
    input  logic                    record_answer_valid_i,
    input  logic                    record_fault_i,
    output logic                    result_valid_o,
    input  logic                    result_ready_i,
    output nma_pkg::result_t        result_o,
    output logic                    quiet_o,
    // The type of the object, its bounds, and the words that are copied.
    input  nma_pkg::kind_e          kind_i,
    input  logic                    is_array_i,
    input  logic [31:0]             type_bytes_i,
    input  nma_pkg::word_t          mask_at_i,
    input  logic                    record_sound_i,
    input  logic                    wild_i,
    input  logic                    front_wild_i,
    input  logic                    beyond_i,
    input  logic                    no_room_i,
    input  logic                    parent_wild_i,
    input  nma_pkg::count_t         words_i,
    input  nma_pkg::offset_t        object_i,
    input  nma_pkg::offset_t        end_at_i,
    input  nma_pkg::word_t          final_copy_i,
    input  nma_pkg::count_t         position_i,
    input  nma_pkg::count_t         remain_i,
    input  logic                    position_beyond_i,
    input  nma_pkg::count_t         left_i,
    input  logic                    last_i,
    input  logic                    mask_missing_i,
    input  nma_pkg::code_e          code_i,
    // Line registers.
    input  nma_pkg::offset_t        original_at_i,
    input  logic                    original_has_i,
    input  nma_pkg::word_t          original_word_i,
    input  nma_pkg::word_t          copy_word_i,
    input  logic                    copies_i,
    input  logic                    original_missing_i,
    input  logic                    copy_missing_i,
    input  logic                    store_missing_i,
    input  logic                    copy_has_line_i,
    input  logic                    copy_has_i,
    input  logic                    copy_dirty_i,
    input  logic                    run_last_i,
    // The map and the stream.
    input  nma_pkg::count_t         table_words_i,
    input  logic                    map_misfit_i,
    input  logic                    map_full_i,
    input  logic                    map_round_i,
    input  nma_pkg::count_t         map_count_i,
    input  logic                    found_i,
    input  logic                    stream_complete_i,
    input  logic                    stream_head_full_i,
    input  logic [LaneBits:0]       out_words_i,
    // Accesses.
    input  logic                    access_valid_i,
    input  nma_pkg::taken_t         taken_i,
    input  logic                    drained_i,
    input  logic                    has_room_i,
    input  logic                    answered_i,
    input  nma_pkg::word_t          answer_i,
    // Registers.
    output nma_pkg::states_t        state_o,
    output logic                    pauses_o,  // the state is only waited in
    output nma_pkg::job_t           job_o,
    output nma_pkg::offset_t        used_o,  // the end of what the buffer has
    output nma_pkg::word_t          child_o,
    output logic                    back_o,
    output logic [31:0]             header_o,
    output nma_pkg::word_t          bytes_o,
    output nma_pkg::word_t          src_o,
    output nma_pkg::offset_t        dst_o,  // 0: none yet
    output nma_pkg::word_t          word_o,
    output nma_pkg::word_e          what_o,  // the word that was loaded
    output logic                    is_null_o,
    output nma_pkg::offset_t        range_at_o,
    output nma_pkg::count_t         range_left_o,
    output logic                    out_full_o,  // the stream's burst in turn is to be written
    output logic                    fills_copy_o,  // the line register that gets another line
    // What the parts do at the next edge.
    output nma_pkg::addresses_do_t  addresses_do_o,
    output nma_pkg::cursor_do_t     cursor_do_o,
    output nma_pkg::lines_do_t      lines_do_o,
    output nma_pkg::map_do_t        map_do_o,
    output nma_pkg::stream_do_t     stream_do_o,
    output logic [1:0]              new_index_o,
    output logic                    set_type_o,
    output logic                    sets_parent_o,
    output nma_pkg::offset_t        stream_begin_offset_o,
    output nma_pkg::count_t         stream_begin_words_o
);
  import nma_pkg::*;

  if (STATE_CYCLES == 0) begin : g_wrong_state_cycles
    $error("nma_states: STATE_CYCLES is at least 1");
  end
  if (LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_wrong_lanes
    $error("nma_states: LANES is a power of two, at least 2");
  end

  localparam int unsigned PauseBits = STATE_CYCLES > 1 ? $clog2(STATE_CYCLES) : 1;
  localparam int unsigned NullBits = 4;
  localparam logic [PauseBits-1:0] Charged = PauseBits'(STATE_CYCLES - 1);

  // States that may have to wait for a line.
  localparam states_t NeedLines =
      only(LoadHeader) | only(Size) | only(ParentWord) | only(SavePosition) | only(SaveIndex) | only(SaveBytes)
      | only(SaveParentSrc) | only(SaveParentDst) | only(SaveHeader) | only(Word) | only(Copy) | only(NoElements)
      | only(Point) | only(Retreat) | only(Up) | only(UpHeader) | only(UpPosition) | only(UpIndex);

  states_t state_d, state_q, next_d, next_q;
  logic [PauseBits-1:0] pause_d, pause_q;  // further cycles of this state

  // The job.
  job_t job_d, job_q;
  fault_e fault_d, fault_q;
  logic failed_d, failed_q;  // the state before this one has failed
  fault_e failed_with_d, failed_with_q;
  logic ends_d, ends_q;  // it was the last one of the job, as it has failed or all is copied
  offset_t used_d, used_q;  // the end of what the buffer has
  logic [31:0] objects_d, objects_q;
  word_t root_d, root_q;  // final address of the first copy

  // The object whose copy may begin or go on.
  word_t child_d, child_q;
  logic back_d, back_q;
  logic [31:0] header_d, header_q;
  word_t bytes_d, bytes_q;
  word_t record_at_d, record_at_q;  // its record, or a word of its mask

  // The object that is being copied, and the word that was loaded last.
  word_t src_d, src_q;
  offset_t dst_d, dst_q;  // 0: none yet
  word_t word_d, word_q;
  word_e what_d, what_q;
  logic [NullBits-1:0] null_d, null_q;  // these parts of that word are 0
  logic same_d, same_q;  // the word of the table that came last is the child
  logic inserts_d, inserts_q;

  // Ranges: the table to clear, the copy of an array.
  offset_t range_at_d, range_at_q;
  count_t range_left_d, range_left_q;
  logic out_full_d, out_full_q;  // the stream's burst in turn is to be written

  logic fills_copy_d, fills_copy_q, fetches_d, fetches_q;  // a line register gets another line

  assign pauses_o          = STATE_CYCLES > 1 && pause_q != '0;
  assign state_o           = state_q;
  assign job_o             = job_q;
  assign used_o            = used_q;
  assign child_o           = child_q;
  assign back_o            = back_q;
  assign header_o          = header_q;
  assign bytes_o           = bytes_q;
  assign src_o             = src_q;
  assign dst_o             = dst_q;
  assign word_o            = word_q;
  assign what_o            = what_q;
  assign range_at_o        = range_at_q;
  assign range_left_o      = range_left_q;
  assign out_full_o        = out_full_q;
  assign fills_copy_o      = fills_copy_q;

  assign job_ready_o      = state_q[Idle];
  assign record_valid_o   = state_q[TypeAsk] || state_q[MaskAsk];
  assign record_address_o = record_at_q;
  assign record_whole_o   = state_q[TypeAsk];
  assign result_valid_o   = state_q[Result];
  assign result_o.fault   = fault_q;
  assign result_o.root    = fault_q == FaultNone ? root_q : '0;
  assign result_o.bytes   = used_q - job_q.target;
  assign result_o.objects = objects_q;

  always_comb begin
    unique case (1'b1)
      state_q[Idle]: quiet_o = !job_valid_i;
      state_q[Clear], state_q[InsertOriginal], state_q[InsertCopy]: quiet_o = !has_room_i;
      state_q[Stream]: quiet_o = !access_valid_i && (out_full_q || !stream_head_full_i);
      state_q[Search]: quiet_o = !access_valid_i && !found_i && !stream_complete_i;
      state_q[Clean]: quiet_o = copy_dirty_i && !has_room_i;
      state_q[Drain]: quiet_o = !drained_i;
      state_q[TypeWait], state_q[MaskWait], state_q[ProbeWait], state_q[KnownWait], state_q[FetchWait]: quiet_o = 1'b1;
      default: quiet_o = 1'b0;
    endcase
  end

  word_t record_of_type;
  logic [LaneBits:0] range_step;
  offset_t range_next;
  count_t range_remain;
  states_t onward;
  states_t next;
  logic fetches;
  logic wrong_size, too_short, missing, can_load, stored;

  assign record_of_type = settings_i.types_address + 64'({header_q, 6'd0}) + 64'({header_q, 3'd0});  // 72 bytes each
  // Behind the burst of a range; a table ends with one that is not larger.
  assign range_step   = state_q[Clear] ? (LaneBits + 1)'(LANES) : out_words_i;
  assign range_next   = range_at_q + {(OffsetBits - LaneBits - 4)'(0), range_step, 3'b000};
  assign range_remain = range_left_q - CountBits'(range_step);

  // The rest of an object has no room for a descriptor.
  assign too_short = left_i < CountBits'(DescriptorWords);

  // The elements of a data array were copied before anything else, so none is a parent.
  assign wrong_size = is_array_i && (kind_i == KindPointerArray ? bytes_q[2:0] != '0 : back_q);

  function automatic logic [NullBits-1:0] null_parts(word_t word);
    for (int unsigned part = 0; part < NullBits; ++part) null_parts[part] = word[part*64/NullBits+:64/NullBits] == '0;
  endfunction
  assign is_null_o = null_q == '1;
  assign same_d    = answer_i == child_q;

  // That a state fails is known late in its cycle, and changes little then: the fault and the way to the end follow in
  // the next one, before anybody asks for them.
  assign fetches = fetches_q && !ends_q;
  assign next    = ends_q ? only(Drain) : next_q;

  // A word of the object is stored; the next one is loaded meanwhile, if it can be.
  assign missing  = original_missing_i || copy_missing_i || store_missing_i;
  assign stored   = !pauses_o && ((state_q[Copy] && copies_i) || state_q[Point]) && copy_has_line_i;
  assign can_load = original_has_i && !mask_missing_i;

  // Where a state leads is said by the bits of `state_d` that it sets, beside those of `onward` where the state needs a
  // line register: these count only if no line is missing.
  always_comb begin
    state_d               = '0;
    onward                = '0;
    next_d                = next;
    pause_d               = '0;
    job_d                 = job_q;
    fault_d               = failed_q ? failed_with_q : fault_q;
    used_d                = used_q;
    objects_d             = objects_q;
    root_d                = root_q;
    child_d               = child_q;
    back_d                = back_q;
    header_d              = header_q;
    bytes_d               = bytes_q;
    record_at_d           = record_at_q;
    src_d                 = src_q;
    dst_d                 = dst_q;
    what_d                = what_q;
    null_d                = null_q;
    inserts_d             = inserts_q;
    word_d                = word_q;
    range_at_d            = range_at_q;
    range_left_d          = range_left_q;
    map_do_o              = '0;
    stream_do_o           = '0;
    cursor_do_o           = '0;
    lines_do_o            = '0;
    out_full_d            = out_full_q;
    fills_copy_d          = fills_copy_q;
    fetches_d             = fetches;
    stream_begin_offset_o = settings_i.map_offset;
    stream_begin_words_o  = map_count_i;
    addresses_do_o        = '0;
    new_index_o           = 2'(DescriptorWords - 1);
    set_type_o            = 1'b0;
    sets_parent_o         = 1'b0;
    failed_d              = 1'b0;
    failed_with_d         = FaultWildPointer;
    ends_d                = 1'b0;

    if (pauses_o) begin
      state_d = state_q;
      pause_d = pause_q - 1'b1;
    end else begin
      unique case (1'b1)
        // States that need no word of a line register.
        state_q[Idle]: begin
          state_d = job_valid_i ? only(Start) : only(Idle);
          if (job_valid_i) job_d = job_i;
        end
        state_q[Start]: begin
          fault_d          = FaultNone;
          used_d           = job_q.sound ? job_q.begins : job_q.target;
          objects_d        = '0;
          root_d           = '0;
          dst_d            = '0;
          src_d            = '0;
          child_d          = job_q.root;
          back_d           = 1'b0;
          lines_do_o.clear = 1'b1;
          map_do_o.begins  = 1'b1;
          if (!job_q.sound) begin
            fault_d = FaultBadRequest;
            state_d = only(Result);
          end else if (job_q.root == '0) begin
            failed_d      = 1'b1;
            failed_with_d = FaultNullPointer;
          end else if (job_q.hashed) begin
            state_d = only(Table);
          end else begin
            state_d = only(Advance);
            pause_d = Charged;
          end
        end
        state_q[Table]: begin
          range_at_d    = settings_i.map_offset;
          range_left_d  = table_words_i;
          failed_d      = map_misfit_i;
          failed_with_d = FaultMapFull;
          if (!failed_d) state_d = only(Clear);
        end
        state_q[Clear]: begin
          if (taken_i.write) begin
            range_at_d   = range_next;
            range_left_d = range_remain;
          end
          if (taken_i.write && range_left_q <= CountBits'(LANES)) begin
            state_d = only(Advance);
            pause_d = Charged;
          end else begin
            state_d = only(Clear);
          end
        end
        state_q[Advance]: begin
          addresses_do_o.original = 1'b1;
          state_d                 = only(Locate);
        end
        state_q[Locate]: begin
          addresses_do_o.original = 1'b1;
          failed_d                = wild_i;
          if (!failed_d) state_d = only(LoadHeader);
        end
        state_q[Type]: begin
          record_at_d   = record_of_type;
          failed_d      = header_q >= settings_i.types_count;
          failed_with_d = FaultBadDescriptor;
          if (!failed_d) state_d = only(TypeAsk);
        end
        state_q[TypeAsk]: state_d = record_ready_i ? only(TypeWait) : only(TypeAsk);
        state_q[TypeWait]: begin
          if (record_answer_valid_i) begin
            set_type_o              = 1'b1;
            cursor_do_o.forget_mask = 1'b1;
            failed_d                = record_fault_i || !record_sound_i;
            failed_with_d           = FaultBadDescriptor;
            if (!failed_d) state_d = back_q ? only(UpPosition) : only(Size);
          end else begin
            state_d = only(TypeWait);
          end
        end
        state_q[Check]: begin
          failed_d = wrong_size || beyond_i;
          if (wrong_size) failed_with_d = FaultBadDescriptor;
          if (!failed_d) state_d = only(Room);
        end
        state_q[Room]: begin
          pause_d = Charged;
          if (!back_q) begin
            failed_d      = no_room_i;
            failed_with_d = FaultBufferFull;
            if (!failed_d) state_d = only(Insert);
          end else begin
            failed_d            = no_room_i || position_beyond_i;
            src_d               = child_q;
            dst_d               = object_i;
            addresses_do_o      = '1;
            cursor_do_o.resumes = 1'b1;
            if (!failed_d) state_d = remain_i == '0 ? only(Leave) : only(Word);
          end
        end
        state_q[Insert]: begin
          used_d          = end_at_i;
          objects_d       = objects_q + 1'b1;
          inserts_d       = 1'b1;
          map_do_o.insert = 1'b1;
          pause_d         = job_q.hashed ? Charged : '0;
          failed_d        = map_full_i;
          failed_with_d   = FaultMapFull;
          if (!failed_d) state_d = job_q.hashed ? only(Probe) : only(InsertOriginal);
        end
        state_q[InsertOriginal]: begin
          map_do_o.hit = 1'b1;
          state_d      = taken_i.write ? only(InsertCopy) : only(InsertOriginal);
        end
        state_q[InsertCopy]: begin
          if (taken_i.write) begin
            map_do_o.inserted   = 1'b1;
            addresses_do_o.copy = dst_q == '0;
            state_d             = dst_q != '0 ? only(ParentWord) : is_array_i ? only(SaveBytes) : only(SaveParentSrc);
          end else begin
            state_d = only(InsertCopy);
          end
        end
        state_q[Stream]: begin
          stream_do_o.issued = taken_i.streamed;
          if (taken_i.stored) begin
            range_at_d   = range_next;
            range_left_d = range_remain;
            out_full_d   = 1'b0;
          end
          // Only what is full is written, so another burst is never taken in that cycle.
          if (!out_full_q && stream_head_full_i) begin
            stream_do_o.take = 1'b1;
            out_full_d       = 1'b1;
          end
          if (taken_i.stored && range_left_q == CountBits'(out_words_i)) begin
            state_d = only(Leave);
            pause_d = Charged;
          end else begin
            state_d = only(Stream);
          end
        end
        state_q[MaskAsk]: state_d = record_ready_i ? only(MaskWait) : only(MaskAsk);
        state_q[MaskWait]: begin
          if (record_answer_valid_i) begin
            cursor_do_o.set_mask = 1'b1;
            failed_d             = record_fault_i;
            failed_with_d        = FaultBadDescriptor;
            if (!failed_d) state_d = only(Word);
          end else begin
            state_d = only(MaskWait);
          end
        end
        // A child that is no place for an object is in no map.
        state_q[Find]: begin
          inserts_d          = 1'b0;
          map_do_o.find      = 1'b1;
          stream_do_o.begins = !job_q.hashed;
          state_d            = job_q.hashed ? only(Probe) : only(Search);
          pause_d            = job_q.hashed ? Charged : '0;
        end
        state_q[Search]: begin
          stream_do_o.issued = taken_i.searched;
          if (found_i && !access_valid_i) begin
            state_d = only(Known);
          end else if (!found_i && stream_complete_i) begin
            state_d = only(Advance);
            pause_d = Charged;
          end else begin
            state_d = only(Search);
          end
        end
        state_q[Probe]: state_d = taken_i.read ? only(ProbeWait) : only(Probe);
        state_q[ProbeWait]: begin
          state_d = answered_i ? only(Probed) : only(ProbeWait);
          if (answered_i) begin
            word_d = answer_i;
          end
        end
        state_q[Probed]: begin
          // A table always has an empty slot, unless somebody else writes there.
          if (!same_q && word_q != '0) begin
            map_do_o.next = 1'b1;
            pause_d       = Charged;
            failed_d      = map_round_i;
            failed_with_d = FaultMapFull;
            if (!failed_d) state_d = only(Probe);
          end else if (inserts_q) begin
            state_d = only(InsertOriginal);
          end else if (same_q) begin
            map_do_o.hit = 1'b1;
            state_d      = only(Known);
          end else begin
            state_d = only(Advance);
            pause_d = Charged;
          end
        end
        state_q[Known]: state_d = taken_i.read ? only(KnownWait) : only(Known);
        state_q[KnownWait]: begin
          state_d = answered_i ? only(Point) : only(KnownWait);
          if (answered_i) word_d = answer_i;
        end
        state_q[Leave]: begin
          addresses_do_o.copy = 1'b1;
          state_d             = only(Retreat);
        end
        state_q[UpCheck]: begin
          addresses_do_o.copy = 1'b1;
          sets_parent_o       = 1'b1;
          // The root's parent is null, and so wild.
          if (word_q == '0) begin
            ends_d   = 1'b1;
            failed_d = !wild_i;
            state_d  = only(Clean);
          end else begin
            failed_d = wild_i || parent_wild_i;
            if (!failed_d) state_d = only(UpHeader);
          end
        end
        state_q[Fetch]: state_d = taken_i.read ? only(FetchWait) : only(Fetch);
        state_q[FetchWait]: begin
          lines_do_o.fill_original = answered_i && !fills_copy_q;
          lines_do_o.fill_copy     = answered_i && fills_copy_q;
          state_d                  = answered_i ? next_q : only(FetchWait);
        end
        state_q[Clean]: begin
          lines_do_o.written = taken_i.run;
          if (!copy_dirty_i || (taken_i.run && run_last_i)) begin
            lines_do_o.take_copy = 1'b1;
            state_d              = fetches ? only(Fetch) : next;
          end else begin
            state_d = only(Clean);
          end
        end
        state_q[Drain]:  state_d = drained_i ? only(Result) : only(Drain);
        state_q[Result]: state_d = result_ready_i ? only(Idle) : only(Result);
        // These do, and what they set may be set again when the line has come.
        state_q[LoadHeader]: begin
          header_d = original_word_i[31:0];
          back_d   = 1'b0;
          onward   = only(Type);
          if (original_has_i) begin
            addresses_do_o.original = 1'b1;
            pause_d                 = Charged;
          end
        end
        state_q[Size]: begin
          bytes_d = !is_array_i ? 64'(type_bytes_i) : back_q ? copy_word_i : original_word_i;
          addresses_do_o.original = !back_q && !original_missing_i;
          addresses_do_o.copy     = back_q && !copy_missing_i;
          // An array without a place for its front has no size to load.
          failed_d = front_wild_i;
          if (!failed_d) onward = only(Check);
        end
        state_q[ParentWord]: begin
          addresses_do_o.copy = copy_has_line_i;
          onward              = only(SavePosition);
        end
        state_q[SavePosition]: begin
          addresses_do_o.copy = copy_has_line_i;
          onward              = only(SaveIndex);
        end
        state_q[SaveIndex]: begin
          addresses_do_o.copy = copy_has_line_i;
          onward              = is_array_i ? only(SaveBytes) : only(SaveParentSrc);
        end
        state_q[SaveBytes]: begin
          addresses_do_o.copy = copy_has_line_i;
          onward              = only(SaveParentSrc);
        end
        state_q[SaveParentSrc]: begin
          addresses_do_o.copy = copy_has_line_i;
          onward              = only(SaveParentDst);
        end
        state_q[SaveParentDst]: begin
          addresses_do_o.copy = copy_has_line_i;
          onward              = only(SaveHeader);
        end
        state_q[SaveHeader]: begin
          if (dst_q == '0) root_d = final_copy_i;
          src_d                 = child_q;
          dst_d                 = object_i;
          cursor_do_o.begins    = 1'b1;
          cursor_do_o.set_index = 1'b1;
          new_index_o           = '0;
          range_at_d            = object_i;
          range_left_d          = words_i;
          stream_begin_offset_o = original_at_i;
          stream_begin_words_o  = words_i;
          stream_do_o.begins    = kind_i == KindDataArray;
          addresses_do_o.copy   = copy_has_line_i;
          onward                = words_i == '0 ? only(Leave) : kind_i == KindDataArray ? only(Stream) : only(Word);
          if (copy_has_line_i && !onward[Stream]) pause_d = Charged;
        end
        state_q[Word]: begin
          if (mask_missing_i) record_at_d = mask_at_i + 64'({position_i[CountBits-1:5], 3'b000});
          addresses_do_o.original = can_load;
          cursor_do_o.load        = can_load;
          onward                  = mask_missing_i ? only(MaskAsk) : only(Copy);
        end
        state_q[Copy]: begin
          cursor_do_o.set_index = what_q == WordDescriptor;
          if (what_q != WordData) child_d = word_q;
          if (copies_i) begin
            onward = last_i ? only(Leave) : can_load ? only(Copy) : only(Word);
          end else if (what_q == WordElements || (what_q == WordDescriptor && too_short)) begin
            failed_d      = 1'b1;
            failed_with_d = what_q == WordElements ? FaultNullPointer : FaultBadDescriptor;
          end else if (is_null_o) begin
            onward                  = only(NoElements);
            addresses_do_o.original = 1'b1;
          end else begin
            onward  = only(Find);
            pause_d = Charged;
          end
        end
        state_q[NoElements]: begin
          word_d                  = original_word_i;
          null_d                  = null_parts(original_word_i);
          what_d                  = WordElements;
          addresses_do_o.original = original_has_i;
          onward                  = only(Copy);
        end
        state_q[Point]: onward = last_i ? only(Leave) : only(Word);
        state_q[Retreat]: begin
          child_d             = copy_word_i;
          addresses_do_o.copy = copy_has_i;
          onward              = only(Up);
        end
        state_q[Up]: begin
          word_d = copy_word_i;
          onward = only(UpCheck);
        end
        state_q[UpHeader]: begin
          header_d = copy_word_i[31:0];
          back_d   = 1'b1;
          onward   = only(Type);
          if (copy_has_i) begin
            addresses_do_o = '1;
            pause_d        = Charged;
          end
        end
        state_q[UpPosition]: begin
          word_d              = copy_word_i;
          addresses_do_o.copy = copy_has_i;
          onward              = only(UpIndex);
        end
        state_q[UpIndex]: begin
          cursor_do_o.set_position = 1'b1;
          cursor_do_o.set_index    = 1'b1;
          new_index_o              = copy_word_i[1:0];
          addresses_do_o.copy      = copy_has_i;
          if (word_q[63:OffsetBits-3] == '0) onward = only(Size);
          else failed_d = copy_has_i;
        end
        default: ;
      endcase

      if (missing) begin
        next_d       = state_q & NeedLines;
        fills_copy_d = !original_missing_i;
        fetches_d    = original_missing_i || copy_missing_i;
        state_d     |= original_missing_i || (copy_missing_i && copy_has_line_i) ? only(Fetch) : only(Clean);
      end else begin
        state_d |= onward;
      end

      if (stored) begin
        cursor_do_o.copied  = 1'b1;
        addresses_do_o.copy = 1'b1;
        pause_d             = Charged;
        if (state_q[Copy] && !last_i && can_load) begin
          addresses_do_o.original = 1'b1;
          cursor_do_o.load        = 1'b1;
        end
      end

      // The word that was stored is not needed any more, even if there is no next one yet.
      if (state_q[Word] || ((state_q[Copy] || state_q[Point]) && copy_has_line_i)) begin
        word_d = code_i == CodeTransient ? '0 : original_word_i;
        null_d = null_parts(original_word_i);
        unique case (code_i)
          CodePointer:    what_d = WordPointer;
          CodeDescriptor: what_d = WordDescriptor;
          default:        what_d = WordData;
        endcase
      end

      // A state that fails has set no other bit here, nor one of `onward`, and waits for no line: Size and UpIndex fail
      // only where they load nothing or have it, Copy where it stores nothing. So a single bit is set; it is proved.
      if (failed_d) begin
        ends_d    = 1'b1;
        state_d |= only(Clean);
        pause_d   = '0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= only(Idle);
      pause_q    <= '0;
      out_full_q <= 1'b0;
      failed_q   <= 1'b0;
      ends_q     <= 1'b0;
    end else begin
      state_q    <= state_d;
      pause_q    <= pause_d;
      out_full_q <= out_full_d;
      failed_q   <= failed_d;
      ends_q     <= ends_d;
    end
  end

  // Nothing else means anything before a state has set it.
  always_ff @(posedge clk_i) begin
    next_q        <= next_d;
    job_q         <= job_d;
    fault_q       <= fault_d;
    failed_with_q <= failed_with_d;
    used_q        <= used_d;
    objects_q     <= objects_d;
    root_q        <= root_d;
    child_q       <= child_d;
    back_q        <= back_d;
    header_q      <= header_d;
    bytes_q       <= bytes_d;
    record_at_q   <= record_at_d;
    src_q         <= src_d;
    dst_q         <= dst_d;
    what_q        <= what_d;
    null_q        <= null_d;
    same_q        <= same_d;
    inserts_q     <= inserts_d;
    word_q        <= word_d;
    range_at_q    <= range_at_d;
    range_left_q  <= range_left_d;
    fills_copy_q  <= fills_copy_d;
    fetches_q     <= fetches_d;
  end

  // Whoever uses the others sees them elsewhere.
  logic unused;
  assign unused = ^{settings_i, position_i};

endmodule
