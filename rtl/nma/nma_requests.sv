/// nma_requests: the windows of a tile by which its harts request copies, and the messages that carry the requests to
/// the memory.
///
/// A request is checked as far as its message needs: the destination's partition selects the memory, and the counter
/// must be one. The seven words of the window are the message, with global addresses. A window keeps its fields until
/// the outcome, so a request that a full queue refuses is sent again, behind those of other harts, from the window. The
/// doorbell is idle when the request is in the queue. A range operation that triggers calls `trigger`, which is as if
/// the hart had rung; `triggered_taken_o` says whether the request was accepted.
///
/// `outcome` is always accepted: there is one for each message. While a message leaves, doorbells wait.
module nma_requests #(
    parameter int unsigned HARTS = 5,
    localparam int unsigned HartBits = HARTS > 1 ? $clog2(HARTS) : 1
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    input  logic                                    access_valid_i,
    output logic                                    access_ready_o,
    input  logic                                    access_writes_i,
    input  logic                   [          15:0] access_register_i,
    input  command_pkg::word_t                      access_value_i,
    output logic                                    answer_valid_o,
    input  logic                                    answer_ready_i,
    output logic                                    answer_wrong_o,
    output command_pkg::word_t                      answer_value_o,
    input  logic                                    trigger_valid_i,
    output logic                                    trigger_ready_o,
    input  logic                   [  HartBits-1:0] trigger_hart_i,
    output logic                                    triggered_valid_o,
    output logic                                    triggered_taken_o,
    // The address map.
    output logic                                    look_valid_o,
    input  logic                                    look_ready_i,
    output command_pkg::word_t                      look_address_o,
    input  logic                                    look_answer_valid_i,
    /* verilator lint_off UNUSEDSIGNAL */  // some of its fields are for others
    input  command_pkg::place_t                     look_place_i,
    /* verilator lint_on UNUSEDSIGNAL */
    // Seven words to the memory of this tile, for this hart.
    output logic                                    message_valid_o,
    input  logic                                    message_ready_i,
    output command_pkg::tile_t                      message_tile_o,
    output logic                   [  HartBits-1:0] message_hart_o,
    output command_pkg::word_t                      message_word_o,
    output logic                                    message_last_o,
    input  logic                                    outcome_valid_i,
    input  logic                   [  HartBits-1:0] outcome_hart_i,
    input  command_pkg::outcome_e                   outcome_i,
    // A request that no memory takes: its counter, with the error.
    output logic                                    acknowledge_valid_o,
    input  logic                                    acknowledge_ready_i,
    output command_pkg::word_t                      acknowledge_counter_o,
    output command_pkg::word_t                      acknowledge_error_o
);
  import registers_pkg::*;
  import command_pkg::*;

  localparam logic [2:0] Root = 3'(NmaRoot / 8);
  localparam logic [2:0] Destination = 3'(NmaDestination / 8);
  localparam logic [2:0] Counter = 3'(NmaCounter / 8);

  typedef logic [HartBits-1:0] hart_t;
  typedef struct packed {
    hart_t    hart;
    outcome_e outcome;
  } ended_t;
  /// What a field is read for.
  typedef enum logic [1:0] {
    Check  = 2'd0,  // a doorbell
    Select = 2'd1,  // the memory of a message
    Send   = 2'd2,  // a word of the message
    Fail   = 2'd3   // a counter that is acknowledged with an error
  } work_e;
  typedef enum logic [2:0] {
    Idle    = 3'd0,
    Field   = 3'd1,  // is read,
    Word    = 3'd2,  // and here
    Look    = 3'd3,
    Wait    = 3'd4,
    Decide  = 3'd5,
    Message = 3'd6,
    Tell    = 3'd7   // the counter
  } state_e;

  state_e state_d, state_q;
  work_e work_d, work_q;
  hart_t hart_d, hart_q, ring_hart, send_hart;
  logic [2:0] index_d, index_q;
  word_t word_d, word_q, field;
  tile_t tile_d, tile_q;
  logic right_d, right_q;  // the place is what the field must be
  logic ring, rung, ends, puts, takes_outcome, takes_send, send_valid, ended_valid;
  logic unused_send_ready, unused_ended_ready, is_address, keeps;
  status_e rung_status, end_status;
  ended_t ended;

  command_windows #(
      .WINDOWS(HARTS)
  ) i_windows (
      .clk_i,
      .rst_ni,
      .access_valid_i,
      .access_ready_o,
      .access_writes_i,
      .access_register_i,
      .access_value_i,
      .answer_valid_o,
      .answer_ready_i,
      .answer_wrong_o,
      .answer_value_o,
      .call_valid_i  (trigger_valid_i),
      .call_ready_o  (trigger_ready_o),
      .call_window_i (trigger_hart_i),
      .called_valid_o(triggered_valid_o),
      .called_taken_o(triggered_taken_o),
      .ring_valid_o  (ring),
      .ring_window_o (ring_hart),
      .rung_valid_i  (rung),
      .rung_status_i (rung_status),
      .field_valid_i (state_q == Field),
      .field_window_i(hart_q),
      .field_index_i (index_q),
      .field_word_o  (field),
      .end_valid_i   (ends),
      .end_window_i  (state_q == Idle ? ended.hart : hart_q),
      .end_status_i  (end_status)
  );

  // Both are never full: a hart is in each of them once at most.
  fifo #(
      .DEPTH(HARTS),
      .T    (ended_t)
  ) i_outcomes (
      .clk_i,
      .rst_ni,
      .valid_i(outcome_valid_i),
      .ready_o(unused_ended_ready),
      .data_i ({outcome_hart_i, outcome_i}),
      .valid_o(ended_valid),
      .ready_i(takes_outcome),
      .data_o (ended)
  );
  fifo #(
      .DEPTH(HARTS),
      .T    (hart_t)
  ) i_to_send (
      .clk_i,
      .rst_ni,
      .valid_i(puts),
      .ready_o(unused_send_ready),
      .data_i (state_q == Idle ? ended.hart : hart_q),
      .valid_o(send_valid),
      .ready_i(takes_send),
      .data_o (send_hart)
  );

  // Without an address there is nothing to look up: no counter, or no root, which the memory reports.
  assign is_address = index_q == Destination || ((index_q == Root || index_q == Counter) && field != '0);
  assign keeps      = work_q == Send && !look_place_i.named;  // a root that is no address stays as it is

  assign takes_outcome = state_q == Idle && !ring;
  assign takes_send    = state_q == Idle && !ring && !ended_valid;

  always_comb begin
    state_d     = state_q;
    work_d      = work_q;
    hart_d      = hart_q;
    index_d     = index_q;
    word_d      = word_q;
    tile_d      = tile_q;
    right_d     = right_q;
    rung        = 1'b0;
    rung_status = StatusAccepted;
    ends        = 1'b0;
    end_status  = StatusIdle;
    puts        = 1'b0;
    unique case (state_q)
      Idle: begin
        index_d = Destination;
        if (ring) begin
          work_d  = Check;
          hart_d  = ring_hart;
          state_d = Field;
        end else if (ended_valid) begin
          work_d  = Fail;
          hart_d  = ended.hart;
          index_d = Counter;
          ends    = ended.outcome == OutcomeDone;
          puts    = ended.outcome == OutcomeRefused;
          if (ended.outcome == OutcomeWrong) state_d = Field;
        end else if (send_valid) begin
          work_d  = Select;
          hart_d  = send_hart;
          state_d = Field;
        end
      end
      Field: state_d = Word;
      Word: begin
        word_d  = field;
        right_d = 1'b1;
        state_d = is_address ? Look : Decide;
      end
      Look: if (look_ready_i) state_d = Wait;
      Wait:
      if (look_answer_valid_i) begin
        state_d = Decide;
        if (!keeps) word_d = look_place_i.address;
        right_d = index_q == Destination ? look_place_i.named && look_place_i.mapped && look_place_i.partition :
            look_place_i.named && look_place_i.reached && look_place_i.address[2:0] == '0;
        if (work_q == Select) tile_d = look_place_i.memory_tile;
      end
      Decide: begin
        state_d = Field;
        unique case (work_q)
          Check: begin
            index_d     = Counter;
            rung        = index_q == Counter || !right_q;
            rung_status = right_q ? StatusAccepted : StatusWrong;
            puts        = rung && right_q;
            if (rung) state_d = Idle;
          end
          Select: begin
            work_d  = Send;
            index_d = Root;
          end
          Send: state_d = Message;
          default: begin
            ends       = 1'b1;
            end_status = StatusWrong;
            state_d    = word_q == '0 ? Idle : Tell;
          end
        endcase
      end
      Message:
      if (message_ready_i) begin
        index_d = index_q + 1'b1;
        state_d = index_q == Counter ? Idle : Field;
      end
      default: if (acknowledge_ready_i) state_d = Idle;
    endcase
  end

  assign look_valid_o          = state_q == Look;
  assign look_address_o        = word_q;
  assign message_valid_o       = state_q == Message;
  assign message_tile_o        = tile_q;
  assign message_hart_o        = hart_q;
  assign message_word_o        = word_q;
  assign message_last_o        = index_q == Counter;
  assign acknowledge_valid_o   = state_q == Tell;
  assign acknowledge_counter_o = word_q;
  assign acknowledge_error_o   = GraphFaultBadRequest;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      state_q <= state_d;
    end
  end

  always_ff @(posedge clk_i) begin
    work_q  <= work_d;
    hart_q  <= hart_d;
    index_q <= index_d;
    word_q  <= word_d;
    tile_q  <= tile_d;
    right_q <= right_d;
  end

  if (HARTS == 0) begin : gen_wrong_harts
    $error("nma_requests: HARTS is at least 1");
  end

endmodule
