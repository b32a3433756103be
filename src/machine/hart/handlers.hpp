// handlers: building blocks of the instructions' functions: operands, continuation, and exits.
//
//   INSTRUCTION(name) { ...; NEXT; } is a static member of a template over the memory policy. Every exit is a tail call
//   or, where the hart stops, a return to engine::run.
#pragma once

#include "machine/hart/code_cache.hpp"
#include "machine/hart/hart.hpp"
#include "machine/hart/memory_policy.hpp"

#define INSTRUCTION(name) static TESS_HANDLER(name)
#define GO_TO(function) [[clang::musttail]] return function(h, i, memory)
#define NEXT \
  ++i;       \
  GO_TO(i->run)

namespace tess::machine {

inline std::uint64_t rs1(hart const& h, inst const* i) noexcept {
  return h.x[i->rs1];
}
inline std::uint64_t rs2(hart const& h, inst const* i) noexcept {
  return h.x[i->rs2];
}
inline std::int64_t signed_rs1(hart const& h, inst const* i) noexcept {
  return static_cast<std::int64_t>(rs1(h, i));
}
inline std::int64_t signed_rs2(hart const& h, inst const* i) noexcept {
  return static_cast<std::int64_t>(rs2(h, i));
}
inline std::uint64_t immediate(inst const* i) noexcept {
  return static_cast<std::uint64_t>(i->imm);
}
inline void set_rd(hart& h, inst const* i, std::uint64_t value) noexcept {
  h.x[i->rd] = value;
}
inline std::uint64_t address(hart const& h, inst const* i) noexcept {
  return rs1(h, i) + immediate(i);
}

inline std::uint32_t low(std::uint64_t value) noexcept {
  return static_cast<std::uint32_t>(value);
}
inline std::int32_t signed_low(std::uint64_t value) noexcept {
  return static_cast<std::int32_t>(low(value));
}
// A 32-bit result, sign-extended to a register.
inline std::uint64_t extended(std::uint32_t value) noexcept {
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
}

// Ends of blocks and stops of harts.
template <class Policy>
struct flow {
  // Instruction i is the last executed one of its block: counts it and those before it.
  static void charge(hart& h, inst const* i) noexcept {
    h.left -= i->cycles;
    if constexpr (Policy::timed) h.retired += i->since;
  }

  // Stops at instruction i, which is counted.
  static void leave(hart& h, inst const* i, stop why) noexcept {
    charge(h, i);
    h.pc = i->pc();
    h.next_pc = i->next_pc();
    h.at = i;
    h.charged = i->cycles;
    h.counted = i->since;
    h.generation = h.code->generation();
    h.stopped = why;
  }

  // Stops between two blocks at the end of the time. i is the first instruction of the next block, or the stub before
  // it.
  INSTRUCTION(expire) {
    (void)memory;
    h.pc = i->pc();
    h.resume = i;
    h.at = nullptr;
    h.charged = h.counted = 0;
    h.generation = h.code->generation();
    h.stopped = stop::quantum;
  }

  // A taken conditional branch.
  INSTRUCTION(take) {
    charge(h, i);
    if constexpr (Policy::timed) h.left -= i->rd;
    i = i->target();
    if (h.left <= 0) [[unlikely]]
      GO_TO(expire);
    GO_TO(i->run);
  }

  // An indirect jump to h.pc; the jump is counted.
  INSTRUCTION(go_to_pc) {
    if (h.left <= 0) [[unlikely]] {
      h.resume = h.at = nullptr;
      h.stopped = stop::quantum;
      return;
    }
    if (inst const* const first = h.code->jump(h.pc)) {
      i = first;
      GO_TO(i->run);
    }
    h.stopped = stop::lookup;
  }

  // An illegal word, or illegal operands; request.address is the word for the former only.
  static void illegal_word(hart& h, inst const* i) noexcept {
    h.request = {};
    h.request.address = immediate(i);
    leave(h, i, stop::illegal);
  }
  INSTRUCTION(illegal) {
    (void)memory;
    illegal_word(h, i);
  }
};

}  // namespace tess::machine
