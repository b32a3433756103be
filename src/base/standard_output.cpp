// standard_output: the check at the end of the process, as the GNU utilities do it.
#include "base/standard_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tess::detail {

namespace {
void check_standard_output() noexcept {
  bool const failed_before = std::ferror(stdout) != 0;
  errno = 0;
  bool const failed_now = std::fflush(stdout) != 0;
  if (!failed_before && !failed_now) return;
  std::fprintf(stderr, "tess: standard output could not be written%s%s\n", failed_now ? ": " : "",
               failed_now ? std::strerror(errno) : "");
  std::fflush(stderr);
  // The exit code can only be changed by ending here; what else is buffered belongs to handlers that ran already.
  _exit(1);
}
}  // namespace

void check_standard_output_at_exit() noexcept {
  static bool const registered = std::atexit(check_standard_output) == 0;
  static_cast<void>(registered);
}

}  // namespace tess::detail
