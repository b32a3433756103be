/// nma_line_register: the bytes of one burst: read once, or written word by word until another burst is needed.
///
/// nma_dirty_words knows which of them have changed.
module nma_line_register #(
    parameter int unsigned LANES = 8,
    localparam int unsigned LaneBits = $clog2(LANES),
    localparam int unsigned LineBits = nma_pkg::OffsetBits - LaneBits - 3
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    // A word of it. At the next edge it may become another one, of this line or not; never with a take.
    input  nma_pkg::offset_t                       offset_i,
    input  logic                                   moves_i,
    input  logic                                   enters_i,
    output logic                                   has_line_o,
    output logic                                   has_o,
    output nma_pkg::word_t                         word_o,
    // To that word, whose line it has; never with a fill. It is among the words from the second edge on.
    input  logic                                   store_i,
    input  nma_pkg::word_t                         value_i,
    output logic             [LANES-1:0]           stored_o,     // these words were, and change at the next edge
    // That word's line, of which nothing is known; then its words, beside those that were stored meanwhile.
    input  logic                                   clear_i,
    input  logic                                   take_i,
    input  logic                                   fill_i,
    input  logic             [LANES-1:0][63:0]     fill_words_i,
    output logic             [LineBits-1:0]        line_o,
    output logic             [LANES-1:0][63:0]     words_o
);
  import nma_pkg::*;

  if (LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_wrong_lanes
    $error("nma_line_register: LANES is a power of two, at least 2");
  end

  logic [LineBits-1:0] line_d, line_q;
  logic here_d, here_q;  // the word is of this line: known an edge before it is asked for
  logic tagged_d, tagged_q;
  logic [LANES-1:0] valid_d, valid_q;
  logic [LANES-1:0][63:0] words_d, words_q;

  // What is stored waits for a cycle, so that not all words wait to hear whether anything is.
  logic [LANES-1:0] store_d, store_q;
  word_t value_q;

  logic [LaneBits-1:0] lane;

  assign lane       = offset_i[3+:LaneBits];
  assign has_line_o = tagged_q && here_q;
  assign has_o      = has_line_o && valid_q[lane];
  assign word_o     = words_q[lane];
  assign line_o     = line_q;
  assign words_o    = words_q;
  assign stored_o   = store_q;

  always_comb begin
    line_d   = line_q;
    here_d   = moves_i ? enters_i : here_q;
    tagged_d = tagged_q;
    valid_d  = valid_q;
    words_d  = words_q;
    if (fill_i) valid_d = '1;
    if (store_i) valid_d[lane] = 1'b1;
    for (int unsigned at = 0; at < LANES; ++at) begin
      store_d[at] = store_i && lane == LaneBits'(at);
      if ((fill_i && !valid_q[at]) || store_q[at]) words_d[at] = store_q[at] ? value_q : fill_words_i[at];
    end
    if (take_i) begin
      line_d   = offset_i[OffsetBits-1-:LineBits];
      here_d   = 1'b1;
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
      store_q  <= '0;
    end else begin
      tagged_q <= tagged_d;
      valid_q  <= valid_d;
      store_q  <= store_d;
    end
  end

  // A line and its words mean nothing until they are valid.
  always_ff @(posedge clk_i) begin
    line_q  <= line_d;
    here_q  <= here_d;
    words_q <= words_d;
    value_q <= value_i;
  end

  logic unused;
  assign unused = ^offset_i[2:0];

endmodule
