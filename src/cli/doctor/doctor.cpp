// doctor: `tess doctor` checks this machine, each line with `ok` or a remedy.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/standard_output.hpp"
#include "cli/command/command.hpp"
#include "cli/doctor/checks.hpp"
#include "cli/doctor/fabric.hpp"
#include "cli/tree.hpp"

namespace tess::cli {

namespace {

/// Prints them; false if something required is missing.
bool print(std::vector<finding> const& all) {
  std::size_t what_width = 0;
  std::size_t found_width = 0;
  for (auto const& row : all) {
    what_width = std::max(what_width, row.what.size());
    found_width = std::max(found_width, row.found.size());
  }
  bool healthy = true;
  for (auto const& [what, found, hint, needed] : all) {
    fmt::print("{:<{}}  {:<{}}  {}\n", what, what_width, found, found_width, hint.empty() ? "ok" : "hint: " + hint);
    healthy = healthy && (hint.empty() || !needed);
  }
  tess::detail::flush_standard_output();
  return healthy;
}

}  // namespace

int doctor(words const& given) {
  command_line line{"tess doctor [OPTIONS]", "Check this machine, and report what is missing and how to fix it.",
                    "Example: tess doctor   (ends with 1 if something needed is missing)"};
  std::string fabric;
  std::string hosts;
  unsigned places = 0;
  auto* const of_fabric =
      line.add_option("--fabric", fabric, "ucx: what places as processes need and use, and what each is to each other")
          ->type_name("FABRIC")
          ->check(CLI::IsMember({"ucx"}));
  line.add_option("--places,-n", places, "with --fabric: so many processes (default: one for each host named, else 2)")
      ->type_name("PLACES")
      ->check(CLI::Range(1, 64))
      ->needs(of_fabric);
  line.add_option("--hosts", hosts, "with --fabric: where they run")->type_name("HOST,HOST")->needs(of_fabric);
  if (auto const code = line.finish_early(given)) return *code;
  if (!fabric.empty()) {
    if (!print(check_fabric())) return exit_failed;
    auto const named = static_cast<unsigned>(std::ranges::count(hosts, ',') + 1);
    if (places == 0) places = hosts.empty() ? 2 : named;
    return measure_pairs(own_tree(), places, hosts);
  }
  std::vector<finding> all;
  for (auto const& part : {check_packages(own_tree()), check_tools(), check_processor(), check_memory()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return print(all) ? exit_fine : exit_failed;
}

}  // namespace tess::cli
