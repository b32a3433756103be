// measurement: collects the counters of all parts.
#include "machine/report/measurement.hpp"

#include <algorithm>

namespace tess::machine {
namespace {

void measure_links(grid const& g, picoseconds passed, measurement& into) {
  topology const& layout = g.noc.layout();
  std::uint64_t const cycles = g.noc.clock().count(passed);
  for (std::uint32_t router = 0; router < layout.routers(); ++router) {
    for (std::uint32_t port = 0; port < layout.ports(); ++port) {
      link_end const ahead = layout.neighbour(router, port);
      std::uint32_t const node = layout.node_at(router, port);
      bool const between = ahead.router != link_end::nowhere;
      if (!between && node == link_end::nowhere) continue;
      std::uint64_t const sent = g.noc.link_flits(router, port);
      // A mesh has a router in each tile; the only links of a crossbar are those to its tiles.
      into.links.push_back({.from = between ? router : node,
                            .to = between ? ahead.router : node,
                            .flits = sent,
                            .load = share(sent, cycles)});
    }
  }
}

void measure_injections(grid const& g, picoseconds passed, measurement& into) {
  std::uint64_t const cycles = g.noc.clock().count(passed);
  for (std::uint32_t node = 0; node < g.noc.layout().nodes(); ++node) {
    network::source_statistics const& counted = g.noc.counted(node);
    into.injections.push_back({.tile = node,
                               .counted = counted,
                               .load = share(counted.flits, cycles),
                               .waiting = share(counted.wait_cycles, cycles)});
  }
}

tile_measured measure_tile(grid const& g, tile& one, picoseconds passed) {
  tile_measured made;
  tile_units const& units = *g.units[one.number()];
  if (units.graphs) made.accelerator.counted = units.graphs->counted();
  made.accelerator.load = share(made.accelerator.counted.busy_ps, passed);
  made.number = one.number();
  made.bus_load = share(one.bus_busy_cycles(), passed / g.description.tile_clock_ps);
  made.bus_wait_cycles = one.bus_wait_cycles();
  made.l2 = one.l2().counted();
  made.adapter = one.network_adapter().counted();
  made.adapter_latency_cycles =
      share(made.adapter.latency_ps, made.adapter.requests) / static_cast<double>(g.description.tile_clock_ps);
  made.adapter_load = share(made.adapter.busy_ps, passed);
  if (one.atomics() != nullptr) made.atomics = one.atomics()->counted();
  made.system_cycles = units.lines.awake_cycles();
  if (one.objects() != nullptr) made.objects = one.objects()->counted();
  if (one.interface() != nullptr) made.interface = one.interface()->counted();
  if (directory const* const lines = one.lines()) made.lines = lines->counted();
  if (memory_port const* const memory = one.memory()) {
    made.has_memory = true;
    made.memory.port = memory->counted();
    made.memory.dram = memory->behind().counted();
    if (units.accelerator != nullptr) made.memory.accelerator.counted = units.accelerator->counted();
    made.memory.accelerator.load = share(made.memory.accelerator.counted.busy_ps, passed);
    made.memory.load = share(made.memory.port.busy_ps, passed);
    made.memory.bus_load = share(made.memory.dram.busy_cycles * g.description.dram.timing.clock_ps, passed);
  }
  return made;
}

}  // namespace

measurement measure(timed_machine const& of) {
  grid const& g = of.hardware();
  measurement made;
  picoseconds const passed = g.clock.now() - of.began().time;
  made.simulated_ps = passed;
  made.fast_forwarded = of.began().untimed;
  made.cycles = passed / g.description.tile_clock_ps;
  made.events = g.clock.events();
  made.part = of.measured();
  made.part_is_marked = of.has_measured_part();
  made.part_energy = of.measured_energy();
  made.program_tiles = static_cast<std::uint32_t>(g.program_tiles.size());
  std::uint64_t const began = of.began().time / g.description.tile_clock_ps;
  for (auto const& program : of.programs()) {
    for (timed_hart const& one : program->harts()) {
      made.harts.push_back({.tile = program->tile_number(),
                            .number = one.context.number,
                            .instructions = one.retired(),
                            .cycles = one.context.now() - std::min(one.context.now(), began),
                            .memory = one.memory().counted(),
                            .issued = one.issued()});
      made.instructions += one.retired();
    }
  }
  for (auto const& one : g.tiles) made.tiles.push_back(measure_tile(g, *one, passed));
  auto const energy = energy_of(of);
  for (std::size_t i = 0; i < energy.size(); ++i) made.tiles[i].energy = energy[i];
  measure_links(g, passed, made);
  measure_injections(g, passed, made);
  made.regions.assign(of.regions().totals().begin(), of.regions().totals().end());
  for (unit_description const& placed : g.description.units) {
    for (std::uint32_t const tile : placed.tiles) {
      own_unit_measured& added = made.own_units.emplace_back(own_unit_measured{placed.name, tile, {}});
      for (auto const& one : g.units[tile]->own) {
        if (&g.description.units[one->number()] != &placed) continue;
        for (auto const& number : one->statistics()) added.counted.emplace_back(number.name, number.value);
      }
    }
  }
  return made;
}

std::vector<own_unit_measured> measurement::own_unit_sums() const {
  std::vector<own_unit_measured> sums;
  for (own_unit_measured const& one : own_units) {
    if (sums.empty() || sums.back().name != one.name) sums.push_back({one.name, 0, {}});
    own_unit_measured& sum = sums.back();
    ++sum.tile;
    for (auto const& [name, value] : one.counted) {
      auto const known = std::ranges::find(sum.counted, name, &std::pair<std::string, std::uint64_t>::first);
      if (known == sum.counted.end()) {
        sum.counted.emplace_back(name, value);
      } else {
        known->second += value;
      }
    }
  }
  return sums;
}

double row_hit_rate(dram::statistics const& counted) noexcept {
  return 1 - share(std::min(counted.activates, counted.column_commands), counted.column_commands);
}

hart_memory::statistics measurement::hart_memory_sum() const {
  hart_memory::statistics sum;
  for (hart_measured const& one : harts) {
    sum.loads += one.memory.loads;
    sum.stores += one.memory.stores;
    sum.load_misses += one.memory.load_misses;
    sum.fetch_misses += one.memory.fetch_misses;
    sum.store_wait_cycles += one.memory.store_wait_cycles;
    sum.in_place += one.memory.in_place + one.memory.stores_in_place;
    sum.itlb_misses += one.memory.itlb_misses;
    sum.dtlb_misses += one.memory.dtlb_misses;
    sum.l2_tlb_misses += one.memory.l2_tlb_misses;
    sum.page_walks += one.memory.page_walks;
    sum.walk_cycles += one.memory.walk_cycles;
    sum.page_faults += one.memory.page_faults;
  }
  return sum;
}

energy_counts measurement::energy_sum() const {
  energy_counts sum;
  for (tile_measured const& one : tiles) sum.add(one.energy);
  return sum;
}

pipeline::statistics measurement::issued_sum() const {
  pipeline::statistics sum;
  for (hart_measured const& one : harts) {
    sum.pairs += one.issued.pairs;
    sum.operand_cycles += one.issued.operand_cycles;
    sum.branches += one.issued.branches;
    sum.jumps += one.issued.jumps;
    sum.mispredictions += one.issued.mispredictions;
  }
  return sum;
}

l2_private::statistics measurement::l2_sum() const {
  l2_private::statistics sum;
  for (tile_measured const& one : tiles) {
    sum.hits += one.l2.hits;
    sum.misses += one.l2.misses;
    sum.merged += one.l2.merged;
    sum.write_backs += one.l2.write_backs;
    sum.back_invalidations += one.l2.back_invalidations;
    sum.prefetches += one.l2.prefetches;
    sum.prefetches_useful += one.l2.prefetches_useful;
    sum.prefetches_late += one.l2.prefetches_late;
    sum.prefetches_useless += one.l2.prefetches_useless;
    sum.prefetches_dropped += one.l2.prefetches_dropped;
  }
  return sum;
}

memory_measured measurement::memory_sum() const {
  memory_measured sum;
  double memories = 0;
  for (tile_measured const& one : tiles) {
    if (!one.has_memory) continue;
    ++memories;
    sum.port.reads += one.memory.port.reads;
    sum.port.writes += one.memory.port.writes;
    sum.port.bytes += one.memory.port.bytes;
    sum.dram.column_commands += one.memory.dram.column_commands;
    sum.dram.activates += one.memory.dram.activates;
    sum.load += one.memory.load;
    sum.bus_load += one.memory.bus_load;
  }
  if (memories > 0) {
    sum.load /= memories;
    sum.bus_load /= memories;
  }
  return sum;
}

link_measured const* measurement::busiest_link() const {
  link_measured const* found = nullptr;
  for (link_measured const& one : links) {
    if (one.from != one.to && (found == nullptr || one.flits > found->flits)) found = &one;
  }
  return found;
}

bottleneck bottleneck_of(measurement const& run) {
  using kind = bottleneck::kind;
  bottleneck most;
  auto const add = [&](kind is, std::uint32_t from, std::uint32_t to, double load) {
    if (load > most.load) most = {.is = is, .from = from, .to = to, .load = load};
  };
  for (tile_measured const& one : run.tiles) {
    add(kind::bus, one.number, one.number, one.bus_load);
    add(kind::nca, one.number, one.number, one.accelerator.load);
    if (!one.has_memory) continue;
    add(kind::memory_port, one.number, one.number, one.memory.load);
    add(kind::dram_bus, one.number, one.number, one.memory.bus_load);
    add(kind::nma, one.number, one.number, one.memory.accelerator.load);
  }
  for (link_measured const& one : run.links)
    add(one.from == one.to ? kind::exit : kind::link, one.from, one.to, one.load);
  for (injection_measured const& one : run.injections)
    add(kind::injection, one.tile, one.tile, std::max(one.load, std::min(one.waiting, 1.0)));
  return most;
}

double measurement::mean_link_load() const {
  double sum = 0;
  double count = 0;
  for (link_measured const& one : links) {
    if (one.from == one.to) continue;
    sum += one.load;
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

}  // namespace tess::machine
