/// cni_acknowledge_properties: a packet that was written has one answer and, if it has an address for that, one
/// acknowledgement: in the answer, stored here, or as a job.
///
/// What is owed for a packet is what it needs and has not had yet; the next packet comes when nothing is owed. So no
/// acknowledgement is lost, and none is doubled. Its word has the number of bytes, negative only if it was refused.
/// What is offered stays.
module cni_acknowledge_properties #(
    parameter int unsigned TILE_BITS = 10,
    parameter int unsigned LINE_BYTES = 64,
    localparam int unsigned InLine = $clog2(LINE_BYTES)
) (
    input logic                           clk_i,
    input logic                           rst_ni,
    input logic           [TILE_BITS-1:0] tile_i,
    input logic                           written_valid_i,
    input logic                           written_ready_o,
    input logic           [TILE_BITS-1:0] written_source_i,
    input cni_pkg::word_t                 written_to_i,
    input logic           [TILE_BITS-1:0] written_home_i,
    input logic                [InLine:0] written_bytes_i,
    input logic                           written_refused_i,
    input logic                           answer_valid_o,
    input logic                           answer_ready_i,
    input logic           [TILE_BITS-1:0] answer_source_o,
    input logic                           answer_carries_o,
    input logic                           store_valid_o,
    input logic                           store_ready_i,
    input logic                           job_valid_o,
    input logic                           job_ready_i,
    input cni_pkg::word_t                 word_address_o,
    input cni_pkg::word_t                 word_value_o,
    input logic                           quiet_o
);
  import cni_pkg::*;

  logic started_q = 1'b0;
  // The packet as it came, and what is owed for it.
  logic [TILE_BITS-1:0] source_q, home_q;
  word_t to_q;
  logic [InLine:0] bytes_q;
  logic refused_q, owes_answer_q, owes_word_q;
  // The last cycle's offers.
  logic answer_waits_q, store_waits_q, job_waits_q, carries_q;
  word_t address_q, value_q;
  logic leaves;

  // In the answer, here, or elsewhere: never in two ways at once.
  assign leaves = (answer_valid_o && answer_ready_i && answer_carries_o) || (store_valid_o && store_ready_i)
                  || (job_valid_o && job_ready_i);

  always_ff @(posedge clk_i) begin
    started_q      <= 1'b1;
    answer_waits_q <= rst_ni && answer_valid_o && !answer_ready_i;
    store_waits_q  <= rst_ni && store_valid_o && !store_ready_i;
    job_waits_q    <= rst_ni && job_valid_o && !job_ready_i;
    carries_q      <= answer_carries_o;
    address_q      <= word_address_o;
    value_q        <= word_value_o;
    if (!rst_ni) begin
      owes_answer_q <= 1'b0;
      owes_word_q   <= 1'b0;
    end else if (written_valid_i && written_ready_o) begin
      source_q      <= written_source_i;
      home_q        <= written_home_i;
      to_q          <= written_to_i;
      bytes_q       <= written_bytes_i;
      refused_q     <= written_refused_i;
      owes_answer_q <= 1'b1;
      owes_word_q   <= written_to_i != '0;
    end else begin
      if (answer_valid_o && answer_ready_i) owes_answer_q <= 1'b0;
      if (leaves) owes_word_q <= 1'b0;
    end
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (written_valid_i) assume (written_bytes_i != '0 && 32'(written_bytes_i) <= LINE_BYTES);
    if (started_q && rst_ni) begin
      // One answer for each packet.
      assert (answer_valid_o == owes_answer_q);
      if (answer_valid_o) assert (answer_source_o == source_q);
      // One acknowledgement, in one way, and none without an address.
      assert (32'(answer_valid_o && answer_carries_o) + 32'(store_valid_o) + 32'(job_valid_o) == 32'(owes_word_q));
      if (answer_valid_o && answer_carries_o) assert (home_q == source_q);
      if (store_valid_o) assert (home_q == tile_i && home_q != source_q);
      if (job_valid_o) assert (home_q != tile_i && home_q != source_q);
      // The next packet comes when nothing is owed.
      assert (written_ready_o == (!owes_answer_q && !owes_word_q) && quiet_o == written_ready_o);
      // The number of bytes; it becomes negative in no other way.
      if (owes_word_q) begin
        assert (word_address_o == to_q && to_q != '0);
        assert (word_value_o[63] == refused_q);
        assert ((refused_q ? ~word_value_o + 64'd1 : word_value_o) == 64'(bytes_q));
      end
      // What is offered stays.
      if (answer_waits_q) assert (answer_valid_o && answer_carries_o == carries_q);
      if (store_waits_q) assert (store_valid_o);
      if (job_waits_q) assert (job_valid_o);
      if (store_waits_q || job_waits_q || (answer_waits_q && carries_q)) begin
        assert (word_address_o == address_q && word_value_o == value_q);
      end
      // For the induction.
      if (owes_word_q) assert (bytes_q != '0 && 32'(bytes_q) <= LINE_BYTES);
    end
  end

  // The tile does not change.
  logic [TILE_BITS-1:0] tile_q;
  always_ff @(posedge clk_i) tile_q <= tile_i;
  always_comb if (started_q) assume (tile_i == tile_q);

endmodule

bind cni_acknowledge cni_acknowledge_properties #(
    .TILE_BITS (TILE_BITS),
    .LINE_BYTES(LINE_BYTES)
) properties (.*);
