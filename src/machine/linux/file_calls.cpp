// file_calls: descriptors: opening, copying and closing them, and moving bytes through them.
#include "machine/linux/file_calls.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "machine/linux/run_limit.hpp"

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

// Where a transfer begins; 0 for what has no places.
std::uint64_t position(int host, std::int64_t offset) {
  std::int64_t const at = offset == no_offset ? ::lseek(host, 0, SEEK_CUR) : offset;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(at, 0));
}

}  // namespace

file_calls::open_file::~open_file() {
  if (ours && host >= 0) ::close(host);
}

file_calls::file_calls(user_memory& memory, file_access access, own_process const& own, machine_host const& host)
    : memory_(memory),
      access_(std::move(access)),
      mappings_(memory),
      own_(own),
      host_(host),
      directory_(std::filesystem::current_path().string()),
      buffer_(buffer_bytes) {
  for (int stream = 0; stream <= 2; ++stream) {
    int const flags = stream == 0 ? O_RDONLY : O_WRONLY;
    add(std::make_shared<open_file>(stream, "", false, flags), static_cast<std::uint64_t>(stream), false);
  }
}

void file_calls::take_over(file_calls&& from) {
  access_ = std::move(from.access_);
  mappings_.take_over(std::move(from.mappings_));
  directory_ = std::move(from.directory_);
  files_ = std::move(from.files_);
  opened_ = from.opened_;
  records_ = std::move(from.records_);
  wholes_ = std::move(from.wholes_);
  changed_ = from.changed_;
}

void file_calls::each_descriptor(descriptor_visitor const& visit) {
  access_.each_descriptor(visit);
  mappings_.each_descriptor(visit);
  std::set<open_file const*> visited;
  for (auto& [number, of] : files_) {
    if (of.file->ours && of.file->host >= 0 && visited.insert(of.file.get()).second) visit(of.file->host);
  }
}

file_calls::open_file* file_calls::find(std::uint64_t number) {
  auto const found = files_.find(number & 0xffffffffU);
  return found == files_.end() ? nullptr : found->second.file.get();
}

std::int64_t file_calls::add(std::shared_ptr<open_file> file, std::uint64_t lowest, bool closes_on_exec) {
  while (files_.contains(lowest)) ++lowest;
  if (lowest >= descriptors_max) return -EMFILE;
  if (file->number == 0) file->number = ++opened_;
  files_[lowest] = {std::move(file), closes_on_exec};
  return static_cast<std::int64_t>(lowest);
}

std::int64_t file_calls::add_copy(std::uint64_t number, std::uint64_t lowest, bool closes_on_exec) {
  auto const found = files_.find(number & 0xffffffffU);
  return found == files_.end() ? -EBADF : add(found->second.file, lowest, closes_on_exec);
}

std::int64_t file_calls::openat(call_arguments const& a) {
  std::string path;
  if (auto const wrong = path_at(a[0], a[1], path); wrong != 0) return wrong;
  int const flags = static_cast<int>(a[2]);
  bool const closes = (flags & O_CLOEXEC) != 0;
  if (auto const number = own_descriptor(path); number && find(*number) != nullptr && find(*number)->path.empty())
    return add_copy(*number, 0, closes);
  if (auto file = open_own(path)) {
    if ((flags & O_ACCMODE) != O_RDONLY) return -EACCES;
    if (file->host < 0 && !file->is_folder) return -ENFILE;
    return add(std::move(file), 0, closes);
  }
  path = follow_own(path, (flags & O_NOFOLLOW) == 0);
  int const host = access_.open(path, flags, static_cast<unsigned>(a[3]));
  if (host < 0) return host;
  if ((flags & O_TRUNC) != 0) mappings_.after_writing(host);
  constexpr int at_begin = O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC | O_NOCTTY;
  return add(std::make_shared<open_file>(host, path, true, flags & ~at_begin), 0, closes);
}

// A file that has no descriptor left loses its locks, and closing any descriptor of a file those of the process.
void file_calls::release(std::shared_ptr<open_file> const& file) {
  struct stat about{};
  if (file->ours && ::fstat(file->host, &about) == 0) records_.clear({about.st_dev, about.st_ino}, file_locks::process);
  changed_ = true;
  if (file.use_count() > 1) return;
  records_.forget(file->number);
  wholes_.forget(file->number);
}

