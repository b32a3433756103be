/// nca_graph_commands_properties: a command that is accepted becomes one job, with a mark that none had before; its
/// window runs until the end of its result, which is that of the first job without one; steps of a result come in turn,
/// each once; offers are kept.
///
/// Assumed: there is a result for each job that has left, later; a step ends once.
module nca_graph_commands_properties #(
    parameter int unsigned HARTS = 2,
    localparam int unsigned HartBits = HARTS > 1 ? $clog2(HARTS) : 1,
    localparam int unsigned CountBits = $clog2(HARTS + 1)
) (
    input logic                               clk_i,
    input logic                               rst_ni,
    input logic                               look_valid_o,
    input logic                               look_ready_i,
    input logic                               look_answer_valid_i,
    input command_pkg::word_t                 look_address_o,
    input logic                               job_valid_o,
    input logic                               job_ready_i,
    input nca_pkg::job_t                      job_o,
    input logic                               result_valid_i,
    input logic                               result_ready_o,
    input logic                               step_valid_o,
    input logic                               step_ready_i,
    input command_pkg::step_t                 step_o,
    input logic                               step_done_valid_i,
    input logic                               ring,
    input logic                [HartBits-1:0] ring_hart,
    input logic                               rung,
    input command_pkg::status_e               rung_status,
    input logic                               begins,
    input logic                               loads_q,
    input logic                               loaded,
    input logic                               ends_now,
    input logic                [HartBits-1:0] ending,
    input logic                         [2:0] state,
    input logic                         [2:0] index,
    input logic                         [2:0] end_state,
    input logic                         [2:0] phase,
    input command_pkg::status_e               status_q[HARTS],
    input logic                         [2:0] window_state,
    input logic                [HartBits-1:0] window_q,
    input logic                [HartBits-1:0] items   [HARTS],
    input logic                [HartBits-1:0] head,
    input logic                [HartBits-1:0] tail,
    input logic               [CountBits-1:0] count
);
  import command_pkg::*;

  localparam logic [2:0] Idle = 3'd0, Word = 3'd2, Wait = 3'd4, Decide = 3'd5;
  localparam logic [2:0] Rest = 3'd0, Load = 3'd1, Choose = 3'd2, Offer = 3'd3, Done = 3'd4;
  localparam logic [2:0] Status = 3'd5;

  logic started_q = 1'b0;
  logic [HARTS-1:0] runs_q;
  logic [CountBits-1:0] away_q;  // jobs without a result
  logic [63:0] mark_q;           // the last one that was offered
  logic look_waits_q, job_waits_q, step_waits_q, result_waits_q, asks_q, has_step_q, early;
  word_t look_q;
  step_t step_q;
  nca_pkg::job_t job_q;
  logic [2:0] last_phase_q;
  int unsigned times[HARTS];

  always_comb begin
    for (int unsigned hart = 0; hart < HARTS; ++hart) begin
      times[hart] = 0;
      for (int unsigned at = 0; at < HARTS; ++at) begin
        if (at < 32'(count) && 32'(items[(32'(head)+at)%HARTS]) == hart) times[hart] += 1;
      end
    end
  end
  // A result was taken whose window still runs.
  assign early = end_state == Load || (end_state != Rest && phase <= Status);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    look_q    <= look_address_o;
    step_q    <= step_o;
    job_q     <= job_o;
    if (!rst_ni) begin
      runs_q         <= '0;
      away_q         <= '0;
      mark_q         <= 64'd1;
      look_waits_q   <= 1'b0;
      job_waits_q    <= 1'b0;
      step_waits_q   <= 1'b0;
      result_waits_q <= 1'b0;
      asks_q         <= 1'b0;
      has_step_q     <= 1'b0;
    end else begin
      look_waits_q   <= look_valid_o && !look_ready_i;
      job_waits_q    <= job_valid_o && !job_ready_i;
      step_waits_q   <= step_valid_o && !step_ready_i;
      result_waits_q <= result_valid_i && !result_ready_o;
      if (look_valid_o && look_ready_i) asks_q <= 1'b1;
      if (look_answer_valid_i) asks_q <= 1'b0;
      if (begins) runs_q[ring_hart] <= 1'b1;
      if (ends_now) runs_q[ending] <= 1'b0;
      away_q <= away_q + CountBits'(job_valid_o && job_ready_i) - CountBits'(result_valid_i && result_ready_o);
      if (job_valid_o && job_ready_i) mark_q <= job_o.mark;
      if (result_valid_i && result_ready_o) has_step_q <= 1'b0;
      if (step_valid_o && step_ready_i) begin
        has_step_q   <= 1'b1;
        last_phase_q <= phase;
      end
    end
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (started_q && rst_ni) begin
      if (result_valid_i) assume (away_q != '0);
      if (result_waits_q) assume (result_valid_i);
      if (look_answer_valid_i) assume (asks_q);
      if (step_done_valid_i) assume (end_state == Done);
      assert (begins == (rung && rung_status == StatusAccepted));
      // A job for each command, with a mark of its own, and an end for each.
      if (job_valid_o) assert (job_o.mark == mark_q + 64'd2 && job_o.mark[0]);
      for (int unsigned hart = 0; hart < HARTS; ++hart) begin
        assert ((status_q[hart] == StatusAccepted) == runs_q[hart]);
        assert (times[hart] == 32'(runs_q[hart]));
      end
      assert (32'(count) == 32'(job_valid_o) + 32'(away_q) + 32'(early));
      if (ends_now) assert (count != '0 && runs_q[ending]);
      // Steps.
      if (step_valid_o) assert (!has_step_q || phase > last_phase_q);
      // Offers are kept.
      if (look_waits_q) assert (look_valid_o && look_address_o == look_q);
      if (job_waits_q) assert (job_valid_o && job_o == job_q);
      if (step_waits_q) assert (step_valid_o && step_o == step_q);
      // For the induction.
      assert (32'(count) <= HARTS && 32'(head) < HARTS && 32'(tail) == (32'(head) + 32'(count)) % HARTS);
      assert (ring == (window_state == 3'd2) && ring_hart == window_q);
      if (ring) assert (32'(ring_hart) < HARTS && !runs_q[ring_hart]);
      if (!job_valid_o) assert (job_o.mark == mark_q);
      assert (mark_q[0]);
      assert (end_state <= Done && state <= Decide && asks_q == (state == Wait));
      if (state != Idle) assert (loads_q ? end_state == Load : ring && !job_valid_o);
      if (end_state == Rest || end_state == Load) assert (end_state == Rest || phase == '0);
      if (end_state == Load) assert (!has_step_q);
      if (end_state == Offer || end_state == Done) assert (phase != Status && phase != 3'd7);
      if (has_step_q && (end_state == Choose || end_state == Offer)) assert (phase > last_phase_q);
      if (has_step_q && end_state == Done) assert (phase == last_phase_q);
      if (end_state == Done) assert (has_step_q);
      if (end_state == Choose && phase == '0) assert (!has_step_q);
    end
  end

endmodule

bind nca_graph_commands nca_graph_commands_properties #(
    .HARTS(HARTS)
) properties (
    .*,
    .ends_now    (ends),
    .state       (state_q),
    .index       (index_q),
    .end_state   (end_q),
    .phase       (phase_q),
    .status_q    (i_windows.status_q),
    .window_state(i_windows.state_q),
    .window_q    (i_windows.window_q),
    .items       (i_harts.items_q),
    .head        (i_harts.head_q),
    .tail        (i_harts.tail_q),
    .count       (i_harts.count_q)
);
