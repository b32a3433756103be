// decode: from instruction words to operations and operands, by the table instructions.def.
//
// Errors    an invalid word is operation::illegal; decoding itself never fails.
// Cost      about 20 ns per word: rows of the same major opcode are tried in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tess::machine {

enum class operation : std::uint8_t {
#define X(extension, name, mask, match, form, cost) name,
#include "machine/isa/instructions.def"
#undef X
};
inline constexpr std::size_t operations = 0
#define X(extension, name, mask, match, form, cost) +1
#include "machine/isa/instructions.def"
#undef X
    ;

// The field of instruction_costs that applies to an operation.
enum class cost_class : std::uint8_t { none, branch, multiply, divide, float_add, float_multiply, float_divide };

struct decoded {
  operation op = operation::illegal;
  std::uint8_t rd = 0;   // x0 as 32 where it names an integer register
  std::uint8_t rs1 = 0;  // of a CSR instruction with an immediate the immediate
  std::uint8_t rs2 = 0;
  std::int64_t imm = 0;  // sign-extended; jumps: from pc; CSR: its number; FP: rm | rs3 << 8; rl; illegal: the word
};

// A 32-bit instruction.
[[nodiscard]] decoded decode(std::uint32_t word) noexcept;

// The 32-bit equivalent of a compressed instruction; 0, which is illegal, if it is reserved.
[[nodiscard]] std::uint32_t expand(std::uint16_t half) noexcept;

[[nodiscard]] constexpr bool is_compressed(std::uint16_t half) noexcept {
  return (half & 3U) != 3U;
}

// Does the second of two successive instructions read a register that the first one loads?
[[nodiscard]] bool uses_loaded(decoded const& load, decoded const& next) noexcept;

// The registers of an instruction: 0 to 31 those of integers, from 32 on those of floating point.
struct register_use {
  static constexpr std::uint8_t no_source = 64;       // always ready
  static constexpr std::uint8_t no_destination = 65;  // never read
  static constexpr std::size_t count = 66;
  std::uint8_t first = no_source;
  std::uint8_t second = no_source;
  std::uint8_t third = no_source;
  std::uint8_t destination = no_destination;
};
[[nodiscard]] register_use registers_of(decoded const& word) noexcept;

[[nodiscard]] std::string_view name_of(operation op) noexcept;
[[nodiscard]] cost_class cost_of(operation op) noexcept;

// Ends of blocks: unconditional jumps, and everything that no instruction of the block may follow.
[[nodiscard]] constexpr bool ends_block(operation op) noexcept {
  switch (op) {
    case operation::jal:
    case operation::jalr:
    case operation::jump_to:
    case operation::ret:
    case operation::ecall:
    case operation::ebreak:
    case operation::mret:
    case operation::fence_i:
    case operation::illegal:
    case operation::no_code:
      return true;
    default:
      return false;
  }
}
[[nodiscard]] constexpr bool is_branch(operation op) noexcept {
  return op >= operation::beq && op <= operation::bgeu;
}

}  // namespace tess::machine
