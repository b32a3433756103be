// doctor: `tess doctor` prints what this machine has, each line with `ok` or what to do.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cli/command.hpp"
#include "cli/doctor_checks.hpp"
#include "cli/tree.hpp"

namespace tess::cli {

int doctor(words const& given) {
  command_line line{"tess doctor", "Say what this machine has, what is missing and what to do about it.",
                    "Example: tess doctor   (ends with 1 if something needed is missing)"};
  if (auto const code = line.finish_early(given)) return *code;
  std::vector<finding> all;
  for (auto const& part : {check_packages(own_tree()), check_tools(), check_processor(), check_memory()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
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
  return healthy ? exit_fine : exit_failed;
}

}  // namespace tess::cli
