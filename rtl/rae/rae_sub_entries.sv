/// rae_sub_entries: the extended MSHRs' sub-entries: the requests that wait for the lines of the main entries.
///
/// A sub-entry is {operation, size, offset in the line, tag}: 25 bits with lines of 64 bytes and 64 times 64 entries,
/// which are RAE's 12.5 KB. The operands, 128 bits more for each, are in a memory of their own. Read in one cycle, on
/// the outputs in the next one until another is read.
/// Source: RAE, section 3.
module rae_sub_entries #(
    parameter int unsigned MAIN_ENTRIES = 64,
    parameter int unsigned SUB_ENTRIES = 64,
    parameter type sub_entry_t = logic [24:0],
    parameter type operands_t = logic [127:0],
    localparam int unsigned EntryWidth = MAIN_ENTRIES > 1 ? $clog2(MAIN_ENTRIES) : 1,
    localparam int unsigned CountWidth = $clog2(SUB_ENTRIES + 1)
) (
    input  logic                  clk_i,
    input  logic                  write_i,
    input  logic [EntryWidth-1:0] write_entry_i,
    input  logic [CountWidth-1:0] write_number_i,
    input  sub_entry_t            write_data_i,
    input  operands_t             write_operands_i,
    input  logic                  read_i,
    input  logic [EntryWidth-1:0] read_entry_i,
    input  logic [CountWidth-1:0] read_number_i,
    output sub_entry_t            read_data_o,
    output operands_t             read_operands_o
);

  localparam int unsigned Words = MAIN_ENTRIES * SUB_ENTRIES;
  localparam int unsigned AddressWidth = Words > 1 ? $clog2(Words) : 1;
  typedef logic [AddressWidth-1:0] address_t;

  address_t read_address, write_address;

  // Where a number has bits of its own nothing is added.
  localparam bit HasBits = (SUB_ENTRIES & (SUB_ENTRIES - 1)) == 0;

  function automatic address_t place(logic [EntryWidth-1:0] entry, logic [CountWidth-1:0] number);
    logic [31:0] first;
    first = 32'(entry) * SUB_ENTRIES;
    return address_t'(HasBits ? first | 32'(number) : first + 32'(number));
  endfunction

  assign read_address  = place(read_entry_i, read_number_i);
  assign write_address = place(write_entry_i, write_number_i);

  ram_1r1w #(
      .WORDS(Words),
      .WIDTH($bits(sub_entry_t))
  ) i_requests (
      .clk_i,
      .read_i,
      .read_address_i (read_address),
      .read_data_o,
      .write_i,
      .write_address_i(write_address),
      .write_data_i
  );

  ram_1r1w #(
      .WORDS(Words),
      .WIDTH($bits(operands_t))
  ) i_operands (
      .clk_i,
      .read_i,
      .read_address_i (read_address),
      .read_data_o    (read_operands_o),
      .write_i,
      .write_address_i(write_address),
      .write_data_i   (write_operands_i)
  );

endmodule
