// file_calls: the descriptors of a program, and the system calls that take one or a path.
//
//   Descriptors 0, 1 and 2 are the simulator's own; all others come from file_access. Descriptor numbers are the
//   program's, the lowest free one first, and independent of the host's.
//
// Errors    values, or negative Linux error numbers.
// Cost      bytes are copied through a buffer of 64 KiB.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "machine/linux/file_access.hpp"
#include "machine/linux/threads.hpp"

namespace tess::machine {

class file_calls {
 public:
  // `program`: the target of /proc/self/exe.
  file_calls(user_memory& memory, file_access access, std::string program);

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
  std::int64_t pread64(call_arguments const& a);
  std::int64_t pwrite64(call_arguments const& a);
  std::int64_t readlinkat(call_arguments const& a);
  std::int64_t newfstatat(call_arguments const& a);
  std::int64_t fstat(call_arguments const& a);
  std::int64_t fsync(call_arguments const& a);

  [[nodiscard]] file_access const& access() const noexcept { return access_; }

 private:
  struct open_file {
    int host = -1;
    std::string path;  // absolute; empty for the standard streams
    bool ours = true;  // closed by this object
    int flags = 0;
  };

  [[nodiscard]] open_file* find(std::uint64_t descriptor);
  std::int64_t add(open_file file, std::uint64_t lowest);
  // Reads the path at this address and makes it absolute. 0, or an error number.
  std::int64_t path_at(std::uint64_t directory, std::uint64_t address, std::string& path);
  std::int64_t transfer_in(int host, std::uint64_t address, std::uint64_t bytes, std::int64_t offset);
  std::int64_t transfer_out(int host, std::uint64_t address, std::uint64_t bytes, std::int64_t offset);
  std::int64_t put_status(int host, std::uint64_t address);
  template <class Transfer>
  std::int64_t each_part(call_arguments const& a, Transfer transfer);

  user_memory& memory_;
  file_access access_;
  std::string program_;
  std::string directory_;  // the current one
  std::map<std::uint64_t, open_file> files_;
  std::vector<std::byte> buffer_;
};

}  // namespace tess::machine
