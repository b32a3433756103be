// timed_machine: the run, and what it adds up to.
#include "machine/timed/timed_machine.hpp"

#include <algorithm>

namespace tess::machine {

timed_machine::timed_machine(machine_description const& described, elf_image const& image,
                             std::function<program_options()> const& options, std::uint32_t first_tile,
                             std::uint32_t copies)
    : grid_(described) {
  auto const ended = [this](tile_program& one) {
    bool const all = std::ranges::all_of(programs_, [](auto const& each) { return each->ended(); });
    if (all || !one.trouble().empty()) grid_.clock.stop();
  };
  for (std::uint32_t number = first_tile; number < described.tiles() && programs_.size() < copies; ++number) {
    if (described.harts_of(number) == described.harts.system) continue;
    programs_.push_back(std::make_unique<tile_program>(grid_, number, image, options(), ended));
  }
  if (programs_.empty()) throw config_error(described.name + ": no tile from the given one on has application harts");
}

std::string timed_machine::refused_write() const {
  for (auto const& one : programs_) {
    if (!one->refused_write().empty()) return one->refused_write();
  }
  return {};
}

timed_outcome timed_machine::run() {
  grid_.clock.run();
  timed_outcome outcome;
  for (auto const& one : programs_) {
    outcome.whole.instructions += one->instructions();
    hart_memory::statistics const each = one->counted();
    outcome.harts.loads += each.loads;
    outcome.harts.stores += each.stores;
    outcome.harts.load_misses += each.load_misses;
    outcome.harts.fetch_misses += each.fetch_misses;
    outcome.harts.in_place += each.in_place;
    if (outcome.whole.exit_code == 0) outcome.whole.exit_code = one->exit_code();
    if (outcome.whole.trouble.empty()) outcome.whole.trouble = one->trouble();
  }
  if (std::ranges::any_of(programs_, [](auto const& one) { return !one->ended(); }) && outcome.whole.trouble.empty()) {
    outcome.whole.exit_code = 1;
    outcome.whole.trouble = "machine: every thread waits, and none can wake another\n";
    for (auto const& one : programs_) outcome.whole.trouble += one->waiting();
  }
  for (auto const& one : grid_.tiles) {
    outcome.l2.hits += one->l2().counted().hits;
    outcome.l2.misses += one->l2().counted().misses;
    outcome.l2.write_backs += one->l2().counted().write_backs;
    if (one->memory() != nullptr) outcome.memory_bytes += one->memory()->counted().bytes;
  }
  outcome.cycles = grid_.clock.now() / grid_.made_of.tile_clock_ps;
  outcome.whole.simulated_ns = grid_.clock.now() / 1000;
  outcome.events = grid_.clock.events();
  return outcome;
}

}  // namespace tess::machine
