// timed_machine: the run and its outcome.
#include "machine/timed/timed_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace tess::machine {
namespace {

/// Every accelerator finds the program's object records in its own tile, at the same address: tiles without a copy of
/// the program get the image.
void place_images(grid& g, elf_image const& image) {
  for (std::uint32_t number = 0; number < g.description.tiles(); ++number) {
    bool const runs = std::ranges::count(g.program_tiles, number) != 0;
    if (runs || image.types_bytes == 0) continue;
    local_window const window = g.description.window(number);
    for (elf_segment const& segment : image.segments) {
      for (std::uint64_t i = 0; i < segment.contents.size();) {
        std::uint64_t const bytes = window.together(segment.address + i, segment.contents.size() - i);
        std::memcpy(g.tiles[number]->peek(*window.global(segment.address + i)), &segment.contents[i], bytes);
        i += bytes;
      }
    }
  }
}

std::string name_of_full(transaction const& refused) {
  if (refused.what == remote_operation::invoke) return "the task queue";
  if (refused.what == remote_operation::transfer) return "the list of jobs, for a copy";
  return fmt::format("the queue at {:#x}", refused.address);
}

/// Full queues, and what waits for them: the tiles whose items were refused, and own harts.
std::string full_queues(grid const& g) {
  std::string report;
  for (auto const& one : g.tiles) {
    std::map<std::string, std::string> senders;  // by queue
    for (transaction const* const refused : one->network_adapter().held_back()) {
      std::string& tiles = senders[name_of_full(*refused)];
      std::string const named = std::to_string(refused->source);
      if (!(", " + tiles + ",").contains(", " + named + ",")) tiles += (tiles.empty() ? "" : ", ") + named;
    }
    for (auto const& [what, tiles] : senders)
      report += fmt::format("  tile {}: {} is full, and items of tile {} wait\n", one->number(), what, tiles);
    if (one->interface() == nullptr) continue;
    for (std::uint64_t const address : one->interface()->waited_for())
      report += fmt::format("  tile {}: its own hart waits to store to {:#x}: a full queue, or a full list of jobs\n",
                            one->number(), address);
  }
  return report;
}

}  // namespace

timed_machine::timed_machine(machine_description const& described, elf_image const& image,
                             std::function<program_options()> const& options, std::uint32_t first_tile,
                             std::uint32_t copies, std::uint32_t copies_in_tile)
    : grid_(described), reach_ps_(described.packet_reach_ps()) {
  grid_.copies.in_tile = copies_in_tile;
  for (std::uint32_t share = 0; share < copies_in_tile; ++share)
    images_.push_back(copies_in_tile == 1 ? image : moved(image, described.share_bytes(copies_in_tile) * share));
  auto const ended = [this](tile_program& one) {
    bool const all = std::ranges::all_of(programs_, [](auto const& each) { return each->ended(); });
    if (all || !one.trouble().empty()) grid_.clock.stop();
  };
  for (std::uint32_t number = first_tile; number < described.tiles() && programs_.size() < copies; ++number) {
    // A memory tile has only the system's hart; a program placed there explicitly uses it.
    if (described.harts_of(number) == described.harts.system && number != first_tile) continue;
    for (std::uint32_t share = 0; share < copies_in_tile && programs_.size() < copies; ++share) {
      program_options chosen = options();
      if (described.has_clusters()) chosen.stack_bytes = described.cluster.stack_bytes;
      programs_.push_back(
          std::make_unique<tile_program>(grid_, number, share, images_[share], std::move(chosen), ended));
    }
    grid_.program_tiles.push_back(number);
  }
  grid_.copies.all = static_cast<std::uint32_t>(programs_.size());
  if (programs_.empty()) throw config_error(described.name + ": no tile from the given one on has application harts");
  for (auto const& units : grid_.units) units->types.place(image.types_address, image.types_bytes);
  share_code();
  for (auto const& one : programs_)
    for (timed_hart& hart : one->harts()) follow(*one, hart);
  for (auto const& units : grid_.units) {
    units->information.on_measured([this](bool begins) { mark(begins); });
    units->information.on_end([this](int code) {
      if (!end_code_) end_code_ = code;
      grid_.clock.stop();
    });
  }
}

