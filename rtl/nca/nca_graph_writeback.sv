/// nca_graph_writeback: the near-cache accelerator's graph write-back: a queue of graphs, and the machine that
/// traverses one after another.
///
/// Everything it asks for leaves in streams with valid and ready, and every output depends on registers alone. Answers
/// are always taken; one access of each port is under way at a time, besides lines that are written back. A full queue
/// refuses. A clock gate may use `quiet_o`.
module nca_graph_writeback #(
    parameter int unsigned QUEUE_ENTRIES = 4,
    parameter int unsigned STATE_CYCLES = 1,
    parameter int unsigned STACK_ENTRIES = 1024,
    parameter int unsigned LINE_BYTES = 32,
    parameter int unsigned UNDER_WAY = 4095,
    localparam int unsigned Lanes = LINE_BYTES / nca_pkg::WordBytes,
    localparam int unsigned StackBits = STACK_ENTRIES > 1 ? $clog2(STACK_ENTRIES) : 1
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    input  nca_pkg::settings_t                   settings_i,
    // Graphs; `job_begins_o`: one leaves the queue at the next edge.
    input  logic                                 job_valid_i,
    output logic                                 job_ready_o,
    input  nca_pkg::job_t                        job_i,
    output logic                                 job_begins_o,
    // The L2.
    output logic                                 access_valid_o,
    input  logic                                 access_ready_i,
    output nca_pkg::access_e                     access_kind_o,
    output nca_pkg::offset_t                     access_offset_o,
    output nca_pkg::word_t                       access_mark_o,
    input  logic                                 answer_valid_i,
    input  logic               [Lanes-1:0][63:0] answer_words_i,
    input  logic                                 written_i,
    // The tile-local memory: types, and the stack.
    output logic                                 record_valid_o,
    input  logic                                 record_ready_i,
    output nca_pkg::word_t                       record_address_o,
    output logic                                 record_whole_o,
    input  logic                                 record_answer_valid_i,
    input  logic                                 record_fault_i,
    input  logic               [2:0][63:0]       record_words_i,
    output logic                                 stack_valid_o,
    input  logic                                 stack_ready_i,
    output logic                                 stack_writes_o,
    output logic               [StackBits-1:0]   stack_index_o,
    output nca_pkg::place_t                      stack_place_o,
    input  logic                                 stack_answer_valid_i,
    input  nca_pkg::place_t                      stack_place_i,
    // Results, in the order of graphs.
    output logic                                 result_valid_o,
    input  logic                                 result_ready_i,
    output nca_pkg::result_t                     result_o,
    output logic                                 quiet_o
);
  import nca_pkg::*;

  logic begins_valid, begins_ready;
  job_t begins;

  fifo #(
      .DEPTH(QUEUE_ENTRIES),
      .T    (job_t)
  ) i_queue (
      .clk_i,
      .rst_ni,
      .valid_i(job_valid_i),
      .ready_o(job_ready_o),
      .data_i (job_i),
      .valid_o(begins_valid),
      .ready_i(begins_ready),
      .data_o (begins)
  );
  assign job_begins_o = begins_valid && begins_ready;

  nca_traversal #(
      .STATE_CYCLES (STATE_CYCLES),
      .STACK_ENTRIES(STACK_ENTRIES),
      .LANES        (Lanes),
      .UNDER_WAY    (UNDER_WAY)
  ) i_traversal (
      .clk_i,
      .rst_ni,
      .settings_i,
      .job_valid_i(begins_valid),
      .job_ready_o(begins_ready),
      .job_i      (begins),
      .access_valid_o,
      .access_ready_i,
      .access_kind_o,
      .access_offset_o,
      .access_mark_o,
      .answer_valid_i,
      .answer_words_i,
      .written_i,
      .record_valid_o,
      .record_ready_i,
      .record_address_o,
      .record_whole_o,
      .record_answer_valid_i,
      .record_fault_i,
      .record_words_i,
      .stack_valid_o,
      .stack_ready_i,
      .stack_writes_o,
      .stack_index_o,
      .stack_place_o,
      .stack_answer_valid_i,
      .stack_place_i,
      .result_valid_o,
      .result_ready_i,
      .result_o,
      .quiet_o
  );

  if (QUEUE_ENTRIES == 0) begin : gen_wrong_queue_entries
    $error("nca_graph_writeback: QUEUE_ENTRIES is at least 1");
  end
  if (STATE_CYCLES == 0) begin : gen_wrong_state_cycles
    $error("nca_graph_writeback: STATE_CYCLES is at least 1");
  end
  if (STACK_ENTRIES == 0) begin : gen_wrong_stack_entries
    $error("nca_graph_writeback: STACK_ENTRIES is at least 1");
  end
  // A partition begins and ends at a multiple of 4096, which no line crosses then.
  if (LINE_BYTES < 16 || LINE_BYTES > 4096 || (LINE_BYTES & (LINE_BYTES - 1)) != 0) begin : gen_wrong_line_bytes
    $error("nca_graph_writeback: LINE_BYTES is a power of two, 16 to 4096");
  end
  if (UNDER_WAY == 0) begin : gen_wrong_under_way
    $error("nca_graph_writeback: UNDER_WAY is at least 1");
  end

endmodule
