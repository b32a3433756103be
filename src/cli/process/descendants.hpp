// descendants: the processes below another one, as /proc tells, and their end.
//
// Threads   one: end_children() collects the exit codes of all children.
// Cost      children_of(): a file read for each process of the host.
#pragma once

#include <chrono>
#include <vector>

namespace tess::cli {

/// The children of a process that have not ended.
[[nodiscard]] std::vector<int> children_of(int process);
/// SIGSTOP or its kin stopped it; a debugger that looks at it does not count.
[[nodiscard]] bool is_stopped(int process);

/// Processes whose parents end become children of this one, until it ends.
void adopt_orphans();
/// Kills all children and what is adopted meanwhile, and waits for their end.
void end_children(std::chrono::milliseconds most);

}  // namespace tess::cli
