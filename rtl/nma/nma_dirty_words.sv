/// nma_dirty_words: which words of a line register have changed.
///
/// The first run of adjacent ones is offered, so that each run is one write. Adding its lowest bit carries through it.
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

  logic [LANES-1:0] dirty_d, dirty_q, lowest, others;
  logic [LANES:0] carried;
  logic [LaneBits:0] behind;

  assign lowest     = dirty_q & -dirty_q;
  assign carried    = {1'b0, dirty_q} + {1'b0, lowest};
  assign others     = dirty_q & carried[LANES-1:0];
  assign dirty_o    = dirty_q != '0;
  assign run_last_o = others == '0;

  // Where the run begins, and what is behind it: the one bit that was carried to.
  always_comb begin
    run_lane_o = '0;
    behind     = '0;
    for (int unsigned at = 0; at < LANES; ++at) begin
      if (lowest[at]) run_lane_o |= LaneBits'(at);
      if (carried[at] && !dirty_q[at]) behind |= (LaneBits + 1)'(at);
    end
    if (carried[LANES]) behind |= (LaneBits + 1)'(LANES);
  end
  assign run_words_o = behind - {1'b0, run_lane_o};

  always_comb begin
    dirty_d = dirty_q;
    if (written_i) dirty_d = others;
    if (store_i) dirty_d[lane_i] = 1'b1;
    if (clear_i) dirty_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) dirty_q <= '0;
    else dirty_q <= dirty_d;
  end

endmodule
