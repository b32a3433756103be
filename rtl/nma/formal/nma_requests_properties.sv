/// nma_requests_properties: a doorbell or call that is accepted becomes one message, and another one for each refusal;
/// the request of any hart is always in exactly one place until its end, so that none is lost or sent twice; the queues
/// of harts never overflow; offers are kept.
///
/// Assumed of the network: one outcome for each message, after its last word.
module nma_requests_properties #(
    parameter int unsigned HARTS = 2,
    localparam int unsigned HartBits = HARTS > 1 ? $clog2(HARTS) : 1,
    localparam int unsigned CountBits = $clog2(HARTS + 1)
) (
    input logic                                  clk_i,
    input logic                                  rst_ni,
    input logic                                  look_valid_o,
    input logic                                  look_ready_i,
    input command_pkg::word_t                    look_address_o,
    input logic                                  look_answer_valid_i,
    input logic                                  message_valid_o,
    input logic                                  message_ready_i,
    input logic                 [  HartBits-1:0] message_hart_o,
    input command_pkg::word_t                    message_word_o,
    input logic                                  message_last_o,
    input logic                                  outcome_valid_i,
    input logic                 [  HartBits-1:0] outcome_hart_i,
    input command_pkg::outcome_e                 outcome_i,
    input logic                                  acknowledge_valid_o,
    input logic                                  acknowledge_ready_i,
    input command_pkg::word_t                    acknowledge_counter_o,
    input logic                            [2:0] state,
    input logic                            [1:0] work,
    input logic                            [2:0] index_q,
    input logic                 [  HartBits-1:0] hart_q,
    input logic                                  ring,
    input logic                 [  HartBits-1:0] ring_hart,
    input logic                                  rung,
    input command_pkg::status_e                  rung_status,
    input logic                                  ends,
    input logic                                  unused_send_ready,
    input logic                                  unused_ended_ready,
    input logic                                  puts,
    input command_pkg::status_e                  status_q     [HARTS],
    input logic                            [2:0] window_state,
    input logic                 [  HartBits-1:0] window_q,
    input logic                 [  HartBits-1:0] send_items   [HARTS],
    input logic                 [  HartBits-1:0] send_head,
    input logic                 [  HartBits-1:0] send_tail,
    input logic                 [ CountBits-1:0] send_count,
    input logic                 [  HartBits+1:0] ended_items  [HARTS],
    input logic                 [  HartBits-1:0] ended_head,
    input logic                 [  HartBits-1:0] ended_tail,
    input logic                 [ CountBits-1:0] ended_count
);
  import command_pkg::*;

  typedef logic [HartBits-1:0] hart_t;
  localparam logic [2:0] Idle = 3'd0, Wait = 3'd4, Message = 3'd6, Tell = 3'd7;
  localparam logic [1:0] Check = 2'd0, Fail = 2'd3;
  localparam logic [2:0] WindowRing = 3'd2;

  logic started_q = 1'b0;
  logic [HARTS-1:0] runs_q;  // a request of this hart was accepted, and has no end
  logic [HARTS-1:0] away_q;  // its message has left, and has no outcome
  logic [2:0] words_q;       // of the message that leaves
  logic look_waits_q, message_waits_q, tell_waits_q, asks_q;
  word_t look_q, word_q, counter_q;
  hart_t hart_of_word_q, ended_hart;
  logic outcomes;  // are those that there are
  // How often each hart is in each queue, and in all places.
  int unsigned to_send[HARTS], with_outcome[HARTS], places[HARTS];

  always_comb begin
    outcomes = 1'b1;
    for (int unsigned hart = 0; hart < HARTS; ++hart) begin
      to_send[hart]      = 0;
      with_outcome[hart] = 0;
      for (int unsigned at = 0; at < HARTS; ++at) begin
        if (at < 32'(send_count) && 32'(send_items[(32'(send_head)+at)%HARTS]) == hart) to_send[hart] += 1;
        if (at < 32'(ended_count) && 32'(ended_items[(32'(ended_head)+at)%HARTS][HartBits+1:2]) == hart) begin
          with_outcome[hart] += 1;
        end
      end
      places[hart] = to_send[hart] + with_outcome[hart] + 32'(away_q[hart]);
      if (state != Idle && work != Check && 32'(hart_q) == hart && state != Tell) places[hart] += 1;
    end
    for (int unsigned at = 0; at < HARTS; ++at) begin
      if (at < 32'(ended_count) && ended_items[(32'(ended_head)+at)%HARTS][1:0] > OutcomeWrong) outcomes = 1'b0;
    end
  end
  assign ended_hart = state == Idle ? ended_items[ended_head][HartBits+1:2] : hart_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    look_q         <= look_address_o;
    word_q         <= message_word_o;
    hart_of_word_q <= message_hart_o;
    counter_q      <= acknowledge_counter_o;
    if (!rst_ni) begin
      runs_q          <= '0;
      away_q          <= '0;
      words_q         <= '0;
      look_waits_q    <= 1'b0;
      message_waits_q <= 1'b0;
      tell_waits_q    <= 1'b0;
      asks_q          <= 1'b0;
    end else begin
      look_waits_q    <= look_valid_o && !look_ready_i;
      message_waits_q <= message_valid_o && !message_ready_i;
      tell_waits_q    <= acknowledge_valid_o && !acknowledge_ready_i;
      if (look_valid_o && look_ready_i) asks_q <= 1'b1;
      if (look_answer_valid_i) asks_q <= 1'b0;
      if (message_valid_o && message_ready_i) begin
        words_q <= message_last_o ? '0 : words_q + 1'b1;
        if (message_last_o) away_q[message_hart_o] <= 1'b1;
      end
      if (outcome_valid_i) away_q[outcome_hart_i] <= 1'b0;
      if (rung && rung_status == StatusAccepted) runs_q[ring_hart] <= 1'b1;
      if (ends) runs_q[ended_hart] <= 1'b0;
    end
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    assume (32'(outcome_hart_i) < HARTS);
    assume (outcome_i <= OutcomeWrong);
    if (started_q && rst_ni) begin
      if (outcome_valid_i) assume (away_q[outcome_hart_i]);
      if (look_answer_valid_i) assume (asks_q);
      // One place for a request, none without one.
      for (int unsigned hart = 0; hart < HARTS; ++hart) begin
        assert (places[hart] == 32'(runs_q[hart]));
        // The window keeps its fields until the end, and its doorbell is that of a command that runs.
        assert ((status_q[hart] == StatusAccepted) == runs_q[hart]);
      end
      if (message_valid_o) assert (runs_q[message_hart_o] && !away_q[message_hart_o]);
      if (message_valid_o) assert (message_last_o == (words_q == 3'd6));
      // A place in the queues for each that comes.
      if (puts) assert (unused_send_ready);
      if (outcome_valid_i) assert (unused_ended_ready);
      // Offers are kept.
      if (look_waits_q) assert (look_valid_o && look_address_o == look_q);
      if (message_waits_q) assert (message_valid_o && message_word_o == word_q && message_hart_o == hart_of_word_q);
      if (tell_waits_q) assert (acknowledge_valid_o && acknowledge_counter_o == counter_q);
      // For the induction.
      assert (32'(send_count) <= HARTS && 32'(ended_count) <= HARTS);
      assert (32'(send_head) < HARTS && 32'(send_tail) == (32'(send_head) + 32'(send_count)) % HARTS);
      assert (32'(ended_head) < HARTS && 32'(ended_tail) == (32'(ended_head) + 32'(ended_count)) % HARTS);
      assert (ring == (window_state == WindowRing) && ring_hart == window_q);
      if (ring) assert (!runs_q[window_q] && 32'(window_q) < HARTS);
      if (state != Idle && work == Check) assert (ring && hart_q == ring_hart);
      if (state != Idle && work != 2'd2) assert (words_q == '0);
      if (state != Idle && work == 2'd2) assert (index_q == words_q && words_q <= 3'd6);
      if (state == Idle) assert (words_q == '0);
      assert (32'(hart_q) < HARTS || state == Idle);
      if (state == Message) assert (work == 2'd2);
      if (state == Tell) assert (work == Fail);
      assert (outcomes);
      assert (asks_q == (state == Wait));
    end
  end

endmodule

bind nma_requests nma_requests_properties #(
    .HARTS(HARTS)
) properties (
    .*,
    .state       (state_q),
    .work        (work_q),
    .status_q    (i_windows.status_q),
    .window_state(i_windows.state_q),
    .window_q    (i_windows.window_q),
    .send_items  (i_to_send.items_q),
    .send_head   (i_to_send.head_q),
    .send_tail   (i_to_send.tail_q),
    .send_count  (i_to_send.count_q),
    .ended_items (i_outcomes.items_q),
    .ended_head  (i_outcomes.head_q),
    .ended_tail  (i_outcomes.tail_q),
    .ended_count (i_outcomes.count_q)
);
