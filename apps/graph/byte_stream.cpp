// byte_stream: reading a file by descriptor, and reading memory.
#include "graph/byte_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "graph/error.hpp"

namespace graph {

namespace {

[[noreturn]] void throw_system_error(std::string const& path, std::string_view expected) {
  throw input_error(path, 0, std::generic_category().message(errno), expected);
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
  size_bytes_ = static_cast<std::uint64_t>(status.st_size);
}

file_stream::~file_stream() {
  ::close(descriptor_);
}

std::size_t file_stream::read(std::span<char> to) {
  for (;;) {
    ssize_t const count = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset_));
    if (count >= 0) {
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
