// line_right: the rights of a cache to a line that other caches may have, and requests for more.
//
//   Without a directory every cached line may be written; with one, only `exclusive` lines (l2_private.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tess::machine {

enum class line_right : std::uint8_t {
  none,       ///< Not cached.
  shared,     ///< Readable; other caches may have the line.
  exclusive,  ///< Writable; no other cache has the line.
};

/// A request for a line.
struct line_fetch {
  std::uint64_t address = 0;
  std::span<std::byte> into;                 ///< All of it.
  line_right right = line_right::exclusive;  ///< Requested; after the fetch the granted right, which may be larger.
  bool held = false;                         ///< `into` already has the bytes, of a shared line.
  bool dirty = false;                        ///< After the fetch: memory has older bytes, another cache had written.
};

}  // namespace tess::machine
