// line_right: what a cache may do with a line that others have too, and how it asks for more.
//
//   Without a directory every line that is here may be written; with one, only `exclusive` lines (l2_mesi.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tess::machine {

enum class line_right : std::uint8_t {
  none,       ///< Not here.
  shared,     ///< May be read; others may have it too.
  exclusive,  ///< May be written; nobody else has it.
};

/// A line that is asked for.
struct line_fetch {
  std::uint64_t address = 0;
  std::span<std::byte> into;                 ///< All of it.
  line_right right = line_right::exclusive;  ///< Wanted; when it has come, granted: more perhaps, never less.
  bool held = false;                         ///< `into` has the bytes already, as a shared line's.
};

}  // namespace tess::machine