void timed_machine::tell_profiles() {
  for (auto const& one : programs_) one->tell_profiles();
  share_code();
}

void timed_machine::share_code() {
  for (auto const& one : programs_) {
    constexpr unsigned both = right_write | right_execute;
    bool const constant =
        std::ranges::none_of(one->image().segments, [](auto const& in) { return (in.rights & both) == both; });
    auto const same = [&](auto const& other) { return &other->image() == &one->image(); };
    if (constant) one->share_code(**std::ranges::find_if(programs_, same));
  }
}

void timed_machine::start_system(elf_image const& image) {
  for (std::uint32_t number = 0; number < grid_.description.tiles(); ++number) {
    auto& added = systems_.emplace_back();
    std::vector<tile_program*> beside;
    for (auto const& one : programs_)
      if (one->tile_number() == number) beside.push_back(one.get());
    // In a memory tile without harts for programs, the system's hart may have been given the program.
    bool const taken = !beside.empty() && grid_.description.harts_of(number) == grid_.description.harts.system;
    if (taken) continue;
    added = std::make_unique<system_program>(grid_, number, image, beside, [this] { grid_.clock.stop(); });
    follow(*added, added->system_hart());
  }
}

void timed_machine::follow(program_host& host, timed_hart& one) {
  hart_memory::statistics const& counted = one.memory().counted();
  one.context.regions = &of_harts_.emplace_back(
      regions_, hart_regions::place{.of = &one.context,
                                    .tile = host.tile_number(),
                                    .parked = &host.parked(),
                                    .text = [&host](std::uint64_t address) { return host.text_at(address); },
                                    .loads = &counted.loads,
                                    .load_misses = &counted.load_misses,
                                    .has_ended = [&one] { return one.is == timed_hart::state::idle; }});
}

timed_machine::sampler::sampler(timed_machine& of, picoseconds every, std::function<void()> takes)
    : event([](event& self) {
        auto& one = static_cast<sampler&>(self);
        one.take();
        one.come_again();
      }),
      owner(of),
      interval_ps(every),
      take(std::move(takes)) {}

// If nothing else is left to happen, the run ends, or stalls.
void timed_machine::sampler::come_again() {
  kernel& clock = owner.grid_.clock;
  if (clock.idle()) return;
  picoseconds const next = std::max(clock.now() + 1, clock.next_due());
  std::uint32_t const site = clock.go_to(kernel::everywhere);
  clock.at((next + interval_ps - 1) / interval_ps * interval_ps, *this);
  (void)clock.go_to(site);
}

void timed_machine::change_samples(picoseconds interval_ps) noexcept {
  sampler_->interval_ps = interval_ps;
}

void timed_machine::sample_every(picoseconds interval_ps, std::function<void()> take) {
  sampler_ = std::make_unique<sampler>(*this, interval_ps, std::move(take));
  sampler_->come_again();
}

timed_machine::marked::marked(timed_machine& of, bool is_begin)
    : event([](event& self) {
        auto& mark = static_cast<marked&>(self);
        mark.owner.read_counters(mark);
      }),
      owner(of),
      begins(is_begin) {}

void timed_machine::mark(bool begins) {
  last_mark_ = begins ? run_pauses::mark::begin : run_pauses::mark::end;
  if (pauses_at_marks_) grid_.clock.stop();
  if (spare_marks_.empty()) spare_marks_.push_back(&marks_.emplace_back(*this, begins));
  marked& one = *spare_marks_.back();
  spare_marks_.pop_back();
  one.begins = begins;
  std::uint32_t const site = grid_.clock.go_to(kernel::everywhere);
  grid_.clock.after(reach_ps_, one);
  (void)grid_.clock.go_to(site);
  using part = timed_hart::measured_part;
  if (begins && !std::exchange(begin_is_marked_, true)) mark_harts(part::begin);
  if (!begins) mark_harts(part::end);
}

