/// rae_line_word: takes a word of up to 8 bytes out of a line, and puts its new value there.
///
/// Combinational. The word has 2^size bytes from byte `offset_i` on, which are all in the line.
module rae_line_word
  import rae_pkg::*;
#(
    parameter int unsigned LINE_BYTES = 64,
    localparam int unsigned OffsetWidth = $clog2(LINE_BYTES)
) (
    input  logic [8*LINE_BYTES-1:0] line_i,
    input  logic [ OffsetWidth-1:0] offset_i,
    input  size_t                   size_i,
    output logic [            63:0] word_o,
    input  logic [            63:0] word_i,
    output logic [8*LINE_BYTES-1:0] line_o
);

  typedef logic [8*LINE_BYTES-1:0] line_t;

  logic [OffsetWidth+2:0] shift;
  logic [63:0] mask, masked;

  assign shift  = {offset_i, 3'b000};
  assign mask   = {{32{size_i == 2'd3}}, {16{size_i[1]}}, {8{size_i != 2'd0}}, {8{1'b1}}};
  assign word_o = 64'(line_i >> shift);
  assign masked = word_i & mask;
  assign line_o = (line_i & ~(line_t'(mask) << shift)) | (line_t'(masked) << shift);

endmodule
