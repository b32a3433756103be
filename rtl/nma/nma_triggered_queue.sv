/// nma_triggered_queue: the queue of requests with its trigger, in front of nma_copy_machine: messages in, jobs out.
///
/// It is what the paper's table of resources has in one row. `nma` has a queue of its own and takes nma_trigger alone.
module nma_triggered_queue #(
    parameter int unsigned QUEUE_ENTRIES = 16,
    parameter int unsigned LINE_BYTES = 32,
    parameter int unsigned FROM_BITS = 16,
    localparam int unsigned Slots = QUEUE_ENTRIES + 2,
    localparam int unsigned CountBits = $clog2(Slots + 1)
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  command_pkg::tile_t                  tile_i,               // the memory's tile,
    input  command_pkg::tile_t                  tiles_i,              // of so many: constant
    input  logic                                message_valid_i,
    output logic                                message_ready_o,
    input  logic                [FROM_BITS-1:0] message_from_i,
    input  command_pkg::word_t                  message_word_i,
    output logic                                response_valid_o,
    input  logic                                response_ready_i,
    output logic                [FROM_BITS-1:0] response_from_o,
    output logic                                response_refused_o,
    output logic                                look_valid_o,
    input  logic                                look_ready_i,
    output logic                                look_is_tile_o,
    output command_pkg::word_t                  look_address_o,
    input  logic                                look_answer_valid_i,
    input  command_pkg::place_t                 look_place_i,
    // The accelerator.
    output logic                                job_valid_o,
    input  logic                                job_ready_i,
    output nma_pkg::job_t                       job_o,
    input  logic                                result_valid_i,
    output logic                                result_ready_o,
    input  nma_pkg::result_t                    result_i,
    // What is asked of the network, one step after the other.
    output logic                                step_valid_o,
    input  logic                                step_ready_i,
    output command_pkg::step_t                  step_o,
    input  logic                                step_done_valid_i,
    input  logic                                step_failed_i,
    output logic                [CountBits-1:0] waiting_o,
    output logic                                busy_o
);

  logic puts_valid, puts_ready, begins;
  nma_pkg::job_t put;

  nma_trigger #(
      .QUEUE_ENTRIES(QUEUE_ENTRIES),
      .LINE_BYTES   (LINE_BYTES),
      .FROM_BITS    (FROM_BITS)
  ) i_trigger (
      .clk_i,
      .rst_ni,
      .tile_i,
      .tiles_i,
      .message_valid_i,
      .message_ready_o,
      .message_from_i,
      .message_word_i,
      .response_valid_o,
      .response_ready_i,
      .response_from_o,
      .response_refused_o,
      .look_valid_o,
      .look_ready_i,
      .look_is_tile_o,
      .look_address_o,
      .look_answer_valid_i,
      .look_place_i,
      .result_valid_i,
      .result_ready_o,
      .result_i,
      .step_valid_o,
      .step_ready_i,
      .step_o,
      .step_done_valid_i,
      .step_failed_i,
      .waiting_o,
      .busy_o,
      .job_valid_o (puts_valid),
      .job_ready_i (puts_ready),
      .job_o       (put),
      .job_begins_i(begins)
  );

  nma_request_queue #(
      .ENTRIES(QUEUE_ENTRIES)
  ) i_queue (
      .clk_i,
      .rst_ni,
      .valid_i (puts_valid),
      .ready_o (puts_ready),
      .job_i   (put),
      .valid_o (job_valid_o),
      .ready_i (job_ready_i),
      .job_o,
      .begins_o(begins)
  );

endmodule
