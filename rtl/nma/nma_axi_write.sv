/// nma_axi_write: a write as an AXI4 burst of words, or two if it crosses 4 KiB.
///
/// Address and data are offered at once and taken in any order.
module nma_axi_write #(
    parameter int unsigned LANES = 8,
    localparam int unsigned LaneBits = $clog2(LANES)
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    output logic                                 free_o,
    input  logic                                 take_i,
    input  nma_pkg::offset_t                     offset_i,
    input  logic             [LaneBits:0]        words_i,
    input  logic             [LaneBits-1:0]      lane_i,
    input  logic             [LANES-1:0][63:0]   data_i,
    output logic                                 aw_valid_o,
    input  logic                                 aw_ready_i,
    output nma_pkg::offset_t                     aw_addr_o,
    output logic             [7:0]               aw_len_o,
    output logic                                 w_valid_o,
    input  logic                                 w_ready_i,
    output nma_pkg::word_t                       w_data_o,
    output logic                                 w_last_o
);
  import nma_pkg::*;

  if (LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_wrong_lanes
    $error("nma_axi_write: LANES is a power of two, at least 2");
  end

  localparam int unsigned PageBits = 12;
  localparam int unsigned PageWordBits = PageBits - 3;
  typedef logic [LaneBits:0] words_t;

  // Words of this burst, of them those that are left, and words of the one behind it.
  words_t burst_d, burst_q, left_d, left_q, further_d, further_q, to_page_end;
  logic address_waits_d, address_waits_q;
  offset_t address_d, address_q;
  logic [LaneBits-1:0] lane_d, lane_q;
  logic [LANES-1:0][63:0] data_d, data_q;
  logic [PageWordBits:0] page_words;
  logic address_done, data_done;

  // So many words are at most before the end of the page, if that is near.
  assign page_words  = (PageWordBits + 1)'(1 << PageWordBits) - {1'b0, offset_i[PageBits-1:3]};
  assign to_page_end = page_words < (PageWordBits + 1)'(words_i) ? words_t'(page_words) : words_i;

  assign aw_valid_o   = address_waits_q;
  assign aw_addr_o    = address_q;
  assign aw_len_o     = 8'(burst_q) - 1'b1;
  assign w_valid_o    = left_q != '0;
  assign w_data_o     = data_q[lane_q];
  assign w_last_o     = left_q == words_t'(1);
  assign address_done = !address_waits_q || aw_ready_i;
  assign data_done    = left_q == '0 || (w_last_o && w_ready_i);
  assign free_o       = address_done && data_done && further_q == '0;

  always_comb begin
    burst_d         = burst_q;
    left_d          = left_q;
    further_d       = further_q;
    address_waits_d = address_waits_q && !aw_ready_i;
    address_d       = address_q;
    lane_d          = lane_q;
    data_d          = data_q;
    if (w_valid_o && w_ready_i) begin
      left_d = left_q - 1'b1;
      lane_d = lane_q + 1'b1;
    end
    if (address_done && data_done && further_q != '0) begin
      burst_d         = further_q;
      left_d          = further_q;
      further_d       = '0;
      address_waits_d = 1'b1;
      address_d       = {address_q[OffsetBits-1:PageBits] + 1'b1, PageBits'(0)};
    end
    // Nothing of the last write is left: what is offered is kept, before it is known whether it is taken.
    if (free_o) begin
      burst_d   = to_page_end;
      address_d = offset_i;
      lane_d    = lane_i;
      data_d    = data_i;
    end
    if (take_i) begin
      left_d          = to_page_end;
      further_d       = words_i - to_page_end;
      address_waits_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q          <= '0;
      further_q       <= '0;
      address_waits_q <= 1'b0;
    end else begin
      left_q          <= left_d;
      further_q       <= further_d;
      address_waits_q <= address_waits_d;
    end
  end

  always_ff @(posedge clk_i) begin
    burst_q   <= burst_d;
    address_q <= address_d;
    lane_q    <= lane_d;
    data_q    <= data_d;
  end

endmodule
