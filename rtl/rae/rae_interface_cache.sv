/// rae_interface_cache: the memory for lines: a direct-mapped cache, and a line for each main entry behind it.
///
/// Tags and lines have ports of their own. What is read in one cycle is on the outputs in the next one, until the next
/// read. Reset makes all lines of the cache invalid.
/// Source: RAE, Table I: 64 KB, direct mapped, 1 K lines. The lines of the main entries are ours.
module rae_interface_cache #(
    parameter int unsigned CACHE_LINES = 1024,
    parameter int unsigned MAIN_ENTRIES = 64,
    parameter int unsigned LINE_BYTES = 64,
    parameter int unsigned TAG_WIDTH = 15,
    localparam int unsigned IndexWidth = CACHE_LINES > 1 ? $clog2(CACHE_LINES) : 1,
    localparam int unsigned PlaceWidth = $clog2(CACHE_LINES + MAIN_ENTRIES)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    tag_read_i,
    input  logic [  IndexWidth-1:0] tag_read_index_i,
    output logic                    valid_o,
    output logic                    dirty_o,
    output logic [   TAG_WIDTH-1:0] tag_o,
    input  logic                    tag_write_i,
    input  logic [  IndexWidth-1:0] tag_write_index_i,
    input  logic                    valid_i,
    input  logic                    dirty_i,
    input  logic [   TAG_WIDTH-1:0] tag_i,
    input  logic                    line_read_i,
    input  logic [  PlaceWidth-1:0] line_read_place_i,
    output logic [8*LINE_BYTES-1:0] line_o,
    input  logic                    line_write_i,
    input  logic [  PlaceWidth-1:0] line_write_place_i,
    input  logic [8*LINE_BYTES-1:0] line_i
);

  logic [CACHE_LINES-1:0] valid_d, valid_q;
  logic valid_read_d, valid_read_q;

  ram_1r1w #(
      .WORDS(CACHE_LINES),
      .WIDTH(TAG_WIDTH + 1)
  ) i_tags (
      .clk_i,
      .read_i         (tag_read_i),
      .read_address_i (tag_read_index_i),
      .read_data_o    ({dirty_o, tag_o}),
      .write_i        (tag_write_i),
      .write_address_i(tag_write_index_i),
      .write_data_i   ({dirty_i, tag_i})
  );

  ram_1r1w #(
      .WORDS(CACHE_LINES + MAIN_ENTRIES),
      .WIDTH(8 * LINE_BYTES)
  ) i_lines (
      .clk_i,
      .read_i         (line_read_i),
      .read_address_i (line_read_place_i),
      .read_data_o    (line_o),
      .write_i        (line_write_i),
      .write_address_i(line_write_place_i),
      .write_data_i   (line_i)
  );

  always_comb begin
    valid_d = valid_q;
    if (tag_write_i) valid_d[tag_write_index_i] = valid_i;
    valid_read_d = tag_read_i ? valid_q[tag_read_index_i] : valid_read_q;
  end
  assign valid_o = valid_read_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q      <= '0;
      valid_read_q <= 1'b0;
    end else begin
      valid_q      <= valid_d;
      valid_read_q <= valid_read_d;
    end
  end

endmodule
