/// cni_shape: what the words of a queue say about its ring: how many items of which size, and whether that can be.
module cni_shape (
    input  logic            match_i,   // a multiple-reader queue: it may have tags, and a limit
    input  cni_pkg::word_t  buffer_i,
    input  cni_pkg::word_t  said_i,
    output cni_pkg::shape_t shape_o
);
  import registers_pkg::*;
  import cni_pkg::*;

  localparam int unsigned LimitShift = int'(CniLimitShift);
  localparam int unsigned TaggedBit = $clog2(CniTagged);

  logic [63:LimitShift] limit;
  logic [63:10] others;  // bits that mean nothing
  logic [5:0] below;     // bits of an address in an item
  logic [20:0] items;

  always_comb begin
    limit  = match_i ? said_i[63:LimitShift] : '0;
    others = said_i[63:10];
    if (match_i) begin
      others[63:LimitShift] = '0;
      others[TaggedBit]     = 1'b0;
    end
    shape_o.log2_items = said_i[7:0] > 8'(Log2ItemsMax) ? 5'(Log2ItemsMax) : said_i[4:0];
    shape_o.log2_words = said_i[9:8];
    shape_o.has_tag     = match_i && said_i[TaggedBit];
    items              = 21'd1 << shape_o.log2_items;
    shape_o.limited    = limit != '0 && limit <= 40'(items);
    shape_o.limit      = shape_o.limited ? limit[20+LimitShift:LimitShift] : '0;
    below              = ~(6'h38 << shape_o.log2_words) & 6'h3f;
    // The tag of an item of one word would be the whole item; a misaligned item would span two lines.
    shape_o.sound      = said_i[7:0] <= 8'(Log2ItemsMax) && others == '0
                         && !(shape_o.has_tag && shape_o.log2_words == '0)
                         && buffer_i != '0 && (buffer_i[5:0] & below) == '0;
  end

endmodule
