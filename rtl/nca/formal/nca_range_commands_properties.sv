/// nca_range_commands_properties: a command that is accepted is offered once, with a tag that no other one has until
/// its end; each result causes the trigger of its command, if it has one, and then the acknowledgement of its own
/// counter, once; a hart has one command that will trigger at most; offers are kept.
///
/// Any tag is watched. Assumed: a result is that of a command that has left, and has had none; it and the answers of
/// triggers come once.
module nca_range_commands_properties #(
    parameter int unsigned HARTS = 2,
    parameter int unsigned QUEUE_ENTRIES = 1,
    parameter int unsigned SLOTS = 1,
    localparam int unsigned HartBits = HARTS > 1 ? $clog2(HARTS) : 1,
    localparam int unsigned Tags = QUEUE_ENTRIES + SLOTS + 1,
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input logic                              clk_i,
    input logic                              rst_ni,
    input logic                              command_valid_o,
    input logic                              command_ready_i,
    input command_pkg::word_t                command_first_o,
    input command_pkg::word_t                command_last_o,
    input logic               [ TagBits-1:0] command_tag_o,
    input logic                              result_valid_i,
    input logic                              result_ready_o,
    input logic               [ TagBits-1:0] result_tag_i,
    input logic                              trigger_valid_o,
    input logic                              trigger_ready_i,
    input logic               [HartBits-1:0] trigger_hart_o,
    input logic                              triggered_valid_i,
    input logic                              triggered_taken_i,
    input logic                              acknowledge_valid_o,
    input logic                              acknowledge_ready_i,
    input command_pkg::word_t                acknowledge_counter_o,
    input command_pkg::word_t                acknowledge_error_o,
    input logic                              look_valid_o,
    input logic                              look_answer_valid_i,
    input logic                              ring,
    input logic               [HartBits-1:0] ring_hart,
    input logic                              rung,
    input command_pkg::status_e              rung_status,
    input logic                              begins,
    input logic                        [2:0] state,
    input logic                        [1:0] ends,
    input command_pkg::word_t                counter_q,
    input logic                              triggers_q,
    input logic               [ TagBits-1:0] free,
    input logic               [   HARTS-1:0] waits_q,
    input logic               [    Tags-1:0] used_q,
    input logic               [    Tags-1:0] calls_q,
    input logic               [ TagBits-1:0] ending_q,
    input logic               [ TagBits-1:0] tag_q,
    input logic   [HartBits+63:0] records_q[Tags],
    input logic   [HartBits+63:0] record_q
);
  import command_pkg::*;

  localparam logic [2:0] Idle = 3'd0;
  localparam logic [1:0] Rest = 2'd0, Call = 2'd1, Asked = 2'd2, Tell = 2'd3;

  logic started_q = 1'b0;
  logic [TagBits-1:0] any_tag, at_q;  // any one; the same in all cycles
  logic away_q;                       // its command has left, and has no result
  logic calls_here_q, called_q, taken_q;  // it triggers; it has; the request was accepted
  word_t watched_q, first_q, last_q, told_q;  // its counter; offers
  logic [HartBits-1:0] hart_q;
  logic [TagBits-1:0] offer_q;
  logic command_waits_q, trigger_waits_q, tell_waits_q, result_waits_q;
  logic [Tags-1:0] will_call;  // tags whose commands are to trigger
  int unsigned of_hart[HARTS];

  // While a result triggers, its command is still to trigger until the answer.
  always_comb begin
    will_call = used_q & calls_q;
    if (ends == Tell) will_call[ending_q] = 1'b0;
    for (int unsigned hart = 0; hart < HARTS; ++hart) begin
      of_hart[hart] = 0;
      for (int unsigned tag = 0; tag < Tags; ++tag) begin
        if (will_call[tag] && 32'(records_q[tag][HartBits+63:64]) == hart) of_hart[hart] += 1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) at_q <= any_tag;
    first_q <= command_first_o;
    last_q  <= command_last_o;
    offer_q <= command_tag_o;
    told_q  <= acknowledge_counter_o;
    if (!rst_ni) begin
      away_q          <= 1'b0;
      command_waits_q <= 1'b0;
      trigger_waits_q <= 1'b0;
      tell_waits_q    <= 1'b0;
      result_waits_q  <= 1'b0;
    end else begin
      command_waits_q <= command_valid_o && !command_ready_i;
      trigger_waits_q <= trigger_valid_o && !trigger_ready_i;
      tell_waits_q    <= acknowledge_valid_o && !acknowledge_ready_i;
      result_waits_q  <= result_valid_i && !result_ready_o;
      if (begins && free == at_q) begin
        watched_q    <= counter_q;
        calls_here_q <= triggers_q;
        hart_q       <= ring_hart;
        called_q     <= 1'b0;
        taken_q      <= 1'b1;
      end
      if (command_valid_o && command_ready_i && command_tag_o == at_q) away_q <= 1'b1;
      if (result_valid_i && result_ready_o && result_tag_i == at_q) away_q <= 1'b0;
      if (trigger_valid_o && trigger_ready_i && ending_q == at_q) called_q <= 1'b1;
      if (ends == Asked && triggered_valid_i && ending_q == at_q) taken_q <= triggered_taken_i;
    end
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    assume (32'(any_tag) < Tags && 32'(result_tag_i) < Tags);
    if (started_q) assert (32'(at_q) < Tags);
    if (started_q && rst_ni) begin
      if (result_valid_i) assume (used_q[result_tag_i] && !(command_valid_o && command_tag_o == result_tag_i));
      if (result_valid_i && result_tag_i == at_q) assume (away_q);
      if (result_waits_q) assume (result_valid_i);
      if (triggered_valid_i) assume (ends == Asked);
      if (ends != Rest) assume (!(result_valid_i && result_tag_i == ending_q));
      // A doorbell that is accepted begins a command, with a free tag.
      assert (begins == (rung && rung_status == StatusAccepted));
      if (begins) assert (!used_q[free] && !command_valid_o && !(triggers_q && waits_q[ring_hart]));
      // A tag is in one place: offered, away, or at its end.
      assert (32'(used_q[at_q]) == 32'(command_valid_o && tag_q == at_q) + 32'(away_q) +
              32'(ends != Rest && ending_q == at_q));
      if (ends != Rest && ending_q == at_q) begin
        if (trigger_valid_o) assert (calls_here_q && !called_q && trigger_hart_o == hart_q);
        if (ends == Tell) assert (called_q == calls_here_q);
        if (acknowledge_valid_o) begin
          assert (acknowledge_counter_o == watched_q && acknowledge_error_o == 64'(!taken_q));
        end
        if (ends == Tell && watched_q != '0) assert (acknowledge_valid_o);
      end
      for (int unsigned hart = 0; hart < HARTS; ++hart) assert (of_hart[hart] == 32'(waits_q[hart]));
      // Offers are kept.
      if (command_waits_q) begin
        assert (command_valid_o && command_first_o == first_q && command_last_o == last_q && command_tag_o == offer_q);
      end
      if (trigger_waits_q) assert (trigger_valid_o);
      if (tell_waits_q) assert (acknowledge_valid_o && acknowledge_counter_o == told_q);
      // For the induction.
      if (ends != Rest) assert (used_q[ending_q] && 32'(ending_q) < Tags);
      if (ends != Rest) assert (record_q == records_q[ending_q]);
      if (ends == Call || ends == Asked) assert (calls_q[ending_q]);
      if (command_valid_o) assert (used_q[tag_q] && 32'(tag_q) < Tags && !(ends != Rest && ending_q == tag_q));
      if (state != Idle) assert (ring && !command_valid_o && used_q != '1 && !waits_q[ring_hart]);
      if (ring) assert (32'(ring_hart) < HARTS);
      if (used_q[at_q]) begin
        assert (records_q[at_q] == {hart_q, watched_q} && calls_q[at_q] == calls_here_q);
        if (!(ends != Rest && ending_q == at_q)) assert (!called_q && taken_q);
        if (ends == Call && ending_q == at_q) assert (!called_q && taken_q);
        if (ends == Asked && ending_q == at_q) assert (called_q && taken_q);
      end
    end
  end

endmodule

bind nca_range_commands nca_range_commands_properties #(
    .HARTS(HARTS), .QUEUE_ENTRIES(QUEUE_ENTRIES), .SLOTS(SLOTS)
) properties (
    .*,
    .state    (state_q),
    .ends     (end_q),
    .records_q(records_q),
    .record_q (record_q)
);
