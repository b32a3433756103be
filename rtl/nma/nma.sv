/// nma: the near-memory accelerator: a queue of requests, and the machine that copies one graph after another.
///
/// Everything it asks for leaves in streams with valid and ready, and every output depends on registers alone. Answers
/// and acknowledgements are always taken. Accesses must be done in their order; answers may overtake each other. A
/// clock gate may use `quiet_o`.
module nma #(
    parameter int unsigned QUEUE_ENTRIES = 16,
    parameter int unsigned STATE_CYCLES = 1,
    parameter int unsigned BURST_BYTES = 64,
    parameter int unsigned STREAM_BURSTS = 8,
    parameter int unsigned POSTED_WRITES = 8,
    parameter bit HASHED = 1'b1,
    localparam int unsigned Lanes = BURST_BYTES / nma_pkg::WordBytes,
    localparam int unsigned LaneBits = $clog2(Lanes),
    localparam int unsigned TagBits = $clog2(STREAM_BURSTS + 1)
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    input  nma_pkg::settings_t                      settings_i,
    // Requests; `job_begins_o`: one leaves the queue at the next edge.
    input  logic                                    job_valid_i,
    output logic                                    job_ready_o,
    input  nma_pkg::job_t                           job_i,
    output logic                                    job_begins_o,
    // Memory.
    output logic                                    access_valid_o,
    input  logic                                    access_ready_i,
    output logic                                    access_writes_o,
    output logic               [TagBits-1:0]        access_tag_o,
    output nma_pkg::offset_t                        access_offset_o,
    output logic               [LaneBits:0]         access_words_o,
    output logic               [LaneBits-1:0]       access_lane_o,
    output logic               [Lanes-1:0][63:0]    access_data_o,
    input  logic                                    answer_valid_i,
    input  logic               [TagBits-1:0]        answer_tag_i,
    input  logic               [Lanes-1:0][63:0]    answer_words_i,
    input  logic                                    written_i,
    // The tile-local memory, for types.
    output logic                                    record_valid_o,
    input  logic                                    record_ready_i,
    output nma_pkg::word_t                          record_address_o,
    output logic                                    record_whole_o,
    input  logic                                    record_answer_valid_i,
    input  logic                                    record_fault_i,
    input  logic               [2:0][63:0]          record_words_i,
    // Results, in the order of requests.
    output logic                                    result_valid_o,
    input  logic                                    result_ready_i,
    output nma_pkg::result_t                        result_o,
    output logic                                    quiet_o
);
  import nma_pkg::*;

  if (QUEUE_ENTRIES == 0) begin : g_wrong_queue_entries
    $error("nma: QUEUE_ENTRIES is at least 1");
  end
  if (STATE_CYCLES == 0) begin : g_wrong_state_cycles
    $error("nma: STATE_CYCLES is at least 1");
  end
  if (BURST_BYTES < 16 || BURST_BYTES > 2048 || (BURST_BYTES & (BURST_BYTES - 1)) != 0) begin : g_wrong_burst_bytes
    $error("nma: BURST_BYTES is a power of two from 16 to 2048");
  end
  if (STREAM_BURSTS == 0) begin : g_wrong_stream_bursts
    $error("nma: STREAM_BURSTS is at least 1");
  end
  if (POSTED_WRITES == 0) begin : g_wrong_posted_writes
    $error("nma: POSTED_WRITES is at least 1");
  end

  logic begins_valid, begins_ready;
  job_t begins;

  nma_request_queue #(
      .ENTRIES(QUEUE_ENTRIES)
  ) i_queue (
      .clk_i,
      .rst_ni,
      .valid_i (job_valid_i),
      .ready_o (job_ready_o),
      .job_i,
      .valid_o (begins_valid),
      .ready_i (begins_ready),
      .job_o   (begins),
      .begins_o(job_begins_o)
  );

  nma_copy_machine #(
      .STATE_CYCLES (STATE_CYCLES),
      .LANES        (Lanes),
      .STREAM_BURSTS(STREAM_BURSTS),
      .POSTED_WRITES(POSTED_WRITES),
      .HASHED       (HASHED)
  ) i_machine (
      .clk_i,
      .rst_ni,
      .settings_i,
      .job_valid_i(begins_valid),
      .job_ready_o(begins_ready),
      .job_i      (begins),
      .access_valid_o,
      .access_ready_i,
      .access_writes_o,
      .access_tag_o,
      .access_offset_o,
      .access_words_o,
      .access_lane_o,
      .access_data_o,
      .answer_valid_i,
      .answer_tag_i,
      .answer_words_i,
      .written_i,
      .record_valid_o,
      .record_ready_i,
      .record_address_o,
      .record_whole_o,
      .record_answer_valid_i,
      .record_fault_i,
      .record_words_i,
      .result_valid_o,
      .result_ready_i,
      .result_o,
      .quiet_o
  );

endmodule
