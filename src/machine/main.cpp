// main: `tess-machine`: runs a program on a simulated machine; `tess run --machine` becomes this program.
//
//   Standard input, output and error are the program's. Ours are the first and the last lines of standard error.
//
// Errors    exit code of the program; 1 if it trapped, deadlocked or the simulator failed; 2 for wrong use or input.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "machine/flat_machine.hpp"
#include "machine/timed/timed_machine.hpp"

extern char** environ;

namespace {

namespace fs = std::filesystem;
using tess::machine::flat_machine;

constexpr int exit_failed = 1;
constexpr int exit_misuse = 2;

struct wrong_use : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct chosen_options {
  std::string machine = "single-tile";
  std::string timing;                  // empty: on for a machine with time of its own, off for single-tile
  std::vector<std::string> arguments;  // the first is the program
  std::vector<std::string> write_folders;
  std::vector<std::string> read_folders;
  std::vector<std::string> environment;
  std::uint64_t seed = 1;
  std::uint64_t memory_mebibytes = 4096;
  std::uint32_t harts = 4;
  std::uint32_t first_tile = 0;
  std::uint32_t copies = 1;
  bool quiet = false;
};

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

// The host's environment would make runs differ: of it only what is meant for the runtime.
std::vector<std::string> environment_of(chosen_options const& chosen) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string_view{*entry}.starts_with("TESS_")) result.emplace_back(*entry);
  result.insert(result.end(), chosen.environment.begin(), chosen.environment.end());
  return result;
}

tess::machine::program_options options_of(chosen_options const& chosen) {
  tess::machine::program_options result;
  result.arguments = chosen.arguments;
  result.environment = environment_of(chosen);
  result.path = fs::absolute(chosen.arguments.front()).lexically_normal().string();
  result.seed = chosen.seed;
  for (auto const& folder : chosen.write_folders) result.files.allow_write(folder);
  for (auto const& folder : chosen.read_folders) result.files.allow_read(folder);
  return result;
}

void declare(CLI::App& app, chosen_options& chosen) {
  app.add_option("--machine", chosen.machine, "a machine by name, or the file of one");
  app.add_option("--timing", chosen.timing,
                 "off: one coherent flat memory, one instruction a cycle; the default of single-tile only")
      ->check(CLI::IsMember({"off", "on"}));
  app.add_option("--tile", chosen.first_tile, "with time: the first tile that may run the program");
  app.add_option("--copies", chosen.copies, "with time: tiles that run a copy of the program")
      ->check(CLI::Range(1, 4096));
  app.add_option("--harts", chosen.harts, "threads that can run at a time")->check(CLI::Range(1, 1024));
  app.add_option("--memory", chosen.memory_mebibytes, "memory of the program")
      ->type_name("MiB")
      ->check(CLI::Range(16, 262144));
  app.add_option("--allow-write", chosen.write_folders, "a folder below which the program may write; repeatable")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
  app.add_option("--allow-read", chosen.read_folders, "read nothing but what lies below this folder; repeatable")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
  app.add_option("--env", chosen.environment, "one for the program's environment, which is otherwise empty; repeatable")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  app.add_option("--seed", chosen.seed, "of everything random in the program")->envname("TESS_SEED");
  app.add_flag("--quiet", chosen.quiet, "no lines of ours, but for errors");
}

void print_summary(tess::machine::machine_outcome const& outcome, double seconds) {
  auto const instructions = static_cast<double>(outcome.instructions);
  fmt::print(stderr, "machine: {:.6f} s simulated, {} instructions, {:.3f} s here, {:.1f} million instructions/s\n",
             static_cast<double>(outcome.simulated_ns) * 1e-9, outcome.instructions, seconds,
             instructions / seconds * 1e-6);
}

