// copy_line: copies a cache line; the usual sizes are inlined.
#pragma once

#include <cstddef>
#include <cstring>

namespace tess::machine {

inline void copy_line(std::byte* to, std::byte const* from, std::size_t bytes) noexcept {
  switch (bytes) {
    case 16:
      std::memcpy(to, from, 16);
      break;
    case 32:
      std::memcpy(to, from, 32);
      break;
    case 64:
      std::memcpy(to, from, 64);
      break;
    case 0:  // nothing to copy, and `to` may be null
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

}  // namespace tess::machine
