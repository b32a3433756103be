// begun: common code of test programs: effects and results of nonblocking operations, and their maximum number.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <tess/machine/xbgas_begin.hpp>
#include <type_traits>

namespace begun {

namespace xbgas = tess::machine::xbgas;
using word = std::uint64_t;

inline word wrong = 0;

inline void check(char const* what, word got, word expected) {
  if (got == expected) return;
  if (++wrong < 10) std::printf("%s: %lx, not %lx\n", what, got, expected);
}

template <class T>
using begins = xbgas::ticket (*)(word, T*, T);
template <class T>
using posts = void (*)(word, T*, T);

// What each atomic leaves and gives back, on a word that only this copy uses.
template <class T>
void atomics(word object, T* there) {
  constexpr begins<T> begun[] = {
      xbgas::begin_swap<T>,      xbgas::begin_fetch_add<T>,          xbgas::begin_fetch_xor<T>,
      xbgas::begin_fetch_or<T>,  xbgas::begin_fetch_and<T>,          xbgas::begin_fetch_min<T>,
      xbgas::begin_fetch_max<T>, xbgas::begin_fetch_min_unsigned<T>, xbgas::begin_fetch_max_unsigned<T>};
  constexpr posts<T> posted[] = {
      xbgas::post_swap<T>,      xbgas::post_fetch_add<T>,          xbgas::post_fetch_xor<T>,
      xbgas::post_fetch_or<T>,  xbgas::post_fetch_and<T>,          xbgas::post_fetch_min<T>,
      xbgas::post_fetch_max<T>, xbgas::post_fetch_min_unsigned<T>, xbgas::post_fetch_max_unsigned<T>};
  word random = 0x9e3779b97f4a7c15;
  for (int i = 0; i < 4; ++i) {
    random = random * 6364136223846793005 + 1442695040888963407;
    T const old = static_cast<T>(random >> 11);
    T const with = static_cast<T>(random >> 29 ^ random);
    using S = std::make_signed_t<T>;
    bool const less = static_cast<S>(old) < static_cast<S>(with);
    T const after[] = {with,
                       static_cast<T>(old + with),
                       static_cast<T>(old ^ with),
                       static_cast<T>(old | with),
                       static_cast<T>(old & with),
                       less ? old : with,
                       less ? with : old,
                       old < with ? old : with,
                       old < with ? with : old};
    for (int k = 0; k < 9; ++k) {
      xbgas::put(object, there, old);
      check("old", xbgas::take<T>(begun[k](object, there, with)), old);
      check("after", xbgas::take<T>(xbgas::begin_get(object, there)), after[k]);
      xbgas::put(object, there, old);
      posted[k](object, there, with);
      xbgas::complete_all();
      check("posted", xbgas::get(object, there), after[k]);
    }
    xbgas::put(object, there, old);
    check("cas", xbgas::take<T>(xbgas::begin_compare_swap(object, there, static_cast<T>(old + 1), with)), old);
    check("kept", xbgas::get(object, there), old);
    check("cas", xbgas::take<T>(xbgas::begin_compare_swap(object, there, old, with)), old);
    check("changed", xbgas::get(object, there), with);
  }
}

// As many tickets as there are, and not one more.
inline void full_table(word object, word* there) {
  std::array<xbgas::ticket, xbgas::tickets> held{};
  xbgas::put(object, there, 0);
  for (auto& one : held) one = xbgas::begin_fetch_add(object, there, 1);
  for (std::size_t i = 0; i < held.size(); ++i) check("ticket", static_cast<word>(held[i]), i);
  check("no ticket", static_cast<word>(xbgas::begin_fetch_add(object, there, 1)), ~word{0});
  word sum = 0;
  while (!xbgas::is_done(held[40])) {
  }
  sum += xbgas::take<word>(held[40]);
  check("freed", static_cast<word>(xbgas::begin_fetch_add(object, there, 1)), 40);
  for (auto const one : held) sum += xbgas::take<word>(one);
  check("olds", sum, 64 * 65 / 2);
  // Posted ones wait for a slot, and do not take tickets.
  for (int i = 0; i < 300; ++i) xbgas::post_fetch_add(object, there, 1);
  xbgas::complete_all();
  check("posts", xbgas::get(object, there), 365);
}

}  // namespace begun
