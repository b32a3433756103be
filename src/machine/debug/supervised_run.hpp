// supervised_run: a run whose process may change, and a shell sees one process, which ends when the run does, with its
// exit code.
//
// Errors    std::system_error if there can be no process.
// Threads   one.
#pragma once

#include <functional>

#include "machine/debug/past.hpp"

namespace tess::machine {

/// Runs `body` in another process, and returns its exit code when it, or a copy of it that went on, has ended. 1 if the
/// process ended otherwise.
int supervised_run(std::function<int(run_link const&)> const& body);

/// The program's input is empty, unless it is a file, of which a part can be read again.
void leave_input_to_gdb();

// What a process of the run tells the one that began it.
void tell_going_on(run_link const& link) noexcept;
void tell_handing_over(run_link const& link) noexcept;
void tell_end(run_link const& link, int exit_code) noexcept;

}  // namespace tess::machine
