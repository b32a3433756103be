/// nma_descriptor: the type of an object, as its record in the section of types says, and whether that makes sense.
module nma_descriptor (
    input  logic                       clk_i,
    input  logic                       set_i,          // to the record
    input  logic           [2:0][63:0] words_i,        // size, kind with alignment, address of the mask
    output logic                       sound_o,        // of the record
    output nma_pkg::kind_e             kind_o,
    output logic                       is_array_o,
    output logic                       aligned_16_o,
    output logic                [31:0] bytes_o,        // of an object
    output nma_pkg::word_t             mask_at_o
);
  import nma_pkg::*;

  kind_e kind_d, kind_q;
  logic aligned_16_d, aligned_16_q;
  logic [31:0] bytes_d, bytes_q;
  word_t mask_at_d, mask_at_q;
  logic known, aligned;

  assign kind_d       = set_i ? kind_e'(words_i[1][1:0]) : kind_q;
  assign aligned_16_d = set_i ? words_i[1][15:8] == 8'd16 : aligned_16_q;
  assign bytes_d      = set_i ? words_i[0][31:0] : bytes_q;
  assign mask_at_d    = set_i ? words_i[2] : mask_at_q;

  assign known   = words_i[1][7:0] <= 8'(KindPointerArray);
  assign aligned = words_i[1][15:8] == 8'd8 || words_i[1][15:8] == 8'd16;
  assign sound_o = known && aligned && (words_i[1][1:0] != KindObject || words_i[0][2:0] == '0);

  assign kind_o       = kind_q;
  assign is_array_o   = kind_q != KindObject;
  assign aligned_16_o = aligned_16_q;
  assign bytes_o      = bytes_q;
  assign mask_at_o    = mask_at_q;

  always_ff @(posedge clk_i) begin
    kind_q       <= kind_d;
    aligned_16_q <= aligned_16_d;
    bytes_q      <= bytes_d;
    mask_at_q    <= mask_at_d;
  end

  logic unused;
  assign unused = ^{words_i[0][63:32], words_i[1][63:16]};

endmodule
