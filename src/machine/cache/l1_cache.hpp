// l1_cache: one hart's L1, instructions or data: write-through, no allocation on a store, invalidated by snooping.
//
//   It never holds anything that is nowhere else, so a line may be dropped at any time. Its lines are no longer than
//   those of the L2 behind it, which includes it: what leaves the L2 leaves here, too. The line that was filled longest
//   ago is replaced (LRR), so a hit changes nothing. Who keeps pointers to lines is told when one goes, by dropped().
//
// Units     global addresses (docs/internals/machine.md, 1): relocation of the local window comes before.
// Cost      a find of cache_array.
// Threads   one.
// Source    the snooping write-through caches of LEON3, as NEMESYS (MEMSYS 2019), Table 2, has them.
#pragma once

#include <cstring>

#include "machine/cache/cache_array.hpp"

namespace tess::machine {

/// What a cache above another one must be able to do for it.
class snooper {
 public:
  virtual ~snooper() = default;
  /// Drops whatever lies in [address, address + bytes).
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

  /// The byte at this address if it is here; an access must not cross a line.
  [[nodiscard]] std::byte* load(std::uint64_t address) noexcept {
    line_index const line = lines_.find(address);
    if (line == no_line) {
      ++counted_.misses;
      return nullptr;
    }
    ++counted_.hits;
    return lines_.at(line, address);
  }

  /// The hart's own store goes to the L2 as well; here it only keeps a line that is there up to date.
  void store(std::uint64_t address, std::byte const* value, std::size_t bytes) noexcept {
    line_index const line = lines_.find(address);
    if (line != no_line) std::memcpy(lines_.at(line, address), value, bytes);
  }

  /// Takes in the line of this address; `line` is all of it. Returns where it is kept.
  std::byte* fill(std::uint64_t address, std::byte const* line);

  void invalidate(std::uint64_t address, std::size_t bytes) override;
  void invalidate_all();

  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }

 private:
  /// A line is no longer here.
  virtual void dropped(std::uint64_t /*address*/) noexcept {}
  void drop(line_index line);

  static constexpr std::uint8_t valid = 1;
  cache_array lines_;
  statistics counted_;
};

}  // namespace tess::machine
