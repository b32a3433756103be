// exit_report: tells `tess run` with which code this PE ended, where the launcher that it uses hides that.
//
//   `tess run` names a file, or asks for a line on standard error (TESS_EXIT_FILE). Each PE reports once.
#pragma once

namespace tess::shmem {

void report_exit(int code) noexcept;

}  // namespace tess::shmem
