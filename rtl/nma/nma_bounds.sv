/// nma_bounds: is an original where it may be, and where is its copy? Whatever comes back from memory is checked here.
///
/// A new copy is placed behind those before it. On the way back (`back_i`) the parent's copy is set, and must be before
/// that of its child: so ways back end, whatever somebody writes into copies.
module nma_bounds (
    input  logic             clk_i,
    input  nma_pkg::job_t    job_i,
    input  nma_pkg::word_t   child_i,         // the original
    input  logic             back_i,
    input  nma_pkg::offset_t used_i,          // the end of what the buffer has
    input  nma_pkg::offset_t dst_i,           // the present copy, below that
    input  logic             is_array_i,
    input  logic             aligned_16_i,
    input  nma_pkg::word_t   bytes_i,         // of the original
    // From the second edge on after the job, the original or the parent's copy has changed.
    output logic             wild_o,          // there is no place for an object
    output logic             front_wild_o,    // nor for the front of an array
    output logic             beyond_o,        // so many bytes would reach out of the partition
    // The words of the original and where its copy is, from the edge after `place_i` on.
    input  logic             place_i,
    output nma_pkg::count_t  words_o,
    output nma_pkg::offset_t object_o,
    output nma_pkg::offset_t end_o,           // behind the copy
    output logic             no_room_o,       // it would reach out of the buffer, or the used part
    // The parent's copy.
    input  logic             set_parent_i,
    input  nma_pkg::word_t   parent_i,
    output logic             parent_wild_o
);
  import nma_pkg::*;

  // The lowest address of an object, and the lowest place of a copy; arrays need a word more.
  word_t low_d, low_q;
  offset_t lowest_d, lowest_q;
  logic wild_d, wild_q, front_wild_d, front_wild_q;
  count_t words_d, words_q;
  end_t object_d, object_q, front, behind, limit;
  offset_t remain_d, remain_q;

  assign low_d        = job_i.source_base + 64'(FrontBytes);
  assign lowest_d     = job_i.begins + FrontBytes;
  assign wild_d       = child_i[2:0] != '0 || child_i < low_q || child_i >= job_i.source_end;
  assign front_wild_d = back_i ? object_q[OffsetBits-1:0] == lowest_q : child_i == low_q;
  assign wild_o       = wild_q;
  assign front_wild_o = is_array_i && front_wild_q;

  assign remain_d = job_i.source_end[OffsetBits-1:0] - child_i[OffsetBits-1:0];
  assign beyond_o = bytes_i[63:OffsetBits] != '0 || bytes_i[OffsetBits-1:0] > remain_q;

  assign front = EndBits'(used_i) + EndBits'(is_array_i ? ArrayFrontBytes : FrontBytes);
  always_comb begin
    words_d  = words_q;
    object_d = object_q;
    if (place_i) begin
      words_d = CountBits'(bytes_i[OffsetBits-1:3]) + CountBits'(bytes_i[2:0] != '0);
      if (!back_i) object_d = aligned_16_i ? (front + EndBits'(WordBytes)) & ~EndBits'(15) : front;
    end
    if (set_parent_i) object_d = EndBits'(parent_i[OffsetBits-1:0]);
  end

  always_ff @(posedge clk_i) begin
    low_q        <= low_d;
    lowest_q     <= lowest_d;
    wild_q       <= wild_d;
    front_wild_q <= front_wild_d;
    remain_q     <= remain_d;
    words_q      <= words_d;
    object_q     <= object_d;
  end

  assign words_o   = words_q;
  assign object_o  = object_q[OffsetBits-1:0];
  assign behind    = object_q + {2'b00, words_q, 3'b000};
  assign end_o     = behind[OffsetBits-1:0];
  assign limit     = EndBits'(back_i ? used_i : job_i.ends);
  assign no_room_o = behind > limit;

  assign parent_wild_o = parent_i[2:0] != '0 || parent_i[63:OffsetBits] != '0
                         || parent_i[OffsetBits-1:0] < lowest_q || parent_i[OffsetBits-1:0] >= dst_i;

  // An end that is too high is not used.
  logic unused;
  assign unused = ^{job_i, behind[EndBits-1:OffsetBits]};

endmodule
