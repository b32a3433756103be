/// ram_1r1w_properties: a read gives what was last written before, and stays until the next read.
///
/// Any one address is watched.
module ram_1r1w_properties #(
    parameter int unsigned WORDS = 64,
    parameter int unsigned WIDTH = 32,
    localparam int unsigned AddressWidth = WORDS > 1 ? $clog2(WORDS) : 1
) (
    input logic                    clk_i,
    input logic                    read_i,
    input logic [AddressWidth-1:0] read_address_i,
    input logic [       WIDTH-1:0] read_data_o,
    input logic                    write_i,
    input logic [AddressWidth-1:0] write_address_i,
    input logic [       WIDTH-1:0] write_data_i,
    input logic [       WIDTH-1:0] words_q[WORDS]
);

  logic [AddressWidth-1:0] any;  // free
  logic [AddressWidth-1:0] watched_q;
  logic started_q = 1'b0;
  logic written_q = 1'b0;
  logic [WIDTH-1:0] word_q;
  logic expected_q = 1'b0;  // the last read was of the watched word, which had been written
  logic [WIDTH-1:0] wanted_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) watched_q <= any;
    if (started_q && write_i && write_address_i == watched_q) begin
      written_q <= 1'b1;
      word_q <= write_data_i;
    end
    if (started_q && read_i) begin
      expected_q <= written_q && read_address_i == watched_q;
      wanted_q   <= word_q;
    end
  end

  always_comb begin
    if (!started_q) assume (32'(any) < WORDS);
    assume (32'(write_address_i) < WORDS && 32'(read_address_i) < WORDS);
    if (expected_q) assert (read_data_o == wanted_q);
    // For the induction.
    if (started_q) assert (32'(watched_q) < WORDS);
    if (!started_q) assert (!written_q && !expected_q);
    if (written_q) assert (words_q[watched_q] == word_q);
  end

endmodule

bind ram_1r1w ram_1r1w_properties #(
    .WORDS(WORDS),
    .WIDTH(WIDTH)
) properties (.*);
