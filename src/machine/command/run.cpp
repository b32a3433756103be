// run: runs with and without time: files, options of the program, and what is written at the end.
#include "machine/command/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/output_file.hpp"
#include "machine/config/named_machines.hpp"
#include "machine/flat/flat_machine.hpp"
#include "machine/linux/user_memory.hpp"
#include "machine/profile/cycle_profile.hpp"
#include "machine/report/measurement.hpp"
#include "machine/report/picture.hpp"
#include "machine/report/progress.hpp"
#include "machine/report/runtime_files.hpp"
#include "machine/report/table.hpp"
#include "machine/report/trace.hpp"
#include "machine/timed/timed_machine.hpp"

extern char** environ;

namespace tess::machine {
namespace {

namespace fs = std::filesystem;
using host_clock = std::chrono::steady_clock;

/// Tells a program that the tile's system hart runs the kernel; only this run says so.
constexpr std::string_view system_variable = "TESS_SYSTEM=";

/// Simulated time between progress checks: short enough for a line per second, long enough to cost nothing.
constexpr picoseconds look_interval_ps = 100'000'000;

double seconds_since(host_clock::time_point begin) {
  return std::chrono::duration<double>(host_clock::now() - begin).count();
}

std::vector<std::byte> contents_of(fs::path const& path) {
  std::error_code unreadable;
  std::uintmax_t const bytes = fs::file_size(path, unreadable);
  std::ifstream stream{path, std::ios::binary};
  if (unreadable || !stream || !fs::is_regular_file(path))
    throw wrong_use{fmt::format("{} cannot be read; give the file of a static RV64 program", path.string())};
  std::vector<std::byte> contents(bytes);
  stream.read(reinterpret_cast<char*>(contents.data()), static_cast<std::streamsize>(bytes));  // NOLINT
  contents.resize(static_cast<std::size_t>(stream.gcount()));
  return contents;
}

// The host's environment would make runs differ: only variables of the runtime and of OpenSHMEM are passed on, and none
// of those by which ./tess says how it builds.
std::vector<std::string> environment_of(chosen_options const& chosen, bool timed) {
  static constexpr std::array<std::string_view, 5> not_its{
      "TESS_PYTHON=", "TESS_PRESET=", "TESS_JOBS=", "TESS_PROGRESS_SECONDS=", system_variable};
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view const one{*entry};
    if (std::ranges::any_of(not_its, [&](std::string_view name) { return one.starts_with(name); })) continue;
    for (std::string_view const known : {"TESS_", "SHMEM_", "SMA_"})
      if (one.starts_with(known)) result.emplace_back(one);
  }
  for (std::string const& entry : chosen.environment) {
    std::string const name = entry.substr(0, entry.find('=') + 1);
    std::erase_if(result, [&](std::string const& other) { return other.starts_with(name); });
    result.push_back(entry);
  }
  // Tells the runtime whether there are tiles that it may query.
  result.emplace_back(timed ? "TESS_TIMING=on" : "TESS_TIMING=off");
  return result;
}

/// Without --allow-read: the current folder, that of the program, and what its words name.
void allow_reading(chosen_options const& chosen, program_options& options) {
  options.files.allow_read_file(options.path);
  for (auto const& folder : chosen.read_folders) options.files.allow_read(folder);
  if (!chosen.read_folders.empty()) return;
  options.files.allow_read(".");
  options.files.allow_read(fs::path(options.path).parent_path());
  for (std::string_view const word : std::span{options.arguments}.subspan(1)) {
    std::error_code absent;
    fs::path const named{word.substr(word.starts_with('-') ? word.find('=') + 1 : 0)};  // as in --input=FILE
    if (named.empty() || named.lexically_normal() == "/") continue;
    if (fs::is_directory(named, absent)) options.files.allow_read(named);
    if (fs::is_regular_file(named, absent)) options.files.allow_read_file(named);
  }
}

/// The folder of this program.
fs::path own_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

bool is_bundled(std::string const& program) {
  std::error_code wrong;
  return fs::equivalent(fs::absolute(program).parent_path(), own_folder().parent_path() / "riscv", wrong);
}

program_options options_of(chosen_options const& chosen, runtime_files const& files, bool timed) {
  program_options result;
  result.arguments = chosen.arguments;
  if (is_bundled(chosen.arguments.front())) {
    // Its time shall not depend on where the installation is.
    result.arguments.front() = fs::path(chosen.arguments.front()).filename().string();
    result.shown_path = "/" + result.arguments.front();
  }
  result.environment = environment_of(chosen, timed);
  result.environment.insert(result.environment.end(), files.variables().begin(), files.variables().end());
  result.path = fs::absolute(chosen.arguments.front()).lexically_normal().string();
  result.seed = chosen.seed;
  result.layout = chosen.layout;
  result.slice_cycles = chosen.slice_cycles;
  for (auto const& folder : chosen.write_folders) result.files.allow_write(folder);
  if (!files.folder().empty()) result.files.allow_write(files.folder());
  allow_reading(chosen, result);
  return result;
}

run_limit limit_of(chosen_options const& chosen) {
  run_limit limit;
  if (chosen.cycles_max != 0) limit.cycles = chosen.cycles_max;
  if (chosen.instructions_max != 0) limit.instructions = chosen.instructions_max;
  if (chosen.seconds_max > 0) limit.host_time = std::chrono::duration<double>(chosen.seconds_max);
  return limit;
}

/// Opened before the run, so that a wrong name does not waste the run.
class report_file {
 public:
  explicit report_file(std::string const& name) try {
    if (!name.empty()) file_.emplace(name);
  } catch (std::exception const&) {
    throw wrong_use{fmt::format("{} cannot be written; give a file in a folder that you may write", name)};
  }
  [[nodiscard]] bool wanted() const noexcept { return file_.has_value(); }
  void write(std::string const& text) {
    file_->write(text);
    file_->close();
  }

