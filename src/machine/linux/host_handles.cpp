// host_handles: fstat, fcntl and lseek, and the other way round.
#include "machine/linux/host_handles.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "machine/linux/file_access.hpp"

namespace tess::machine {
namespace {

[[noreturn]] void fail(std::string const& path, std::string_view what) {
  throw handle_error{fmt::format("{} {}: {}", path.empty() ? "a file without a name" : path, what,
                                 std::generic_category().message(errno))};
}

std::vector<std::byte> contents_of(int descriptor, std::string const& path, std::int64_t bytes) {
  // A descriptor for writing only cannot be read.
  host_file const again{::open(fmt::format("/proc/self/fd/{}", descriptor).c_str(), O_RDONLY | O_CLOEXEC)};
  std::vector<std::byte> result(static_cast<std::size_t>(bytes));
  std::size_t done = 0;
  while (done < result.size()) {
    ssize_t const got = ::pread(again.get(), &result[done], result.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "cannot be read for a checkpoint");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  result.resize(done);
  return result;
}

void put_contents(int descriptor, host_handle const& of) {
  std::vector<std::byte> const& wanted = *of.contents;
  if (::ftruncate(descriptor, static_cast<off_t>(wanted.size())) != 0) fail(of.path, "cannot be written");
  for (std::size_t done = 0; done < wanted.size();) {
    ssize_t const put = ::pwrite(descriptor, &wanted[done], wanted.size() - done, static_cast<off_t>(done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) fail(of.path, "cannot be written");
    done += static_cast<std::size_t>(put);
  }
}

std::int64_t modified_ns(struct stat const& about) {
  return std::int64_t{about.st_mtim.tv_sec} * 1'000'000'000 + about.st_mtim.tv_nsec;
}

void check_same(int descriptor, host_handle const& of) {
  struct stat about{};
  if (::fstat(descriptor, &about) != 0) fail(of.path, "cannot be looked at");
  if (about.st_size == of.size_bytes && modified_ns(about) == of.modified_ns) return;
  throw handle_error{
      fmt::format("{} has been changed since the checkpoint was written, and the program was reading it; bring back "
                  "the file as it was, with its time of change",
                  of.path)};
}

}  // namespace

host_handle handle_of(int descriptor) {
  host_handle result;
  result.path = path_of(descriptor);
  result.flags = ::fcntl(descriptor, F_GETFL);
  struct stat about{};
  if (result.flags < 0 || ::fstat(descriptor, &about) != 0) fail(result.path, "cannot be looked at");
  result.offset = ::lseek(descriptor, 0, SEEK_CUR);
  result.is_file = S_ISREG(about.st_mode);
  if (!result.is_file || (result.flags & O_PATH) != 0) return result;
  result.size_bytes = about.st_size;
  result.modified_ns = modified_ns(about);
  bool const named = about.st_nlink != 0;
  if (!named) result.path.clear();
  if (!named || (result.flags & O_ACCMODE) != O_RDONLY)
    result.contents = contents_of(descriptor, result.path, about.st_size);
  return result;
}

int open_again(host_handle const& of) {
  bool const writes = of.contents.has_value();
  host_file opened;
  if (of.path.empty()) {
    opened = host_file{::memfd_create("checkpoint", MFD_CLOEXEC)};
  } else {
    int const kept = of.flags & (O_ACCMODE | O_PATH | O_DIRECTORY | O_NONBLOCK | O_APPEND);
    constexpr mode_t mode = 0666;
    opened = host_file{::open(of.path.c_str(), kept | O_CLOEXEC | O_NOCTTY | (writes ? O_CREAT : 0), mode)};
  }
  if (opened.get() < 0) fail(of.path, "cannot be opened again");
  if (writes)
    put_contents(opened.get(), of);
  else if (of.is_file && (of.flags & O_PATH) == 0)
    check_same(opened.get(), of);
  if (of.offset >= 0 && ::lseek(opened.get(), of.offset, SEEK_SET) < 0) fail(of.path, "cannot be positioned");
  return opened.release();
}

}  // namespace tess::machine
