/// cni_completions: packets have ended, and with the last one of a job the job ends.
///
/// Packets that were sent, and that have ended, are counted for each job, modulo 2^n: both numbers go on from job to
/// job, so that each memory is written in one place. The first fault of a job is kept until its end. After a reset the
/// memories are cleared, a job in each cycle. The end of a packet takes two cycles, of which the first one reads the
/// memories, and one more if its job ends. A packet that is sent in the first one is not counted yet, but as its end
/// has not come, its job does not end now anyway. Every output depends on registers alone.
module cni_completions #(
    parameter int unsigned JOBS = 64,
    parameter int unsigned COPY_PACKETS = 8,
    localparam int unsigned NumberWidth = JOBS > 1 ? $clog2(JOBS) : 1
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    output logic                                cleared_o,       // jobs may begin
    input  logic                                owner_valid_i,   // of a new job
    input  logic              [NumberWidth-1:0] owner_number_i,
    input  cni_pkg::owner_t                     owner_i,
    // A packet, or a turn without one, is planned: the last one of its job?
    input  logic                                sends_i,
    input  logic              [NumberWidth-1:0] send_number_i,
    input  logic                                send_last_i,
    output logic                                send_failed_o,   // has a packet of this job failed?
    input  logic                                done_valid_i,
    output logic                                done_ready_o,
    input  logic              [NumberWidth-1:0] done_number_i,
    input  cni_pkg::verdict_t                   done_i,
    output logic                                copy_done_o,
    output logic                                ended_valid_o,
    input  logic                                ended_ready_i,
    output logic              [NumberWidth-1:0] ended_number_o,
    output cni_pkg::ended_t                     ended_o
);
  import cni_pkg::*;

  localparam int unsigned CountWidth = $clog2(COPY_PACKETS + 1);
  localparam int unsigned ClearWidth = $clog2(JOBS + 1);
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [NumberWidth-1:0] number_t;
  typedef logic [ClearWidth-1:0] clear_t;
  typedef enum logic [1:0] {
    Wait  = 2'd0,
    Count = 2'd1,
    Tell  = 2'd2   // that the job has ended
  } step_e;

  count_t sent_q[JOBS], passed_q[JOBS];  // packets that were sent, and that have ended
  logic lasts_q[JOBS];                   // all were sent
  logic failed_q[JOBS];
  owner_t owners_q[JOBS];
  clear_t clear_d, clear_q;
  step_e step_d, step_q;
  number_t number_q;
  verdict_t verdict_d, verdict_q, kept;
  owner_t owner;
  logic comes, counts, ends, last_q, failed_before_q, fails;
  count_t next, sent_before_q, passed_before_q;

  assign comes  = done_valid_i && done_ready_o;
  assign owner  = owners_q[number_q];
  assign next   = passed_before_q + 1'b1;
  assign fails  = failed_before_q || verdict_q.fault != FaultNone;
  assign ends   = last_q && sent_before_q == next;
  assign counts = step_q == Count;

  // The first fault; what is read when the next packet of the job ends.
  ram_1r1w #(
      .WORDS(JOBS),
      .WIDTH($bits(verdict_t))
  ) i_faults (
      .clk_i,
      .read_i         (comes),
      .read_address_i (done_number_i),
      .read_data_o    (kept),
      .write_i        (counts && !failed_before_q),
      .write_address_i(number_q),
      .write_data_i   (verdict_q)
  );

  always_comb begin
    step_d    = step_q;
    verdict_d = verdict_q;
    unique case (step_q)
      Wait: begin
        verdict_d = done_i;
        if (done_valid_i) step_d = Count;
      end
      Count: begin
        if (failed_before_q) verdict_d = kept;
        step_d = ends ? Tell : Wait;
      end
      default: if (ended_ready_i) step_d = Wait;
    endcase
  end

  assign clear_d = cleared_o ? clear_q : clear_q + 1'b1;

  assign cleared_o       = clear_q == clear_t'(JOBS);
  assign send_failed_o   = failed_q[send_number_i];
  assign done_ready_o    = step_q == Wait;
  assign copy_done_o     = counts && owner.kind == SendCopy;
  assign ended_valid_o   = step_q == Tell;
  assign ended_number_o  = number_q;
  assign ended_o.share   = owner.share;
  assign ended_o.mark    = owner.mark;
  always_comb begin
    ended_o.verdict = verdict_q;
    // An addition tells of something that has happened; nobody waits for it.
    if (owner.kind == SendAdd) ended_o.verdict.fault = FaultNone;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clear_q <= '0;
      step_q  <= Wait;
    end else begin
      clear_q <= clear_d;
      step_q  <= step_d;
    end
  end

  // Written in one place each.
  number_t cleared, sent_at, passed_at;
  assign cleared   = clear_q[NumberWidth-1:0];
  assign sent_at   = cleared_o ? send_number_i : cleared;
  assign passed_at = cleared_o ? number_q : cleared;

  always_ff @(posedge clk_i) begin
    if (sends_i || !cleared_o) begin
      sent_q[sent_at]  <= cleared_o ? sent_q[send_number_i] + 1'b1 : '0;
      lasts_q[sent_at] <= send_last_i;
    end
    if (counts || !cleared_o) begin
      passed_q[passed_at] <= cleared_o ? next : '0;
      failed_q[passed_at] <= cleared_o && fails && !ends;
    end
    if (owner_valid_i) owners_q[owner_number_i] <= owner_i;
    if (comes) begin
      number_q        <= done_number_i;
      sent_before_q   <= sent_q[done_number_i];
      passed_before_q <= passed_q[done_number_i];
      last_q          <= lasts_q[done_number_i];
      failed_before_q <= failed_q[done_number_i];
    end
    verdict_q <= verdict_d;
  end

  if (JOBS == 0) begin : gen_wrong_jobs
    $error("cni_completions: JOBS is at least 1");
  end
  if (COPY_PACKETS == 0) begin : gen_wrong_copy_packets
    $error("cni_completions: COPY_PACKETS is at least 1");
  end

endmodule
