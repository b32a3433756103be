// file_access: a name is resolved once, to a descriptor without rights; its type and path decide whether it is opened.
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

// Is the path the folder's, or below it? Folders have no slash at their end; "" is the root.
bool lies_in(std::string const& folder, std::string const& path) {
  return path == folder || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
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

std::string path_of(int descriptor) {
  std::error_code nowhere;
  return std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), nowhere).string();
}

namespace {

// Follows no link of /proc that leads elsewhere than it says. -1: errno.
int resolve(std::string const& path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_PATH | O_CLOEXEC);
  how.resolve = RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how));
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

file_access::folder file_access::open_folder(std::filesystem::path const& path) {
  std::error_code missing;
  std::string const whole = std::filesystem::canonical(path, missing).string();
  host_file descriptor{::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (missing || descriptor.get() < 0)
    throw std::runtime_error{fmt::format("{} is no folder; mkdir it first", path.string())};
  std::string const given = without_slashes(std::filesystem::absolute(path).lexically_normal().string());
  return {std::move(descriptor), whole == "/" ? "" : whole, given == "/" ? "" : given};
}

void file_access::allow_read_file(std::filesystem::path const& file) {
  std::error_code missing;
  std::string const whole = std::filesystem::canonical(file, missing).string();
  if (missing) throw std::runtime_error{fmt::format("{} is not there", file.string())};
  read_files_.push_back(whole);
  // A link on the way can be seen, too.
  read_links_.push_back(std::filesystem::absolute(file).lexically_normal().string());
}

void file_access::allow_write_as(std::filesystem::path const& folder, std::string shown) {
  shown_folder_ = write_folders_.size();
  write_folders_.push_back(open_folder(folder));
  shown_ = std::move(shown);
}

void file_access::move_shown(std::filesystem::path const& folder) {
  if (shown_.empty()) return;
  (void)write_folders_[shown_folder_].descriptor.release();
  write_folders_[shown_folder_] = open_folder(folder);
}

std::string file_access::on_host(std::string const& path) const {
  if (shown_.empty() || !lies_in(shown_, path)) return path;
  return write_folders_[shown_folder_].path + path.substr(shown_.size());
}

void file_access::each_descriptor(descriptor_visitor const& visit) {
  for (std::vector<folder>* const folders : {&read_folders_, &write_folders_}) {
    for (folder& one : *folders) {
      if (!shown_.empty() && &one == &write_folders_[shown_folder_]) continue;
      int descriptor = one.descriptor.release();
      visit(descriptor);
      one.descriptor = host_file{descriptor};
    }
  }
}

file_access::folder const* file_access::holder_of(std::vector<folder> const& folders, std::string const& path) {
  auto const found = std::ranges::find_if(folders, [&](folder const& f) { return lies_in(f.path, path); });
  return found == folders.end() ? nullptr : &*found;
}

int file_access::open_beneath(folder const& root, std::string const& path, int flags, unsigned mode) {
  std::string relative = path.substr(root.path.size());
  relative.erase(0, relative.find_first_not_of('/'));
  if (relative.empty()) relative = ".";
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if ((flags & O_PATH) != 0) how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) != 0 ? mode & 0777U : 0U;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long const opened = ::syscall(SYS_openat2, root.descriptor.get(), relative.c_str(), &how, sizeof how);
  if (opened < 0) return -errno;
  host_file result{static_cast<int>(opened)};
  if (int const why = refusal(result.get()); why != 0) return why;
  return result.release();
}

file_access::sight file_access::sight_of(int descriptor) const {
  struct stat about{};
  if (::fstat(descriptor, &about) != 0) return sight::none;
  if (is_harmless_device(about)) return sight::whole;
  if (refusal(descriptor) != 0) return sight::none;
  std::string const path = path_of(descriptor);
  if (holder_of(read_folders_, path) != nullptr || holder_of(write_folders_, path) != nullptr) return sight::whole;
  if (std::ranges::find(read_files_, path) != read_files_.end()) return sight::whole;
  if (S_ISREG(about.st_mode)) return sight::none;
  std::string const below = path == "/" ? "" : path;
  auto const above = [&](folder const& f) { return lies_in(below, f.path) || lies_in(below, f.given); };
  auto const before = [&](std::string const& file) { return lies_in(below, file); };
  bool const exists = std::ranges::any_of(read_folders_, above) || std::ranges::any_of(write_folders_, above) ||
                      std::ranges::any_of(read_files_, before) || std::ranges::any_of(read_links_, before);
  return exists ? sight::exists : sight::none;
}

