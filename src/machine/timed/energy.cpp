// energy: counts of all parts times the energies of the machine file.
#include "machine/timed/energy.hpp"

#include "machine/dram/currents.hpp"
#include "machine/timed/timed_machine.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t word_bytes = 8;

using hart_mark = timed_hart::measured_part;

hart_work work_of(timed_hart const& one, std::optional<hart_mark> at) {
  return at ? one.work(*at) : one.work();
}

void add_links(network const& noc, energy_description const& each, std::vector<energy_counts>& tiles) {
  topology const& layout = noc.layout();
  std::uint64_t const flit_fj = noc.parameters().link_bytes * each.hop_byte_fj;
  for (std::uint32_t router = 0; router < layout.routers(); ++router) {
    for (std::uint32_t port = 0; port < layout.ports(); ++port) {
      link_end const ahead = layout.neighbour(router, port);
      std::uint32_t const node = layout.node_at(router, port);
      bool const between = ahead.router != link_end::nowhere;
      if (!between && node == link_end::nowhere) continue;
      tiles[between ? router : node][energy_unit::network] += noc.link_flits(router, port) * flit_fj;
    }
  }
}

void add_tile(grid const& g, tile& one, energy_description const& each, energy_counts& to) {
  machine_description const& machine = g.description;
  l2_private::statistics const& l2 = one.l2().counted();
  std::uint64_t const line_words = machine.l2.line_bytes / word_bytes;
  std::uint64_t const lines = l2.misses + l2.prefetches + l2.write_backs;
  to[energy_unit::l2] += (l2.hits + lines * line_words) * each.l2_word_fj;
  to[energy_unit::bus] += one.bus_busy_cycles() * each.bus_cycle_fj;
  tile_units const& units = *g.units[one.number()];
  std::uint64_t busy = units.graphs ? units.graphs->counted().busy_ps / machine.tile_clock_ps : 0;
  if (units.accelerator != nullptr) busy += units.accelerator->counted().busy_ps / machine.memory_clock_ps;
  to[energy_unit::accelerators] += busy * each.accelerator_cycle_fj;
  if (memory_port const* const memory = one.memory())
    to[energy_unit::dram] += dram_energy_fj(memory->behind().parameters(), memory->behind().activity());
}

}  // namespace

char const* name_of(energy_unit unit) noexcept {
  static constexpr std::array<char const*, energy_units> names{"harts",   "l2",           "tlm", "bus",
                                                               "network", "accelerators", "dram"};
  return names[static_cast<std::size_t>(unit)];
}

std::vector<energy_counts> energy_of_units(timed_machine const& machine) {
  grid const& g = machine.hardware();
  if (!g.description.energy) return {};
  energy_description const& each = *g.description.energy;
  std::vector<energy_counts> tiles(g.description.tiles());
  for (auto const& one : g.tiles) add_tile(g, *one, each, tiles[one->number()]);
  add_links(g.noc, each, tiles);
  if (g.mail) add_links(*g.mail, each, tiles);
  return tiles;
}

std::vector<energy_counts> energy_of_harts(timed_machine const& machine, std::optional<hart_mark> at) {
  grid const& g = machine.hardware();
  if (!g.description.energy) return {};
  energy_description const& each = *g.description.energy;
  std::uint64_t const data_words = g.description.l1_data.line_bytes / word_bytes;
  std::uint64_t const code_words = g.description.l1_instruction.line_bytes / word_bytes;
  std::vector<energy_counts> tiles(g.description.tiles());
  auto const add = [&](timed_hart const& one) {
    hart_work const work = work_of(one, at);
    energy_counts& to = tiles[one.place().number()];
    to[energy_unit::harts] += work.instructions * each.instruction_fj;
    std::uint64_t const words = work.tlm_loads * data_words + work.tlm_fetches * code_words + work.tlm_stores;
    to[energy_unit::tlm] += words * each.tlm_word_fj;
  };
  for (auto const& program : machine.programs())
    for (timed_hart const& one : program->harts()) add(one);
  for (auto const& system : machine.systems())
    if (system) add(system->system_hart());
  return tiles;
}

std::vector<energy_counts> energy_of(timed_machine const& machine) {
  std::vector<energy_counts> tiles = energy_of_units(machine);
  std::vector<energy_counts> const harts = energy_of_harts(machine);
  std::vector<energy_counts> const& before = machine.began_energy();
  for (std::size_t i = 0; i < before.size(); ++i) tiles[i] = tiles[i].since(before[i]);
  for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i].add(harts[i]);
  return tiles;
}

energy_counts sum_of(std::vector<energy_counts> const& tiles) noexcept {
  energy_counts sum;
  for (energy_counts const& one : tiles) sum.add(one);
  return sum;
}

}  // namespace tess::machine
