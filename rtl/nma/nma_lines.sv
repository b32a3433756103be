/// nma_lines: the line registers of the original and of the copy: the words that a state loads and stores, or that one
/// of them must get another line first.
///
/// Only the copy's register is written to. It is cleaned before it gets another line.
module nma_lines #(
    parameter int unsigned LANES = 8,
    localparam int unsigned LaneBits = $clog2(LANES),
    localparam int unsigned LineBits = nma_pkg::OffsetBits - LaneBits - 3
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  nma_pkg::states_t state_i,
    // The words of the original and the copy that it is about.
    input  nma_pkg::offset_t original_at_i,
    input  nma_pkg::offset_t copy_at_i,
    // They change at the next edge, to words of these lines or others.
    input  nma_pkg::addresses_do_t moves_i,
    input  logic             original_enters_i,
    input  logic             copy_enters_i,
    output logic [LineBits-1:0] original_line_o,
    output logic [LineBits-1:0] copy_line_o,
    // What the state depends on.
    input  logic             is_array_i,
    input  logic             front_wild_i,
    input  logic             back_i,
    input  logic             mask_missing_i,
    // What is stored.
    input  nma_pkg::word_e   what_i,
    input  nma_pkg::word_t   word_i,
    input  logic             null_i,
    input  nma_pkg::offset_t target_i,
    input  nma_pkg::offset_t dst_i,
    input  nma_pkg::offset_t object_i,
    input  nma_pkg::word_t   final_copy_i,
    input  nma_pkg::word_t   src_i,
    input  nma_pkg::word_t   bytes_i,
    input  logic      [31:0] header_i,
    input  nma_pkg::count_t  position_i,
    input  logic      [ 1:0] index_i,
    input  logic             runs_i,            // the state is not only waited in
    input  nma_pkg::lines_do_t do_i,
    input  logic [LANES-1:0][63:0] fill_words_i,
    output nma_pkg::word_t   original_word_o,
    output nma_pkg::word_t   copy_word_o,
    output logic             copies_o,
    output logic             original_has_o,
    // The first that is missing counts.
    output logic             original_missing_o,
    output logic             copy_missing_o,
    output logic             copy_has_line_o,
    output logic             copy_has_o,        // also its word
    output logic             store_missing_o,
    // What has changed in the copy.
    output logic             dirty_o,
    output logic [LANES-1:0][63:0] words_o,
    output logic [LaneBits-1:0] run_lane_o,
    output logic [LaneBits:0] run_words_o,
    output logic             run_last_o
);
  import nma_pkg::*;

  if (LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_wrong_lanes
    $error("nma_lines: LANES is a power of two, at least 2");
  end

  logic loads_original, loads_copy, stores, stores_now;
  logic [LANES-1:0] stored;
  word_t store_value;

  nma_operands i_operands (
      .state_i,
      .is_array_i,
      .front_wild_i,
      .back_i,
      .mask_missing_i,
      .what_i,
      .word_i,
      .null_i,
      .target_i,
      .dst_i,
      .object_i,
      .final_copy_i,
      .src_i,
      .bytes_i,
      .header_i,
      .position_i,
      .index_i,
      .loads_original_o(loads_original),
      .loads_copy_o    (loads_copy),
      .copies_o,
      .stores_o        (stores),
      .store_value_o   (store_value)
  );

  assign original_missing_o = loads_original && !original_has_o;
  assign copy_missing_o     = loads_copy && !copy_has_o;
  assign store_missing_o    = stores && !copy_has_line_o;
  assign stores_now         = runs_i && stores && copy_has_line_o;

  nma_original_line #(
      .LANES(LANES)
  ) i_original (
      .clk_i,
      .rst_ni,
      .offset_i(original_at_i),
      .moves_i (moves_i.original),
      .enters_i(original_enters_i),
      .has_o   (original_has_o),
      .word_o  (original_word_o),
      .clear_i (do_i.clear),
      .take_i  (runs_i && original_missing_o),
      .fill_i  (do_i.fill_original),
      .fill_words_i,
      .line_o  (original_line_o)
  );

  nma_line_register #(
      .LANES(LANES)
  ) i_copy (
      .clk_i,
      .rst_ni,
      .offset_i  (copy_at_i),
      .moves_i   (moves_i.copy),
      .enters_i  (copy_enters_i),
      .has_line_o(copy_has_line_o),
      .has_o     (copy_has_o),
      .word_o    (copy_word_o),
      .store_i   (stores_now),
      .value_i   (store_value),
      .stored_o  (stored),
      .clear_i   (do_i.clear),
      .take_i    (do_i.take_copy),
      .fill_i    (do_i.fill_copy),
      .fill_words_i,
      .line_o    (copy_line_o),
      .words_o
  );

  nma_dirty_words #(
      .LANES(LANES)
  ) i_dirty (
      .clk_i,
      .rst_ni,
      .clear_i  (do_i.clear),
      .store_i  (stored),
      .written_i(do_i.written),
      .dirty_o,
      .run_lane_o,
      .run_words_o,
      .run_last_o
  );

endmodule
