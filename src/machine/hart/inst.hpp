// inst: one decoded instruction: a function and its operands, 24 bytes, adjacent to its successor.
//
//   A function does its work and tail-calls the function of the next instruction, so a block runs without a loop, and
//   the host predicts each jump by its location. Hart, instruction and memory are in registers.
//
// Units     offset: 2 bytes (the smallest instruction). since: instructions. cycles: of the hart's clock.
// Shapes    A block is an array: [0] header, whose imm is the block's pc; [1..] instructions, including the fetches of
//           L1-I lines; then one `link` to the next block; then one stub for each jump not yet linked. Every
//           instruction finds the header by its index, so pc need not be kept.
// Source    Threaded code: Bell, "Threaded code" (CACM 1973); by tail calls, as interpreters do since LLVM's musttail.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tess::machine {

struct hart;
struct inst;

// State in registers from one instruction to the next. `memory` is the base of the policy's fast path. preserve_none:
// every argument is in a register that ordinary functions preserve, so calls of these spill nothing. It is incompatible
// with AddressSanitizer's frames.
#if __has_feature(address_sanitizer)
#define TESS_HANDLER_CALL
#else
#define TESS_HANDLER_CALL __attribute__((preserve_none))
#endif
#define TESS_HANDLER(name) TESS_HANDLER_CALL void name(hart& h, inst const* i, std::byte* memory)  // NOLINT
using handler = TESS_HANDLER_CALL void(hart& h, inst const* i, std::byte* memory);

struct inst {
  handler* run;
  std::int64_t imm;  // immediate; of a jump its target inst; of header and stub a pc; of FP rm, rs3 << 8
  std::uint8_t rd;   // 32, never read, for x0; of a branch the extra cycles if taken
  std::uint8_t rs1;
  std::uint8_t rs2;
  std::uint8_t index;    // this - header, in insts; 0 in header and stub
  std::uint8_t offset;   // from the block's pc, in 2 bytes
  std::uint8_t since;    // instructions of the block up to and including this one
  std::uint16_t cycles;  // of the same; of a stub its distance behind its jump, in insts

  [[nodiscard]] inst const* target() const noexcept { return reinterpret_cast<inst const*>(imm); }  // NOLINT
  [[nodiscard]] std::uint64_t pc() const noexcept {
    return static_cast<std::uint64_t>((this - index)->imm) + 2U * std::uint64_t{offset};
  }
  // The address after this instruction; not for the last slot of a block.
  [[nodiscard]] std::uint64_t next_pc() const noexcept {
    return static_cast<std::uint64_t>((this - index)->imm) + 2U * std::uint64_t{this[1].offset};
  }
};
static_assert(sizeof(inst) == 24);

}  // namespace tess::machine
