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
    input  logic                    mask_missing_i,
    input  nma_pkg::code_e          code_i,
    // Line registers.
    input  nma_pkg::offset_t        original_at_i,
    input  logic                    original_has_i,
    input  nma_pkg::word_t          original_word_i,
    input  nma_pkg::word_t          copy_word_i,
    input  logic                    stores_i,
    input  logic                    original_missing_i,
    input  logic                    copy_missing_i,
    input  logic                    store_missing_i,
    input  logic                    copy_has_line_i,
    input  logic                    copy_dirty_i,
    input  logic                    run_last_i,
    // The map and the stream.
    input  nma_pkg::count_t         table_words_i,
    input  logic                    map_misfit_i,
    input  logic                    map_full_i,
    input  nma_pkg::count_t         map_count_i,
    input  logic                    found_i,
    input  logic                    stream_complete_i,
    input  logic                    stream_head_full_i,
    input  logic [LaneBits:0]       out_words_i,
    // Accesses.
    input  logic                    access_valid_i,
    input  logic                    access_writes_i,
    input  logic                    taken_i,
    input  logic                    drained_i,
    input  logic                    has_room_i,
    input  logic                    answered_i,
    input  nma_pkg::word_t          answer_i,
    // Registers.
    output nma_pkg::state_e         state_o,
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

  localparam int unsigned PauseBits = STATE_CYCLES > 1 ? $clog2(STATE_CYCLES) : 1;
  localparam int unsigned NullBits = 4;
  localparam logic [PauseBits-1:0] Charged = PauseBits'(STATE_CYCLES - 1);

  state_e state_d, state_q, next_d, next_q;
  logic [PauseBits-1:0] pause_d, pause_q;  // further cycles of this state

  // The job.
  job_t job_d, job_q;
  fault_e fault_d, fault_q;
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

  assign job_ready_o      = state_q == Idle;
  assign record_valid_o   = state_q == TypeAsk || state_q == MaskAsk;
  assign record_address_o = record_at_q;
  assign record_whole_o   = state_q == TypeAsk;
  assign result_valid_o   = state_q == Result;
  assign result_o.fault   = fault_q;
  assign result_o.root    = fault_q == FaultNone ? root_q : '0;
  assign result_o.bytes   = used_q - job_q.target;
  assign result_o.objects = objects_q;

  always_comb begin
    unique case (state_q)
      Idle: quiet_o = !job_valid_i;
      Clear, InsertOriginal, InsertCopy: quiet_o = !has_room_i;
      Stream: quiet_o = !access_valid_i && (out_full_q || !stream_head_full_i);
      Search: quiet_o = !access_valid_i && !found_i && !stream_complete_i;
      Clean: quiet_o = copy_dirty_i && !has_room_i;
      Drain: quiet_o = !drained_i;
      TypeWait, MaskWait, ProbeWait, KnownWait, FetchWait: quiet_o = 1'b1;
      default: quiet_o = 1'b0;
    endcase
  end

  word_t record_of_type;
  logic [LaneBits:0] range_step;
  offset_t range_next;
  count_t range_remain;
  logic wrong_size, sees_word, stored, fails;
  logic [NullBits-1:0] original_null;
  fault_e fails_with;

  assign record_of_type = settings_i.types_address + 64'({header_q, 6'd0}) + 64'({header_q, 3'd0});  // 72 bytes each
  // Behind the burst of a range; a table ends with one that is not larger.
  assign range_step   = state_q == Clear ? (LaneBits + 1)'(LANES) : out_words_i;
  assign range_next   = range_at_q + {(OffsetBits - LaneBits - 4)'(0), range_step, 3'b000};
  assign range_remain = range_left_q - CountBits'(range_step);

  // The elements of a data array were copied before anything else, so none is a parent.
  assign wrong_size = is_array_i && (kind_i == KindPointerArray ? bytes_q[2:0] != '0 : back_q);

  for (genvar part = 0; part < NullBits; ++part) begin : g_null
    assign original_null[part] = original_word_i[part*64/NullBits+:64/NullBits] == '0;
  end
  assign is_null_o = null_q == '1;

  // A word of the object is stored.
  assign stored = !pauses_o && (state_q == Copy || state_q == Point) && stores_i && copy_has_line_i;

  always_comb begin
    state_d             = state_q;
    next_d              = next_q;
    pause_d             = '0;
    job_d               = job_q;
    fault_d             = fault_q;
    used_d              = used_q;
    objects_d           = objects_q;
    root_d              = root_q;
    child_d             = child_q;
    back_d              = back_q;
    header_d            = header_q;
    bytes_d             = bytes_q;
    record_at_d         = record_at_q;
    src_d               = src_q;
    dst_d               = dst_q;
    what_d              = what_q;
    null_d              = null_q;
    inserts_d           = inserts_q;
    word_d              = word_q;
    range_at_d          = range_at_q;
    range_left_d        = range_left_q;
    map_do_o              = '0;
    stream_do_o           = '0;
    cursor_do_o           = '0;
    lines_do_o            = '0;
    out_full_d          = out_full_q;
    fills_copy_d        = fills_copy_q;
    fetches_d           = fetches_q;
    stream_begin_offset_o = settings_i.map_offset;
    stream_begin_words_o  = map_count_i;
    addresses_do_o        = '0;
    new_index_o           = 2'(DescriptorWords - 1);
    set_type_o            = 1'b0;
    sets_parent_o         = 1'b0;
    sees_word           = 1'b0;
    fails               = 1'b0;
    fails_with          = FaultWildPointer;

    if (pauses_o) begin
      pause_d = pause_q - 1'b1;
    end else begin
      // States that need no word of a line register: they do not wait to see whether one is missing.
      unique case (state_q)
        Idle: begin
          if (job_valid_i) begin
            job_d   = job_i;
            state_d = Start;
          end
        end
        Start: begin
          fault_d        = FaultNone;
          used_d         = job_q.sound ? job_q.begins : job_q.target;
          objects_d      = '0;
          root_d         = '0;
          dst_d          = '0;
          src_d          = '0;
          child_d        = job_q.root;
          back_d         = 1'b0;
          lines_do_o.clear = 1'b1;
          map_do_o.begins  = 1'b1;
          if (!job_q.sound) begin
            fault_d = FaultBadRequest;
            state_d = Result;
          end else if (job_q.root == '0) begin
            fails      = 1'b1;
            fails_with = FaultNullPointer;
          end else if (job_q.hashed) begin
            state_d = Table;
          end else begin
            state_d = Advance;
            pause_d = Charged;
          end
        end
        Table: begin
          range_at_d   = settings_i.map_offset;
          range_left_d = table_words_i;
          state_d      = Clear;
          fails        = map_misfit_i;
          fails_with   = FaultMapFull;
        end
        Clear: begin
          if (taken_i) begin
            range_at_d   = range_next;
            range_left_d = range_remain;
            if (range_left_q <= CountBits'(LANES)) begin
              state_d = Advance;
              pause_d = Charged;
            end
          end
        end
        Advance: begin
          addresses_do_o.original = 1'b1;
          state_d               = Locate;
        end
        Locate: begin
          addresses_do_o.original = 1'b1;
          state_d               = LoadHeader;
          fails                 = wild_i;
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
            set_type_o              = 1'b1;
            cursor_do_o.forget_mask = 1'b1;
            state_d               = back_q ? UpPosition : Size;
            fails                 = record_fault_i || !record_sound_i;
            fails_with            = FaultBadDescriptor;
          end
        end
        Check: begin
          state_d = Room;
          fails   = wrong_size || beyond_i;
          if (wrong_size) fails_with = FaultBadDescriptor;
        end
        Room: begin
          pause_d = Charged;
          fails   = no_room_i;
          if (!back_q) begin
            fails_with = FaultBufferFull;
            state_d    = Insert;
          end else begin
            fails             = no_room_i || position_beyond_i;
            src_d             = child_q;
            dst_d             = object_i;
            addresses_do_o      = '1;
            cursor_do_o.resumes = 1'b1;
            state_d           = remain_i == '0 ? Leave : Word;
          end
        end
        Insert: begin
          used_d        = end_at_i;
          objects_d     = objects_q + 1'b1;
          inserts_d     = 1'b1;
          map_do_o.insert = 1'b1;
          state_d       = job_q.hashed ? Probe : InsertOriginal;
          pause_d       = job_q.hashed ? Charged : '0;
          fails         = map_full_i;
          fails_with    = FaultMapFull;
        end
        InsertOriginal: begin
          map_do_o.hit = 1'b1;
          if (taken_i) state_d = InsertCopy;
        end
        InsertCopy: begin
          if (taken_i) begin
            map_do_o.inserted   = 1'b1;
            addresses_do_o.copy = dst_q == '0;
            state_d           = dst_q != '0 ? ParentWord : is_array_i ? SaveBytes : SaveParentSrc;
          end
        end
        Stream: begin
          stream_do_o.issued = taken_i && !access_writes_i;
          if (taken_i && access_writes_i) begin
            range_at_d   = range_next;
            range_left_d = range_remain;
            out_full_d   = 1'b0;
            if (range_left_q == CountBits'(out_words_i)) begin
              state_d = Leave;
              pause_d = Charged;
            end
          end else if (!out_full_q && stream_head_full_i) begin
            stream_do_o.take = 1'b1;
            out_full_d     = 1'b1;
          end
        end
        MaskAsk: if (record_ready_i) state_d = MaskWait;
        MaskWait: begin
          if (record_answer_valid_i) begin
            cursor_do_o.set_mask = 1'b1;
            state_d            = Word;
            fails              = record_fault_i;
            fails_with         = FaultBadDescriptor;
          end
        end
        // A child that is no place for an object_i is in no map.
        Find: begin
          inserts_d        = 1'b0;
          map_do_o.find      = 1'b1;
          stream_do_o.begins = !job_q.hashed;
          state_d          = job_q.hashed ? Probe : Search;
          pause_d          = job_q.hashed ? Charged : '0;
        end
        Search: begin
          stream_do_o.issued = taken_i;
          if (found_i && !access_valid_i) begin
            state_d = Known;
          end else if (!found_i && stream_complete_i) begin
            state_d = Advance;
            pause_d = Charged;
          end
        end
        Probe: if (taken_i) state_d = ProbeWait;
        ProbeWait: begin
          if (answered_i) begin
            word_d  = answer_i;
            state_d = Probed;
          end
        end
        Probed: begin
          if (word_q != child_q && word_q != '0) begin
            map_do_o.next = 1'b1;
            state_d     = Probe;
            pause_d     = Charged;
          end else if (inserts_q) begin
            state_d = InsertOriginal;
          end else if (word_q == child_q) begin
            map_do_o.hit = 1'b1;
            state_d    = Known;
          end else begin
            state_d = Advance;
            pause_d = Charged;
          end
        end
        Known: if (taken_i) state_d = KnownWait;
        KnownWait: begin
          if (answered_i) begin
            word_d  = answer_i;
            state_d = Point;
          end
        end
        Leave: begin
          addresses_do_o.copy = 1'b1;
          state_d           = Retreat;
        end
        UpCheck: begin
          addresses_do_o.copy = 1'b1;
          sets_parent_o       = 1'b1;
          state_d           = UpHeader;
          fails             = wild_i || parent_wild_i;
          if (word_q == '0) begin
            fails     = 1'b0;
            fetches_d = 1'b0;
            next_d    = Drain;
            state_d   = Clean;
          end
        end
        Fetch: if (taken_i) state_d = FetchWait;
        FetchWait: begin
          if (answered_i) begin
            lines_do_o.fill_original = !fills_copy_q;
            lines_do_o.fill_copy     = fills_copy_q;
            state_d                = next_q;
          end
        end
        Clean: begin
          lines_do_o.written = taken_i;
          if (!copy_dirty_i || (taken_i && run_last_i)) begin
            lines_do_o.take_copy = 1'b1;
            state_d            = fetches_q ? Fetch : next_q;
          end
        end
        Drain: if (drained_i) state_d = Result;
        Result: if (result_ready_i) state_d = Idle;
        // These do, but what they set may be set again when the line has come.
        LoadHeader: begin
          header_d = original_word_i[31:0];
          back_d   = 1'b0;
        end
        Size: bytes_d = !is_array_i ? 64'(type_bytes_i) : back_q ? copy_word_i : original_word_i;
        SaveHeader: begin
          if (dst_q == '0) root_d = final_copy_i;
          src_d               = child_q;
          dst_d               = object_i;
          cursor_do_o.begins    = 1'b1;
          cursor_do_o.set_index = 1'b1;
          new_index_o           = '0;
          range_at_d          = object_i;
          range_left_d        = words_i;
          stream_begin_offset_o = original_at_i;
          stream_begin_words_o  = words_i;
          stream_do_o.begins    = kind_i == KindDataArray;
        end
        Word: begin
          sees_word = !mask_missing_i;
          if (mask_missing_i) record_at_d = mask_at_i + 64'({position_i[CountBits-1:5], 3'b000});
        end
        Copy: begin
          cursor_do_o.set_index = what_q == WordDescriptor;
          if (what_q != WordData) child_d = word_q;
        end
        NoElements: begin
          word_d = original_word_i;
          null_d = original_null;
          what_d = WordElements;
        end
        Retreat: child_d = copy_word_i;
        Up: word_d = copy_word_i;
        UpHeader: begin
          header_d = copy_word_i[31:0];
          back_d   = 1'b1;
        end
        UpPosition: word_d = copy_word_i;
        UpIndex: begin
          cursor_do_o.set_position = 1'b1;
          cursor_do_o.set_index    = 1'b1;
          new_index_o              = copy_word_i[1:0];
        end
        default: ;
      endcase
      if (original_missing_i || copy_missing_i || store_missing_i) begin
        next_d       = state_q;
        fills_copy_d = !original_missing_i;
        fetches_d    = original_missing_i || copy_missing_i;
        state_d      = original_missing_i || (copy_missing_i && copy_has_line_i) ? Fetch : Clean;
      end else begin
        unique case (state_q)
          LoadHeader: begin
            addresses_do_o.original = 1'b1;
            state_d               = Type;
            pause_d               = Charged;
          end
          Size: begin
            addresses_do_o.original = !back_q;
            addresses_do_o.copy     = back_q;
            state_d               = Check;
            fails                 = front_wild_i;
          end
          ParentWord: begin
            addresses_do_o.copy = 1'b1;
            state_d           = SavePosition;
          end
          SavePosition: begin
            addresses_do_o.copy = 1'b1;
            state_d           = SaveIndex;
          end
          SaveIndex: begin
            addresses_do_o.copy = 1'b1;
            state_d           = is_array_i ? SaveBytes : SaveParentSrc;
          end
          SaveBytes: begin
            addresses_do_o.copy = 1'b1;
            state_d           = SaveParentSrc;
          end
          SaveParentSrc: begin
            addresses_do_o.copy = 1'b1;
            state_d           = SaveParentDst;
          end
          SaveParentDst: begin
            addresses_do_o.copy = 1'b1;
            state_d           = SaveHeader;
          end
          SaveHeader: begin
            addresses_do_o.copy = 1'b1;
            state_d           = words_i == '0 ? Leave : kind_i == KindDataArray ? Stream : Word;
            pause_d           = state_d == Stream ? '0 : Charged;
          end
          Word: begin
            if (mask_missing_i) begin
              state_d = MaskAsk;
            end else begin
              addresses_do_o.original = 1'b1;
              cursor_do_o.load        = 1'b1;
              state_d               = Copy;
            end
          end
          Copy: begin
            if (!stores_i) begin
              state_d = Find;
              pause_d = Charged;
              if (is_null_o) begin
                addresses_do_o.original = 1'b1;
                state_d                 = NoElements;
                pause_d                 = '0;
              end
              fails      = what_q == WordElements || (what_q == WordDescriptor && left_i < CountBits'(DescriptorWords));
              fails_with = what_q == WordElements ? FaultNullPointer : FaultBadDescriptor;
            end
          end
          NoElements: begin
            addresses_do_o.original = 1'b1;
            state_d               = Copy;
          end
          Retreat: begin
            addresses_do_o.copy = 1'b1;
            state_d           = Up;
          end
          Up: state_d = UpCheck;
          UpHeader: begin
            addresses_do_o = '1;
            state_d      = Type;
            pause_d      = Charged;
          end
          UpPosition: begin
            addresses_do_o.copy = 1'b1;
            state_d           = UpIndex;
          end
          UpIndex: begin
            addresses_do_o.copy = 1'b1;
            state_d           = Size;
            fails             = word_q[63:OffsetBits-3] != '0;
          end
          default: ;
        endcase
      end
    end

    // The next word is loaded meanwhile, if it can be.
    if (stored) begin
      cursor_do_o.copied  = 1'b1;
      addresses_do_o.copy = 1'b1;
      state_d           = left_i == CountBits'(1) ? Leave : Word;
      pause_d           = Charged;
      if (state_q == Copy && left_i != CountBits'(1) && original_has_i && !mask_missing_i) begin
        addresses_do_o.original = 1'b1;
        cursor_do_o.load        = 1'b1;
        sees_word             = 1'b1;
        state_d               = Copy;
      end
    end

    if (sees_word) begin
      word_d = code_i == CodeTransient ? '0 : original_word_i;
      null_d = original_null;
      unique case (code_i)
        CodePointer:    what_d = WordPointer;
        CodeDescriptor: what_d = WordDescriptor;
        default:        what_d = WordData;
      endcase
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
