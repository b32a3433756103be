/// cni_row: what a store to a word of a line with events is: the table of all kinds of lines.
module cni_row #(
    parameter int unsigned COUNTERS = 1,
    parameter int unsigned QUEUES = 1,
    parameter int unsigned MATCH_QUEUES = 1
) (
    input  cni_pkg::line_e       code_i,
    input  logic           [2:0] number_i,  // of the word
    output cni_pkg::row_e        row_o
);
  import cni_pkg::*;

  always_comb begin
    row_o = RowNone;
    if (code_i == LineCommandBuffer) row_o = RowCommand;
    if (COUNTERS != 0 && code_i == LineCounter) begin
      row_o = RowKeep;
      if (number_i == WordAdd) row_o = RowAdd;
      if (number_i == WordSet) row_o = RowSet;
    end
    if (QUEUES != 0 && code_i == LineQueue) begin
      if (number_i == WordPut) row_o = RowPut;
      if (number_i == WordHead) row_o = RowHead;
      if (number_i >= WordBuffer && number_i <= WordNotify) row_o = RowKeep;
    end
    if (MATCH_QUEUES != 0 && code_i == LineMatchQueue) begin
      if (number_i == WordData) row_o = RowData;
      if (number_i == WordRequest) row_o = RowRequest;
      if (number_i == WordBuffer || number_i == WordShape) row_o = RowKeep;
    end
  end

endmodule
