// doorbell: a pipe, of which only the first byte matters.
#include "fabric/ucx/doorbell.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tess::detail {

ucx_doorbell::ucx_doorbell() {
  if (pipe2(files_.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw error("--fabric ucx", "no file descriptor is left for waking a thread", "a larger `ulimit -n`");
  // Advice: a user's pipes have a limit together.
  static_cast<void>(fcntl(files_[1], F_SETPIPE_SZ, 4096));
}

ucx_doorbell::~ucx_doorbell() {
  for (int const file : files_) close(file);
}

bell_place ucx_doorbell::place() const noexcept {
  struct stat s{};
  return fstat(files_[0], &s) == 0 ? bell_place{s.st_ino, files_[0]} : bell_place{};
}

void ucx_doorbell::silence() noexcept {
  char rings[256];
  while (read(files_[0], rings, sizeof rings) == sizeof rings) {
  }
}

ucx_doorbells::~ucx_doorbells() {
  close_all();
}

void ucx_doorbells::close_all() noexcept {
  for (opened& o : opened_)
    if (o.file >= 0) close(std::exchange(o.file, -1));
}

bool ucx_doorbells::ring(place_id p, std::int32_t process, bell_place const& bell) noexcept {
  std::lock_guard const lock(mutex_);
  opened& o = opened_[p % kept];
  if (o.file < 0 || o.place != p) {
    if (o.file >= 0) close(std::exchange(o.file, -1));
    int file = open_described(process, bell.file, bell.inode, S_IFIFO);
    if (file < 0 && (errno == EMFILE || errno == ENFILE)) {
      close_all();
      file = open_described(process, bell.file, bell.inode, S_IFIFO);
    }
    o = {file, p};
  }
  if (o.file < 0) return false;
  // A full pipe wakes its reader, too.
  static_cast<void>(!write(o.file, "", 1));
  return true;
}

}  // namespace tess::detail
