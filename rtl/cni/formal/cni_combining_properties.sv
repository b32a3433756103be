/// cni_combining_properties: each byte of each store leaves once, unchanged, in a word and a packet that have its
/// place; a drain and an interval end what waits; packets under way are counted, and no more than there may be.
///
/// Any one byte of any store is watched. What leaves is looked at where it enters the two queues behind the buffer,
/// which never take what they have no room for: that a queue loses, doubles or overtakes nothing is proved of `fifo`
/// alone. Stores lie in one aligned word, and nobody reports a packet that is not under way.
module cni_combining_properties #(
    parameter int unsigned COMBINE_CYCLES = 8,
    parameter int unsigned POSTED = 8,
    parameter int unsigned LINE_BYTES = 64,
    localparam int unsigned InLine = $clog2(LINE_BYTES),
    localparam int unsigned IdleWidth = $clog2(COMBINE_CYCLES + 1),
    localparam int unsigned PostedWidth = $clog2(POSTED + 1)
) (
    input logic                           clk_i,
    input logic                           rst_ni,
    input logic                           store_valid_i,
    input logic                           store_ready_o,
    input cni_pkg::posted_t               store_i,
    input logic                           packet_valid_o,
    input logic                           packet_ready_i,
    input logic                           word_valid_o,
    input logic                           word_ready_i,
    input logic                           done_valid_i,
    input logic                           drain_i,
    input logic                           drained_o,
    input logic                           quiet_o,
    // Inside: the packet that waits, its last word, and what enters the queues.
    input cni_pkg::word_t                 address,
    input logic             [InLine:0]    bytes,
    input logic                           ends_q,
    input cni_pkg::aligned_t              word_q,
    input logic             [IdleWidth-1:0] idle_q,
    input logic             [PostedWidth-1:0] posted_q,
    input logic                           sends,
    input logic                           puts,
    input logic                           words_room,
    input logic                           packets_room,
    input cni_pkg::aligned_t              word_put
);
  import cni_pkg::*;

  logic [2:0] any;  // free in every cycle,
  logic watch;      // as this
  logic started_q = 1'b0;
  logic watched_q, left_q;  // a byte was chosen; it has left
  word_t at_q, packet_q;  // its address, and that of the packet that waits
  logic [7:0] value_q;
  logic [InLine:0] bytes_q;  // stored into the packet that waits
  logic alone_q, drains_q, stays_q;
  logic [31:0] under_way_q, quiet_cycles_q;
  logic accepts, waits, joins, leaves, in_word;
  word_t end_, last;
  logic [7:0] wanted;

  assign accepts = store_valid_i && store_ready_o;
  assign waits   = bytes_q != '0;
  assign end_    = packet_q + 64'(bytes_q);
  assign last    = end_ - 64'd1;  // the last byte that was stored
  assign joins   = store_i.combines && store_i.address == end_;

  // The strobes of the word that is filled: the packet's bytes in it.
  always_comb begin
    for (int unsigned i = 0; i < 8; ++i) begin
      wanted[i] = {last[63:3], 3'(i)} <= last && ({last[63:3], 3'(i)} - packet_q) < 64'(bytes_q);
    end
  end

  // The watched byte is in the word that is filled, and leaves.
  assign in_word = watched_q && !left_q && at_q[63:3] == last[63:3];
  assign leaves  = puts && in_word;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // Nothing came and nothing left, while a drain was wanted.
    drains_q  <= rst_ni && drain_i && waits && !accepts && !sends;
    stays_q   <= rst_ni && waits && !accepts && !sends;
    if (!rst_ni) begin
      watched_q      <= 1'b0;
      left_q         <= 1'b0;
      bytes_q        <= '0;
      under_way_q    <= '0;
      quiet_cycles_q <= '0;
    end else begin
      if (sends) bytes_q <= '0;
      if (leaves) left_q <= 1'b1;
      if (accepts) begin
        bytes_q <= bytes_q + (InLine + 1)'(store_i.bytes);
        if (!waits) packet_q <= store_i.address;
        if (!waits) alone_q <= !store_i.combines;
        if (watch && !watched_q) begin
          watched_q <= 1'b1;
          at_q      <= store_i.address + 64'(any);
          value_q   <= store_i.value[8*any+:8];
        end
      end
      under_way_q    <= under_way_q + 32'(sends) - 32'(done_valid_i);
      quiet_cycles_q <= accepts || sends || !waits ? '0 : quiet_cycles_q + 1;
    end
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (store_valid_i) begin
      assume (store_i.bytes != '0 && 32'(store_i.address[2:0]) + 32'(store_i.bytes) <= 8);
      if (watch) assume (4'(any) < store_i.bytes);
    end
    if (done_valid_i) assume (under_way_q != 0);
    if (started_q && rst_ni) begin
      // The queues have room for what enters them, so nothing is lost there.
      if (puts) assert (words_room && waits);
      if (sends) assert (packets_room && puts);
      // A word has the packet's bytes in it, all of them and no others; the last one is marked.
      if (puts) assert (word_put.strobes == wanted && word_put.last == sends);
      // The watched byte leaves with its value, at its place, in the packet that has its address; and it leaves once.
      if (leaves) begin
        assert (word_put.strobes[at_q[2:0]] && word_put.word[8*at_q[2:0]+:8] == value_q);
        assert ((at_q - packet_q) < 64'(bytes_q));
      end
      // A packet has the bytes that were stored, and lies in a line.
      if (sends) begin
        assert (address == packet_q && bytes == bytes_q && 32'(bytes_q) <= LINE_BYTES);
        assert (packet_q[63:InLine] == last[63:InLine]);
      end
      // Stores leave in order: only one that continues what waits joins it. One that is not to be combined is alone.
      if (accepts && waits) assert (joins && !alone_q && !ends_q);
      if (waits && alone_q) assert (ends_q);
      // All has left when nothing waits.
      if (!waits) assert (!watched_q || left_q);
      assert (drained_o == (!waits && under_way_q == 0));
      if (quiet_o) assert (!waits && !packet_valid_o && !word_valid_o);
      // What waits ends: at a drain, and after so many cycles without a store. Then it leaves when there is room.
      if (drains_q || quiet_cycles_q > COMBINE_CYCLES) assert (ends_q);
      if (ends_q && words_room && packets_room && under_way_q < POSTED) assert (sends);
      // Packets under way are counted, and never fewer than none.
      assert (under_way_q <= POSTED && 32'(posted_q) == under_way_q);
      // For the induction.
      assert (bytes == bytes_q && (!waits || address == packet_q) && (!ends_q || waits));
      if (stays_q) assert (waits);
      if (waits) begin
        assert (32'(bytes_q) <= LINE_BYTES && packet_q[63:InLine] == last[63:InLine]);
        assert (ends_q || end_[InLine-1:0] != '0);
        assert (word_q.strobes == wanted);
        for (int unsigned i = 0; i < 8; ++i) if (!wanted[i]) assert (word_q.word[8*i+:8] == '0);
        if (!ends_q) assert (32'(idle_q) + quiet_cycles_q == COMBINE_CYCLES);
        if (in_word) assert (word_q.word[8*at_q[2:0]+:8] == value_q);
        if (watched_q && !left_q) assert (in_word && (at_q - packet_q) < 64'(bytes_q));
      end
    end
  end

endmodule

bind cni_combining cni_combining_properties #(
    .COMBINE_CYCLES(COMBINE_CYCLES),
    .POSTED        (POSTED),
    .LINE_BYTES    (LINE_BYTES)
) properties (
    .address(packet_q.address),
    .bytes  (packet_q.bytes),
    .*
);
