/// nma_trigger: the trigger of the near-memory accelerator: messages become requests in its queue, and results become
/// acknowledgements, transfers and messages.
///
/// A message has seven words, those of a window of `nma` in registers.hpp, with global addresses. A full queue refuses
/// it, and its sender sends it again. What the end of a request needs stays in a memory with a place for each request
/// of the queue, for the one that is copied, and for the one whose steps are done: the accelerator has one copy at a
/// time. Results come in the order of requests. `waiting_o` is the number of requests that have not begun, `busy_o`
/// says that a request has no end yet. Every output depends on registers alone.
module nma_trigger #(
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
    input  logic                                job_begins_i,
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
  import command_pkg::*;

  localparam int unsigned SlotBits = $clog2(Slots);
  localparam int unsigned Words = 8 * Slots;
  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [CountBits-1:0] count_t;

  slot_t put_slot_d, put_slot_q, end_slot_d, end_slot_q;
  count_t used_d, used_q, waiting_d, waiting_q;
  logic puts, keeps, reads, releases, arriving, ending;
  logic [2:0] keep_index, read_index;
  word_t kept;

  function automatic slot_t after(slot_t slot);
    return slot == slot_t'(Slots - 1) ? '0 : slot + 1'b1;
  endfunction

  nma_arrival #(
      .LINE_BYTES(LINE_BYTES),
      .FROM_BITS (FROM_BITS)
  ) i_arrival (
      .clk_i,
      .rst_ni,
      .tile_i,
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
      .keep_valid_o(keeps),
      .keep_index_o(keep_index),
      .job_valid_o,
      .job_ready_i,
      .job_o,
      .busy_o      (arriving)
  );

  ram_1r1w #(
      .WORDS(Words),
      .WIDTH(64)
  ) i_kept (
      .clk_i,
      .read_i         (reads),
      .read_address_i ({end_slot_q, read_index}),
      .read_data_o    (kept),
      .write_i        (keeps),
      .write_address_i({put_slot_q, keep_index}),
      .write_data_i   (message_word_i)
  );

  nma_completion #(
      .LINE_BYTES(LINE_BYTES)
  ) i_completion (
      .clk_i,
      .rst_ni,
      .tiles_i,
      .result_valid_i,
      .result_ready_o,
      .result_i,
      .kept_read_o   (reads),
      .kept_index_o  (read_index),
      .kept_word_i   (kept),
      .kept_release_o(releases),
      .step_valid_o,
      .step_ready_i,
      .step_o,
      .step_done_valid_i,
      .step_failed_i,
      .busy_o        (ending)
  );

  assign puts = job_valid_o && job_ready_i;

  always_comb begin
    put_slot_d = puts ? after(put_slot_q) : put_slot_q;
    end_slot_d = releases ? after(end_slot_q) : end_slot_q;
    used_d     = used_q + count_t'(puts) - count_t'(releases);
    waiting_d  = waiting_q + count_t'(puts) - count_t'(job_begins_i);
  end

  assign waiting_o = waiting_q;
  assign busy_o    = arriving || ending || used_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      put_slot_q <= '0;
      end_slot_q <= '0;
      used_q     <= '0;
      waiting_q  <= '0;
    end else begin
      put_slot_q <= put_slot_d;
      end_slot_q <= end_slot_d;
      used_q     <= used_d;
      waiting_q  <= waiting_d;
    end
  end

  if (QUEUE_ENTRIES == 0) begin : gen_wrong_queue_entries
    $error("nma_trigger: QUEUE_ENTRIES is at least 1");
  end

endmodule
