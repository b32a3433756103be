// members: the members of an aggregate, found by structured bindings, and their names, found by their addresses.
//
//   Up to 64 members. Types that are not plain aggregates list theirs in TESS_OBJECT (tess/object.hpp).
//
// Errors  a type that cannot be decomposed is a compile error; the compiler prints the line of this file that says why.
// Cost    compile time: several instantiations per member.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tess::detail {

/// Converts to the type of any member, for counting initialisers.
struct any_member {
  template <class T>
  constexpr operator T&() const& noexcept;
  template <class T>
  constexpr operator T&&() const&& noexcept;
};

template <class T, std::size_t... I>
consteval bool takes_initialisers(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), any_member{})...}; };
}

inline constexpr std::size_t members_max = 64;

/// The possible number of initialisers, up to members_max + 1: an array takes one for each element.
template <class T, std::size_t N = 0>
consteval std::size_t count_initialisers() {
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-inline"
#endif
  if constexpr (N > members_max)
    return N;
  else if constexpr (takes_initialisers<T>(std::make_index_sequence<N + 1>{}))
    return count_initialisers<T, N + 1>();
  else
    return N;
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
}

// clang-format off
#define TESS_EIGHT {}, {}, {}, {}, {}, {}, {}, {}
#define TESS_BRACES(n, ...)                                                                                          \
  else if constexpr (N == (n)) {                                                                                     \
    if constexpr (!requires { T{__VA_ARGS__}; })                                                                     \
      return N - 1;                                                                                                  \
    else if constexpr (N < members_max)                                                                              \
      return count_braces<T, N + 1>();                                                                               \
    else                                                                                                             \
      return N;                                                                                                      \
  }
/// The possible number of empty braces: one for each member, up to the first that needs more than that.
template <class T, std::size_t N = 1>
consteval std::size_t count_braces() {
  if constexpr (N == 0) {
    return 0;
  }
  TESS_BRACES(1, {})
  TESS_BRACES(2, {}, {})
  TESS_BRACES(3, {}, {}, {})
  TESS_BRACES(4, {}, {}, {}, {})
  TESS_BRACES(5, {}, {}, {}, {}, {})
  TESS_BRACES(6, {}, {}, {}, {}, {}, {})
  TESS_BRACES(7, {}, {}, {}, {}, {}, {}, {})
  TESS_BRACES(8, TESS_EIGHT)
  TESS_BRACES(9, TESS_EIGHT, {})
  TESS_BRACES(10, TESS_EIGHT, {}, {})
  TESS_BRACES(11, TESS_EIGHT, {}, {}, {})
  TESS_BRACES(12, TESS_EIGHT, {}, {}, {}, {})
  TESS_BRACES(13, TESS_EIGHT, {}, {}, {}, {}, {})
  TESS_BRACES(14, TESS_EIGHT, {}, {}, {}, {}, {}, {})
  TESS_BRACES(15, TESS_EIGHT, {}, {}, {}, {}, {}, {}, {})
  TESS_BRACES(16, TESS_EIGHT, TESS_EIGHT)
  TESS_BRACES(17, TESS_EIGHT, TESS_EIGHT, {})
  TESS_BRACES(18, TESS_EIGHT, TESS_EIGHT, {}, {})
  TESS_BRACES(19, TESS_EIGHT, TESS_EIGHT, {}, {}, {})
  TESS_BRACES(20, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {})
  TESS_BRACES(21, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {})
  TESS_BRACES(22, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {}, {})
  TESS_BRACES(23, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {}, {}, {})
  TESS_BRACES(24, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT)
  TESS_BRACES(25, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {})
  TESS_BRACES(26, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {})
  TESS_BRACES(27, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {})
  TESS_BRACES(28, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {})
  TESS_BRACES(29, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {})
  TESS_BRACES(30, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {}, {})
  TESS_BRACES(31, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {}, {}, {})
  TESS_BRACES(32, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT)
  TESS_BRACES(33, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {})
  TESS_BRACES(34, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {})
  TESS_BRACES(35, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {})
  TESS_BRACES(36, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {})
  TESS_BRACES(37, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {})
  TESS_BRACES(38, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {}, {})
  TESS_BRACES(39, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {}, {}, {})
  TESS_BRACES(40, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT)
  TESS_BRACES(41, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {})
  TESS_BRACES(42, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {})
  TESS_BRACES(43, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {})
  TESS_BRACES(44, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {})
  TESS_BRACES(45, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {})
  TESS_BRACES(46, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {}, {})
  TESS_BRACES(47, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {}, {}, {})
  TESS_BRACES(48, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT)
  TESS_BRACES(49, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {})
  TESS_BRACES(50, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {})
  TESS_BRACES(51, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {})
  TESS_BRACES(52, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {})
  TESS_BRACES(53, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {})
  TESS_BRACES(54, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {}, {})
  TESS_BRACES(55, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {}, {}, {}, {})
  TESS_BRACES(56, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT)
  TESS_BRACES(57, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {})
  TESS_BRACES(58, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {})
  TESS_BRACES(59, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {})
  TESS_BRACES(60, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, {}, {}, {}, {})
  TESS_BRACES(61, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT,
              {}, {}, {}, {}, {})
  TESS_BRACES(62, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT,
              {}, {}, {}, {}, {}, {})
  TESS_BRACES(63, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT,
              {}, {}, {}, {}, {}, {}, {})
  TESS_BRACES(64, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT, TESS_EIGHT)
}
#undef TESS_BRACES
#undef TESS_EIGHT
// clang-format on

