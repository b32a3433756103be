// file_calls: the descriptors of a program, and the system calls that take one or a path.
//
//   Descriptors 0, 1 and 2 are the simulator's own; all others come from file_access, or are texts about the program
//   (own_process). Descriptor numbers are the program's, the lowest free one first, and independent of the host's.
//   Those that dup made share an open file.
//
// Errors    values, or negative Linux error numbers. not_yet: the call must be tried again when have_changed().
// Cost      bytes are copied through a buffer of 64 KiB.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/linux/channels.hpp"
#include "machine/linux/file_access.hpp"
#include "machine/linux/file_locks.hpp"
#include "machine/linux/file_mappings.hpp"
#include "machine/linux/own_process.hpp"
#include "machine/linux/threads.hpp"

namespace tess::machine {

class file_calls {
 public:
  // `own` lives longer.
  file_calls(user_memory& memory, file_access access, own_process const& own, machine_host const& host);

  // All that is open there is open here instead.
  void take_over(file_calls&& from);

  std::int64_t getcwd(call_arguments const& a);
  std::int64_t dup(call_arguments const& a);
  std::int64_t dup3(call_arguments const& a);
  std::int64_t fcntl(call_arguments const& a);
  std::int64_t ioctl(call_arguments const& a);
  std::int64_t mkdirat(call_arguments const& a);
  std::int64_t unlinkat(call_arguments const& a);
  std::int64_t renameat2(call_arguments const& a);
  std::int64_t truncate(call_arguments const& a);
  std::int64_t ftruncate(call_arguments const& a);
  std::int64_t faccessat(call_arguments const& a);
  std::int64_t chdir(call_arguments const& a);
  std::int64_t openat(call_arguments const& a);
  std::int64_t close(call_arguments const& a);
  std::int64_t getdents64(call_arguments const& a);
  std::int64_t lseek(call_arguments const& a);
  std::int64_t read(call_arguments const& a);
  std::int64_t write(call_arguments const& a);
  std::int64_t readv(call_arguments const& a);
  std::int64_t writev(call_arguments const& a);
  std::int64_t preadv(call_arguments const& a);
  std::int64_t pwritev(call_arguments const& a);
  std::int64_t pread64(call_arguments const& a);
  std::int64_t pwrite64(call_arguments const& a);
  std::int64_t readlinkat(call_arguments const& a);
  std::int64_t newfstatat(call_arguments const& a);
  std::int64_t fstat(call_arguments const& a);
  std::int64_t fsync(call_arguments const& a);
  std::int64_t flock(call_arguments const& a);
  std::int64_t symlinkat(call_arguments const& a);
  std::int64_t linkat(call_arguments const& a);
  std::int64_t statfs(call_arguments const& a);
  std::int64_t fstatfs(call_arguments const& a);
  std::int64_t fallocate(call_arguments const& a);
  std::int64_t fchdir(call_arguments const& a);
  std::int64_t fchmod(call_arguments const& a);
  std::int64_t fchmodat(call_arguments const& a);
  std::int64_t utimensat(call_arguments const& a);
  std::int64_t sendfile(call_arguments const& a);
  // No descriptor is a socket.
  std::int64_t socket_call(call_arguments const& a) { return find(a[0]) == nullptr ? -EBADF : -ENOTSOCK; }

  [[nodiscard]] file_mappings& mappings() noexcept { return mappings_; }
  [[nodiscard]] file_mappings const& mappings() const noexcept { return mappings_; }
  // For an mmap with MAP_SHARED: 0, or an error number. Without a file: what is mapped may be copied.
  std::int64_t view_of(call_arguments const& a, file_mappings::view& made);

  // These wait until a time, which they set at the first try (0 before it).
  std::int64_t ppoll(call_arguments const& a, std::uint64_t& deadline_ns);
  std::int64_t pselect6(call_arguments const& a, std::uint64_t& deadline_ns);
  std::int64_t epoll_pwait(call_arguments const& a, std::uint64_t& deadline_ns);
  std::int64_t epoll_pwait2(call_arguments const& a, std::uint64_t& deadline_ns);
  std::int64_t epoll_create1(call_arguments const& a);
  std::int64_t epoll_ctl(call_arguments const& a);
  std::int64_t pipe2(call_arguments const& a);
  std::int64_t eventfd2(call_arguments const& a);
  std::int64_t timerfd_create(call_arguments const& a);
  std::int64_t timerfd_settime(call_arguments const& a);
  std::int64_t timerfd_gettime(call_arguments const& a);
  // When a timer changes what a call waits for; channel::never: none does.
  [[nodiscard]] std::uint64_t next_change_ns() const;

