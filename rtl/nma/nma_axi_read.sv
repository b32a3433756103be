/// nma_axi_read: reads as AXI4 bursts of words, which come in any order and interleaved, and leave as one answer each.
module nma_axi_read #(
    parameter int unsigned LANES = 8,
    parameter int unsigned TAGS = 9,
    localparam int unsigned LaneBits = $clog2(LANES),
    localparam int unsigned TagBits = $clog2(TAGS)
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    output logic                                 free_o,
    input  logic                                 take_i,
    input  logic             [TagBits-1:0]       tag_i,
    input  nma_pkg::offset_t                     offset_i,
    input  logic             [LaneBits:0]        words_i,
    output logic                                 ar_valid_o,
    input  logic                                 ar_ready_i,
    output logic             [TagBits-1:0]       ar_id_o,
    output nma_pkg::offset_t                     ar_addr_o,
    output logic             [7:0]               ar_len_o,
    input  logic                                 r_valid_i,
    input  logic             [TagBits-1:0]       r_id_i,
    input  nma_pkg::word_t                       r_data_i,
    input  logic                                 r_last_i,
    output logic                                 answer_valid_o,
    output logic             [TagBits-1:0]       answer_tag_o,
    output logic             [LANES-1:0][63:0]   answer_words_o
);
  import nma_pkg::*;

  if (LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_wrong_lanes
    $error("nma_axi_read: LANES is a power of two, at least 2");
  end
  if (TAGS < 2) begin : g_wrong_tags
    $error("nma_axi_read: TAGS is at least 2");
  end

  logic waits_d, waits_q;
  logic [TagBits-1:0] tag_d, tag_q;
  offset_t address_d, address_q;
  logic [LaneBits:0] words_d, words_q;

  assign free_o     = !waits_q || ar_ready_i;
  assign ar_valid_o = waits_q;
  assign ar_id_o    = tag_q;
  assign ar_addr_o  = address_q;
  assign ar_len_o   = 8'(words_q) - 1'b1;

  assign waits_d   = take_i || (waits_q && !ar_ready_i);
  // What is offered is kept before it is known whether it is taken.
  assign tag_d     = free_o ? tag_i : tag_q;
  assign address_d = free_o ? offset_i : address_q;
  assign words_d   = free_o ? words_i : words_q;

  // Where the next word of each tag goes; the last one is followed by the first of the next burst.
  logic [TAGS-1:0][LaneBits-1:0] lane_d, lane_q;
  always_comb begin
    lane_d = lane_q;
    if (r_valid_i) lane_d[r_id_i] = r_last_i ? '0 : lane_q[r_id_i] + 1'b1;
  end

  // A burst that is complete is read in the next cycle, and leaves in the one after.
  logic complete_q, answer_q;
  logic [TagBits-1:0] complete_tag_q, answer_tag_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q    <= 1'b0;
      lane_q     <= '0;
      complete_q <= 1'b0;
      answer_q   <= 1'b0;
    end else begin
      waits_q    <= waits_d;
      lane_q     <= lane_d;
      complete_q <= r_valid_i && r_last_i;
      answer_q   <= complete_q;
    end
  end

  always_ff @(posedge clk_i) begin
    tag_q          <= tag_d;
    address_q      <= address_d;
    words_q        <= words_d;
    complete_tag_q <= r_id_i;
    answer_tag_q   <= complete_tag_q;
  end

  for (genvar lane = 0; lane < LANES; ++lane) begin : g_words
    ram_1r1w #(
        .WORDS(TAGS),
        .WIDTH(64)
    ) i_words (
        .clk_i,
        .read_i         (complete_q),
        .read_address_i (complete_tag_q),
        .read_data_o    (answer_words_o[lane]),
        .write_i        (r_valid_i && lane_q[r_id_i] == LaneBits'(lane)),
        .write_address_i(r_id_i),
        .write_data_i   (r_data_i)
    );
  end

  assign answer_valid_o = answer_q;
  assign answer_tag_o   = answer_tag_q;

endmodule