// A name is that of a file beside us, as installed or built.
tess::machine::machine_description described(std::string const& machine) {
  if (machine.ends_with(".toml")) return tess::machine::read_machine(machine);
  fs::path const root = fs::read_symlink("/proc/self/exe").parent_path() / "../../..";
  fs::path const file = root / "share/tessera/machines" / (machine + ".toml");
  if (!fs::exists(file))
    throw wrong_use{fmt::format("no machine \"{}\"; give a name of machines/, or FILE.toml", machine)};
  return tess::machine::read_machine(file.lexically_normal());
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void print_timed(tess::machine::timed_outcome const& outcome, double seconds) {
  auto const& harts = outcome.harts;
  auto const instructions = static_cast<double>(outcome.whole.instructions);
  fmt::print(stderr, "machine: {:.6f} s simulated, {} cycles, {} instructions, {:.3f} instructions a cycle\n",
             static_cast<double>(outcome.whole.simulated_ns) * 1e-9, outcome.cycles, outcome.whole.instructions,
             instructions / static_cast<double>(outcome.cycles));
  fmt::print(stderr, "machine: {:.2f}% of {} loads missed the L1, {:.2f}% of {} looked for in an L2; {} B of DDR\n",
             percent(harts.load_misses, harts.loads), harts.loads,
             percent(outcome.l2.misses, outcome.l2.hits + outcome.l2.misses), outcome.l2.hits + outcome.l2.misses,
             outcome.memory_bytes);
  fmt::print(stderr, "machine: {:.3f} s here, {:.1f} million instructions/s, {} events\n", seconds,
             instructions / seconds * 1e-6, outcome.events);
}

int run_timed(chosen_options const& chosen) {
  auto const file = contents_of(chosen.arguments.front());
  auto const machine_made = described(chosen.machine);
  std::uint64_t const memory_bytes = machine_made.tlm_bytes + machine_made.local_tail_bytes;
  auto const image = tess::machine::read_elf(file, chosen.arguments.front(), memory_bytes);
  tess::machine::timed_machine machine(
      machine_made, image, [&] { return options_of(chosen); }, chosen.first_tile, chosen.copies);
  if (!chosen.quiet) fmt::print(stderr, "machine: {}: {}\n", machine_made.name, machine_made.summary);
  auto const begin = std::chrono::steady_clock::now();
  auto const outcome = machine.run();
  std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - begin;
  if (!outcome.whole.trouble.empty()) fmt::print(stderr, "{}", outcome.whole.trouble);
  if (auto const refused = machine.refused_write(); !refused.empty())
    fmt::print(stderr, "machine: the program wanted to write {}; files are read-only but for --allow-write DIR\n",
               refused);
  if (!chosen.quiet) print_timed(outcome, seconds.count());
  return outcome.whole.exit_code;
}

int run(chosen_options const& chosen) {
  std::string const usual = chosen.machine == "single-tile" ? "off" : "on";
  if ((chosen.timing.empty() ? usual : chosen.timing) == "on") return run_timed(chosen);
  auto const file = contents_of(chosen.arguments.front());
  std::uint64_t const memory_bytes = chosen.memory_mebibytes << 20U;
  auto const image = tess::machine::read_elf(file, chosen.arguments.front(), memory_bytes);
  flat_machine machine{image, {.memory_bytes = memory_bytes, .harts = chosen.harts}, options_of(chosen)};
  if (!chosen.quiet)
    fmt::print(stderr, "machine: {}, timing off: {} harts on one coherent flat memory, a cycle an instruction\n",
               chosen.machine, chosen.harts);
  auto const begin = std::chrono::steady_clock::now();
  auto const outcome = machine.run();
  std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - begin;
  if (!outcome.trouble.empty()) fmt::print(stderr, "{}", outcome.trouble);
  if (auto const& refused = machine.refused_write(); !refused.empty())
    fmt::print(stderr, "machine: the program wanted to write {}; files are read-only but for --allow-write DIR\n",
               refused);
  if (!chosen.quiet) print_summary(outcome, seconds.count());
  return outcome.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  chosen_options chosen;
  CLI::App app{
      "Runs a static RV64 Linux program on a simulated machine: tess-machine [OPTIONS] -- PROGRAM [ARGUMENTS]"};
  app.footer("Example: tess-machine --timing off -- ./hello");
  declare(app, chosen);
  // What stands behind `--` is the program's, whatever it looks like.
  char** const split = std::find(argv, argv + argc, std::string_view{"--"});
  chosen.arguments.assign(std::min(split + 1, argv + argc), argv + argc);
  try {
    app.parse(static_cast<int>(split - argv), argv);
    if (chosen.arguments.empty()) throw wrong_use{"which program? give it after --, as in tess-machine -- ./hello"};
    return run(chosen);
  } catch (CLI::Success const& done) {
    return app.exit(done);
  } catch (CLI::ParseError const& wrong) {
    fmt::print(stderr, "tess-machine: {}; see --help\n", wrong.what());
    return exit_misuse;
  } catch (tess::machine::elf_error const& wrong) {
    fmt::print(stderr, "tess-machine: {}\n", wrong.what());
    return exit_misuse;
  } catch (tess::machine::config_error const& wrong) {
    fmt::print(stderr, "tess-machine: {}\n", wrong.what());
    return exit_misuse;
  } catch (wrong_use const& wrong) {
    fmt::print(stderr, "tess-machine: {}\n", wrong.what());
    return exit_misuse;
  } catch (std::exception const& failure) {
    fmt::print(stderr, "tess-machine: {}\n", failure.what());
    return exit_failed;
  }
}
