// extended_address: operations on words of other tiles, by addresses that carry an xBGAS object.
//
//   The window of another tile's segment (src/fabric/tile/words.hpp) is a global address with an object above it. If
//   the object is a place's number + 1, each operation is one xBGAS instruction on {object, address}. If it is `flat`,
//   loads, stores and AMOs use the plain address, whose home performs them; LR and SC only work within a tile, so
//   compare-and-swap is a command of the tile's adapter. An address without an object is memory of the own tile.
//
// Bits    0-46 address: programs have no higher ones; 47-59 object; 60-63 belong to word_call.
// Errors  traps of the machine, whose report names place and offset.
// Source  docs/machine/rae.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tess/detail/words/word_op.hpp"
#include "tess/machine/xbgas.hpp"
#include "tess/machine/xbgas_begin.hpp"

namespace tess::machine::extended_address {

constexpr unsigned address_bits = 47;
constexpr std::uint64_t flat = (std::uint64_t{1} << (60 - address_bits)) - 1;
constexpr std::uint64_t address_mask = (std::uint64_t{1} << address_bits) - 1;

/// The address has an object: it is of another tile.
[[nodiscard, gnu::always_inline]] inline bool has_object(std::byte const* address) noexcept {
  return reinterpret_cast<std::uint64_t>(address) >> address_bits != 0;
}
/// Removes the object from the address and returns it.
[[nodiscard, gnu::always_inline]] inline std::uint64_t split(std::byte*& address) noexcept {
  auto const both = reinterpret_cast<std::uint64_t>(address);
  address = reinterpret_cast<std::byte*>(both & address_mask);
  return both >> address_bits;
}

/// By the adapter, on 4 or 8 bytes; returns the old value, zero-extended.
[[nodiscard]] std::uint64_t compare_swap_flat(std::byte* address, std::size_t bytes, std::uint64_t expected,
                                              std::uint64_t desired) noexcept;

/// Compare-and-swap on a word of an object; returns the old value.
template <class T>
[[gnu::always_inline]] inline T compare_swap(std::uint64_t object, std::byte* address, T expected, T desired) noexcept {
  using bits = std::make_unsigned_t<T>;
  if (object == flat)
    return static_cast<T>(
        compare_swap_flat(address, sizeof(T), static_cast<bits>(expected), static_cast<bits>(desired)));
  return xbgas::compare_swap(object, reinterpret_cast<T*>(address), expected, desired);
}

/// An atomic operation on a word of an object; returns the old value.
template <detail::word_op Op, class T>
[[gnu::always_inline]] inline T atomic(std::uint64_t object, std::byte* address, T a, T b) noexcept {
  using detail::word_op;
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

/// Begins an operation on an integer of 4 or 8 bytes of an object, and gives the ticket of its old value; no_ticket if
/// it has not begun: the address has no object or is flat, or no ticket is free. A put is a swap.
template <detail::word_op Op, class T>
[[gnu::always_inline]] inline xbgas::ticket begin(std::byte* address, T a, T b) noexcept {
  using detail::word_op;
  if (!has_object(address)) return xbgas::no_ticket;
  std::uint64_t const object = split(address);
  if (object == flat) [[unlikely]]
    return xbgas::no_ticket;
  auto* const word = reinterpret_cast<T*>(address);
  if constexpr (Op == word_op::get) return xbgas::begin_get(object, word);
  if constexpr (Op == word_op::put || Op == word_op::exchange) return xbgas::begin_swap(object, word, a);
  if constexpr (Op == word_op::fetch_add) return xbgas::begin_fetch_add(object, word, a);
  if constexpr (Op == word_op::fetch_and) return xbgas::begin_fetch_and(object, word, a);
  if constexpr (Op == word_op::fetch_or) return xbgas::begin_fetch_or(object, word, a);
  if constexpr (Op == word_op::fetch_xor) return xbgas::begin_fetch_xor(object, word, a);
  if constexpr (Op == word_op::compare_swap) return xbgas::begin_compare_swap(object, word, a, b);
  if constexpr (Op == word_op::fetch_min)
    return std::is_signed_v<T> ? xbgas::begin_fetch_min(object, word, a)
                               : xbgas::begin_fetch_min_unsigned(object, word, a);
  if constexpr (Op == word_op::fetch_max)
    return std::is_signed_v<T> ? xbgas::begin_fetch_max(object, word, a)
                               : xbgas::begin_fetch_max_unsigned(object, word, a);
}

/// The old value of an operation that begin() began on this hart; waits for it.
template <class T>
[[gnu::always_inline]] inline T take(xbgas::ticket begun) noexcept {
  return xbgas::take<T>(begun);
}

/// These return false if the processor's ordinary instructions perform the operation. In any case they remove the
/// object from the address.
template <class W>
[[gnu::always_inline]] inline bool try_load(std::byte*& address, W& value) noexcept {
  if (!has_object(address)) return false;
  std::uint64_t const object = split(address);
  if (object == flat) return false;
  value = xbgas::get(object, reinterpret_cast<W*>(address));
  return true;
}

/// As try_load().
template <class W>
[[gnu::always_inline]] inline bool try_store(std::byte*& address, W value) noexcept {
  if (!has_object(address)) return false;
  std::uint64_t const object = split(address);
  if (object == flat) return false;
  xbgas::put(object, reinterpret_cast<W*>(address), value);
  return true;
}

/// `expected` becomes the old value.
template <class T>
[[gnu::always_inline]] inline bool try_compare_swap(std::byte*& address, T& expected, T desired) noexcept {
  if (!has_object(address)) return false;
  std::uint64_t const object = split(address);
  expected = compare_swap<T>(object, address, expected, desired);
  return true;
}

/// `a` becomes the old value. compare_swap stores b if the word equals a.
template <detail::word_op Op, class T>
[[gnu::always_inline]] inline bool try_atomic(std::byte*& address, T& a, T b) noexcept {
  using detail::word_op;
  if (has_object(address)) {
    std::uint64_t const object = split(address);
    if (object != flat || Op == word_op::compare_swap) {
      a = atomic<Op, T>(object, address, a, b);
      return true;
    }
  }
  // One AMO each, which the word's home performs; std::atomic_ref has neither.
  auto* const word = reinterpret_cast<T*>(address);
  if constexpr (Op == word_op::fetch_min) a = __atomic_fetch_min(word, a, __ATOMIC_SEQ_CST);
  if constexpr (Op == word_op::fetch_max) a = __atomic_fetch_max(word, a, __ATOMIC_SEQ_CST);
  return Op == word_op::fetch_min || Op == word_op::fetch_max;
}

}  // namespace tess::machine::extended_address
