// collect_output: runs a launcher on this host and passes on what its places write, in whole lines.
//
//   Places connect to a socket in a folder of this job (TESS_OUTPUT; src/runtime/processes/output.hpp), a connection
//   for each stream. Lines of different places do not mix; those of one stream of a place keep their order. What a
//   place writes without a newline comes with the next one, or at its end.
//
//   A launcher that has not ended five seconds after the last place closed its streams is ended.
//
// Threads   the caller's, until the launcher and its places have ended.
// Errors    usage_error: no socket, or the launcher cannot be started.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cli/command.hpp"

namespace tess::cli {

/// The launcher's exit code, 128 + signal as in a shell. `tags`: each line says its place.
[[nodiscard]] int run_collecting(std::filesystem::path const& launcher, words const& arguments, bool tags);

/// What arrived on a stream, cut into lines.
class line_assembler {
 public:
  explicit line_assembler(std::string tag = {}) : tag_(std::move(tag)) {}

  /// The lines that are whole now, each with its tag and its newline.
  [[nodiscard]] std::string add(std::string_view text);
  /// What is left at the end, as a line.
  [[nodiscard]] std::string finish();

 private:
  std::string tag_;
  std::string rest_;
};

}  // namespace tess::cli
