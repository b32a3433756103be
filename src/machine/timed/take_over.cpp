// take_over: the programs of one machine go on on another one: memory, registers, files, and what units were told.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "machine/timed/timed_machine.hpp"

namespace tess::machine {
namespace {

/// Nothing that a device begins takes longer than this without an event.
constexpr picoseconds quiet_ps = 20'000'000;
/// No hart is farther ahead of the others, when it is the only one that runs.
constexpr picoseconds ahead_ps = 5'000'000'000;
/// How far the programs run until nothing is under way, as far as that goes in between.
constexpr picoseconds step_ps = 10'000'000;
constexpr int steps_max = 2000;

void check_same(machine_description const& here, machine_description const& there) {
  auto const refuse = [&](std::string_view why) {
    throw config_error(fmt::format("a checkpoint of {} cannot continue on {}: {}", there.name, here.name, why));
  };
  auto const same = [](region const& a, region const& b) {
    return a.kind == b.kind && a.tile == b.tile && a.base == b.base && a.size_bytes == b.size_bytes &&
           a.memory_tile == b.memory_tile && a.memory_offset == b.memory_offset;
  };
  if (here.width != there.width || here.tiles() != there.tiles()) refuse("they have different tiles");
  if (!std::ranges::equal(here.regions, there.regions, same)) refuse("they have different addresses");
  for (std::uint32_t tile = 0; tile < here.tiles(); ++tile)
    if (here.harts_of(tile) != there.harts_of(tile)) refuse("their tiles have different harts");
  if (here.harts.system != there.harts.system) refuse("their tiles have different harts for the system");
  if (here.tile_clock_ps != there.tile_clock_ps) refuse("their clocks differ, which programs can read");
  if (here.has_accelerators() != there.has_accelerators()) refuse("one has accelerators, which programs can ask for");
  for (machine_description const* const one : {&here, &there}) {
    if (one->mmu) refuse("page tables are in the memory of one of them");
    if (one->has_clusters()) refuse("clusters have windows, which are part of their network");
    if (one->has_nodes()) refuse("atomics interfaces beside memories have words that memories do not have");
    if (one->cni) refuse("lines with events are part of their caches");
    if (!one->units.empty()) refuse("the state of your own units cannot be transferred");
  }
}

/// What memory will have when all caches have written back what they must.
void copy_memory(grid const& into, grid const& from) {
  for (std::uint32_t number = 0; number < into.description.tiles(); ++number) {
    into.tiles[number]->local_memory().copy(from.tiles[number]->local_memory());
    if (from.tiles[number]->memory() != nullptr)
      into.tiles[number]->memory()->bytes().copy(from.tiles[number]->memory()->bytes());
  }
  for (auto const& one : from.tiles) {
    cache_array& lines = one->l2().array();
    for (line_index line = 0; line < lines.lines(); ++line) {
      bool const differs = lines.state(line) == l2_private::dirty || lines.state(line) == l2_private::marked;
      if (lines.type(line) != cache_array::cacheable || !differs) continue;
      std::uint64_t const address = lines.address_of(line);
      region const* const in = from.map.find(address);
      if (in == nullptr || in->kind != region_kind::partition) continue;
      // With a directory another cache may have it since, newer.
      std::byte const* const newest = one->coherent() ? one->peek(address) : lines.data(line).data();
      std::byte* const at = into.tiles[in->memory_tile]->memory()->bytes().at(in->memory_offset + (address - in->base));
      std::memcpy(at, newest, lines.data(line).size());
    }
  }
}

}  // namespace

void timed_hart::take_over_registers(hart const& other) {
  context.x = other.x;
  context.f = other.f;
  context.e = other.e;
  context.fp = other.fp;
  context.tickets = other.tickets;
  context.retired = other.retired;
  context.reserved = {};
  context.jump(other.pc);
  context.wait_until(kernel_cycle());
}

void timed_hart::take_over(hart const& from, state in, bool attends) {
  take_over_registers(from);
  retired_before_ = from.retired;
  if (context.regions != nullptr && from.regions != nullptr) context.regions->take_over(*from.regions);
  is = in;
  if (attends) interrupt(kernel_cycle());
  if (is == state::runnable || is == state::reserved) {
    is = state::runnable;
    context.wait_until(kernel_cycle());
    come_back(context.now());
  }
}

void timed_hart::warm(warm_hart& from) {
  memory_.warm(from.data(), from.code());
  if (pipeline_ && from.issue() != nullptr) pipeline_->take_over_predictor(*from.issue());
}

void timed_hart::take_over(timed_hart const& from) {
  take_over_registers(from.context);
  retired_before_ = from.context.retired;
  mark_at const& begun = from.marks_.front();
  if (begun.done || begun.cycle != never) marks_.front().done = work();  // what was measured there is left out
  is = from.is;
  if (from.attends_at_ != never) interrupt(kernel_cycle());
  // A word that it waited for may have been written meanwhile: the program looks again.
  if (is == state::runnable || is == state::reserved) wake(kernel_cycle());
}

bool timed_machine::is_under_way() const {
  auto const in = [](auto const& program) {
    return std::ranges::any_of(program->harts(), [](timed_hart const& hart) { return hart.is_under_way(); });
  };
  return std::ranges::any_of(programs_, in) ||
         std::ranges::any_of(grid_.units, [](auto const& one) { return one->any_runs(); }) ||
         std::ranges::any_of(grid_.tiles, [](auto const& one) { return !one->network_adapter().idle(); });
}

void timed_machine::settle() {
  kernel& clock = grid_.clock;
  // The limit was that of the run that wrote the checkpoint.
  for (auto const& one : programs_)
    for (timed_hart& hart : one->harts()) hart.end_after(run_limit::never);
  for (int step = 0; step < steps_max; ++step) {
    for (auto const& one : programs_)
      for (timed_hart& hart : one->harts()) hart.hold();
    picoseconds const last = clock.now() + ahead_ps;
    while (!clock.idle() && clock.next_due() <= (is_under_way() ? last : clock.now() + quiet_ps))
      (void)clock.run_on(clock.next_due());
    for (auto const& one : grid_.tiles) one->end_stores();
    if (!is_under_way()) return;
    // Something waits for what a program has yet to do, such as a message for room in a queue.
    for (auto const& one : programs_)
      for (timed_hart& hart : one->harts()) hart.release();
    (void)clock.run_on(clock.now() + step_ps);
  }
  throw config_error("a checkpoint cannot continue on another machine: it never becomes idle");
}

void timed_machine::take_over(timed_machine& from) {
  check_same(grid_.description, from.grid_.description);
  if (!systems_.empty() || !from.systems_.empty())
    throw config_error("a checkpoint whose system's harts run something cannot continue on another machine");
  from.settle();
  for (auto const& one : programs_)
    for (timed_hart& hart : one->harts()) hart.is = timed_hart::state::idle;
  // Time goes on where it was, since programs know it.
  grid_.clock.run_until(from.grid_.clock.now());
  copy_memory(grid_, from.grid_);
  has_images_ = true;
  count_from({.instructions = from.instructions(), .untimed = from.began_.untimed, .time = grid_.clock.now()});
  for (std::uint32_t tile = 0; tile < grid_.description.tiles(); ++tile)
    grid_.units[tile]->take_over(*from.grid_.units[tile]);
  for (std::size_t i = 0; i < programs_.size(); ++i) programs_[i]->take_over(*from.programs_[i]);
  end_code_ = from.end_code_;
  begin_is_marked_ = from.begin_is_marked_;
  if (from.measured_begin_) {
    measured_begin_ = machine_counts::of(grid_);
    energy_begin_ = sum_of(energy_of_units(*this));
  }
}

void timed_machine::check_takes_over_flat() const {
  machine_description const& here = grid_.description;
  auto const refuse = [&](std::string_view why) {
    throw config_error(fmt::format("{} cannot go on from a run without time: {}", here.name, why));
  };
  if (programs_.size() != 1) refuse("a program is on one tile there; give --copies 1");
  if (here.has_clusters()) refuse("the memories of its clusters are not one");
  if (here.coherence) refuse("what its directories would know is not followed there");
  if (here.cni) refuse("lines with events are part of its caches");
  if (here.mmu) refuse("page tables are not there");
  if (here.has_nodes()) refuse("atomics interfaces beside memories have words that memories do not have");
  if (!systems_.empty()) refuse("its system's harts run something; give --system polled");
}

tile_to_warm timed_machine::tile_of_flat() const {
  return {.description = grid_.description, .window = grid_.description.window(programs_.front()->tile_number())};
}

void timed_machine::take_over(flat_machine& from) {
  check_takes_over_flat();
  for (timed_hart& hart : programs_.front()->harts()) hart.is = timed_hart::state::idle;
  // Programs know the time in ns and in cycles; neither goes back.
  picoseconds const period = grid_.description.tile_clock_ps;
  grid_.clock.run_until(clock_domain(period).cycles(from.last_cycle() * std::max<picoseconds>(1000, period) / period));
  programs_.front()->take_over(from);
  count_from({.instructions = from.instructions(), .untimed = from.instructions(), .time = grid_.clock.now()});
}

void timed_machine::count_from(origin const& at) {
  began_ = at;
  began_counts_ = machine_counts::of(grid_);
  began_energy_ = energy_of_units(*this);
}

}  // namespace tess::machine
