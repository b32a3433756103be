// standard_output: a process whose standard output could not be written does not end with exit code 0.
#pragma once

namespace tess::detail {

/// From now on the end of the process (return from main or exit) writes what is buffered; if that, or a write before,
/// failed, it prints the reason and ends the process with exit code 1. May be called more than once.
void check_standard_output_at_exit() noexcept;

}  // namespace tess::detail
