// warm_caches: what the caches of a tile would have after the accesses of a run without time: tags and order, no data.
//
//   A machine with time that goes on from here begins with them. Each L1 has a table of its lines in front, as
//   hart_memory has, so a hit costs a comparison. A store costs one, too, if its line is the last that its set of the
//   L2 has seen: another use of the same line changes nothing. All else is as in l1_cache and l2_private: L1s are
//   written through, filled by loads and fetches only, and replaced in the order of their fills; the L2 is inclusive of
//   them, written back, and replaced by use.
//
//   Not known here: prefetches, and the order in which the accesses of several harts meet, who take turns.
//
// Units     addresses of the program; sets are those of the global ones.
// Threads   one.
// Source    functional warming: Wunderlich, Wenisch, Falsafi and Hoe, "SMARTS" (ISCA 2003), section 3.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include "machine/cache/cache_array.hpp"
#include "machine/config/description.hpp"
#include "machine/hart/pipeline.hpp"
#include "machine/map/address_map.hpp"
#include "machine/translate/translator.hpp"

namespace tess::machine {

class warm_tile;

/// What the caches of a tile have counted: misses of the L1-Ds, of the L1-Is and of the L2, and lines that left the L2
/// dirty.
using followed_counts = std::array<std::uint64_t, 4>;

/// Those of a hart, and its branch predictor.
class warm_hart {
 public:
  warm_hart(machine_description const& description, warm_tile& at);
  warm_hart(warm_hart const&) = delete;
  warm_hart& operator=(warm_hart const&) = delete;

  void loaded(std::uint64_t address) {
    std::uint64_t const line = address >> data_.line_bits;
    if (data_.known[line % entries] != line) [[unlikely]]
      load_line(address);
  }
  void stored(std::uint64_t address);
  /// Atomics are done behind the L1, which loses the line.
  void changed(std::uint64_t address);
  void fetched(std::uint64_t address) {
    std::uint64_t const line = address >> code_.line_bits;
    if (code_.known[line % entries] != line) [[unlikely]]
      fetch_line(address);
  }

  [[nodiscard]] cache_array const& data() const noexcept { return data_.lines; }
  [[nodiscard]] cache_array const& code() const noexcept { return code_.lines; }
  /// What can be seen without a call; only while no other hart of the tile has run.
  [[nodiscard]] followed_lines known_lines();
  /// Null: the machine's harts have none.
  [[nodiscard]] pipeline* issue() noexcept { return pipeline_ ? &*pipeline_ : nullptr; }

 private:
  friend class warm_tile;
  static constexpr std::size_t entries = 2048;
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  struct l1 {
    explicit l1(cache_shape const& shape);
    /// False: it was not here; now it is. `name` is the global address.
    bool use(std::uint64_t address, std::uint64_t name);
    void drop(std::uint64_t address, std::uint64_t name);
    cache_array lines;
    unsigned line_bits;
    std::array<std::uint64_t, entries> known;  ///< Lines of program addresses that it has, by line.
    std::vector<std::uint64_t> entered;        ///< By line of the array: the program's line.
  };
  void load_line(std::uint64_t address);
  void fetch_line(std::uint64_t address);

  warm_tile& tile_;
  l1 data_;
  l1 code_;
  std::optional<pipeline> pipeline_;
};

class warm_tile {
 public:
  warm_tile(machine_description const& description, local_window const& window, std::uint32_t harts);

  /// Another hart than the first runs, so what one writes must leave the L1s of the others.
  void share() noexcept { is_shared_ = true; }
  [[nodiscard]] followed_counts const& counted() const noexcept { return counted_; }
  [[nodiscard]] warm_hart& of_hart(std::uint32_t number) { return harts_[number]; }
  [[nodiscard]] cache_array& l2() noexcept { return l2_; }
  [[nodiscard]] std::uint32_t code_line_bytes() const noexcept { return code_line_bytes_; }

 private:
  friend class warm_hart;
  [[nodiscard]] std::uint64_t global(std::uint64_t address) const noexcept {
    return window_.global(address).value_or(address);
  }
  /// An access that reaches the tile: to its L2, unless the tile-local memory has the address.
  void reach(std::uint64_t address, bool writes) {
    if (address < window_.tlm_bytes) return;
    std::uint64_t const line = address >> line_bits_;
    if (newest_[line & set_mask_] == (line << 1U | 1U)) return;
    use(address, writes);
  }
  void use(std::uint64_t address, bool writes);
  /// The L1-Ds of other harts lose what this one has written.
  void snoop(std::uint64_t address, warm_hart const& by);

  local_window window_;
  std::uint32_t code_line_bytes_;
  unsigned line_bits_;
  std::uint64_t set_mask_;
  cache_array l2_;
  /// By set: the line that was used last, and 1 if it is dirty, so that no other use changes anything.
  std::vector<std::uint64_t> newest_;
  std::deque<warm_hart> harts_;
  bool is_shared_ = false;
  enum count : std::uint8_t { data_misses, code_misses, misses, written_back };
  followed_counts counted_{};
};

inline void warm_hart::stored(std::uint64_t address) {
  tile_.reach(address, true);
  if (tile_.is_shared_) tile_.snoop(address, *this);
}

}  // namespace tess::machine
