// byte_stream: reading a file by descriptor, and reading memory.
#include "graph/byte_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>
#include <system_error>
#include <utility>

#include "graph/error.hpp"

namespace graph {

namespace {

[[noreturn]] void throw_system_error(std::string const& path, std::string_view expected) {
  throw input_error(path, 0, std::generic_category().message(errno), expected);
}

// A number that two hosts do not share.
std::uint64_t this_host() {
  static std::uint64_t const host = [] {
    char id[64] = {};
    int const descriptor = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return std::uint64_t{0};
    ssize_t const count = ::read(descriptor, id, sizeof id);
    ::close(descriptor);
    return std::uint64_t{std::hash<std::string_view>()({id, count > 0 ? static_cast<std::size_t>(count) : 0})};
  }();
  return host;
}

std::int64_t nanoseconds(timespec t) {
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

file_version version_of(struct stat const& status) {
  return {.host = this_host(),
          .device = status.st_dev,
          .inode = status.st_ino,
          .size_bytes = static_cast<std::uint64_t>(status.st_size),
          .modified_ns = nanoseconds(status.st_mtim),
          .changed_ns = nanoseconds(status.st_ctim)};
}

}  // namespace

file_stream::file_stream(std::string path, std::uint64_t offset)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), offset_(offset) {
  // O_NONBLOCK so that opening a pipe does not block: it is refused below. It changes nothing for files.
  if (descriptor_ < 0) throw_system_error(path_, "a file that can be read");
  struct stat status{};
  bool const regular = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (!regular) {
    ::close(descriptor_);
    throw input_error(path_, 0, "not a regular file", "a file that can be read more than once");
  }
  version_ = version_of(status);
}

file_stream::file_stream(std::string path, std::uint64_t offset, file_version const& expected)
    : file_stream(std::move(path), offset) {
  if (!version_.matches(expected)) throw_changed(path_);
}

file_stream::~file_stream() {
  ::close(descriptor_);
}

std::size_t file_stream::read(std::span<char> to) {
  for (;;) {
    ssize_t const count = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset_));
    if (count >= 0) {
      struct stat now{};
      if (::fstat(descriptor_, &now) != 0 || version_of(now) != version_) throw_changed(path_);
      offset_ += static_cast<std::uint64_t>(count);
      return static_cast<std::size_t>(count);
    }
    if (errno != EINTR) throw_system_error(path_, "a file that can be read to its end");
  }
}

std::size_t memory_stream::read(std::span<char> to) {
  std::size_t const count = std::min(to.size(), rest_.size());
  std::ranges::copy(rest_.substr(0, count), to.begin());
  rest_.remove_prefix(count);
  return count;
}

void throw_changed(std::string_view path) {
  throw input_error(path, 0, "the file changed while it was being read", "one that stays as it is until then");
}

std::size_t read_fully(byte_stream& from, std::span<char> to) {
  std::size_t filled = 0;
  while (filled < to.size()) {
    std::size_t const count = from.read(to.subspan(filled));
    if (count == 0) break;
    filled += count;
  }
  return filled;
}

}  // namespace graph
