/// stream_arbiter_properties: an arbiter serves one valid input at a time, keeps its choice, and is fair.
///
/// Fair: no input waits for more than N - 1 items of others. Any one input is watched. Assumed: an input that is valid
/// stays valid until it is accepted.
module stream_arbiter_properties #(
    parameter int unsigned N = 2,
    parameter int unsigned WIDTH = 32,
    localparam int unsigned IndexWidth = N > 1 ? $clog2(N) : 1
) (
    input logic                             clk_i,
    input logic                             rst_ni,
    input logic [         N-1:0]            valid_i,
    input logic [         N-1:0]            ready_o,
    input logic [         N-1:0][WIDTH-1:0] data_i,
    input logic                             valid_o,
    input logic                             ready_i,
    input logic [     WIDTH-1:0]            data_o,
    input logic [IndexWidth-1:0]            index_o,
    input logic [IndexWidth-1:0]            index_q,
    input logic                             held_q
);

  logic [IndexWidth-1:0] any;  // free
  logic [IndexWidth-1:0] watched_q;
  logic started_q = 1'b0;
  logic [N-1:0] waiting_q;  // valid, but not accepted in the last cycle
  logic offered_q;  // the output was valid, but not accepted in the last cycle
  logic [IndexWidth-1:0] offer_q;
  int unsigned passed_q;  // items of others accepted while the watched input waited

  int unsigned distance;  // inputs that may be served before the watched one, after the last one served or offered
  assign distance = watched_q > index_q ? 32'(watched_q) - 32'(index_q) - 1 : 32'(watched_q) + N - 32'(index_q) - 1;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) watched_q <= any;
    offer_q <= index_o;
    if (!rst_ni) begin
      waiting_q <= '0;
      offered_q <= 1'b0;
      passed_q  <= 0;
    end else begin
      waiting_q <= valid_i & ~ready_o;
      offered_q <= valid_o && !ready_i;
      if (!valid_i[watched_q] || ready_o[watched_q]) passed_q <= 0;
      else if (valid_o && ready_i) passed_q <= passed_q + 1;
    end
  end

  always_comb begin
    if (!started_q) assume (!rst_ni && 32'(any) < N);
    assume ((waiting_q & ~valid_i) == '0);
    if (started_q) assert (32'(watched_q) < N);
    if (started_q && rst_ni) begin
      assert (valid_o == |valid_i);
      assert (ready_o == (valid_o && ready_i ? N'(1) << index_o : '0));
      if (valid_o) assert (valid_i[index_o] && data_o == data_i[index_o]);
      if (offered_q) assert (valid_o && index_o == offer_q);
      assert (passed_q < N);
      // For the induction: what the registers of the module mean.
      assert (32'(index_q) < N);
      assert (held_q == offered_q);
      if (held_q) assert (index_q == offer_q && waiting_q[index_q]);
      if (passed_q != 0) assert (waiting_q[watched_q]);
      if (waiting_q[watched_q] && !(held_q && index_q == watched_q))
        assert (passed_q + 32'(held_q) + distance < N);
      if (held_q && index_q == watched_q) assert (passed_q < N);
    end
  end

endmodule

bind stream_arbiter stream_arbiter_properties #(
    .N(N),
    .WIDTH($bits(data_o))
) properties (.*);
