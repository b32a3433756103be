// runtime_files: statistics and traces that the runtime in the simulated program writes, for the machine's own files.
//
//   The program gets a temporary folder of its own and the file names in it by its environment, as a native program
//   does. The folder is deleted by the destructor.
//
// Errors    std::filesystem::filesystem_error if the folder cannot be created.
// Threads   none.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tess::machine {

class runtime_files {
 public:
  /// The wanted files.
  runtime_files(bool statistics, bool trace, std::vector<std::string> const& environment);
  ~runtime_files();
  runtime_files(runtime_files const&) = delete;
  runtime_files& operator=(runtime_files const&) = delete;

  /// For the program's environment: the wanted files that are not named there.
  [[nodiscard]] std::vector<std::string> const& variables() const noexcept { return variables_; }
  /// The folder that the program may write; empty: none. The program knows it as `shown_folder`, whose name is the same
  /// in every run.
  [[nodiscard]] std::filesystem::path const& folder() const noexcept { return folder_; }
  static constexpr std::string_view shown_folder = "/tmp/tess-machine-report";

  /// JSON; empty: the program wrote none, as it does not use the runtime or did not reach its end.
  [[nodiscard]] std::string statistics() const;
  [[nodiscard]] std::string trace() const;

 private:
  [[nodiscard]] std::string contents_of(std::string_view name) const;

  std::filesystem::path folder_;
  std::vector<std::string> variables_;
};

}  // namespace tess::machine