std::int64_t file_calls::close(call_arguments const& a) {
  auto const found = files_.find(a[0] & 0xffffffffU);
  if (found == files_.end()) return -EBADF;
  auto const file = std::move(found->second.file);
  files_.erase(found);
  release(file);
  return 0;
}

std::int64_t file_calls::dup(call_arguments const& a) {
  return add_copy(a[0], 0, false);
}

std::int64_t file_calls::dup3(call_arguments const& a) {
  std::uint64_t const wanted = a[1] & 0xffffffffU;
  if (find(a[0]) == nullptr || wanted >= descriptors_max) return -EBADF;
  if ((a[0] & 0xffffffffU) == wanted) return -EINVAL;
  if (find(wanted) != nullptr) close({wanted});
  return add_copy(a[0], wanted, (a[2] & O_CLOEXEC) != 0);
}

std::int64_t file_calls::fcntl(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  descriptor& of = files_[a[0] & 0xffffffffU];
  switch (a[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      return a[2] >= descriptors_max ? -EINVAL : add_copy(a[0], a[2], a[1] == F_DUPFD_CLOEXEC);
    case F_GETFD:
      return of.closes_on_exec ? FD_CLOEXEC : 0;
    case F_SETFD:
      of.closes_on_exec = (a[2] & FD_CLOEXEC) != 0;
      return 0;
    case F_GETFL:
      return file->flags;
    case F_SETFL: {
      constexpr int changeable = O_APPEND | O_NONBLOCK;
      file->flags = (file->flags & ~changeable) | (static_cast<int>(a[2]) & changeable);
      if (!file->ours || file->host < 0) return 0;
      return or_error(::fcntl(file->host, F_SETFL, (file->flags & O_APPEND) | O_NONBLOCK));
    }
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_GETLK:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
      return lock(*file, a[1], a[2]);
    default:
      return -EINVAL;
  }
}

namespace {

// struct flock of asm-generic.
struct user_lock {
  std::int16_t type, whence;
  std::int32_t unused1;
  std::int64_t start, length;
  std::int32_t process, unused2;
};
static_assert(sizeof(user_lock) == 32);

// The bytes that are meant; false: there are none.
bool find_range(user_lock const& asked, int host, file_locks::lock& into) {
  struct stat about{};
  if (::fstat(host, &about) != 0) return false;
  into.of = {about.st_dev, about.st_ino};
  std::int64_t base = 0;
  if (asked.whence == SEEK_CUR) base = ::lseek(host, 0, SEEK_CUR);
  if (asked.whence == SEEK_END) base = about.st_size;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  if (asked.whence < SEEK_SET || asked.whence > SEEK_END || base < 0) return false;
  if (__builtin_add_overflow(base, asked.start, &begin) || __builtin_add_overflow(begin, asked.length, &end))
    return false;
  if (asked.length < 0) std::swap(begin, end);
  if (begin < 0) return false;
  into.begin = static_cast<std::uint64_t>(begin);
  into.end = asked.length == 0 ? file_locks::to_the_end : static_cast<std::uint64_t>(end);
  return true;
}

}  // namespace

std::int64_t file_calls::lock(open_file& file, std::uint64_t command, std::uint64_t address) {
  user_lock asked{};
  if (!memory_.get(address, asked)) return -EFAULT;
  bool const of_file = command == F_OFD_GETLK || command == F_OFD_SETLK || command == F_OFD_SETLKW;
  bool const known = asked.type == F_RDLCK || asked.type == F_WRLCK || asked.type == F_UNLCK;
  file_locks::lock wanted{
      .of = {}, .owner = of_file ? file.number : file_locks::process, .exclusive = asked.type == F_WRLCK};
  if (!known || (of_file && asked.process != 0) || !find_range(asked, file.host, wanted)) return -EINVAL;
  if (command == F_GETLK || command == F_OFD_GETLK) {
    if (asked.type == F_UNLCK) return -EINVAL;
    auto const other = records_.obstacle(wanted);
    asked.type = F_UNLCK;
    if (other) {
      asked = {
          .type = static_cast<std::int16_t>(other->exclusive ? F_WRLCK : F_RDLCK),
          .whence = SEEK_SET,
          .unused1 = 0,
          .start = static_cast<std::int64_t>(other->begin),
          .length = other->end == file_locks::to_the_end ? 0 : static_cast<std::int64_t>(other->end - other->begin),
          .process = other->owner == file_locks::process ? static_cast<std::int32_t>(threads::main_id) : -1,
          .unused2 = 0};
    }
    return memory_.put(address, asked) ? 0 : -EFAULT;
  }
  if (asked.type == F_UNLCK) {
    records_.clear(wanted.of, wanted.owner, wanted.begin, wanted.end);
    changed_ = true;
    return 0;
  }
  int const way = file.flags & O_ACCMODE;
  if ((way == O_RDONLY && wanted.exclusive) || (way == O_WRONLY && !wanted.exclusive)) return -EBADF;
  std::int64_t const result = records_.set(wanted);
  return result == -EAGAIN && (command == F_SETLKW || command == F_OFD_SETLKW) ? not_yet : result;
}

std::int64_t file_calls::flock(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  std::uint64_t const what = a[1] & ~std::uint64_t{LOCK_NB};
  struct stat about{};
  if (::fstat(file->host, &about) != 0) return -errno;
  file_locks::lock const wanted{
      .of = {about.st_dev, about.st_ino}, .owner = file->number, .exclusive = what == LOCK_EX};
  if (what == LOCK_UN) {
    wholes_.forget(file->number);
    changed_ = true;
    return 0;
  }
  if (what != LOCK_EX && what != LOCK_SH) return -EINVAL;
  std::int64_t const result = wholes_.set(wanted);
  if (result == 0) changed_ = true;  // it may share now what it had for itself
  return result == -EAGAIN && (a[1] & LOCK_NB) == 0 ? not_yet : result;
}

// Only the queries whether a stream is a terminal, and its size: output is then buffered by lines.
std::int64_t file_calls::ioctl(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  constexpr std::size_t termios_bytes = 36;  // of the kernel's struct, the same on both sides
  std::size_t const bytes = a[1] == TCGETS ? termios_bytes : a[1] == TIOCGWINSZ ? sizeof(winsize) : 0;
  if (bytes == 0 || file->host < 0) return -ENOTTY;
  std::array<std::byte, 64> answer{};
  if (::ioctl(file->host, a[1], answer.data()) != 0) return -errno;
  return memory_.write(a[2], std::span{answer}.first(bytes)) ? 0 : -EFAULT;
}

std::int64_t file_calls::lseek(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  if (a[2] > SEEK_HOLE) return -EINVAL;
  if (file->way != nullptr || file->interests != nullptr) return -ESPIPE;
  if (file->is_folder) return a[1] == 0 && a[2] == SEEK_SET ? static_cast<std::int64_t>(file->next_entry = 0) : -EINVAL;
  return or_error(::lseek(file->host, static_cast<off_t>(a[1]), static_cast<int>(a[2])));
}

std::int64_t file_calls::ftruncate(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  if (!file->ours) return -EINVAL;
  mappings_.before_reading(file->host);
  std::int64_t const result = or_error(::ftruncate(file->host, static_cast<off_t>(a[1])));
  mappings_.after_writing(file->host);
  return result;
}

std::int64_t file_calls::fallocate(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  if (!file->ours) return -ESPIPE;
  constexpr std::uint64_t bytes_max = std::uint64_t{1} << 34U;  // of the host's disk, at a time
  if (a[3] > bytes_max) return -EFBIG;
  mappings_.before_reading(file->host);
  std::int64_t const result =
      or_error(::fallocate(file->host, static_cast<int>(a[1]), static_cast<off_t>(a[2]), static_cast<off_t>(a[3])));
  mappings_.after_writing(file->host);
  return result;
}

std::int64_t file_calls::view_of(call_arguments const& a, file_mappings::view& made) {
  open_file* const file = find(a[4]);
  if (file == nullptr) return -EBADF;
  int const way = file->flags & O_ACCMODE;
  bool const writes = (a[2] & PROT_WRITE) != 0;
  struct stat about{};
  if (way == O_WRONLY || (writes && way != O_RDWR)) return -EACCES;
  bool const is_file = file->host >= 0 && ::fstat(file->host, &about) == 0 && S_ISREG(about.st_mode);
  if (!is_file) return writes ? -ENODEV : 0;
  if (a[5] % user_page_bytes != 0) return -EINVAL;
  // Not a copy of the descriptor: that would append, if it does.
  std::string const name = "/proc/self/fd/" + std::to_string(file->host);
  made.file = std::make_shared<host_file>(::open(name.c_str(), way | O_CLOEXEC));
  if (made.file->get() < 0) return -errno;
  made.offset = a[5];
  made.of = {about.st_dev, about.st_ino};
  made.may_write = way == O_RDWR;
  made.writes = writes;
  return 0;
}

std::int64_t file_calls::fchmod(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  if (!file->ours || !access_.may_write(file->host)) return -EROFS;
  return or_error(::fchmod(file->host, static_cast<mode_t>(a[1] & 0777U)));
}

std::int64_t file_calls::fsync(call_arguments const& a) {
  return find(a[0]) == nullptr ? -EBADF : 0;
}

// From a way that is no file of the host: at most a buffer at a time.
std::int64_t file_calls::take(open_file& file, std::uint64_t address, std::uint64_t bytes) {
  auto const part = std::span{buffer_}.first(std::min<std::uint64_t>(bytes, buffer_.size()));
  std::int64_t const got = file.way->read(part, host_.now_ns());
  if (got == -EAGAIN && (file.flags & O_NONBLOCK) == 0) return not_yet;
  if (got <= 0) return got;
  changed_ = true;
  return memory_.write(address, part.first(static_cast<std::size_t>(got))) ? got : -EFAULT;
}

std::int64_t file_calls::give(open_file& file, std::uint64_t address, std::uint64_t bytes) {
  auto const part = std::span{buffer_}.first(std::min<std::uint64_t>(bytes, buffer_.size()));
  if (!memory_.read(address, part)) return -EFAULT;
  std::int64_t const put = file.way->write(part);
  if (put == -EAGAIN && (file.flags & O_NONBLOCK) == 0) return not_yet;
  if (put > 0) changed_ = true;
  return put;
}

std::int64_t file_calls::transfer_in(open_file& file, std::uint64_t address, std::uint64_t bytes, std::int64_t offset) {
  if (file.way != nullptr) return offset == no_offset ? take(file, address, bytes) : -ESPIPE;
  if (file.interests != nullptr) return -EINVAL;
  int const host = file.host;
  std::uint64_t done = 0;
  bytes = std::min(bytes, transfer_bytes_max);
  if (!mappings_.empty()) {
    std::uint64_t const begin = position(host, offset);
    mappings_.before_reading(host, begin, begin + bytes);
  }
  while (done < bytes || bytes == 0) {
    std::size_t const part = std::min<std::uint64_t>(bytes - done, buffer_.size());
    auto const at = static_cast<off_t>(offset) + static_cast<off_t>(done);
    ssize_t const got =
        offset == no_offset ? ::read(host, buffer_.data(), part) : ::pread(host, buffer_.data(), part, at);
    if (got < 0 && errno == EINTR && caught_signal() == 0) continue;
    if (got < 0) return done != 0 ? static_cast<std::int64_t>(done) : -errno;
    auto const bytes_got = static_cast<std::size_t>(got);
    if (!memory_.write(address + done, std::span{buffer_}.first(bytes_got))) return -EFAULT;
    done += bytes_got;
    if (bytes_got < part || part == 0) break;
    if (offset == no_offset && host == STDIN_FILENO) break;  // more input may not come soon
  }
  return static_cast<std::int64_t>(done);
}

std::int64_t file_calls::put_bytes(int host, std::span<std::byte const> bytes, std::int64_t offset) const {
  if (discards_) return static_cast<std::int64_t>(bytes.size());
  if (muted_) {
    if (offset == no_offset) (void)::lseek(host, static_cast<off_t>(bytes.size()), SEEK_CUR);
    return static_cast<std::int64_t>(bytes.size());
  }
  return offset == no_offset ? ::write(host, bytes.data(), bytes.size())
                             : ::pwrite(host, bytes.data(), bytes.size(), static_cast<off_t>(offset));
}

std::int64_t file_calls::transfer_out(open_file& file, std::uint64_t address, std::uint64_t bytes,
                                      std::int64_t offset) {
  if (file.way != nullptr) return offset == no_offset ? give(file, address, bytes) : -ESPIPE;
  if (file.interests != nullptr) return -EINVAL;
  int const host = file.host;
  std::uint64_t done = 0;
  bytes = std::min(bytes, transfer_bytes_max);
  while (done < bytes) {
    std::size_t const part = std::min<std::uint64_t>(bytes - done, buffer_.size());
    if (!memory_.read(address + done, std::span{buffer_}.first(part)))
      return done != 0 ? static_cast<std::int64_t>(done) : -EFAULT;
    auto const at = static_cast<off_t>(offset) + static_cast<off_t>(done);
    std::int64_t const put = put_bytes(host, std::span{buffer_}.first(part), offset == no_offset ? no_offset : at);
    if (put < 0 && errno == EINTR && caught_signal() == 0) continue;
    if (put < 0) return done != 0 ? static_cast<std::int64_t>(done) : -errno;
    done += static_cast<std::uint64_t>(put);
  }
  if (!mappings_.empty() && done != 0) {
    std::uint64_t const end = position(host, offset) + (offset == no_offset ? 0 : done);
    mappings_.after_writing(host, end - done, end);
  }
  return static_cast<std::int64_t>(done);
}

std::int64_t file_calls::sendfile(call_arguments const& a) {
  open_file* const to = find(a[0]);
  open_file* const from = find(a[1]);
  if (to == nullptr || from == nullptr) return -EBADF;
  std::int64_t offset = no_offset;
  if (a[2] != 0 && !memory_.get(a[2], offset)) return -EFAULT;
  if (from->host < 0 || to->host < 0 || (a[2] != 0 && offset < 0)) return -EINVAL;
  std::span const part = std::span{buffer_}.first(std::min<std::uint64_t>(a[3], buffer_.size()));
  mappings_.before_reading(from->host);
  ssize_t const got = offset == no_offset ? ::read(from->host, part.data(), part.size())
                                          : ::pread(from->host, part.data(), part.size(), offset);
  if (got < 0) return -errno;
  std::int64_t const put = put_bytes(to->host, part.first(static_cast<std::size_t>(got)), no_offset);
  if (put < 0) return -errno;
  mappings_.after_writing(to->host);
  if (offset == no_offset) {
    if (put < got) ::lseek(from->host, put - got, SEEK_CUR);
    return put;
  }
  return memory_.put(a[2], offset + put) ? put : -EFAULT;
}

std::int64_t file_calls::read(call_arguments const& a) {
  open_file* const file = find(a[0]);
  return file == nullptr ? -EBADF : transfer_in(*file, a[1], a[2], no_offset);
}
std::int64_t file_calls::write(call_arguments const& a) {
  open_file* const file = find(a[0]);
  return file == nullptr ? -EBADF : transfer_out(*file, a[1], a[2], no_offset);
}
std::int64_t file_calls::pread64(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  return static_cast<std::int64_t>(a[3]) < 0 ? -EINVAL
                                             : transfer_in(*file, a[1], a[2], static_cast<std::int64_t>(a[3]));
}
std::int64_t file_calls::pwrite64(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  return static_cast<std::int64_t>(a[3]) < 0 ? -EINVAL
                                             : transfer_out(*file, a[1], a[2], static_cast<std::int64_t>(a[3]));
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
    std::int64_t const moved = transfer(*file, part);
    if (moved < 0) return done != 0 ? done : moved;
    done += moved;
    if (static_cast<std::uint64_t>(moved) < part.bytes) break;
  }
  return done;
}

