/// cni_acknowledge: a packet has been written here, or refused for good: the number of its bytes goes to the address of
/// its acknowledgement, negative if it was refused.
///
/// If that address is in this tile, it is stored here; if it is in the tile that sent the packet, the answer carries
/// it, and that tile stores it; otherwise it becomes a job. The answer is offered at once with it, and each of both may
/// be taken first. Nothing is acknowledged without an address. Every output depends on registers alone.
module cni_acknowledge #(
    parameter int unsigned TILE_BITS = 10,
    parameter int unsigned LINE_BYTES = 64,
    localparam int unsigned InLine = $clog2(LINE_BYTES)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic            [TILE_BITS-1:0] tile_i,           // this one; it does not change
    input  logic                            written_valid_i,
    output logic                            written_ready_o,
    input  logic            [TILE_BITS-1:0] written_source_i,  // the tile that sent it
    input  cni_pkg::word_t                  written_to_i,      // its acknowledgement's address; null: none
    input  logic            [TILE_BITS-1:0] written_home_i,    // the tile of that address
    input  logic                 [InLine:0] written_bytes_i,   // at least 1
    input  logic                            written_refused_i,
    output logic                            answer_valid_o,
    input  logic                            answer_ready_i,
    output logic            [TILE_BITS-1:0] answer_source_o,
    output logic                            answer_carries_o,  // the word below, to be stored there
    output logic                            store_valid_o,     // the word is stored here,
    input  logic                            store_ready_i,
    output logic                            job_valid_o,       // or sent to the tile of its address
    input  logic                            job_ready_i,
    output cni_pkg::word_t                  word_address_o,
    output cni_pkg::word_t                  word_value_o,
    output logic                            quiet_o            // nothing changes until an input is valid
);
  import cni_pkg::*;

  logic answers_d, answers_q, stores_d, stores_q, sends_d, sends_q, carries_d, carries_q;
  logic [TILE_BITS-1:0] source_d, source_q;
  word_t address_d, address_q, value_d, value_q;
  logic comes, at_source, here;

  assign at_source = written_home_i == written_source_i;
  assign here      = written_home_i == tile_i;
  assign comes     = written_valid_i && written_ready_o;

  always_comb begin
    answers_d = answers_q && !answer_ready_i;
    stores_d  = stores_q && !store_ready_i;
    sends_d   = sends_q && !job_ready_i;
    carries_d = carries_q;
    source_d  = source_q;
    address_d = address_q;
    value_d   = value_q;
    if (comes) begin
      answers_d = 1'b1;
      stores_d  = written_to_i != '0 && !at_source && here;
      sends_d   = written_to_i != '0 && !at_source && !here;
    end
    // Whether it comes is known late, and concerns few registers.
    if (written_ready_o) begin
      carries_d = written_to_i != '0 && at_source;
      source_d  = written_source_i;
      address_d = written_to_i;
      value_d   = written_refused_i ? -64'(written_bytes_i) : 64'(written_bytes_i);
    end
  end

  assign quiet_o          = !answers_q && !stores_q && !sends_q;
  assign written_ready_o  = quiet_o;
  assign answer_valid_o   = answers_q;
  assign answer_source_o  = source_q;
  assign answer_carries_o = carries_q;
  assign store_valid_o    = stores_q;
  assign job_valid_o      = sends_q;
  assign word_address_o   = address_q;
  assign word_value_o     = value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      answers_q <= 1'b0;
      stores_q  <= 1'b0;
      sends_q   <= 1'b0;
    end else begin
      answers_q <= answers_d;
      stores_q  <= stores_d;
      sends_q   <= sends_d;
    end
  end

  // Nothing else means anything before a packet was written.
  always_ff @(posedge clk_i) begin
    carries_q <= carries_d;
    source_q  <= source_d;
    address_q <= address_d;
    value_q   <= value_d;
  end

  if (TILE_BITS == 0) begin : gen_wrong_tile_bits
    $error("cni_acknowledge: TILE_BITS is at least 1");
  end
  if (LINE_BYTES < 16 || (LINE_BYTES & (LINE_BYTES - 1)) != 0) begin : gen_wrong_line_bytes
    $error("cni_acknowledge: LINE_BYTES is a power of two, at least 16");
  end

endmodule
