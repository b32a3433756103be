// overwrite: bytes that change without time in every copy of their lines in flight between caches and memory.
//
//   System calls write without messages. A line that is in flight, or waits to be sent, must match the memory and the
//   caches when it arrives.
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

  /// Applies the change to a copy of the line at `line`, as far as they overlap.
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
