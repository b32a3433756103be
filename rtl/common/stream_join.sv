/// stream_join: waits for an item on each of N streams and offers them together.
///
/// The data are wired past this module. All items are accepted in the cycle in which the consumer takes them. There is
/// no state, no latency, and a throughput of one item of each stream per cycle.
module stream_join #(
    parameter int unsigned N = 2
) (
    input  logic [N-1:0] valid_i,
    output logic [N-1:0] ready_o,
    output logic         valid_o,
    input  logic         ready_i
);
  if (N == 0) begin : g_wrong_n
    $error("stream_join: N is at least 1");
  end

  assign valid_o = &valid_i;
  assign ready_o = {N{valid_o && ready_i}};

endmodule
