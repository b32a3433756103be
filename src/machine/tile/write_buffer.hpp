// write_buffer: a hart's stores on the way to the bus: completion times of the last ones, and stores to the TLM and
// the L2 that are still to happen because the hart ran ahead of them.
//
// Shapes    both are rings of `entries`.
// Units     cycles of the tile's clock.
// Threads   one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "machine/cache/l1_cache.hpp"

namespace tess::machine {

/// A hart that goes on by guesses, until it is told that one may be wrong (docs/internals/machine.md, 3).
class guesser {
 public:
  virtual ~guesser() = default;
  /// A line that it has counted on is about to be lost.
  virtual void loses_line() = 0;
};

struct write_buffer {
  static constexpr std::size_t entries = 8;
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  /// A store that is still to happen.
  struct posted_store {
    std::uint64_t cycle;
    std::uint64_t value;
    std::byte* at;
    std::size_t bytes;

    /// 1, 2, 4 or 8 bytes; constant sizes avoid a call.
    void execute() const noexcept {
      switch (bytes) {
        case 8:
          std::memcpy(at, &value, 8);
          break;
        case 4:
          std::memcpy(at, &value, 4);
          break;
        case 2:
          std::memcpy(at, &value, 2);
          break;
        default:
          std::memcpy(at, &value, 1);
      }
    }
  };

  /// The cycle from which an entry is free for a store of this cycle: it reuses the entry of `entries` stores before.
  [[nodiscard]] std::uint64_t free_from(std::uint64_t cycle) const noexcept {
    return std::max(done[(next_done + posted_count) % entries], cycle);
  }
  void add_done(std::uint64_t cycle) noexcept {
    done[next_done] = cycle;
    next_done = (next_done + 1) % entries;
  }
  void post(std::uint64_t cycle, std::uint64_t value, std::byte* at, std::size_t bytes) noexcept {
    // Field by field: each is read again soon, alone.
    posted_store& added = posted[(first_posted + posted_count++) % entries];
    added.cycle = cycle;
    added.value = value;
    added.at = at;
    added.bytes = bytes;
  }
  /// The last stores that were posted do not happen.
  void take_back(std::size_t count) noexcept { posted_count -= count; }
  posted_store const& take_first() noexcept {
    posted_store const& first = posted[first_posted];
    first_posted = (first_posted + 1) % entries;
    --posted_count;
    return first;
  }
  /// Cycle of the first store that is still to happen.
  [[nodiscard]] std::uint64_t first_cycle() const noexcept {
    return posted_count == 0 ? never : posted[first_posted].cycle;
  }

  /// Replaces in a copy of the bytes behind `from` what posted stores will write there.
  void overlay(std::byte const* from, std::span<std::byte> bytes) const noexcept {
    for (std::size_t i = 0; i < posted_count; ++i) {
      posted_store const& one = posted[(first_posted + i) % entries];
      for (std::size_t k = 0; k < one.bytes; ++k) {
        std::ptrdiff_t const offset = one.at + k - from;
        if (offset >= 0 && static_cast<std::size_t>(offset) < bytes.size())
          bytes[static_cast<std::size_t>(offset)] = static_cast<std::byte>(one.value >> (8 * k));
      }
    }
  }

  template <class Each>
  void each_posted(Each const& each) const {
    for (std::size_t i = 0; i < posted_count; ++i) each(posted[(first_posted + i) % entries]);
  }
  /// Is a store posted to such a byte?
  template <class Predicate>
  [[nodiscard]] bool any_posted(Predicate const& such) const noexcept {
    for (std::size_t i = 0; i < posted_count; ++i)
      if (such(posted[(first_posted + i) % entries].at)) return true;
    return false;
  }

  std::uint32_t rank = 0;     ///< The hart's, as an event.
  std::uint64_t own_bit = 0;  ///< The bit of the hart's data L1 among sharers.
  snooper* own = nullptr;     ///< That L1, which already has these values and later ones.
  guesser* by = nullptr;      ///< Null: no posted store is taken back.
  std::size_t next_done = 0;
  std::size_t first_posted = 0;
  std::size_t posted_count = 0;
  std::array<std::uint64_t, entries> done{};
  std::array<posted_store, entries> posted{};
};

}  // namespace tess::machine
