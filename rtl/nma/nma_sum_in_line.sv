/// nma_sum_in_line: does the sum of two offsets lie in a line? It says so as fast as a comparison, without the sum.
///
/// If the sum's bits above the place in a line are those of the line, its carries are known, too: each bit's carry
/// makes the line's bit out of the other two. So each bit checks alone that its carry is what the bit below makes of
/// its own. Only the carry out of the place in a line is really added.
module nma_sum_in_line #(
    parameter int unsigned LANES = 8,
    localparam int unsigned PlaceBits = $clog2(LANES) + 3,
    localparam int unsigned LineBits = nma_pkg::OffsetBits - PlaceBits
) (
    input  nma_pkg::offset_t       a_i,
    input  nma_pkg::offset_t       b_i,
    input  logic    [LineBits-1:0] line_i,
    output logic                   in_line_o
);
  if (LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_wrong_lanes
    $error("nma_sum_in_line: LANES is a power of two, at least 2");
  end

  logic [PlaceBits:0] place;
  logic [LineBits-1:0] a, b, differ, carries_in;
  logic [LineBits:0] carries_out;

  assign place       = {1'b0, a_i[PlaceBits-1:0]} + {1'b0, b_i[PlaceBits-1:0]};
  assign a           = a_i[nma_pkg::OffsetBits-1:PlaceBits];
  assign b           = b_i[nma_pkg::OffsetBits-1:PlaceBits];
  assign differ      = a ^ b;
  assign carries_in  = differ ^ line_i;
  assign carries_out = {(differ & ~line_i) | (~differ & a), place[PlaceBits]};
  assign in_line_o   = carries_in == carries_out[LineBits-1:0];

  logic unused;
  assign unused = ^{carries_out[LineBits], place[PlaceBits-1:0]};

endmodule
