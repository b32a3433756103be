/// nma_operands: whether a state loads or stores a word of the line registers, and what it stores.
module nma_operands (
    input  nma_pkg::states_t state_i,
    input  logic             is_array_i,
    input  logic             front_wild_i,
    input  logic             back_i,
    input  logic             mask_missing_i,
    input  nma_pkg::word_e   what_i,           // the word that was loaded,
    input  nma_pkg::word_t   word_i,           // or the final address of the copy that was found;
    input  logic             null_i,           // it is null
    input  nma_pkg::offset_t target_i,         // offset of the buffer
    input  nma_pkg::offset_t dst_i,            // copies: of the present object, and the new one
    input  nma_pkg::offset_t object_i,
    input  nma_pkg::word_t   final_copy_i,     // its final address
    input  nma_pkg::word_t   src_i,
    input  nma_pkg::word_t   bytes_i,
    input  logic      [31:0] header_i,
    input  nma_pkg::count_t  position_i,
    input  logic      [ 1:0] index_i,
    output logic             loads_original_o,
    output logic             loads_copy_o,
    output logic             copies_o,         // a word that was loaded is stored at once, as data or null
    output logic             stores_o,
    output nma_pkg::word_t   store_value_o
);
  import nma_pkg::*;

  logic loads_size;
  offset_t place;

  assign loads_size = state_i[Size] && is_array_i && !front_wild_i;
  assign copies_o   = what_i == WordData || (what_i != WordDescriptor && null_i);
  assign place      = object_i - target_i;

  always_comb begin
    unique case (1'b1)
      state_i[LoadHeader], state_i[NoElements]: loads_original_o = 1'b1;
      state_i[Word]: loads_original_o = !mask_missing_i;
      default: loads_original_o = loads_size && !back_i;
    endcase
    unique case (1'b1)
      state_i[Retreat], state_i[Up], state_i[UpHeader], state_i[UpPosition], state_i[UpIndex]: loads_copy_o = 1'b1;
      default: loads_copy_o = loads_size && back_i;
    endcase
    unique case (1'b1)
      state_i[ParentWord], state_i[SavePosition], state_i[SaveIndex], state_i[SaveBytes], state_i[SaveParentSrc],
      state_i[SaveParentDst], state_i[SaveHeader], state_i[Point]: stores_o = 1'b1;
      state_i[Copy]: stores_o = copies_o;
      default: stores_o = 1'b0;
    endcase
    unique case (1'b1)
      state_i[ParentWord]:    store_value_o = final_copy_i;
      state_i[SavePosition]:  store_value_o = 64'(position_i);
      state_i[SaveIndex]:     store_value_o = 64'(index_i);
      state_i[SaveBytes]:     store_value_o = bytes_i;
      state_i[SaveParentSrc]: store_value_o = src_i;
      state_i[SaveParentDst]: store_value_o = 64'(dst_i);
      state_i[SaveHeader]:    store_value_o = {place[34:3], header_i};
      default:                store_value_o = word_i;
    endcase
  end

  logic unused;
  assign unused = ^{state_i, place[OffsetBits-1:35], place[2:0]};

endmodule
