// rv64m: multiplication and division, one function each, in the manual's order.
//
// Source    RISC-V Unprivileged ISA 20191213, chapter 7; table 7.1 for division by zero and overflow.
#pragma once

#include <limits>

#include "machine/hart/handlers.hpp"

namespace tess::machine {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

// Division by zero gives all ones, and the dividend as remainder; the only overflow gives the dividend, and remainder
// zero.
template <class T>
T quotient(T a, T b) noexcept {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>)
    if (a == std::numeric_limits<T>::min() && b == -1) return a;
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) noexcept {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

template <class Policy>
struct rv64m : flow<Policy> {
  INSTRUCTION(mul) {
    set_rd(h, i, rs1(h, i) * rs2(h, i));
    NEXT;
  }
  INSTRUCTION(mulh) {
    set_rd(h, i, static_cast<std::uint64_t>((int128{signed_rs1(h, i)} * signed_rs2(h, i)) >> 64U));
    NEXT;
  }
  INSTRUCTION(mulhsu) {
    std::uint64_t const high = static_cast<std::uint64_t>((uint128{rs1(h, i)} * rs2(h, i)) >> 64U);
    set_rd(h, i, high - (signed_rs1(h, i) < 0 ? rs2(h, i) : 0));
    NEXT;
  }
  INSTRUCTION(mulhu) {
    set_rd(h, i, static_cast<std::uint64_t>((uint128{rs1(h, i)} * rs2(h, i)) >> 64U));
    NEXT;
  }
  INSTRUCTION(div) {
    set_rd(h, i, static_cast<std::uint64_t>(quotient(signed_rs1(h, i), signed_rs2(h, i))));
    NEXT;
  }
  INSTRUCTION(divu) {
    set_rd(h, i, quotient(rs1(h, i), rs2(h, i)));
    NEXT;
  }
  INSTRUCTION(rem) {
    set_rd(h, i, static_cast<std::uint64_t>(remainder(signed_rs1(h, i), signed_rs2(h, i))));
    NEXT;
  }
  INSTRUCTION(remu) {
    set_rd(h, i, remainder(rs1(h, i), rs2(h, i)));
    NEXT;
  }
  INSTRUCTION(mulw) {
    set_rd(h, i, extended(low(rs1(h, i)) * low(rs2(h, i))));
    NEXT;
  }
  INSTRUCTION(divw) {
    set_rd(h, i, extended(static_cast<std::uint32_t>(quotient(signed_low(rs1(h, i)), signed_low(rs2(h, i))))));
    NEXT;
  }
  INSTRUCTION(divuw) {
    set_rd(h, i, extended(quotient(low(rs1(h, i)), low(rs2(h, i)))));
    NEXT;
  }
  INSTRUCTION(remw) {
    set_rd(h, i, extended(static_cast<std::uint32_t>(remainder(signed_low(rs1(h, i)), signed_low(rs2(h, i))))));
    NEXT;
  }
  INSTRUCTION(remuw) {
    set_rd(h, i, extended(remainder(low(rs1(h, i)), low(rs2(h, i)))));
    NEXT;
  }
};

}  // namespace tess::machine
