// word_apply: the effect of word operations on memory; shared by the inlined window path and all fabrics.
//
//   All accesses are sequentially consistent, because an operation takes effect between its call and the end of its
//   co_await: a put must be visible to every place when its await ends (docs/internals/contract.md, 1).
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tess/detail/words/extended_address.hpp"
#include "tess/detail/words/word_op.hpp"

namespace tess::detail {

/// Integers, which support all operations.
template <class T>
concept word_integer =
    std::is_integral_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool> && (sizeof(T) == 4 || sizeof(T) == 8);

/// Floating point: fetch_add, fetch_min, fetch_max and exchange; comparisons of bits use the word as an integer.
template <class T>
concept word_float = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// Pointers that are one word: exchange and compare_swap, by their bits. global_ptr.hpp adds itself.
template <class T>
inline constexpr bool is_word_pointer = false;
template <class T>
concept word_pointer = is_word_pointer<T> && sizeof(T) == 8;

template <class T>
concept word_number = word_integer<T> || word_float<T>;
template <class T>
concept word_discrete = word_integer<T> || word_pointer<T>;

/// The types that get and put move: one word, or up to 16 bytes without atomicity.
template <class T>
concept word_copyable = std::is_trivially_copyable_v<T> && sizeof(T) <= 16;

template <class T>
inline constexpr bool single_word = sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0 && alignof(T) == sizeof(T);

template <std::size_t Bytes>
using word_of = std::conditional_t<
    Bytes == 8, std::uint64_t,
    std::conditional_t<Bytes == 4, std::uint32_t, std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>>>;

/// The orders that a load, a store and an atomic can have: an order of another kind of operation is made stronger. Each
/// use names a constant order, so that no code depends on its value at run time.
[[gnu::always_inline]] inline auto with_load_order(std::memory_order order, auto const& access) noexcept {
  if (order == std::memory_order_relaxed) return access(std::memory_order_relaxed);
  if (order == std::memory_order_acquire) return access(std::memory_order_acquire);
  return access(std::memory_order_seq_cst);
}
[[gnu::always_inline]] inline void with_store_order(std::memory_order order, auto const& access) noexcept {
  if (order == std::memory_order_relaxed)
    access(std::memory_order_relaxed);
  else if (order == std::memory_order_release)
    access(std::memory_order_release);
  else
    access(std::memory_order_seq_cst);
}
[[gnu::always_inline]] inline auto with_atomic_order(std::memory_order order, auto const& access) noexcept {
#if defined(__riscv)
  if (order == std::memory_order_relaxed) return access(std::memory_order_relaxed);
  if (order == std::memory_order_acquire) return access(std::memory_order_acquire);
  if (order == std::memory_order_release) return access(std::memory_order_release);
#endif
  // x86-64 has one instruction for all of them.
  static_cast<void>(order);
  return access(std::memory_order_seq_cst);
}

/// One access by the processor, at this or another place.
template <class W>
[[gnu::always_inline]] inline W load_piece(std::byte* address,
                                           std::memory_order order = std::memory_order_seq_cst) noexcept {
  if (W value{}; extended_address::try_load(address, value)) return value;
  return with_load_order(order,
                         [&](std::memory_order o) { return std::atomic_ref(*reinterpret_cast<W*>(address)).load(o); });
}
template <class W>
[[gnu::always_inline]] inline void store_piece(std::byte* address, W value,
                                               std::memory_order order = std::memory_order_seq_cst) noexcept {
  if (extended_address::try_store(address, value)) return;
  with_store_order(order,
                   [&](std::memory_order o) { std::atomic_ref(*reinterpret_cast<W*>(address)).store(value, o); });
}

template <class T>
[[gnu::always_inline]] inline T load_word(std::byte* address,
                                          std::memory_order order = std::memory_order_seq_cst) noexcept {
  // Values that are not a single word are copied in pieces, each of the type's alignment.
  constexpr std::size_t piece = single_word<T> ? sizeof(T) : alignof(T) < 8 ? alignof(T) : 8;
  T value;
  for (std::size_t i = 0; i < sizeof(T); i += piece) {
    auto const w = load_piece<word_of<piece>>(address + i, order);
    std::memcpy(reinterpret_cast<std::byte*>(&value) + i, &w, piece);
  }
  return value;
}

template <class T>
[[gnu::always_inline]] inline void store_word(std::byte* address, T const& value,
                                              std::memory_order order = std::memory_order_seq_cst) noexcept {
  constexpr std::size_t piece = single_word<T> ? sizeof(T) : alignof(T) < 8 ? alignof(T) : 8;
  for (std::size_t i = 0; i < sizeof(T); i += piece) {
    word_of<piece> w;
    std::memcpy(&w, reinterpret_cast<std::byte const*>(&value) + i, piece);
    store_piece(address + i, w, order);
  }
}

/// Stores `desired` if the word equals `expected`; afterwards `expected` is the previous value of the word.
template <class T>
bool compare_swap_word(std::byte* address, T& expected, T desired, std::memory_order order) noexcept {
  if (T before = expected; extended_address::try_compare_swap(address, before, desired))
    return std::exchange(expected, before) == before;
  return with_atomic_order(order, [&](std::memory_order o) {
    return std::atomic_ref<T>(*reinterpret_cast<T*>(address)).compare_exchange_strong(expected, desired, o);
  });
}

/// Returns the old value. compare_swap stores b if the word equals a.
template <word_op Op, word_integer T>
T apply_integer(std::byte* address, T a, T b, std::memory_order order = std::memory_order_seq_cst) noexcept {
  if (extended_address::try_atomic<Op>(address, a, b)) return a;
  if constexpr (Op == word_op::compare_swap) {
    compare_swap_word(address, a, b, order);
    return a;
  }
  std::atomic_ref<T> const word(*reinterpret_cast<T*>(address));
  if constexpr (Op == word_op::fetch_add)
    return with_atomic_order(order, [&](std::memory_order o) { return word.fetch_add(a, o); });
  if constexpr (Op == word_op::fetch_and)
    return with_atomic_order(order, [&](std::memory_order o) { return word.fetch_and(a, o); });
  if constexpr (Op == word_op::fetch_or)
    return with_atomic_order(order, [&](std::memory_order o) { return word.fetch_or(a, o); });
  if constexpr (Op == word_op::fetch_xor)
    return with_atomic_order(order, [&](std::memory_order o) { return word.fetch_xor(a, o); });
  if constexpr (Op == word_op::exchange)
    return with_atomic_order(order, [&](std::memory_order o) { return word.exchange(a, o); });
  if constexpr (Op == word_op::fetch_min || Op == word_op::fetch_max) {
    T old = with_load_order(order, [&](std::memory_order o) { return word.load(o); });
    while ((Op == word_op::fetch_min ? a < old : old < a) && !compare_swap_word(address, old, a, order)) {
    }
    return old;
  }
}

/// The same for floating point, for which processors have no atomics: a loop over compare-and-swap of the bits. A NaN
/// compares with nothing, so fetch_min and fetch_max neither store one nor replace one.
template <word_op Op, word_float T>
T apply_float(std::byte* address, T a, std::memory_order order = std::memory_order_seq_cst) noexcept {
  using bits = word_of<sizeof(T)>;
  bits old = load_piece<bits>(address, order);
  for (;;) {
    T const before = std::bit_cast<T>(old);
    T after = a;
    if constexpr (Op == word_op::fetch_add) after = before + a;
    if constexpr (Op == word_op::fetch_min || Op == word_op::fetch_max)
      if (!(Op == word_op::fetch_min ? a < before : before < a)) return before;
    if (compare_swap_word(address, old, std::bit_cast<bits>(after), order)) return before;
  }
}

/// Any atomic on any type that supports it.
template <word_op Op, class T>
T apply_word(std::byte* address, T a, T b, std::memory_order order = std::memory_order_seq_cst) noexcept {
  if constexpr (word_float<T>)
    return apply_float<Op, T>(address, a, order);
  else if constexpr (word_pointer<T>)
    return std::bit_cast<T>(apply_integer<Op, std::uint64_t>(address, std::bit_cast<std::uint64_t>(a),
                                                             std::bit_cast<std::uint64_t>(b), order));
  else
    return apply_integer<Op, T>(address, a, b, order);
}

/// The type of a word in a request to a fabric without windows.
enum class word_type : std::uint8_t { i32, u32, i64, u64, raw, f32, f64 };

template <class T>
constexpr word_type word_type_of() noexcept {
  if constexpr (word_float<T>)
    return sizeof(T) == 4 ? word_type::f32 : word_type::f64;
  else if constexpr (word_pointer<T>)
    return word_type::u64;
  else if constexpr (!word_integer<T>)
    return word_type::raw;
  else if constexpr (sizeof(T) == 4)
    return std::is_signed_v<T> ? word_type::i32 : word_type::u32;
  else
    return std::is_signed_v<T> ? word_type::i64 : word_type::u64;
}

/// A word operation without C++ types. `operands`: a and b, or the 16 bytes of a put.
struct word_request {
  word_op op;
  word_type type;
  std::uint8_t bytes;      ///< 1 to 16
  std::uint8_t alignment;  ///< of the type, at most 8
  std::uint64_t address;   ///< bits of the global_ptr
  std::uint64_t operands[2];
};

/// Performs a request on memory that this thread can access; stores the old value in `result`.
void apply_request(std::byte* address, word_request const& request, std::uint64_t (&result)[2]) noexcept;

}  // namespace tess::detail