void timed_machine::mark_harts(timed_hart::measured_part which) {
  std::uint64_t const now = clock_domain(grid_.description.tile_clock_ps).cycle_from(grid_.clock.now());
  std::uint64_t const cycle = now + grid_.description.beyond_quantum_cycles();
  for (auto const& program : programs_)
    for (timed_hart& one : program->harts()) one.mark(which, cycle);
  for (auto const& system : systems_)
    if (system) system->system_hart().mark(which, cycle);
}

void timed_machine::read_counters(marked& at) {
  spare_marks_.push_back(&at);
  for (auto const& one : grid_.tiles) {
    // What the stores cause happens in the tile.
    std::uint32_t const site = grid_.clock.go_to(network::site_of(one->number()));
    one->catch_up();
    (void)grid_.clock.go_to(site);
  }
  if (!at.begins) {
    measured_end_ = machine_counts::of(grid_);
    energy_end_ = sum_of(energy_of_units(*this));
  } else if (!measured_begin_) {
    measured_begin_ = machine_counts::of(grid_);
    energy_begin_ = sum_of(energy_of_units(*this));
  }
}

machine_counts timed_machine::measured() const {
  machine_counts const end = measured_begin_ && measured_end_ ? *measured_end_ : machine_counts::of(grid_);
  return end.since(measured_begin_.value_or(began_counts_));
}

energy_counts timed_machine::measured_energy() const {
  using part = timed_hart::measured_part;
  if (!measured_begin_) return sum_of(energy_of(*this));
  energy_counts made = (measured_end_ ? energy_end_ : sum_of(energy_of_units(*this))).since(energy_begin_);
  energy_counts const harts = sum_of(energy_of_harts(*this, measured_end_ ? std::optional{part::end} : std::nullopt));
  made.add(harts.since(sum_of(energy_of_harts(*this, part::begin))));
  return made;
}

std::string timed_machine::refused(bool failed) const {
  for (auto const& one : programs_) {
    if (std::string lines = one->refused(failed); !lines.empty()) return lines;
  }
  return {};
}

bool timed_machine::stalled() const {
  return !end_code_ && grid_.watch.trouble().empty() &&
         std::ranges::any_of(programs_, [](auto const& one) { return !one->ended(); }) &&
         std::ranges::all_of(programs_, [](auto const& one) { return one->trouble().empty(); }) &&
         std::ranges::all_of(systems_, [](auto const& one) { return one == nullptr || one->trouble().empty(); });
}

void timed_machine::notify_stalled() {
  for (auto const& one : programs_) {
    tile_units& units = *grid_.units[one->tile_number()];
    units.information.set_stalled();
    units.tasks.call();
  }
}

std::uint64_t timed_machine::instructions() const {
  std::uint64_t sum = began_.instructions;
  for (auto const& one : programs_) sum += one->instructions();
  for (auto const& one : systems_) sum += one == nullptr ? 0 : one->instructions();
  return sum;
}

void timed_machine::pause(run_pauses& pauses) {
  run_pauses::mark const passed = std::exchange(last_mark_, run_pauses::mark::none);
  std::erase_if(pauses.places, [&](run_pauses::place const& one) {
    bool const here = one.at == run_pauses::mark::none ? grid_.clock.next_due() > one.time : one.at == passed;
    if (here) pauses.reached(one);
    return here;
  });
  pauses_at_marks_ =
      std::ranges::any_of(pauses.places, [](auto const& one) { return one.at != run_pauses::mark::none; });
}