// What a program may not see is not there, whatever the reason for which it could not be reached.
int file_access::unseen(std::string const& path, int why) const {
  folder const* holder = holder_of(read_folders_, path);
  if (holder == nullptr) holder = holder_of(write_folders_, path);
  if (why == ENOENT || holder == nullptr) return -ENOENT;
  return host_file{open_beneath(*holder, path, O_PATH, 0)}.get() == -why ? -why : -ENOENT;
}

int file_access::look(std::string const& shown, bool follow) const {
  std::string const path = on_host(shown);
  host_file found{resolve(path, follow ? 0 : O_NOFOLLOW)};
  if (found.get() < 0) return unseen(path, errno);
  return sight_of(found.get()) == sight::none ? -ENOENT : found.release();
}

int file_access::open(std::string const& shown, int flags, unsigned mode) {
  std::string const path = on_host(shown);
  if (wants_to_write(flags) && (flags & O_PATH) == 0) {
    int const opened = open_for_change(path, flags, mode);
    if (opened != -EROFS) return opened;
    host_file const found{look(path, true)};
    struct stat about{};
    bool const device = found.get() >= 0 && ::fstat(found.get(), &about) == 0 && is_harmless_device(about);
    if (!device) return refuse_write(path);
  }
  host_file found{resolve(path, flags & O_NOFOLLOW)};
  if (found.get() < 0) return unseen(path, errno);
  sight const seen = sight_of(found.get());
  if (seen == sight::none && refused_read_.empty() && refusal(found.get()) == 0) refused_read_ = path;
  if (seen == sight::none) return -ENOENT;
  if ((flags & O_PATH) != 0) return found.release();
  if (seen == sight::exists) return -EACCES;
  // The same file again, now with rights: by the descriptor, so that it cannot be exchanged in between.
  std::string const again = fmt::format("/proc/self/fd/{}", found.get());
  int const kept = flags & (O_ACCMODE | O_DIRECTORY);
  int const opened = ::open(again.c_str(), kept | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  return opened < 0 ? -errno : opened;
}

// EROFS: it is not below a folder for writing.
int file_access::open_for_change(std::string const& path, int flags, unsigned mode) const {
  std::string whole;
  std::string name;
  bool const parent = resolve_parent(path, whole, name);
  folder const* holder = holder_of(write_folders_, parent ? whole : path);
  if (holder != nullptr) return open_beneath(*holder, parent ? whole : path, flags, mode);
  // A link may lead into one.
  host_file const found{resolve(path, flags & O_NOFOLLOW)};
  std::string const target = found.get() < 0 ? std::string{} : path_of(found.get());
  holder = holder_of(write_folders_, target);
  return found.get() < 0 || holder == nullptr ? -EROFS : open_beneath(*holder, target, flags, mode);
}

bool file_access::resolve_parent(std::string const& path, std::string& whole, std::string& name) {
  std::string const plain = without_slashes(path);
  std::size_t const slash = plain.find_last_of('/');
  name = plain.substr(slash + 1);
  if (name.empty() || name == "." || name == "..") return false;
  host_file const parent{resolve(slash == 0 ? "/" : plain.substr(0, slash), O_DIRECTORY)};
  if (parent.get() < 0) return false;
  std::string const folder = path_of(parent.get());
  whole = (folder == "/" ? "" : folder) + "/" + name;
  return true;
}

int file_access::parent_for_change(std::string const& shown, std::string& name) {
  std::string const path = on_host(shown);
  std::string whole;
  if (!resolve_parent(path, whole, name)) {
    if (name.empty() || name == "." || name == "..") return -EINVAL;
    return holder_of(write_folders_, path) == nullptr ? refuse_write(path) : -ENOENT;
  }
  folder const* const holder = holder_of(write_folders_, whole);
  if (holder == nullptr || whole == holder->path) return refuse_write(path);
  return open_beneath(*holder, whole.substr(0, whole.size() - name.size() - 1), O_PATH | O_DIRECTORY, 0);
}

bool file_access::may_write(int descriptor) const {
  return holder_of(write_folders_, path_of(descriptor)) != nullptr;
}

std::string file_access::refused(bool failed) const {
  std::string lines;
  if (!refused_write_.empty())
    lines += fmt::format("machine: the program wanted to write {}; files are read-only but for --allow-write DIR\n",
                         refused_write_);
  if (!refused_read_.empty() && failed)
    lines += fmt::format("machine: the program wanted to read {}, which was not given to it; give --allow-read DIR\n",
                         refused_read_);
  return lines;
}

int file_access::refuse_write(std::string const& path) {
  // That there is no terminal is no news; but objects of shm_open and sem_open are files of a folder there.
  bool const is_device = path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
  if (refused_write_.empty() && !is_device) refused_write_ = path;
  return -EROFS;
}

}  // namespace tess::machine
