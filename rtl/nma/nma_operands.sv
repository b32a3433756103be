/// nma_operands: which words of the line registers each state loads or stores, and what it stores.
module nma_operands (
    input  nma_pkg::state_e  state_i,
    input  nma_pkg::offset_t target_i,          // offset of the buffer
    input  nma_pkg::offset_t child_from_i,      // offset of the original that is advanced to
    input  nma_pkg::offset_t from_i,            // offsets of the word that is copied and of its copy
    input  nma_pkg::offset_t to_i,
    input  nma_pkg::offset_t up_i,              // places of copies: the parent's, the present object's, the new one
    input  nma_pkg::offset_t dst_i,
    input  nma_pkg::place_t  object_i,
    input  nma_pkg::word_t   src_i,
    input  nma_pkg::word_t   bytes_i,
    input  logic      [31:0] header_i,
    input  nma_pkg::count_t  position_i,
    input  logic      [ 1:0] index_i,
    input  nma_pkg::word_t   known_i,           // the copy that was found
    input  nma_pkg::word_t   final_copy_i,      // final address of the new copy
    // What the state depends on.
    input  logic             wild_i,
    input  logic             is_array_i,
    input  logic             front_wild_i,
    input  logic             back_i,
    input  logic             mask_missing_i,
    input  nma_pkg::code_e   code_i,
    input  nma_pkg::word_t   original_word_i,
    output nma_pkg::offset_t original_at_o,
    output nma_pkg::offset_t copy_at_o,
    output logic             loads_original_o,
    output logic             loads_copy_o,
    output logic             stores_o,
    output nma_pkg::word_t   store_value_o
);
  import nma_pkg::*;

  offset_t place, object_place;
  logic at_place, loads_size;

  assign object_place = object_i[OffsetBits-1:0];

  always_comb begin
    unique case (state_i)
      LoadHeader: original_at_o = child_from_i - Header;
      Size:       original_at_o = child_from_i - ArrayBytes;
      NoElements: original_at_o = from_i + OffsetBits'(2 * WordBytes);
      default:    original_at_o = from_i;
    endcase
  end

  always_comb begin
    at_place = 1'b1;
    unique case (state_i)
      SavePosition:  place = dst_i - Position;
      SaveIndex:     place = dst_i - Index;
      SaveBytes:     place = object_place - ArrayBytes;
      SaveParentSrc: place = object_place - ParentSrc;
      SaveParentDst: place = object_place - ParentDst;
      SaveHeader:    place = object_place - Header;
      Retreat:       place = dst_i - ParentSrc;
      Up:            place = dst_i - ParentDst;
      UpHeader:      place = up_i - Header;
      UpPosition:    place = up_i - Position;
      UpIndex:       place = up_i - Index;
      Size:          place = up_i - ArrayBytes;
      default: begin
        place    = '0;
        at_place = 1'b0;
      end
    endcase
  end
  assign copy_at_o = at_place ? target_i + place : to_i;

  assign loads_size = state_i == Size && is_array_i && !front_wild_i;

  always_comb begin
    unique case (state_i)
      LoadHeader, NoElements: loads_original_o = 1'b1;
      Word:                   loads_original_o = !mask_missing_i && code_i != CodeTransient;
      default:                loads_original_o = loads_size && !back_i;
    endcase
  end

  always_comb begin
    unique case (state_i)
      Retreat, Up, UpPosition, UpIndex: loads_copy_o = 1'b1;
      UpHeader:                         loads_copy_o = !wild_i;
      default:                          loads_copy_o = loads_size && back_i;
    endcase
  end

  // A word that is data, or a null pointer, is copied at once.
  logic copies;
  assign copies = code_i == CodeData || (code_i == CodePointer && original_word_i == '0);

  always_comb begin
    stores_o = 1'b1;
    unique case (state_i)
      ParentWord:    store_value_o = final_copy_i;
      SavePosition:  store_value_o = 64'(position_i) + 64'd1;
      SaveIndex:     store_value_o = 64'(index_i);
      SaveBytes:     store_value_o = bytes_i;
      SaveParentSrc: store_value_o = src_i;
      SaveParentDst: store_value_o = 64'(dst_i);
      SaveHeader:    store_value_o = {object_i[34:3], header_i};
      Point:         store_value_o = known_i;
      Word: begin
        stores_o      = !mask_missing_i && (code_i == CodeTransient || copies);
        store_value_o = code_i == CodeTransient ? '0 : original_word_i;
      end
      NoElements: begin
        stores_o      = original_word_i == '0;
        store_value_o = '0;
      end
      default: begin
        stores_o      = 1'b0;
        store_value_o = '0;
      end
    endcase
  end

  logic unused;
  assign unused = ^object_i;

endmodule
