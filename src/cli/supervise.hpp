// supervise: runs a launcher whose processes may be on hosts that vanish, and says how the job ended.
//
//   Places write "tess: exit code N" to standard error when they end (TESS_EXIT_FILE=-); these lines are taken out of
//   what the launcher passes on. A launcher that does not end although its places did, because it waits for a host that
//   is gone, is ended. So is one through which nothing is heard of place 0 any more, which says "tess: alive" all the
//   time: it may have ended the places itself, and hang.
//
// Threads   the caller's, until the launcher has ended.
// Errors    usage_error: the launcher cannot be started.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include "cli/command.hpp"

namespace tess::cli {

/// The code that places said; else the launcher's own.
[[nodiscard]] int supervise(std::filesystem::path const& launcher, words const& arguments);

/// What a place says with this line, which may bear the launcher's tag.
[[nodiscard]] std::optional<int> said_exit_code(std::string_view line);

/// Place 0 is there, and will say so again within that time.
struct pulse {
  std::size_t begin;  ///< in the line: before it stands the launcher's tag, or what another place has not ended yet
  std::chrono::milliseconds again_within;
};
[[nodiscard]] std::optional<pulse> said_alive(std::string_view line);

}  // namespace tess::cli
