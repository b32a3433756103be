/// cni_completions_properties: each job ends exactly once, when all its packets have ended and the last one was sent,
/// with what it is and its first fault; packets under way are counted, never below zero.
///
/// Any number is watched. Whoever uses the module gives a free number to a new job, sends no more packets after the
/// last one, and no more than COPY_PACKETS at once, and reports the end of a packet that is under way: that is assumed.
module cni_completions_properties #(
    parameter int unsigned JOBS = 2,
    parameter int unsigned COPY_PACKETS = 1,
    localparam int unsigned NumberWidth = JOBS > 1 ? $clog2(JOBS) : 1,
    localparam int unsigned CountWidth = $clog2(COPY_PACKETS + 1),
    localparam int unsigned ClearWidth = $clog2(JOBS + 1)
) (
    input logic                                   clk_i,
    input logic                                   rst_ni,
    input logic                                   cleared_o,
    input logic                                   owner_valid_i,
    input logic                 [NumberWidth-1:0] owner_number_i,
    input cni_pkg::owner_t                        owner_i,
    input logic                                   sends_i,
    input logic                 [NumberWidth-1:0] send_number_i,
    input logic                                   send_last_i,
    input logic                                   send_failed_o,
    input logic                                   done_valid_i,
    input logic                                   done_ready_o,
    input logic                 [NumberWidth-1:0] done_number_i,
    input cni_pkg::verdict_t                      done_i,
    input logic                                   ended_valid_o,
    input logic                                   ended_ready_i,
    input logic                 [NumberWidth-1:0] ended_number_o,
    input cni_pkg::ended_t                        ended_o,
    input logic                  [ClearWidth-1:0] clear_q,
    input logic                 [NumberWidth-1:0] number_q,
    input cni_pkg::verdict_t                      verdict_q,
    input logic                                   counts,
    input logic                  [CountWidth-1:0] sent_before_q,
    input logic                  [CountWidth-1:0] passed_before_q,
    input logic                                   last_q,
    input logic                                   failed_before_q,
    input logic                  [CountWidth-1:0] sent_q[JOBS],
    input logic                  [CountWidth-1:0] passed_q[JOBS],
    input logic                                   lasts_q[JOBS],
    input logic                                   failed_q[JOBS],
    input cni_pkg::owner_t                        owners_q[JOBS],
    input cni_pkg::verdict_t                      kept,
    input logic       [$bits(cni_pkg::verdict_t)-1:0] faults_q[JOBS]
);
  import cni_pkg::*;

  logic [NumberWidth-1:0] any_number;  // free in every cycle
  logic [NumberWidth-1:0] at_q;        // as it was at reset
  logic started_q = 1'b0;
  logic open_q, closed_q, failed_here_q, waits_q;
  int unsigned under_way_q, counted;
  owner_t owner_q;
  verdict_t first_q;
  ended_t waiting_q;
  logic opens, sends, comes, tells;

  assign opens  = owner_valid_i && owner_number_i == at_q;
  assign sends  = sends_i && send_number_i == at_q;
  assign comes  = done_valid_i && done_ready_o && done_number_i == at_q;
  assign tells  = ended_valid_o && ended_number_o == at_q;
  assign counted = 32'(counts && number_q == at_q);  // it has come, and is not counted yet

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    waits_q   <= rst_ni && ended_valid_o && !ended_ready_i;
    waiting_q <= ended_o;
    if (!rst_ni) begin
      at_q          <= any_number;
      open_q        <= 1'b0;
      closed_q      <= 1'b0;
      failed_here_q <= 1'b0;
      under_way_q   <= 0;
    end else begin
      under_way_q <= under_way_q + 32'(sends) - 32'(comes);
      if (sends && send_last_i) closed_q <= 1'b1;
      if (comes && done_i.fault != FaultNone && !failed_here_q) begin
        failed_here_q <= 1'b1;
        first_q       <= done_i;
      end
      if (tells && ended_ready_i) begin
        open_q        <= 1'b0;
        failed_here_q <= 1'b0;
      end
      if (opens) begin
        open_q   <= 1'b1;
        closed_q <= 1'b0;
        owner_q  <= owner_i;
      end
    end
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    assume (32'(at_q) < JOBS && 32'(any_number) < JOBS && 32'(owner_number_i) < JOBS && 32'(send_number_i) < JOBS);
    assume (32'(done_number_i) < JOBS);
    if (opens) assume (cleared_o && !open_q);
    if (sends) assume (open_q && !closed_q && under_way_q + counted < COPY_PACKETS);
    if (sends_i) assume (cleared_o);
    if (comes) assume (under_way_q != 0);
    if (done_valid_i) assume (cleared_o);
    if (started_q && rst_ni) begin
      // It ends when nothing is under way and nothing will be sent; and then it ends.
      if (tells) begin
        assert (open_q && closed_q && under_way_q == 0);
        assert (ended_o.share == owner_q.share && ended_o.mark == owner_q.mark);
        assert (ended_o.verdict.fault == (failed_here_q && owner_q.kind != SendAdd ? first_q.fault : FaultNone));
        if (failed_here_q) assert (ended_o.verdict.address == first_q.address);
      end
      if (open_q && closed_q && under_way_q == 0) assert (tells || counted == 1);
      // What is under way is counted.
      assert (under_way_q <= COPY_PACKETS && under_way_q + counted <= COPY_PACKETS);
      if (cleared_o) assert (sent_q[at_q] - passed_q[at_q] == CountWidth'(under_way_q + counted));
      // The sender knows of a failure, as soon as it is counted.
      if (cleared_o && send_number_i == at_q && counted == 0 && !tells) assert (send_failed_o == failed_here_q);
      if (waits_q) assert (ended_valid_o);
      if (waits_q && tells) assert (ended_o == waiting_q);
      // For the induction.
      assert (32'(clear_q) <= JOBS);
      if (!cleared_o) assert (!open_q && !ended_valid_o && !counts);
      if (!open_q) assert (under_way_q == 0 && counted == 0 && !failed_here_q);
      if (open_q) assert (owners_q[at_q] == owner_q);
      if (open_q && under_way_q + counted != 0) assert (lasts_q[at_q] == closed_q);
      if (!cleared_o && 32'(at_q) < 32'(clear_q)) assert (sent_q[at_q] == passed_q[at_q] && !failed_q[at_q]);
      if (cleared_o && counted == 0) assert (failed_q[at_q] == (failed_here_q && !tells));
      if (cleared_o && counted == 1) begin
        // What was read is what is there, unless the job goes on.
        assert (passed_before_q == passed_q[at_q] && failed_before_q == failed_q[at_q]);
        if (last_q) assert (closed_q && sent_before_q == sent_q[at_q]);
        if (closed_q && under_way_q == 0) assert (last_q);
        assert (failed_here_q == (failed_q[at_q] || verdict_q.fault != FaultNone));
        if (failed_q[at_q]) assert (kept == first_q);
        else if (failed_here_q) assert (verdict_q == first_q);
      end
      if (cleared_o && failed_q[at_q]) assert (faults_q[at_q] == first_q);
      if (tells && failed_here_q) assert (verdict_q == first_q);
      if (tells && !failed_here_q) assert (verdict_q.fault == FaultNone);
    end
  end

endmodule

bind cni_completions cni_completions_properties #(
    .JOBS(JOBS), .COPY_PACKETS(COPY_PACKETS)
) properties (
    .*,
    .faults_q(i_faults.words_q)
);
