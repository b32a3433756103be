/// nca_dispatch: the register window of the near-cache accelerator: an access to a register of `ranges`, `nca` or `nma`
/// goes to its unit; commands go to range operations, graph write-back, or the windows of requests; results come back.
///
/// Accesses are served one after another, each with one answer; to another unit's register it is wrong. The windows of
/// `nma` are outside, at `request`, with the call of a range operation that triggers. Both units ask the address map in
/// turns. Every output but ready depends on registers, and on inputs that are offered, alone.
module nca_dispatch #(
    parameter int unsigned HARTS = 5,
    parameter int unsigned QUEUE_ENTRIES = 4,  // those of nca_ranges
    parameter int unsigned SLOTS = 8,
    parameter int unsigned LINE_BYTES = 32,
    localparam int unsigned HartBits = HARTS > 1 ? $clog2(HARTS) : 1,
    localparam int unsigned TagBits = $clog2(QUEUE_ENTRIES + SLOTS + 1)
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  command_pkg::tile_t                  tile_i,
    input  command_pkg::tile_t                  tiles_i,
    // An access to a register: of which unit, and which of its words.
    input  logic                                access_valid_i,
    output logic                                access_ready_o,
    input  registers_pkg::unit_e                access_unit_i,
    input  logic                                access_writes_i,
    input  logic                 [        15:0] access_register_i,
    input  command_pkg::word_t                  access_value_i,
    output logic                                answer_valid_o,
    input  logic                                answer_ready_i,
    output logic                                answer_wrong_o,
    output command_pkg::word_t                  answer_value_o,
    // The same for the windows of `nma`, and the call that rings one of them.
    output logic                                request_access_valid_o,
    input  logic                                request_access_ready_i,
    input  logic                                request_answer_valid_i,
    output logic                                request_answer_ready_o,
    input  logic                                request_answer_wrong_i,
    input  command_pkg::word_t                  request_answer_value_i,
    output logic                                trigger_valid_o,
    input  logic                                trigger_ready_i,
    output logic                 [HartBits-1:0] trigger_hart_o,
    input  logic                                triggered_valid_i,
    input  logic                                triggered_taken_i,
    // The address map; answers in the order of questions.
    output logic                                look_valid_o,
    input  logic                                look_ready_i,
    output command_pkg::word_t                  look_address_o,
    input  logic                                look_answer_valid_i,
    input  command_pkg::place_t                 look_place_i,
    // nca_ranges.
    output logic                                command_valid_o,
    input  logic                                command_ready_i,
    output nca_pkg::range_e                     command_operation_o,
    output command_pkg::word_t                  command_first_o,
    output command_pkg::word_t                  command_last_o,
    output logic                 [ TagBits-1:0] command_tag_o,
    input  logic                                ended_valid_i,
    output logic                                ended_ready_o,
    input  logic                 [ TagBits-1:0] ended_tag_i,
    // nca_graph_writeback.
    output logic                                job_valid_o,
    input  logic                                job_ready_i,
    output nca_pkg::job_t                       job_o,
    input  logic                                result_valid_i,
    output logic                                result_ready_o,
    input  nca_pkg::result_t                    result_i,
    // The network: counters of range operations, and the steps of graphs.
    output logic                                acknowledge_valid_o,
    input  logic                                acknowledge_ready_i,
    output command_pkg::word_t                  acknowledge_counter_o,
    output command_pkg::word_t                  acknowledge_error_o,
    output logic                                step_valid_o,
    input  logic                                step_ready_i,
    output command_pkg::step_t                  step_o,
    input  logic                                step_done_valid_i,
    input  logic                                step_failed_i
);
  import registers_pkg::*;
  import command_pkg::*;

  /// Who has the access.
  typedef enum logic [2:0] {
    Nobody   = 3'd0,
    Ranges   = 3'd1,
    Graphs   = 3'd2,
    Requests = 3'd3,
    Unknown  = 3'd4
  } who_e;

  who_e who_d, who_q, asked;
  logic free, ranges_ready, graphs_ready, accepted;
  logic ranges_answers, graphs_answers, ranges_wrong, graphs_wrong;
  word_t ranges_value, graphs_value;
  logic [1:0] look_valid, look_ready;
  word_t [1:0] look_address;
  logic look_index, owner, unused_owner_ready, unused_owner_valid;

  always_comb begin
    unique case (access_unit_i)
      UnitRanges: asked = Ranges;
      UnitNca: asked = Graphs;
      UnitNma: asked = Requests;
      default: asked = Unknown;
    endcase
  end

  assign free                   = who_q == Nobody;
  assign request_access_valid_o = free && access_valid_i && asked == Requests;

  always_comb begin
    unique case (asked)
      Ranges: access_ready_o = free && ranges_ready;
      Graphs: access_ready_o = free && graphs_ready;
      Requests: access_ready_o = free && request_access_ready_i;
      default: access_ready_o = free;
    endcase
  end

  always_comb begin
    unique case (who_q)
      Ranges: begin
        answer_valid_o = ranges_answers;
        answer_wrong_o = ranges_wrong;
        answer_value_o = ranges_value;
      end
      Graphs: begin
        answer_valid_o = graphs_answers;
        answer_wrong_o = graphs_wrong;
        answer_value_o = graphs_value;
      end
      Requests: begin
        answer_valid_o = request_answer_valid_i;
        answer_wrong_o = request_answer_wrong_i;
        answer_value_o = request_answer_value_i;
      end
      default: begin
        answer_valid_o = who_q == Unknown;
        answer_wrong_o = 1'b1;
        answer_value_o = '0;
      end
    endcase
  end

  assign request_answer_ready_o = who_q == Requests && answer_ready_i;
  assign accepted               = access_valid_i && access_ready_o;

  always_comb begin
    who_d = who_q;
    if (accepted) who_d = asked;
    if (answer_valid_o && answer_ready_i) who_d = Nobody;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) who_q <= Nobody;
    else who_q <= who_d;
  end

  nca_range_commands #(
      .HARTS        (HARTS),
      .QUEUE_ENTRIES(QUEUE_ENTRIES),
      .SLOTS        (SLOTS)
  ) i_ranges (
      .clk_i,
      .rst_ni,
      .access_valid_i     (free && access_valid_i && asked == Ranges),
      .access_ready_o     (ranges_ready),
      .access_writes_i,
      .access_register_i,
      .access_value_i,
      .answer_valid_o     (ranges_answers),
      .answer_ready_i     (who_q == Ranges && answer_ready_i),
      .answer_wrong_o     (ranges_wrong),
      .answer_value_o     (ranges_value),
      .look_valid_o       (look_valid[0]),
      .look_ready_i       (look_ready[0]),
      .look_address_o     (look_address[0]),
      .look_answer_valid_i(look_answer_valid_i && !owner),
      .look_place_i,
      .command_valid_o,
      .command_ready_i,
      .command_operation_o,
      .command_first_o,
      .command_last_o,
      .command_tag_o,
      .result_valid_i     (ended_valid_i),
      .result_ready_o     (ended_ready_o),
      .result_tag_i       (ended_tag_i),
      .trigger_valid_o,
      .trigger_ready_i,
      .trigger_hart_o,
      .triggered_valid_i,
      .triggered_taken_i,
      .acknowledge_valid_o,
      .acknowledge_ready_i,
      .acknowledge_counter_o,
      .acknowledge_error_o
  );

  nca_graph_commands #(
      .HARTS     (HARTS),
      .LINE_BYTES(LINE_BYTES)
  ) i_graphs (
      .clk_i,
      .rst_ni,
      .tile_i,
      .tiles_i,
      .access_valid_i     (free && access_valid_i && asked == Graphs),
      .access_ready_o     (graphs_ready),
      .access_writes_i,
      .access_register_i,
      .access_value_i,
      .answer_valid_o     (graphs_answers),
      .answer_ready_i     (who_q == Graphs && answer_ready_i),
      .answer_wrong_o     (graphs_wrong),
      .answer_value_o     (graphs_value),
      .look_valid_o       (look_valid[1]),
      .look_ready_i       (look_ready[1]),
      .look_address_o     (look_address[1]),
      .look_answer_valid_i(look_answer_valid_i && owner),
      .look_place_i,
      .job_valid_o,
      .job_ready_i,
      .job_o,
      .result_valid_i,
      .result_ready_o,
      .result_i,
      .step_valid_o,
      .step_ready_i,
      .step_o,
      .step_done_valid_i,
      .step_failed_i
  );

  stream_arbiter #(
      .N(2),
      .T(word_t)
  ) i_looks (
      .clk_i,
      .rst_ni,
      .valid_i(look_valid),
      .ready_o(look_ready),
      .data_i (look_address),
      .valid_o(look_valid_o),
      .ready_i(look_ready_i),
      .data_o (look_address_o),
      .index_o(look_index)
  );

  // Who has asked, for the answers: each has one question under way, so it is never full.
  fifo #(
      .DEPTH(2),
      .T    (logic)
  ) i_owners (
      .clk_i,
      .rst_ni,
      .valid_i(look_valid_o && look_ready_i),
      .ready_o(unused_owner_ready),
      .data_i (look_index),
      .valid_o(unused_owner_valid),
      .ready_i(look_answer_valid_i),
      .data_o (owner)
  );

endmodule
