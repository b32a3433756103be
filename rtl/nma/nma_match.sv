/// nma_match: looks for a word among the first words of a burst: the search of the linear map.
module nma_match #(
    parameter int unsigned LANES = 8,
    localparam int unsigned LaneBits = $clog2(LANES)
) (
    input  nma_pkg::word_t                  word_i,
    input  logic           [LANES-1:0][63:0] words_i,
    input  logic           [LaneBits:0]      count_i,
    output logic                             found_o,
    output logic           [LaneBits-1:0]    lane_o    // the first
);

  always_comb begin
    found_o = 1'b0;
    lane_o  = '0;
    for (int unsigned at = LANES; at > 0; --at) begin
      if ((LaneBits + 1)'(at) <= count_i && words_i[at-1] == word_i) begin
        found_o = 1'b1;
        lane_o  = LaneBits'(at - 1);
      end
    end
  end

endmodule
