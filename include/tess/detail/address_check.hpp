// address_check: looks for addresses of this process in the bytes of a callable and its arguments before they travel.
//
//   What the type of a callable shows is refused by the compiler (unchecked.hpp). The rest is looked at here: words
//   that point into a stack, a task's frame, the heap or other memory of the process. Looked at are
//
//   - in every build, parts of up to 64 bytes whose type does not show what they hold: those marked by plain_data and
//     without padding, and `unchecked` callables that leave the process;
//   - in checked builds and with `--fabric checked`, every callable and argument that is copied as bytes, also integers
//     that were made from an address.
//
//   A word that is found is reported with the call's line, and the job's exit code becomes 1. Calls of the own place
//   are not looked at, nor is anything on simulated tiles.
//
// Cost     other builds, types that show what they hold: one load and one branch; none without captures and arguments.
//          A word that is looked at: two comparisons, and a system call (mincore) if it may be an address.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <utility>

#include "tess/detail/platform.hpp"
#include "tess/detail/tasks/call_time.hpp"
#include "tess/detail/tasks/worker.hpp"
#include "tess/unchecked.hpp"

namespace tess::detail {

/// One part of a call: its callable, or an argument.
struct travelling_part {
  void const* bytes;
  std::size_t count;
  std::uint64_t words;  ///< bit i: word i has no padding at its end, where something old may be
  bool unchecked;       ///< addresses are the caller's to answer for where both places are in one process
};
/// Reports the words that are addresses of this process.
void report_addresses(place_id target, travelling_part const& part, std::source_location at) noexcept;

template <class T>
inline constexpr bool is_unchecked = false;
template <class F>
inline constexpr bool is_unchecked<unchecked_callable<F>> = true;

template <class T>
using byte_array = std::array<unsigned char, sizeof(T)>;
/// Byte I of T holds a part of its value: that of a value made of zeros can be read in a constant expression.
template <class T, std::size_t I>
concept value_byte = requires {
  typename std::integral_constant<unsigned char,
                                  __builtin_bit_cast(byte_array<T>, __builtin_bit_cast(T, byte_array<T>{}))[I]>;
};

/// The words to look at; the first 64 of a long part.
template <class T>
consteval std::uint64_t words_without_padding() {
  constexpr std::size_t words = sizeof(T) / 8 < 64 ? sizeof(T) / 8 : 64;
  if constexpr (!made_of_bytes<T> || std::has_unique_object_representations_v<T>)
    return words == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << words) - 1;
  else
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (std::uint64_t{0} | ... | (std::uint64_t{value_byte<T, 8 * I + 7>} << I));
    }(std::make_index_sequence<words>());
}

inline constexpr std::size_t always_checked_bytes = 64;
/// The type does not show whether it holds an address.
template <class T>
inline constexpr bool may_hide_address = sizeof(T) <= always_checked_bytes && !made_of_bytes<T> &&
                                         (is_unchecked<T> || std::has_unique_object_representations_v<T>);

template <class T>
[[gnu::always_inline]] inline void check_part(place_id target, T const& part, std::source_location at) {
  if constexpr (std::is_trivially_copyable_v<T> && !std::is_empty_v<T> && sizeof(T) >= sizeof(void*)) {
#if defined(TESS_CHECKED) && TESS_CHECKED
    constexpr bool always = true;
#else
    constexpr bool always = may_hide_address<T>;
#endif
    if (always || self->checks_calls) [[unlikely]]
      report_addresses(target, {&part, sizeof(T), words_without_padding<T>(), is_unchecked<T>}, at);
  }
}

/// A call of F is looked at even where the job does not ask for it.
template <class F, class... Args>
consteval bool is_always_checked() {
#if defined(TESS_CHECKED) && TESS_CHECKED
  return true;
#else
  return may_hide_address<F> || (may_hide_address<Args> || ...);
#endif
}

/// Looks at a call of F with these arguments.
template <class F, class... Args>
[[gnu::always_inline]] inline void check_addresses([[maybe_unused]] place_id target,
                                                   [[maybe_unused]] std::source_location at,
                                                   [[maybe_unused]] F const& f, [[maybe_unused]] Args const&... args) {
  if constexpr (!is_of_runtime<F const>) {
#if !defined(__riscv)
    check_part(target, f, at);
    (check_part(target, args, at), ...);
#endif
  }
}

}  // namespace tess::detail
