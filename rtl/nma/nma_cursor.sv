/// nma_cursor: the word that is copied next: its position in the object, the offsets of the word and its copy, and what
/// the mask of the type says about it.
module nma_cursor (
    input  logic                           clk_i,
    input  nma_pkg::cursor_do_t            do_i,
    // The object whose words they are: where it is, its copy's offset, its words; it begins or goes on at a position.
    input  nma_pkg::offset_t               from_i,
    input  nma_pkg::offset_t               to_i,
    input  nma_pkg::count_t                words_i,
    input  nma_pkg::count_t                position_i,
    // Words of a descriptor that remain, which are data.
    input  logic                    [ 1:0] index_i,
    // The mask, of 32 words.
    input  nma_pkg::kind_e                 kind_i,
    input  nma_pkg::word_t                 mask_i,
    output nma_pkg::count_t                position_o,
    output nma_pkg::count_t                left_o,           // words, that at the position among them
    output logic                    [ 1:0] index_o,
    output nma_pkg::offset_t               from_o,
    output nma_pkg::offset_t               to_o,
    output logic                           mask_missing_o,
    output nma_pkg::code_e                 code_o
);
  import nma_pkg::*;

  count_t position_d, position_q, left_d, left_q;
  logic [1:0] index_d, index_q;
  offset_t from_d, from_q, to_d, to_q;
  word_t mask_d, mask_q;
  logic mask_valid_d, mask_valid_q;

  assign position_o     = position_q;
  assign left_o         = left_q;
  assign index_o        = index_q;
  assign from_o         = from_q;
  assign to_o           = to_q;
  assign mask_missing_o = index_q == '0 && kind_i != KindPointerArray && !mask_valid_q;

  always_comb begin
    code_o = code_e'(mask_q[{position_q[4:0], 1'b0}+:2]);
    if (kind_i == KindPointerArray) code_o = CodePointer;
    if (index_q != '0) code_o = CodeData;
  end

  always_comb begin
    position_d   = position_q;
    left_d       = left_q;
    index_d      = index_q;
    from_d       = from_q;
    to_d         = to_q;
    mask_d       = mask_q;
    mask_valid_d = mask_valid_q;
    if (do_i.begins) begin
      position_d = position_i;
      left_d     = words_i - position_i;
      from_d     = from_i + {position_i[OffsetBits-4:0], 3'b000};
      to_d       = to_i + {position_i[OffsetBits-4:0], 3'b000};
    end
    if (do_i.next) begin
      position_d = position_q + 1'b1;
      left_d     = left_q - 1'b1;
      from_d     = from_q + OffsetBits'(WordBytes);
      to_d       = to_q + OffsetBits'(WordBytes);
      if (do_i.copied && index_q != '0) index_d = index_q - 1'b1;
      if (position_q[4:0] == '1) mask_valid_d = 1'b0;
    end
    if (do_i.set_index) index_d = index_i;
    if (do_i.forget_mask) mask_valid_d = 1'b0;
    if (do_i.set_mask) begin
      mask_d       = mask_i;
      mask_valid_d = 1'b1;
    end
  end

  // Nothing means anything before an object has begun.
  always_ff @(posedge clk_i) begin
    position_q   <= position_d;
    left_q       <= left_d;
    index_q      <= index_d;
    from_q       <= from_d;
    to_q         <= to_d;
    mask_q       <= mask_d;
    mask_valid_q <= mask_valid_d;
  end

endmodule