/// The number of members, up to members_max + 1.
template <class T>
consteval std::size_t count_members() {
  constexpr std::size_t initialisers = count_initialisers<T>();
  constexpr std::size_t braces = count_braces<T>();
  if (braces == members_max && initialisers > members_max) return initialisers;
  // Fewer braces than initialisers: there are arrays, or a member without default constructor; the latter is rarer.
  if constexpr (!std::is_default_constructible_v<T> && braces < initialisers)
    return initialisers;
  else
    return braces;
}

// clang-format off
#define TESS_EIGHT(x) x##0, x##1, x##2, x##3, x##4, x##5, x##6, x##7
#define TESS_MEMBERS(n, ...)                                                                                         \
  else if constexpr (Count == (n)) {                                                                                 \
    auto& [__VA_ARGS__] = object; /* tess: a C array? use std::array. A base or a reference? list in TESS_OBJECT */  \
    return visit(__VA_ARGS__); /* tess: a bit-field cannot travel: use a whole integer */                            \
  }

/// Calls visit(members...).
template <std::size_t Count, class T, class Visit>
constexpr decltype(auto) with_members(T& object, Visit visit) {
  if constexpr (Count == 0) {
    return visit();
  }
  TESS_MEMBERS(1, a0)
  TESS_MEMBERS(2, a0, a1)
  TESS_MEMBERS(3, a0, a1, a2)
  TESS_MEMBERS(4, a0, a1, a2, a3)
  TESS_MEMBERS(5, a0, a1, a2, a3, a4)
  TESS_MEMBERS(6, a0, a1, a2, a3, a4, a5)
  TESS_MEMBERS(7, a0, a1, a2, a3, a4, a5, a6)
  TESS_MEMBERS(8, TESS_EIGHT(a))
  TESS_MEMBERS(9, TESS_EIGHT(a), b0)
  TESS_MEMBERS(10, TESS_EIGHT(a), b0, b1)
  TESS_MEMBERS(11, TESS_EIGHT(a), b0, b1, b2)
  TESS_MEMBERS(12, TESS_EIGHT(a), b0, b1, b2, b3)
  TESS_MEMBERS(13, TESS_EIGHT(a), b0, b1, b2, b3, b4)
  TESS_MEMBERS(14, TESS_EIGHT(a), b0, b1, b2, b3, b4, b5)
  TESS_MEMBERS(15, TESS_EIGHT(a), b0, b1, b2, b3, b4, b5, b6)
  TESS_MEMBERS(16, TESS_EIGHT(a), TESS_EIGHT(b))
  TESS_MEMBERS(17, TESS_EIGHT(a), TESS_EIGHT(b), c0)
  TESS_MEMBERS(18, TESS_EIGHT(a), TESS_EIGHT(b), c0, c1)
  TESS_MEMBERS(19, TESS_EIGHT(a), TESS_EIGHT(b), c0, c1, c2)
  TESS_MEMBERS(20, TESS_EIGHT(a), TESS_EIGHT(b), c0, c1, c2, c3)
  TESS_MEMBERS(21, TESS_EIGHT(a), TESS_EIGHT(b), c0, c1, c2, c3, c4)
  TESS_MEMBERS(22, TESS_EIGHT(a), TESS_EIGHT(b), c0, c1, c2, c3, c4, c5)
  TESS_MEMBERS(23, TESS_EIGHT(a), TESS_EIGHT(b), c0, c1, c2, c3, c4, c5, c6)
  TESS_MEMBERS(24, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c))
  TESS_MEMBERS(25, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), d0)
  TESS_MEMBERS(26, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), d0, d1)
  TESS_MEMBERS(27, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), d0, d1, d2)
  TESS_MEMBERS(28, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), d0, d1, d2, d3)
  TESS_MEMBERS(29, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), d0, d1, d2, d3, d4)
  TESS_MEMBERS(30, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), d0, d1, d2, d3, d4, d5)
  TESS_MEMBERS(31, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), d0, d1, d2, d3, d4, d5, d6)
  TESS_MEMBERS(32, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d))
  TESS_MEMBERS(33, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), e0)
  TESS_MEMBERS(34, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), e0, e1)
  TESS_MEMBERS(35, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), e0, e1, e2)
  TESS_MEMBERS(36, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), e0, e1, e2, e3)
  TESS_MEMBERS(37, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), e0, e1, e2, e3, e4)
  TESS_MEMBERS(38, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), e0, e1, e2, e3, e4, e5)
  TESS_MEMBERS(39, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), e0, e1, e2, e3, e4, e5, e6)
  TESS_MEMBERS(40, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e))
  TESS_MEMBERS(41, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), f0)
  TESS_MEMBERS(42, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), f0, f1)
  TESS_MEMBERS(43, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), f0, f1, f2)
  TESS_MEMBERS(44, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), f0, f1, f2, f3)
  TESS_MEMBERS(45, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), f0, f1, f2, f3, f4)
  TESS_MEMBERS(46, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), f0, f1, f2, f3, f4, f5)
  TESS_MEMBERS(47, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), f0,
               f1, f2, f3, f4, f5, f6)
  TESS_MEMBERS(48, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f))
  TESS_MEMBERS(49, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f), g0)
  TESS_MEMBERS(50, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f), g0, g1)
  TESS_MEMBERS(51, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               g0, g1, g2)
  TESS_MEMBERS(52, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               g0, g1, g2, g3)
  TESS_MEMBERS(53, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               g0, g1, g2, g3, g4)
  TESS_MEMBERS(54, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               g0, g1, g2, g3, g4, g5)
  TESS_MEMBERS(55, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               g0, g1, g2, g3, g4, g5, g6)
  TESS_MEMBERS(56, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               TESS_EIGHT(g))
  TESS_MEMBERS(57, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               TESS_EIGHT(g), h0)
  TESS_MEMBERS(58, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               TESS_EIGHT(g), h0, h1)
  TESS_MEMBERS(59, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               TESS_EIGHT(g), h0, h1, h2)
  TESS_MEMBERS(60, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               TESS_EIGHT(g), h0, h1, h2, h3)
  TESS_MEMBERS(61, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               TESS_EIGHT(g), h0, h1, h2, h3, h4)
  TESS_MEMBERS(62, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               TESS_EIGHT(g), h0, h1, h2, h3, h4, h5)
  TESS_MEMBERS(63, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               TESS_EIGHT(g), h0, h1, h2, h3, h4, h5, h6)
  TESS_MEMBERS(64, TESS_EIGHT(a), TESS_EIGHT(b), TESS_EIGHT(c), TESS_EIGHT(d), TESS_EIGHT(e), TESS_EIGHT(f),
               TESS_EIGHT(g), TESS_EIGHT(h))
}
#undef TESS_MEMBERS
#undef TESS_EIGHT
// clang-format on

/// An object that is never created: only the addresses of its members are used, at compile time.
template <class T>
union unmade {
  constexpr unmade() noexcept : nothing{} {}
  constexpr ~unmade() noexcept {}
  char nothing;
  T object;
};
template <class T>
inline constexpr unmade<T> unmade_object{};

/// The name of the member that has this address.
template <auto* Member>
consteval std::string_view member_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(0, text.rfind(']'));
  return text.substr(text.rfind('.') + 1);
}

template <class T>
consteval std::string_view type_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find("T = ") + 4);
  return text.substr(0, text.rfind(']'));
}

/// The type's name without namespaces and template arguments.
template <class T>
consteval std::string_view short_name() {
  std::string_view text = type_name<T>();
  text = text.substr(0, text.find('<'));
  std::size_t const last = text.rfind("::");
  return last == std::string_view::npos ? text : text.substr(last + 2);
}

}  // namespace tess::detail
