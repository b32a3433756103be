/// rae_interface_properties: no request is answered twice, none that did not ask, and offers are kept.
///
/// Any one tag is watched, which one request at a time has: each answer with it belongs to a request inside. What the
/// interface offers stays until it is taken. Grants and lines are for entries that have fetched.
module rae_interface_properties #(
    parameter int unsigned MAIN_ENTRIES = 64,
    parameter int unsigned SUB_ENTRIES = 64,
    parameter int unsigned QUEUE_ENTRIES = 64,
    parameter int unsigned LINE_BYTES = 64,
    parameter int unsigned ADDRESS_WIDTH = 31,
    parameter int unsigned REQUEST_TAG_WIDTH = 13,
    localparam int unsigned EntryWidth = MAIN_ENTRIES > 1 ? $clog2(MAIN_ENTRIES) : 1,
    localparam int unsigned LineWidth = ADDRESS_WIDTH - $clog2(LINE_BYTES)
) (
    input logic                         clk_i,
    input logic                         rst_ni,
    input logic                         request_valid_i,
    input logic                         request_ready_o,
    input logic [REQUEST_TAG_WIDTH-1:0] request_tag_i,
    input logic                         answer_valid_o,
    input logic                         answer_ready_i,
    input logic [REQUEST_TAG_WIDTH-1:0] answer_tag_o,
    input logic [                 63:0] answer_data_o,
    input logic                         fetch_valid_o,
    input logic                         fetch_ready_i,
    input logic [       EntryWidth-1:0] fetch_entry_o,
    input logic [        LineWidth-1:0] fetch_line_o,
    input logic                         grant_valid_i,
    input logic                         grant_core_i,
    input logic [       EntryWidth-1:0] grant_entry_i,
    input logic                         line_valid_i,
    input logic                         line_ready_o,
    input logic [       EntryWidth-1:0] line_entry_i,
    input logic                         store_valid_o,
    input logic                         store_ready_i,
    input logic [        LineWidth-1:0] store_line_o,
    input logic                         claim_valid_i,
    input logic                         claim_ready_o,
    input logic                         claim_done_valid_o,
    input logic                         claim_done_ready_i
);

  logic [REQUEST_TAG_WIDTH-1:0] any_tag;  // free in every cycle
  logic started_q = 1'b0;
  logic has_it_q, claims_q;             // a request with the tag is inside; a claim is
  logic [REQUEST_TAG_WIDTH-1:0] tag_q;    // as it was at reset
  logic [MAIN_ENTRIES-1:0] fetched_q, granted_q;  // entries whose line is asked for, or comes
  int unsigned inside_q;
  logic asks, answers, last_valid_q, last_ready_q, last_fetch_q, last_fetch_ready_q;
  logic [REQUEST_TAG_WIDTH-1:0] last_tag_q;
  logic [63:0] last_data_q;
  logic [LineWidth-1:0] last_line_q;

  assign asks    = request_valid_i && request_ready_o;
  assign answers = answer_valid_o && answer_ready_i;

  always_ff @(posedge clk_i) begin
    started_q          <= 1'b1;
    last_valid_q       <= rst_ni && answer_valid_o;
    last_ready_q       <= answer_ready_i;
    last_tag_q         <= answer_tag_o;
    last_data_q        <= answer_data_o;
    last_fetch_q       <= rst_ni && fetch_valid_o;
    last_fetch_ready_q <= fetch_ready_i;
    last_line_q        <= fetch_line_o;
    if (!rst_ni) begin
      has_it_q  <= 1'b0;
      tag_q     <= any_tag;
      claims_q  <= 1'b0;
      fetched_q <= '0;
      granted_q <= '0;
      inside_q  <= 0;
    end else begin
      inside_q <= inside_q + 32'(asks) - 32'(answers);
      if (answers && answer_tag_o == tag_q) has_it_q <= 1'b0;
      if (asks && request_tag_i == tag_q) has_it_q <= 1'b1;
      if (fetch_valid_o && fetch_ready_i) fetched_q[fetch_entry_o] <= 1'b1;
      if (grant_valid_i) begin
        fetched_q[grant_entry_i] <= 1'b0;
        granted_q[grant_entry_i] <= 1'b1;
      end
      if (line_valid_i && line_ready_o) granted_q[line_entry_i] <= 1'b0;
      if (claim_valid_i && claim_ready_o) claims_q <= 1'b1;
      if (claim_done_valid_o && claim_done_ready_i) claims_q <= 1'b0;
    end
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (started_q && rst_ni) begin
      assume (!(asks && request_tag_i == tag_q && has_it_q));
      assume (!grant_valid_i || fetched_q[grant_entry_i]);
      assume (!line_valid_i || granted_q[line_entry_i]);
      // One answer each.
      if (answer_valid_o && answer_tag_o == tag_q) assert (has_it_q);
      if (answer_valid_o) assert (inside_q != 0);
      assert (inside_q <= QUEUE_ENTRIES + MAIN_ENTRIES * SUB_ENTRIES + 6);
      // One end for each claim, and one fetch at a time for each entry.
      if (claim_done_valid_o) assert (claims_q);
      if (claims_q) assert (!claim_ready_o);
      if (fetch_valid_o) assert (!fetched_q[fetch_entry_o] && !granted_q[fetch_entry_o]);
      // Offers are kept.
      if (last_valid_q && !last_ready_q)
        assert (answer_valid_o && answer_tag_o == last_tag_q && answer_data_o == last_data_q);
      if (last_fetch_q && !last_fetch_ready_q) assert (fetch_valid_o && fetch_line_o == last_line_q);
    end
  end

endmodule

bind rae_interface rae_interface_properties #(
    .MAIN_ENTRIES     (MAIN_ENTRIES),
    .SUB_ENTRIES      (SUB_ENTRIES),
    .QUEUE_ENTRIES    (QUEUE_ENTRIES),
    .LINE_BYTES       (LINE_BYTES),
    .ADDRESS_WIDTH    (ADDRESS_WIDTH),
    .REQUEST_TAG_WIDTH(REQUEST_TAG_WIDTH)
) properties (.*);
