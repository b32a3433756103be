// inst: one decoded instruction, as the engine runs it: a function and its operands, 24 bytes, next to its successor.
//
//   A function does its work and tail-calls the function of the instruction that follows, so a block runs without a
//   loop, and the host predicts each jump by where it stands. Both live in registers: hart, instruction, memory.
//
// Units     offset: 2 bytes (the smallest instruction). since: instructions. cycles: of the hart's clock.
// Shapes    A block is an array: [0] header, whose imm is the block's pc; [1..] instructions, the fetches of L1-I
//           lines among them; then one `link` to what follows; then one stub for each jump not yet linked. Every
//           instruction finds the header by its index, so nobody has to keep the pc.
// Source    Threaded code: Bell, "Threaded code" (CACM 1973); by tail calls, as in interpreters since LLVM's musttail.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tess::machine {

struct hart;
struct inst;

// What stays in registers from one instruction to the next. `memory` is what the policy's fast path starts from.
// preserve_none: every argument lies in a register that ordinary functions keep, so calls of these spill nothing.
// AddressSanitizer's frames are not to be had with it.
#if __has_feature(address_sanitizer)
#define TESS_HANDLER_CALL
#else
#define TESS_HANDLER_CALL __attribute__((preserve_none))
#endif
#define TESS_HANDLER(name) TESS_HANDLER_CALL void name(hart& h, inst const* i, std::byte* memory)  // NOLINT
using handler = TESS_HANDLER_CALL void(hart& h, inst const* i, std::byte* memory);

struct inst {
  handler* run;
  std::int64_t imm;  // immediate; of a jump the inst that it goes to; of header and stub a pc; of FP rm, rs3 << 8
  std::uint8_t rd;   // 32, which nobody reads, for x0; of a branch the cycles that being taken adds
  std::uint8_t rs1;
  std::uint8_t rs2;
  std::uint8_t index;    // this - header, in insts; 0 in header and stub
  std::uint8_t offset;   // from the block's pc, in 2 bytes
  std::uint8_t since;    // instructions of the block up to and with this one
  std::uint16_t cycles;  // of the same; of a stub how many insts behind its jump it stands

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
