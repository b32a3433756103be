// tile_units: the units with registers that every tile has, attached to it.
//
//   The one place that knows them all: another unit is a member here.
#pragma once

#include <memory>
#include <optional>

#include "machine/nca/graph_writeback.hpp"
#include "machine/nma/nma.hpp"
#include "machine/unit/adapter_unit.hpp"
#include "machine/unit/cni_unit.hpp"
#include "machine/unit/invocation.hpp"
#include "machine/unit/object_lookaside.hpp"
#include "machine/unit/object_types.hpp"
#include "machine/unit/portals.hpp"
#include "machine/unit/range_unit.hpp"
#include "machine/unit/tile_information.hpp"

namespace tess::machine {

struct tile_units {
  tile_units(kernel& k, machine_description const& made_of, address_map const& map, network& over,
             std::vector<std::uint32_t> const& program_tiles, tile& at)
      : information(made_of, map, program_tiles, at),
        ranges(k, made_of, over, at),
        commands(k, made_of, over, at),
        invocations(k, made_of, over, at),
        tasks(k, made_of, over, at),
        types(k, made_of, at),
        objects(made_of) {
    at.attach(registers::unit::information, information);
    at.attach(registers::unit::ranges, ranges);
    at.attach(registers::unit::adapter, commands);
    at.attach(registers::unit::invoke, invocations);
    at.attach(registers::unit::tasks, tasks);
    if (made_of.has_clusters()) {
      windows.emplace(made_of, at, [this] { tasks.call(); });
      at.attach(registers::unit::portals, *windows);
    }
    if (!made_of.has_clusters()) {
      at.know(objects);
      at.attach(registers::unit::extended, objects);
    }
    if (!made_of.has_accelerators()) return;
    requests.emplace(k, made_of, over, at);
    graphs.emplace(k, made_of, over, at, types);
    ranges.on_trigger([this](std::uint64_t hart) { return requests->ring(hart); });
    if (at.memory() != nullptr) accelerator = std::make_unique<nma>(k, made_of, over, at, types);
    at.attach(registers::unit::nma, *requests);
    at.attach(registers::unit::nca, *graphs);
    if (at.interface() == nullptr) return;
    interface.emplace(made_of, at);
    at.attach(registers::unit::cni, *interface);
  }
  tile_units(tile_units const&) = delete;
  tile_units& operator=(tile_units const&) = delete;

  tile_information information;
  range_unit ranges;
  adapter_unit commands;
  invoke_unit invocations;
  task_queue tasks;
  object_types types;
  object_lookaside objects;
  std::optional<nma_requests> requests;  ///< Accelerators, where the machine has them.
  std::optional<graph_writeback> graphs;
  std::unique_ptr<nma> accelerator;  ///< In memory tiles.
  std::optional<portals> windows;    ///< Of a cluster.
  std::optional<cni_unit> interface;
};

}  // namespace tess::machine
