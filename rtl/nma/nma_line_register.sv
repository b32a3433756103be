/// nma_line_register: the bytes of one burst: read once, or written word by word until another burst is needed.
///
/// nma_dirty_words knows which of them have changed.
module nma_line_register #(
    parameter int unsigned LANES = 8,
    localparam int unsigned LaneBits = $clog2(LANES)
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    // A word of it.
    input  nma_pkg::offset_t                       offset_i,
    output logic                                   has_line_o,
    output logic                                   has_o,
    output nma_pkg::word_t                         word_o,
    input  logic                                   store_i,      // to that word, whose line it has; never with a fill
    input  nma_pkg::word_t                         value_i,
    // That word's line, of which nothing is known; then its words, beside those that were stored meanwhile.
    input  logic                                   clear_i,
    input  logic                                   take_i,
    input  logic                                   fill_i,
    input  logic             [LANES-1:0][63:0]     fill_words_i,
    output nma_pkg::offset_t                       line_o,
    output logic             [LANES-1:0][63:0]     words_o
);
  import nma_pkg::*;

  localparam int unsigned LineBits = OffsetBits - LaneBits - 3;

  logic [LineBits-1:0] line_d, line_q;
  logic tagged_d, tagged_q;
  logic [LANES-1:0] valid_d, valid_q;
  logic [LANES-1:0][63:0] words_d, words_q;

  logic [LaneBits-1:0] lane;

  assign lane       = offset_i[3+:LaneBits];
  assign has_line_o = tagged_q && offset_i[OffsetBits-1-:LineBits] == line_q;
  assign has_o      = has_line_o && valid_q[lane];
  assign word_o     = words_q[lane];
  assign line_o     = {line_q, (LaneBits + 3)'(0)};
  assign words_o    = words_q;

  always_comb begin
    line_d   = line_q;
    tagged_d = tagged_q;
    valid_d  = valid_q;
    words_d  = words_q;
    if (fill_i) valid_d = '1;
    if (store_i) valid_d[lane] = 1'b1;
    for (int unsigned at = 0; at < LANES; ++at) begin
      if ((fill_i && !valid_q[at]) || (store_i && lane == LaneBits'(at)))
        words_d[at] = fill_i ? fill_words_i[at] : value_i;
    end
    if (take_i) begin
      line_d   = offset_i[OffsetBits-1-:LineBits];
      tagged_d = 1'b1;
      valid_d  = '0;
    end
    if (clear_i) begin
      tagged_d = 1'b0;
      valid_d  = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tagged_q <= 1'b0;
      valid_q  <= '0;
    end else begin
      tagged_q <= tagged_d;
      valid_q  <= valid_d;
    end
  end

  // A line and its words mean nothing until they are valid.
  always_ff @(posedge clk_i) begin
    line_q  <= line_d;
    words_q <= words_d;
  end

  logic unused;
  assign unused = ^offset_i[2:0];

endmodule
