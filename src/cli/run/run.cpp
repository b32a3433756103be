// run: `tess run` checks its options, passes them on in the environment and becomes the program.
#include "cli/run/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "cli/command/command.hpp"
#include "cli/command/nearest.hpp"
#include "cli/package.hpp"
#include "cli/process/process.hpp"
#include "cli/run/executable.hpp"
#include "cli/run/launch.hpp"
#include "cli/run/pes.hpp"
#include "cli/run/words.hpp"
#include "cli/tree.hpp"
#include "tess/delay.hpp"

namespace tess::cli {
namespace {

namespace fs = std::filesystem;

template <class Number>
bool read_all(std::string const& text, Number& number) {
  char const* const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end;
}

// A check as CLI11 requires it: an empty string means success, anything else is the message.
CLI::Validator between(std::uint64_t least, std::uint64_t most) {
  auto check = [=](std::string& text) -> std::string {
    std::uint64_t number = 0;
    if (read_all(text, number) && number >= least && number <= most) return {};
    return fmt::format("\"{}\" will not do; give a whole number from {} to {}", text, least, most);
  };
  return {check, ""};
}

/// A number, or x,y.
CLI::Validator tile_place() {
  auto check = [](std::string& text) -> std::string {
    std::size_t const comma = text.find(',');
    bool sound = true;
    for (std::string const& part : {text.substr(0, comma), comma == std::string::npos ? "0" : text.substr(comma + 1)}) {
      std::uint64_t number = 0;
      sound = sound && read_all(part, number) && number <= 4095;
    }
    return sound ? "" : fmt::format("\"{}\" will not do; give a whole number from 0 to 4095, or x,y", text);
  };
  return {check, ""};
}

CLI::Validator one_of(words const& names) {
  auto check = [=](std::string& text) -> std::string {
    if (std::ranges::find(names, text) != names.end()) return {};
    std::string const meant = nearest(text, names);
    return fmt::format("\"{}\" will not do; give one of {}{}", text, fmt::join(names, ", "),
                       meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant));
  };
  return {check, ""};
}

CLI::Validator workers() {
  auto check = [](std::string& text) -> std::string {
    std::uint64_t number = 0;
    if (text == "harts" || (read_all(text, number) && number >= 1 && number <= 64)) return {};
    return fmt::format("\"{}\" will not do; give a whole number from 1 to 64, or harts", text);
  };
  return {check, ""};
}

CLI::Validator pins() {
  auto check = [](std::string& text) -> std::string {
    bool const list = !text.empty() && text.find_first_not_of("0123456789,-") == std::string::npos;
    if (list || text == "none" || text == "cores") return {};
    return fmt::format("\"{}\" will not do; give none, cores, or processors as in 0,2-5", text);
  };
  return {check, ""};
}

CLI::Validator seconds() {
  auto check = [](std::string& text) -> std::string {
    double number = 0;
    if (read_all(text, number) && std::isfinite(number) && number >= 0) return {};
    return fmt::format("\"{}\" will not do; give seconds, such as 30 or 0.5 (0: never)", text);
  };
  return {check, ""};
}

CLI::Validator at_least_half_a_second() {
  auto check = [](std::string& text) -> std::string {
    double number = 0;
    if (read_all(text, number) && number >= 0.5 && number <= 1e6) return {};
    return fmt::format("\"{}\" will not do; give seconds from 0.5, such as 10", text);
  };
  return {check, ""};
}

CLI::Validator host_list() {
  auto check = [](std::string& text) -> std::string {
    // A name that begins with '-' would be an option of the launcher.
    bool const sound = !text.empty() && text.find_first_of(" \t\n;") == std::string::npos && !text.starts_with('-') &&
                       !text.starts_with(',') && !text.ends_with(',') && !text.contains(",,");
    return sound ? "" : fmt::format("\"{}\" will not do; give names or addresses as in node1,node1,node2", text);
  };
  return {check, ""};
}

CLI::Validator delay_time() {
  auto check = [](std::string& text) -> std::string {
    if (tess::delay::parse(text)) return {};
    return fmt::format("\"{}\" will not do; give {}", text, tess::delay::expected);
  };
  return {check, ""};
}

/// The simulator, which knows the machine, says what is wrong.
CLI::Validator any_text() {
  return {[](std::string&) { return std::string{}; }, ""};
}

CLI::Validator folder() {
  auto check = [](std::string& text) -> std::string {
    return fs::is_directory(text) ? std::string{} : fmt::format("there is no folder {0}; mkdir -p {0}", text);
  };
  return {check, ""};
}

CLI::Validator variable() {
  auto check = [](std::string& text) -> std::string {
    bool const named = text.contains('=') && !text.starts_with('=');
    return named ? std::string{} : fmt::format("\"{}\" will not do; give NAME=VALUE", text);
  };
  return {check, ""};
}

// Names are looked up by the simulator, which knows the folder of its machines.
CLI::Validator machine() {
  auto check = [](std::string& text) -> std::string {
    if (!text.ends_with(".toml") || fs::is_regular_file(text)) return {};
    return fmt::format("there is no file {}; give a machine by name, such as nemesys-4x4, or its file", text);
  };
  return {check, ""};
}

CLI::Validator check_of(std::string_view option) {
  if (option == "--machine") return machine();
  if (option == "--timing") return one_of({"off", "on"});
  if (option == "--engine") return one_of({"translator", "interpreter"});
  if (option == "--allow-write" || option == "--allow-read") return folder();
  if (option == "--env") return variable();
  if (option == "--tile") return tile_place();
  if (option == "--pes-per-tile") return between(1, 64);
  if (option == "--stats-every") return any_text();
  if (option == "--copies") return between(1, 4096);
  if (option == "--slice") return between(1000, std::uint64_t{1} << 40U);
  if (option == "--max-cycles" || option == "--max-instructions") return between(1, UINT64_MAX);
  if (option == "--max-seconds") return seconds();
  if (option == "--image") return one_of({"tlm", "memory"});
  if (option == "--layout") return between(0, 1'000'000);
  if (option == "--places") return between(1, 65535);  // a place is 16 bits of a global_ptr
  if (option == "--workers") return workers();
  if (option == "--threads") return between(1, 4096);
  if (option == "--buffer-memory") return between(16384, std::uint64_t{1} << 30);
  if (option == "--flush-bytes") return between(64, 4096);
  if (option == "--flush-after") return between(0, 10'000'000);
  if (option == "--flush-idle" || option == "--overlap-calls") return between(0, 1);
  if (option == "--fabric") return one_of({"smp", "ucx", "tile", "checked", "hostile"});
  if (option == "--copier") return one_of({"message_passing", "pegasus", "nemesys", "no_nca", "no-nca"});
  if (option == "--heap") return one_of({"recycled", "collected"});
  if (option == "--hosts") return host_list();
  if (option == "--launcher") return one_of({"tess", "mpirun", "prterun", "srun"});
  if (option == "--failure-timeout") return at_least_half_a_second();
  if (option == "--pin") return pins();
  if (option == "--numa") return one_of({"local", "interleave", "none"});
  if (option == "--seed") return between(0, UINT64_MAX);
  if (option == "--delay") return delay_time();
  if (option == "--stall-timeout") return seconds();
  return writable_file();
}

std::string bundled_names(tree const& here) {
  auto const names = program_names(here);
  return names.empty() ? "none in " + here.programs().string() : fmt::format("{}", fmt::join(names, " "));
}

// A name without a slash is that of a bundled program, in `folder`.
fs::path find_program(std::string const& name, tree const& here, fs::path const& folder) {
  if (name.contains('/')) {
    if (is_executable_file(name)) return name;
    if (!fs::exists(name)) throw usage_error{fmt::format("run: there is no file {}", name)};
    throw usage_error{fmt::format("run: {} is no executable file", name)};
  }
  fs::path const bundled = folder / name;
  if (is_executable_file(bundled)) return bundled;
  words const known = program_names(here);
  if (std::ranges::find(known, name) != known.end()) {
    throw usage_error{
        fmt::format("run: {} has not been built; `./tess run {}` in the source tree builds it, too", name, name)};
  }
  std::string const meant = nearest(name, known);
  std::string hint;
  if (!meant.empty()) hint = fmt::format(", did you mean {}?", meant);
  if (is_executable_file(name)) hint = fmt::format(", did you mean ./{}?", name);
  throw usage_error{
      fmt::format("run: unknown program {}{}\nbundled programs: {}\nyour own program: tess run ./path/to/it", name,
                  hint, bundled_names(here))};
}

// Settings that the runtime reads from its environment are passed to the machine by options.
words options_by_environment() {
  words given;
  for (auto const& [variable, option] : {std::pair{"TESS_STATS", "--stats"}, {"TESS_TRACE", "--trace"}}) {
    if (char const* const file = std::getenv(variable)) given.insert(given.end(), {option, file});
    ::unsetenv(variable);
  }
  return given;
}

// Becomes the program that runs `tess run` and makes a page of it.
[[noreturn]] void become_report(tree const& here, words const& machine_words, run_split const& split) {
  words passed{"run", ""};
  for (std::size_t i = 0; i < machine_words.size(); i += 2) {
    if (machine_words[i] == "--report")
      passed[1] = machine_words[i + 1];
    else
      passed.insert(passed.end(), {machine_words[i], machine_words[i + 1]});
  }
  passed.emplace_back("--");
  if (!split.program.empty()) passed.push_back(split.program);
  passed.insert(passed.end(), split.arguments.begin(), split.arguments.end());
  ::setenv("TESSERA_TESS", (here.prefix / "bin" / "tess").c_str(), 0);
  become_module(here, "run", "tessera.simulator.report.command", passed);
}

// Becomes the simulator, which runs executables of the machine's architecture.
[[noreturn]] void become_machine(tree const& here, words machine_words, run_split const& split) {
  auto const is_given = [&](char const* option) {
    return std::ranges::find(machine_words, option) != machine_words.end();
  };
  if (is_given("--report") && (is_given("--machine") || is_given("--restore"))) {
    words const files = options_by_environment();
    machine_words.insert(machine_words.end(), files.begin(), files.end());
    become_report(here, machine_words, split);
  }
  if (is_given("--restore")) {
    if (!split.program.empty())
      throw usage_error{
          fmt::format("run: --restore goes on with the program of the checkpoint; leave out {}", split.program)};
    words const files = options_by_environment();
    machine_words.insert(machine_words.end(), files.begin(), files.end());
    become(here.programs() / "machine" / "tess-machine", machine_words);
  }
  if (!is_given("--machine"))
    throw usage_error{
        fmt::format("run: {} is an option of a machine; give --machine single-tile, too", machine_words[0])};
  fs::path const program = find_program(split.program, here, here.machine_programs());
  // Bundled programs are right with any number of workers; a program of the user's has one, as on every fabric.
  if (!split.program.contains('/')) ::setenv("TESS_WORKERS", "harts", 0);
  words const files = options_by_environment();
  machine_words.insert(machine_words.end(), files.begin(), files.end());
  machine_words.insert(machine_words.end(), {"--", program.string()});
  machine_words.insert(machine_words.end(), split.arguments.begin(), split.arguments.end());
  become(here.programs() / "machine" / "tess-machine", machine_words);
}

/// Refuses options that would do nothing.
void refuse_without_ucx(words const& given, std::string_view fabric) {
  if (fabric == "ucx") return;
  for (char const* const option : {"--hosts", "--launcher"})
    if (std::ranges::find(given, option) != given.end())
      throw usage_error{fmt::format("run: {} is an option of the fabric ucx; give --fabric ucx, too", option)};
}
void refuse_without_runtime(words const& given, std::string_view fabric, std::string const& program) {
  std::string useless;
  if (fabric == "hostile" || fabric == "tile") useless = fmt::format("--fabric {}", fabric);
  for (char const* const option : {"--workers", "--delay"})
    if (std::ranges::find(given, option) != given.end()) useless = option;
  if (useless.empty()) return;
  throw usage_error{fmt::format("run: {} would do nothing: {} is a program of OpenSHMEM without tasks; leave it out",
                                useless, program)};
}

}  // namespace

