// object_lookaside: maps the object id of an extended address (xBGAS) to a tile, as set by the program.
//
//   Id 0 is the own tile and has no entry. An address with an id is one of the target tile's own map, including its
//   local window, so that data with one address in every program are reached by it everywhere.
//
// Units     bytes; ids below the number of entries.
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
  explicit object_lookaside(machine_description const& description);

  [[nodiscard]] std::optional<std::uint32_t> tile_of(std::uint64_t object) const noexcept {
    if (object >= tiles_.size() || tiles_[object] == none) return std::nullopt;
    return tiles_[object] - 1;
  }
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
};

}  // namespace tess::machine
