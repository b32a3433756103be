/// fifo_properties: an item leaves a fifo unchanged, as the one that it was by its order of arrival.
///
/// Any one item is marked when it is accepted; the items in front of it are counted then and when they leave. Since the
/// choice is free, what holds for the marked item holds for all: none is lost, duplicated or overtaken.
module fifo_properties #(
    parameter int unsigned DEPTH = 4,
    parameter int unsigned WIDTH = 32,
    localparam int unsigned PointerWidth = DEPTH > 1 ? $clog2(DEPTH) : 1,
    localparam int unsigned CountWidth = $clog2(DEPTH + 1)
) (
    input logic                    clk_i,
    input logic                    rst_ni,
    input logic                    valid_i,
    input logic                    ready_o,
    input logic [       WIDTH-1:0] data_i,
    input logic                    valid_o,
    input logic                    ready_i,
    input logic [       WIDTH-1:0] data_o,
    input logic [PointerWidth-1:0] head_q,
    input logic [PointerWidth-1:0] tail_q,
    input logic [  CountWidth-1:0] count_q,
    input logic [       WIDTH-1:0] items_q[DEPTH]
);

  logic mark;  // free in every cycle
  logic started_q = 1'b0;
  logic marked_q;
  logic [WIDTH-1:0] wanted_q;
  int unsigned front_q;  // items in front of the marked one
  int unsigned inside_q;  // items accepted and not yet taken

  function automatic logic [PointerWidth-1:0] place(int unsigned distance);
    automatic int unsigned sum = 32'(head_q) + distance;
    return PointerWidth'(sum >= DEPTH ? sum - DEPTH : sum);
  endfunction

  logic put, take;
  assign put  = valid_i && ready_o;
  assign take = valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      marked_q <= 1'b0;
      inside_q <= 0;
    end else begin
      inside_q <= inside_q + 32'(put) - 32'(take);
      if (!marked_q && put && mark) begin
        marked_q <= 1'b1;
        wanted_q <= data_i;
        front_q  <= inside_q - 32'(take);
      end else if (marked_q && take) begin
        marked_q <= front_q != 0;
        front_q  <= front_q - 1;
      end
    end
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (started_q && rst_ni) begin
      assert (valid_o == (inside_q != 0));
      assert (ready_o == (inside_q != DEPTH));
      if (marked_q) assert (front_q < inside_q);
      if (marked_q && front_q == 0) assert (data_o == wanted_q);
      // For the induction: what the registers of the module mean.
      assert (inside_q == 32'(count_q) && inside_q <= DEPTH && 32'(head_q) < DEPTH);
      assert (tail_q == place(inside_q));
      if (marked_q) assert (items_q[place(front_q)] == wanted_q);
    end
  end

endmodule

bind fifo fifo_properties #(
    .DEPTH(DEPTH),
    .WIDTH($bits(data_i))
) properties (.*);
