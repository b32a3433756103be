// plain_data: which classes travel as their bytes although their members cannot be seen.
//
//   Aggregates need nothing: their members are looked at. A trivially copyable class with private members may hide a
//   pointer, so it says that it holds none: template <> inline constexpr bool tess::plain_data<money> = true;
#pragma once

namespace tess {

/// Specialise for trivially copyable classes that hold no pointer.
template <class T>
inline constexpr bool plain_data = false;

}  // namespace tess
