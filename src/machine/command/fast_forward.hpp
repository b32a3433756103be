// fast_forward: the first part of a run without time, after which its machine goes on with time.
//
// Errors    wrong_use, config_error, elf_error.
// Threads   none.
#pragma once

#include <memory>
#include <optional>

#include "machine/command/run.hpp"
#include "machine/command/timed_run.hpp"
#include "machine/flat/flat_machine.hpp"

namespace tess::machine {

/// Refuses what does not go together with it.
void check_fast_forward(chosen_options const& chosen);

/// The program of the run on a machine without time, of which the run's machine can take over.
[[nodiscard]] std::unique_ptr<flat_machine> flat_machine_of(timed_run& run, chosen_options const& chosen,
                                                            runtime_files const& of_runtime, flat_options options);

/// To where the command line says. The exit code, if the program ended before: all is reported then.
[[nodiscard]] std::optional<int> fast_forward(timed_run& run, chosen_options const& chosen,
                                              runtime_files const& of_runtime);

}  // namespace tess::machine
