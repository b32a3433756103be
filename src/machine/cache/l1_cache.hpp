// l1_cache: one hart's L1, instructions or data: write-through, no allocation on a store, invalidated by snooping.
//
//   Its data is always in the L2 as well, so a line may be dropped at any time. Its lines are no longer than those of
//   the L2, which is inclusive: a line that leaves the L2 leaves the L1, too. The line that was filled longest ago is
//   replaced (LRR), so a hit changes no state. Owners of pointers to lines override dropped() to learn that a line
//   goes.
//
// Units     global addresses (docs/internals/machine.md, 1): the local window is relocated before.
// Cost      a find of cache_array.
// Threads   one.
// Source    the snooping write-through caches of LEON3, as NEMESYS (MEMSYS 2019), Table 2, has them.
#pragma once

#include "machine/cache/cache_array.hpp"
#include "machine/cache/copy_line.hpp"

namespace tess::machine {

/// What an inclusive cache needs of the cache above it.
class snooper {
 public:
  virtual ~snooper() = default;
  /// Drops all lines in [address, address + bytes).
  virtual void invalidate(std::uint64_t address, std::size_t bytes) = 0;
};

class l1_cache : public snooper {
 public:
  struct statistics {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t invalidations = 0;  ///< By snooping, by the L2 and by the program.
  };

  explicit l1_cache(cache_shape const& shape) : lines_(shape) {}

  [[nodiscard]] cache_shape const& shape() const noexcept { return lines_.shape(); }
  [[nodiscard]] std::uint64_t line_address(std::uint64_t address) const noexcept {
    return lines_.line_address(address);
  }

  /// The byte at this address if it is cached; an access must not cross a line.
  [[nodiscard]] std::byte* load(std::uint64_t address) noexcept {
    line_index const line = lines_.find(address);
    if (line == no_line) {
      ++counted_.misses;
      return nullptr;
    }
    ++counted_.hits;
    return lines_.at(line, address);
  }

  /// The same, without a count.
  [[nodiscard]] std::byte* find(std::uint64_t address) noexcept {
    line_index const line = lines_.find(address);
    return line == no_line ? nullptr : lines_.at(line, address);
  }
  /// Would load() find it?
  [[nodiscard]] bool has(std::uint64_t address) const noexcept { return lines_.find(address) != no_line; }

  /// The hart's own store, which also goes to the L2; here it only updates a cached line.
  void store(std::uint64_t address, std::byte const* value, std::size_t bytes) noexcept {
    line_index const line = lines_.find(address);
    if (line != no_line) copy_word(lines_.at(line, address), value, bytes);
  }

  /// Fills the line of this address from all of `line`; null: nobody will read its bytes. Returns where it is stored.
  std::byte* fill(std::uint64_t address, std::byte const* line);

  void invalidate(std::uint64_t address, std::size_t bytes) override;
  void invalidate_all();

  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }

 private:
  /// A line has been dropped.
  virtual void dropped(std::uint64_t /*address*/) noexcept {}
  void drop(line_index line);

  static constexpr std::uint8_t valid = 1;
  cache_array lines_;
  statistics counted_;
};

}  // namespace tess::machine
