// processes: starts the processes of each benchmark and peer, and compares their results.
#include "cli/bench/processes.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "cli/bench/entries.hpp"
#include "cli/process/process.hpp"
#include "cli/process/temporary_file.hpp"
#include "cli/run/launch.hpp"

namespace tess::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Sets an environment variable for its own lifetime; then the variable is unset.
class setting {
 public:
  setting(char const* name, char const* value) : name_(name) { ::setenv(name, value, 1); }
  setting(setting const&) = delete;
  setting& operator=(setting const&) = delete;
  ~setting() { ::unsetenv(name_); }

 private:
  char const* name_;
};

/// The results of a benchmark that is started by these arguments. A peer may fail after it wrote them.
json measure(words start, std::string const& name, int runs, bool is_peer = false) {
  temporary_file const results;
  start.insert(start.end(), {"--json", results.path().string()});
  if (runs > 0) start.insert(start.end(), {"--runs", std::to_string(runs)});
  fmt::print(stderr, "bench {}\n", name);
  int const code = run_to_end(start[0], words{start.begin() + 1, start.end()});
  if (code != 0 && !(is_peer && !fs::is_empty(results.path())))
    throw std::runtime_error{fmt::format("it ended with {}", code)};
  return read_bench_entries(results.path());
}

double seconds_of(words const& command) {
  auto const begin = std::chrono::steady_clock::now();
  if (!output_of(command[0], words{command.begin() + 1, command.end()}))
    throw std::runtime_error{fmt::format("{} did not end well", command.back())};
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// From the launcher's start to its end, alternating with an empty MPI program's by its launcher.
json start_up(tree const& here, unsigned places, int runs) {
  fs::path const empty = here.benches() / "peers" / "mpi_empty";
  words theirs = mpi_launcher_words(places);
  words ours = launcher_words(places);
  theirs.push_back(empty.string());
  ours.push_back((here.programs() / "hello").string());
  std::vector<double> of_theirs;
  std::vector<double> of_ours;
  std::vector<double> ratios;
  for (int i = 0; i < runs; ++i) {
    of_theirs.push_back(seconds_of(theirs));
    of_ours.push_back(seconds_of(ours));
    ratios.push_back(of_theirs.back() / of_ours.back());
  }
  return {{"bench", "processes"},
          {"case", "start and end, against an empty MPI program"},
          {"places", places},
          {"value", median(of_ours)},
          {"unit", "s"},
          {"limit", median(of_theirs)},
          {"ratio", median(ratios)},
          {"runs", runs}};
}

/// From the command to its end, alternating with as many processes of the same program that know nothing of each other.
json start_of_pes(std::string const& tess, std::string const& program, unsigned pes, int runs) {
  std::string const option = "--start-only";
  std::vector<double> of_theirs;
  std::vector<double> of_ours;
  std::vector<double> ratios;
  for (int i = 0; i < runs; ++i) {
    of_ours.push_back(seconds_of({tess, "run", "-n", std::to_string(pes), program, option}));
    auto const begin = std::chrono::steady_clock::now();
    std::vector<int> started;
    for (unsigned pe = 0; pe < pes; ++pe) started.push_back(start(program, {option}));
    for (int const process : started)
      if (wait_for(process) != 0) throw std::runtime_error{fmt::format("{} did not end well", program)};
    of_theirs.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    ratios.push_back(of_theirs.back() / of_ours.back());
  }
  return {{"bench", "openshmem"}, {"case", "start and end"},    {"places", pes},           {"value", median(of_ours)},
          {"unit", "s"},          {"limit", median(of_theirs)}, {"ratio", median(ratios)}, {"runs", runs}};
}

}  // namespace

