// failures: what an exception means for the one who gave the command: a line on standard error, and an exit code.
#pragma once

namespace tess::machine {

inline constexpr int exit_failed = 1;
inline constexpr int exit_misuse = 2;

/// Within a handler, of the exception that is handled.
[[nodiscard]] int report_failure();

}  // namespace tess::machine
