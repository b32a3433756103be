// machine_counts: sums over the parts of a machine, and differences.
#include "machine/timed/machine_counts.hpp"

namespace tess::machine {
namespace {

void add(machine_counts& to, atomics_interface::statistics const& counted) noexcept {
  to.rae_requests += counted.requests;
  to.rae_hits += counted.hits;
  to.rae_entries += counted.entries;
  to.rae_merged += counted.merged;
  to.rae_memory_accesses += counted.memory_reads + counted.memory_writes;
}

}  // namespace

machine_counts machine_counts::of(grid const& g) {
  machine_counts sum;
  sum.time_ps = g.clock.now();
  for (std::uint32_t const number : g.program_tiles) {
    tile& one = *g.tiles[number];
    adapter::statistics const network = one.network_adapter().counted();
    sum.bus_cycles += one.bus_busy_cycles();
    sum.adapter_busy_ps += network.busy_ps;
    if (auto const& graphs = g.units[number]->graphs) sum.nca_busy_ps += graphs->counted().busy_ps;
    sum.loads += network.loads;
    sum.load_ps += network.load_ps;
    sum.stores += network.stores;
    sum.store_ps += network.store_ps;
    if (atomics_interface const* const atomics = one.atomics()) add(sum, atomics->counted());
  }
  for (auto const& one : g.units) {
    sum.system_cycles += one->lines.awake_cycles();
    if (one->accelerator == nullptr) continue;
    nma::statistics const& counted = one->accelerator->counted();
    sum.nma_bytes += counted.port_bytes;
    sum.nma_busy_ps += counted.busy_ps;
    sum.nma_requests += counted.requests;
    sum.nma_objects += counted.objects;
  }
  for (auto const& one : g.tiles) {
    if (one->memory() == nullptr) continue;
    sum.memory_busy_ps += one->memory()->counted().busy_ps;
    sum.memory_bytes += one->memory()->counted().bytes;
  }
  return sum;
}

machine_counts machine_counts::since(machine_counts const& before) const noexcept {
  return {.time_ps = time_ps - before.time_ps,
          .bus_cycles = bus_cycles - before.bus_cycles,
          .adapter_busy_ps = adapter_busy_ps - before.adapter_busy_ps,
          .nca_busy_ps = nca_busy_ps - before.nca_busy_ps,
          .loads = loads - before.loads,
          .load_ps = load_ps - before.load_ps,
          .stores = stores - before.stores,
          .store_ps = store_ps - before.store_ps,
          .memory_busy_ps = memory_busy_ps - before.memory_busy_ps,
          .memory_bytes = memory_bytes - before.memory_bytes,
          .nma_bytes = nma_bytes - before.nma_bytes,
          .nma_busy_ps = nma_busy_ps - before.nma_busy_ps,
          .nma_requests = nma_requests - before.nma_requests,
          .nma_objects = nma_objects - before.nma_objects,
          .system_cycles = system_cycles - before.system_cycles,
          .rae_requests = rae_requests - before.rae_requests,
          .rae_hits = rae_hits - before.rae_hits,
          .rae_entries = rae_entries - before.rae_entries,
          .rae_merged = rae_merged - before.rae_merged,
          .rae_memory_accesses = rae_memory_accesses - before.rae_memory_accesses};
}

}  // namespace tess::machine
