/// nma_axi: the accelerator's accesses as an AXI4 manager of 64 bits: a burst for each, whose ID is the access's tag.
///
/// Accesses have an order and AXI's channels have none: a read waits while the same line is being written, and a write
/// while it is being read. Lines are compared by their lowest bits, so some wait without need. Writes have one ID,
/// which keeps them in order; one that crosses 4 KiB is two bursts. Data may come out of order and interleaved: there
/// is room for all that was requested, so answers of the memory are always taken.
module nma_axi #(
    parameter int unsigned BURST_BYTES = 64,
    parameter int unsigned STREAM_BURSTS = 8,
    parameter int unsigned POSTED_WRITES = 8,
    parameter int unsigned COMPARED_BITS = 8,
    localparam int unsigned Lanes = BURST_BYTES / nma_pkg::WordBytes,
    localparam int unsigned LaneBits = $clog2(Lanes),
    localparam int unsigned TagBits = $clog2(STREAM_BURSTS + 1)
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    // The accelerator's ports for its memory.
    input  logic                                    access_valid_i,
    output logic                                    access_ready_o,
    input  logic                                    access_writes_i,
    input  logic               [TagBits-1:0]        access_tag_i,
    input  nma_pkg::offset_t                        access_offset_i,
    input  logic               [LaneBits:0]         access_words_i,
    input  logic               [LaneBits-1:0]       access_lane_i,
    input  logic               [Lanes-1:0][63:0]    access_data_i,
    output logic                                    answer_valid_o,
    output logic               [TagBits-1:0]        answer_tag_o,
    output logic               [Lanes-1:0][63:0]    answer_words_o,
    output logic                                    written_o,
    // AXI4; addresses are offsets in the memory. Bursts are of type INCR, with all bytes of their words.
    output logic                                    ar_valid_o,
    input  logic                                    ar_ready_i,
    output logic               [TagBits-1:0]        ar_id_o,
    output nma_pkg::offset_t                        ar_addr_o,
    output logic               [7:0]                ar_len_o,
    output logic               [2:0]                ar_size_o,
    output logic               [1:0]                ar_burst_o,
    output logic                                    ar_lock_o,
    output logic               [3:0]                ar_cache_o,
    output logic               [2:0]                ar_prot_o,
    output logic               [3:0]                ar_qos_o,
    input  logic                                    r_valid_i,
    output logic                                    r_ready_o,
    input  logic               [TagBits-1:0]        r_id_i,
    input  nma_pkg::word_t                          r_data_i,
    input  logic               [1:0]                r_resp_i,
    input  logic                                    r_last_i,
    output logic                                    aw_valid_o,
    input  logic                                    aw_ready_i,
    output logic               [TagBits-1:0]        aw_id_o,
    output nma_pkg::offset_t                        aw_addr_o,
    output logic               [7:0]                aw_len_o,
    output logic               [2:0]                aw_size_o,
    output logic               [1:0]                aw_burst_o,
    output logic                                    aw_lock_o,
    output logic               [3:0]                aw_cache_o,
    output logic               [2:0]                aw_prot_o,
    output logic               [3:0]                aw_qos_o,
    output logic                                    w_valid_o,
    input  logic                                    w_ready_i,
    output nma_pkg::word_t                          w_data_o,
    output logic               [7:0]                w_strb_o,
    output logic                                    w_last_o,
    input  logic                                    b_valid_i,
    output logic                                    b_ready_o,
    input  logic               [TagBits-1:0]        b_id_i,
    input  logic               [1:0]                b_resp_i,
    output logic                                    error_o         // a response of this cycle is SLVERR or DECERR
);
  import nma_pkg::*;

  if (BURST_BYTES < 16 || BURST_BYTES > 2048 || (BURST_BYTES & (BURST_BYTES - 1)) != 0) begin : g_wrong_burst_bytes
    $error("nma_axi: BURST_BYTES is a power of two from 16 to 2048");
  end
  if (STREAM_BURSTS == 0) begin : g_wrong_stream_bursts
    $error("nma_axi: STREAM_BURSTS is at least 1");
  end
  if (POSTED_WRITES == 0) begin : g_wrong_posted_writes
    $error("nma_axi: POSTED_WRITES is at least 1");
  end
  if (COMPARED_BITS == 0 || COMPARED_BITS > OffsetBits - $clog2(BURST_BYTES)) begin : g_wrong_compared_bits
    $error("nma_axi: COMPARED_BITS is 1 to 40 - log2(BURST_BYTES)");
  end

  localparam logic [2:0] SizeWord = 3'd3;
  localparam logic [1:0] Increments = 2'b01;
  // Normal memory, neither cached nor buffered: a response to a write comes from the memory itself, so that `written_o`
  // may be told to others.
  localparam logic [3:0] NotBuffered = 4'b0010;
  // Data, with the least rights: not secure, not privileged.
  localparam logic [2:0] LeastRights = 3'b010;

  logic read_free, write_free, reads_line, writes_line, full, takes_read, takes_write;

  // A write waits for reads of its lines, a read for writes.
  assign access_ready_o = access_writes_i ? write_free && !full && !reads_line : read_free && !writes_line;
  assign takes_read     = access_valid_i && access_ready_o && !access_writes_i;
  assign takes_write    = access_valid_i && access_ready_o && access_writes_i;

  nma_axi_order #(
      .BURST_BYTES  (BURST_BYTES),
      .STREAM_BURSTS(STREAM_BURSTS),
      .POSTED_WRITES(POSTED_WRITES),
      .COMPARED_BITS(COMPARED_BITS)
  ) i_order (
      .clk_i,
      .rst_ni,
      .offset_i     (access_offset_i),
      .words_i      (access_words_i),
      .tag_i        (access_tag_i),
      .reads_i      (takes_read),
      .writes_i     (takes_write),
      .read_i       (r_valid_i && r_last_i),
      .read_tag_i   (r_id_i),
      .written_i    (b_valid_i),
      .reads_line_o (reads_line),
      .writes_line_o(writes_line),
      .full_o       (full),
      .written_o
  );

  nma_axi_write #(
      .LANES(Lanes)
  ) i_write (
      .clk_i,
      .rst_ni,
      .free_o  (write_free),
      .take_i  (takes_write),
      .offset_i(access_offset_i),
      .words_i (access_words_i),
      .lane_i  (access_lane_i),
      .data_i  (access_data_i),
      .aw_valid_o,
      .aw_ready_i,
      .aw_addr_o,
      .aw_len_o,
      .w_valid_o,
      .w_ready_i,
      .w_data_o,
      .w_last_o
  );

  nma_axi_read #(
      .LANES(Lanes),
      .TAGS (STREAM_BURSTS + 1)
  ) i_read (
      .clk_i,
      .rst_ni,
      .free_o  (read_free),
      .take_i  (takes_read),
      .tag_i   (access_tag_i),
      .offset_i(access_offset_i),
      .words_i (access_words_i),
      .ar_valid_o,
      .ar_ready_i,
      .ar_id_o,
      .ar_addr_o,
      .ar_len_o,
      .r_valid_i,
      .r_id_i,
      .r_data_i,
      .r_last_i,
      .answer_valid_o,
      .answer_tag_o,
      .answer_words_o
  );

  assign ar_size_o  = SizeWord;
  assign aw_size_o  = SizeWord;
  assign ar_burst_o = Increments;
  assign ar_lock_o  = 1'b0;
  assign ar_cache_o = NotBuffered;
  assign ar_prot_o  = LeastRights;
  assign ar_qos_o   = '0;
  assign aw_burst_o = Increments;
  assign aw_lock_o  = 1'b0;
  assign aw_cache_o = NotBuffered;
  assign aw_prot_o  = LeastRights;
  assign aw_qos_o   = '0;
  assign aw_id_o    = '0;
  assign w_strb_o   = '1;
  assign r_ready_o  = 1'b1;
  assign b_ready_o  = 1'b1;

  // It comes before the answer or `written_o` that it belongs to, or with it.
  assign error_o    = (r_valid_i && r_resp_i[1]) || (b_valid_i && b_resp_i[1]);

  logic unused;
  assign unused = ^{r_resp_i[0], b_resp_i[0], b_id_i};

endmodule
