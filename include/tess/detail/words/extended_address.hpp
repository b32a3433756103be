// extended_address: addresses that include an address space; the portable version, for machines without them.
//
//   Words of another place may need other instructions than local words. An architecture that has such
//   instructions encodes the address space in unused bits of a window's address. Each try_ function below returns true
//   if it has performed the operation; otherwise the caller uses ordinary loads, stores and atomics at `address`.
//   begin() starts an operation whose result take() gives later, or returns -1.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__riscv)
#include "tess/machine/extended_address.hpp"
#else
#include "tess/detail/words/word_op.hpp"
#endif

namespace tess::detail {

#if defined(__riscv)
namespace extended_address = machine::extended_address;

/// The address from which the bytes of a window, or at an offset in it, can be copied.
[[nodiscard]] inline std::byte* bytes_of_window(std::uint64_t window) noexcept {
  return reinterpret_cast<std::byte*>(window & extended_address::address_mask);
}
#else
namespace extended_address {
template <class W>
constexpr bool try_load(std::byte*&, W&) noexcept {
  return false;
}
template <class W>
constexpr bool try_store(std::byte*&, W) noexcept {
  return false;
}
template <class T>
constexpr bool try_compare_swap(std::byte*&, T&, T) noexcept {
  return false;
}
template <word_op Op, class T>
constexpr bool try_atomic(std::byte*&, T&, T) noexcept {
  return false;
}
template <word_op Op, class T>
constexpr std::int64_t begin(std::byte*, T, T) noexcept {
  return -1;
}
template <class T>
constexpr T take(std::int64_t) noexcept {
  return {};
}
}  // namespace extended_address

[[nodiscard]] inline std::byte* bytes_of_window(std::uint64_t window) noexcept {
  return reinterpret_cast<std::byte*>(window);
}
#endif

}  // namespace tess::detail
