/// cni_combining: posted stores of a tile's core to scratchpads of other tiles: consecutive ones within a line leave as
/// one packet.
///
/// A store that continues the last one joins it. All others, a full line, a drain and COMBINE_CYCLES without a store
/// end the packet; so stores leave in order, and none changes a byte that waits. A store that must not be combined is a
/// packet of its own. A packet's words leave at `word`, with a strobe for each byte, and its address and size at
/// `packet`, before or after them; no more than POSTED packets are under way. Valid, and ready while nothing is
/// offered, depend on registers alone.
module cni_combining #(
    parameter int unsigned COMBINE_CYCLES = 8,
    parameter int unsigned POSTED = 8,
    parameter int unsigned LINE_BYTES = 64,
    localparam int unsigned InLine = $clog2(LINE_BYTES)
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              store_valid_i,
    output logic              store_ready_o,
    input  cni_pkg::posted_t  store_i,
    output logic              packet_valid_o,
    input  logic              packet_ready_i,
    output cni_pkg::word_t    packet_address_o,
    output logic   [InLine:0] packet_bytes_o,
    output logic              word_valid_o,
    input  logic              word_ready_i,
    output cni_pkg::aligned_t word_o,
    input  logic              done_valid_i,      // a packet has been stored; always accepted
    input  logic              drain_i,           // a fence, an atomic or a load waits,
    output logic              drained_o,         // until nothing is under way
    output logic              quiet_o            // nothing changes until an input is valid
);
  import cni_pkg::*;

  localparam int unsigned IdleWidth = $clog2(COMBINE_CYCLES + 1);
  localparam int unsigned PostedWidth = $clog2(POSTED + 1);
  typedef logic [IdleWidth-1:0] idle_t;
  typedef logic [PostedWidth-1:0] posted_count_t;
  typedef logic [InLine:0] bytes_t;
  typedef struct packed {
    word_t  address;
    bytes_t bytes;
  } packet_t;

  packet_t packet_d, packet_q, packet_out;  // bytes 0: nothing waits
  logic ends_d, ends_q;                     // the packet takes no more stores
  aligned_t word_d, word_q;                 // the word that is filled
  idle_t idle_d, idle_q;
  posted_count_t posted_d, posted_q;

  logic waits, joins, accepts, next_word, sends, puts, words_room, packets_room;
  logic [InLine-1:0] next_in_line;
  logic [7:0] strobes;
  word_t value, bits;

  assign waits         = packet_q.bytes != '0;
  // A packet that takes more stores does not reach the end of its line.
  assign next_in_line  = packet_q.address[InLine-1:0] + packet_q.bytes[InLine-1:0];
  assign joins         = store_i.combines && store_i.address == {packet_q.address[63:InLine], next_in_line};
  assign store_ready_o = !ends_q && words_room && (!waits || joins);
  assign accepts       = store_valid_i && store_ready_o;
  assign next_word     = accepts && waits && store_i.address[2:0] == '0;

  always_comb begin
    for (int unsigned i = 0; i < 8; ++i) strobes[i] = 4'(i) < store_i.bytes;
    strobes = strobes << store_i.address[2:0];
    value   = store_i.value << {store_i.address[2:0], 3'b0};
    for (int unsigned i = 0; i < 8; ++i) bits[8*i+:8] = {8{strobes[i]}};
  end

  // A packet ends: its last word leaves, and its address. Then the buffer is empty.
  assign sends = ends_q && words_room && packets_room && 32'(posted_q) < POSTED;
  assign puts  = sends || next_word;

  always_comb begin
    packet_d = packet_q;
    word_d   = word_q;
    ends_d   = ends_q;
    idle_d   = idle_q == '0 ? idle_q : idle_q - 1'b1;
    posted_d = posted_q;
    if (accepts) begin
      word_d.strobes = next_word || !waits ? strobes : word_q.strobes | strobes;
      word_d.word    = (next_word || !waits ? '0 : word_q.word) | (value & bits);
      packet_d.bytes = packet_q.bytes + bytes_t'(store_i.bytes);
      if (!waits) packet_d.address = store_i.address;
      idle_d = idle_t'(COMBINE_CYCLES);
      if (!store_i.combines || InLine'(store_i.address[InLine-1:0] + InLine'(store_i.bytes)) == '0) ends_d = 1'b1;
    end else if (waits && (idle_q == '0 || drain_i || (store_valid_i && !joins))) begin
      ends_d = 1'b1;
    end
    if (sends) begin
      packet_d.bytes = '0;
      ends_d         = 1'b0;
    end
    if (sends && !done_valid_i) posted_d = posted_q + 1'b1;
    if (!sends && done_valid_i) posted_d = posted_q - 1'b1;
  end

  aligned_t word_put;
  always_comb begin
    word_put      = word_q;
    word_put.last = sends;
  end

  fifo #(
      .DEPTH(LINE_BYTES / 8),
      .T    (aligned_t)
  ) i_words (
      .clk_i,
      .rst_ni,
      .valid_i(puts),
      .ready_o(words_room),
      .data_i (word_put),
      .valid_o(word_valid_o),
      .ready_i(word_ready_i),
      .data_o (word_o)
  );

  fifo #(
      .DEPTH(2),
      .T    (packet_t)
  ) i_packets (
      .clk_i,
      .rst_ni,
      .valid_i(sends),
      .ready_o(packets_room),
      .data_i (packet_q),
      .valid_o(packet_valid_o),
      .ready_i(packet_ready_i),
      .data_o (packet_out)
  );

  assign packet_address_o = packet_out.address;
  assign packet_bytes_o   = packet_out.bytes;
  assign drained_o        = !waits && posted_q == '0;
  assign quiet_o          = !waits && !word_valid_o && !packet_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      packet_q <= '0;
      ends_q   <= 1'b0;
      idle_q   <= '0;
      posted_q <= '0;
    end else begin
      packet_q <= packet_d;
      ends_q   <= ends_d;
      idle_q   <= idle_d;
      posted_q <= posted_d;
    end
  end

  // The word means nothing while no store waits.
  always_ff @(posedge clk_i) begin
    word_q <= word_d;
  end

  if (COMBINE_CYCLES == 0) begin : gen_wrong_combine_cycles
    $error("cni_combining: COMBINE_CYCLES is at least 1");
  end
  if (POSTED == 0) begin : gen_wrong_posted
    $error("cni_combining: POSTED is at least 1");
  end
  if (LINE_BYTES < 16 || (LINE_BYTES & (LINE_BYTES - 1)) != 0) begin : gen_wrong_line_bytes
    $error("cni_combining: LINE_BYTES is a power of two, at least 16");
  end

endmodule
