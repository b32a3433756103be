/// nma_bounds: is an original where it may be, and where is its copy? Whatever comes back from memory is checked here.
///
/// A new copy is placed behind those before it. On the way back (`back_i`) the parent's copy has a place, which must be
/// that of an object that was copied.
module nma_bounds (
    input  logic                         clk_i,
    input  logic                         begin_i,         // of the job
    input  nma_pkg::job_t                job_i,
    input  nma_pkg::word_t               child_i,         // the original
    input  logic                         back_i,
    input  nma_pkg::offset_t             up_i,            // the parent's copy
    input  nma_pkg::offset_t             used_i,          // of the buffer
    input  logic                         is_array_i,
    input  logic                         aligned_16_i,
    input  nma_pkg::word_t               bytes_i,         // of the original
    output logic                         wild_o,          // there is no place for an object
    output logic                         front_wild_o,    // nor for the front of an array
    output logic                         beyond_o,        // so many bytes would reach out of the partition
    // The words of the original and the place of its copy, from the edge after `place_i` on.
    input  logic                         place_i,
    output nma_pkg::count_t              words_o,
    output nma_pkg::place_t              object_o,
    output nma_pkg::place_t              end_o,           // behind it
    output logic                         no_room_o,       // the copy would reach out of the buffer, or the used part
    // A place that was loaded.
    input  nma_pkg::word_t               parent_i,
    output logic                         parent_wild_o
);
  import nma_pkg::*;

  // The lowest address of an object, and the lowest place of a copy; for arrays a word more.
  word_t low_d, low_q;
  logic [24:0] floor_d, floor_q;
  count_t words_d, words_q;
  place_t object_d, object_q, front, limit;

  assign low_d   = begin_i ? job_i.source_base + 64'(FrontBytes) : low_q;
  assign floor_d = begin_i ? 25'(job_i.first) + 25'(FrontBytes) : floor_q;

  always_ff @(posedge clk_i) begin
    low_q    <= low_d;
    floor_q  <= floor_d;
    words_q  <= words_d;
    object_q <= object_d;
  end

  assign wild_o       = child_i[2:0] != '0 || child_i < low_q || child_i >= job_i.source_end;
  assign front_wild_o = is_array_i && (back_i ? up_i == OffsetBits'(floor_q) : child_i == low_q);
  assign beyond_o     = bytes_i > job_i.source_end - child_i;
  assign words_o      = words_q;
  assign object_o     = object_q;

  assign front = PlaceBits'(used_i) + PlaceBits'(is_array_i ? ArrayFrontBytes : FrontBytes);
  always_comb begin
    words_d  = words_q;
    object_d = object_q;
    if (place_i) begin
      words_d  = CountBits'(bytes_i[OffsetBits-1:3]) + CountBits'(bytes_i[2:0] != '0);
      object_d = front;
      if (aligned_16_i) object_d = (front + PlaceBits'(WordBytes)) & ~PlaceBits'(15);
      if (back_i) object_d = PlaceBits'(up_i);
    end
  end

  assign end_o     = object_q + {2'b00, words_q, 3'b000};
  assign limit     = PlaceBits'(back_i ? used_i : job_i.bytes);
  assign no_room_o = bytes_i[63:OffsetBits] != '0 || end_o > limit;

  assign parent_wild_o = parent_i[2:0] != '0 || parent_i < 64'(floor_q) || parent_i >= 64'(used_i);

  logic unused;
  assign unused = ^job_i;

endmodule
