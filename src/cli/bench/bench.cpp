// bench: `tess bench` runs benchmarks one after another, merges their results and prints one table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/output_file.hpp"
#include "cli/bench/entries.hpp"
#include "cli/bench/processes.hpp"
#include "cli/command/command.hpp"
#include "cli/command/nearest.hpp"
#include "cli/process/process.hpp"
#include "cli/process/temporary_file.hpp"
#include "cli/tree.hpp"

namespace tess::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void check_names(words const& wanted, words const& available) {
  for (auto const& name : wanted) {
    if (std::ranges::find(available, name) != available.end()) continue;
    std::string const meant = nearest(name, available);
    throw usage_error{fmt::format("bench: unknown benchmark {}{}\nbenchmarks: {}", name,
                                  meant.empty() ? "" : fmt::format(", did you mean {}?", meant),
                                  available.empty() ? "none" : fmt::format("{}", fmt::join(available, " ")))};
  }
}

// Adds its entries to `merged`. False if it failed, with a message on standard error.
bool run_one(fs::path const& file, int runs, json& merged) {
  std::string const name = file.filename().string();
  temporary_file const results;
  words arguments{"--json", results.path().string()};
  if (runs > 0) arguments.insert(arguments.end(), {"--runs", std::to_string(runs)});
  fmt::print(stderr, "bench {}\n", name);
  try {
    int const code = run_to_end(file, arguments);
    if (code != 0) {
      fmt::print(stderr, "bench {}: it ended with {}\n", name, code);
      if (fs::is_empty(results.path())) return false;
    }
    for (auto& entry : read_bench_entries(results.path())) merged.push_back(std::move(entry));
    return code == 0;
  } catch (std::exception const& error) {
    fmt::print(stderr, "bench {}: {}\n", name, error.what());
    return false;
  }
}

// The file gets its final name only when it is complete.
void write_json(fs::path const& file, json const& entries) {
  tess::detail::output_file output{file.string()};
  output.write(entries.dump(1) + '\n');
  output.close();
}

int report(json const& merged, words const& failed, std::string const& json_file, bool table) {
  if (!json_file.empty()) write_json(json_file, merged);
  if (table) fmt::print("{}", bench_table(merged));
  if (failed.empty()) return exit_fine;
  fmt::print(stderr, "tess: bench: failed: {}\n", fmt::join(failed, " "));
  return exit_failed;
}

// `tess bench NAME OPTIONS...`: unknown options belong to the benchmark, which is then the only one that runs.
bool meant_for_benchmark(words const& given, words const& available) {
  if (given.empty() || std::ranges::find(available, given[0]) == available.end()) return false;
  return std::any_of(given.begin() + 1, given.end(), [](std::string const& word) {
    std::string const name = word.substr(0, word.find('='));
    return name.starts_with('-') && name != "--json" && name != "--runs" && name != "--list" && name != "--fabric";
  });
}

}  // namespace

int bench(words const& given) {
  tree const here = own_tree();
  words const available = executables_in(here.benches());
  if (meant_for_benchmark(given, available)) become(here.benches() / given[0], words{given.begin() + 1, given.end()});
  words wanted;
  std::string json_file;
  std::string fabric;
  bool list = false;
  int runs = 0;
  command_line line{
      "tess bench [OPTIONS] [NAME...]",
      "Run the benchmarks of these names, or all, and print one table. `tess bench NAME --help` lists the\n"
      "options of one; with any of them it runs alone.",
      "Example: tess bench gups --runs 5 --json results.json"};
  line.add_option("NAME", wanted, "benchmarks to run");
  line.add_option("--json", json_file, "write all entries to this file, as one JSON list")
      ->type_name("FILE")
      ->check(writable_file());
  line.add_option("--runs", runs, "repetitions of each measurement (default: chosen by the benchmark)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  line.add_option(
          "--fabric", fabric,
          "ucx: only what two processes of this host do for each other, beside smp and the peers installed here")
      ->type_name("FABRIC")
      ->check(CLI::IsMember({"ucx"}));
  line.add_flag("--list", list, "print the names and exit");
  if (auto const code = line.finish_early(given)) return *code;
  check_names(wanted, available);
  if (list) {
    for (auto const& name : available) fmt::print("{}\n", name);
    return exit_fine;
  }
  if (!fabric.empty()) {
    if (!wanted.empty() && wanted != words{"processes"})
      throw usage_error{fmt::format("bench: {} does not run on --fabric ucx; processes does", wanted[0])};
    json merged = json::array();
    words const failed = bench_processes(here, runs, merged);
    return report(merged, failed, json_file, true);
  }
  if (wanted.empty()) wanted = available;
  if (wanted.empty()) throw usage_error{fmt::format("bench: no benchmarks in {}", here.benches().string())};

  json merged = json::array();
  words failed;
  bool several = wanted.size() > 1;
  for (auto const& name : wanted) {
    if (name == "openshmem") {
      words const parts = bench_openshmem(here, runs, merged);
      failed.insert(failed.end(), parts.begin(), parts.end());
      several = true;
      continue;
    }
    if (!run_one(here.benches() / name, runs, merged)) failed.push_back(name);
  }
  // One benchmark has printed its own table.
  return report(merged, failed, json_file, several);
}

}  // namespace tess::cli
