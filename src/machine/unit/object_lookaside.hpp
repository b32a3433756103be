// object_lookaside: maps the object id of an extended address (xBGAS) to a tile, as set by the program.
//
//   Id 0 is the own tile and has no entry. An address with an id is one of the target tile's own map, including its
//   local window, so that data with one address in every program are reached by it everywhere. The table has every id;
//   each hart has a buffer of some entries of it, direct-mapped by the id, which it asks first. A store to the table
//   takes the id out of all buffers.
//
// Units     bytes; ids below the number of entries; cycles of the tile's clock.
// Errors    an entry that names no tile is refused: the store traps.
// Threads   one.
// Source    object look-aside buffer of xBGAS; registers.hpp, `extended`.
#pragma once

#include <vector>

#include "machine/config/description.hpp"
#include "machine/unit/device.hpp"

namespace tess::machine {

class object_lookaside final : public device {
 public:
  object_lookaside(machine_description const& description, std::uint32_t tile);

  [[nodiscard]] std::optional<std::uint32_t> tile_of(std::uint64_t object) const noexcept {
    if (object >= tiles_.size() || tiles_[object] == none) return std::nullopt;
    return tiles_[object] - 1;
  }
  /// The cycles until a hart has found an object's entry, which is in its buffer then.
  [[nodiscard]] std::uint32_t look_up(std::uint32_t hart, std::uint64_t object);
  /// The same objects as there.
  void take_over(object_lookaside const& from) { tiles_ = from.tiles_; }
  struct statistics {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
  };
  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }
  /// The global address of tile `tile`'s address; nothing if it is invalid there.
  [[nodiscard]] std::optional<std::uint64_t> global(std::uint32_t tile, std::uint64_t address) const noexcept {
    return windows_[tile].global(address);
  }

  [[nodiscard]] std::optional<std::uint64_t> load(std::uint64_t offset, std::uint32_t hart) override;
  [[nodiscard]] bool store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) override;

 private:
  static constexpr std::uint32_t none = 0;
  std::vector<std::uint32_t> tiles_;  ///< By id: the tile plus 1.
  std::vector<local_window> windows_;
  std::optional<lookaside_description> timing_;
  std::vector<std::vector<std::uint64_t>> buffers_;  ///< By hart: ids by their low bits; 0: none.
  statistics counted_;
};

}  // namespace tess::machine
