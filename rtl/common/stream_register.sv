/// stream_register: holds one item of a stream, so that `valid` and `data` start from a register.
///
/// An item that is accepted in one cycle is offered from the next cycle on. Throughput is one item per cycle: a full
/// register accepts an item in the cycle in which its own is taken, so `ready_o` depends on `ready_i` without a
/// register in between. Where that path is too long, `fifo` of two entries has none.
module stream_register #(
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

  logic valid_d, valid_q;
  T data_q;

  assign ready_o = !valid_q || ready_i;
  assign valid_o = valid_q;
  assign data_o  = data_q;
  assign valid_d = valid_i || !ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_d;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) data_q <= data_i;
  end

endmodule
