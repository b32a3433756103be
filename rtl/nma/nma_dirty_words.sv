/// nma_dirty_words: which words of a line register have changed.
///
/// The first run of adjacent ones is offered, so that each run is one write.
module nma_dirty_words #(
    parameter int unsigned LANES = 8,
    localparam int unsigned LaneBits = $clog2(LANES)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                clear_i,
    input  logic                store_i,
    input  logic [LaneBits-1:0] lane_i,
    input  logic                written_i,    // the run that is offered
    output logic                dirty_o,
    output logic [LaneBits-1:0] run_lane_o,
    output logic [  LaneBits:0] run_words_o,
    output logic                run_last_o    // nothing else is dirty
);

  logic [LANES-1:0] dirty_d, dirty_q, run;

  assign dirty_o    = dirty_q != '0;
  assign run_last_o = (dirty_q & ~run) == '0;

  // The lowest dirty word, and those behind it without a gap.
  always_comb begin
    run         = '0;
    run_lane_o  = '0;
    run_words_o = '0;
    for (int unsigned at = LANES; at > 0; --at) begin
      if (dirty_q[at-1]) run_lane_o = LaneBits'(at - 1);
    end
    for (int unsigned at = 0; at < LANES; ++at) begin
      if (dirty_q[at] && (at == 0 || run[at-1] || run == '0)) run[at] = 1'b1;
      if (run[at]) run_words_o = run_words_o + 1'b1;
    end
  end

  always_comb begin
    dirty_d = dirty_q;
    if (written_i) dirty_d = dirty_q & ~run;
    if (store_i) dirty_d[lane_i] = 1'b1;
    if (clear_i) dirty_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) dirty_q <= '0;
    else dirty_q <= dirty_d;
  end

endmodule
