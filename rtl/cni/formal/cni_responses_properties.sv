/// cni_responses_properties: a counter never misses its wake-up, entries of a queue meet one to one and in their order,
/// each store has one result, and a store that is refused leaves no trace; offers are kept.
///
/// Any line that is a multiple-reader queue is watched, as it may be at any time, and any entry of it: a number that
/// head and tail count. The cache is assumed to offer the line's tag as the last result left it, and its owner not to
/// move the ring.
module cni_responses_properties (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             store_valid_i,
    input logic             store_ready_o,
    input cni_pkg::store_t  store_i,
    input cni_pkg::words_t  words_i,
    input logic             room_for_event_i,
    input logic             ring_valid_o,
    input logic             ring_ready_i,
    input cni_pkg::ring_t   ring_o,
    input logic             check_valid_o,
    input logic             check_ready_i,
    input cni_pkg::check_t  check_o,
    input logic             job_valid_o,
    input logic             job_ready_i,
    input cni_pkg::job_t    job_o,
    input logic             result_valid_o,
    input logic             result_ready_i,
    input cni_pkg::result_t result_o,
    input cni_pkg::state_e  state_q,
    input cni_pkg::line_e   code_q,
    input cni_pkg::by_e     by_q,
    input logic [5:0]       offset_q,
    input logic [6:0]       bytes_q,
    input cni_pkg::shape_t  shape,
    input cni_pkg::shape_t  shape_q,
    input cni_pkg::word_t   value_q,
    input cni_pkg::word_t   tag_q,
    input cni_pkg::word_t   first_q,
    input cni_pkg::ring_e   action_q,
    input logic             matched_q,
    input cni_pkg::outcome_e outcome_q,
    input cni_pkg::row_e    row_q,
    input logic [31:0]      waiting_q
);
  import cni_pkg::*;

  typedef logic [30:0] count_t;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  // The store that is inside, if one is.
  logic inside_q;
  store_t store_q;
  word_t reload_q;
  logic accepts, ends;
  assign accepts = store_valid_i && store_ready_o;
  assign ends    = result_valid_o && result_ready_i;

  // The watched line, and an entry of it. A wire that nothing drives has any value in every cycle.
  logic any_watched;
  word_t any_tag, any_buffer;
  shape_t any_shape;
  count_t any_entry;
  logic watched_q, waits_q;  // the store inside is one to this line; the entry waits
  word_t line_q, buffer_q;
  shape_t line_shape_q;
  count_t entry_q;

  // What has happened since the store came.
  logic [1:0] jobs_q, rings_q;
  word_t address_q;
  ring_e did_q;

  function automatic count_t head_of(word_t tag);
    return tag[30:0];
  endfunction
  function automatic count_t tail_of(word_t tag);
    return tag[61:31];
  endfunction
  function automatic count_t count_of(word_t tag);
    return tag[61:31] - tag[30:0];
  endfunction
  function automatic word_t place_of(count_t count, word_t base, shape_t shape);
    return base + (64'(count[19:0] & 20'((21'd1 << shape.log2_items) - 1'b1)) << 3 << shape.log2_words);
  endfunction

  logic pairs_up, is_request, comes, goes;
  assign is_request = store_q.offset[5:3] == WordRequest;
  assign pairs_up   = count_of(store_q.tag) != '0 && store_q.tag[62] != is_request;
  assign comes      = tail_of(result_o.tag) == count_t'(tail_of(store_q.tag) + 1'b1)
                      && head_of(result_o.tag) == head_of(store_q.tag);
  assign goes       = head_of(result_o.tag) == count_t'(head_of(store_q.tag) + 1'b1)
                      && tail_of(result_o.tag) == tail_of(store_q.tag);

  always_ff @(posedge clk_i) begin
    inside_q <= rst_ni && (accepts || (inside_q && !ends));
    if (!rst_ni) begin
      watched_q    <= 1'b0;
      waits_q      <= count_t'(any_entry - head_of(any_tag)) < count_of(any_tag);
      line_q       <= any_tag;
      line_shape_q <= any_shape;
      buffer_q     <= any_buffer;
      entry_q      <= any_entry;
    end else begin
      if (accepts) begin
        store_q   <= store_i;
        reload_q  <= words_i[WordReload];
        watched_q <= any_watched;
        jobs_q    <= '0;
        rings_q   <= '0;
      end
      if (job_valid_o && job_ready_i) jobs_q <= jobs_q + 1'b1;
      if (ring_valid_o && ring_ready_i) begin
        rings_q   <= rings_q + 1'b1;
        address_q <= ring_o.address;
        did_q     <= ring_o.action;
      end
      if (ends && watched_q && result_o.outcome == OutcomeDone) begin
        line_q <= result_o.tag;
        if (comes && tail_of(store_q.tag) == entry_q) waits_q <= 1'b1;
        if (goes && head_of(store_q.tag) == entry_q) waits_q <= 1'b0;
      end
    end
  end

  // Offers.
  logic ring_waits_q, check_waits_q, job_waits_q, result_waits_q;
  ring_t ring_q;
  check_t check_q;
  job_t job_q;
  result_t result_q;
  always_ff @(posedge clk_i) begin
    ring_waits_q   <= rst_ni && ring_valid_o && !ring_ready_i;
    check_waits_q  <= rst_ni && check_valid_o && !check_ready_i;
    job_waits_q    <= rst_ni && job_valid_o && !job_ready_i;
    result_waits_q <= rst_ni && result_valid_o && !result_ready_i;
    ring_q         <= ring_o;
    check_q        <= check_o;
    job_q          <= job_o;
    result_q       <= result_o;
  end

  row_e row;  // what the store inside is
  cni_row i_row (
      .code_i  (store_q.code),
      .number_i(store_q.offset[5:3]),
      .row_o   (row)
  );

  logic early, item;  // nothing is decided yet; an item or request is on its way to a ring
  assign early = state_q == Decide || state_q == Check || state_q == CheckWait || item;
  assign item   = state_q == Place || state_q == Ring || state_q == RingWait;

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (accepts && any_watched) begin
      assume (store_i.code == LineMatchQueue && store_i.tag == line_q);
      assume (shape == line_shape_q && words_i[WordBuffer] == buffer_q);
      assume (store_i.offset[5:3] != WordBuffer && store_i.offset[5:3] != WordShape);
    end
    assume (any_shape.log2_items <= 5'(Log2ItemsMax));
    assume (!any_tag[63] && count_of(any_tag) <= 31'd1 << any_shape.log2_items);
    assume (any_shape.limit <= 21'd1 << any_shape.log2_items);
    if (started_q && rst_ni) begin
      if (ring_waits_q) assert (ring_valid_o && ring_o == ring_q);
      if (check_waits_q) assert (check_valid_o && check_o == check_q);
      if (job_waits_q) assert (job_valid_o && job_o == job_q);
      if (result_waits_q) assert (result_valid_o && result_o == result_q);

      // A store enters when there is none, and has a result before the next one enters.
      if (store_ready_o) assert (!inside_q);
      if (result_valid_o) assert (inside_q && !store_ready_o);
      assert (inside_q == (state_q != Idle));

      if (result_valid_o) begin
        // What is refused leaves no trace: no job, and nobody else is told.
        assert (result_o.outcome == OutcomeDone ? jobs_q <= 2'd1 : jobs_q == '0);
        // An acknowledgement always finds a place.
        if (store_q.by == ByAcknowledgement) assert (result_o.outcome != OutcomeBusy);
        // A counter never misses its wake-up, and has no other.
        if (store_q.code == LineCounter && store_q.offset == 6'd0 && store_q.bytes == 7'd8) begin
          assert (result_o.outcome == OutcomeDone || result_o.outcome == OutcomeBusy);
          if (result_o.outcome == OutcomeBusy) assert (word_t'(store_q.tag + store_q.value) == '0);
          if (result_o.outcome == OutcomeDone) begin
            assert ((jobs_q == 2'd1) == (word_t'(store_q.tag + store_q.value) == '0));
            assert (result_o.tag == (jobs_q == 2'd1 ? reload_q : word_t'(store_q.tag + store_q.value)));
            assert (result_o.value == result_o.tag);
          end
        end else if (store_q.code == LineCounter) begin
          assert (jobs_q == '0);
        end
      end
      if (job_valid_o) assert ((job_o.kind == JobNotify) == (store_q.code == LineCounter));

      // The watched queue: who is stored waits behind all others, or meets the first of the others, and only then an
      // answer is sent.
      if (result_valid_o && watched_q && result_o.outcome == OutcomeDone) begin
        if (pairs_up) begin
          assert (goes && jobs_q == 2'd1 && result_o.tag[62] == store_q.tag[62]);
          assert (rings_q == 2'd1 && did_q != RingPut);
          assert (address_q == place_of(head_of(store_q.tag), buffer_q, line_shape_q));
          if (head_of(store_q.tag) == entry_q) assert (waits_q);
        end else if (jobs_q == '0) begin
          assert (comes && result_o.tag[62] == is_request);
          assert (rings_q == 2'd1 && did_q == RingPut);
          assert (address_q == place_of(tail_of(store_q.tag), buffer_q, line_shape_q));
          if (tail_of(store_q.tag) == entry_q) assert (!waits_q);
        end else begin
          assert (is_request && result_o.tag == store_q.tag && rings_q == '0);
        end
      end
      if (result_valid_o && watched_q && result_o.outcome == OutcomeDone)
        assert (result_o.value == (result_o.tag[62] ? -64'(count_of(result_o.tag)) : 64'(count_of(result_o.tag))));
      assert (waits_q == (count_t'(entry_q - head_of(line_q)) < count_of(line_q)));
      assert (count_of(line_q) <= 31'd1 << line_shape_q.log2_items);

      // For the induction: what the registers mean.
      assert (line_shape_q.log2_items <= 5'(Log2ItemsMax));
      assert (line_shape_q.limit <= 21'd1 << line_shape_q.log2_items);
      assert (state_q <= Result);
      if (state_q != Idle) begin
        assert (row_q == row);
        assert (code_q == store_q.code && by_q == store_q.by && offset_q == store_q.offset && bytes_q == store_q.bytes);
        if (watched_q) begin
          assert (waiting_q == 32'(count_of(tag_q)));
          assert (store_q.code == LineMatchQueue && store_q.tag == line_q && shape_q == line_shape_q);
          assert (store_q.offset[5:3] != WordBuffer && store_q.offset[5:3] != WordShape);
        end
        assert (rings_q <= 2'd1);
      end
      if (state_q == Decide && code_q == LineCounter) assert (first_q == reload_q);
      if (early || state_q == Test || state_q == Job) assert (jobs_q == '0 && outcome_q == OutcomeDone);
      if (early) assert (tag_q == store_q.tag && value_q == store_q.value && !matched_q);
      if (state_q == Decide || state_q == Check || state_q == CheckWait || state_q == Place) begin
        if (watched_q) assert (first_q == buffer_q);
      end
      if (early && state_q != RingWait) assert (rings_q == '0);
      if (state_q == Check || state_q == CheckWait) assert (row_q == RowRequest);
      if (state_q == Test) begin
        assert (row_q == RowAdd && tag_q == word_t'(store_q.tag + store_q.value) && first_q == reload_q);
        assert (offset_q == '0 && bytes_q == 7'd8);
      end
      if (item) begin
        assert (row_q == RowPut || row_q == RowData || row_q == RowRequest);
        if (watched_q) begin
          assert (action_q == (!pairs_up ? RingPut : is_request ? RingTake : RingLook));
          if (action_q == RingPut) assert (count_of(store_q.tag) < 31'd1 << line_shape_q.log2_items);
        end
      end
      if ((state_q == Ring || state_q == RingWait) && watched_q)
        assert (first_q == place_of(pairs_up ? head_of(store_q.tag) : tail_of(store_q.tag), buffer_q, line_shape_q));
      if (state_q == RingWait) assert (rings_q == 2'd1 && did_q == action_q && address_q == first_q);
      if (state_q == Job) begin
        assert (row_q != RowNone && row_q != RowSet && row_q != RowKeep && row_q != RowHead);
        if (row_q == RowAdd) assert (word_t'(store_q.tag + store_q.value) == '0 && tag_q == reload_q);
        if (row_q == RowAdd) assert (offset_q == '0 && bytes_q == 7'd8);
        if (watched_q && pairs_up) begin
          assert (row_q == RowData || row_q == RowRequest);
          assert (goes && tag_q[62] == store_q.tag[62] && rings_q == 2'd1 && did_q != RingPut);
          assert (address_q == place_of(head_of(store_q.tag), buffer_q, line_shape_q));
        end
        if (watched_q && !pairs_up) assert (row_q == RowRequest && tag_q == store_q.tag && rings_q == '0);
      end
      if (state_q == Result && watched_q && outcome_q == OutcomeDone && comes)
        assert (count_of(store_q.tag) < 31'd1 << line_shape_q.log2_items);
    end
  end

endmodule

bind cni_responses cni_responses_properties properties (.*);