 private:
  std::optional<tess::detail::output_file> file_;
};

constexpr std::uint32_t all_tiles = std::numeric_limits<std::uint32_t>::max();

/// A program of the runtime has a place on each tile, or on as many tiles as there are places.
std::uint32_t copies_of(chosen_options const& chosen, elf_image const& image) {
  if (chosen.copies != 0) return chosen.copies;
  std::string_view fabric;
  std::string_view places;
  auto const environment = environment_of(chosen, true);
  for (std::string_view const entry : environment) {
    if (entry.starts_with("TESS_FABRIC=")) fabric = entry.substr(entry.find('=') + 1);
    if (entry.starts_with("TESS_PLACES=")) places = entry.substr(entry.find('=') + 1);
  }
  if (!image.spreads || (!fabric.empty() && fabric != "tile")) return 1;
  // The runtime itself rejects a value that is not a number.
  std::uint32_t wanted = 0;
  std::from_chars(places.data(), places.data() + places.size(), wanted);
  return wanted != 0 ? wanted : all_tiles;
}

void check_copies_in_tile(chosen_options const& chosen, elf_image const& image, machine_description const& described) {
  if (chosen.copies_in_tile == 1) return;
  std::uint32_t const harts = described.harts.application;
  if (chosen.copies_in_tile > harts)
    throw wrong_use{fmt::format("--pes-per-tile {}: a tile of {} has {} harts for programs; give at most as many",
                                chosen.copies_in_tile, described.name, harts)};
  if (!image.spreads || !image.moves)
    throw wrong_use{fmt::format("{} is for one PE a tile; compile it with `tess cc --machine {} --pes-per-tile {}`",
                                chosen.arguments.front(), described.name, chosen.copies_in_tile)};
  if (image.end > described.share_bytes(chosen.copies_in_tile))
    throw wrong_use{fmt::format("{} PEs of this program do not fit into a tile of {}, each of which has {} bytes",
                                chosen.copies_in_tile, described.name, described.share_bytes(chosen.copies_in_tile))};
}

/// Only programs of the runtime say what must be in a tile-local memory.
void place_in_memory(chosen_options const& chosen, elf_image const& image, machine_description& described) {
  if (image.tlm_bytes == 0 || image.moves)
    throw wrong_use{
        fmt::format("--image memory: {} does not say what must be in the tile-local memory, as programs of "
                    "the runtime do; leave the option out",
                    chosen.arguments.front())};
  if (image.tlm_address % user_page_bytes != 0 || image.tlm_bytes % user_page_bytes != 0 ||
      image.end > described.local_tail_bytes || image.tlm_address + image.tlm_bytes > described.tlm_bytes)
    throw wrong_use{
        fmt::format("--image memory: {} does not fit into the {} bytes that a program has in the memory of {}",
                    chosen.arguments.front(), described.local_tail_bytes, described.name)};
  described.place_image_in_memory(image.tlm_address, image.tlm_address + image.tlm_bytes);
}

/// Text, data and a stack must have room, or a program would begin to run and fault.
void check_room(chosen_options const& chosen, elf_image const& image, machine_description const& described) {
  if (described.has_clusters()) return;  // their loader says what does not fit
  std::uint64_t const stack = program_options{}.stack_bytes + user_page_bytes;
  std::uint64_t const room =
      chosen.copies_in_tile == 1 ? described.program_bytes() : described.share_bytes(chosen.copies_in_tile);
  if (image.end + stack <= room) return;
  throw wrong_use{
      fmt::format("{} ends at {:#x}, and needs {} bytes of stack behind it; a program has {} bytes on {}: "
                  "give it more by tile.local_tail_bytes",
                  chosen.arguments.front(), image.end, stack, room, described.name)};
}

/// What the system's harts run: "kernel", or the file of a program; empty: nothing.
std::string system_of(chosen_options const& chosen, machine_description const& described) {
  std::string wanted = chosen.system;
  if (wanted.empty() && described.system && described.system->runs == system_choice::kernel) wanted = "kernel";
  if (wanted.empty() || wanted == "polled") return {};
  if (!described.system)
    throw wrong_use{
        fmt::format("the system's harts of {} run nothing; choose a machine with [system], or leave out "
                    "--system",
                    described.name)};
  return wanted;
}

/// What the system's harts run, for as long as they do.
class system_software {
 public:
  system_software(std::string const& what, machine_description const& described, timed_machine& machine) {
    if (what.empty()) return;
    file_ = what == "kernel" ? kernel_file().string() : what;
    contents_ = contents_of(file_);
    image_ = read_elf(contents_, file_, described.tlm_bytes);
    machine.start_system(image_);
  }
  [[nodiscard]] std::string const& file() const noexcept { return file_; }

