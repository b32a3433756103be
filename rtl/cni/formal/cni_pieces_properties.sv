/// cni_pieces_properties: a packet has bytes, all of the copy, in one line of the destination, and in one of the source
/// if that is read by lines; what is left is the rest of the copy, no byte more or less; offers are kept.
module cni_pieces_properties #(
    parameter int unsigned LINE_BYTES = 64,
    localparam int unsigned InLine = $clog2(LINE_BYTES)
) (
    input logic            clk_i,
    input logic            rst_ni,
    input logic            entry_valid_i,
    input logic            entry_ready_o,
    input cni_pkg::copy_t  entry_i,
    input logic            by_lines_i,
    input logic            packet_valid_o,
    input logic            packet_ready_i,
    input cni_pkg::word_t  packet_source_o,
    input cni_pkg::word_t  packet_destination_o,
    input logic [InLine:0] packet_bytes_o,
    input logic            rest_valid_o,
    input logic            rest_ready_i,
    input cni_pkg::copy_t  rest_o,
    input logic            by_lines_q,
    input cni_pkg::copy_t  copy_q
);
  import cni_pkg::*;

  logic started_q = 1'b0;
  copy_t entry_q, rest_q;  // as it came
  logic by_q, inside_q, sent_q, packet_waits_q, rest_waits_q;
  logic [InLine:0] bytes_q;  // the packet that was sent
  logic [InLine:0] waiting_q;
  word_t waiting_source_q, waiting_destination_q;

  always_ff @(posedge clk_i) begin
    started_q             <= 1'b1;
    packet_waits_q        <= rst_ni && packet_valid_o && !packet_ready_i;
    rest_waits_q          <= rst_ni && rest_valid_o && !rest_ready_i;
    waiting_q             <= packet_bytes_o;
    waiting_source_q      <= packet_source_o;
    waiting_destination_q <= packet_destination_o;
    rest_q                <= rest_o;
    if (!rst_ni) begin
      inside_q <= 1'b0;
      sent_q   <= 1'b0;
    end else begin
      if (entry_valid_i && entry_ready_o) begin
        entry_q  <= entry_i;
        by_q     <= by_lines_i;
        inside_q <= 1'b1;
        sent_q   <= 1'b0;
      end
      if (packet_valid_o && packet_ready_i) begin
        sent_q  <= 1'b1;
        bytes_q <= packet_bytes_o;
        if (entry_q.bytes == 17'(packet_bytes_o)) inside_q <= 1'b0;
      end
      if (rest_valid_o && rest_ready_i) inside_q <= 1'b0;
    end
  end

  function automatic logic in_one_line(word_t address, logic [InLine:0] bytes);
    return 32'(address[InLine-1:0]) + 32'(bytes) <= LINE_BYTES;
  endfunction

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (entry_valid_i) assume (entry_i.bytes != '0 && entry_i.bytes <= 17'd65536);
    if (started_q && rst_ni) begin
      if (packet_waits_q) begin
        assert (packet_valid_o && packet_bytes_o == waiting_q);
        assert (packet_source_o == waiting_source_q && packet_destination_o == waiting_destination_q);
      end
      if (rest_waits_q) assert (rest_valid_o && rest_o == rest_q);
      assert (entry_ready_o == !inside_q);
      if (packet_valid_o) begin
        assert (packet_bytes_o != '0 && 17'(packet_bytes_o) <= entry_q.bytes && !sent_q);
        assert (packet_source_o == entry_q.source && packet_destination_o == entry_q.destination);
        assert (in_one_line(packet_destination_o, packet_bytes_o));
        if (by_q) assert (in_one_line(packet_source_o, packet_bytes_o));
      end
      if (rest_valid_o) begin
        assert (sent_q && rest_o.bytes == 17'(entry_q.bytes - 17'(bytes_q)) && rest_o.bytes != '0);
        assert (rest_o.source == word_t'(entry_q.source + 64'(bytes_q)));
        assert (rest_o.destination == word_t'(entry_q.destination + 64'(bytes_q)));
      end
      // For the induction.
      if (inside_q) assert (entry_q.bytes != '0 && entry_q.bytes <= 17'd65536);
      if (inside_q && !rest_valid_o) assert (copy_q == entry_q && by_lines_q == by_q && !sent_q);
    end
  end

endmodule

bind cni_pieces cni_pieces_properties #(.LINE_BYTES(LINE_BYTES)) properties (.*);
