/// nma_axi_order: which lines are being read and written, so that an access does not overtake another one.
///
/// Each access lies in one line or in two adjacent ones. A write has one response, or two if it crosses 4 KiB.
module nma_axi_order #(
    parameter int unsigned BURST_BYTES = 64,
    parameter int unsigned STREAM_BURSTS = 8,
    parameter int unsigned POSTED_WRITES = 8,
    parameter int unsigned COMPARED_BITS = 8,
    localparam int unsigned LaneBits = $clog2(BURST_BYTES) - 3,
    localparam int unsigned Tags = STREAM_BURSTS + 1,
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    // The access that is offered, and whether it is taken.
    input  nma_pkg::offset_t               offset_i,
    input  logic             [LaneBits:0]  words_i,
    input  logic             [TagBits-1:0] tag_i,
    input  logic                           reads_i,
    input  logic                           writes_i,
    // All of a read has come; a response to a write.
    input  logic                           read_i,
    input  logic             [TagBits-1:0] read_tag_i,
    input  logic                           written_i,
    output logic                           reads_line_o,   // a line of the access is being read,
    output logic                           writes_line_o,  // or written
    output logic                           full_o,         // so many writes are under way
    output logic                           written_o       // the oldest write is in memory
);
  import nma_pkg::*;

  if (BURST_BYTES < 16 || BURST_BYTES > 2048 || (BURST_BYTES & (BURST_BYTES - 1)) != 0) begin : g_wrong_burst_bytes
    $error("nma_axi_order: BURST_BYTES is a power of two from 16 to 2048");
  end
  if (STREAM_BURSTS == 0) begin : g_wrong_stream_bursts
    $error("nma_axi_order: STREAM_BURSTS is at least 1");
  end
  if (POSTED_WRITES == 0) begin : g_wrong_posted_writes
    $error("nma_axi_order: POSTED_WRITES is at least 1");
  end
  if (COMPARED_BITS == 0 || COMPARED_BITS > OffsetBits - $clog2(BURST_BYTES)) begin : g_wrong_compared_bits
    $error("nma_axi_order: COMPARED_BITS is 1 to 40 - log2(BURST_BYTES)");
  end

  localparam int unsigned LineAt = $clog2(BURST_BYTES);
  localparam int unsigned WriteBits = POSTED_WRITES > 1 ? $clog2(POSTED_WRITES) : 1;
  localparam int unsigned PageWordBits = 12 - 3;
  typedef logic [COMPARED_BITS-1:0] line_t;
  typedef logic [WriteBits-1:0] write_t;

  // The lines of the access: its first and last word.
  line_t first, last;
  offset_t last_at;
  logic crosses;
  assign last_at = offset_i + {(OffsetBits - LaneBits - 4)'(0), words_i - 1'b1, 3'b000};
  assign first   = offset_i[LineAt+:COMPARED_BITS];
  assign last    = last_at[LineAt+:COMPARED_BITS];
  assign crosses = offset_i[PageWordBits+3] != last_at[PageWordBits+3];

  // Reads by their tags; writes in their order.
  logic [Tags-1:0] reading_d, reading_q;
  line_t read_line_q[Tags];
  logic [POSTED_WRITES-1:0] writing_d, writing_q, twice_d, twice_q;
  line_t first_q[POSTED_WRITES], last_q[POSTED_WRITES];
  write_t head_d, head_q, tail_d, tail_q;

  function automatic write_t after(write_t one);
    return one == write_t'(POSTED_WRITES - 1) ? '0 : one + 1'b1;
  endfunction

  always_comb begin
    reads_line_o  = 1'b0;
    writes_line_o = 1'b0;
    for (int unsigned tag = 0; tag < Tags; ++tag) begin
      if (reading_q[tag] && (read_line_q[tag] == first || read_line_q[tag] == last)) reads_line_o = 1'b1;
    end
    for (int unsigned write = 0; write < POSTED_WRITES; ++write) begin
      // Reads have one line.
      if (writing_q[write] && (first_q[write] == first || last_q[write] == first)) writes_line_o = 1'b1;
    end
  end
  assign full_o    = writing_q[tail_q];
  assign written_o = written_i && !twice_q[head_q];

  always_comb begin
    reading_d = reading_q;
    writing_d = writing_q;
    twice_d   = twice_q;
    head_d    = head_q;
    tail_d    = tail_q;
    if (read_i) reading_d[read_tag_i] = 1'b0;
    if (reads_i) reading_d[tag_i] = 1'b1;
    if (written_i) twice_d[head_q] = 1'b0;
    if (written_o) begin
      writing_d[head_q] = 1'b0;
      head_d            = after(head_q);
    end
    if (writes_i) begin
      writing_d[tail_q] = 1'b1;
      twice_d[tail_q]   = crosses;
      tail_d            = after(tail_q);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reading_q <= '0;
      writing_q <= '0;
      twice_q   <= '0;
      head_q    <= '0;
      tail_q    <= '0;
    end else begin
      reading_q <= reading_d;
      writing_q <= writing_d;
      twice_q   <= twice_d;
      head_q    <= head_d;
      tail_q    <= tail_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (reads_i) read_line_q[tag_i] <= first;
    if (writes_i) begin
      first_q[tail_q] <= first;
      last_q[tail_q]  <= last;
    end
  end

  logic unused;
  assign unused = ^{offset_i, last_at};

endmodule
