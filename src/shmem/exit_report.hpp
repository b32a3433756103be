// exit_report: what `tess run` wants of a PE that a launcher has started: its output in whole lines, signs of life, and
// with which code it ended, which the launcher hides.
//
//   `tess run` names a file, or asks for lines on standard error (TESS_EXIT_FILE). Each PE reports its end once.
#pragma once

#include <chrono>

namespace tess::shmem {

void report_exit(int code) noexcept;
/// PE 0 of several hosts, from shmem_init on: the launcher may hang when it has lost a host.
void show_life(std::chrono::milliseconds failure_timeout);

}  // namespace tess::shmem
