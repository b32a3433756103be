// unchecked: a callable that travels although it holds an address, or what looks like one to the compiler.
//
//   A callable of `at`, `at_async`, `on_all_places` or a stream is executed at another place, where an address of this
//   one means nothing. Captures by reference and captured pointers, also inside structs, std::span, std::string_view
//   and iterators, are therefore compile errors. The compiler cannot look into unions (also that of
//   std::optional), bit-fields and std::complex, so a callable that captures these is refused, too: pass them as
//   arguments. What is right all the same says so:
//
//     co_await tess::at(p, tess::unchecked([&total] { ... }));   // only where both places are in one process
//
//   Checked runs look for addresses in the bytes of what travels, too (detail/address_check.hpp).
//
//   A class whose unions or bit-fields hold no address can say that once, by tess::plain_data (object.hpp), and so can
//   one with members of std::complex, which alone and in containers needs no mark.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "tess/detail/objects/plain_data.hpp"

namespace tess {

namespace detail {

/// The wrapper that `unchecked` makes.
template <class F>
struct unchecked_callable {
  F f;
  template <class... Args>
    requires std::invocable<F&, Args...>
  decltype(auto) operator()(Args&&... args) {
    return std::invoke(f, std::forward<Args>(args)...);
  }
  template <class... Args>
    requires std::invocable<F const&, Args...>
  decltype(auto) operator()(Args&&... args) const {
    return std::invoke(f, std::forward<Args>(args)...);
  }
};

/// A value of T can be made of bytes in a constant expression: no part of it is a reference, a pointer, a union or a
/// bit-field ([bit.cast], paragraph 3; clang also refuses bit-fields).
template <class T>
concept made_of_bytes =
    requires { typename std::bool_constant<(__builtin_bit_cast(T, std::array<unsigned char, sizeof(T)>{}), true)>; };

/// No part of T is an address of this process. clang makes no std::complex of bytes.
template <class T>
inline constexpr bool address_free = plain_data<T> || std::is_empty_v<T> || made_of_bytes<T> || complex_number<T>;
template <class T, std::size_t N>
inline constexpr bool address_free<std::array<T, N>> = address_free<T>;
template <class F>
inline constexpr bool address_free<unchecked_callable<F>> = true;
template <class T>
inline constexpr bool address_free<std::optional<T>> = address_free<T>;

}  // namespace detail

/// The same callable; what it captures is the caller's to answer for.
template <class F>
[[nodiscard]] auto unchecked(F f) {
  return detail::unchecked_callable<F>{std::move(f)};
}

}  // namespace tess
