/// rae_line_word: takes a word of up to 8 bytes out of a line, and puts its new value there.
///
/// Combinational, in two parts, which may be in different cycles of an operation. The first takes a window of 15 bytes
/// out of the line: it begins at the last multiple of 8 up to `offset_i`, and has zeros from the line's end on. The
/// second has the window, and the word at `word_offset_i` in the line: `word_o` has the 8 bytes from there on; a word
/// that is put has 2^put_size_i bytes, which are all in the line.
module rae_line_word
  import rae_pkg::*;
#(
    parameter int unsigned LINE_BYTES = 64,
    localparam int unsigned OffsetWidth = $clog2(LINE_BYTES)
) (
    input  logic [8*LINE_BYTES-1:0] line_i,
    input  logic [ OffsetWidth-1:0] offset_i,
    output window_t                 window_o,
    input  window_t                 window_i,
    input  logic [ OffsetWidth-1:0] word_offset_i,
    output logic [            63:0] word_o,
    input  size_t                   put_size_i,
    input  logic [            63:0] word_i,
    output logic [8*LINE_BYTES-1:0] line_o
);

  typedef logic [8*LINE_BYTES-1:0] line_t;

  // The longest shift comes first, so that the others concern only bytes that can still reach the window.
  function automatic window_t window_at(line_t line, logic [OffsetWidth-1:0] offset);
    line_t shifted;
    shifted = line;
    for (int unsigned i = OffsetWidth; i > 3; --i) begin
      if (offset[i-1]) shifted = shifted >> (8 << (i - 1));
    end
    return window_t'(shifted);
  endfunction

  function automatic logic [63:0] word_at(window_t window, logic [2:0] offset);
    window_t shifted;
    shifted = window;
    for (int unsigned i = 3; i > 0; --i) begin
      if (offset[i-1]) shifted = shifted >> (8 << (i - 1));
    end
    return shifted[63:0];
  endfunction

  // Where a byte is among eight depends on the lowest bits of the offset alone.
  function automatic logic [63:0] rotated(logic [63:0] word, logic [2:0] offset);
    logic [63:0] turned;
    turned = word;
    for (int unsigned i = 0; i < 3; ++i) begin
      if (offset[i]) turned = (turned << (8 << i)) | (turned >> (64 - (8 << i)));
    end
    return turned;
  endfunction

  logic [7:0] bytes;
  logic [LINE_BYTES-1:0] puts;
  logic [63:0] put;

  assign window_o = window_at(line_i, offset_i);
  assign word_o   = word_at(window_i, word_offset_i[2:0]);
  assign bytes    = {{4{put_size_i == 2'd3}}, {2{put_size_i[1]}}, put_size_i != 2'd0, 1'b1};
  assign puts     = LINE_BYTES'(bytes) << word_offset_i;
  assign put      = rotated(word_i, word_offset_i[2:0]);

  always_comb begin
    for (int unsigned i = 0; i < LINE_BYTES; ++i) begin
      line_o[8*i+:8] = puts[i] ? put[8*(i%8)+:8] : line_i[8*i+:8];
    end
  end

endmodule
