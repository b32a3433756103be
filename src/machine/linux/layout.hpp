// layout: where stack, heap and mappings of a program begin, moved by a number, as systems move them by chance.
//
//   Which lines of a cache the stack shares with other data changes the time of a program by up to some per cent. Runs
//   of one program in several layouts show by how much; in a single one the difference of two programs may be just
//   that.
//   Layout 0 is the usual one. The same number gives the same layout, on every tile.
#pragma once

#include <algorithm>
#include <cstdint>

#include "machine/kernel/splitmix.hpp"
#include "machine/linux/user_memory.hpp"

namespace tess::machine {

// Bytes by which the beginnings are moved.
struct layout {
  std::uint64_t mappings = 0;  // down, with the stack: whole pages
  std::uint64_t stack = 0;     // further down: a multiple of 16
  std::uint64_t heap = 0;      // up: a multiple of 16
};

// The layout of a program with so many bytes of memory, of which the moves take at most a thirtieth.
constexpr layout layout_of(std::uint64_t number, std::uint64_t memory_bytes) noexcept {
  if (number == 0) return {};
  constexpr std::uint64_t alignment = 16;
  std::uint64_t const pages = std::clamp<std::uint64_t>(memory_bytes / 64 / user_page_bytes, 1, 64);
  std::uint64_t state = number;
  std::uint64_t const mappings = next_random(state) % pages * user_page_bytes;
  std::uint64_t const stack = next_random(state) % (user_page_bytes / alignment) * alignment;
  std::uint64_t const heap = next_random(state) % (pages * user_page_bytes / alignment) * alignment;
  return {mappings, stack, heap};
}

}  // namespace tess::machine