std::string timed_machine::run_to_end(picoseconds interval_ps, std::function<void()> const& each,
                                      run_limit const& limit, run_pauses& pauses) {
  kernel& clock = grid_.clock;
  clock_domain const cycles(grid_.description.tile_clock_ps);
  bool const counts = limit.instructions != run_limit::never;
  std::uint64_t const harts = std::max<std::uint64_t>(
      std::uint64_t{grid_.description.tiles()} * (grid_.description.harts.application + grid_.description.harts.system),
      1);
  picoseconds const period = grid_.description.tile_clock_ps;
  picoseconds const last = limit.cycles < run_limit::never / period ? cycles.cycles(limit.cycles) : run_limit::never;
  bool more = true;
  pauses_at_marks_ =
      std::ranges::any_of(pauses.places, [](auto const& one) { return one.at != run_pauses::mark::none; });
  while (more && !clock.idle()) {
    pause(pauses);
    picoseconds next_pause = run_limit::never;
    for (auto const& one : pauses.places)
      if (one.at == run_pauses::mark::none) next_pause = std::min(next_pause, one.time);
    std::uint64_t const done = counts ? instructions() : 0;
    if (std::string reason = limit.reason(cycles.count(clock.now()), done); !reason.empty()) return reason;
    std::uint64_t const left = limit.cycles_left(cycles.count(clock.now()), done, harts);
    picoseconds const look = left < interval_ps / period ? cycles.cycles(left) : interval_ps;
    if (clock.next_due() > last) {
      clock.run_until(last);
      return limit.reason(cycles.cycle_from(last), done);
    }
    // Time without events is passed in one step, so that sleeping for hours costs nothing.
    more = clock.run_on(std::min({std::max(clock.now() + look, clock.next_due()), last, next_pause}));
    // A mark stops the clock, too.
    if (pauses_at_marks_ && last_mark_ != run_pauses::mark::none) more = true;
    if (!grid_.watch.trouble().empty()) more = false;
    each();
  }
  if (caught_signal() != 0 && stalled()) return limit.reason(cycles.cycle_from(clock.now()), instructions());
  return {};
}

machine_outcome timed_machine::run(picoseconds interval_ps, std::function<void()> const& each, run_limit const& limit,
                                   run_pauses& pauses) {
  kernel const& clock = grid_.clock;
  if (!std::exchange(has_images_, true)) place_images(grid_, images_.front());
  for (auto const& one : programs_)
    for (timed_hart& hart : one->harts()) hart.end_after(limit.cycles);
  for (auto const& one : systems_)
    if (one != nullptr) one->system_hart().end_after(limit.cycles);
  std::string stopped = run_to_end(interval_ps, each, limit, pauses);
  if (stopped.empty() && stalled()) {
    // Let the programs report what they wait for.
    notify_stalled();
    stopped = run_to_end(interval_ps, each, limit, pauses);
  }
  // Stores of the last cycle happen, also of harts that have guessed.
  if (!stopped.empty())
    for (auto const& one : grid_.tiles) one->catch_up_with_harts();
  for (auto const& one : programs_)
    for (timed_hart& hart : one->harts()) hart.take_back_stores();
  for (auto const& one : grid_.tiles) one->end_stores();
  machine_outcome outcome;
  for (auto const& one : programs_) {
    one->leave_files();
    outcome.instructions += one->instructions();
    if (outcome.exit_code == 0) outcome.exit_code = one->exit_code();
    if (outcome.trouble.empty()) outcome.trouble = one->trouble();
  }
  for (auto const& one : systems_) {
    if (one == nullptr) continue;
    outcome.instructions += one->instructions();
    if (outcome.trouble.empty()) outcome.trouble = one->trouble();
    if (!one->trouble().empty() && outcome.exit_code == 0) outcome.exit_code = 1;
  }
  if (outcome.exit_code == 0) outcome.exit_code = end_code_.value_or(0);
  if (!stopped.empty()) {
    outcome.exit_code = run_limit::exit_code();
    outcome.trouble = std::move(stopped);
    for (auto const& one : programs_) outcome.trouble += one->places();
  } else if (stalled()) {
    outcome.exit_code = 1;
    outcome.trouble = "machine: every thread waits, and none can wake another\n";
    for (auto const& one : programs_) outcome.trouble += one->waiting();
    outcome.trouble += full_queues(grid_);
  }
  if (!grid_.watch.trouble().empty()) {
    outcome.exit_code = 1;
    outcome.trouble = grid_.watch.trouble();
  }
  outcome.simulated_ns = clock.now() / 1000;
  return outcome;
}

}  // namespace tess::machine
