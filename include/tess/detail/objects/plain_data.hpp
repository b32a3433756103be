// plain_data: marks classes that travel as bytes although their members cannot be inspected.
//
//   Aggregates need no mark: their members are inspected. A trivially copyable class with private members may hide a
//   pointer, so it must state that it holds none: template <> inline constexpr bool tess::plain_data<money> = true;
#pragma once

namespace tess {

/// Specialise this for trivially copyable classes that hold no pointer.
template <class T>
inline constexpr bool plain_data = false;

}  // namespace tess
