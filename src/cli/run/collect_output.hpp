// collect_output: runs a launcher on this host and passes on the output of its places, in whole lines.
//
//   Places connect to a socket in a folder of this job (TESS_OUTPUT; src/base/output.hpp), one connection
//   for each stream. Lines of different places do not mix; lines of one stream of a place keep their order. Text that a
//   place writes without a newline is printed with the next newline, or at its end.
//
//   A launcher that has not ended five seconds after the last place closed its streams is ended. Places report how the
//   job ended in another file of that folder (TESS_EXIT_FILE).
//
// Threads   the caller's, until the launcher and its places have ended.
// Errors    usage_error: no socket, or the launcher cannot be started.
#pragma once

#include <string>
#include <string_view>

#include "cli/command/command.hpp"
#include "cli/run/owner.hpp"

namespace tess::cli {

/// Returns the job's exit code. `tags`: each line starts with its place. `reports`: see exit_reports.
[[nodiscard]] int run_collecting(owner const& by, words const& command, bool tags, unsigned reports = 1);

/// The data of a stream, split into lines.
class line_assembler {
 public:
  explicit line_assembler(std::string tag = {}) : tag_(std::move(tag)) {}

  /// The lines that are complete now, each with its tag and its newline.
  [[nodiscard]] std::string add(std::string_view text);
  /// The rest at the end, as a line.
  [[nodiscard]] std::string finish();

 private:
  std::string tag_;
  std::string rest_;
};

/// False, with a message, if the output of places could not be written.
[[nodiscard]] bool wrote_standard_output();

}  // namespace tess::cli
