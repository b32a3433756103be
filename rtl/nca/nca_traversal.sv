/// nca_traversal: traverses object graphs through the tile's L2: marks, counts and writes back their objects: the
/// states, and the registers that they change.
///
/// It goes depth first. An object has been visited if its word `parent_src` has this traversal's mark. Before a pointer
/// is followed the next one is looked for: an object without any is not pushed to the stack, so a list needs none. A
/// state that needs a word of the line register gets its line first and is then entered again. Whatever memory has,
/// nothing outside of the partition is marked or written back. src/machine/nca/traversal_machine.hpp is the same
/// circuit as the simulator has it.
module nca_traversal #(
    parameter int unsigned STATE_CYCLES = 1,      // of a search, and of opening an object
    parameter int unsigned STACK_ENTRIES = 1024,
    parameter int unsigned LANES = 4,             // words of a line
    parameter int unsigned UNDER_WAY = 4095,      // lines that are written back at a time
    localparam int unsigned StackBits = STACK_ENTRIES > 1 ? $clog2(STACK_ENTRIES) : 1
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  nca_pkg::settings_t                  settings_i,
    input  logic                                job_valid_i,
    output logic                                job_ready_o,
    input  nca_pkg::job_t                       job_i,
    // The L2. Reads and marks are answered, reads with the line. `written_i`: a line that was to be written back has
    // nothing that memory does not have.
    output logic                                access_valid_o,
    input  logic                                access_ready_i,
    output nca_pkg::access_e                    access_kind_o,
    output nca_pkg::offset_t                    access_offset_o,
    output nca_pkg::word_t                      access_mark_o,
    input  logic                                answer_valid_i,
    input  logic               [LANES-1:0][63:0] answer_words_i,
    input  logic                                written_i,
    // Records of types and words of masks.
    output logic                                record_valid_o,
    input  logic                                record_ready_i,
    output nca_pkg::word_t                      record_address_o,
    output logic                                record_whole_o,         // a record; otherwise a word
    input  logic                                record_answer_valid_i,
    input  logic                                record_fault_i,         // it is outside of all memory
    input  logic               [2:0][63:0]      record_words_i,         // size, kind, mask; or one word
    // The stack; also what is written is answered.
    output logic                                stack_valid_o,
    input  logic                                stack_ready_i,
    output logic                                stack_writes_o,
    output logic               [StackBits-1:0]  stack_index_o,
    output nca_pkg::place_t                     stack_place_o,
    input  logic                                stack_answer_valid_i,
    input  nca_pkg::place_t                     stack_place_i,
    output logic                                result_valid_o,
    input  logic                                result_ready_i,
    output nca_pkg::result_t                    result_o,
    output logic                                quiet_o                 // nothing changes until an input is valid
);
  import nca_pkg::*;

  localparam int unsigned PauseBits = STATE_CYCLES > 1 ? $clog2(STATE_CYCLES) : 1;
  localparam logic [PauseBits-1:0] Charged = PauseBits'(STATE_CYCLES - 1);
  localparam int unsigned DepthBits = $clog2(STACK_ENTRIES + 1);
  localparam int unsigned UnderWayBits = $clog2(UNDER_WAY + 1);
  localparam int unsigned InLine = $clog2(LANES) + 3;

  typedef logic [DepthBits-1:0] depth_t;

  state_e state_d, state_q, next_d, next_q, after_d, after_q;
  logic [PauseBits-1:0] pause_d, pause_q;  // further cycles of this state
  logic pauses;
  assign pauses = STATE_CYCLES > 1 && pause_q != '0;

  // The job.
  word_t mark_d, mark_q;
  fault_e fault_d, fault_q;
  logic failed_q;  // the fault is this one, since the last edge
  fault_e failed_with_q;
  offset_t objects_d, objects_q;
  word_t bytes_d, bytes_q;
  logic counts_d, counts_q;  // the child's copy is added to the bytes
  depth_t depth_d, depth_q;  // entries of the stack

  // A pointer, and the object there, if it has an offset.
  word_t target_d, target_q, distance;
  offset_t child_d, child_q;
  logic far_d, far_q;
  logic first_d, first_q;  // it is the root
  logic back_d, back_q;    // it comes from the stack
  offset_t room_d, room_q;  // from there to the end of the partition
  logic [31:0] header_d, header_q;
  word_t record_at_d, record_at_q;

  // The object whose pointers are followed.
  offset_t object_d, object_q;
  kind_e kind_d, kind_q;
  word_t mask_at_d, mask_at_q;
  count_t words_d, words_q;
  logic ahead_d, ahead_q;  // a pointer is known, and the one after it is looked for

  // Lines to write back.
  logic of_child_d, of_child_q;
  offset_t lines_end_d, lines_end_q, line_after;
  logic [UnderWayBits-1:0] under_way_d, under_way_q;
  logic has_room, taken, leaves;

  // ---- The child: where it may be, and what it is ----

  logic wild;
  assign distance = target_q - settings_i.partition_base;
  assign wild     = far_q || child_q[2:0] != '0 || child_q < FrontBytes || child_q >= settings_i.partition_bytes;

  logic set_type, set_size, record_sound, ragged, child_is_array, beyond_end;
  kind_e child_kind;
  word_t child_mask_at, child_bytes, word;
  count_t child_words, child_block;

  nca_shape i_shape (
      .clk_i,
      .set_type_i(set_type),
      .record_i  (record_words_i),
      .sound_o   (record_sound),
      .set_size_i(set_size),
      .size_i    (word),
      .ragged_o  (ragged),
      .kind_o    (child_kind),
      .mask_at_o (child_mask_at),
      .bytes_o   (child_bytes),
      .measure_i (state_q == Measure),
      .words_o   (child_words),
      .block_o   (child_block)
  );
  assign child_is_array = child_kind != KindObject;
  assign room_d         = settings_i.partition_bytes - child_q;
  assign beyond_end     = child_bytes > 64'(room_q);

  // ---- The object's pointers ----

  pointers_do_t pointers_do;
  count_t position;
  logic none, mask_missing, found;

  nca_pointers i_pointers (
      .clk_i,
      .do_i          (pointers_do),
      .position_i    (stack_place_i.position),
      .kind_i        (kind_q),
      .words_i       (words_q),
      .mask_i        (record_words_i[0]),
      .position_o    (position),
      .beyond_o      (none),
      .mask_missing_o(mask_missing),
      .found_o       (found),
      .after_i       (state_q == Target)
  );

  // ---- The word of the line register that each state needs: its address is known a cycle before ----

  offset_t address_d, address_q, from, distance_to_word, front;
  logic is_array, needs_word, misplaced, sets_address;
  logic has_line, word_marked, marks, takes_line, fills_line, clears_line;

  // From the partition's base to the mark of an object at its beginning.
  assign front = {settings_i.partition_base[OffsetBits-1:12], 12'(ParentSrc)};

  always_comb begin
    from             = child_q;
    distance_to_word = -Header;
    unique case (address_e'(state_q[5:3]))
      AddressOfPointer: begin
        from             = target_q[OffsetBits-1:0];
        distance_to_word = -front;
      end
      AddressInObject: begin
        if (state_q == Locate || !of_child_q) from = object_q;
        distance_to_word = {position[CountBits-2:0], 3'b000};
        if (state_q == Lines) distance_to_word = is_array ? -ArrayFrontBytes : -FrontBytes;
      end
      AddressOfStack: from = stack_place_i.object;
      AddressOfArray: distance_to_word = -ArrayBytes;
      AddressOfChild: distance_to_word = -ParentSrc;
      default: ;
    endcase
  end
  assign is_array = of_child_q ? child_is_array : kind_q != KindObject;

  always_comb begin
    address_d = address_q;
    if (sets_address) address_d = from + distance_to_word;
    if (leaves) address_d = line_after;
  end

  always_comb begin
    unique case (state_q)
      Visit, Open: needs_word = 1'b1;
      Size: needs_word = child_is_array;
      Target: needs_word = !none;
      default: needs_word = 1'b0;
    endcase
    misplaced = !pauses && (state_q == Size ? child_is_array && child_q == FrontBytes
                            : (state_q == Visit || state_q == Open) && wild);
  end

  nca_line #(
      .LANES(LANES)
  ) i_line (
      .clk_i,
      .rst_ni,
      .offset_i    (address_q),
      .has_o       (has_line),
      .word_o      (word),
      .marked_o    (word_marked),
      .mark_i      (marks),
      .clear_i     (clears_line),
      .take_i      (takes_line),
      .fill_i      (fills_line),
      .fill_words_i(answer_words_i)
  );
  assign takes_line = !pauses && needs_word && !has_line;

  // ---- Ports ----

  assign has_room    = under_way_q != UnderWayBits'(UNDER_WAY);
  assign taken       = access_valid_o && access_ready_i;
  assign leaves      = taken && state_q == WriteBack;
  assign under_way_d = under_way_q + UnderWayBits'(leaves) - UnderWayBits'(written_i);

  assign job_ready_o    = state_q == Idle;
  assign access_valid_o = state_q == Mark || state_q == Fetch || (state_q == WriteBack && has_room);
  assign access_kind_o   = state_q == Mark ? AccessMark : state_q == WriteBack ? AccessWriteBack : AccessRead;
  assign access_mark_o   = mark_q;
  assign access_offset_o = {address_q[OffsetBits-1:InLine], state_q == Mark ? address_q[InLine-1:0] : InLine'(0)};

  assign record_valid_o   = state_q == TypeAsk || state_q == MaskAsk;
  assign record_address_o = record_at_q;
  assign record_whole_o   = state_q == TypeAsk;

  assign stack_valid_o          = state_q == Push || (state_q == Pop && depth_q != '0);
  assign stack_writes_o         = state_q == Push;
  assign stack_index_o          = StackBits'(state_q == Push ? depth_q : depth_q - 1'b1);
  assign stack_place_o.object   = object_q;
  assign stack_place_o.position = position;

  assign result_valid_o   = state_q == Result;
  assign result_o.fault   = fault_q;
  assign result_o.objects = objects_q;
  assign result_o.bytes   = bytes_q;

  always_comb begin
    unique case (state_q)
      Idle: quiet_o = !job_valid_i;
      WriteBack: quiet_o = !has_room;
      Drain: quiet_o = under_way_q != '0;
      MarkWait, TypeWait, MaskWait, PushWait, PopWait, FetchWait: quiet_o = 1'b1;
      default: quiet_o = 1'b0;
    endcase
  end

  // ---- States ----

  logic known, ends, goes_on, last_line;
  fault_e fails_with;
  logic fails, writes_lines;
  word_t record_of_type;

  assign known          = word_marked || word == mark_q;
  assign line_after     = {address_q[OffsetBits-1:InLine] + 1'b1, InLine'(0)};
  assign last_line      = line_after >= lines_end_q;
  assign record_of_type = settings_i.types_address + 64'({header_q, 6'd0}) + 64'({header_q, 3'd0});  // 72 bytes each

  always_comb begin
    state_d      = state_q;
    next_d       = next_q;
    after_d      = after_q;
    pause_d      = '0;
    mark_d       = mark_q;
    fault_d      = failed_q ? failed_with_q : fault_q;
    objects_d    = objects_q;
    bytes_d      = counts_q ? bytes_q + 64'({child_block, 3'b000}) : bytes_q;
    counts_d     = 1'b0;
    depth_d      = depth_q;
    target_d     = target_q;
    child_d      = child_q;
    far_d        = far_q;
    first_d      = first_q;
    back_d       = back_q;
    header_d     = header_q;
    record_at_d  = record_at_q;
    object_d     = object_q;
    kind_d       = kind_q;
    mask_at_d    = mask_at_q;
    words_d      = words_q;
    ahead_d      = ahead_q;
    of_child_d   = of_child_q;
    sets_address = 1'b0;
    lines_end_d  = lines_end_q;
    pointers_do  = '0;
    set_type     = 1'b0;
    set_size     = 1'b0;
    marks        = 1'b0;
    fills_line   = 1'b0;
    clears_line  = 1'b0;
    ends         = 1'b0;  // there is no further pointer
    goes_on      = 1'b0;  // the next one is looked for
    writes_lines = 1'b0;
    fails        = 1'b0;
    fails_with   = FaultWildPointer;

    if (pauses) begin
      pause_d = pause_q - 1'b1;
    end else if (takes_line) begin
      next_d  = state_q;
      state_d = Fetch;
    end else begin
      unique case (state_q)
        Idle: begin
          target_d = job_i.root;
          mark_d   = job_i.mark;
          if (job_valid_i) state_d = Start;
        end
        Start: begin
          fault_d          = FaultNone;
          objects_d        = '0;
          bytes_d          = '0;
          depth_d          = '0;
          clears_line      = 1'b1;
          first_d          = 1'b1;
          back_d           = 1'b0;
          ahead_d          = 1'b0;
          {far_d, child_d} = {distance[63:OffsetBits] != '0, distance[OffsetBits-1:0]};
          sets_address     = 1'b1;
          state_d          = Visit;
          fails            = target_q == '0;
          fails_with       = FaultNullPointer;
        end
        Visit: begin
          state_d = Mark;
          goes_on = known && !first_q;
        end
        Mark: if (taken) state_d = MarkWait;
        MarkWait: begin
          if (answer_valid_i) begin
            marks        = 1'b1;
            sets_address = 1'b1;
            state_d      = Open;
            pause_d      = Charged;
          end
        end
        Open: begin
          header_d = word[31:0];
          state_d  = Type;
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
            set_type     = 1'b1;
            sets_address = 1'b1;
            state_d      = Size;
            fails        = record_fault_i || !record_sound;
            fails_with   = FaultBadDescriptor;
          end
        end
        Size: begin
          state_d = Measure;
          if (child_is_array) begin
            set_size   = 1'b1;
            fails      = ragged;
            fails_with = FaultBadDescriptor;
          end
        end
        Measure: begin
          if (!back_q) begin
            objects_d = objects_q + 1'b1;
            counts_d  = 1'b1;
          end
          if (first_q || back_q) begin
            state_d = Become;
          end else if (child_kind == KindDataArray) begin
            writes_lines = 1'b1;
            of_child_d   = 1'b1;
            after_d      = Find;
          end else if (none) begin
            writes_lines = 1'b1;
            of_child_d   = 1'b0;
            after_d      = Become;
          end else begin
            state_d    = Push;
            fails      = depth_q == depth_t'(STACK_ENTRIES);
            fails_with = FaultStackFull;
          end
          if (beyond_end) begin
            objects_d  = objects_q;
            counts_d   = 1'b0;
            fails      = 1'b1;
            fails_with = FaultWildPointer;
          end
        end
        Become: begin
          object_d                = child_q;
          kind_d                  = child_kind;
          mask_at_d               = child_mask_at;
          words_d                 = child_words;
          first_d                 = 1'b0;
          back_d                  = 1'b0;
          pointers_do.begins      = !back_q;
          pointers_do.forget_mask = 1'b1;
          goes_on                 = 1'b1;
        end
        Find: begin
          {far_d, child_d} = {distance[63:OffsetBits] != '0, distance[OffsetBits-1:0]};
          sets_address     = 1'b1;
          // A position behind the end stays behind it.
          pointers_do.search = !mask_missing;
          if (none) begin
            ends = 1'b1;
          end else if (mask_missing) begin
            record_at_d = mask_at_q + 64'({position[CountBits-1:5], 3'b000});
            state_d     = MaskAsk;
          end else if (found) begin
            state_d = Locate;
          end
        end
        MaskAsk: if (record_ready_i) state_d = MaskWait;
        MaskWait: begin
          if (record_answer_valid_i) begin
            pointers_do.set_mask = 1'b1;
            state_d              = Find;
            fails                = record_fault_i;
            fails_with           = FaultBadDescriptor;
          end
        end
        Locate: begin
          sets_address = 1'b1;
          state_d      = Target;
        end
        Target: begin
          sets_address = 1'b1;
          if (none) begin
            ends = 1'b1;
          end else if (word != '0 && ahead_q) begin
            ahead_d = 1'b0;
            state_d = Visit;
          end else begin
            if (word != '0) begin
              target_d = word;
              ahead_d  = 1'b1;
            end
            pointers_do.next = 1'b1;
            goes_on          = 1'b1;
          end
        end
        Push: if (stack_ready_i) state_d = PushWait;
        PushWait: begin
          if (stack_answer_valid_i) begin
            depth_d = depth_q + 1'b1;
            state_d = Become;
          end
        end
        Pop: begin
          if (depth_q == '0) state_d = Drain;
          else if (stack_ready_i) state_d = PopWait;
        end
        PopWait: begin
          if (stack_answer_valid_i) begin
            sets_address        = 1'b1;
            child_d             = stack_place_i.object;
            far_d               = 1'b0;
            back_d              = 1'b1;
            pointers_do.resumes = 1'b1;
            depth_d             = depth_q - 1'b1;
            state_d             = Open;
            pause_d             = Charged;
          end
        end
        Lines: begin
          sets_address = 1'b1;
          lines_end_d  = from + {of_child_q ? child_words[CountBits-2:0] : words_q[CountBits-2:0], 3'b000};
          state_d      = WriteBack;
        end
        WriteBack: begin
          if (taken && last_line) begin
            state_d = after_q;
            goes_on = after_q == Find;
          end
        end
        Fetch: if (taken) state_d = FetchWait;
        FetchWait: begin
          if (answer_valid_i) begin
            fills_line = 1'b1;
            state_d    = next_q;
          end
        end
        Drain: if (under_way_q == '0) state_d = Result;
        Result: if (result_ready_i) state_d = Idle;
        default: state_d = Idle;
      endcase
    end

    if (goes_on) begin
      state_d = Find;
      pause_d = Charged;
    end

    if (ends) begin
      ahead_d = 1'b0;
      state_d = Visit;
      if (!ahead_q) begin
        writes_lines = 1'b1;
        of_child_d   = 1'b0;
        after_d      = Pop;
      end
    end

    if (writes_lines) state_d = Lines;

    if (misplaced) begin
      fails      = 1'b1;
      fails_with = FaultWildPointer;
    end

    if (fails) begin
      state_d = Drain;
      pause_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= Idle;
      pause_q     <= '0;
      under_way_q <= '0;
      failed_q    <= 1'b0;
    end else begin
      state_q     <= state_d;
      pause_q     <= pause_d;
      under_way_q <= under_way_d;
      failed_q    <= fails;
    end
  end

  // Nothing else means anything before a state has set it.
  always_ff @(posedge clk_i) begin
    next_q        <= next_d;
    after_q       <= after_d;
    mark_q        <= mark_d;
    fault_q       <= fault_d;
    failed_with_q <= fails_with;
    objects_q     <= objects_d;
    bytes_q       <= bytes_d;
    counts_q      <= counts_d;
    depth_q       <= depth_d;
    target_q      <= target_d;
    child_q       <= child_d;
    far_q         <= far_d;
    first_q       <= first_d;
    back_q        <= back_d;
    room_q        <= room_d;
    header_q      <= header_d;
    record_at_q   <= record_at_d;
    object_q      <= object_d;
    kind_q        <= kind_d;
    mask_at_q     <= mask_at_d;
    words_q       <= words_d;
    ahead_q       <= ahead_d;
    of_child_q    <= of_child_d;
    address_q     <= address_d;
    lines_end_q   <= lines_end_d;
  end

endmodule
