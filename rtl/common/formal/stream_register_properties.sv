/// stream_register_properties: an item stays in a stream_register unchanged until it is taken, once.
module stream_register_properties #(
    parameter int unsigned WIDTH = 32
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             valid_i,
    input logic             ready_o,
    input logic [WIDTH-1:0] data_i,
    input logic             valid_o,
    input logic             ready_i,
    input logic [WIDTH-1:0] data_o
);

  logic started_q = 1'b0;
  logic full_q;
  logic [WIDTH-1:0] wanted_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) full_q <= 1'b0;
    else full_q <= (full_q && !ready_i) || valid_i;
    if (valid_i && (!full_q || ready_i)) wanted_q <= data_i;
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (started_q && rst_ni) begin
      assert (valid_o == full_q);
      assert (ready_o == (!full_q || ready_i));
      if (full_q) assert (data_o == wanted_q);
    end
  end

endmodule

bind stream_register stream_register_properties #(.WIDTH($bits(data_i))) properties (.*);
