// timed_run: the checks of a request, the machine, and the loop that it runs in.
#include "machine/command/timed_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <limits>
#include <string_view>

#include "machine/command/inputs.hpp"
#include "machine/config/comparison.hpp"
#include "machine/config/named_machines.hpp"
#include "machine/linux/user_memory.hpp"
#include "machine/report/measurement.hpp"
#include "machine/report/progress.hpp"
#include "machine/rtl/hardware.hpp"
#include "machine/rtl/rtl_library.hpp"

namespace tess::machine {
namespace {

/// Simulated time between progress checks: short enough for a line per second, long enough to cost nothing.
constexpr picoseconds look_interval_ps = 100'000'000;
constexpr std::uint32_t all_tiles = std::numeric_limits<std::uint32_t>::max();

/// Beside this program; it is there if a cross compiler was.
std::filesystem::path kernel_file() {
  std::filesystem::path const file = own_folder() / "system-kernel";
  if (!std::filesystem::exists(file))
    throw wrong_use{
        fmt::format("there is no system kernel, {}: it is built where riscv64-linux-gnu-g++ is", file.string())};
  return file;
}

}  // namespace

timed_run::timed_run(chosen_options const& begun, runtime_files const& of_runtime)
    : begun_(begun),
      machine_text_(resolved_text(begun.machine)),
      runtime_folder_(of_runtime.folder().string()),
      described_(described_machine(begun.machine)),
      file_(contents_of(begun.arguments.front())) {
  make_machine(of_runtime);
  if (!begun_.trace.empty()) traced_.emplace(*machine_);
  if (!begun_.profiles.empty()) profiled_.emplace(*machine_, begun_.arguments.front(), system_file_);
  begin_timeline(begun_);
}

timed_run::timed_run(timed_run& from, std::string const& machine, runtime_files const& of_runtime)
    : begun_(from.begun_),
      machine_text_(resolved_text(machine)),
      runtime_folder_(of_runtime.folder().string()),
      described_(described_machine(machine)),
      file_(from.file_) {
  begun_.machine = machine;
  begun_.copies = static_cast<std::uint32_t>(from.machine_->programs().size());
  make_machine(of_runtime);
  machine_->take_over(*from.machine_);
}

void timed_run::make_machine(runtime_files const& of_runtime) {
  try {
    put_hardware(begun_.rtl, described_);
  } catch (rtl_error const& wrong) {
    throw wrong_use{fmt::format("--rtl: {}", wrong.what())};
  }
  std::string const system = system_of();
  image_ = read_elf(file_, begun_.arguments.front(), described_.tlm_bytes + described_.local_tail_bytes);
  check_machine();
  check_translation();
  if (begun_.image_in_memory) place_in_memory();
  std::uint32_t const copies = copies_of();
  check_copies_in_tile();
  check_room();
  chosen_options of_programs = begun_;
  if (system == "kernel") of_programs.environment.push_back(std::string(system_variable) + system);
  std::uint32_t const first_tile = begun_.first_tile + begun_.first_tile_row * described_.width;
  if ((begun_.first_tile_row != 0 && begun_.first_tile >= described_.width) || first_tile >= described_.tiles())
    throw wrong_use{fmt::format("--tile: {} has no such tile, but {} x {}, which are 0 to {}", described_.name,
                                described_.width, described_.height, described_.tiles() - 1)};
  machine_ = std::make_unique<timed_machine>(
      described_, image_, [&] { return options_of(of_programs, of_runtime, !begun_.begins_without_time()); },
      first_tile, copies, begun_.copies_in_tile);
  std::size_t const made = machine_->programs().size();
  if (begun_.copies > made)
    throw wrong_use{fmt::format("--copies {}: from tile {} on, {} has room for {}; give at most as many", begun_.copies,
                                first_tile, described_.name, made)};
  // Refused here, the program does not start; the runtime would say the same after seconds of simulation.
  if (image_.spreads && begun_.copies == 0 && copies != all_tiles && copies > made)
    throw wrong_use{fmt::format("{0} places were asked for, and each is a {1}, but {2} has {3} {1}s for programs",
                                copies, begun_.copies_in_tile == 1 ? "tile" : "hart", described_.name, made)};
  if (!system.empty()) start_system(system);
}

void timed_run::begin_timeline(chosen_options const& now) {
  if (now.over_time.empty()) {
    if (!now.interval.empty())
      throw wrong_use{"--stats-every is the interval of --stats-over-time; give that, too, with a file"};
    return;
  }
  picoseconds const interval = now.interval.empty() ? 0 : time_from(now.interval, described_.tile_clock_ps);
  if (!now.interval.empty() && interval == 0)
    throw wrong_use{
        fmt::format("--stats-every {}: give a time of at least a cycle, {} ps, as 10us, 500ns, 1ms or "
                    "2000cycles",
                    now.interval, described_.tile_clock_ps)};
  over_time_.emplace(*machine_, interval);
}

void timed_run::check_machine() const {
  if (image_.spreads && described_.has_clusters())
    throw wrong_use{
        fmt::format("{} has a place on every tile, which needs memory that tiles share, and the clusters of {} "
                    "share none; choose another machine: tess machines",
                    begun_.arguments.front(), described_.name)};
  if (image_.spreads && described_.coherence && !described_.has_accelerators())
    throw wrong_use{
        fmt::format("{} is a program of the runtime, which wants tile-local memories and accelerators for graphs; {} "
                    "has neither, but coherent caches; choose another machine: tess machines",
                    begun_.arguments.front(), described_.name)};
}

/// What knows programs by their physical addresses: accelerators, other tiles, the system's kernel.
void timed_run::check_translation() const {
  if (!described_.mmu) return;
  if (image_.spreads)
    throw wrong_use{
        fmt::format("{} is a program of the runtime, whose places give each other addresses; {} translates those of "
                    "each program ([mmu]); choose another machine: tess machines",
                    begun_.arguments.front(), described_.name)};
  if (begun_.copies_in_tile > 1)
    throw wrong_use{"--pes-per-tile: each copy would have all of the tile's memory on a machine with [mmu]"};
  if (!system_of().empty())
    throw wrong_use{"--system: programs would call the system with addresses that [mmu] translates"};
}

/// A program of the runtime has a place on each tile, or on as many tiles as there are places.
std::uint32_t timed_run::copies_of() const {
  if (begun_.copies != 0) return begun_.copies;
  if (begun_.begins_without_time()) return 1;
  std::string_view fabric;
  std::string_view places;
  auto const environment = environment_of(begun_, true);
  for (std::string_view const entry : environment) {
    if (entry.starts_with("TESS_FABRIC=")) fabric = entry.substr(entry.find('=') + 1);
    if (entry.starts_with("TESS_PLACES=")) places = entry.substr(entry.find('=') + 1);
  }
  if (!image_.spreads && !places.empty() && places != "1" && !begun_.quiet)
    fmt::print(stderr, "machine: {} is no program of the runtime: it runs once, not in {} places; give --copies {}\n",
               begun_.arguments.front(), places, places);
  if (!image_.spreads || (!fabric.empty() && fabric != "tile")) return 1;
  // The runtime itself rejects a value that is not a number.
  std::uint32_t wanted = 0;
  std::from_chars(places.data(), places.data() + places.size(), wanted);
  return wanted != 0 ? wanted : all_tiles;
}

void timed_run::check_copies_in_tile() const {
  if (begun_.copies_in_tile == 1) return;
  std::uint32_t const harts = described_.harts.application;
  if (begun_.copies_in_tile > harts)
    throw wrong_use{fmt::format("--pes-per-tile {}: a tile of {} has {} harts for programs; give at most as many",
                                begun_.copies_in_tile, described_.name, harts)};
  if (!image_.spreads || !image_.moves)
    throw wrong_use{fmt::format("{} is for one PE a tile; compile it with `tess cc --machine {} --pes-per-tile {}`",
                                begun_.arguments.front(), described_.name, begun_.copies_in_tile)};
  if (image_.end > described_.share_bytes(begun_.copies_in_tile))
    throw wrong_use{fmt::format("{} PEs of this program do not fit into a tile of {}, each of which has {} bytes",
                                begun_.copies_in_tile, described_.name, described_.share_bytes(begun_.copies_in_tile))};
}

/// Only programs of the runtime say what must be in a tile-local memory.
void timed_run::place_in_memory() {
  if (image_.tlm_bytes == 0 || image_.moves)
    throw wrong_use{
        fmt::format("--image memory: {} does not say what must be in the tile-local memory, as programs of "
                    "the runtime do; leave the option out",
                    begun_.arguments.front())};
  if (image_.tlm_address % user_page_bytes != 0 || image_.tlm_bytes % user_page_bytes != 0 ||
      image_.end > described_.local_tail_bytes || image_.tlm_address + image_.tlm_bytes > described_.tlm_bytes)
    throw wrong_use{
        fmt::format("--image memory: {} does not fit into the {} bytes that a program has in the memory of {}",
                    begun_.arguments.front(), described_.local_tail_bytes, described_.name)};
  described_.place_image_in_memory(image_.tlm_address, image_.tlm_address + image_.tlm_bytes);
}

/// Text, data and a stack must have room, or a program would begin to run and fault.
void timed_run::check_room() const {
  if (described_.has_clusters()) return;  // their loader says what does not fit
  std::uint64_t const stack = program_options{}.stack_bytes + user_page_bytes;
  std::uint64_t const room =
      begun_.copies_in_tile == 1 ? described_.program_bytes() : described_.share_bytes(begun_.copies_in_tile);
  if (image_.end + stack <= room) return;
  throw wrong_use{
      fmt::format("{} ends at {:#x}, and needs {} bytes of stack behind it; a program has {} bytes on {}: "
                  "give it more by tile.local_tail_bytes",
                  begun_.arguments.front(), image_.end, stack, room, described_.name)};
}

/// What the system's harts run: "kernel", or the file of a program; empty: nothing.
std::string timed_run::system_of() const {
  std::string wanted = begun_.system;
  if (wanted.empty() && described_.system && described_.system->runs == system_choice::kernel) wanted = "kernel";
  if (wanted.empty() || wanted == "polled") return {};
  if (!described_.system)
    throw wrong_use{
        fmt::format("the system's harts of {} run nothing; choose a machine with [system], or leave out "
                    "--system",
                    described_.name)};
  return wanted;
}

void timed_run::start_system(std::string const& what) {
  system_file_ = what == "kernel" ? kernel_file().string() : what;
  system_contents_ = contents_of(system_file_);
  system_image_ = read_elf(system_contents_, system_file_, described_.tlm_bytes);
  machine_->start_system(system_image_);
}

machine_outcome timed_run::run(chosen_options const& now, run_pauses& pauses) {
  progress line{!now.quiet && ::isatty(STDERR_FILENO) == 1};
  return machine_->run(
      look_interval_ps,
      [&] {
        if (traced_) traced_->sample();
        if (!line.due()) return;
        std::uint64_t instructions = 0;
        for (auto const& one : machine_->programs()) instructions += one->instructions();
        line.say(machine_->hardware().clock.now(), instructions);
      },
      limit_of(now), pauses);
}

}  // namespace tess::machine
