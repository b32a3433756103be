// standard_output: the check at the end of the process, as the GNU utilities do it.
#include "base/standard_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tess::detail {

namespace {
/// The errno of the first write that failed; 0: it is not known.
int failed_because = 0;

void occupy_standard_descriptors() noexcept {
  // Each open() gives the lowest number that is free. Writing to standard output fails; messages of errors are lost.
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number)
    if (fcntl(number, F_GETFD) < 0 && errno == EBADF)
      static_cast<void>(open("/dev/null", number == STDERR_FILENO ? O_WRONLY : O_RDONLY));
}

/// Errors of write(). One of a longer text fails before the last flush, and is the last error then.
bool is_of_writing(int error) noexcept {
  return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO || error == EBADF || error == EPIPE;
}

void check_standard_output() noexcept {
  int const last = errno;
  flush_standard_output();
  if (std::ferror(stdout) == 0) return;
  if (failed_because == 0 && is_of_writing(last)) failed_because = last;
  std::fprintf(stderr, "tess: standard output could not be written%s%s\n", failed_because != 0 ? ": " : "",
               failed_because != 0 ? std::strerror(failed_because) : "");
  std::fflush(stderr);
  // The exit code can only be changed by ending here; what else is buffered belongs to handlers that ran already.
  _exit(1);
}
}  // namespace

void check_standard_output_at_exit() noexcept {
  static bool const registered = [] {
    occupy_standard_descriptors();
    return std::atexit(check_standard_output) == 0;
  }();
  static_cast<void>(registered);
}

void flush_standard_output() noexcept {
  if (std::fflush(stdout) != 0 && failed_because == 0) failed_because = errno;
}

}  // namespace tess::detail
