/// nma_writes_properties: the accelerator writes nothing outside of the buffer and the map, whatever memory has, and
/// each way back ends.
///
/// Memory is abstract: answers, records and acknowledgements have any value and come at any time. Assumed: settings
/// stay the same, and buffer and map are in the memory, as whoever translates addresses makes sure. All but the first
/// two assertions are lemmas, which say what registers mean in which states; a state that waits for a line register
/// counts as the one that is entered again.
module nma_writes_properties #(
    parameter int unsigned LANES = 2
) (
    input logic                                    clk_i,
    input logic                                    rst_ni,
    input nma_pkg::settings_t                      settings_i,
    input logic                                    job_valid_i,
    input nma_pkg::job_t                           job_i,
    input logic                                    access_valid_o,
    input logic                                    access_writes_o,
    input nma_pkg::offset_t                        access_offset_o,
    input logic               [$clog2(LANES):0]    access_words_o,
    input nma_pkg::states_t                        states,
    input nma_pkg::states_t                        next_states,
    input nma_pkg::job_t                           job_q,
    input nma_pkg::offset_t                        lowest_q,
    input nma_pkg::offset_t                        used_q,
    input nma_pkg::offset_t                        dst_q,
    input logic                                    fetches,
    input logic                                    ends_q,
    input logic                                    back_q,
    input logic                                    inserts_q,
    input logic                                    is_array,
    input nma_pkg::offset_t                        copy_at,
    input nma_pkg::end_t                           object,
    input nma_pkg::count_t                         words,
    input nma_pkg::count_t                         left,
    input logic                                    last,
    input nma_pkg::offset_t                        range_at_q,
    input nma_pkg::count_t                         range_left_q,
    input logic                                    out_full_q,
    input logic               [$clog2(LANES):0]    out_words,
    input nma_pkg::count_t                         slot,
    input logic               [32:0]               slot_mask,
    input nma_pkg::offset_t                        copy_entry,
    input logic                                    matched,
    input nma_pkg::offset_t                        line,
    input logic                                    has_line,
    input logic                                    has_tag,
    input logic               [LANES-1:0]          dirty,
    input logic               [LANES-1:0]          others,
    input logic                                    some_dirty,
    input logic                                    last_dirty,
    input logic               [LANES-1:0]          store,
    // The stream has one slot.
    input logic                                    issue,
    input logic                                    head,
    input logic                                    busy,
    input logic                                    live,
    input logic                                    full,
    input logic               [36:0]               stream_left,
    input logic                                    some_left,
    input logic                                    can_issue,
    input logic               [$clog2(LANES):0]    slot_words
);
  import nma_pkg::*;

  typedef logic [43:0] wide_t;  // no sum of these overflows

  logic started_q = 1'b0;
  settings_t settings_q;

  always_ff @(posedge clk_i) begin
    started_q  <= 1'b1;
    settings_q <= settings_i;
  end

  // The states as numbers; each register has one bit for each of them.
  state_e state_q, next_q;
  always_comb begin
    state_q = Idle;
    next_q  = Idle;
    for (int unsigned at = 0; at < States; ++at) begin
      if (states[at]) state_q = state_e'(at);
      if (next_states[at]) next_q = state_e'(at);
    end
  end

  function automatic logic one(states_t of);
    return of != '0 && (of & (of - 1'b1)) == '0;
  endfunction

  function automatic logic sound(job_t job);
    return job.begins[2:0] == '0 && job.ends[2:0] == '0 && job.target[2:0] == '0
           && job.target <= job.begins && job.begins <= job.ends
           && wide_t'(job.begins) + wide_t'(FrontBytes) < (wide_t'(1) << OffsetBits);
  endfunction

  function automatic logic uses_line(state_e of);
    return of == LoadHeader || of == Size || of == Word || of == Copy || of == NoElements || of == Point
           || (of >= ParentWord && of <= SaveHeader) || (of >= Retreat && of <= UpIndex && of != UpCheck);
  endfunction

  function automatic wide_t bytes_of(count_t of);
    return wide_t'(of) << 3;
  endfunction

  wide_t map_begin, map_end, begins, lowest, used_end, at;
  assign map_begin = wide_t'(settings_i.map_offset);
  assign map_end   = map_begin + (bytes_of(settings_i.map_entries) << 1);
  assign begins    = wide_t'(job_q.begins);
  assign lowest    = begins + wide_t'(FrontBytes);
  assign used_end  = wide_t'(used_q);
  assign at        = wide_t'(access_offset_o);

  // The state that goes on when a line register has its line.
  state_e state;
  logic waits;
  assign waits = state_q == Fetch || state_q == FetchWait || state_q == Clean;
  assign state = waits ? next_q : state_q;

  logic over, works, saves, saves_front, returns, has_word, places, advances, probes, streams;
  assign over = state == Drain || state == Result;
  assign works = state != Idle && state != Start && !over;
  assign advances = state == Type || state == TypeAsk || state == TypeWait || state == Size || state == Check
                    || state == Room;
  assign returns = state == UpHeader || state == UpPosition || state == UpIndex || (advances && back_q);
  assign probes = state == Probe || state == ProbeWait || state == Probed;
  assign saves_front = state == SaveBytes || state == SaveParentSrc || state == SaveParentDst || state == SaveHeader;
  assign saves = state == ParentWord || state == SavePosition || state == SaveIndex || saves_front;
  assign places = state == Insert || state == InsertOriginal || state == InsertCopy || (probes && inserts_q) || saves;
  // There is a present word, whose copy's address is right.
  assign has_word = works && !returns && !saves_front && state != SavePosition && state != SaveIndex
                    && state != Leave && state != Retreat && state != Up && state != UpCheck && state != Stream
                    && dst_q != '0;
  assign streams = state_q == Stream;

  always_comb begin
    if (!started_q) assume (!rst_ni);
    assume (settings_i.map_offset[$clog2(LANES)+2:0] == '0 && map_end < (wide_t'(1) << OffsetBits));
    if (started_q) assume (settings_i == settings_q);
    if (job_valid_i) assume (sound(job_i));
    if (started_q && rst_ni) begin
      // What is promised.
      if (access_valid_o && access_writes_o) begin
        assert ((at >= map_begin && at + bytes_of(CountBits'(access_words_o)) <= map_end)
                || (at >= begins && at + bytes_of(CountBits'(access_words_o)) <= wide_t'(job_q.ends)));
      end
      // A way back leads to a copy before the present one, so that it has an end.
      if (returns) assert (wide_t'(object) < wide_t'(dst_q));
      // The job and the buffer.
      if (works && state != Table) assert (wide_t'(lowest_q) == lowest);
      assert (one(states));
      if (waits) assert (one(next_states));
      if (ends_q) assert (state_q == Clean);
      if (state_q != Idle) assert (sound(job_q));
      if (waits) assert (uses_line(next_q) || (next_q == Drain && state_q == Clean && !fetches));
      if (works || state == Drain) begin
        assert (used_end >= begins && used_q <= job_q.ends && used_q[2:0] == '0);
        assert (dst_q == '0 || (wide_t'(dst_q) >= lowest && dst_q <= used_q && dst_q[2:0] == '0));
      end
      // What is known an edge before it is needed.
      if (has_tag) assert (has_line == (copy_at[OffsetBits-1:$clog2(LANES)+3] == line[OffsetBits-1:$clog2(LANES)+3]));
      if (has_word) assert (last == (left == CountBits'(1)));
      assert (some_dirty == (dirty != '0) && last_dirty == (others == '0));
      if (state_q == Clean) assert (store == '0);
      assert (some_left == (stream_left != '0) && can_issue == (some_left && !busy && !full));
      // What has changed in the copy's line register is in the used part of the buffer.
      for (int unsigned lane = 0; lane < LANES; ++lane) begin
        if (dirty[lane] || store[lane]) begin
          assert (state_q != Idle && state_q != Start && state_q != Drain && state_q != Result);
          assert (wide_t'(line) + wide_t'(lane * 8) >= begins && wide_t'(line) + wide_t'(lane * 8 + 8) <= used_end);
        end
      end
      // The present word, the new copy, the parent's copy.
      if (works && !places && !advances && state != Table && state != Clear && state != Advance && state != Locate
          && state != LoadHeader)
        assert (dst_q != '0);
      if (returns || state == ParentWord || state == SavePosition || state == SaveIndex) assert (dst_q != '0);
      if (has_word) begin
        assert (left != '0 && copy_at[2:0] == '0 && wide_t'(copy_at) >= begins);
        assert (wide_t'(copy_at) + bytes_of(left) <= used_end);
      end
      if (state == SavePosition) assert (copy_at == dst_q - Position);
      if (state == SaveIndex) assert (copy_at == dst_q - Index);
      if (state == SaveBytes) assert (is_array && wide_t'(copy_at) == wide_t'(object) - wide_t'(ArrayBytes));
      if (state == SaveParentSrc) assert (wide_t'(copy_at) == wide_t'(object) - wide_t'(ParentSrc));
      if (state == SaveParentDst) assert (wide_t'(copy_at) == wide_t'(object) - wide_t'(ParentDst));
      if (state == SaveHeader) assert (wide_t'(copy_at) == wide_t'(object) - wide_t'(Header));
      if (places || (state == Room && !back_q)) begin
        assert (object[2:0] == '0 && wide_t'(object) >= lowest + (is_array ? wide_t'(WordBytes) : '0));
      end
      if (places && state != Insert) assert (wide_t'(object) + bytes_of(words) == used_end);
      if (state == Insert) assert (wide_t'(object) + bytes_of(words) <= wide_t'(job_q.ends));
      if (state == Insert || (state == Room && !back_q)) begin
        assert (wide_t'(object) >= used_end + wide_t'(FrontBytes));
        assert (wide_t'(object) <= used_end + wide_t'(ArrayFrontBytes) + wide_t'(WordBytes));
      end
      if (returns) assert (object[2:0] == '0 && wide_t'(object) >= lowest);
      if (state == UpHeader) assert (wide_t'(copy_at) == wide_t'(object) - wide_t'(Header));
      if (returns && (state == Type || state == TypeAsk || state == TypeWait || state == UpPosition))
        assert (wide_t'(copy_at) == wide_t'(object) - wide_t'(Position));
      if (state == UpIndex) assert (wide_t'(copy_at) == wide_t'(object) - wide_t'(Index));
      if (returns && state == Size) assert (copy_at == object[OffsetBits-1:0] - ArrayBytes);
      if (returns && (state == Check || state == Room)) assert (wide_t'(copy_at) == wide_t'(object));
      if (state == UpPosition || state == UpIndex) assert (back_q);
      // The map.
      if (works && job_q.hashed && state != Table) assert (CountBits'(slot_mask) < settings_i.map_entries);
      if (probes || state == Table) assert (job_q.hashed);
      if (probes || state == InsertOriginal || state == InsertCopy)
        assert (job_q.hashed ? slot <= CountBits'(slot_mask) : slot < settings_i.map_entries);
      if (matched) assert (state_q == Search);
      if (state == InsertCopy)
        assert (wide_t'(copy_entry) == map_begin + bytes_of(settings_i.map_entries) + bytes_of(slot));
      if (state == Clear) begin
        assert (job_q.hashed && range_left_q != '0);
        assert (wide_t'(range_at_q) + bytes_of(range_left_q) == map_begin + bytes_of(CountBits'(slot_mask) + 1'b1));
        assert (wide_t'(range_at_q) >= map_begin);
      end
      // The stream: all words of the array are somewhere.
      assert (!issue && !head && !(live && !busy) && !(full && busy));
      if (live || full) assert (slot_words != '0);
      if (out_full_q) assert (out_words != '0);
      if (!streams) assert (!full && !out_full_q);
      if (streams) begin
        assert (wide_t'(range_at_q) >= begins && wide_t'(range_at_q) + bytes_of(range_left_q) <= used_end);
        assert (range_left_q != '0);
        assert (range_left_q == CountBits'(stream_left) + (out_full_q ? CountBits'(out_words) : '0)
                + (live || full ? CountBits'(slot_words) : '0));
      end
    end
  end

endmodule

bind nma_copy_machine nma_writes_properties #(.LANES(LANES)) writes (
    .clk_i,
    .rst_ni,
    .settings_i,
    .job_valid_i,
    .job_i,
    .access_valid_o,
    .access_writes_o,
    .access_offset_o,
    .access_words_o,
    .states     (i_states.state_q),
    .next_states(i_states.next),
    .job_q       (i_states.job_q),
    .used_q      (i_states.used_q),
    .dst_q       (i_states.dst_q),
    .fetches     (i_states.fetches),
    .ends_q      (i_states.ends_q),
    .back_q      (i_states.back_q),
    .inserts_q   (i_states.inserts_q),
    .lowest_q     (i_bounds.lowest_q),
    .is_array,
    .copy_at,
    .object     (i_bounds.object_q),
    .words,
    .left,
    .last,
    .range_at_q  (i_states.range_at_q),
    .range_left_q(i_states.range_left_q),
    .out_full_q  (i_states.out_full_q),
    .out_words,
    .slot       (i_map.slot_q),
    .slot_mask  (i_map.mask_q),
    .copy_entry,
    .matched,
    .line       ({copy_line, ($clog2(LANES) + 3)'(0)}),
    .has_line   (i_lines.i_copy.here_q),
    .has_tag    (i_lines.i_copy.tagged_q),
    .dirty      (i_lines.i_dirty.dirty_q),
    .others     (i_lines.i_dirty.others),
    .some_dirty (i_lines.i_dirty.some_q),
    .last_dirty (i_lines.i_dirty.last_q),
    .store      (i_lines.i_copy.store_q),
    .issue      (i_stream.issue_q),
    .head       (i_stream.head_q),
    .busy       (i_stream.busy_q[0]),
    .live       (i_stream.live_q[0]),
    .full       (i_stream.full_q[0]),
    .stream_left(i_stream.left_q),
    .some_left  (i_stream.some_left_q),
    .can_issue  (i_stream.can_issue_q),
    .slot_words (i_stream.slot_words_q[0])
);
