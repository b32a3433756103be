/// nca_line: the line of the L2 that was read last, and which of its words were marked since.
module nca_line #(
    parameter int unsigned LANES = 4,
    localparam int unsigned LaneBits = $clog2(LANES)
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    // A word of it.
    input  nca_pkg::offset_t                       offset_i,
    output logic                                   has_o,
    output nca_pkg::word_t                         word_o,
    output logic                                   marked_o,
    input  logic                                   mark_i,        // that word
    // Another line: it has that of the offset when its words have come.
    input  logic                                   clear_i,
    input  logic                                   take_i,
    input  logic                                   fill_i,
    input  logic             [LANES-1:0][63:0]     fill_words_i
);
  import nca_pkg::*;

  localparam int unsigned LineBits = OffsetBits - LaneBits - 3;

  logic valid_d, valid_q;
  logic [LineBits-1:0] line_d, line_q;
  logic [LANES-1:0] marked_d, marked_q;
  logic [LANES-1:0][63:0] words_d, words_q;
  logic [LaneBits-1:0] lane;

  assign lane     = offset_i[3+:LaneBits];
  assign has_o    = valid_q && offset_i[OffsetBits-1-:LineBits] == line_q;
  assign word_o   = words_q[lane];
  assign marked_o = marked_q[lane];
  assign line_d   = take_i ? offset_i[OffsetBits-1-:LineBits] : line_q;
  assign words_d  = fill_i ? fill_words_i : words_q;
  assign valid_d  = fill_i || (valid_q && !take_i && !clear_i);

  always_comb begin
    marked_d = marked_q;
    if (mark_i) marked_d[lane] = 1'b1;
    if (fill_i) marked_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_d;
  end

  // The others mean nothing until the line is valid.
  always_ff @(posedge clk_i) begin
    line_q   <= line_d;
    marked_q <= marked_d;
    words_q  <= words_d;
  end

  logic unused;
  assign unused = ^offset_i[2:0];

endmodule
