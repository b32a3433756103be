/// cni_aligner_properties: the bytes of a packet leave once, unchanged, in their order, at their places.
///
/// Any one byte of each packet is watched: its word of the source and its place there, and the word of the destination
/// and the place where it must leave. Each word that leaves has strobes for the packet's bytes in it and no others, so
/// what holds for the watched byte holds for all. Words that the module makes are expected behind its queue, in their
/// order. It takes no word beyond the packet's, and what is offered stays.
module cni_aligner_properties #(
    parameter int unsigned LINE_BYTES = 64,
    parameter int unsigned SHIFTS = 1,
    localparam int unsigned InLine = $clog2(LINE_BYTES)
) (
    input logic                            clk_i,
    input logic                            rst_ni,
    input logic                            packet_valid_i,
    input logic                            packet_ready_o,
    input logic              [2:0]         from_i,
    input logic              [2:0]         to_i,
    input logic              [InLine:0]    bytes_i,
    input logic                            word_valid_i,
    input logic                            word_ready_o,
    input cni_pkg::word_t                  word_i,
    input logic                            aligned_valid_o,
    input logic                            aligned_ready_i,
    input cni_pkg::aligned_t               aligned_o,
    input logic                            quiet_o,
    // Inside.
    input logic                            active_q,
    input logic                            leads_q,
    input logic                            begins_q,
    input logic              [2:0]         to_q,
    input logic              [2:0]         end_q,
    input logic              [2:0]         turn_q,
    input logic              [InLine-2:0]  reads_q,
    input logic              [InLine-2:0]  writes_q,
    input cni_pkg::word_t                  kept_q,
    input logic                            puts,
    input logic                            room,
    input cni_pkg::aligned_t               items[2],
    input logic                            head,
    input logic                            tail,
    input logic              [1:0]         count
);
  import cni_pkg::*;

  typedef logic [InLine+1:0] at_t;  // a byte, from the beginning of the first word on

  // What a word of the destination must be; the watched byte is one of it, or of another word.
  typedef struct packed {
    logic [7:0] strobes;
    logic       last;
    logic       watched;
    logic [2:0] place;
    logic [7:0] value;
  } expected_t;

  logic [InLine:0] any;  // free in every cycle
  logic started_q = 1'b0;
  logic inside_q;  // a packet is,
  at_t from_q, begin_q, bytes_q, watched_q;  // as it came
  at_t taken_q, made_q;  // words that came, and that were made
  logic [7:0] value_q;  // of the watched byte, when it has come
  expected_t expected, waiting_q[2];
  logic [1:0] waiting_count_q;
  logic offered_q;
  aligned_t offer_q;

  at_t source, target, reads, writes, needed;
  logic takes, leaves, comes;
  logic [7:0] value;

  assign takes  = word_valid_i && word_ready_o;
  assign leaves = aligned_valid_o && aligned_ready_i;
  assign comes  = packet_valid_i && packet_ready_o;
  assign source = from_q + watched_q;
  assign target = begin_q + watched_q;
  assign reads  = (from_q + bytes_q + at_t'(7)) >> 3;
  assign writes = (begin_q + bytes_q + at_t'(7)) >> 3;
  assign value  = takes && taken_q == source >> 3 ? word_i[8*source[2:0]+:8] : value_q;

  always_comb begin
    expected.last    = made_q == writes - 1'b1;
    expected.watched = made_q == target >> 3;
    expected.place   = target[2:0];
    expected.value   = value;
    for (int unsigned i = 0; i < 8; ++i) begin
      expected.strobes[i] = (made_q << 3) + at_t'(i) >= begin_q && (made_q << 3) + at_t'(i) < begin_q + bytes_q;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    offered_q <= rst_ni && aligned_valid_o && !aligned_ready_i;
    offer_q   <= aligned_o;
    value_q   <= value;
    if (!rst_ni) begin
      inside_q        <= 1'b0;
      waiting_count_q <= '0;
    end else begin
      if (comes) begin
        inside_q  <= 1'b1;
        from_q    <= at_t'(from_i);
        begin_q   <= at_t'(to_i);
        bytes_q   <= at_t'(bytes_i);
        watched_q <= at_t'(any);
        taken_q   <= '0;
        made_q    <= '0;
      end
      if (takes) taken_q <= taken_q + 1'b1;
      if (puts) begin
        made_q <= made_q + 1'b1;
        if (expected.last) inside_q <= 1'b0;
      end
      waiting_count_q <= waiting_count_q + 2'(puts) - 2'(leaves);
      if (leaves) waiting_q[0] <= waiting_q[1];
      if (puts) waiting_q[1'(waiting_count_q-2'(leaves))] <= expected;
    end
  end

  function automatic logic fits(expected_t wanted, aligned_t word);
    return word.strobes == wanted.strobes && word.last == wanted.last
           && (!wanted.watched || (wanted.strobes[wanted.place] && word.word[8*wanted.place+:8] == wanted.value));
  endfunction

  always_comb begin
    // So many words of the source are there when so many were made: one more if bytes move down.
    needed = made_q + at_t'(from_q > begin_q);
    if (!started_q) assume (!rst_ni);
    if (packet_valid_i) begin
      assume (bytes_i != '0 && 32'(bytes_i) <= LINE_BYTES && any < bytes_i);
      assume (SHIFTS != 0 || from_i == to_i);
    end
    if (started_q && rst_ni) begin
      // What leaves is what must, in order: no byte is lost, doubled or moved elsewhere.
      assert (aligned_valid_o == (waiting_count_q != '0));
      if (aligned_valid_o) assert (fits(waiting_q[0], aligned_o));
      if (puts) assert (inside_q && room && made_q < writes);
      // Words are the packet's; the next packet comes when all of this one are made.
      if (takes) assert (inside_q && taken_q < reads);
      if (inside_q) assert (made_q < writes);
      assert (packet_ready_o == !inside_q);
      assert (quiet_o == (!inside_q && waiting_count_q == '0));
      // A word can be made or taken whenever there is room.
      if (inside_q && room) assert (word_ready_o || puts);
      // What is offered stays.
      if (offered_q) assert (aligned_valid_o && aligned_o == offer_q);
      // For the induction: what the registers mean.
      assert (count == waiting_count_q && count <= 2'd2 && tail == (head ^ count[0]));
      assert (active_q == inside_q);
      for (int unsigned i = 0; i < 2; ++i) begin
        if (32'(count) > i) assert (fits(waiting_q[i], items[head^1'(i)]));
      end
      if (inside_q) begin
        assert (bytes_q != '0 && 32'(bytes_q) <= LINE_BYTES && watched_q < bytes_q);
        assert (from_q < 8 && begin_q < 8 && (SHIFTS != 0 || from_q == begin_q));
        assert (to_q == begin_q[2:0] && end_q == 3'(begin_q + bytes_q) && turn_q == 3'(begin_q - from_q));
        assert (at_t'(reads_q) == reads - taken_q && taken_q <= reads);
        assert (at_t'(writes_q) == writes - made_q);
        assert (begins_q == (made_q == '0));
        assert (leads_q == (from_q > begin_q && taken_q == '0));
        if (leads_q) assert (made_q == '0);
        else assert (taken_q == (needed < reads ? needed : reads));
        if (taken_q != '0 && taken_q - 1'b1 == source >> 3) assert (kept_q[8*target[2:0]+:8] == value_q);
      end
    end
  end

endmodule

bind cni_aligner cni_aligner_properties #(
    .LINE_BYTES(LINE_BYTES),
    .SHIFTS    (SHIFTS)
) properties (
    .items(i_aligned.items_q),
    .head (i_aligned.head_q),
    .tail (i_aligned.tail_q),
    .count(i_aligned.count_q),
    .*
);
