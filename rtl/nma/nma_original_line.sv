/// nma_original_line: the bytes of a burst of originals, which are only read: a line, and its words once they came.
module nma_original_line #(
    parameter int unsigned LANES = 8,
    localparam int unsigned LaneBits = $clog2(LANES),
    localparam int unsigned LineBits = nma_pkg::OffsetBits - LaneBits - 3
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    // A word of it. At the next edge it may become another one, of this line or not; not while a line is wanted.
    input  nma_pkg::offset_t                 offset_i,
    input  logic                             moves_i,
    input  logic                             enters_i,
    output logic                             has_o,
    output nma_pkg::word_t                   word_o,
    // The line of this word is wanted; its words.
    input  logic                             clear_i,
    input  logic                             take_i,
    input  logic                             fill_i,
    input  logic             [LANES-1:0][63:0] fill_words_i,
    output logic             [LineBits-1:0]  line_o
);
  import nma_pkg::*;

  if (LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_wrong_lanes
    $error("nma_original_line: LANES is a power of two, at least 2");
  end

  logic [LineBits-1:0] line_d, line_q;
  logic here_d, here_q;  // the word is of this line: known an edge before it is asked for
  logic valid_d, valid_q;
  logic [LANES-1:0][63:0] words_d, words_q;

  assign has_o  = valid_q && here_q;
  assign word_o = words_q[offset_i[3+:LaneBits]];
  assign line_o = line_q;

  assign line_d  = take_i ? offset_i[OffsetBits-1-:LineBits] : line_q;
  assign here_d  = take_i || (moves_i ? enters_i : here_q);
  assign valid_d = (valid_q || fill_i) && !take_i && !clear_i;
  assign words_d = fill_i ? fill_words_i : words_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_d;
  end

  // A line and its words mean nothing until they are valid.
  always_ff @(posedge clk_i) begin
    line_q  <= line_d;
    here_q  <= here_d;
    words_q <= words_d;
  end

  logic unused;
  assign unused = ^offset_i[2:0];

endmodule
