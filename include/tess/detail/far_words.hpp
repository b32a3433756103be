// far_words: words of other tiles of a simulated machine, and how an operation on one is done.
//
//   A window of another tile's segment (src/fabric/tile/tile.cpp) is a global address with an *object* above it. Where
//   that is a place's number + 1, an operation is one instruction of xBGAS, {object, address}. Where it is `flat`,
//   loads, stores and AMOs go to the address itself, whose home does them; LR and SC work in the own tile only, so
//   compare-and-swap is a command of the tile's adapter. Without an object an address is memory of the own tile, or of
//   no machine.
//
// Bits    0-46 the address: programs have no higher ones; 47-59 the object. Those above are word_call's.
// Errors  traps of the machine, whose report names place and offset.
// Source  docs/machine/rae.md.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__riscv)
#include <type_traits>

#include "tess/detail/word_op.hpp"
#include "tess/machine/xbgas.hpp"
#endif

namespace tess::detail {

namespace far_words {
constexpr unsigned address_bits = 47;
constexpr std::uint64_t flat = (std::uint64_t{1} << (60 - address_bits)) - 1;
constexpr std::uint64_t address_mask = (std::uint64_t{1} << address_bits) - 1;
}  // namespace far_words

/// Where the bytes of a window, or at some distance in it, can be copied.
[[nodiscard]] inline std::byte* bytes_of_window(std::uint64_t window) noexcept {
#if defined(__riscv)
  window &= far_words::address_mask;
#endif
  return reinterpret_cast<std::byte*>(window);
}

#if defined(__riscv)
namespace far_words {

[[nodiscard, gnu::always_inline]] inline bool is_far(std::byte const* address) noexcept {
  return reinterpret_cast<std::uint64_t>(address) >> address_bits != 0;
}
/// The object, and without it the address.
[[nodiscard, gnu::always_inline]] inline std::uint64_t take_object(std::byte*& address) noexcept {
  auto const both = reinterpret_cast<std::uint64_t>(address);
  address = reinterpret_cast<std::byte*>(both & address_mask);
  return both >> address_bits;
}

template <class W>
[[gnu::always_inline]] inline W load(std::uint64_t object, std::byte* address) noexcept {
  return machine::xbgas::get(object, reinterpret_cast<W*>(address));
}
template <class W>
[[gnu::always_inline]] inline void store(std::uint64_t object, std::byte* address, W value) noexcept {
  machine::xbgas::put(object, reinterpret_cast<W*>(address), value);
}

/// By the adapter; of 4 or 8 bytes, which are returned as they were, zero-extended.
[[nodiscard]] std::uint64_t compare_swap_flat(std::byte* address, std::size_t bytes, std::uint64_t expected,
                                              std::uint64_t desired) noexcept;

/// Gives what was there.
template <class T>
[[gnu::always_inline]] inline T compare_swap(std::uint64_t object, std::byte* address, T expected, T desired) noexcept {
  using bits = std::make_unsigned_t<T>;
  if (object == flat)
    return static_cast<T>(
        compare_swap_flat(address, sizeof(T), static_cast<bits>(expected), static_cast<bits>(desired)));
  return machine::xbgas::compare_swap(object, reinterpret_cast<T*>(address), expected, desired);
}

/// Gives what was there. compare_swap stores b if the word equals a.
template <word_op Op, class T>
[[gnu::always_inline]] inline T atomic(std::uint64_t object, std::byte* address, T a, T b) noexcept {
  namespace xbgas = machine::xbgas;
  auto* const word = reinterpret_cast<T*>(address);
  if constexpr (Op == word_op::fetch_add) return xbgas::fetch_add(object, word, a);
  if constexpr (Op == word_op::fetch_and) return xbgas::fetch_and(object, word, a);
  if constexpr (Op == word_op::fetch_or) return xbgas::fetch_or(object, word, a);
  if constexpr (Op == word_op::fetch_xor) return xbgas::fetch_xor(object, word, a);
  if constexpr (Op == word_op::exchange) return xbgas::swap(object, word, a);
  if constexpr (Op == word_op::fetch_min)
    return std::is_signed_v<T> ? xbgas::fetch_min(object, word, a) : xbgas::fetch_min_unsigned(object, word, a);
  if constexpr (Op == word_op::compare_swap) return compare_swap(object, address, a, b);
  if constexpr (Op == word_op::fetch_max)
    return std::is_signed_v<T> ? xbgas::fetch_max(object, word, a) : xbgas::fetch_max_unsigned(object, word, a);
}

}  // namespace far_words
#endif

}  // namespace tess::detail
