// file_calls: descriptors: opening, copying and closing them, and moving bytes through them.
#include "machine/linux/file_calls.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace tess::machine {
namespace {

constexpr std::size_t buffer_bytes = 65536;
constexpr std::uint64_t descriptors_max = 1024;
constexpr std::uint64_t transfer_bytes_max = 0x7ffff000;  // as Linux
constexpr std::int64_t no_offset = -1;
constexpr std::uint64_t parts_max = 1024;

struct user_part {
  std::uint64_t address;
  std::uint64_t bytes;
};

std::int64_t or_error(std::int64_t result) {
  return result < 0 ? -errno : result;
}

}  // namespace

file_calls::file_calls(user_memory& memory, file_access access, std::string program)
    : memory_(memory),
      access_(std::move(access)),
      program_(std::move(program)),
      directory_(std::filesystem::current_path().string()),
      buffer_(buffer_bytes) {
  for (int stream = 0; stream <= 2; ++stream)
    files_[static_cast<std::uint64_t>(stream)] = {stream, "", false, stream == 0 ? O_RDONLY : O_WRONLY};
}

file_calls::open_file* file_calls::find(std::uint64_t descriptor) {
  auto const found = files_.find(descriptor & 0xffffffffU);
  return found == files_.end() ? nullptr : &found->second;
}

std::int64_t file_calls::add(open_file file, std::uint64_t lowest) {
  while (files_.contains(lowest)) ++lowest;
  if (lowest >= descriptors_max) {
    if (file.ours) ::close(file.host);
    return -EMFILE;
  }
  files_[lowest] = std::move(file);
  return static_cast<std::int64_t>(lowest);
}

std::int64_t file_calls::openat(call_arguments const& a) {
  std::string path;
  if (auto const wrong = path_at(a[0], a[1], path); wrong != 0) return wrong;
  int const flags = static_cast<int>(a[2]);
  int const host = access_.open(path, flags, static_cast<unsigned>(a[3]));
  return host < 0 ? host : add({host, path, true, flags & ~(O_CREAT | O_EXCL | O_TRUNC)}, 0);
}

std::int64_t file_calls::close(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  if (file->ours) ::close(file->host);
  files_.erase(a[0] & 0xffffffffU);
  return 0;
}

std::int64_t file_calls::dup(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  int const host = ::fcntl(file->host, F_DUPFD_CLOEXEC, 0);
  return host < 0 ? -errno : add({host, file->path, true, file->flags}, 0);
}

std::int64_t file_calls::dup3(call_arguments const& a) {
  open_file* const file = find(a[0]);
  std::uint64_t const wanted = a[1] & 0xffffffffU;
  if (file == nullptr || wanted >= descriptors_max) return -EBADF;
  if (a[0] == a[1]) return -EINVAL;
  int const host = ::fcntl(file->host, F_DUPFD_CLOEXEC, 0);
  if (host < 0) return -errno;
  open_file copy{host, file->path, true, file->flags};
  if (open_file* const old = find(wanted); old != nullptr && old->ours) ::close(old->host);
  files_[wanted] = std::move(copy);
  return static_cast<std::int64_t>(wanted);
}

