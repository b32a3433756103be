/// rae_atomics_unit: the arithmetic of the interface core: what a word becomes, and the answer.
///
/// Combinational. Words of 4 bytes are in the lower half of the operands. The answer is what was there: of loads and
/// stores zero-extended, of atomics sign-extended. A load leaves the word as it is.
/// Source: RISC-V Unprivileged ISA 20191213, 8.4; compare-and-swap as `amocas` of Zacas.
module rae_atomics_unit
  import rae_pkg::*;
(
    input  operation_e  operation_i,
    input  size_t       size_i,
    input  logic [63:0] before_i,
    input  logic [63:0] operand_i,
    input  logic [63:0] expected_i,
    output logic [63:0] after_o,
    output logic [63:0] answer_o
);

  // Sign-extended words compare as the words do, signed and unsigned.
  function automatic logic [63:0] extended(logic [63:0] word, logic is_half);
    return is_half ? {{32{word[31]}}, word[31:0]} : word;
  endfunction

  logic is_half, is_plain, is_less, is_less_unsigned;
  logic [63:0] held, operand, mask;

  assign is_half = size_i == 2'd2;
  assign held  = extended(before_i, is_half);
  assign operand = extended(operand_i, is_half);

  assign is_less          = $signed(held) < $signed(operand);
  assign is_less_unsigned = held < operand;

  always_comb begin
    unique case (operation_i)
      OperationStore, OperationSwap: after_o = operand_i;
      OperationAdd:                  after_o = held + operand;
      OperationXor:                  after_o = held ^ operand;
      OperationAnd:                  after_o = held & operand;
      OperationOr:                   after_o = held | operand;
      OperationMin:                  after_o = is_less ? held : operand;
      OperationMax:                  after_o = is_less ? operand : held;
      OperationMinUnsigned:          after_o = is_less_unsigned ? held : operand;
      OperationMaxUnsigned:          after_o = is_less_unsigned ? operand : held;
      OperationCompareSwap:          after_o = held == extended(expected_i, is_half) ? operand_i : held;
      default:                       after_o = before_i;
    endcase
  end

  assign is_plain = operation_i == OperationLoad || operation_i == OperationStore;
  assign mask     = {{32{size_i == 2'd3}}, {16{size_i[1]}}, {8{size_i != 2'd0}}, {8{1'b1}}};
  assign answer_o = is_plain ? before_i & mask : held;

endmodule
