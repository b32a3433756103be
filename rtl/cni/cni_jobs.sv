/// cni_jobs: the list of jobs: what commands and events have to send waits here for its turn, in the order in which it
/// came; a copy comes back after each packet, so that short jobs pass.
///
/// A job has a number from `put` to `end`, and with it a place for the words of a copy; its other words are wherever
/// the number leads. While copies have to stop, the others pass them: a copy at the head then moves aside, and goes
/// before the list as soon as copies may go on, so that the order never changes. A job that ends while it waits has no
/// turn; its number is free again when its entry has come to the head and left. A turn is offered in the cycle after
/// `pick_i`, and later if entries have to leave or to move aside, one in each cycle. Every output depends on registers
/// alone.
module cni_jobs #(
    parameter int unsigned JOBS = 64,
    localparam int unsigned NumberWidth = JOBS > 1 ? $clog2(JOBS) : 1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // A new job, which gets the number `free_o`; or one after its turn, which is accepted without `put_ready_o`.
    input  logic                   put_valid_i,
    output logic                   put_ready_o,
    input  logic                   put_again_i,
    input  logic [NumberWidth-1:0] put_number_i,    // of one that comes again
    input  logic                   put_is_copy_i,   // of a new one
    input  cni_pkg::copy_t         put_i,
    output logic [NumberWidth-1:0] free_o,
    // Always accepted; not while the turn of this job is offered.
    input  logic                   end_valid_i,
    input  logic [NumberWidth-1:0] end_number_i,
    input  logic                   pick_i,          // a packet may be sent
    input  logic                   copies_stop_i,   // but not of a copy
    output logic                   copies_o,        // copies wait,
    output logic                   others_o,        // and other jobs
    output logic                   turn_valid_o,
    input  logic                   turn_ready_i,
    output logic                   turn_is_copy_o,
    output logic [NumberWidth-1:0] turn_number_o,
    output cni_pkg::copy_t         turn_o,
    output logic                   quiet_o          // nothing changes until an input is valid
);
  import cni_pkg::*;

  localparam int unsigned CountWidth = $clog2(JOBS + 1);
  typedef logic [NumberWidth-1:0] number_t;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [JOBS-1:0] set_t;

  set_t used_d, used_q;      // numbers that are not free
  set_t waits_d, waits_q;    // their jobs wait; an entry without this has ended
  logic copies_q[JOBS];      // they are copies
  count_t copy_count_d, copy_count_q, other_count_d, other_count_q;
  logic turn_valid_d, turn_valid_q;
  number_t turn_number_d, turn_number_q;

  logic puts, comes, is_copy, list_valid, list_leaves, aside_valid, aside_leaves, moves;
  number_t number, list_head, aside_head;

  // The lowest free number: in each group of eight at once, then that of the first group that has one.
  localparam int unsigned Groups = (JOBS + 7) / 8;
  logic [Groups-1:0][7:0] free;
  logic [Groups-1:0][2:0] first;
  assign free = (8 * Groups)'(set_t'(~used_q));
  always_comb begin
    first  = '0;
    free_o = '0;
    for (int unsigned group = Groups; group > 0; --group) begin
      for (int unsigned i = 8; i > 0; --i) if (free[group-1][i-1]) first[group-1] = 3'(i - 1);
      if (free[group-1] != '0) free_o = number_t'(8 * (group - 1) + 32'(first[group-1]));
    end
  end
  assign put_ready_o = used_q != '1;
  assign comes       = put_valid_i && !put_again_i && put_ready_o;
  assign puts        = comes || (put_valid_i && put_again_i);
  assign number      = put_again_i ? put_number_i : free_o;
  assign is_copy     = put_again_i ? copies_q[put_number_i] : put_is_copy_i;

  // Both queues have a place for each number.
  logic list_waits, list_is_copy, aside_waits, aside_is_copy;
  number_t list_next, aside_next;

  cni_job_queue #(
      .JOBS(JOBS)
  ) i_list (
      .clk_i,
      .rst_ni,
      .put_i         (puts),
      .number_i      (number),
      .is_copy_i     (is_copy),
      .take_i        (list_leaves),
      .next_o        (list_next),
      .next_waits_i  (waits_q[list_next]),
      .next_is_copy_i(copies_q[list_next]),
      .end_valid_i,
      .end_number_i,
      .valid_o       (list_valid),
      .number_o      (list_head),
      .waits_o       (list_waits),
      .is_copy_o     (list_is_copy)
  );

  // Copies that were passed: all of them came before those of the list.
  cni_job_queue #(
      .JOBS(JOBS)
  ) i_aside (
      .clk_i,
      .rst_ni,
      .put_i         (moves),
      .number_i      (list_head),
      .is_copy_i     (1'b1),
      .take_i        (aside_leaves),
      .next_o        (aside_next),
      .next_waits_i  (waits_q[aside_next]),
      .next_is_copy_i(1'b1),
      .end_valid_i,
      .end_number_i,
      .valid_o       (aside_valid),
      .number_o      (aside_head),
      .waits_o       (aside_waits),
      .is_copy_o     (aside_is_copy)
  );

  // Heads that have ended leave at once.
  logic aside_dead, list_dead, drops, from_aside, picks, stops, goes, head_is_copy;
  number_t head;
  assign aside_dead   = aside_valid && !aside_waits;
  assign list_dead    = list_valid && !list_waits;
  assign drops        = aside_dead || list_dead;
  assign from_aside   = aside_dead || (!list_dead && aside_valid && !copies_stop_i);
  assign head         = from_aside ? aside_head : list_head;
  assign head_is_copy = from_aside ? aside_is_copy : list_is_copy;
  assign picks        = pick_i && !turn_valid_q && !end_valid_i && !drops && (from_aside || list_valid);
  assign stops        = head_is_copy && copies_stop_i;
  assign goes         = picks && !stops;
  assign moves        = picks && stops;
  assign aside_leaves = from_aside && (drops || picks);
  assign list_leaves  = !from_aside && (drops || picks);

  // A job that ends has no turn in this cycle, so at most one leaves each count.
  logic ends, end_is_copy, copy_comes, copy_goes, other_comes, other_goes;
  assign ends        = end_valid_i && waits_q[end_number_i];
  assign end_is_copy = copies_q[end_number_i];
  assign copy_comes  = puts && is_copy;
  assign other_comes = puts && !is_copy;
  assign copy_goes   = (goes && head_is_copy) || (ends && end_is_copy);
  assign other_goes  = (goes && !head_is_copy) || (ends && !end_is_copy);

  function automatic count_t counted(count_t count, logic up, logic down);
    if (up == down) return count;
    return up ? count + 1'b1 : count - 1'b1;
  endfunction

  always_comb begin
    used_d        = used_q;
    waits_d       = waits_q;
    copy_count_d  = counted(copy_count_q, copy_comes, copy_goes);
    other_count_d = counted(other_count_q, other_comes, other_goes);
    turn_valid_d  = turn_valid_q && !turn_ready_i;
    turn_number_d = turn_number_q;
    if (drops) used_d[head] = 1'b0;
    if (goes) begin
      turn_valid_d  = 1'b1;
      turn_number_d = head;
      waits_d[head] = 1'b0;
    end
    if (end_valid_i) begin
      waits_d[end_number_i] = 1'b0;
      if (!ends) used_d[end_number_i] = 1'b0;
    end
    if (comes) used_d[number] = 1'b1;
    if (puts) waits_d[number] = 1'b1;
  end

  ram_1r1w #(
      .WORDS(JOBS),
      .WIDTH($bits(copy_t))
  ) i_copies (
      .clk_i,
      .read_i         (goes),
      .read_address_i (head),
      .read_data_o    (turn_o),
      .write_i        (puts),
      .write_address_i(number),
      .write_data_i   (put_i)
  );

  assign copies_o       = copy_count_q != '0;
  assign others_o       = other_count_q != '0;
  assign turn_valid_o   = turn_valid_q;
  assign turn_number_o  = turn_number_q;
  assign turn_is_copy_o = copies_q[turn_number_q];
  assign quiet_o        = !turn_valid_q && !drops;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q        <= '0;
      waits_q       <= '0;
      copy_count_q  <= '0;
      other_count_q <= '0;
      turn_valid_q  <= 1'b0;
      turn_number_q <= '0;
    end else begin
      used_q        <= used_d;
      waits_q       <= waits_d;
      copy_count_q  <= copy_count_d;
      other_count_q <= other_count_d;
      turn_valid_q  <= turn_valid_d;
      turn_number_q <= turn_number_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (comes) copies_q[free_o] <= put_is_copy_i;
  end

  if (JOBS == 0) begin : gen_wrong_jobs
    $error("cni_jobs: JOBS is at least 1");
  end

endmodule
