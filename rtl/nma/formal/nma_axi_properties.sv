/// nma_axi_properties: the AXI4 adapter keeps the protocol and the order of accesses, and each has one answer.
///
/// Assumed: reads lie in a line and have tags that are not in use; an access that was offered stays; and the memory
/// answers what was requested, at any time, reads word by word in any order of tags. One write is under way at a time.
module nma_axi_properties #(
    parameter int unsigned BURST_BYTES = 16
) (
    input logic                                           clk_i,
    input logic                                           rst_ni,
    input logic                                           access_valid_i,
    input logic                                           access_ready_o,
    input logic                                           access_writes_i,
    input logic                                           access_tag_i,
    input nma_pkg::offset_t                               access_offset_i,
    input logic             [$clog2(BURST_BYTES / 8):0]   access_words_i,
    input logic             [$clog2(BURST_BYTES / 8)-1:0] access_lane_i,
    input logic             [BURST_BYTES/8-1:0][63:0]     access_data_i,
    input logic                                           answer_valid_o,
    input logic                                           answer_tag_o,
    input logic                                           written_o,
    input logic                                           ar_valid_o,
    input logic                                           ar_ready_i,
    input logic                                           ar_id_o,
    input nma_pkg::offset_t                               ar_addr_o,
    input logic             [7:0]                         ar_len_o,
    input logic                                           r_valid_i,
    input logic                                           r_id_i,
    input logic                                           r_last_i,
    input logic                                           aw_valid_o,
    input logic                                           aw_ready_i,
    input nma_pkg::offset_t                               aw_addr_o,
    input logic             [7:0]                         aw_len_o,
    input logic                                           w_valid_o,
    input logic                                           w_ready_i,
    input nma_pkg::word_t                                 w_data_o,
    input logic                                           w_last_o,
    input logic                                           b_valid_i,
    input logic             [1:0]                         reading,
    input logic             [1:0][3:0]                    read_line,
    input logic                                           writing,
    input logic                                           twice,
    input logic             [3:0]                         first,
    input logic             [3:0]                         last,
    input logic                                           head,
    input logic                                           tail,
    input logic                                           read_waits,
    input logic                                           read_tag,
    input logic                                           complete,
    input logic                                           complete_tag,
    input logic             [$clog2(BURST_BYTES / 8):0]   burst,
    input logic             [$clog2(BURST_BYTES / 8):0]   left,
    input logic             [$clog2(BURST_BYTES / 8):0]   further,
    input logic                                           address_waits
);
  import nma_pkg::*;

  localparam int unsigned Lanes = BURST_BYTES / 8;
  localparam int unsigned LineAt = $clog2(BURST_BYTES);
  typedef logic [OffsetBits-LineAt-1:0] line_t;

  logic started_q = 1'b0;

  // What was offered and not taken.
  logic access_waits_q, ar_waits_q, aw_waits_q, w_waits_q;
  logic [OffsetBits+Lanes*64+2*$clog2(Lanes)+2:0] access, access_q;
  logic [48:0] ar, ar_q;
  logic [47:0] aw, aw_q;
  logic [64:0] w, w_q;
  assign access = {access_writes_i, access_tag_i, access_offset_i, access_words_i, access_lane_i, access_data_i};
  assign ar     = {ar_id_o, ar_addr_o, ar_len_o};
  assign aw     = {aw_addr_o, aw_len_o};
  assign w      = {w_data_o, w_last_o};

  // The memory: words of each tag that are still to come; bursts that are requested, or complete, and not answered.
  logic [1:0][7:0] to_come_q;
  logic [1:0] addresses_q, bursts_q;
  // Those who asked: reads without an answer, and a write; its lines and theirs.
  logic [1:0] asked_q;
  logic write_asked_q;
  logic [1:0] done_q;  // all words of the read have come
  line_t [1:0] asked_line_q;
  line_t first_line_q, last_line_q, line, last_line;
  logic [7:0] beats_q;
  offset_t last_at;

  assign last_at   = access_offset_i + {(OffsetBits - $clog2(Lanes) - 4)'(0), access_words_i - 1'b1, 3'b000};
  assign line      = access_offset_i[OffsetBits-1:LineAt];
  assign last_line = last_at[OffsetBits-1:LineAt];

  logic takes;
  assign takes = access_valid_i && access_ready_o;

  always_ff @(posedge clk_i) begin
    started_q      <= 1'b1;
    access_q       <= access;
    ar_q           <= ar;
    aw_q           <= aw;
    w_q            <= w;
    access_waits_q <= rst_ni && access_valid_i && !access_ready_o;
    ar_waits_q     <= rst_ni && ar_valid_o && !ar_ready_i;
    aw_waits_q     <= rst_ni && aw_valid_o && !aw_ready_i;
    w_waits_q      <= rst_ni && w_valid_o && !w_ready_i;
    if (!rst_ni) begin
      to_come_q     <= '0;
      addresses_q   <= '0;
      bursts_q      <= '0;
      asked_q       <= '0;
      write_asked_q <= 1'b0;
      done_q        <= '0;
      beats_q       <= '0;
    end else begin
      if (r_valid_i) to_come_q[r_id_i] <= to_come_q[r_id_i] - 1'b1;
      if (ar_valid_o && ar_ready_i) to_come_q[ar_id_o] <= ar_len_o + 1'b1;
      addresses_q <= addresses_q + 2'(aw_valid_o && aw_ready_i) - 2'(b_valid_i);
      bursts_q    <= bursts_q + 2'(w_valid_o && w_ready_i && w_last_o) - 2'(b_valid_i);
      if (w_valid_o && w_ready_i) beats_q <= w_last_o ? '0 : beats_q + 1'b1;
      if (answer_valid_o) begin
        asked_q[answer_tag_o] <= 1'b0;
        done_q[answer_tag_o]  <= 1'b0;
      end
      if (r_valid_i && r_last_i) done_q[r_id_i] <= 1'b1;
      if (written_o) write_asked_q <= 1'b0;
      if (takes && !access_writes_i) begin
        asked_q[access_tag_i]      <= 1'b1;
        asked_line_q[access_tag_i] <= line;
      end
      if (takes && access_writes_i) begin
        write_asked_q <= 1'b1;
        first_line_q  <= line;
        last_line_q   <= last_line;
      end
    end
  end

  logic [1:0] responses;
  assign responses = writing ? 2'd1 + 2'(twice) : 2'd0;

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (access_waits_q) assume (access_valid_i && access == access_q);
    if (access_valid_i) begin
      assume (access_words_i != '0 && 32'(access_words_i) <= Lanes && access_offset_i[2:0] == '0);
      assume (last_at >= access_offset_i);
      if (access_writes_i) assume (32'(access_lane_i) + 32'(access_words_i) <= Lanes);
      else assume (line == last_line && !asked_q[access_tag_i]);
    end
    if (r_valid_i) assume (to_come_q[r_id_i] != '0 && r_last_i == (to_come_q[r_id_i] == 8'd1));
    if (b_valid_i) assume (addresses_q != '0 && bursts_q != '0);
    if (started_q && rst_ni) begin
      // Offers stay.
      if (ar_waits_q) assert (ar_valid_o && ar == ar_q);
      if (aw_waits_q) assert (aw_valid_o && aw == aw_q);
      if (w_waits_q) assert (w_valid_o && w == w_q);
      // A burst lies in a page of 4 KiB, and its last word is said to be it.
      if (ar_valid_o) assert (10'(ar_addr_o[11:3]) + 10'(ar_len_o) < 10'd512);
      if (aw_valid_o) assert (10'(aw_addr_o[11:3]) + 10'(aw_len_o) < 10'd512);
      if (w_valid_o) assert (w_last_o == (beats_q == aw_len_o));
      // Each access has one answer.
      if (answer_valid_o) assert (asked_q[answer_tag_o] && done_q[answer_tag_o]);
      if (written_o) assert (write_asked_q);
      // None overtakes another one of the same line.
      for (int unsigned tag = 0; tag < 2; ++tag) begin
        if (takes && access_writes_i && asked_q[tag] && !done_q[tag])
          assert (asked_line_q[tag] != line && asked_line_q[tag] != last_line);
      end
      if (takes && !access_writes_i && write_asked_q) assert (first_line_q != line && last_line_q != line);
      if (takes && access_writes_i) assert (!write_asked_q);
      // For the induction.
      assert (!head && !tail);
      assert (writing == write_asked_q);
      if (writing) assert (first == first_line_q[3:0] && last == last_line_q[3:0]);
      assert (!(twice && !writing));
      for (int unsigned tag = 0; tag < 2; ++tag) begin
        assert (reading[tag] == (asked_q[tag] && !done_q[tag]));
        assert (!(done_q[tag] && !asked_q[tag]));
        if (reading[tag]) assert (read_line[tag] == asked_line_q[tag][3:0]);
        assert (reading[tag] == ((read_waits && read_tag == 1'(tag)) || to_come_q[tag] != '0));
        assert (!(read_waits && read_tag == 1'(tag) && to_come_q[tag] != '0));
        assert (done_q[tag] == ((complete && complete_tag == 1'(tag)) || (answer_valid_o && answer_tag_o == 1'(tag))));
      end
      if (complete && answer_valid_o) assert (complete_tag != answer_tag_o);
      assert (addresses_q + 2'(address_waits) + 2'(further != '0) == responses);
      assert (bursts_q + 2'(left != '0) + 2'(further != '0) == responses);
      assert (addresses_q <= responses && bursts_q <= responses);
      if (further != '0) assert (twice && 32'(further) < Lanes && 32'(burst) + 32'(further) <= Lanes);
      if (address_waits || left != '0) assert (burst != '0 && 32'(burst) <= Lanes);
      if (left != '0) assert (left <= burst && beats_q == 8'(burst) - 8'(left));
      else assert (beats_q == '0);
      if (ar_valid_o) assert (32'(ar_len_o) < Lanes && 10'(ar_addr_o[LineAt-1:3]) + 10'(ar_len_o) < 10'(Lanes));
    end
  end

endmodule

bind nma_axi nma_axi_properties #(.BURST_BYTES(BURST_BYTES)) properties (
    .clk_i,
    .rst_ni,
    .access_valid_i,
    .access_ready_o,
    .access_writes_i,
    .access_tag_i,
    .access_offset_i,
    .access_words_i,
    .access_lane_i,
    .access_data_i,
    .answer_valid_o,
    .answer_tag_o,
    .written_o,
    .ar_valid_o,
    .ar_ready_i,
    .ar_id_o,
    .ar_addr_o,
    .ar_len_o,
    .r_valid_i,
    .r_id_i,
    .r_last_i,
    .aw_valid_o,
    .aw_ready_i,
    .aw_addr_o,
    .aw_len_o,
    .w_valid_o,
    .w_ready_i,
    .w_data_o,
    .w_last_o,
    .b_valid_i,
    .reading      (i_order.reading_q),
    .read_line    ({i_order.read_line_q[1], i_order.read_line_q[0]}),
    .writing      (i_order.writing_q[0]),
    .twice        (i_order.twice_q[0]),
    .first        (i_order.first_q[0]),
    .last         (i_order.last_q[0]),
    .head         (i_order.head_q),
    .tail         (i_order.tail_q),
    .read_waits   (i_read.waits_q),
    .read_tag     (i_read.tag_q),
    .complete     (i_read.complete_q),
    .complete_tag (i_read.complete_tag_q),
    .burst        (i_write.burst_q),
    .left         (i_write.left_q),
    .further      (i_write.further_q),
    .address_waits(i_write.address_waits_q)
);
