// doorbell: a pipe, of which only the first byte matters.
#include "fabric/ucx/doorbell.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tess::detail {

ucx_doorbell::ucx_doorbell() {
  if (pipe2(files_.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw error("--fabric ucx", "no file is left for waking a thread", "a larger `ulimit -n`");
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
  for (opened const& o : opened_)
    if (o.file >= 0) close(o.file);
}

void ucx_doorbells::ring(place_id p, std::int32_t process, bell_place const& bell) noexcept {
  std::lock_guard const lock(mutex_);
  opened& o = opened_[p % kept];
  if (o.file < 0 || o.place != p) {
    if (o.file >= 0) close(o.file);
    o = {open_described(process, bell.file, bell.inode, S_IFIFO), p};
  }
  // A full pipe wakes its reader, too.
  if (o.file >= 0) static_cast<void>(!write(o.file, "", 1));
}

}  // namespace tess::detail
