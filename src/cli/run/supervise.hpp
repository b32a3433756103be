// supervise: runs a launcher whose processes may be on hosts that fail, and reports how the job ended.
//
//   Places write "tess: exit code N" to standard error when they end (TESS_EXIT_FILE=-); these lines are removed from
//   the launcher's output. A launcher that does not end although its places did, because it waits for a failed host,
//   is ended. So is a launcher through which place 0 falls silent, which writes "tess: alive" regularly: the launcher
//   may have ended the places itself, and hang.
//
// Threads   the caller's, until the launcher has ended.
// Errors    usage_error: the launcher cannot be started.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "cli/command/command.hpp"
#include "cli/run/owner.hpp"

namespace tess::cli {

/// The code that places reported; else the launcher's own. `reports`: see exit_reports.
[[nodiscard]] int supervise(owner const& by, words const& command, unsigned reports = 1);

/// The message of a place in this line, which may start with the launcher's tag.
[[nodiscard]] std::optional<int> said_exit_code(std::string_view line);

/// Place 0 is alive, and will report again within that time.
struct pulse {
  std::size_t begin;  ///< in the line: before it stands the launcher's tag, or what another place has not ended yet
  std::chrono::milliseconds again_within;
};
[[nodiscard]] std::optional<pulse> said_alive(std::string_view line);

}  // namespace tess::cli
