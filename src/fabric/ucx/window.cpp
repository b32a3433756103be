// window: opens a segment through /proc, compares its inode, and maps all of it.
#include "fabric/ucx/window.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "fabric/segment.hpp"

namespace tess::detail {

segment_place describe_segment(int file, std::uint64_t bytes) {
  segment_place p;
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  boot.read(p.boot, sizeof p.boot - 1);
  gethostname(p.host, sizeof p.host - 1);
  p.bytes = bytes;
  p.process = getpid();
  p.file = file;
  struct stat s{};
  if (file >= 0 && fstat(file, &s) == 0) p.inode = s.st_ino;
  return p;
}

bool same_host(segment_place const& a, segment_place const& b) noexcept {
  return std::memcmp(a.boot, b.boot, sizeof a.boot) == 0 && std::memcmp(a.host, b.host, sizeof a.host) == 0;
}

int open_described(std::int32_t process, std::int32_t file, std::uint64_t inode, unsigned type) noexcept {
  if (file < 0) return -1;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", process, file);
  // O_NONBLOCK: the path may be a pipe of another program.
  int const opened = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) return -1;
  struct stat s{};
  if (fstat(opened, &s) == 0 && (s.st_mode & S_IFMT) == type && s.st_ino == inode) return opened;
  close(opened);
  return -1;
}

int open_file_of(segment_place const& where, std::uint64_t bytes) noexcept {
  int const file = open_described(where.process, where.file, where.inode, S_IFREG);
  struct stat s{};
  if (file < 0 || (fstat(file, &s) == 0 && static_cast<std::uint64_t>(s.st_size) >= bytes)) return file;
  close(file);
  return -1;
}

int open_segment(segment_place const& where) noexcept {
  return open_file_of(where, where.bytes + segment::behind_bytes);
}

std::uint64_t window_space::bytes_for(std::uint64_t segment_bytes) noexcept {
  // Aligned as the owner's mapping is, or its huge pages would be small ones here.
  constexpr std::uint64_t alignment = segment::behind_bytes;
  return (segment_bytes + segment::behind_bytes + alignment - 1) / alignment * alignment;
}

void window_space::reserve(std::uint64_t bytes) noexcept {
  if (bytes == 0) return;
  memory_ = map_aligned(-1, bytes, PROT_NONE);
  bytes_ = memory_ == nullptr ? 0 : bytes;
}

std::byte* window_space::map(int file, std::uint64_t segment_bytes, bool huge_pages) noexcept {
  std::uint64_t const bytes = segment_bytes + segment::behind_bytes;
  std::uint64_t const space = bytes_for(segment_bytes);
  if (space > bytes_ - used_) return nullptr;
  std::byte* const at = memory_ + used_;
  if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0) == MAP_FAILED)
    return nullptr;
  used_ += space;
  if (huge_pages) static_cast<void>(madvise(at, segment_bytes, MADV_HUGEPAGE));
  return at;
}

void window_space::release() noexcept {
  if (memory_ != nullptr) munmap(memory_, bytes_);
  memory_ = nullptr;
  bytes_ = used_ = 0;
}

}  // namespace tess::detail
