// standard_output: a process whose standard output could not be written does not end with exit code 0.
//
//   A descriptor 0, 1 or 2 that is closed is occupied by one that refuses to be written, so that no file or socket of
//   the process gets its number.
#pragma once

namespace tess::detail {

/// From now on the end of the process (return from main or exit) writes what is buffered; if that, or a write before,
/// failed, it prints the reason and ends the process with exit code 1. May be called more than once.
void check_standard_output_at_exit() noexcept;
/// Writes what is buffered; if that fails, keeps the reason for the end of the process.
void flush_standard_output() noexcept;

}  // namespace tess::detail
