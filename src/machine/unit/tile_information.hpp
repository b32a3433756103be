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

class tile_information final : public device {
 public:
  /// `program_tiles`: the tiles that run the program, in order; read when a program asks.
  tile_information(machine_description const& description, address_map const& map,
                   std::vector<std::uint32_t> const& program_tiles, tile const& at)
      : description_(description), map_(map), program_tiles_(program_tiles), at_(at), tile_(at.number()) {}

  [[nodiscard]] std::optional<std::uint64_t> load(std::uint64_t offset, std::uint32_t hart) override;
  [[nodiscard]] bool store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) override;
  void set_stalled() noexcept { stalled_ = true; }
  /// Called when the measured part begins or ends.
  void on_measured(std::function<void(bool)> callback) { measured_ = std::move(callback); }

 private:
  [[nodiscard]] std::uint64_t row(std::uint32_t tile, std::uint64_t offset) const;
  /// The copy that runs on a tile, plus 1; 0: none.
  [[nodiscard]] std::uint64_t program_of(std::uint32_t tile) const noexcept;

  machine_description const& description_;
  address_map const& map_;
  std::vector<std::uint32_t> const& program_tiles_;
  tile const& at_;
  std::uint32_t tile_;
  std::function<void(bool)> measured_;
  bool stalled_ = false;
};

}  // namespace tess::machine
