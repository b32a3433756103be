// tile_information: the unit that tells a program where it runs: tile and hart, the grid, and the map of all tiles.
//
// Threads   one.
// Source    registers.hpp, `information`.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "machine/config/description.hpp"
#include "machine/tile/tile.hpp"
#include "machine/unit/device.hpp"

namespace tess::machine {

/// Copies of the program: so many in each tile, but perhaps fewer in the last one.
struct program_copies {
  std::uint32_t in_tile = 1;
  std::uint32_t all = 0;
};

class tile_information final : public device {
 public:
  /// `program_tiles`: the tiles that run the program, in order; read when a program asks.
  tile_information(machine_description const& description, address_map const& map,
                   std::vector<std::uint32_t> const& program_tiles, program_copies const& copies, tile const& at)
      : description_(description),
        map_(map),
        program_tiles_(program_tiles),
        copies_(copies),
        at_(at),
        tile_(at.number()) {}

  [[nodiscard]] std::optional<std::uint64_t> load(std::uint64_t offset, std::uint32_t hart) override;
  [[nodiscard]] bool store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) override;
  void set_stalled() noexcept { stalled_ = true; }
  /// Called when the measured part begins or ends.
  void on_measured(std::function<void(bool)> callback) { measured_ = std::move(callback); }
  /// Called when the program ends the run, with its exit code.
  void on_end(std::function<void(int)> callback) { end_ = std::move(callback); }

 private:
  [[nodiscard]] std::uint64_t row(std::uint32_t tile, std::uint64_t offset) const;
  [[nodiscard]] std::optional<std::uint64_t> own_unit_row(std::uint64_t offset) const;
  /// The first copy that runs on a tile, plus 1; 0: none.
  [[nodiscard]] std::uint64_t program_of(std::uint32_t tile) const noexcept;
  [[nodiscard]] std::uint64_t harts() const noexcept {
    return description_.harts_of(tile_) - description_.harts.system;
  }

  machine_description const& description_;
  address_map const& map_;
  std::vector<std::uint32_t> const& program_tiles_;
  program_copies const& copies_;
  tile const& at_;
  std::uint32_t tile_;
  std::function<void(bool)> measured_;
  std::function<void(int)> end_;
  bool stalled_ = false;
};

}  // namespace tess::machine
