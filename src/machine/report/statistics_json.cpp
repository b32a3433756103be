// statistics_json: a run as JSON; docs/machine/machine.md has every name, and a test compares the two.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "machine/report/table.hpp"

namespace tess::machine {
namespace {

using nlohmann::ordered_json;

ordered_json heading(std::string const& machine, std::string const& program, int exit_code, bool timing) {
  return {{"schema", statistics_schema},
          {"machine", machine},
          {"program", program},
          {"timing", timing},
          {"exit_code", exit_code}};
}

ordered_json json_of_host(double seconds, std::uint64_t instructions, std::uint64_t events) {
  return {{"seconds", seconds},
          {"instructions_per_second", static_cast<double>(instructions) / seconds},
          {"events", events}};
}

/// Nothing if there are none: most programs have none.
void add_regions(ordered_json& into, std::span<region_total const> regions) {
  for (region_total const& one : regions)
    into["regions"].push_back({{"name", one.name},
                               {"times", one.times},
                               {"harts", one.harts},
                               {"cycles", one.all.cycles},
                               {"own_cycles", one.own.cycles},
                               {"instructions", one.all.instructions},
                               {"own_instructions", one.own.instructions},
                               {"loads", one.all.loads},
                               {"load_misses", one.all.load_misses},
                               {"begin_cycle", one.begin},
                               {"end_cycle", one.end}});
}

/// The program's own output: it may be anything.
void add_runtime(ordered_json& into, std::string const& written) {
  auto own = ordered_json::parse(written, nullptr, false);
  if (own.is_object()) into["runtime"] = std::move(own);
}

using energy_names = std::array<char const*, energy_units>;
constexpr energy_names energy_keys{"harts_pj", "l2_pj", "tlm_pj", "bus_pj", "network_pj", "accelerators_pj", "dram_pj"};
constexpr energy_names energy_keys_among_others{"energy_harts_pj", "energy_l2_pj",      "energy_tlm_pj",
                                                "energy_bus_pj",   "energy_network_pj", "energy_accelerators_pj",
                                                "energy_dram_pj"};

/// In picojoules, of each unit and of all.
void add_energy(ordered_json& into, energy_names const& names, char const* all, energy_counts const& of) {
  constexpr double fj_in_pj = 1000;
  for (std::size_t i = 0; i < energy_units; ++i) into[names[i]] = static_cast<double>(of.fj[i]) / fj_in_pj;
  into[all] = static_cast<double>(of.total()) / fj_in_pj;
}

ordered_json json_of(hart_measured const& one) {
  return {{"tile", one.tile},
          {"hart", one.number},
          {"instructions", one.instructions},
          {"cycles", one.cycles},
          {"loads", one.memory.loads},
          {"load_misses", one.memory.load_misses},
          {"stores", one.memory.stores},
          {"fetch_misses", one.memory.fetch_misses},
          {"store_wait_cycles", one.memory.store_wait_cycles},
          {"pairs", one.issued.pairs},
          {"operand_wait_cycles", one.issued.operand_cycles},
          {"branches", one.issued.branches},
          {"jumps", one.issued.jumps},
          {"mispredictions", one.issued.mispredictions},
          {"itlb_misses", one.memory.itlb_misses},
          {"dtlb_misses", one.memory.dtlb_misses},
          {"l2_tlb_misses", one.memory.l2_tlb_misses},
          {"page_walks", one.memory.page_walks},
          {"walk_cycles", one.memory.walk_cycles},
          {"page_faults", one.memory.page_faults}};
}

ordered_json json_of(tile_measured const& one, machine_description const& description) {
  directory::statistics const& lines = one.lines;
  std::uint64_t const lent = lines.requests - lines.write_backs - lines.given_back;
  ordered_json made{{"tile", one.number},
                    {"x", one.number % description.width},
                    {"y", one.number / description.width},
                    {"bus_load", one.bus_load},
                    {"bus_wait_cycles", one.bus_wait_cycles},
                    {"l2_hits", one.l2.hits},
                    {"l2_misses", one.l2.misses},
                    {"l2_merged_misses", one.l2.merged},
                    {"l2_write_backs", one.l2.write_backs},
                    {"l2_marker_write_backs", one.l2.marker_write_backs},
                    {"l2_prefetches", one.l2.prefetches},
                    {"l2_prefetches_useful", one.l2.prefetches_useful},
                    {"l2_prefetches_late", one.l2.prefetches_late},
                    {"l2_prefetches_useless", one.l2.prefetches_useless},
                    {"l2_prefetches_dropped", one.l2.prefetches_dropped},
                    {"nca_graphs", one.accelerator.counted.graphs},
                    {"nca_faults", one.accelerator.counted.faults},
                    {"nca_objects", one.accelerator.counted.objects},
                    {"nca_bytes", one.accelerator.counted.bytes},
                    {"nca_load", one.accelerator.load},
                    {"adapter_requests", one.adapter.requests},
                    {"adapter_served", one.adapter.served},
                    {"adapter_dma_bytes", one.adapter.dma_bytes},
                    {"adapter_latency_cycles", one.adapter_latency_cycles},
                    {"adapter_load", one.adapter_load},
                    {"remote_loads", one.adapter.loads},
                    {"remote_stores", one.adapter.stores},
                    {"cni_commands", one.interface.commands},
                    {"cni_events", one.interface.events},
                    {"cni_copied_bytes", one.interface.copied_bytes},
                    {"system_cycles", one.system_cycles},
                    {"lookaside_hits", one.objects.hits},
                    {"lookaside_misses", one.objects.misses},
                    {"rae_requests", one.atomics.requests},
                    {"rae_hits", one.atomics.hits},
                    {"rae_entries", one.atomics.entries},
                    {"rae_merged", one.atomics.merged},
                    {"rae_memory_reads", one.atomics.memory_reads},
                    {"rae_memory_writes", one.atomics.memory_writes},
                    {"rae_invalidations", one.atomics.invalidations},
                    {"rae_full_stalls", one.atomics.full_stalls},
                    {"rae_refused", one.atomics.refused},
                    {"directory_requests", lines.requests},
                    {"directory_waited", lines.waited},
                    {"directory_wait_cycles", share(lines.wait_ps, lines.waited * description.tile_clock_ps)},
                    {"directory_taken_cycles", share(lines.taken_ps, lent * description.tile_clock_ps)},
                    {"directory_forwards", lines.forwards},
                    {"directory_supplied", lines.supplied},
                    {"directory_invalidations", lines.invalidations},
                    {"directory_write_backs", lines.write_backs},
                    {"directory_given_back", lines.given_back},
                    {"directory_stale_write_backs", lines.stale}};
  add_energy(made, energy_keys_among_others, "energy_pj", one.energy);
  return made;
}

ordered_json json_of_memory(tile_measured const& one) {
  memory_measured const& memory = one.memory;
  return {{"tile", one.number},
          {"reads", memory.port.reads},
          {"writes", memory.port.writes},
          {"bytes", memory.port.bytes},
          {"port_load", memory.load},
          {"dram_bus_load", memory.bus_load},
          {"row_hit_rate", row_hit_rate(memory.dram)},
          {"refreshes", memory.dram.refreshes},
          {"nma_requests", memory.accelerator.counted.requests},
          {"nma_faults", memory.accelerator.counted.faults},
          {"nma_objects", memory.accelerator.counted.objects},
          {"nma_bytes", memory.accelerator.counted.bytes},
          {"nma_transfers", memory.accelerator.counted.transfers},
          {"nma_queued_max", memory.accelerator.counted.queued_max},
          {"nma_port_bytes", memory.accelerator.counted.port_bytes},
          {"nma_load", memory.accelerator.load},
          {"nma_load_peak", memory.accelerator.counted.peak.share()}};
}

/// Units of one's own by name: sums, and each tile's.
ordered_json json_of_units(measurement const& run) {
  ordered_json made;
  for (own_unit_measured const& sum : run.own_unit_sums()) {
    ordered_json& of = made[sum.name];
    for (auto const& [name, value] : sum.counted) of[name] = value;
    of["tiles"] = ordered_json::array();
  }
  for (own_unit_measured const& one : run.own_units) {
    ordered_json of{{"tile", one.tile}};
    for (auto const& [name, value] : one.counted) of[name] = value;
    made[one.name]["tiles"].push_back(std::move(of));
  }
  return made;
}

/// The columns of table 6 of NEMESYS (MEMSYS 2019).
ordered_json json_of_part(measurement const& run, machine_description const& description) {
  machine_counts const& part = run.part;
  std::uint64_t memories = 0;
  double peak = 0;
  for (tile_measured const& one : run.tiles) {
    memories += one.has_memory ? 1 : 0;
    peak = std::max(peak, one.memory.accelerator.counted.peak.share());
  }
  std::uint64_t const tiles_ps = part.time_ps * run.program_tiles;
  std::uint64_t const memories_ps = part.time_ps * memories;
  double const memory_load = share(part.memory_busy_ps, memories_ps);
  double const by_nma = memory_load * share(part.nma_bytes, part.memory_bytes);
  auto const cycles = [&](std::uint64_t ps, std::uint64_t count) {
    return share(ps, count * description.tile_clock_ps);
  };
  ordered_json made{{"marked", run.part_is_marked},
                    {"simulated_ps", part.time_ps},
                    {"cycles", part.time_ps / description.tile_clock_ps},
                    {"bus_load", share(part.bus_cycles * description.tile_clock_ps, tiles_ps)},
                    {"adapter_load", share(part.adapter_busy_ps, tiles_ps)},
                    {"memory_load", memory_load},
                    {"memory_bytes", part.memory_bytes},
                    {"memory_load_adapters", memory_load - by_nma},
                    {"memory_load_nma", by_nma},
                    {"nma_load", share(part.nma_busy_ps, memories_ps)},
                    {"nma_load_peak", peak},
                    {"nma_requests", part.nma_requests},
                    {"nma_objects", part.nma_objects},
                    {"nca_load", share(part.nca_busy_ps, tiles_ps)},
                    {"remote_load_cycles", cycles(part.load_ps, part.loads)},
                    {"remote_store_cycles", cycles(part.store_ps, part.stores)},
                    {"system_cycles", part.system_cycles},
                    {"rae_requests", part.rae_requests},
                    {"rae_hits", part.rae_hits},
                    {"rae_entries", part.rae_entries},
                    {"rae_merged", part.rae_merged},
                    {"rae_memory_accesses", part.rae_memory_accesses}};
  add_energy(made, energy_keys_among_others, "energy_pj", run.part_energy);
  return made;
}

}  // namespace

std::string json_of(measurement const& run, machine_description const& description, std::string const& program,
                    int exit_code, double host_seconds, std::string const& of_runtime) {
  auto const harts = run.hart_memory_sum();
  auto const l2 = run.l2_sum();
  ordered_json made = heading(description.name, program, exit_code, true);
  made["simulated_ps"] = run.simulated_ps;
  made["cycles"] = run.cycles;
  made["instructions"] = run.instructions;
  made["fast_forwarded_instructions"] = run.fast_forwarded;
  made["instructions_per_cycle"] = share(run.instructions, run.cycles);
  made["l1_instruction_hit_rate"] = 1 - share(harts.fetch_misses, run.instructions);
  made["l1_data_hit_rate"] = 1 - share(harts.load_misses, harts.loads);
  made["l2_hit_rate"] = share(l2.hits, l2.hits + l2.misses);
  made["network_load"] = run.mean_link_load();
  made["dram_load"] = run.memory_sum().load;
  add_energy(made["energy"], energy_keys, "pj", run.energy_sum());
  made["measured"] = json_of_part(run, description);
  made["host"] = json_of_host(host_seconds, run.instructions, run.events);
  for (char const* const part : {"harts", "tiles", "memories", "links"}) made[part] = ordered_json::array();
  for (hart_measured const& one : run.harts) made["harts"].push_back(json_of(one));
  for (tile_measured const& one : run.tiles) {
    made["tiles"].push_back(json_of(one, description));
    if (one.has_memory) made["memories"].push_back(json_of_memory(one));
  }
  for (link_measured const& one : run.links)
    made["links"].push_back({{"from", one.from}, {"to", one.to}, {"flits", one.flits}, {"load", one.load}});
  made["injections"] = ordered_json::array();
  for (injection_measured const& one : run.injections)
    made["injections"].push_back({{"tile", one.tile},
                                  {"packets", one.counted.packets},
                                  {"flits", one.counted.flits},
                                  {"wait_cycles", one.counted.wait_cycles},
                                  {"load", one.load},
                                  {"waiting", one.waiting}});
  if (!run.own_units.empty()) made["units"] = json_of_units(run);
  made["bottleneck"] = {{"what", name_of(bottleneck_of(run), description)}, {"load", bottleneck_of(run).load}};
  add_regions(made, run.regions);
  add_runtime(made, of_runtime);
  return made.dump(2) + "\n";
}

std::string json_of(machine_outcome const& run, std::string const& machine, std::string const& program,
                    double host_seconds, std::string const& of_runtime, std::span<region_total const> regions) {
  ordered_json made = heading(machine, program, run.exit_code, false);
  made["simulated_ps"] = run.simulated_ns * 1000;
  made["instructions"] = run.instructions;
  made["host"] = json_of_host(host_seconds, run.instructions, 0);
  add_regions(made, regions);
  add_runtime(made, of_runtime);
  return made.dump(2) + "\n";
}

}  // namespace tess::machine
