// rv64a: LR, SC and the atomic memory operations, one function each, in the manual's order; Zawrs with them.
//
//   With time they execute at the word's home, never here: the hart stops with the request. Without time the policy may
//   do them in place. The policy or the home refuses misaligned ones.
//
// Source    RISC-V Unprivileged ISA 20191213, chapter 8; Zawrs 1.0.
#pragma once

#include "machine/hart/handlers.hpp"

namespace tess::machine {

template <class Policy>
struct rv64a : flow<Policy> {
  using flow<Policy>::leave;

  // The common function: `kind` distinguishes LR, SC and AMO.
  template <class T, stop Kind, atomic_operation Operation = atomic_operation::swap>
  INSTRUCTION(execute) {
    h.request = {.address = rs1(h, i),
                 .operand = static_cast<T>(rs2(h, i)),
                 .bytes = sizeof(T),
                 .rd = i->rd,
                 .to = destination::x_signed,
                 .operation = Operation,
                 .right = right_write};
    if constexpr (Policy::in_place_atomics) {
      std::uint64_t raw = 0;
      if (Policy::template atomic<T, Kind>(h, memory, raw)) [[likely]] {
        if constexpr (sizeof(T) == 4) raw = extended(low(raw));
        set_rd(h, i, raw);
        NEXT;
      }
    }
    leave(h, i, h.stopped == stop::none ? Kind : h.stopped);
  }

#define TESS_AMO(name, T, operation) \
  INSTRUCTION(name) { GO_TO((execute<T, stop::atomic, atomic_operation::operation>)); }

  INSTRUCTION(lr_w) { GO_TO((execute<std::uint32_t, stop::load_reserved>)); }
  INSTRUCTION(sc_w) { GO_TO((execute<std::uint32_t, stop::store_conditional>)); }
  TESS_AMO(amoswap_w, std::uint32_t, swap)
  TESS_AMO(amoadd_w, std::uint32_t, add)
  TESS_AMO(amoxor_w, std::uint32_t, exclusive_or)
  TESS_AMO(amoand_w, std::uint32_t, conjunction)
  TESS_AMO(amoor_w, std::uint32_t, disjunction)
  TESS_AMO(amomin_w, std::uint32_t, min)
  TESS_AMO(amomax_w, std::uint32_t, max)
  TESS_AMO(amominu_w, std::uint32_t, minu)
  TESS_AMO(amomaxu_w, std::uint32_t, maxu)
  INSTRUCTION(lr_d) { GO_TO((execute<std::uint64_t, stop::load_reserved>)); }
  INSTRUCTION(sc_d) { GO_TO((execute<std::uint64_t, stop::store_conditional>)); }
  TESS_AMO(amoswap_d, std::uint64_t, swap)
  TESS_AMO(amoadd_d, std::uint64_t, add)
  TESS_AMO(amoxor_d, std::uint64_t, exclusive_or)
  TESS_AMO(amoand_d, std::uint64_t, conjunction)
  TESS_AMO(amoor_d, std::uint64_t, disjunction)
  TESS_AMO(amomin_d, std::uint64_t, min)
  TESS_AMO(amomax_d, std::uint64_t, max)
  TESS_AMO(amominu_d, std::uint64_t, minu)
  TESS_AMO(amomaxu_d, std::uint64_t, maxu)
#undef TESS_AMO

  // Both wait for a write to the reserved word; `sto` may give up early, so it is a pause.
  INSTRUCTION(wrs_nto) {
    (void)memory;
    leave(h, i, stop::wait);
  }
  INSTRUCTION(wrs_sto) {
    (void)memory;
    leave(h, i, stop::pause);
  }
};

}  // namespace tess::machine
