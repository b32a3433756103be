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
    input  logic [   LANES-1:0] store_i,      // these words change; not while a run is offered
    input  logic                written_i,    // the run that is offered
    output logic                dirty_o,
    output logic [LaneBits-1:0] run_lane_o,
    output logic [  LaneBits:0] run_words_o,
    output logic                run_last_o    // nothing else is dirty
);
  if (LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_wrong_lanes
    $error("nma_dirty_words: LANES is a power of two, at least 2");
  end

  typedef logic [LANES-1:0] lanes_t;

  lanes_t dirty_d, dirty_q, others, changed;
  // Whether there is a run, and whether it is the last one: known before the state that asks.
  logic some_d, some_q, last_d, last_q;
  logic begun;

  // The words of all runs but the first.
  function automatic lanes_t others_of(lanes_t dirty);
    logic has_begun, has_ended;
    has_begun = 1'b0;
    has_ended = 1'b0;
    for (int unsigned at = 0; at < LANES; ++at) begin
      has_ended     = has_ended || (has_begun && !dirty[at]);
      has_begun     = has_begun || dirty[at];
      others_of[at] = dirty[at] && has_ended;
    end
  endfunction

  assign dirty_o    = some_q;
  assign run_last_o = last_q;
  assign others     = others_of(dirty_q);
  assign changed    = dirty_q | store_i;

  // Where the first run begins, and how long it is.
  always_comb begin
    begun       = 1'b0;
    run_lane_o  = '0;
    run_words_o = '0;
    for (int unsigned at = 0; at < LANES; ++at) begin
      if (dirty_q[at] && !begun) run_lane_o = LaneBits'(at);
      if (dirty_q[at] && !others[at]) run_words_o += 1'b1;
      begun = begun || dirty_q[at];
    end
  end

  // That a run was written is known last, so both cases are ready by then.
  always_comb begin
    dirty_d = written_i ? others : changed;
    some_d  = written_i ? others != '0 : changed != '0;
    last_d  = written_i ? others_of(others) == '0 : others_of(changed) == '0;
    if (clear_i) begin
      dirty_d = '0;
      some_d  = 1'b0;
      last_d  = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      dirty_q <= '0;
      some_q  <= 1'b0;
      last_q  <= 1'b1;
    end else begin
      dirty_q <= dirty_d;
      some_q  <= some_d;
      last_q  <= last_d;
    end
  end

endmodule
