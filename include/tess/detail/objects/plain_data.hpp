// plain_data: marks classes that travel as bytes although their members cannot be inspected.
//
//   Aggregates need no mark: their members are inspected. A trivially copyable class with private members may hide a
//   pointer, so it must state that it holds none: template <> inline constexpr bool tess::plain_data<money> = true;
#pragma once

#include <concepts>
#include <type_traits>

namespace tess {

/// Specialise this for trivially copyable classes that hold no pointer.
template <class T>
inline constexpr bool plain_data = false;

namespace detail {

/// std::complex and similar types: two numbers side by side.
template <class T>
concept complex_number = std::is_trivially_copyable_v<T> && requires(T const z) {
  requires std::is_floating_point_v<typename T::value_type>;
  requires sizeof(T) == 2 * sizeof(typename T::value_type);
  { z.real() } -> std::same_as<typename T::value_type>;
  { z.imag() } -> std::same_as<typename T::value_type>;
};

}  // namespace detail

}  // namespace tess