json compare_entries(json const& ours, json const& other, std::string const& name) {
  json compared = json::array();
  for (json const& mine : ours) {
    auto const theirs = std::ranges::find_if(
        other, [&](json const& e) { return e["case"] == mine["case"] && e["unit"] == mine["unit"]; });
    if (theirs == other.end()) continue;
    double const value = mine["value"];
    double const limit = (*theirs)["value"];
    bool const rate = mine["unit"].get<std::string>().ends_with("/s");
    json entry = mine;
    entry["case"] = mine["case"].get<std::string>() + ", against " + name;
    entry["limit"] = limit;
    entry["ratio"] = rate ? value / limit : limit / value;
    compared.push_back(std::move(entry));
  }
  return compared;
}

std::vector<std::string> bench_processes(tree const& here, int runs, json& merged) {
  std::vector<std::string> failed;
  auto const attempt = [&](std::string const& name, std::function<void()> const& part) {
    try {
      part();
    } catch (std::exception const& error) {
      fmt::print(stderr, "bench {}: {}\n", name, error.what());
      failed.push_back(name);
    }
  };
  auto const keep = [&](json const& entries) { merged.insert(merged.end(), entries.begin(), entries.end()); };
  std::string const program = (here.benches() / "processes").string();
  auto const with = [](words launcher, fs::path const& file) {
    launcher.push_back(file.string());
    return launcher;
  };
  json ours = json::array();
  attempt("processes", [&] { keep(ours = measure(with(launcher_words(2), program), "processes on ucx", runs)); });
  attempt("processes on smp", [&] {
    setting const fabric("TESS_FABRIC", "smp");
    keep(compare_entries(ours, measure({program}, "processes on smp", runs), "smp"));
  });
  fs::path const peers = here.benches() / "peers";
  for (std::string const& peer : executables_in(peers)) {
    if (peer == "mpi_empty") continue;
    attempt(peer,
            [&] { keep(compare_entries(ours, measure(with(mpi_launcher_words(2), peers / peer), peer, runs), peer)); });
  }
  if (!is_executable_file(peers / "mpi_empty")) {
    fmt::print(stderr, "bench: no peers here; ./tess setup mpi installs what they need\n");
    return failed;
  }
  for (unsigned const places : {2U, 16U})
    attempt("start-up", [&] { merged.push_back(start_up(here, places, runs > 0 ? runs : 5)); });
  return failed;
}

std::vector<std::string> bench_openshmem(tree const& here, int runs, json& merged) {
  std::vector<std::string> failed;
  std::string const tess = (here.prefix / "bin" / "tess").string();
  std::string const program = (here.benches() / "openshmem").string();
  fs::path const peers = here.benches() / "peers" / "openshmem";
  for (unsigned const pes : {2U, 4U, 8U}) {
    std::string const what = fmt::format("openshmem, {} PEs", pes);
    json ours = json::array();
    auto const attempt = [&](std::string const& name, std::function<void()> const& part) {
      try {
        part();
      } catch (std::exception const& error) {
        fmt::print(stderr, "bench {}: {}\n", name, error.what());
        failed.push_back(name);
      }
    };
    attempt(what, [&] {
      if (pes != 4) merged.push_back(start_of_pes(tess, program, pes == 2 ? 2 : 64, runs > 0 ? runs : 7));
      ours = measure({tess, "run", "-n", std::to_string(pes), program}, what, runs);
      merged.insert(merged.end(), ours.begin(), ours.end());
    });
    for (auto const& [peer, name] :
         {std::pair{"openshmem_operations", "Open MPI's OpenSHMEM"}, std::pair{"mpi_collectives", "Open MPI's MPI"}}) {
      if (!is_executable_file(peers / peer)) continue;
      attempt(what + ", " + name, [&] {
        // The table of 1 GiB needs more than the heap of others is by default.
        setting const heap("SHMEM_SYMMETRIC_SIZE", pes == 2 ? "1G" : "64M");
        words theirs = mpi_launcher_words(pes);
        theirs.push_back((peers / peer).string());
        json const compared = compare_entries(ours, measure(theirs, what + ", " + name, runs, true), name);
        merged.insert(merged.end(), compared.begin(), compared.end());
      });
    }
  }
  return failed;
}

}  // namespace tess::cli
