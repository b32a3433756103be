// grid: the tiles of a machine on their network, as described, without harts.
//
// Threads   one.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "machine/tile/tile.hpp"
#include "machine/unit/tile_units.hpp"

namespace tess::machine {

struct grid {
  explicit grid(machine_description const& described)
      : description(described),
        clock(std::min(std::min(described.tile_clock_ps, described.memory_clock_ps), described.dram.timing.clock_ps)),
        map(described.regions),
        noc(clock, clock_domain(described.network_clock_ps), described.network) {
    if (described.mail_network) mail.emplace(clock, noc.clock(), *described.mail_network);
    for (std::uint32_t number = 0; number < described.tiles(); ++number) {
      tiles.push_back(std::make_unique<tile>(clock, description, map, noc, mail ? &*mail : nullptr, number));
    }
    for (auto const& one : tiles) {
      one->set_tiles(tiles);
      units.push_back(std::make_unique<tile_units>(clock, description, map, program_tiles, copies, watch, *one));
    }
  }
  grid(grid const&) = delete;
  grid& operator=(grid const&) = delete;

  machine_description description;
  kernel clock;
  address_map map;
  network noc;
  std::optional<network> mail;               ///< The second network, if the machine has one.
  std::vector<std::uint32_t> program_tiles;  ///< The tiles that run the program, in order; units report it.
  program_copies copies;
  unit_watch watch{clock};  ///< Calls units of one's own.
  std::vector<std::unique_ptr<tile>> tiles;
  std::vector<std::unique_ptr<tile_units>> units;
};

}  // namespace tess::machine
