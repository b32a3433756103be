/// nca_pointers: the next pointer of an object: a position, and the mask of the 32 words around it.
///
/// The mask has two bits for each word; the lower one says that it is a pointer, both that a descriptor begins, whose
/// other words are data.
module nca_pointers (
    input  logic                              clk_i,
    input  nca_pkg::pointers_do_t             do_i,
    input  nca_pkg::count_t                   position_i,      // to resume at
    input  nca_pkg::kind_e                    kind_i,
    input  nca_pkg::count_t                   words_i,         // of the object
    input  nca_pkg::word_t                    mask_i,
    output nca_pkg::count_t                   position_o,
    output logic                              beyond_o,        // of its end: it has no further pointer
    output logic                              mask_missing_o,
    output logic                              found_o,         // by a search
    input  logic                              after_i          // a pointer: what `next` may do; otherwise a search
);
  import nca_pkg::*;

  localparam int unsigned MaskWords = 32'(registers_pkg::ObjectsMaskWords);
  localparam int unsigned GroupWords = 4;
  localparam int unsigned LaneBits = $clog2(MaskWords);
  localparam count_t BehindPointer = count_t'(1);
  localparam count_t BehindDescriptor = count_t'(registers_pkg::ObjectsDescriptorWords);

  count_t position_d, position_q, from, behind;
  logic describes_d, describes_q;  // the pointer begins a descriptor
  word_t mask_d, mask_q;
  logic mask_valid_d, mask_valid_q;

  assign position_o     = position_q;
  assign beyond_o       = kind_i == KindDataArray || position_q >= words_i;
  assign mask_missing_o = kind_i == KindObject && !mask_valid_q;

  // The first pointer from the position on: in each group of words, and of the first group that has one.
  logic [MaskWords-1:0] pointers;
  logic [LaneBits-1:0] lane, first, in_group;
  logic first_describes, group_describes;
  assign lane = position_q[LaneBits-1:0];
  always_comb begin
    for (int unsigned at = 0; at < MaskWords; ++at) pointers[at] = mask_q[2*at] && LaneBits'(at) >= lane;
    {first, first_describes} = '0;
    for (int unsigned group = MaskWords / GroupWords; group > 0; --group) begin
      {in_group, group_describes} = '0;
      for (int unsigned at = group * GroupWords; at > (group - 1) * GroupWords; --at) begin
        if (pointers[at-1]) {in_group, group_describes} = {LaneBits'(at - 1), mask_q[2*at-1]};
      end
      if (pointers[(group-1)*GroupWords+:GroupWords] != '0) begin
        {first, first_describes} = {in_group, group_describes};
      end
    end
  end
  assign found_o = kind_i != KindObject || pointers != '0;

  // Behind the pointer, or in the next mask.
  assign from   = after_i ? position_q : {position_q[CountBits-1:LaneBits], {LaneBits{1'b1}}};
  assign behind = from + (after_i && describes_q ? BehindDescriptor : BehindPointer);

  always_comb begin
    position_d   = position_q;
    describes_d  = describes_q;
    mask_d       = mask_q;
    mask_valid_d = mask_valid_q;
    if (do_i.search) begin
      describes_d = 1'b0;
      if (!found_o) begin
        position_d   = behind;
        mask_valid_d = 1'b0;
      end else if (kind_i == KindObject) begin
        position_d  = {position_q[CountBits-1:LaneBits], first};
        describes_d = first_describes;
      end
    end
    if (do_i.next) begin
      position_d = behind;
      if (behind[LaneBits] != position_q[LaneBits]) mask_valid_d = 1'b0;
    end
    if (do_i.begins) position_d = '0;
    if (do_i.resumes) position_d = position_i;
    if (do_i.forget_mask) mask_valid_d = 1'b0;
    if (do_i.set_mask) begin
      mask_d       = mask_i;
      mask_valid_d = 1'b1;
    end
  end

  // Nothing means anything before an object has begun.
  always_ff @(posedge clk_i) begin
    position_q   <= position_d;
    describes_q  <= describes_d;
    mask_q       <= mask_d;
    mask_valid_q <= mask_valid_d;
  end

endmodule
