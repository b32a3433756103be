// overwrite: bytes that change without time in every copy of their lines that is on its way between caches and memory.
//
//   System calls write what no message carries. A line that is just on its way, or will be sent by what is waiting,
//   must say the same as the memory and the caches when it comes.
//
// Units     global addresses, bytes.
// Threads   one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tess::machine {

struct overwrite {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::byte const* from = nullptr;  ///< Null: zeros.

  /// To a copy of the line that begins at `line`, as far as it has these bytes.
  void apply(std::uint64_t line, std::span<std::byte> copy) const noexcept {
    std::uint64_t const begin = std::max(address, line);
    std::uint64_t const end = std::min(address + bytes, line + copy.size());
    if (begin >= end) return;
    std::byte* const to = copy.data() + (begin - line);
    if (from == nullptr) {
      std::fill_n(to, end - begin, std::byte{});
    } else {
      std::copy_n(from + (begin - address), end - begin, to);
    }
  }
};

}  // namespace tess::machine
