/// stream_fork: offers each item of a stream to N consumers, each of which takes it once.
///
/// The data are wired past this module. The item is accepted from the producer in the cycle in which the last consumer
/// takes it; consumers that took it earlier see no `valid_o` meanwhile. No latency; throughput is one item per cycle.
module stream_fork #(
    parameter int unsigned N = 2
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         valid_i,
    output logic         ready_o,
    output logic [N-1:0] valid_o,
    input  logic [N-1:0] ready_i
);
  if (N == 0) begin : g_wrong_n
    $error("stream_fork: N is at least 1");
  end

  logic [N-1:0] taken_d, taken_q;  // consumers that already have the item

  assign valid_o = valid_i ? ~taken_q : '0;
  assign ready_o = &(taken_q | ready_i);
  assign taken_d = ready_o ? '0 : taken_q | (valid_o & ready_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) taken_q <= '0;
    else taken_q <= taken_d;
  end

endmodule
