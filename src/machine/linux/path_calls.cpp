// path_calls: the calls of file_calls with names: paths, folders, and file status.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "machine/linux/file_calls.hpp"

namespace tess::machine {
namespace {

constexpr std::size_t path_bytes_max = 4096;

// struct stat of asm-generic, which RISC-V has.
struct user_stat {
  std::uint64_t device, inode;
  std::uint32_t mode, links, user, group;
  std::uint64_t special_device, unused1;
  std::int64_t size_bytes;
  std::int32_t block_bytes, unused2;
  std::int64_t blocks;
  std::int64_t access_seconds, access_ns, change_seconds, change_ns, status_seconds, status_ns;
  std::int32_t unused3, unused4;
};
static_assert(sizeof(user_stat) == 128);

bool names_own_program(std::string const& path) {
  return path == "/proc/self/exe" || path == "/proc/1000/exe";
}

}  // namespace

std::int64_t file_calls::path_at(std::uint64_t directory, std::uint64_t address, std::string& path) {
  path.clear();
  std::array<std::byte, 1> one{};
  for (; path.size() < path_bytes_max; ++address) {
    if (!memory_.read(address, one)) return -EFAULT;
    if (one[0] == std::byte{0}) break;
    path.push_back(static_cast<char>(one[0]));
  }
  if (path.size() == path_bytes_max) return -ENAMETOOLONG;
  if (path.empty()) return -ENOENT;
  if (path.front() == '/') return 0;
  if (static_cast<std::int32_t>(directory) == AT_FDCWD) {
    path.insert(0, directory_ == "/" ? "/" : directory_ + "/");
    return 0;
  }
  open_file const* const base = find(directory);
  if (base == nullptr) return -EBADF;
  if (base->path.empty()) return -ENOTDIR;
  path.insert(0, base->path + "/");
  return 0;
}

std::int64_t file_calls::getcwd(call_arguments const& a) {
  std::size_t const bytes = directory_.size() + 1;
  if (a[1] < bytes) return -ERANGE;
  auto const text = std::as_bytes(std::span{directory_.c_str(), bytes});
  return memory_.write(a[0], text) ? static_cast<std::int64_t>(bytes) : -EFAULT;
}

std::int64_t file_calls::chdir(call_arguments const& a) {
  std::string path;
  if (auto const wrong = path_at(static_cast<std::uint64_t>(AT_FDCWD), a[0], path); wrong != 0) return wrong;
  host_file const found{access_.look(path, true)};
  if (found.get() < 0) return found.get();
  struct stat about{};
  if (::fstat(found.get(), &about) != 0 || !S_ISDIR(about.st_mode)) return -ENOTDIR;
  directory_ = path;
  return 0;
}

std::int64_t file_calls::mkdirat(call_arguments const& a) {
  std::string path;
  std::string name;
  if (auto const wrong = path_at(a[0], a[1], path); wrong != 0) return wrong;
  host_file const parent{access_.parent_for_change(path, name)};
  if (parent.get() < 0) return parent.get();
  return ::mkdirat(parent.get(), name.c_str(), a[2] & 0777U) != 0 ? -errno : 0;
}

std::int64_t file_calls::unlinkat(call_arguments const& a) {
  std::string path;
  std::string name;
  if (auto const wrong = path_at(a[0], a[1], path); wrong != 0) return wrong;
  host_file const parent{access_.parent_for_change(path, name)};
  if (parent.get() < 0) return parent.get();
  return ::unlinkat(parent.get(), name.c_str(), static_cast<int>(a[2] & AT_REMOVEDIR)) != 0 ? -errno : 0;
}

std::int64_t file_calls::renameat2(call_arguments const& a) {
  std::string from;
  std::string to;
  std::string from_name;
  std::string to_name;
  if (auto const wrong = path_at(a[0], a[1], from); wrong != 0) return wrong;
  if (auto const wrong = path_at(a[2], a[3], to); wrong != 0) return wrong;
  host_file const from_parent{access_.parent_for_change(from, from_name)};
  if (from_parent.get() < 0) return from_parent.get();
  host_file const to_parent{access_.parent_for_change(to, to_name)};
  if (to_parent.get() < 0) return to_parent.get();
  auto const flags = static_cast<unsigned>(a[4] & RENAME_NOREPLACE);
  return ::renameat2(from_parent.get(), from_name.c_str(), to_parent.get(), to_name.c_str(), flags) != 0 ? -errno : 0;
}

std::int64_t file_calls::truncate(call_arguments const& a) {
  std::string path;
  if (auto const wrong = path_at(static_cast<std::uint64_t>(AT_FDCWD), a[0], path); wrong != 0) return wrong;
  host_file const file{access_.open(path, O_WRONLY, 0)};
  if (file.get() < 0) return file.get();
  return ::ftruncate(file.get(), static_cast<off_t>(a[1])) != 0 ? -errno : 0;
}

std::int64_t file_calls::faccessat(call_arguments const& a) {
  std::string path;
  if (auto const wrong = path_at(a[0], a[1], path); wrong != 0) return wrong;
  host_file const found{access_.look(path, true)};
  if (found.get() < 0) return found.get();
  int const wanted = static_cast<int>(a[2] & 7U);
  if ((wanted & W_OK) != 0 && !access_.may_write(path)) return -EROFS;
  return ::syscall(SYS_faccessat2, found.get(), "", wanted, AT_EMPTY_PATH) != 0 ? -errno : 0;
}

std::int64_t file_calls::readlinkat(call_arguments const& a) {
  std::string path;
  if (auto const wrong = path_at(a[0], a[1], path); wrong != 0) return wrong;
  std::string target = program_;
  if (!names_own_program(path)) {
    host_file const found{access_.look(path, false)};
    if (found.get() < 0) return found.get();
    target.resize(path_bytes_max);
    ssize_t const bytes = ::readlinkat(found.get(), "", target.data(), target.size());
    if (bytes < 0) return errno == ENOENT ? -EINVAL : -errno;
    target.resize(static_cast<std::size_t>(bytes));
  }
  target.resize(std::min<std::uint64_t>(target.size(), a[3]));
  return memory_.write(a[2], std::as_bytes(std::span{target})) ? static_cast<std::int64_t>(target.size()) : -EFAULT;
}

// Not the host's: C libraries have buffers of this size, so it would change where a program's data are, and its time.
constexpr std::int32_t usual_block_bytes = 4096;

std::int64_t file_calls::put_status(int host, std::uint64_t address) {
  struct stat s{};
  if (::fstat(host, &s) != 0) return -errno;
  user_stat const answer{
      .device = s.st_dev,
      .inode = s.st_ino,
      .mode = s.st_mode,
      .links = static_cast<std::uint32_t>(s.st_nlink),
      .user = s.st_uid,
      .group = s.st_gid,
      .special_device = s.st_rdev,
      .unused1 = 0,
      .size_bytes = s.st_size,
      .block_bytes = usual_block_bytes,
      .unused2 = 0,
      .blocks = s.st_blocks,
      .access_seconds = s.st_atim.tv_sec,
      .access_ns = s.st_atim.tv_nsec,
      .change_seconds = s.st_mtim.tv_sec,
      .change_ns = s.st_mtim.tv_nsec,
      .status_seconds = s.st_ctim.tv_sec,
      .status_ns = s.st_ctim.tv_nsec,
      .unused3 = 0,
      .unused4 = 0,
  };
  return memory_.put(address, answer) ? 0 : -EFAULT;
}

std::int64_t file_calls::fstat(call_arguments const& a) {
  open_file* const file = find(a[0]);
  return file == nullptr ? -EBADF : put_status(file->host, a[1]);
}

std::int64_t file_calls::newfstatat(call_arguments const& a) {
  std::uint8_t first = 0;
  if ((a[3] & AT_EMPTY_PATH) != 0 && memory_.get(a[1], first) && first == 0) return fstat({a[0], a[2], 0, 0, 0, 0});
  std::string path;
  if (auto const wrong = path_at(a[0], a[1], path); wrong != 0) return wrong;
  host_file const found{access_.look(path, (a[3] & AT_SYMLINK_NOFOLLOW) == 0)};
  return found.get() < 0 ? found.get() : put_status(found.get(), a[2]);
}

std::int64_t file_calls::getdents64(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  std::size_t const most = std::min<std::uint64_t>(a[2], buffer_.size());
  long const bytes = ::syscall(SYS_getdents64, file->host, buffer_.data(), most);
  if (bytes < 0) return -errno;
  // The entries are laid out alike on both sides.
  return memory_.write(a[1], std::span{buffer_}.first(static_cast<std::size_t>(bytes))) ? bytes : -EFAULT;
}

}  // namespace tess::machine
