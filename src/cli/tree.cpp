// tree: finds the tree by /proc/self/exe, so that a moved or linked `tess` still finds its parts.
#include "cli/tree.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <system_error>

namespace tess::cli {

namespace fs = std::filesystem;

tree own_tree() {
  return {fs::read_symlink("/proc/self/exe").parent_path().parent_path()};
}

bool is_executable_file(fs::path const& file) {
  std::error_code unreadable;
  return fs::is_regular_file(file, unreadable) && ::access(file.c_str(), X_OK) == 0;
}

std::vector<std::string> executables_in(fs::path const& folder) {
  std::vector<std::string> names;
  std::error_code missing;
  for (auto const& entry : fs::directory_iterator{folder, missing}) {
    if (is_executable_file(entry.path())) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> program_names(tree const& here) {
  std::vector<std::string> names = executables_in(here.programs());
  std::ifstream list{here.share() / "programs.txt"};
  for (std::string name; std::getline(list, name);) names.push_back(name);
  std::ranges::sort(names);
  auto const repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

}  // namespace tess::cli
