/// cni_table: the region table, and the three that ask it, in turns: the responses, the intake of jobs and the core.
///
/// A question is inside until its answer is taken. An entry is written when no question is inside. Every output depends
/// on registers alone, but ready.
module cni_table #(
    parameter int unsigned ENTRIES = 16,
    parameter int unsigned COMPARED = 4,
    parameter int unsigned WAYS = 8,
    parameter int unsigned ADDRESS_BITS = 48,
    localparam int unsigned EntryWidth = ENTRIES > 1 ? $clog2(ENTRIES) : 1,
    localparam int unsigned WayWidth = WAYS > 1 ? $clog2(WAYS) : 1
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    input  logic                                 set_valid_i,
    output logic                                 set_ready_o,
    input  logic                [EntryWidth-1:0] set_entry_i,
    input  cni_pkg::word_t                       set_match_i,
    input  cni_pkg::word_t                       set_mask_i,
    input  cni_pkg::word_t                       set_code_i,
    input  cni_pkg::word_t                       set_way_i,
    output logic                                 set_sound_o,
    input  logic                           [2:0] ask_valid_i,
    output logic                           [2:0] ask_ready_o,
    input  cni_pkg::question_t             [2:0] ask_i,
    output logic                           [2:0] answer_valid_o,
    input  logic                           [2:0] answer_ready_i,
    output logic                                 answer_allowed_o,
    output cni_pkg::region_e                     answer_code_o,
    output logic                [WayWidth-1:0]   answer_way_o
);
  import cni_pkg::*;

  logic asks, ready, told, taken;
  logic [1:0] index, asker_q;
  question_t question;

  stream_arbiter #(
      .N(3),
      .T(question_t)
  ) i_arbiter (
      .clk_i,
      .rst_ni,
      .valid_i(ask_valid_i),
      .ready_o(ask_ready_o),
      .data_i (ask_i),
      .valid_o(asks),
      .ready_i(ready && !set_valid_i),
      .data_o (question),
      .index_o(index)
  );

  cni_regions #(
      .ENTRIES     (ENTRIES),
      .COMPARED    (COMPARED),
      .WAYS        (WAYS),
      .ADDRESS_BITS(ADDRESS_BITS),
      .LINE_BYTES  (64)
  ) i_regions (
      .clk_i,
      .rst_ni,
      .set_valid_i     (set_valid_i && ready),
      .set_entry_i,
      .set_match_i,
      .set_mask_i,
      .set_code_i,
      .set_way_i,
      .set_sound_o,
      .ask_valid_i     (asks && !set_valid_i),
      .ask_ready_o     (ready),
      .ask_address_i   (question.address),
      .ask_bytes_i     (question.bytes),
      .ask_writes_i    (question.writes),
      .answer_valid_o  (told),
      .answer_ready_i  (taken),
      .answer_allowed_o,
      .answer_code_o,
      .answer_way_o,
      .quiet_o         (set_ready_o)
  );

  always_comb begin
    for (int unsigned i = 0; i < 3; ++i) answer_valid_o[i] = told && asker_q == 2'(i);
  end
  assign taken = (answer_valid_o & answer_ready_i) != '0;

  // It means nothing before a question has come.
  always_ff @(posedge clk_i) begin
    if (ready) asker_q <= index;
  end

endmodule
