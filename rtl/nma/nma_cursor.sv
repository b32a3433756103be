/// nma_cursor: the word of an object that is loaded next, what it is, and how many are not yet stored.
module nma_cursor (
    input  logic                clk_i,
    input  nma_pkg::cursor_do_t do_i,
    input  nma_pkg::count_t     words_i,         // of the object
    input  nma_pkg::count_t     position_i,      // where it goes on
    // Words of a descriptor that remain, which are data.
    input  logic          [1:0] index_i,
    // The mask, of 32 words.
    input  nma_pkg::kind_e      kind_i,
    input  nma_pkg::word_t      mask_i,
    output nma_pkg::count_t     position_o,
    output nma_pkg::count_t     remain_o,        // from the position on
    output logic                beyond_o,        // the position is not in the object, nor at its end
    output nma_pkg::count_t     left_o,          // words that are not stored,
    output logic                last_o,          // a single one
    output logic          [1:0] index_o,
    output logic                mask_missing_o,
    output nma_pkg::code_e      code_o
);
  import nma_pkg::*;

  count_t position_d, position_q, left_d, left_q;
  logic [1:0] index_d, index_q;
  logic last_d, last_q;
  word_t mask_d, mask_q;
  logic mask_valid_d, mask_valid_q;

  assign position_o             = position_q;
  assign left_o                 = left_q;
  assign last_o                 = last_q;
  assign index_o                = index_q;
  assign {beyond_o, remain_o}   = {1'b0, words_i} - {1'b0, position_q};
  assign mask_missing_o         = index_q == '0 && kind_i != KindPointerArray && !mask_valid_q;

  always_comb begin
    code_o = code_e'(mask_q[{position_q[4:0], 1'b0}+:2]);
    if (kind_i == KindPointerArray) code_o = CodePointer;
    if (index_q != '0) code_o = CodeData;
  end

  always_comb begin
    position_d   = position_q;
    left_d       = left_q;
    last_d       = last_q;
    index_d      = index_q;
    mask_d       = mask_q;
    mask_valid_d = mask_valid_q;
    if (do_i.copied) begin
      left_d = left_q - 1'b1;
      last_d = left_q == CountBits'(2);
    end
    if (do_i.load) begin
      position_d = position_q + 1'b1;
      if (index_q != '0) index_d = index_q - 1'b1;
      if (position_q[4:0] == '1) mask_valid_d = 1'b0;
    end
    if (do_i.set_position) position_d = position_i;
    if (do_i.resumes) begin
      left_d = remain_o;
      last_d = remain_o == CountBits'(1);
    end
    if (do_i.begins) begin
      position_d = '0;
      left_d     = words_i;
      last_d     = words_i == CountBits'(1);
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
    last_q       <= last_d;
    index_q      <= index_d;
    mask_q       <= mask_d;
    mask_valid_q <= mask_valid_d;
  end

endmodule
