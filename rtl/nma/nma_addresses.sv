/// nma_addresses: the offsets of the words that are loaded and stored next, of the original and of the copy.
///
/// Each of them steps from one word to the next that some state needs, so that one adder does for all states.
module nma_addresses #(
    parameter int unsigned LANES = 8,
    localparam int unsigned LineBits = nma_pkg::OffsetBits - $clog2(LANES) - 3
) (
    input  logic                    clk_i,
    input  nma_pkg::addresses_do_t  do_i,
    input  nma_pkg::states_t        state_i,
    input  nma_pkg::word_t          child_i,         // the original that is advanced to, or gone back to,
    input  nma_pkg::offset_t        source_shift_i,  // and its offset's distance
    input  nma_pkg::offset_t        object_i,        // copies: the new one, or the parent's; the present one's;
    input  nma_pkg::offset_t        dst_i,
    input  nma_pkg::word_t          up_i,            // and the parent's, as it was loaded
    input  nma_pkg::count_t         position_i,      // where the parent goes on
    input  logic                    is_array_i,
    output nma_pkg::offset_t        original_at_o,
    output nma_pkg::offset_t        copy_at_o,
    // If they change, do they become ones of these lines?
    input  logic     [LineBits-1:0] original_line_i,
    input  logic     [LineBits-1:0] copy_line_i,
    output logic                    original_enters_o,
    output logic                    copy_enters_o
);
  import nma_pkg::*;

  if (LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_wrong_lanes
    $error("nma_addresses: LANES is a power of two, at least 2");
  end

  localparam offset_t Next = OffsetBits'(WordBytes);

  offset_t original_d, original_q, copy_d, copy_q;
  offset_t original_base, original_step, copy_base, copy_step, parent_word;

  assign parent_word = {position_i[OffsetBits-4:0], 3'b000};

  always_comb begin
    original_base = original_q;
    unique case (1'b1)
      state_i[Advance], state_i[UpHeader]: begin
        original_base = child_i[OffsetBits-1:0];
        original_step = source_shift_i;
      end
      state_i[Locate]:     original_step = -Header;
      state_i[LoadHeader]: original_step = Header - ArrayBytes;
      state_i[Size]:       original_step = ArrayBytes;
      state_i[Room]:       original_step = parent_word;
      state_i[NoElements]: original_step = -Next;
      default:             original_step = Next;
    endcase
  end

  // Words of a front in the order of their states: from the lowest on, but the header first on the way back.
  always_comb begin
    unique case (1'b1)
      state_i[ParentWord], state_i[Leave]:     copy_base = dst_i;
      state_i[InsertCopy], state_i[SaveIndex]: copy_base = object_i;
      state_i[UpCheck]:                        copy_base = up_i[OffsetBits-1:0];
      default:                                 copy_base = copy_q;
    endcase
    unique case (1'b1)
      state_i[ParentWord]:                     copy_step = -Position;
      state_i[InsertCopy], state_i[SaveIndex]: copy_step = is_array_i ? -ArrayBytes : -ParentSrc;
      state_i[SaveParentDst]:                  copy_step = ParentDst - Header;
      state_i[Leave]:                          copy_step = -ParentSrc;
      state_i[UpCheck]:                        copy_step = -Header;
      state_i[UpHeader]:                       copy_step = Header - Position;
      state_i[UpIndex]:                        copy_step = Index - ArrayBytes;
      state_i[Size]:                           copy_step = ArrayBytes;
      state_i[Room]:                           copy_step = parent_word;
      default:                                 copy_step = Next;
    endcase
  end

  assign original_d = do_i.original ? original_base + original_step : original_q;
  assign copy_d     = do_i.copy ? copy_base + copy_step : copy_q;

  nma_sum_in_line #(
      .LANES(LANES)
  ) i_original_enters (
      .a_i      (original_base),
      .b_i      (original_step),
      .line_i   (original_line_i),
      .in_line_o(original_enters_o)
  );

  nma_sum_in_line #(
      .LANES(LANES)
  ) i_copy_enters (
      .a_i      (copy_base),
      .b_i      (copy_step),
      .line_i   (copy_line_i),
      .in_line_o(copy_enters_o)
  );

  always_ff @(posedge clk_i) begin
    original_q <= original_d;
    copy_q     <= copy_d;
  end

  assign original_at_o = original_q;
  assign copy_at_o     = copy_q;

  logic unused;
  assign unused = ^{state_i, child_i[63:OffsetBits], up_i[63:OffsetBits], position_i[CountBits-1]};

endmodule
