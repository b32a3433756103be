/// rae_operation_map: the operation mapping table: a packet's operation becomes the 4-bit code of the interface.
///
/// Combinational. `wrong_o`: there is no such operation, not of this width, or the word is in two lines. Atomics have 4
/// or 8 bytes and are aligned; loads and stores have up to 8 bytes anywhere in a line.
/// Source: RAE, section 3.
module rae_operation_map
  import rae_pkg::*;
#(
    parameter int unsigned LINE_BYTES = 64,
    localparam int unsigned OffsetWidth = $clog2(LINE_BYTES)
) (
    input  packet_e                packet_i,
    input  word_e                  word_i,
    input  size_t                  size_i,
    input  logic [OffsetWidth-1:0] offset_i,
    output operation_e             operation_o,
    output logic                   wrong_o
);

  typedef logic [OffsetWidth:0] end_t;

  logic is_atomic, is_known, is_aligned, in_one_line;

  always_comb begin
    operation_o = OperationLoad;
    is_known    = 1'b1;
    unique case (packet_i)
      PacketLoad:        operation_o = OperationLoad;
      PacketStore:       operation_o = OperationStore;
      PacketCompareSwap: operation_o = OperationCompareSwap;
      PacketAtomic:
      case (word_i)
        WordSwap:        operation_o = OperationSwap;
        WordAdd:         operation_o = OperationAdd;
        WordXor:         operation_o = OperationXor;
        WordAnd:         operation_o = OperationAnd;
        WordOr:          operation_o = OperationOr;
        WordMin:         operation_o = OperationMin;
        WordMax:         operation_o = OperationMax;
        WordMinUnsigned: operation_o = OperationMinUnsigned;
        WordMaxUnsigned: operation_o = OperationMaxUnsigned;
        default:         is_known = 1'b0;
      endcase
    endcase
  end

  assign is_atomic   = packet_i == PacketAtomic || packet_i == PacketCompareSwap;
  assign is_aligned  = size_i == 2'd3 ? offset_i[2:0] == '0 : size_i == 2'd2 && offset_i[1:0] == '0;
  assign in_one_line = end_t'(offset_i) + (end_t'(1) << size_i) <= end_t'(LINE_BYTES);
  assign wrong_o     = !is_known || !in_one_line || (is_atomic && !is_aligned);

endmodule