int run_words(words const& given, bool always_pes) {
  tree const here = own_tree();
  // A program starts a private memory server by it.
  ::setenv("TESS_COMMAND", (here.prefix / "bin" / "tess").c_str(), 0);
  auto const split = split_run_words(given);
  command_line line{"tess run [OPTIONS] PROGRAM [ARGUMENTS...]",
                    "Run a bundled program by name, or yours by its path. The options may stand before or after the\n"
                    "program's name; all other words, and all after --, go to the program. With --machine they\n"
                    "stand before it, and all words behind it are its own.\nBundled programs: " +
                        bundled_names(here),
                    "Examples: tess run bfs data/debian-12.mtx.gz --source libc6 -n 4\n"
                    "          tess run --machine nemesys-4x4 bfs kron:8"};
  words machine_words;
  words given_options;
  for (auto const& option : run_options) {
    std::string const names =
        option.short_name.empty() ? std::string{option.name} : fmt::format("{},{}", option.short_name, option.name);
    auto const set_variable = [&option, &given_options](std::string const& value) {
      given_options.emplace_back(option.name);
      ::setenv(std::string{option.variable}.c_str(), value.c_str(), 1);
    };
    if (option.variable.empty()) {
      auto const pass_on = [&](words const& values) {
        for (auto const& value : values) machine_words.insert(machine_words.end(), {std::string{option.name}, value});
      };
      line.add_option_function<words>(names, pass_on, std::string{option.meaning})
          ->check(check_of(option.name))
          ->type_name(std::string{option.value})
          ->expected(1)
          ->take_all();
      continue;
    }
    if (option.value.empty()) {
      line.add_flag_function(names, [set_variable](std::int64_t) { set_variable("1"); }, std::string{option.meaning});
      continue;
    }
    line.add_option_function<std::string>(names, set_variable, std::string{option.meaning})
        ->check(check_of(option.name))
        ->type_name(std::string{option.value})
        ->take_last();
  }
  if (auto const code = line.finish_early(split.ours)) return *code;
  bool const restores = std::ranges::find(machine_words, "--restore") != machine_words.end();
  if (split.program.empty() && !restores) {
    throw usage_error{fmt::format("run: which program?\nbundled programs: {}\nexample: tess run bfs graph.mtx -n 4",
                                  bundled_names(here))};
  }
  std::string const fabric = environment_variable("TESS_FABRIC");
  refuse_without_ucx(given_options, fabric);
  if (!machine_words.empty()) become_machine(here, machine_words, split);
  fs::path const program = find_program(split.program, here, here.programs());
  bool const of_pes = is_openshmem_program(program);
  if (of_pes && !has_runtime(program)) refuse_without_runtime(given_options, fabric, split.program);
  if (fabric == "ucx") return launch(program, split.arguments);
  if (always_pes || of_pes) return run_pes(program, split.arguments);
  become(program, split.arguments);
}

int run(words const& given) {
  return run_words(given, false);
}

}  // namespace tess::cli
