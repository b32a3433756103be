/// rae_line_word: takes a word of up to 8 bytes out of a line, and puts its new value there.
///
/// Combinational. `word_o` has the 8 bytes from byte `offset_i` on, and zeros from the line's end on. A word that is
/// put has 2^put_size_i bytes, which are all in the line. Its place has inputs of its own, so that both may be in
/// different cycles of an operation.
module rae_line_word
  import rae_pkg::*;
#(
    parameter int unsigned LINE_BYTES = 64,
    localparam int unsigned OffsetWidth = $clog2(LINE_BYTES)
) (
    input  logic [8*LINE_BYTES-1:0] line_i,
    input  logic [ OffsetWidth-1:0] offset_i,
    output logic [            63:0] word_o,
    input  logic [ OffsetWidth-1:0] put_offset_i,
    input  size_t                   put_size_i,
    input  logic [            63:0] word_i,
    output logic [8*LINE_BYTES-1:0] line_o
);

  typedef logic [8*LINE_BYTES-1:0] line_t;

  logic [OffsetWidth+2:0] shift, put_shift;
  logic [63:0] mask, put;

  assign shift     = {offset_i, 3'b000};
  assign put_shift = {put_offset_i, 3'b000};
  assign mask      = {{32{put_size_i == 2'd3}}, {16{put_size_i[1]}}, {8{put_size_i != 2'd0}}, {8{1'b1}}};
  assign word_o    = 64'(line_i >> shift);
  assign put       = word_i & mask;
  assign line_o    = (line_i & ~(line_t'(mask) << put_shift)) | (line_t'(put) << put_shift);

endmodule
