/// ram_1r1w: a synchronous memory with one port to read and one to write. The memories of these units
/// that are read at an edge are all of it; a `fifo` has items that are read in the same cycle.
///
/// A word that is asked for in one cycle is on `read_data_o` in the next one, and stays there until the next read. A
/// read of the word that is written in the same cycle gives the old value. The contents are undefined until written.
/// For an FPGA this is block or distributed memory; for a chip, replace this file by a wrapper of the foundry's macro.
module ram_1r1w #(
    parameter int unsigned WORDS = 64,
    parameter int unsigned WIDTH = 32,
    localparam int unsigned AddressWidth = WORDS > 1 ? $clog2(WORDS) : 1
) (
    input  logic                    clk_i,
    input  logic                    read_i,
    input  logic [AddressWidth-1:0] read_address_i,
    output logic [       WIDTH-1:0] read_data_o,
    input  logic                    write_i,
    input  logic [AddressWidth-1:0] write_address_i,
    input  logic [       WIDTH-1:0] write_data_i
);
  if (WORDS == 0) begin : g_wrong_words
    $error("ram_1r1w: WORDS is at least 1");
  end
  if (WIDTH == 0) begin : g_wrong_width
    $error("ram_1r1w: WIDTH is at least 1");
  end

  logic [WIDTH-1:0] words_q[WORDS];

  always_ff @(posedge clk_i) begin
    if (write_i) words_q[write_address_i] <= write_data_i;
    if (read_i) read_data_o <= words_q[read_address_i];
  end

endmodule
