// tile_units: the units with registers that every tile has, attached to it.
//
//   The only place that knows all of them: a new unit becomes a member here.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "machine/nca/graph_writeback.hpp"
#include "machine/nma/nma.hpp"
#include "machine/own_unit/own_unit.hpp"
#include "machine/unit/adapter_unit.hpp"
#include "machine/unit/cni_unit.hpp"
#include "machine/unit/interrupts.hpp"
#include "machine/unit/invocation.hpp"
#include "machine/unit/object_lookaside.hpp"
#include "machine/unit/object_types.hpp"
#include "machine/unit/portals.hpp"
#include "machine/unit/range_unit.hpp"
#include "machine/unit/tile_information.hpp"

namespace tess::machine {

struct tile_units {
  tile_units(kernel& k, machine_description const& description, address_map const& map,
             std::vector<std::uint32_t> const& program_tiles, program_copies const& copies, unit_watch& watch, tile& at)
      : information(description, map, program_tiles, copies, at),
        ranges(k, description, at),
        commands(k, description, at),
        invocations(k, description, at),
        tasks(k, description, at, [this](bool any) { lines.set_level(registers::interrupts::source_tasks, any); }),
        lines(k, description, at),
        types(k, description, at),
        objects(description, at.number()) {
    at.attach(registers::unit::information, information);
    at.attach(registers::unit::ranges, ranges);
    at.attach(registers::unit::adapter, commands);
    at.attach(registers::unit::invoke, invocations);
    at.attach(registers::unit::tasks, tasks);
    at.attach(registers::unit::interrupts, lines);
    if (description.has_clusters()) {
      windows.emplace(description, at, [this] {
        tasks.call();
        lines.raise(registers::interrupts::source_windows);
      });
      at.attach(registers::unit::portals, *windows);
    }
    if (!description.has_clusters()) {
      at.set_objects(objects);
      at.attach(registers::unit::extended, objects);
    }
    for (std::uint32_t i = 0; i < description.units.size(); ++i) {
      if (std::ranges::count(description.units[i].tiles, at.number()) == 0) continue;
      own.push_back(std::make_unique<own_unit>(k, description, i, at, watch,
                                               [this](std::uint64_t source) { lines.raise(source); }));
      at.attach(static_cast<registers::unit>(registers::own_units::first + i), *own.back());
    }
    if (at.interface() != nullptr) {
      interface.emplace(description, at);
      at.attach(registers::unit::cni, *interface);
    }
    if (!description.has_accelerators()) return;
    requests.emplace(k, description, at);
    graphs.emplace(k, description, at, types);
    ranges.on_trigger([this](std::uint64_t hart) { return requests->ring(hart); });
    if (at.memory() != nullptr) accelerator = std::make_unique<nma>(k, description, at, types);
    at.attach(registers::unit::nma, *requests);
    at.attach(registers::unit::nca, *graphs);
  }
  /// Does a command run that may take long?
  [[nodiscard]] bool any_runs() const {
    return commands.any_runs() || invocations.any_runs() || (requests && requests->any_runs()) ||
           (graphs && graphs->any_runs());
  }
  /// What programs have set and not taken is as there, where nothing is under way.
  void take_over(tile_units& from) {
    ranges.take_over(from.ranges);
    commands.take_over(from.commands);
    invocations.take_over(from.invocations);
    tasks.take_over(from.tasks);
    objects.take_over(from.objects);
    if (requests) requests->take_over(*from.requests);
    if (graphs) graphs->take_over(*from.graphs);
  }
  tile_units(tile_units const&) = delete;
  tile_units& operator=(tile_units const&) = delete;

  tile_information information;
  range_unit ranges;
  adapter_unit commands;
  invoke_unit invocations;
  task_queue tasks;
  interrupts lines;
  object_types types;
  object_lookaside objects;
  std::optional<nma_requests> requests;  ///< Accelerators, if the machine has them.
  std::optional<graph_writeback> graphs;
  std::unique_ptr<nma> accelerator;  ///< In memory tiles.
  std::optional<portals> windows;    ///< In clusters.
  std::optional<cni_unit> interface;
  std::vector<std::unique_ptr<own_unit>> own;  ///< Those that the machine file places, in its order.
};

}  // namespace tess::machine