 private:
  std::string file_;
  /// Beside this program; it is there if a cross compiler was.
  static fs::path kernel_file() {
    fs::path const file = own_folder() / "system-kernel";
    if (!fs::exists(file))
      throw wrong_use{
          fmt::format("there is no system kernel, {}: it is built where riscv64-linux-gnu-g++ is", file.string())};
    return file;
  }
  std::vector<std::byte> contents_;
  elf_image image_;
};

int run_timed(chosen_options const& chosen) {
  auto const file = contents_of(chosen.arguments.front());
  auto described = described_machine(chosen.machine);
  std::string const system = system_of(chosen, described);
  chosen_options of_programs = chosen;
  if (system == "kernel") of_programs.environment.push_back(std::string(system_variable) + system);
  report_file statistics{chosen.statistics};
  report_file task_trace{chosen.task_trace};
  report_file trace_file{chosen.trace};
  report_file picture{chosen.picture};
  std::deque<std::pair<report_file, std::string>> profiles;
  for (std::string const& name : chosen.profiles) {
    std::string const suffix = fs::path(name).extension().string();
    if (!cycle_profile::knows(suffix))
      throw wrong_use{fmt::format("--profile {}: give a name that ends with .svg, .json, .folded or .csv", name)};
    profiles.emplace_back(std::piecewise_construct, std::tuple(name), std::tuple(suffix));
  }
  auto const image = read_elf(file, chosen.arguments.front(), described.tlm_bytes + described.local_tail_bytes);
  if (image.spreads && described.has_clusters())
    throw wrong_use{
        fmt::format("{} has a place on every tile, which needs memory that tiles share, and the clusters of {} "
                    "share none; choose another machine: tess machines",
                    chosen.arguments.front(), described.name)};
  if (image.spreads && described.coherence)
    throw wrong_use{
        fmt::format("{} is a program of the runtime, which wants tile-local memories and tiles that keep their caches "
                    "in order; {} has neither, but coherent caches; choose another machine: tess machines",
                    chosen.arguments.front(), described.name)};
  runtime_files const of_runtime{statistics.wanted(), task_trace.wanted(), environment_of(chosen, true)};
  if (chosen.image_in_memory) place_in_memory(chosen, image, described);
  std::uint32_t const copies = copies_of(chosen, image);
  check_copies_in_tile(chosen, image, described);
  check_room(chosen, image, described);
  timed_machine machine(
      described, image, [&] { return options_of(of_programs, of_runtime, true); },
      chosen.first_tile + chosen.first_tile_row * described.width, copies, chosen.copies_in_tile);
  if (chosen.copies > machine.programs().size())
    throw wrong_use{fmt::format("--copies {}: from tile {} on, {} has room for {}; give at most as many", chosen.copies,
                                chosen.first_tile + chosen.first_tile_row * described.width, described.name,
                                machine.programs().size())};
  // Refused here, the program does not start; the runtime would say the same after seconds of simulation.
  if (image.spreads && chosen.copies == 0 && copies != all_tiles && copies > machine.programs().size())
    throw wrong_use{fmt::format("{0} places were asked for, and each is a {1}, but {2} has {3} {1}s for programs",
                                copies, chosen.copies_in_tile == 1 ? "tile" : "hart", described.name,
                                machine.programs().size())};
  system_software const on_system_harts(system, described, machine);
  if (!chosen.quiet) fmt::print(stderr, "machine: {}: {}\n", described.name, described.summary);
  std::optional<trace> traced;
  if (trace_file.wanted()) traced.emplace(machine);
  std::optional<cycle_profile> profiled;
  if (!profiles.empty()) profiled.emplace(machine, chosen.arguments.front(), on_system_harts.file());
  auto const begin = host_clock::now();
  auto const outcome = [&] {
    progress line{!chosen.quiet && ::isatty(STDERR_FILENO) == 1};
    return machine.run(
        look_interval_ps,
        [&] {
          if (traced) traced->sample();
          if (!line.due()) return;
          std::uint64_t instructions = 0;
          for (auto const& one : machine.programs()) instructions += one->instructions();
          line.say(machine.hardware().clock.now(), instructions);
        },
        limit_of(chosen));
  }();
  double const seconds = seconds_since(begin);
  fmt::print(stderr, "{}{}", outcome.trouble, machine.refused(!chosen.quiet && outcome.exit_code != 0));
  auto const measured = measure(machine);
  std::string const& program = chosen.arguments.front();
  if (!chosen.quiet) fmt::print(stderr, "{}", table_of(measured, described, seconds));
  if (statistics.wanted())
    statistics.write(json_of(measured, described, program, outcome.exit_code, seconds, of_runtime.statistics()));
  if (traced) trace_file.write(traced->json());
  if (task_trace.wanted()) task_trace.write(of_runtime.trace());
  if (profiled) {
    profiled->finish();
    if (!chosen.quiet) fmt::print(stderr, "{}", profiled->summary());
    for (auto& [out, suffix] : profiles) out.write(profiled->file(suffix));
  }
  if (picture.wanted()) picture.write(picture_of(measured, described, program));
  return outcome.exit_code;
}

int run_flat(chosen_options const& chosen) {
  for (auto const& [given, option] : {std::pair{chosen.copies != 0, "--copies"},
                                      {chosen.copies_in_tile != 1, "--pes-per-tile"},
                                      {chosen.image_in_memory, "--image"}})
    if (given)
      throw wrong_use{fmt::format("{} is for tiles, and without time there are none; give --timing on", option)};
  if (!chosen.trace.empty() || !chosen.picture.empty() || !chosen.profiles.empty())
    throw wrong_use{fmt::format("{} shows time, and this run is without; give --timing on, too",
                                !chosen.trace.empty()     ? "--trace"
                                : !chosen.picture.empty() ? "--picture"
                                                          : "--profile")};
  auto const file = contents_of(chosen.arguments.front());
  report_file statistics{chosen.statistics};
  report_file task_trace{chosen.task_trace};
  std::uint64_t const memory_bytes = chosen.memory_mebibytes << 20U;
  auto const image = read_elf(file, chosen.arguments.front(), memory_bytes);
  if (image.needs_time)
    throw wrong_use{fmt::format(
        "{} looks at units, other tiles or what caches hold, and without time there are none; give --timing on",
        chosen.arguments.front())};
  runtime_files const of_runtime{statistics.wanted(), task_trace.wanted(), environment_of(chosen, false)};
  flat_machine machine{
      image, {.memory_bytes = memory_bytes, .harts = chosen.harts}, options_of(chosen, of_runtime, false)};
  if (!chosen.quiet)
    fmt::print(stderr, "machine: {}, timing off: {} harts on one coherent flat memory, a cycle an instruction\n",
               chosen.machine, chosen.harts);
  auto const begin = host_clock::now();
  auto const outcome = machine.run(limit_of(chosen));
  double const seconds = seconds_since(begin);
  fmt::print(stderr, "{}{}", outcome.trouble, machine.refused(!chosen.quiet && outcome.exit_code != 0));
  if (!chosen.quiet) fmt::print(stderr, "{}", table_of(outcome, seconds));
  if (statistics.wanted())
    statistics.write(json_of(outcome, chosen.machine, chosen.arguments.front(), seconds, of_runtime.statistics()));
  if (task_trace.wanted()) task_trace.write(of_runtime.trace());
  return outcome.exit_code;
}

}  // namespace

int run(chosen_options const& chosen) {
  catch_signals();
  std::string const usual = chosen.machine == "single-tile" ? "off" : "on";
  return (chosen.timing.empty() ? usual : chosen.timing) == "on" ? run_timed(chosen) : run_flat(chosen);
}

}  // namespace tess::machine
