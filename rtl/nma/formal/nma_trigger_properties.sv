/// nma_trigger_properties: a message that is taken becomes one request, before its answer, with its words; a refused
/// one becomes none, and only a full queue refuses; each result has the words of its own request, in order, and its
/// steps once; offers are kept.
///
/// The words of any place of the memory are watched. Assumed of the accelerator: a queue that is ready has room, one
/// request at a time has begun and has no result, and an offer stays. Assumed of the network: a step ends once, later.
module nma_trigger_properties #(
    parameter int unsigned QUEUE_ENTRIES = 1,
    parameter int unsigned FROM_BITS = 1,
    localparam int unsigned Slots = QUEUE_ENTRIES + 2,
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned CountBits = $clog2(Slots + 1)
) (
    input logic                                 clk_i,
    input logic                                 rst_ni,
    input logic                                 message_valid_i,
    input logic                                 message_ready_o,
    input logic                 [FROM_BITS-1:0] message_from_i,
    input command_pkg::word_t                   message_word_i,
    input logic                                 response_valid_o,
    input logic                                 response_ready_i,
    input logic                 [FROM_BITS-1:0] response_from_o,
    input logic                                 response_refused_o,
    input logic                                 look_valid_o,
    input logic                                 look_ready_i,
    input command_pkg::word_t                   look_address_o,
    input logic                                 job_valid_o,
    input logic                                 job_ready_i,
    input nma_pkg::job_t                        job_o,
    input logic                                 job_begins_i,
    input logic                                 result_valid_i,
    input logic                                 result_ready_o,
    input logic                                 step_valid_o,
    input logic                                 step_ready_i,
    input command_pkg::step_t                   step_o,
    input logic                                 step_done_valid_i,
    input logic                                 busy_o,
    input logic                 [ SlotBits-1:0] put_slot_q,
    input logic                 [ SlotBits-1:0] end_slot_q,
    input logic                 [CountBits-1:0] used_q,
    input logic                 [CountBits-1:0] waiting_q,
    input logic                                 keeps,
    input logic                 [          2:0] keep_index,
    input logic                                 releases,
    input command_pkg::word_t                   kept,
    input logic                 [         63:0] words_q[8*Slots],
    input logic                 [          2:0] arrival_state,
    input logic                 [          2:0] arrival_index,
    input logic                                 arrival_refused,
    input logic                 [FROM_BITS-1:0] arrival_from,
    input nma_pkg::job_t                        arrival_job,
    input logic                 [          2:0] state,
    input logic                 [          2:0] phase,
    input logic                 [          2:0] index,
    input command_pkg::word_t                   counter,
    input command_pkg::word_t                   task_word
);
  import command_pkg::*;

  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [CountBits-1:0] count_t;
  // As in nma_arrival and nma_completion.
  localparam logic [2:0] Take = 3'd0, Respond = 3'd4, Check = 3'd5;
  localparam logic [2:0] Idle = 3'd0, Read = 3'd1, Choose = 3'd2, Offer = 3'd3, Wait = 3'd4;
  localparam logic [2:0] Transfer = 3'd1, Message = 3'd2, Final = 3'd3, End = 3'd4;

  logic started_q = 1'b0;
  slot_t any_slot, slot_q;  // any one; the same in all cycles
  word_t any_word, root_q;
  // The message that comes: how many of its words are here, whether it is complete, and has become a request.
  logic [2:0] count_q;
  logic complete_q, put_q, full_q;
  logic [FROM_BITS-1:0] from_q;
  // The request at the watched place.
  word_t task_q, counter_q;
  logic [1:0] begun_q;  // requests that have begun and have no result
  logic step_waits_q, response_waits_q, job_waits_q, look_waits_q, result_waits_q, step_runs_q;
  step_t step_q;
  nma_pkg::job_t job_q;
  word_t look_q;
  logic [2:0] last_phase_q;  // of the steps of this result
  logic has_step_q;
  logic takes, puts, responds, results, occupied;
  count_t distance;

  assign takes    = message_valid_i && message_ready_o;
  assign puts     = job_valid_o && job_ready_i;
  assign responds = response_valid_o && response_ready_i;
  assign results  = result_valid_i && result_ready_o;
  assign distance = slot_q >= end_slot_q ? count_t'(slot_q) - count_t'(end_slot_q) :
      count_t'(slot_q) + count_t'(Slots) - count_t'(end_slot_q);
  assign occupied = distance < used_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) slot_q <= any_slot;
    step_q <= step_o;
    job_q  <= job_o;
    look_q <= look_address_o;
    if (!rst_ni) begin
      count_q          <= '0;
      complete_q       <= 1'b0;
      put_q            <= 1'b0;
      begun_q          <= '0;
      step_waits_q     <= 1'b0;
      response_waits_q <= 1'b0;
      job_waits_q      <= 1'b0;
      look_waits_q     <= 1'b0;
      result_waits_q   <= 1'b0;
      step_runs_q      <= 1'b0;
      has_step_q       <= 1'b0;
    end else begin
      step_waits_q     <= step_valid_o && !step_ready_i;
      response_waits_q <= response_valid_o && !response_ready_i;
      job_waits_q      <= job_valid_o && !job_ready_i;
      look_waits_q     <= look_valid_o && !look_ready_i;
      result_waits_q   <= result_valid_i && !result_ready_o;
      begun_q          <= begun_q + 2'(job_begins_i) - 2'(results);
      if (takes) begin
        count_q <= count_q == 3'd6 ? '0 : count_q + 1'b1;
        if (count_q == '0) begin
          full_q <= !job_ready_i;
          root_q <= message_word_i;
          from_q <= message_from_i;
        end
        if (count_q == 3'd6) complete_q <= 1'b1;
        if (put_slot_q == slot_q && !full_q && count_q == 3'd5) task_q <= message_word_i;
        if (put_slot_q == slot_q && !full_q && count_q == 3'd6) counter_q <= message_word_i;
      end
      if (puts) put_q <= 1'b1;
      if (responds) begin
        complete_q <= 1'b0;
        put_q      <= 1'b0;
      end
      if (step_valid_o && step_ready_i) begin
        step_runs_q  <= 1'b1;
        has_step_q   <= 1'b1;
        last_phase_q <= phase;
      end
      if (step_done_valid_i) step_runs_q <= 1'b0;
      if (results) has_step_q <= 1'b0;
    end
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    assume (32'(any_slot) < Slots);
    if (started_q) assert (32'(slot_q) < Slots);
    if (started_q && rst_ni) begin
      if (job_ready_i) assume (32'(waiting_q) < QUEUE_ENTRIES);
      // Only a request makes the queue full.
      if (job_valid_o || (count_q != '0 && !full_q)) assume (job_ready_i);
      if (job_begins_i) assume (waiting_q != '0 && begun_q == '0);
      assume (result_valid_i -> begun_q == 2'd1);
      if (result_waits_q) assume (result_valid_i);
      if (step_done_valid_i) assume (step_runs_q);
      // One message, one request, one answer.
      if (job_valid_o) assert (complete_q && !put_q && !full_q && job_o.root == root_q);
      if (response_valid_o) begin
        assert (complete_q && put_q != full_q && response_refused_o == full_q && response_from_o == from_q);
      end
      if (message_ready_o) assert (!complete_q && !put_q);
      // No place of the memory is used twice.
      if (keeps) assert (32'(used_q) < Slots);
      if (keeps && put_slot_q == slot_q) assert (!occupied);
      // A step is that of the result's own request.
      if (step_valid_o && end_slot_q == slot_q) begin
        if (step_o.kind == StepAcknowledge && phase != Final) assert (step_o.words[0] == counter_q);
        if (step_o.kind == StepAcknowledge && phase == Final)
          assert (step_o.words[0] == counter_q || step_o.words[0] == counter_q + 64'd32);
        if (step_o.kind == StepMessage) assert (step_o.words[0] == task_q);
      end
      if (step_valid_o) assert (!step_runs_q && (!has_step_q || phase > last_phase_q));
      if (result_ready_o) assert (!step_runs_q && !step_valid_o);
      if (!busy_o) assert (used_q == '0 && !complete_q && count_q == '0);
      // Offers are kept.
      if (step_waits_q) assert (step_valid_o && step_o == step_q);
      if (response_waits_q) assert (response_valid_o);
      if (job_waits_q) assert (job_valid_o && job_o == job_q);
      if (look_waits_q) assert (look_valid_o && look_address_o == look_q);
      // For the induction.
      assert (32'(put_slot_q) < Slots && 32'(end_slot_q) < Slots);
      assert (arrival_index == count_q && count_q <= 3'd6);
      assert (arrival_state <= Check && complete_q == (arrival_state != Take));
      if (arrival_state != Take) assert (count_q == '0 && arrival_refused == full_q);
      if (count_q != '0) assert (arrival_refused == full_q);
      if (count_q != '0 || complete_q) assert (arrival_from == from_q && arrival_job.root == root_q);
      if (arrival_state != Take && arrival_state != Respond) assert (!full_q && !put_q);
      if (arrival_state == Respond) assert (put_q != full_q);
      if (arrival_state == Take) assert (!put_q);
      assert (begun_q <= 2'd1 && 32'(waiting_q) <= QUEUE_ENTRIES);
      assert (32'(used_q) == 32'(waiting_q) + 32'(begun_q) + 32'(state != Idle));
      if ((count_q != '0 || complete_q) && !full_q && !put_q) assert (32'(waiting_q) < QUEUE_ENTRIES);
      assert (32'(put_slot_q) == (32'(end_slot_q) + 32'(used_q)) % Slots);
      assert (state <= Wait && phase <= End);
      assert (step_runs_q == (state == Wait));
      if (state == Offer || state == Wait) assert (phase != End);
      if (state == Idle) assert (!step_runs_q);
      if (state == Read) assert (!has_step_q && phase == '0 && index >= 3'd1);
      if (has_step_q && (state == Choose || state == Offer)) assert (phase > last_phase_q);
      if (has_step_q && state == Wait) assert (phase == last_phase_q);
      if (state == Choose && phase == '0) assert (!has_step_q);
      // What is kept, from the message to the end.
      if (occupied || (slot_q == put_slot_q && arrival_state != Take && !full_q && !put_q)) begin
        assert (words_q[{slot_q, 3'd5}] == task_q && words_q[{slot_q, 3'd6}] == counter_q);
      end
      if (slot_q == put_slot_q && count_q == 3'd6 && !full_q) assert (words_q[{slot_q, 3'd5}] == task_q);
      if (state != Idle && end_slot_q == slot_q) begin
        if (state == Read && index == 3'd6) assert (kept == task_q);
        if (state == Read && index == 3'd7) assert (kept == counter_q && task_word == task_q);
        if (state != Read) assert (counter == counter_q && task_word == task_q);
      end
    end
  end

endmodule

bind nma_trigger nma_trigger_properties #(
    .QUEUE_ENTRIES(QUEUE_ENTRIES), .FROM_BITS(FROM_BITS)
) properties (
    .*,
    .words_q        (i_kept.words_q),
    .arrival_state  (i_arrival.state_q),
    .arrival_index  (i_arrival.index_q),
    .arrival_refused(i_arrival.refused_q),
    .arrival_from   (i_arrival.from_q),
    .arrival_job    (i_arrival.job_q),
    .state          (i_completion.state_q),
    .phase          (i_completion.phase_q),
    .index          (i_completion.index_q),
    .counter        (i_completion.counter_q),
    .task_word      (i_completion.task_q)
);
