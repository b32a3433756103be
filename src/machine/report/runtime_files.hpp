// runtime_files: what the runtime in the simulated program writes about itself, for the machine's own files.
//
//   The program gets a folder of its own, below that of temporary files, and the names in it by its environment, as a
//   host's programs do. It goes with its owner.
//
// Errors    std::filesystem::filesystem_error if there can be no such folder.
// Threads   none.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tess::machine {

class runtime_files {
 public:
  /// Which are wanted.
  runtime_files(bool statistics, bool trace, std::vector<std::string> const& environment);
  ~runtime_files();
  runtime_files(runtime_files const&) = delete;
  runtime_files& operator=(runtime_files const&) = delete;

  /// For the environment of the program: what is wanted and not named there.
  [[nodiscard]] std::vector<std::string> const& variables() const noexcept { return variables_; }
  /// Which the program may write; empty: none.
  [[nodiscard]] std::filesystem::path const& folder() const noexcept { return folder_; }

  /// JSON; empty: the program wrote none, for it does not use the runtime, or did not come to its end.
  [[nodiscard]] std::string statistics() const;
  [[nodiscard]] std::string trace() const;

 private:
  [[nodiscard]] std::string contents_of(std::string_view name) const;

  std::filesystem::path folder_;
  std::vector<std::string> variables_;
};

}  // namespace tess::machine
