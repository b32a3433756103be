// comparison: what a machine is when its file and those that it extends are merged, and in what two machines differ.
//
// Errors    config_error: no such machine, or an invalid file.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tess::machine {

/// The merged file as TOML, each number with its comment. It extends nothing.
[[nodiscard]] std::string resolved_text(std::string const& machine);

/// A key that two machines do not have alike: the values as their files write them, and as JSON. Empty: none.
struct difference {
  std::string key;
  std::pair<std::string, std::string> written;
  std::pair<std::string, std::string> json;
};

/// In the order of the first machine's keys; the second's others follow. Names and summaries are left out.
[[nodiscard]] std::vector<difference> differences_of(std::string const& one, std::string const& other);

}  // namespace tess::machine
