/// nma_on_axi: the near-memory accelerator with its memory behind an AXI4 port.
///
/// If the memory refuses an access, the job has the fault memory_error, whatever else was found in what came back.
module nma_on_axi #(
    parameter int unsigned QUEUE_ENTRIES = 16,
    parameter int unsigned STATE_CYCLES = 1,
    parameter int unsigned BURST_BYTES = 64,
    parameter int unsigned STREAM_BURSTS = 8,
    parameter int unsigned POSTED_WRITES = 8,
    parameter bit HASHED = 1'b1,
    localparam int unsigned TagBits = $clog2(STREAM_BURSTS + 1)
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  nma_pkg::settings_t                settings_i,
    input  logic                              job_valid_i,
    output logic                              job_ready_o,
    input  nma_pkg::job_t                     job_i,
    output logic                              job_begins_o,
    output logic                              record_valid_o,
    input  logic                              record_ready_i,
    output nma_pkg::word_t                    record_address_o,
    output logic                              record_whole_o,
    input  logic                              record_answer_valid_i,
    input  logic                              record_fault_i,
    input  logic               [2:0][63:0]    record_words_i,
    output logic                              result_valid_o,
    input  logic                              result_ready_i,
    output nma_pkg::result_t                  result_o,
    // Memory.
    output logic                              ar_valid_o,
    input  logic                              ar_ready_i,
    output logic               [TagBits-1:0]  ar_id_o,
    output nma_pkg::offset_t                  ar_addr_o,
    output logic               [7:0]          ar_len_o,
    output logic               [2:0]          ar_size_o,
    output logic               [1:0]          ar_burst_o,
    output logic                              ar_lock_o,
    output logic               [3:0]          ar_cache_o,
    output logic               [2:0]          ar_prot_o,
    output logic               [3:0]          ar_qos_o,
    input  logic                              r_valid_i,
    output logic                              r_ready_o,
    input  logic               [TagBits-1:0]  r_id_i,
    input  nma_pkg::word_t                    r_data_i,
    input  logic               [1:0]          r_resp_i,
    input  logic                              r_last_i,
    output logic                              aw_valid_o,
    input  logic                              aw_ready_i,
    output logic               [TagBits-1:0]  aw_id_o,
    output nma_pkg::offset_t                  aw_addr_o,
    output logic               [7:0]          aw_len_o,
    output logic               [2:0]          aw_size_o,
    output logic               [1:0]          aw_burst_o,
    output logic                              aw_lock_o,
    output logic               [3:0]          aw_cache_o,
    output logic               [2:0]          aw_prot_o,
    output logic               [3:0]          aw_qos_o,
    output logic                              w_valid_o,
    input  logic                              w_ready_i,
    output nma_pkg::word_t                    w_data_o,
    output logic               [7:0]          w_strb_o,
    output logic                              w_last_o,
    input  logic                              b_valid_i,
    output logic                              b_ready_o,
    input  logic               [TagBits-1:0]  b_id_i,
    input  logic               [1:0]          b_resp_i,
    output logic                              quiet_o          // of the accelerator
);
  import nma_pkg::*;

  localparam int unsigned Lanes = BURST_BYTES / WordBytes;
  localparam int unsigned LaneBits = $clog2(Lanes);

  logic access_valid, access_ready, access_writes, answer_valid, written;
  logic [TagBits-1:0] access_tag, answer_tag;
  offset_t access_offset;
  logic [LaneBits:0] access_words;
  logic [LaneBits-1:0] access_lane;
  logic [Lanes-1:0][63:0] access_data, answer_words;

  // All writes of a job, and all of its reads that count, are answered before its result is offered. What was read
  // ahead and not used may come later, even into the next job: then it is that one that is not trusted.
  logic error, refused_d, refused_q, result_valid;
  result_t result;

  assign refused_d = !job_begins_o && (refused_q || (error && !result_valid));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) refused_q <= 1'b0;
    else refused_q <= refused_d;
  end

  assign result_valid_o   = result_valid;
  assign result_o.fault   = refused_q ? FaultMemoryError : result.fault;
  assign result_o.root    = refused_q ? '0 : result.root;
  assign result_o.bytes   = result.bytes;
  assign result_o.objects = result.objects;

  nma #(
      .QUEUE_ENTRIES(QUEUE_ENTRIES),
      .STATE_CYCLES (STATE_CYCLES),
      .BURST_BYTES  (BURST_BYTES),
      .STREAM_BURSTS(STREAM_BURSTS),
      .POSTED_WRITES(POSTED_WRITES),
      .HASHED       (HASHED)
  ) i_nma (
      .clk_i,
      .rst_ni,
      .settings_i,
      .job_valid_i,
      .job_ready_o,
      .job_i,
      .job_begins_o,
      .access_valid_o (access_valid),
      .access_ready_i (access_ready),
      .access_writes_o(access_writes),
      .access_tag_o   (access_tag),
      .access_offset_o(access_offset),
      .access_words_o (access_words),
      .access_lane_o  (access_lane),
      .access_data_o  (access_data),
      .answer_valid_i (answer_valid),
      .answer_tag_i   (answer_tag),
      .answer_words_i (answer_words),
      .written_i      (written),
      .record_valid_o,
      .record_ready_i,
      .record_address_o,
      .record_whole_o,
      .record_answer_valid_i,
      .record_fault_i,
      .record_words_i,
      .result_valid_o (result_valid),
      .result_ready_i,
      .result_o       (result),
      .quiet_o
  );

  nma_axi #(
      .BURST_BYTES  (BURST_BYTES),
      .STREAM_BURSTS(STREAM_BURSTS),
      .POSTED_WRITES(POSTED_WRITES)
  ) i_axi (
      .clk_i,
      .rst_ni,
      .access_valid_i (access_valid),
      .access_ready_o (access_ready),
      .access_writes_i(access_writes),
      .access_tag_i   (access_tag),
      .access_offset_i(access_offset),
      .access_words_i (access_words),
      .access_lane_i  (access_lane),
      .access_data_i  (access_data),
      .answer_valid_o (answer_valid),
      .answer_tag_o   (answer_tag),
      .answer_words_o (answer_words),
      .written_o      (written),
      .ar_valid_o,
      .ar_ready_i,
      .ar_id_o,
      .ar_addr_o,
      .ar_len_o,
      .ar_size_o,
      .ar_burst_o,
      .ar_lock_o,
      .ar_cache_o,
      .ar_prot_o,
      .ar_qos_o,
      .r_valid_i,
      .r_ready_o,
      .r_id_i,
      .r_data_i,
      .r_resp_i,
      .r_last_i,
      .aw_valid_o,
      .aw_ready_i,
      .aw_id_o,
      .aw_addr_o,
      .aw_len_o,
      .aw_size_o,
      .aw_burst_o,
      .aw_lock_o,
      .aw_cache_o,
      .aw_prot_o,
      .aw_qos_o,
      .w_valid_o,
      .w_ready_i,
      .w_data_o,
      .w_strb_o,
      .w_last_o,
      .b_valid_i,
      .b_ready_o,
      .b_id_i,
      .b_resp_i,
      .error_o        (error)
  );

endmodule