std::int64_t file_calls::readv(call_arguments const& a) {
  return each_part(a, [&](open_file& file, user_part p) { return transfer_in(file, p.address, p.bytes, no_offset); });
}
std::int64_t file_calls::writev(call_arguments const& a) {
  return each_part(a, [&](open_file& file, user_part p) { return transfer_out(file, p.address, p.bytes, no_offset); });
}
// Each part is where the one before it ends.
std::int64_t file_calls::preadv(call_arguments const& a) {
  auto at = static_cast<std::int64_t>(a[3]);
  if (at < 0) return find(a[0]) == nullptr ? -EBADF : -EINVAL;
  return each_part(a, [&](open_file& file, user_part p) {
    std::int64_t const moved = transfer_in(file, p.address, p.bytes, at);
    at += std::max<std::int64_t>(moved, 0);
    return moved;
  });
}
std::int64_t file_calls::pwritev(call_arguments const& a) {
  auto at = static_cast<std::int64_t>(a[3]);
  if (at < 0) return find(a[0]) == nullptr ? -EBADF : -EINVAL;
  return each_part(a, [&](open_file& file, user_part p) {
    std::int64_t const moved = transfer_out(file, p.address, p.bytes, at);
    at += std::max<std::int64_t>(moved, 0);
    return moved;
  });
}

}  // namespace tess::machine
