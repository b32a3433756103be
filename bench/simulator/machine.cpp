// machine: `tess bench machine`: simulated instructions per second, against qemu-riscv64 in the same run and
// against targets.
//
//   Untimed: each round runs the same RISC-V program under both; instructions are counted by the simulator, and times
//   are those of the whole process, including loading. Timed: the limit is a target, or 0.6 of the rate of one hart in
//   the same round; times are those of the run. Lines before the table show the numbers of events.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/clock.hpp"
#include "harness/process.hpp"
#include "harness/suite.hpp"

namespace {

namespace fs = std::filesystem;

/// Duration of a program in seconds; its standard output is discarded.
double run(std::vector<std::string> words) {
  double const begin = bench::timestamp();
  static_cast<void>(bench::output_of(std::move(words), bench::output::errors));
  return bench::timestamp() - begin;
}

std::string statistics_file() {
  return (fs::temp_directory_path() / ("tess-bench-machine-" + std::to_string(::getpid()))).string();
}

/// Reads the statistics file of a run and removes it.
nlohmann::json take_statistics(std::string const& file) {
  std::ifstream stream{file};
  nlohmann::json all = nlohmann::json::parse(stream);
  fs::remove(file);
  return all;
}

bool installed(std::string const& program) {
  try {
    (void)run({program, "--version"});
    return true;
  } catch (std::runtime_error const&) {
    return false;
  }
}

void isa_bench(bench::suite& suite, fs::path const& folder) {
  if (!suite.wants("isa_bench, timing off, against Spike") && !suite.wants("isa_bench, timing off, against qemu"))
    return;
  constexpr double spike = 450;  // million instructions/s of Spike, the fastest of several runs on a similar host
  std::string const machine = (folder / "tess-machine").string();
  std::string const program = (folder / "isa_bench").string();
  bool const qemu = installed("qemu-riscv64");
  std::vector<bench::round> alone;
  std::vector<bench::round> beside;
  for (int k = 0; k < suite.runs(); ++k) {
    std::string const file = statistics_file();
    double const ours = run({machine, "--quiet", "--stats", file, "--timing", "off", "--", program, "20"});
    double const millions = take_statistics(file)["instructions"].get<double>() / 1e6;
    alone.push_back({spike, millions / ours});
    if (qemu) beside.push_back({millions / run({"qemu-riscv64", program, "20"}), millions / ours});
  }
  suite.record("isa_bench, timing off, against Spike", 1, "M/s", alone);
  if (qemu) suite.record("isa_bench, timing off, against qemu", 1, "M/s", beside);
}

/// Measurements of a timed run, from its statistics.
struct timed_figures {
  double instructions;
  double cycles;
  double seconds;
  double events;
  double misses;  ///< of all L2s
};

timed_figures timed(fs::path const& folder, std::vector<std::string> const& options, std::string const& program,
                    std::vector<std::string> const& arguments) {
  std::string const file = statistics_file();
  std::vector<std::string> words{
      (folder / "tess-machine").string(), "--quiet", "--timing", "on", "--stats", file, "--env", "TESS_WORKERS=harts"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", (folder / program).string()});
  words.insert(words.end(), arguments.begin(), arguments.end());
  (void)run(words);
  nlohmann::json const all = take_statistics(file);
  double misses = 0;
  for (auto const& tile : all["tiles"]) misses += tile["l2_misses"].get<double>();
  return {all["instructions"], all["cycles"], all["host"]["seconds"], all["host"]["events"], misses};
}

void say(std::string const& name, timed_figures const& of) {
  std::printf("%-40s %8.4f events an instruction, %6.1f a miss, %.2f misses in 100 instructions\n", name.c_str(),
              of.events / of.instructions, of.events / std::max(of.misses, 1.0), 100 * of.misses / of.instructions);
}

/// One hart against its target; million instructions/s.
void one_hart(bench::suite& suite, fs::path const& folder) {
  struct wanted_case {
    char const* name;
    char const* machine;
    char const* program;
    std::vector<std::string> arguments;
    double wanted;
  };
  wanted_case const cases[] = {
      {"l1_set, single-tile", "single-tile", "l1_set", {"8"}, 80},
      {"isa_bench, single-tile", "single-tile", "isa_bench", {"3"}, 40},
      {"isa_bench, nemesys-4x4", "nemesys-4x4", "isa_bench", {"3"}, 20},
      {"isa_bench behind the L2, single-tile", "single-tile", "isa_bench", {"1", "1", "mapped"}, 40},
      {"isa_bench behind the L2, nemesys-4x4", "nemesys-4x4", "isa_bench", {"1", "1", "mapped"}, 30},
  };
  for (auto const& [name, machine, program, arguments, wanted] : cases) {
    if (!suite.wants(name)) continue;
    std::vector<bench::round> rounds;
    timed_figures last{};
    for (int k = 0; k < suite.runs(); ++k) {
      last = timed(folder, {"--machine", machine}, program, arguments);
      rounds.push_back({wanted, last.instructions / last.seconds / 1e6});
    }
    say(name, last);
    suite.record(name, 1, "M/s", rounds);
  }
}

/// All application harts of nemesys-4x4 together, against 0.6 of the rate of one.
void all_harts(bench::suite& suite, fs::path const& folder) {
  for (std::string const program : {"l1_set", "isa_bench"}) {
    std::string const name = program + ", 56 harts, against 0.6 of one";
    if (!suite.wants(name)) continue;
    std::vector<bench::round> rounds;
    timed_figures all{};
    for (int k = 0; k < std::min(suite.runs(), 3); ++k) {
      timed_figures const one = timed(folder, {"--machine", "nemesys-4x4"}, program, {"1"});
      all = timed(folder, {"--machine", "nemesys-4x4", "--copies", "14"}, program, {"1", "4"});
      rounds.push_back({0.6e-6 * one.instructions / one.seconds, 1e-6 * all.instructions / all.seconds});
    }
    say(name, all);
    suite.record(name, 56, "M/s", rounds);
  }
}

/// nemesys-4x4 with links as fast as its memories, which otherwise cannot be half busy.
fs::path wide_machine(fs::path const& folder) {
  std::ifstream stream{folder.parent_path().parent_path().parent_path() / "share/tessera/machines/nemesys-4x4.toml"};
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::string_view const from = "link_bytes = 4 ";
  std::size_t const at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("machine: nemesys-4x4 has no line " + std::string(from));
  text.replace(at, from.size(), "link_bytes = 16 ");
  fs::path const file = fs::temp_directory_path() / ("tess-bench-wide-" + std::to_string(::getpid()) + ".toml");
  std::ofstream{file} << text;
  return file;
}

/// Million machine cycles/s with the memories half busy.
void busy_memory(bench::suite& suite, fs::path const& folder) {
  std::string const name = "busy_memory, 56 harts, machine cycles";
  if (!suite.wants(name)) return;
  fs::path const machine = wide_machine(folder);
  std::vector<bench::round> rounds;
  timed_figures last{};
  for (int k = 0; k < std::min(suite.runs(), 3); ++k) {
    last = timed(folder, {"--machine", machine.string(), "--copies", "14"}, "busy_memory", {"4", "8"});
    rounds.push_back({1.5, last.cycles / last.seconds / 1e6});
  }
  fs::remove(machine);
  say(name, last);
  suite.record(name, 56, "M/s", rounds);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("simulated instructions per second of the machine's harts");
  bench::options chosen;
  chosen.runs = 5;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("machine", chosen);
  fs::path const folder = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "machine";
  if (!fs::exists(folder / "isa_bench")) {
    std::fprintf(stderr, "machine: no RISC-V program to run; ./tess setup riscv, then build again\n");
    return 2;
  }
  try {
    isa_bench(suite, folder);
    one_hart(suite, folder);
    all_harts(suite, folder);
    busy_memory(suite, folder);
  } catch (std::exception const& failed) {
    std::fprintf(stderr, "%s\n", failed.what());
    return 1;
  }
  return suite.finish();
}
