/// nca_shape: the type of an object, as its record in the section of types says, and its size.
module nca_shape (
    input  logic                           clk_i,
    input  logic                           set_type_i,    // to the record
    input  logic             [2:0][63:0]   record_i,      // size, kind with alignment, address of the mask
    output logic                           sound_o,       // of the record
    input  logic                           set_size_i,    // of an array
    input  nca_pkg::word_t                 size_i,
    output logic                           ragged_o,      // no array has that size
    output nca_pkg::kind_e                 kind_o,
    output nca_pkg::word_t                 mask_at_o,
    output nca_pkg::word_t                 bytes_o,
    // From the edge after `measure_i` on: the object's words, and those of its copy: front, words, for alignment.
    input  logic                           measure_i,
    output nca_pkg::count_t                words_o,
    output nca_pkg::count_t                block_o
);
  import nca_pkg::*;

  kind_e kind_d, kind_q;
  logic aligned_16_d, aligned_16_q, known, aligned, is_array;
  word_t mask_at_d, mask_at_q, bytes_d, bytes_q;
  count_t whole, words_d, words_q, block_d, block_q;
  logic [3:0] front;  // in words, with what alignment takes and a last word that is not whole

  assign kind_d       = set_type_i ? kind_e'(record_i[1][1:0]) : kind_q;
  assign aligned_16_d = set_type_i ? record_i[1][15:8] == 8'd16 : aligned_16_q;
  assign mask_at_d    = set_type_i ? record_i[2] : mask_at_q;

  always_comb begin
    bytes_d = bytes_q;
    if (set_size_i) bytes_d = size_i;
    if (set_type_i) bytes_d = 64'(record_i[0][31:0]);
  end

  assign known    = record_i[1][7:0] <= 8'(KindPointerArray);
  assign aligned  = record_i[1][15:8] == 8'd8 || record_i[1][15:8] == 8'd16;
  assign sound_o  = known && aligned && (record_i[1][1:0] != KindObject || record_i[0][2:0] == '0);
  assign ragged_o = kind_q == KindPointerArray && size_i[2:0] != '0;

  assign is_array  = kind_q != KindObject;
  assign kind_o    = kind_q;
  assign mask_at_o = mask_at_q;
  assign bytes_o   = bytes_q;
  assign words_o   = words_q;
  assign block_o   = block_q;

  assign whole = CountBits'(bytes_q[OffsetBits-1:3]);
  assign front = 4'(is_array ? ArrayFrontBytes[6:3] : FrontBytes[6:3]) + 4'(aligned_16_q) + 4'(bytes_q[2:0] != '0);
  assign words_d = measure_i ? whole + CountBits'(bytes_q[2:0] != '0) : words_q;
  assign block_d = measure_i ? whole + CountBits'(front) : block_q;

  always_ff @(posedge clk_i) begin
    kind_q       <= kind_d;
    aligned_16_q <= aligned_16_d;
    mask_at_q    <= mask_at_d;
    bytes_q      <= bytes_d;
    words_q      <= words_d;
    block_q      <= block_d;
  end

  logic unused;
  assign unused = ^{record_i[0][63:32], record_i[1][63:16]};

endmodule
