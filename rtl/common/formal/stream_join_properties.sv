/// stream_join_properties: the items of all inputs are offered and accepted together.
module stream_join_properties #(
    parameter int unsigned N = 2
) (
    input logic [N-1:0] valid_i,
    input logic [N-1:0] ready_o,
    input logic         valid_o,
    input logic         ready_i
);

  always_comb begin
    assert (valid_o == (valid_i == '1));
    assert (ready_o == (valid_o && ready_i ? '1 : '0));
  end

endmodule

bind stream_join stream_join_properties #(.N(N)) properties (.*);
