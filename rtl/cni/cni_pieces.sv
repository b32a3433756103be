/// cni_pieces: cuts a copy of any alignment into packets: one packet of an entry of the list of jobs, and then what is
/// left of the entry, which goes back to the list.
///
/// A packet lies in one line of the destination, so that it is written at once, and in one line of the source if that
/// is read by lines. Every output depends on registers alone. A clock gate may use `quiet_o`.
module cni_pieces #(
    parameter int unsigned LINE_BYTES = 64,
    localparam int unsigned InLine = $clog2(LINE_BYTES)
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             entry_valid_i,
    output logic             entry_ready_o,
    input  cni_pkg::copy_t   entry_i,
    input  logic             by_lines_i,
    output logic             packet_valid_o,
    input  logic             packet_ready_i,
    output cni_pkg::word_t   packet_source_o,
    output cni_pkg::word_t   packet_destination_o,
    output logic  [InLine:0] packet_bytes_o,
    output logic             rest_valid_o,         // something is left
    input  logic             rest_ready_i,
    output cni_pkg::copy_t   rest_o,
    output logic             quiet_o               // nothing changes until an input is valid
);
  import cni_pkg::*;

  typedef logic [InLine:0] piece_t;
  typedef enum logic [1:0] {
    Wait   = 2'd0,
    Cut    = 2'd1,
    Packet = 2'd2,
    Rest   = 2'd3
  } step_e;

  step_e step_d, step_q;
  copy_t copy_d, copy_q;
  logic by_lines_d, by_lines_q;
  piece_t bytes_d, bytes_q;
  piece_t left_to, left_from, shorter;

  assign left_to   = piece_t'(LINE_BYTES) - piece_t'(copy_q.destination[InLine-1:0]);
  assign left_from = piece_t'(LINE_BYTES) - piece_t'(copy_q.source[InLine-1:0]);
  assign shorter   = by_lines_q && left_from < left_to ? left_from : left_to;

  always_comb begin
    step_d     = step_q;
    copy_d     = copy_q;
    by_lines_d = by_lines_q;
    bytes_d    = bytes_q;
    unique case (step_q)
      Wait: begin
        copy_d     = entry_i;
        by_lines_d = by_lines_i;
        if (entry_valid_i) step_d = Cut;
      end
      Cut: begin
        bytes_d = copy_q.bytes < 17'(shorter) ? copy_q.bytes[InLine:0] : shorter;
        step_d  = Packet;
      end
      Packet: begin
        if (packet_ready_i) begin
          copy_d.source      = copy_q.source + 64'(bytes_q);
          copy_d.destination = copy_q.destination + 64'(bytes_q);
          copy_d.bytes       = copy_q.bytes - 17'(bytes_q);
          step_d             = copy_q.bytes == 17'(bytes_q) ? Wait : Rest;
        end
      end
      default: if (rest_ready_i) step_d = Wait;
    endcase
  end

  assign entry_ready_o        = step_q == Wait;
  assign packet_valid_o       = step_q == Packet;
  assign rest_valid_o         = step_q == Rest;
  assign quiet_o              = step_q == Wait;
  assign packet_source_o      = copy_q.source;
  assign packet_destination_o = copy_q.destination;
  assign packet_bytes_o       = bytes_q;
  assign rest_o               = copy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= Wait;
    end else begin
      step_q <= step_d;
    end
  end

  // Nothing else means anything before an entry has come.
  always_ff @(posedge clk_i) begin
    copy_q     <= copy_d;
    by_lines_q <= by_lines_d;
    bytes_q    <= bytes_d;
  end

  if (LINE_BYTES < 16 || (LINE_BYTES & (LINE_BYTES - 1)) != 0) begin : gen_wrong_line_bytes
    $error("cni_pieces: LINE_BYTES is a power of two, at least 16");
  end

endmodule
