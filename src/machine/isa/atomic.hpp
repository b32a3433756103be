// atomic: the atomic operations of the A extension, and the result of one on a word; for every home of words.
//
// Source    RISC-V Unprivileged ISA 20191213, 8.4.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace tess::machine {

enum class atomic_operation : std::uint8_t { swap, add, exclusive_or, conjunction, disjunction, min, max, minu, maxu };

template <class T>
constexpr T combined(atomic_operation operation, T old, T operand) noexcept {
  using signed_word = std::make_signed_t<T>;
  auto const a = static_cast<signed_word>(old);
  auto const b = static_cast<signed_word>(operand);
  switch (operation) {
    case atomic_operation::swap:
      return operand;
    case atomic_operation::add:
      return static_cast<T>(old + operand);
    case atomic_operation::exclusive_or:
      return old ^ operand;
    case atomic_operation::conjunction:
      return old & operand;
    case atomic_operation::disjunction:
      return old | operand;
    case atomic_operation::min:
      return static_cast<T>(std::min(a, b));
    case atomic_operation::max:
      return static_cast<T>(std::max(a, b));
    case atomic_operation::minu:
      return std::min(old, operand);
    case atomic_operation::maxu:
      return std::max(old, operand);
  }
  return old;
}

}  // namespace tess::machine
