// file_access: a name is resolved once, to a descriptor without rights; its type decides whether it is opened.
#include "machine/linux/file_access.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

namespace tess::machine {
namespace {

// File systems of the kernel's or the simulator's internals: the f_type of statfs(2).
constexpr std::array<std::uint64_t, 14> inner_file_systems{
    0x9fa0,      // proc
    0x62656572,  // sysfs
    0x64626720,  // debugfs
    0x74726163,  // tracefs
    0x73636673,  // securityfs
    0xf97cff8c,  // selinux
    0x27e0eb,    // cgroup
    0x63677270,  // cgroup2
    0xcafe4a11,  // bpf
    0x50495045,  // pipefs
    0x534f434b,  // sockfs
    0x6e736673,  // nsfs
    0x09041934,  // anonymous inodes
    0x50494446,  // pidfs
};

bool is_harmless_device(struct stat const& about) {
  if (!S_ISCHR(about.st_mode) || major(about.st_rdev) != 1) return false;
  unsigned const number = minor(about.st_rdev);
  return number == 3 || number == 5 || number == 8 || number == 9;  // null, zero, random, urandom
}

// 0, or the error if the program must not access the file of this descriptor.
int refusal(int descriptor) {
  struct stat about{};
  struct statfs system{};
  if (::fstat(descriptor, &about) != 0 || ::fstatfs(descriptor, &system) != 0) return -EACCES;
  auto const type = static_cast<std::uint64_t>(system.f_type) & 0xffffffffU;
  if (std::ranges::find(inner_file_systems, type) != inner_file_systems.end()) return -EACCES;
  bool const plain = S_ISREG(about.st_mode) || S_ISDIR(about.st_mode) || S_ISLNK(about.st_mode);
  return plain || is_harmless_device(about) ? 0 : -EACCES;
}

bool wants_to_write(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC | O_APPEND)) != 0;
}

}  // namespace

host_file& host_file::operator=(host_file&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
host_file::~host_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}
int host_file::release() noexcept {
  return std::exchange(descriptor_, -1);
}

file_access::folder file_access::open_folder(std::filesystem::path const& path) {
  std::error_code missing;
  std::string const whole = std::filesystem::canonical(path, missing).string();
  host_file descriptor{::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (missing || descriptor.get() < 0)
    throw std::runtime_error{fmt::format("{} is no folder; mkdir it first", path.string())};
  return {std::move(descriptor), whole == "/" ? "" : whole};
}

file_access::folder const* file_access::holder_of(std::vector<folder> const& folders, std::string const& path) {
  auto const holds = [&](folder const& f) {
    return path == f.path || (path.starts_with(f.path) && path.substr(f.path.size()).starts_with('/'));
  };
  auto const found = std::ranges::find_if(folders, holds);
  return found == folders.end() ? nullptr : &*found;
}

int file_access::open_beneath(folder const& root, std::string const& path, int flags, unsigned mode) const {
  std::string relative = path.substr(root.path.size());
  relative.erase(0, relative.find_first_not_of('/'));
  if (relative.empty()) relative = ".";
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if ((flags & O_PATH) != 0) how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = (flags & O_CREAT) != 0 ? mode & 0777U : 0U;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long const opened = ::syscall(SYS_openat2, root.descriptor.get(), relative.c_str(), &how, sizeof how);
  if (opened < 0) return -errno;
  host_file result{static_cast<int>(opened)};
  if (int const why = refusal(result.get()); why != 0) return why;
  return result.release();
}

int file_access::look_anywhere(std::string const& path, bool follow) const {
  if (!read_folders_.empty()) {
    folder const* holder = holder_of(read_folders_, path);
    if (holder == nullptr) holder = holder_of(write_folders_, path);
    return holder == nullptr ? -ENOENT : open_beneath(*holder, path, O_PATH | (follow ? 0 : O_NOFOLLOW), 0);
  }
  host_file found{::open(path.c_str(), O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW))};
  if (found.get() < 0) return -errno;
  if (int const why = refusal(found.get()); why != 0) return why;
  return found.release();
}

int file_access::look(std::string const& path, bool follow) {
  return look_anywhere(path, follow);
}

int file_access::open(std::string const& path, int flags, unsigned mode) {
  if (wants_to_write(flags)) {
    folder const* const holder = holder_of(write_folders_, path);
    if (holder != nullptr) return open_beneath(*holder, path, flags, mode);
    host_file const found{look_anywhere(path, true)};
    struct stat about{};
    bool const device = found.get() >= 0 && ::fstat(found.get(), &about) == 0 && is_harmless_device(about);
    if (!device) return refuse_write(path);
  }
  host_file const found{look_anywhere(path, (flags & O_NOFOLLOW) == 0)};
  if (found.get() < 0) return found.get();
  // The same file again, now with rights: by the descriptor, so that it cannot be exchanged in between.
  std::string const again = fmt::format("/proc/self/fd/{}", found.get());
  int const kept = flags & (O_ACCMODE | O_DIRECTORY);
  int const opened = ::open(again.c_str(), kept | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  return opened < 0 ? -errno : opened;
}

int file_access::parent_for_change(std::string const& path, std::string& name) {
  std::size_t const slash = path.find_last_of('/');
  folder const* const holder = holder_of(write_folders_, path);
  if (holder == nullptr || path.size() <= holder->path.size() + 1) return refuse_write(path);
  name = path.substr(slash + 1);
  if (name.empty() || name == "." || name == "..") return -EINVAL;
  std::string const parent = path.substr(0, slash);
  return open_beneath(*holder, parent.size() < holder->path.size() ? holder->path : parent, O_PATH | O_DIRECTORY, 0);
}

bool file_access::may_write(std::string const& path) const {
  return holder_of(write_folders_, path) != nullptr;
}

int file_access::refuse_write(std::string const& path) {
  if (refused_write_.empty()) refused_write_ = path;
  return -EROFS;
}

}  // namespace tess::machine
