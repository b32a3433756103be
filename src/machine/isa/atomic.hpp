// atomic: the result of an AMO on a word; for every home of words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "machine/hart/hart.hpp"

namespace tess::machine {

template <class T>
T combined(atomic_operation operation, T old, T operand) noexcept {
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
