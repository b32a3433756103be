// window: a part of a run whose cycles stand for others.
#include <algorithm>

#include "machine/timed/timed_machine.hpp"

namespace tess::machine {

std::uint64_t timed_machine::latest_cycle() const {
  std::uint64_t latest = grid_.clock.now() / grid_.description.tile_clock_ps;
  for (auto const& program : programs_)
    for (timed_hart const& one : program->harts())
      if (one.is == timed_hart::state::runnable) latest = std::max(latest, one.context.now());
  return latest;
}

bool timed_machine::advance_to(std::uint64_t instructions_done) {
  kernel& clock = grid_.clock;
  picoseconds const period = grid_.description.tile_clock_ps;
  std::uint64_t const least = grid_.description.harts.quantum_cycles;
  while (true) {
    std::uint64_t const done = instructions() - began_.instructions;
    if (done >= instructions_done) return true;
    if (clock.idle() || end_code_ ||
        std::ranges::any_of(programs_, [](auto const& one) { return one->ended() || one->wanted_host(); }))
      return false;
    std::uint64_t const cycles = std::max((instructions_done - done) / harts_of_flat(), least);
    (void)clock.run_on(std::max(clock.now() + cycles * period, clock.next_due()));
  }
}

timed_machine::window timed_machine::run_window(std::uint64_t warmup, std::uint64_t counted) {
  for (auto const& one : programs_) one->leave_host_alone();
  // A hart that is alone would run far ahead of an event, and so beyond the window.
  constexpr std::uint64_t between_cycles = 256;
  sample_every(between_cycles * grid_.description.tile_clock_ps, [] {});
  if (!advance_to(warmup)) return {.ended = true};
  std::uint64_t const before = instructions();
  std::uint64_t const cycle = latest_cycle();
  bool const whole = advance_to(warmup + counted);
  return {.instructions = instructions() - before, .cycles = latest_cycle() - cycle, .ended = !whole};
}

}  // namespace tess::machine
