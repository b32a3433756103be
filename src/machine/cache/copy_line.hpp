// copy_line: copies a cache line, or what a hart loads or stores; the usual sizes are inlined.
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

/// 1, 2, 4 or 8 bytes usually; fewer than 8 of an access to two lines.
inline void copy_word(void* to, void const* from, std::size_t bytes) noexcept {
  switch (bytes) {
    case 8:
      std::memcpy(to, from, 8);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 2:
      std::memcpy(to, from, 2);
      break;
    case 1:
      std::memcpy(to, from, 1);
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

}  // namespace tess::machine
