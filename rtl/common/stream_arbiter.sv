/// stream_arbiter: merges N streams into one, in turns.
///
/// The input after the one that was served last has the first turn, so an input that keeps `valid_i` high is served
/// after at most N - 1 items of others. A choice that was offered is kept until it is accepted, whatever becomes valid
/// meanwhile. No latency; throughput is one item per cycle. `valid_o` and `index_o` do not depend on `ready_i`.
module stream_arbiter #(
    parameter int unsigned N = 2,
    parameter type T = logic [31:0],
    localparam int unsigned IndexWidth = N > 1 ? $clog2(N) : 1
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic [         N-1:0] valid_i,
    output logic [         N-1:0] ready_o,
    input  T     [         N-1:0] data_i,
    output logic                  valid_o,
    input  logic                  ready_i,
    output T                      data_o,
    output logic [IndexWidth-1:0] index_o
);
  if (N == 0) begin : g_wrong_n
    $error("stream_arbiter: N is at least 1");
  end

  typedef logic [IndexWidth-1:0] index_t;

  index_t index_d, index_q;  // offered now; served or offered last
  logic held_d, held_q;  // the choice was offered, but not accepted

  // The lowest valid input above the last one; if there is none, the lowest valid input.
  always_comb begin
    index_d = index_q;
    if (!held_q) begin
      for (int unsigned i = N; i > 0; i--) begin
        if (valid_i[index_t'(i-1)]) index_d = index_t'(i - 1);
      end
      for (int unsigned i = N; i > 0; i--) begin
        if (valid_i[index_t'(i-1)] && index_t'(i - 1) > index_q) index_d = index_t'(i - 1);
      end
    end
  end

  // Written as a choice between N items, since a variable index becomes a shifter in some tools.
  always_comb begin
    data_o = data_i[0];
    for (int unsigned i = 1; i < N; i++) begin
      if (index_d == index_t'(i)) data_o = data_i[i];
    end
  end

  assign valid_o = valid_i[index_d];
  assign index_o = index_d;
  assign held_d  = valid_o && !ready_i;

  always_comb begin
    ready_o = '0;
    ready_o[index_d] = valid_o && ready_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q <= index_t'(N - 1);
      held_q  <= 1'b0;
    end else begin
      if (valid_o) index_q <= index_d;
      held_q <= held_d;
    end
  end

endmodule
