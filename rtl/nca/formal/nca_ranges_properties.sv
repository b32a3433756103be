/// nca_ranges_properties: no line outside of the command's range is visited, and one is dropped unwritten only if it is
/// wholly inside, and no directory relies on it; a command whose last byte is before its first visits the line of its
/// first byte alone; offers are kept.
///
/// The queue has proofs of its own (rtl/common): its items are those that were put in.
module nca_ranges_properties #(
    parameter int unsigned LINE_BYTES = 16,
    parameter int unsigned SLOTS = 2,
    parameter int unsigned UNDER_WAY = 1,
    localparam int unsigned SlotBits = SLOTS > 1 ? $clog2(SLOTS) : 1,
    localparam int unsigned CountBits = $clog2(UNDER_WAY + 1)
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             coherent_i,
    input logic             line_valid_o,
    input logic             line_ready_i,
    input nca_pkg::line_e   line_action_o,
    input nca_pkg::word_t   line_address_o,
    input logic             begins,
    input nca_pkg::word_t   next_first,
    input nca_pkg::word_t   next_last,
    input logic             visits_q,
    input nca_pkg::range_e  operation_q,
    input nca_pkg::word_t   at_q,
    input nca_pkg::word_t   last_q,
    input logic             done_valid_i,
    input logic [ SlotBits-1:0] done_slot_i,
    input logic [ SlotBits-1:0] slot_q,
    input logic [CountBits-1:0] under_way  // lines of the command that is visited
);
  import nca_pkg::*;

  localparam int unsigned InLine = $clog2(LINE_BYTES);

  logic started_q = 1'b0;
  logic waits_q, coherent_q;
  line_e action_q;
  word_t address_q, first_q;  // the command's

  always_ff @(posedge clk_i) begin
    started_q  <= 1'b1;
    coherent_q <= coherent_i;
    waits_q    <= rst_ni && line_valid_o && !line_ready_i;
    action_q   <= line_action_o;
    address_q  <= line_address_o;
    if (begins) first_q <= next_first;
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (started_q) assume (coherent_i == coherent_q);
    // Lines that are done were visited.
    assume (32'(done_slot_i) < SLOTS);
    if (done_valid_i && visits_q && done_slot_i == slot_q) assume (under_way != '0);
    if (started_q && rst_ni) begin
      if (line_valid_o) begin
        assert (line_address_o >= first_q && (line_address_o <= last_q || line_address_o == first_q));
        if (line_action_o == LineDrop) begin
          assert (!coherent_i && operation_q == RangeInvalidate);
          assert (line_address_o[InLine-1:0] == '0 && first_q <= line_address_o);
          assert ((line_address_o | 64'(LINE_BYTES - 1)) <= last_q);
        end
        if (line_action_o == LineWriteBack) assert (operation_q == RangeWriteBack);
      end
      if (waits_q) assert (line_valid_o && line_action_o == action_q && line_address_o == address_q);
      if (visits_q) assert (first_q <= at_q && (at_q <= last_q || at_q == first_q));
    end
  end

endmodule

bind nca_ranges nca_ranges_properties #(
    .LINE_BYTES(LINE_BYTES), .SLOTS(SLOTS), .UNDER_WAY(UNDER_WAY)
) properties (
    .clk_i,
    .rst_ni,
    .coherent_i,
    .line_valid_o,
    .line_ready_i,
    .line_action_o,
    .line_address_o,
    .begins,
    .next_first(next.first),
    .next_last (next.last),
    .visits_q,
    .operation_q,
    .at_q,
    .last_q,
    .done_valid_i,
    .done_slot_i,
    .slot_q,
    .under_way(i_slots.under_way_q)
);
