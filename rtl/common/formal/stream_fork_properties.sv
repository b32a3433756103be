/// stream_fork_properties: every consumer takes each item exactly once, before or when the producer's is accepted.
///
/// Assumed: an item that is offered stays until it is accepted.
module stream_fork_properties #(
    parameter int unsigned N = 2
) (
    input logic         clk_i,
    input logic         rst_ni,
    input logic         valid_i,
    input logic         ready_o,
    input logic [N-1:0] valid_o,
    input logic [N-1:0] ready_i,
    input logic [N-1:0] taken_q
);

  logic started_q = 1'b0;
  logic waiting_q;  // offered, but not accepted in the last cycle
  logic [N-1:0] have_q;  // consumers that took this item

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    waiting_q <= rst_ni && valid_i && !ready_o;
    if (!rst_ni || (valid_i && ready_o)) have_q <= '0;
    else have_q <= have_q | (valid_o & ready_i);
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (waiting_q) assume (valid_i);
    if (started_q && rst_ni) begin
      assert (valid_o == (valid_i ? ~have_q : '0));
      if (valid_i) assert (ready_o == ((have_q | ready_i) == '1));
      // For the induction.
      assert (taken_q == have_q && (waiting_q || have_q == '0));
    end
  end

endmodule

bind stream_fork stream_fork_properties #(.N(N)) properties (.*);
