/// fifo: a queue of up to DEPTH items, first in, first out.
///
/// Both sides are streams: an item moves in every cycle in which valid and ready are high. An item that is accepted in
/// one cycle is offered from the next cycle on. Throughput is one item per cycle. No path leads from `ready_i` to
/// `ready_o`: a full queue accepts an item only in the cycle after one was taken; two entries or more therefore keep
/// full throughput, a single one half of it.
module fifo #(
    parameter int unsigned DEPTH = 4,
    parameter type T = logic [31:0]
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic valid_i,
    output logic ready_o,
    input  T     data_i,
    output logic valid_o,
    input  logic ready_i,
    output T     data_o
);
  if (DEPTH == 0) begin : g_wrong_depth
    $error("fifo: DEPTH is at least 1");
  end

  localparam int unsigned PointerWidth = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int unsigned CountWidth = $clog2(DEPTH + 1);
  typedef logic [PointerWidth-1:0] pointer_t;
  typedef logic [CountWidth-1:0] count_t;

  T items_q[DEPTH];
  pointer_t head_d, head_q;  // the oldest item
  pointer_t tail_d, tail_q;  // where the next item goes
  count_t count_d, count_q;

  logic put, take;

  function automatic pointer_t after(pointer_t pointer);
    return pointer == pointer_t'(DEPTH - 1) ? '0 : pointer + 1'b1;
  endfunction

  assign ready_o = count_q != count_t'(DEPTH);
  assign valid_o = count_q != '0;
  assign data_o  = items_q[head_q];
  assign put     = valid_i && ready_o;
  assign take    = valid_o && ready_i;

  always_comb begin
    head_d  = head_q;
    tail_d  = tail_q;
    count_d = count_q;
    if (put) tail_d = after(tail_q);
    if (take) head_d = after(head_q);
    if (put && !take) count_d = count_q + 1'b1;
    if (take && !put) count_d = count_q - 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else begin
      head_q  <= head_d;
      tail_q  <= tail_d;
      count_q <= count_d;
    end
  end

  // The items need no reset: only those between head and tail are offered.
  always_ff @(posedge clk_i) begin
    if (put) items_q[tail_q] <= data_i;
  end

endmodule
