// path_calls: the calls of file_calls with names: paths, folders, and file status.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iterator>

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

std::string plain(std::string const& path) {
  std::string text = std::filesystem::path(path).lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  auto const [behind, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && behind == text.data() + text.size() ? std::optional(value) : std::nullopt;
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

std::int64_t file_calls::real_path_at(std::uint64_t directory, std::uint64_t address, std::string& path,
                                      bool follow_last) {
  std::int64_t const wrong = path_at(directory, address, path);
  if (wrong == 0) path = follow_own(path, follow_last);
  return wrong;
}

std::optional<std::uint64_t> file_calls::own_descriptor(std::string const& path) const {
  std::string const name = plain(path);
  if (name == "/dev/stdin") return 0;
  if (name == "/dev/stdout") return 1;
  if (name == "/dev/stderr") return 2;
  for (std::string_view const folder : {"/dev/fd/", "fd/"}) {
    std::string const in = folder == "fd/" ? own_process::name_in(name).value_or("") : name;
    if (!in.starts_with(folder)) continue;
    auto const number = number_of(std::string_view{in}.substr(folder.size()));
    if (number && files_.contains(*number)) return number;
  }
  return {};
}

std::string file_calls::link_target(std::string const& path) const {
  if (auto const number = own_descriptor(path)) {
    open_file const& file = *files_.at(*number).file;
    return file.path.empty() ? fmt::format("pipe:[{}]", file.number) : file.path;
  }
  std::string const name = own_process::name_in(plain(path)).value_or("");
  if (name == "exe") return own_.shown_path();
  if (name == "cwd") return directory_;
  return name == "root" ? "/" : "";
}

std::string file_calls::follow_own(std::string const& path, bool follow_last) const {
  auto const name = own_process::name_in(path);
  std::string rest = name.value_or("");
  if (auto const number = own_descriptor(path); number && follow_last && !files_.at(*number).file->path.empty())
    return files_.at(*number).file->path;
  if (rest == "exe" && follow_last) return own_.path();
  for (std::string_view const link : {"cwd", "root"}) {
    if (!rest.starts_with(link)) continue;
    rest.erase(0, link.size());
    if (rest.empty() ? !follow_last : rest.front() != '/') return path;
    return (link == "cwd" ? directory_ : "") + (rest.empty() ? "/" : rest);
  }
  return path;
}

std::shared_ptr<file_calls::open_file> file_calls::open_own(std::string const& path) const {
  std::string const where = plain(path);
  if (auto const text = own_.text(where)) {
    auto file = std::make_shared<open_file>(::memfd_create("text", MFD_CLOEXEC), where, true, O_RDONLY);
    if (file->host >= 0 && ::pwrite(file->host, text->data(), text->size(), 0) < 0) return nullptr;
    return file;
  }
  auto const name = own_process::name_in(where);
  if (!name || (*name != "" && *name != "fd" && *name != "task")) return nullptr;
  auto folder = std::make_shared<open_file>(-1, where, true, O_RDONLY);
  folder->is_folder = true;
  folder->entries = {".", ".."};
  if (*name == "fd")
    for (auto const& [number, of] : files_) folder->entries.push_back(std::to_string(number));
  if (*name == "task") std::ranges::copy(own_.task_names(), std::back_inserter(folder->entries));
  if (name->empty())
    for (char const* const one :
         {"cmdline", "comm", "cwd", "environ", "exe", "fd", "maps", "root", "stat", "statm", "status", "task"})
      folder->entries.emplace_back(one);
  return folder;
}

std::int64_t file_calls::getcwd(call_arguments const& a) {
  std::size_t const bytes = directory_.size() + 1;
  if (a[1] < bytes) return -ERANGE;
  auto const text = std::as_bytes(std::span{directory_.c_str(), bytes});
  return memory_.write(a[0], text) ? static_cast<std::int64_t>(bytes) : -EFAULT;
}

std::int64_t file_calls::chdir(call_arguments const& a) {
  std::string path;
  if (auto const wrong = real_path_at(static_cast<std::uint64_t>(AT_FDCWD), a[0], path); wrong != 0) return wrong;
  host_file const found{access_.look(path, true)};
  if (found.get() < 0) return found.get();
  struct stat about{};
  if (::fstat(found.get(), &about) != 0 || !S_ISDIR(about.st_mode)) return -ENOTDIR;
  directory_ = path_of(found.get());
  return 0;
}

std::int64_t file_calls::fchdir(call_arguments const& a) {
  open_file const* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  struct stat about{};
  if (!file->ours || ::fstat(file->host, &about) != 0 || !S_ISDIR(about.st_mode)) return -ENOTDIR;
  directory_ = path_of(file->host);
  return 0;
}

std::int64_t file_calls::mkdirat(call_arguments const& a) {
  std::string path;
  std::string name;
  if (auto const wrong = real_path_at(a[0], a[1], path); wrong != 0) return wrong;
  // Before the question whether it may be made: mkdir -p asks for all folders on the way.
  if (host_file const found{access_.look(path, false)}; found.get() >= 0) return -EEXIST;
  host_file const parent{access_.parent_for_change(path, name)};
  if (parent.get() < 0) return parent.get();
  return ::mkdirat(parent.get(), name.c_str(), a[2] & 0777U) != 0 ? -errno : 0;
}

std::int64_t file_calls::symlinkat(call_arguments const& a) {
  std::string path;
  std::string name;
  std::string target;
  if (auto const wrong = path_at(static_cast<std::uint64_t>(AT_FDCWD), a[0], target); wrong != 0) return wrong;
  if (auto const wrong = real_path_at(a[1], a[2], path, false); wrong != 0) return wrong;
  host_file const parent{access_.parent_for_change(path, name)};
  if (parent.get() < 0) return parent.get();
  // As it was given: path_at makes it absolute.
  std::uint8_t first = 0;
  if (!memory_.get(a[0], first)) return -EFAULT;
  std::string const given = first == '/' ? target : target.substr(directory_ == "/" ? 1 : directory_.size() + 1);
  return ::symlinkat(given.c_str(), parent.get(), name.c_str()) != 0 ? -errno : 0;
}

std::int64_t file_calls::entry_at(std::uint64_t directory, std::uint64_t address, named_entry& entry) {
  std::string path;
  if (auto const wrong = real_path_at(directory, address, path, false); wrong != 0) return wrong;
  entry.parent = host_file{access_.parent_for_change(path, entry.name)};
  return std::min(entry.parent.get(), 0);
}

// Both below folders for writing: a link gives the right to change the file.
std::int64_t file_calls::linkat(call_arguments const& a) {
  named_entry from;
  named_entry to;
  if (auto const wrong = entry_at(a[0], a[1], from); wrong != 0) return wrong;
  if (auto const wrong = entry_at(a[2], a[3], to); wrong != 0) return wrong;
  return ::linkat(from.parent.get(), from.name.c_str(), to.parent.get(), to.name.c_str(), 0) != 0 ? -errno : 0;
}

std::int64_t file_calls::fchmodat(call_arguments const& a) {
  std::string path;
  std::string name;
  if (auto const wrong = real_path_at(a[0], a[1], path); wrong != 0) return wrong;
  host_file const parent{access_.parent_for_change(path, name)};
  if (parent.get() < 0) return parent.get();
  // Not through a link: it may lead elsewhere.
  host_file const found{::openat(parent.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
  if (found.get() < 0) return -errno;
  struct stat about{};
  if (::fstat(found.get(), &about) != 0 || S_ISLNK(about.st_mode)) return -EOPNOTSUPP;
  std::string const again = fmt::format("/proc/self/fd/{}", found.get());
  return ::chmod(again.c_str(), static_cast<mode_t>(a[2] & 0777U)) != 0 ? -errno : 0;
}

std::int64_t file_calls::utimensat(call_arguments const& a) {
  std::array<timespec, 2> times{};
  static_assert(sizeof times == 32);
  if (a[2] != 0 && !memory_.get(a[2], times)) return -EFAULT;
  timespec const* const when = a[2] == 0 ? nullptr : times.data();
  if (a[1] == 0) {
    open_file const* const file = find(a[0]);
    if (file == nullptr) return -EBADF;
    if (!file->ours || !access_.may_write(file->host)) return -EROFS;
    return ::futimens(file->host, when) != 0 ? -errno : 0;
  }
  std::string path;
  std::string name;
  if (auto const wrong = real_path_at(a[0], a[1], path); wrong != 0) return wrong;
  host_file const parent{access_.parent_for_change(path, name)};
  if (parent.get() < 0) return parent.get();
  return ::utimensat(parent.get(), name.c_str(), when, AT_SYMLINK_NOFOLLOW) != 0 ? -errno : 0;
}

std::int64_t file_calls::unlinkat(call_arguments const& a) {
  std::string path;
  std::string name;
  if (auto const wrong = real_path_at(a[0], a[1], path, false); wrong != 0) return wrong;
  host_file const parent{access_.parent_for_change(path, name)};
  if (parent.get() < 0) return parent.get();
  return ::unlinkat(parent.get(), name.c_str(), static_cast<int>(a[2] & AT_REMOVEDIR)) != 0 ? -errno : 0;
}

std::int64_t file_calls::renameat2(call_arguments const& a) {
  named_entry from;
  named_entry to;
  if (auto const wrong = entry_at(a[0], a[1], from); wrong != 0) return wrong;
  if (auto const wrong = entry_at(a[2], a[3], to); wrong != 0) return wrong;
  auto const flags = static_cast<unsigned>(a[4] & RENAME_NOREPLACE);
  return ::renameat2(from.parent.get(), from.name.c_str(), to.parent.get(), to.name.c_str(), flags) != 0 ? -errno : 0;
}

std::int64_t file_calls::truncate(call_arguments const& a) {
  std::string path;
  if (auto const wrong = real_path_at(static_cast<std::uint64_t>(AT_FDCWD), a[0], path); wrong != 0) return wrong;
  host_file const file{access_.open(path, O_WRONLY, 0)};
  if (file.get() < 0) return file.get();
  mappings_.before_reading(file.get());
  std::int64_t const result = ::ftruncate(file.get(), static_cast<off_t>(a[1])) != 0 ? -errno : 0;
  mappings_.after_writing(file.get());
  return result;
}

std::int64_t file_calls::faccessat(call_arguments const& a) {
  std::string path;
  if (auto const wrong = path_at(a[0], a[1], path); wrong != 0) return wrong;
  int const wanted = static_cast<int>(a[2] & 7U);
  if (own_descriptor(path)) return 0;
  if (open_own(path) != nullptr) return (wanted & W_OK) != 0 ? -EACCES : 0;
  host_file const found{access_.look(follow_own(path, true), true)};
  if (found.get() < 0) return found.get();
  struct stat about{};
  bool const device = ::fstat(found.get(), &about) == 0 && S_ISCHR(about.st_mode);
  if ((wanted & W_OK) != 0 && !device && !access_.may_write(found.get())) return -EROFS;
  return ::syscall(SYS_faccessat2, found.get(), "", wanted, AT_EMPTY_PATH) != 0 ? -errno : 0;
}

std::int64_t file_calls::readlinkat(call_arguments const& a) {
  std::string path;
  if (auto const wrong = path_at(a[0], a[1], path); wrong != 0) return wrong;
  std::string target = link_target(path);
  if (target.empty() && open_own(path) != nullptr) return -EINVAL;
  if (target.empty()) {
    host_file const found{access_.look(follow_own(path, false), false)};
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
  return ::fstat(host, &s) != 0 ? -errno : put_status(s, address);
}

std::int64_t file_calls::put_status(struct stat const& s, std::uint64_t address) {
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

namespace {

struct stat of_own(mode_t mode) {
  struct stat s{};
  s.st_mode = mode;
  s.st_nlink = 1;
  s.st_ino = 1;
  s.st_uid = s.st_gid = 1000;
  return s;
}

}  // namespace

std::int64_t file_calls::fstat(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  if (file->is_folder) return put_status(of_own(S_IFDIR | 0555), a[1]);
  return file->host < 0 ? put_status(of_own(S_IFIFO | 0600), a[1]) : put_status(file->host, a[1]);
}

std::int64_t file_calls::newfstatat(call_arguments const& a) {
  std::uint8_t first = 0;
  if ((a[3] & AT_EMPTY_PATH) != 0 && memory_.get(a[1], first) && first == 0) return fstat({a[0], a[2], 0, 0, 0, 0});
  std::string path;
  if (auto const wrong = path_at(a[0], a[1], path); wrong != 0) return wrong;
  bool const follow = (a[3] & AT_SYMLINK_NOFOLLOW) == 0;
  bool const in_proc = own_process::name_in(plain(path)).has_value();
  if (!follow && in_proc && !link_target(path).empty()) return put_status(of_own(S_IFLNK | 0777), a[2]);
  if (auto const number = own_descriptor(path)) return fstat({*number, a[2]});
  if (auto const own = open_own(path)) {
    return put_status(of_own(own->is_folder ? S_IFDIR | 0555 : S_IFREG | 0444), a[2]);
  }
  host_file const found{access_.look(follow_own(path, follow), follow)};
  return found.get() < 0 ? found.get() : put_status(found.get(), a[2]);
}

// The same answer for all file systems: what the host has says nothing about the simulated computer.
std::int64_t file_calls::put_system(std::uint64_t address) {
  struct {
    std::int64_t type = 0xef53;  // ext4
    std::int64_t block_bytes = 4096;
    std::uint64_t blocks = 1U << 24U, free = 1U << 23U, available = 1U << 23U, files = 1U << 20U,
                  files_free = 1U << 19U;
    std::array<std::int32_t, 2> id{};
    std::int64_t name_bytes = 255, fragment_bytes = 4096, flags = 0;
    std::array<std::int64_t, 4> spare{};
  } const answer;
  static_assert(sizeof answer == 120);
  return memory_.put(address, answer) ? 0 : -EFAULT;
}

std::int64_t file_calls::statfs(call_arguments const& a) {
  std::string path;
  if (auto const wrong = real_path_at(static_cast<std::uint64_t>(AT_FDCWD), a[0], path); wrong != 0) return wrong;
  host_file const found{access_.look(path, true)};
  return found.get() < 0 ? found.get() : put_system(a[1]);
}

std::int64_t file_calls::fstatfs(call_arguments const& a) {
  return find(a[0]) == nullptr ? -EBADF : put_system(a[1]);
}

std::int64_t file_calls::list(open_file& folder, std::uint64_t address, std::uint64_t bytes) {
  struct head {
    std::uint64_t inode;
    std::int64_t next;
    std::uint16_t bytes;
    std::uint8_t type;
  } __attribute__((packed));
  std::vector<std::byte> all;
  for (; folder.next_entry < folder.entries.size(); ++folder.next_entry) {
    std::string const& name = folder.entries[folder.next_entry];
    std::size_t const length = (sizeof(head) + name.size() + 1 + 7) / 8 * 8;
    if (all.size() + length > bytes) break;
    head const h{folder.next_entry + 1, static_cast<std::int64_t>(folder.next_entry + 1),
                 static_cast<std::uint16_t>(length), DT_UNKNOWN};
    std::size_t const at = all.size();
    all.resize(at + length);
    std::memcpy(all.data() + at, &h, sizeof h);
    std::memcpy(all.data() + at + sizeof h, name.data(), name.size());
  }
  if (all.empty() && folder.next_entry < folder.entries.size()) return -EINVAL;
  return memory_.write(address, all) ? static_cast<std::int64_t>(all.size()) : -EFAULT;
}

std::int64_t file_calls::getdents64(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  std::size_t const most = std::min<std::uint64_t>(a[2], buffer_.size());
  if (file->is_folder) return list(*file, a[1], most);
  long const bytes = ::syscall(SYS_getdents64, file->host, buffer_.data(), most);
  if (bytes < 0) return -errno;
  // The entries are laid out alike on both sides.
  return memory_.write(a[1], std::span{buffer_}.first(static_cast<std::size_t>(bytes))) ? bytes : -EFAULT;
}

}  // namespace tess::machine
