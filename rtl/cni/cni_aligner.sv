/// cni_aligner: the bytes of a packet move from their places in the words of the source to those in the words of the
/// destination.
///
/// Words of the source come in order, from the one with the packet's first byte to the one with its last; words of the
/// destination leave with a strobe for each byte that is the packet's. A word is rotated once, and completed by bytes
/// of the word before it. A word moves in each cycle; a packet takes one cycle more to begin, and another one if its
/// first byte moves down in its word, as two words of the source must be there then. Without SHIFTS the first byte
/// keeps its place in its word, and there is no rotator. Every output depends on registers alone. A clock gate may use
/// `quiet_o`.
module cni_aligner #(
    parameter int unsigned LINE_BYTES = 64,  // of the longest packet
    parameter int unsigned SHIFTS = 1,
    localparam int unsigned InLine = $clog2(LINE_BYTES)
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              packet_valid_i,
    output logic              packet_ready_o,
    input  logic        [2:0] from_i,          // the first byte's place in its word of the source,
    input  logic        [2:0] to_i,            // and of the destination
    input  logic   [InLine:0] bytes_i,         // 1 to LINE_BYTES
    input  logic              word_valid_i,
    output logic              word_ready_o,
    input  cni_pkg::word_t    word_i,
    output logic              aligned_valid_o,
    input  logic              aligned_ready_i,
    output cni_pkg::aligned_t aligned_o,
    output logic              quiet_o          // nothing changes until an input is valid
);
  import cni_pkg::*;

  typedef logic [InLine-2:0] count_t;  // of words, one more than a line has
  typedef logic [InLine+1:0] end_t;

  logic active_d, active_q;
  logic leads_d, leads_q;    // the next word only completes others
  logic begins_d, begins_q;  // no word has left
  logic [2:0] to_q, end_q, turn_q;
  count_t reads_d, reads_q;    // words that are still to come,
  count_t writes_d, writes_q;  // and to leave
  word_t kept_q, rotated;
  logic room, takes, puts;
  aligned_t made;

  function automatic count_t words_of(logic [2:0] first, logic [InLine:0] bytes);
    return count_t'((end_t'(bytes) + end_t'(first) + end_t'(7)) >> 3);
  endfunction

  always_comb begin
    rotated = word_i;
    for (int unsigned stage = 0; stage < 3; ++stage) begin
      if (SHIFTS != 0 && turn_q[stage]) rotated = rotated << (8 << stage) | rotated >> (64 - (8 << stage));
    end
  end

  assign made.last = writes_q == count_t'(1);
  always_comb begin
    for (int unsigned byte_ = 0; byte_ < 8; ++byte_) begin
      made.word[8*byte_+:8] = 3'(byte_) < turn_q && SHIFTS != 0 ? kept_q[8*byte_+:8] : rotated[8*byte_+:8];
      made.strobes[byte_]   = !(begins_q && 3'(byte_) < to_q) && !(made.last && end_q != '0 && 3'(byte_) >= end_q);
    end
  end

  assign takes          = word_valid_i && word_ready_o;
  assign puts           = active_q && !leads_q && room && (takes || reads_q == '0);
  assign packet_ready_o = !active_q;
  assign word_ready_o   = active_q && reads_q != '0 && (leads_q || room);
  assign quiet_o        = !active_q && !aligned_valid_o;

  always_comb begin
    active_d = active_q;
    leads_d  = leads_q;
    begins_d = begins_q;
    reads_d  = reads_q;
    writes_d = writes_q;
    if (!active_q) begin
      active_d = packet_valid_i;
      leads_d  = SHIFTS != 0 && to_i < from_i;
      begins_d = 1'b1;
      reads_d  = words_of(from_i, bytes_i);
      writes_d = words_of(to_i, bytes_i);
    end
    if (takes) begin
      leads_d = 1'b0;
      reads_d = reads_q - 1'b1;
    end
    if (puts) begin
      active_d = !made.last;
      begins_d = 1'b0;
      writes_d = writes_q - 1'b1;
    end
  end

  fifo #(
      .DEPTH(2),
      .T    (aligned_t)
  ) i_aligned (
      .clk_i,
      .rst_ni,
      .valid_i(puts),
      .ready_o(room),
      .data_i (made),
      .valid_o(aligned_valid_o),
      .ready_i(aligned_ready_i),
      .data_o (aligned_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
    end else begin
      active_q <= active_d;
    end
  end

  // Nothing else means anything before a packet has come.
  always_ff @(posedge clk_i) begin
    leads_q  <= leads_d;
    begins_q <= begins_d;
    reads_q  <= reads_d;
    writes_q <= writes_d;
    if (takes) kept_q <= rotated;
    if (!active_q) begin
      to_q   <= to_i;
      end_q  <= to_i + bytes_i[2:0];
      turn_q <= to_i - from_i;
    end
  end

  if (LINE_BYTES < 16 || (LINE_BYTES & (LINE_BYTES - 1)) != 0) begin : gen_wrong_line_bytes
    $error("cni_aligner: LINE_BYTES is a power of two, at least 16");
  end
  if (SHIFTS > 1) begin : gen_wrong_shifts
    $error("cni_aligner: SHIFTS is 0 or 1");
  end

endmodule
