/// cni_job_queue: a queue of numbers of jobs whose head is in registers, with whether that job waits and is a copy.
///
/// What follows the head is in a register, too: one cycle reads a number out of the queue, the next one looks up what
/// is known of its job (`next_o`), and the third one uses both. A number that is put in one cycle is offered from the
/// next one on, if it is the first. There is a place for each number; nothing is put twice, or taken from an empty
/// queue.
module cni_job_queue #(
    parameter int unsigned JOBS = 64,
    localparam int unsigned NumberWidth = JOBS > 1 ? $clog2(JOBS) : 1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   put_i,          // a job that waits
    input  logic [NumberWidth-1:0] number_i,
    input  logic                   is_copy_i,
    input  logic                   take_i,         // the head leaves
    // What is known of the job behind the head; and a job that ends in this cycle.
    output logic [NumberWidth-1:0] next_o,
    input  logic                   next_waits_i,
    input  logic                   next_is_copy_i,
    input  logic                   end_valid_i,
    input  logic [NumberWidth-1:0] end_number_i,
    output logic                   valid_o,
    output logic [NumberWidth-1:0] number_o,
    output logic                   waits_o,
    output logic                   is_copy_o
);

  localparam int unsigned CountWidth = $clog2(JOBS + 1);
  typedef logic [NumberWidth-1:0] number_t;
  typedef logic [CountWidth-1:0] count_t;

  number_t items_q[JOBS];
  number_t third_d, third_q;  // place of the item after the next one
  number_t tail_d, tail_q;    // where the next item goes
  count_t count_d, count_q;
  logic leaves_none, leaves_one;  // `take_i` comes late
  number_t head_d, head_q, next_d, next_q;
  logic waits_d, waits_q, is_copy_d, is_copy_q;

  function automatic number_t after(number_t place);
    return place == number_t'(JOBS - 1) ? '0 : place + 1'b1;
  endfunction
  function automatic logic ends(number_t number);
    return end_valid_i && end_number_i == number;
  endfunction

  assign leaves_none = take_i ? count_q == count_t'(1) : count_q == '0;
  assign leaves_one  = take_i ? count_q == count_t'(2) : count_q == count_t'(1);
  assign valid_o     = count_q != '0;
  assign number_o    = head_q;
  assign next_o      = next_q;
  assign waits_o     = waits_q;
  assign is_copy_o   = is_copy_q;

  always_comb begin
    count_d   = count_q + count_t'(put_i) - count_t'(take_i);
    tail_d    = put_i ? after(tail_q) : tail_q;
    third_d   = take_i ? after(third_q) : third_q;
    next_d    = take_i ? items_q[third_q] : next_q;
    head_d    = take_i ? next_q : head_q;
    waits_d   = take_i ? next_waits_i && !ends(next_q) : waits_q && !ends(head_q);
    is_copy_d = take_i ? next_is_copy_i : is_copy_q;
    if (put_i && leaves_none) begin
      head_d    = number_i;
      waits_d   = 1'b1;
      is_copy_d = is_copy_i;
    end
    if (put_i && leaves_one) next_d = number_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      tail_q  <= '0;
      third_q <= number_t'(2 % JOBS);
    end else begin
      count_q <= count_d;
      tail_q  <= tail_d;
      third_q <= third_d;
    end
  end

  // The others need no reset: only what has been put is offered.
  always_ff @(posedge clk_i) begin
    if (put_i) items_q[tail_q] <= number_i;
    head_q    <= head_d;
    next_q    <= next_d;
    waits_q   <= waits_d;
    is_copy_q <= is_copy_d;
  end

endmodule
