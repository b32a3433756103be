/// nma_match: looks for a word among the first words of a burst: the search of the linear map. It says a cycle later
/// whether and where it is.
module nma_match #(
    parameter int unsigned LANES = 8,
    localparam int unsigned LaneBits = $clog2(LANES)
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              looks_i,
    input  nma_pkg::word_t                    word_i,
    input  logic            [LANES-1:0][63:0] words_i,
    input  logic            [LaneBits:0]      count_i,
    input  nma_pkg::offset_t                  offset_i,  // of the burst, a multiple of its size
    output logic                              found_o,
    output nma_pkg::offset_t                  at_o       // the offset of the first that is equal
);
  import nma_pkg::*;

  if (LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_wrong_lanes
    $error("nma_match: LANES is a power of two, at least 2");
  end

  localparam int unsigned LineBits = OffsetBits - LaneBits - 3;

  logic [LANES-1:0] equal_d, equal_q;
  logic found_d, found_q;
  logic [LineBits-1:0] line_d, line_q;
  logic [LaneBits-1:0] lane;

  always_comb begin
    for (int unsigned at = 0; at < LANES; ++at) begin
      equal_d[at] = looks_i && (LaneBits + 1)'(at) < count_i && words_i[at] == word_i;
    end
  end
  assign found_d = equal_d != '0;
  assign line_d  = offset_i[OffsetBits-1-:LineBits];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) found_q <= 1'b0;
    else found_q <= found_d;
  end

  // Nothing else means anything before something is found.
  always_ff @(posedge clk_i) begin
    equal_q <= equal_d;
    line_q  <= line_d;
  end

  always_comb begin
    lane = '0;
    for (int unsigned at = LANES; at > 0; --at) begin
      if (equal_q[at-1]) lane = LaneBits'(at - 1);
    end
  end
  assign found_o = found_q;
  assign at_o    = {line_q, lane, 3'b000};

  logic unused;
  assign unused = ^offset_i[LaneBits+2:0];

endmodule
