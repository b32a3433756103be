/// nma_streams_properties: what the accelerator offers stays until it is taken, and each job has one result.
///
/// Answers, records and acknowledgements have any value and come at any time. Assumed: settings stay the same, and
/// answers to the stream's reads come while they are under way, and acknowledgements while writes are.
module nma_streams_properties #(
    parameter int unsigned LANES = 2,
    parameter int unsigned STREAM_BURSTS = 1,
    parameter int unsigned POSTED_WRITES = 1
) (
    input logic                                                     clk_i,
    input logic                                                     rst_ni,
    input nma_pkg::settings_t                                       settings_i,
    input logic                                                     job_valid_i,
    input logic                                                     job_ready_o,
    input logic                                                     access_valid_o,
    input logic                                                     access_ready_i,
    input logic                                                     access_writes_o,
    input logic               [$clog2(STREAM_BURSTS + 1)-1:0]       access_tag_o,
    input nma_pkg::offset_t                                         access_offset_o,
    input logic               [$clog2(LANES):0]                     access_words_o,
    input logic               [$clog2(LANES)-1:0]                   access_lane_o,
    input logic               [LANES-1:0][63:0]                     access_data_o,
    input logic                                                     record_valid_o,
    input logic                                                     record_ready_i,
    input nma_pkg::word_t                                           record_address_o,
    input logic                                                     record_whole_o,
    input logic                                                     result_valid_o,
    input logic                                                     result_ready_i,
    input nma_pkg::result_t                                         result_o,
    input logic                                                     quiet_o,
    input logic                                                     written_i,
    input logic                                                     drained,
    input nma_pkg::states_t                                         states,
    input nma_pkg::states_t                                         next_states,
    input logic                                                     ends_q,
    input logic                                                     failed_q,
    input logic                                                     arrived,
    input logic                                                     matched,
    input logic                                                     held,
    input logic                                                     issue,
    input logic                                                     busy,
    input logic                                                     live,
    input logic                                                     full,
    input logic               [LANES-1:0]                           store,
    input logic               [LANES-1:0]                           dirty,
    input logic                                                     some_dirty,
    input logic               [$clog2(POSTED_WRITES + 1)-1:0]       under_way,
    input logic                                                     has_room,
    input logic                                                     some_left,
    input logic                                                     can_issue
);
  import nma_pkg::*;

  typedef struct packed {
    logic                                   writes;
    logic [$clog2(STREAM_BURSTS + 1)-1:0]   tag;
    offset_t                                offset;
    logic [$clog2(LANES):0]                 words;
    logic [$clog2(LANES)-1:0]               lane;
    logic [LANES-1:0][63:0]                 data;
  } access_t;
  typedef struct packed {
    word_t address;
    logic  whole;
  } record_t;

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

  logic started_q = 1'b0;
  logic access_waits_q, record_waits_q, result_waits_q, inside_q;
  settings_t settings_q;
  access_t access, access_q;
  record_t record, record_q;
  result_t result_q;

  // Only the words that are written count.
  always_comb begin
    access = '{
        writes: access_writes_o,
        tag:    access_tag_o,
        offset: access_offset_o,
        words:  access_words_o,
        lane:   access_lane_o,
        data:   '0
    };
    for (int unsigned at = 0; at < LANES; ++at) begin
      if (access_writes_o && at >= 32'(access_lane_o) && at < 32'(access_lane_o) + 32'(access_words_o))
        access.data[at] = access_data_o[at];
    end
  end
  assign record = '{address: record_address_o, whole: record_whole_o};

  always_ff @(posedge clk_i) begin
    started_q      <= 1'b1;
    settings_q     <= settings_i;
    access_q       <= access;
    record_q       <= record;
    result_q       <= result_o;
    access_waits_q <= rst_ni && access_valid_o && !access_ready_i;
    record_waits_q <= rst_ni && record_valid_o && !record_ready_i;
    result_waits_q <= rst_ni && result_valid_o && !result_ready_i;
    inside_q       <= rst_ni && (inside_q || (job_valid_i && job_ready_o)) && !(result_valid_o && result_ready_i);
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (started_q) assume (settings_i == settings_q);
    if (arrived) assume (busy);
    if (written_i) assume (!drained);
    if (started_q && rst_ni) begin
      if (access_waits_q) assert (access_valid_o && access == access_q);
      if (record_waits_q) assert (record_valid_o && record == record_q);
      if (result_waits_q) assert (result_valid_o && result_o == result_q);
      // A job enters when there is none, and has a result before the next one enters.
      if (result_valid_o) assert (inside_q && !job_ready_o);
      if (job_ready_o) assert (!inside_q);
      assert (inside_q == (state_q != Idle));
      // Who is quiet offers nothing.
      if (quiet_o) assert (!access_valid_o && !record_valid_o && !result_valid_o);
      // For the induction.
      assert (one(states));
      if (failed_q || ends_q) assert (state_q == Clean);
      // What is offered does not change any more.
      if (state_q == Clean) assert (store == '0);
      // What is known an edge before it is needed.
      assert (some_dirty == (dirty != '0));
      assert (has_room == (32'(under_way) != POSTED_WRITES));
      assert (can_issue == (some_left && !busy && !full));
      // What waits for a line register uses it, or is at its end.
      if (state_q == Fetch || state_q == FetchWait || state_q == Clean) begin
        assert (one(next_states));
        assert (next_q == LoadHeader || next_q == Size || (next_q >= ParentWord && next_q <= SaveHeader)
                || next_q == Word || next_q == Copy || next_q == NoElements || next_q == Point
                || (next_q >= Retreat && next_q <= UpIndex) || next_q == Drain);
      end
      if (matched) assert (state_q == Search);
      assert (held == (access_waits_q && !access_q.writes));
      assert (!issue && !(live && !busy) && !(full && busy));
    end
  end

endmodule

bind nma_copy_machine nma_streams_properties #(
    .LANES        (LANES),
    .STREAM_BURSTS(STREAM_BURSTS),
    .POSTED_WRITES(POSTED_WRITES)
) streams (
    .clk_i,
    .rst_ni,
    .settings_i,
    .job_valid_i,
    .job_ready_o,
    .access_valid_o,
    .access_ready_i,
    .access_writes_o,
    .access_tag_o,
    .access_offset_o,
    .access_words_o,
    .access_lane_o,
    .access_data_o,
    .record_valid_o,
    .record_ready_i,
    .record_address_o,
    .record_whole_o,
    .result_valid_o,
    .result_ready_i,
    .result_o,
    .quiet_o,
    .written_i,
    .drained,
    .states     (i_states.state_q),
    .next_states(i_states.next),
    .ends_q     (i_states.ends_q),
    .failed_q   (i_states.failed_q),
    .arrived,
    .matched,
    .held      (i_access.held_q),
    .issue     (i_stream.issue_q),
    .busy      (i_stream.busy_q[0]),
    .live      (i_stream.live_q[0]),
    .full      (i_stream.full_q[0]),
    .store     (i_lines.i_copy.store_q),
    .dirty     (i_lines.i_dirty.dirty_q),
    .some_dirty(i_lines.i_dirty.some_q),
    .under_way (i_access.under_way_q),
    .has_room  (i_access.has_room_q),
    .some_left (i_stream.some_left_q),
    .can_issue (i_stream.can_issue_q)
);