  // Since it was last asked: may a call that had to wait be done now?
  [[nodiscard]] bool have_changed() noexcept { return std::exchange(changed_, false); }
  [[nodiscard]] file_access const& access() const noexcept { return access_; }
  [[nodiscard]] file_access& access() noexcept { return access_; }
  // What is written from now on has been written already: nothing happens, but as if it had.
  void mute(bool is_muted) noexcept {
    muted_ = is_muted;
    mappings_.stop_writing(is_muted);
  }
  // From now on output goes nowhere, and no file of the host is moved in by it.
  void discard_output() noexcept {
    discards_ = true;
    mappings_.stop_writing(true);
  }
  // Each descriptor of the host that this object would close.
  void each_descriptor(descriptor_visitor const& visit);

 private:
  struct interest_list;
  // What descriptors refer to.
  struct open_file {
    int host = -1;
    std::string path;  // absolute; empty for the standard streams
    bool ours = true;  // closed by this object
    int flags = 0;
    std::uint64_t number = 0;  // an owner of locks
    bool is_folder = false;    // one of our own, with these entries
    std::vector<std::string> entries;
    std::size_t next_entry = 0;
    std::shared_ptr<channel> way;              // instead of a file of the host
    std::shared_ptr<interest_list> interests;  // of an epoll descriptor

    open_file(int host_, std::string path_, bool ours_, int flags_)
        : host(host_), path(std::move(path_)), ours(ours_), flags(flags_) {}
    open_file(open_file const&) = delete;
    open_file& operator=(open_file const&) = delete;
    ~open_file();
  };
  struct descriptor {
    std::shared_ptr<open_file> file;
    bool closes_on_exec = false;
  };

  [[nodiscard]] open_file* find(std::uint64_t number);
  std::int64_t add(std::shared_ptr<open_file> file, std::uint64_t lowest, bool closes_on_exec);
  std::int64_t add_copy(std::uint64_t number, std::uint64_t lowest, bool closes_on_exec);
  void release(std::shared_ptr<open_file> const& file);
  // Reads the path at this address and makes it absolute. 0, or an error number.
  std::int64_t path_at(std::uint64_t directory, std::uint64_t address, std::string& path);
  // The same, and follows the links of /proc/self: what file_access may know.
  std::int64_t real_path_at(std::uint64_t directory, std::uint64_t address, std::string& path, bool follow_last = true);
  // A name in a folder for writing, whether or not it is there.
  struct named_entry {
    host_file parent;
    std::string name;
  };
  // That of the path at this address. 0, or an error number.
  std::int64_t entry_at(std::uint64_t directory, std::uint64_t address, named_entry& entry);
  [[nodiscard]] std::string follow_own(std::string const& path, bool follow_last) const;
  // A descriptor that a name of /proc/self/fd, or a name like /dev/stdin, refers to.
  [[nodiscard]] std::optional<std::uint64_t> own_descriptor(std::string const& path) const;
  [[nodiscard]] std::string link_target(std::string const& path) const;
  std::shared_ptr<open_file> open_own(std::string const& path) const;
  [[nodiscard]] std::uint32_t ready(open_file const& file) const;
  std::int64_t add_way(std::shared_ptr<channel> way, int flags);
  std::int64_t wait_for_any(call_arguments const& a, bool by_spec, std::uint64_t& deadline_ns);
  std::optional<std::uint64_t> deadline_at(std::uint64_t address, std::int64_t& failed);
  std::int64_t lock(open_file& file, std::uint64_t command, std::uint64_t address);
  std::int64_t transfer_in(open_file& file, std::uint64_t address, std::uint64_t bytes, std::int64_t offset);
  std::int64_t transfer_out(open_file& file, std::uint64_t address, std::uint64_t bytes, std::int64_t offset);
  // write or, at an offset, pwrite.
  std::int64_t put_bytes(int host, std::span<std::byte const> bytes, std::int64_t offset) const;
  std::int64_t take(open_file& file, std::uint64_t address, std::uint64_t bytes);
  std::int64_t give(open_file& file, std::uint64_t address, std::uint64_t bytes);
  std::int64_t put_status(int host, std::uint64_t address);
  std::int64_t put_status(struct stat const& s, std::uint64_t address);
  std::int64_t put_system(std::uint64_t address);
  std::int64_t list(open_file& folder, std::uint64_t address, std::uint64_t bytes);
  template <class Transfer>
  std::int64_t each_part(call_arguments const& a, Transfer transfer);

  user_memory& memory_;
  file_access access_;
  file_mappings mappings_;
  own_process const& own_;
  machine_host const& host_;
  std::string directory_;  // the current one
  std::map<std::uint64_t, descriptor> files_;
  std::uint64_t opened_ = 0;
  file_locks records_;  // by fcntl
  file_locks wholes_;   // by flock
  bool changed_ = false;
  bool muted_ = false;
  bool discards_ = false;
  std::vector<std::byte> buffer_;
};

}  // namespace tess::machine
