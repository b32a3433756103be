// checks: one finding per fact about this machine that matters to Tessera.
#pragma once

#include <string>
#include <vector>

#include "cli/tree.hpp"

namespace tess::cli {

struct finding {
  std::string what;
  std::string found;
  std::string hint;     // what to do about it; empty if all is well
  bool needed = false;  // without it Tessera cannot build or run here
};

std::vector<finding> check_packages(tree const& here);
std::vector<finding> check_tools();
std::vector<finding> check_processor();
std::vector<finding> check_memory();

}  // namespace tess::cli
