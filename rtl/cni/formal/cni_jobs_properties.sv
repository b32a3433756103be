/// cni_jobs_properties: no job is lost, none has two turns or two numbers, and none has a turn after its end.
///
/// A number is in one place of the two queues from its put until its entry leaves, and in none otherwise; so there is
/// always room. A turn is of a job that was put and has neither ended nor had this turn. What is offered stays. Whoever
/// uses the list puts again, and ends, only jobs that it may.
module cni_jobs_properties #(
    parameter int unsigned JOBS = 64,
    localparam int unsigned NumberWidth = JOBS > 1 ? $clog2(JOBS) : 1,
    localparam int unsigned CountWidth = $clog2(JOBS + 1)
) (
    input logic                   clk_i,
    input logic                   rst_ni,
    input logic                   put_valid_i,
    input logic                   put_ready_o,
    input logic                   put_again_i,
    input logic [NumberWidth-1:0] put_number_i,
    input logic                   put_is_copy_i,
    input logic [NumberWidth-1:0] free_o,
    input logic                   end_valid_i,
    input logic [NumberWidth-1:0] end_number_i,
    input logic                   copies_stop_i,
    input logic                   copies_o,
    input logic                   others_o,
    input logic                   turn_valid_o,
    input logic                   turn_ready_i,
    input logic                   turn_is_copy_o,
    input logic [NumberWidth-1:0] turn_number_o,
    // Inside.
    input logic [       JOBS-1:0] used_q,
    input logic [       JOBS-1:0] waits_q,
    input logic                   copies_q[JOBS],
    input logic [ CountWidth-1:0] copy_count_q,
    input logic [ CountWidth-1:0] other_count_q,
    input logic                   puts,
    input logic                   moves,
    input logic                   list_leaves,
    input logic                   aside_leaves,
    input logic [NumberWidth-1:0] list_items[JOBS],
    input logic [NumberWidth-1:0] list_third,
    input logic [NumberWidth-1:0] list_tail,
    input logic [ CountWidth-1:0] list_count,
    input logic [NumberWidth-1:0] list_head,
    input logic [NumberWidth-1:0] list_next,
    input logic                   list_waits,
    input logic                   list_is_copy,
    input logic [NumberWidth-1:0] aside_items[JOBS],
    input logic [NumberWidth-1:0] aside_third,
    input logic [NumberWidth-1:0] aside_tail,
    input logic [ CountWidth-1:0] aside_count,
    input logic [NumberWidth-1:0] aside_head,
    input logic [NumberWidth-1:0] aside_next,
    input logic                   aside_waits,
    input logic                   aside_is_copy
);

  logic started_q = 1'b0;
  // What a user knows of each number: it waits for its turn, its turn is offered, or it has had it.
  logic [JOBS-1:0] waiting_q, turn_q, sending_q, copy_q;
  logic kept_q;
  logic [NumberWidth-1:0] kept_number_q;

  always_ff @(posedge clk_i) begin
    started_q     <= 1'b1;
    kept_q        <= rst_ni && turn_valid_o && !turn_ready_i;
    kept_number_q <= turn_number_o;
    if (!rst_ni) begin
      waiting_q <= '0;
      turn_q    <= '0;
      sending_q <= '0;
    end else begin
      if (turn_valid_o) begin
        waiting_q[turn_number_o] <= 1'b0;
        turn_q[turn_number_o]    <= !turn_ready_i;
        sending_q[turn_number_o] <= turn_ready_i;
      end
      if (end_valid_i) begin
        waiting_q[end_number_i] <= 1'b0;
        sending_q[end_number_i] <= 1'b0;
      end
      if (put_valid_i && (put_again_i || put_ready_o)) begin
        waiting_q[put_again_i ? put_number_i : free_o] <= 1'b1;
        sending_q[put_again_i ? put_number_i : free_o] <= 1'b0;
        if (!put_again_i) copy_q[free_o] <= put_is_copy_i;
      end
    end
  end

  // The place of a queue's first item, two places before the third one.
  logic [31:0] list_first, aside_first;
  assign list_first  = (32'(list_third) + 2 * JOBS - 2) % JOBS;
  assign aside_first = (32'(aside_third) + 2 * JOBS - 2) % JOBS;

  // Places of a number in the queues.
  function automatic logic [31:0] places_of(logic [31:0] number);
    logic [31:0] places;
    places = '0;
    for (int unsigned i = 0; i < JOBS; ++i) begin
      if (i < 32'(list_count) && 32'(list_items[(list_first+i)%JOBS]) == number) places = places + 1;
      if (i < 32'(aside_count) && 32'(aside_items[(aside_first+i)%JOBS]) == number) places = places + 1;
    end
    return places;
  endfunction

  logic [31:0] sum, copies, others;
  always_comb begin
    sum    = 32'(list_count) + 32'(aside_count);
    copies = '0;
    others = '0;
    for (int unsigned i = 0; i < JOBS; ++i) begin
      if (waits_q[i] && copies_q[i]) copies = copies + 1;
      if (waits_q[i] && !copies_q[i]) others = others + 1;
    end
    if (!started_q) assume (!rst_ni);
    if (started_q && rst_ni) begin
      assume (!put_valid_i || !put_again_i || (32'(put_number_i) < JOBS && sending_q[put_number_i]));
      assume (!end_valid_i || (32'(end_number_i) < JOBS && (waiting_q[end_number_i] || sending_q[end_number_i])));
      assume (!end_valid_i || !put_valid_i || !put_again_i || put_number_i != end_number_i);
      assume (!end_valid_i || !turn_valid_o || turn_number_o != end_number_i);
      // One number, one job; one turn for each put.
      if (put_ready_o) assert (32'(free_o) < JOBS && !waiting_q[free_o] && !turn_q[free_o] && !sending_q[free_o]);
      if (turn_valid_o) begin
        assert (32'(turn_number_o) < JOBS && turn_is_copy_o == copy_q[turn_number_o]);
        assert (kept_q ? turn_q[turn_number_o] && turn_number_o == kept_number_q : waiting_q[turn_number_o]);
      end
      if (kept_q) assert (turn_valid_o);
      assert (copies_o == (copies != 0) && others_o == (others != 0));
      // There is room, and what is taken is there.
      if (puts) assert (32'(list_count) < JOBS);
      if (moves) assert (32'(aside_count) < JOBS);
      if (list_leaves) assert (list_count != 0);
      if (aside_leaves) assert (aside_count != 0);
      // The registers say what the items at their places say.
      if (list_count != 0) begin
        assert (list_head == list_items[list_first]);
        assert (list_waits == waits_q[list_head] && list_is_copy == copies_q[list_head]);
      end
      if (32'(list_count) > 1) assert (list_next == list_items[(list_first+1)%JOBS]);
      if (aside_count != 0) begin
        assert (aside_head == aside_items[aside_first]);
        assert (aside_waits == waits_q[aside_head] && aside_is_copy);
      end
      if (32'(aside_count) > 1) assert (aside_next == aside_items[(aside_first+1)%JOBS]);
      // For the induction.
      assert (32'(list_third) < JOBS && 32'(aside_third) < JOBS && sum <= JOBS);
      assert (32'(list_tail) == (list_first + 32'(list_count)) % JOBS);
      assert (32'(aside_tail) == (aside_first + 32'(aside_count)) % JOBS);
      assert (32'(copy_count_q) == copies && 32'(other_count_q) == others);
      for (int unsigned i = 0; i < JOBS; ++i) begin
        logic offered, busy;
        offered = turn_valid_o && 32'(turn_number_o) == i;
        busy    = offered || sending_q[i];
        assert (waits_q[i] == (waiting_q[i] && !offered));
        assert (turn_q[i] == (kept_q && offered) && !(sending_q[i] && (offered || waits_q[i])));
        assert (places_of(i) == 32'(used_q[i] && !busy));
        if (busy || waits_q[i]) assert (used_q[i] && copies_q[i] == copy_q[i]);
        if (32'(list_count) > i) assert (32'(list_items[(list_first+i)%JOBS]) < JOBS);
        if (32'(aside_count) > i) begin
          assert (32'(aside_items[(aside_first+i)%JOBS]) < JOBS);
          assert (copies_q[aside_items[(aside_first+i)%JOBS]]);
        end
      end
    end
  end

endmodule

bind cni_jobs cni_jobs_properties #(
    .JOBS(JOBS)
) properties (
    .list_items (i_list.items_q),
    .list_third (i_list.third_q),
    .list_tail  (i_list.tail_q),
    .list_count (i_list.count_q),
    .aside_items(i_aside.items_q),
    .aside_third(i_aside.third_q),
    .aside_tail (i_aside.tail_q),
    .aside_count(i_aside.count_q),
    .*
);