std::int64_t file_calls::fcntl(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  switch (a[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: {
      if (a[2] >= descriptors_max) return -EINVAL;
      int const host = ::fcntl(file->host, F_DUPFD_CLOEXEC, 0);
      return host < 0 ? -errno : add({host, file->path, true, file->flags}, a[2]);
    }
    case F_GETFD:
      return FD_CLOEXEC;
    case F_SETFD:
      return 0;
    case F_GETFL:
      return file->flags;
    case F_SETFL:
      return 0;
    default:
      return -EINVAL;
  }
}

// Only the queries whether a stream is a terminal, and its size: output is then buffered by lines.
std::int64_t file_calls::ioctl(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  constexpr std::size_t termios_bytes = 36;  // of the kernel's struct, the same on both sides
  std::size_t const bytes = a[1] == TCGETS ? termios_bytes : a[1] == TIOCGWINSZ ? sizeof(winsize) : 0;
  if (bytes == 0) return -ENOTTY;
  std::array<std::byte, 64> answer{};
  if (::ioctl(file->host, a[1], answer.data()) != 0) return -errno;
  return memory_.write(a[2], std::span{answer}.first(bytes)) ? 0 : -EFAULT;
}

std::int64_t file_calls::lseek(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  if (a[2] > SEEK_HOLE) return -EINVAL;
  return or_error(::lseek(file->host, static_cast<off_t>(a[1]), static_cast<int>(a[2])));
}

std::int64_t file_calls::ftruncate(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  return file->ours ? or_error(::ftruncate(file->host, static_cast<off_t>(a[1]))) : -EINVAL;
}

std::int64_t file_calls::fsync(call_arguments const& a) {
  return find(a[0]) == nullptr ? -EBADF : 0;
}

std::int64_t file_calls::transfer_in(int host, std::uint64_t address, std::uint64_t bytes, std::int64_t offset) {
  std::uint64_t done = 0;
  bytes = std::min(bytes, transfer_bytes_max);
  while (done < bytes || bytes == 0) {
    std::size_t const part = std::min<std::uint64_t>(bytes - done, buffer_.size());
    auto const at = static_cast<off_t>(offset) + static_cast<off_t>(done);
    ssize_t const got =
        offset == no_offset ? ::read(host, buffer_.data(), part) : ::pread(host, buffer_.data(), part, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return done != 0 ? static_cast<std::int64_t>(done) : -errno;
    auto const bytes_got = static_cast<std::size_t>(got);
    if (!memory_.write(address + done, std::span{buffer_}.first(bytes_got))) return -EFAULT;
    done += bytes_got;
    if (bytes_got < part || part == 0) break;
    if (offset == no_offset && host == STDIN_FILENO) break;  // more input may not come soon
  }
  return static_cast<std::int64_t>(done);
}

std::int64_t file_calls::transfer_out(int host, std::uint64_t address, std::uint64_t bytes, std::int64_t offset) {
  std::uint64_t done = 0;
  bytes = std::min(bytes, transfer_bytes_max);
  while (done < bytes) {
    std::size_t const part = std::min<std::uint64_t>(bytes - done, buffer_.size());
    if (!memory_.read(address + done, std::span{buffer_}.first(part)))
      return done != 0 ? static_cast<std::int64_t>(done) : -EFAULT;
    auto const at = static_cast<off_t>(offset) + static_cast<off_t>(done);
    ssize_t const put =
        offset == no_offset ? ::write(host, buffer_.data(), part) : ::pwrite(host, buffer_.data(), part, at);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return done != 0 ? static_cast<std::int64_t>(done) : -errno;
    done += static_cast<std::uint64_t>(put);
  }
  return static_cast<std::int64_t>(done);
}

std::int64_t file_calls::read(call_arguments const& a) {
  open_file* const file = find(a[0]);
  return file == nullptr ? -EBADF : transfer_in(file->host, a[1], a[2], no_offset);
}
std::int64_t file_calls::write(call_arguments const& a) {
  open_file* const file = find(a[0]);
  return file == nullptr ? -EBADF : transfer_out(file->host, a[1], a[2], no_offset);
}
std::int64_t file_calls::pread64(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  return static_cast<std::int64_t>(a[3]) < 0 ? -EINVAL
                                             : transfer_in(file->host, a[1], a[2], static_cast<std::int64_t>(a[3]));
}
std::int64_t file_calls::pwrite64(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  return static_cast<std::int64_t>(a[3]) < 0 ? -EINVAL
                                             : transfer_out(file->host, a[1], a[2], static_cast<std::int64_t>(a[3]));
}

template <class Transfer>
std::int64_t file_calls::each_part(call_arguments const& a, Transfer transfer) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  if (a[2] > parts_max) return -EINVAL;
  std::int64_t done = 0;
  for (std::uint64_t k = 0; k < a[2]; ++k) {
    user_part part{};
    if (!memory_.get(a[1] + k * sizeof part, part)) return done != 0 ? done : -EFAULT;
    if (part.bytes == 0) continue;
    std::int64_t const moved = transfer(file->host, part);
    if (moved < 0) return done != 0 ? done : moved;
    done += moved;
    if (static_cast<std::uint64_t>(moved) < part.bytes) break;
  }
  return done;
}

std::int64_t file_calls::readv(call_arguments const& a) {
  return each_part(a, [&](int host, user_part p) { return transfer_in(host, p.address, p.bytes, no_offset); });
}
std::int64_t file_calls::writev(call_arguments const& a) {
  return each_part(a, [&](int host, user_part p) { return transfer_out(host, p.address, p.bytes, no_offset); });
}

}  // namespace tess::machine
