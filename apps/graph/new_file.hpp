// new_file: a file that gets its name when all of it is on the disk; if anything fails before, the old one stays.
//
//   A link stays, and what it names is replaced. A name of a device, a pipe or a folder is an error.
//
// Errors    std::runtime_error with the file's name and the system's reason: the disk is full, or the folder cannot be
//           written. The destructor removes what was not finished; only a process that is killed leaves it, as
//           NAME.PID.partial.
// Threads   write_at: any threads at the same time; the rest: one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graph {

class new_file {
 public:
  explicit new_file(std::string const& path);
  new_file(new_file const&) = delete;
  new_file& operator=(new_file const&) = delete;
  ~new_file();

  void write_at(std::uint64_t offset, std::string_view bytes);
  // Zeros, where nothing was written up to there.
  void set_size(std::uint64_t bytes);
  // Behind what append() has written.
  void append(std::string_view bytes);
  [[nodiscard]] std::uint64_t appended() const noexcept { return end_; }
  // Waits for the disk, and gives the file its name.
  void finish();

 private:
  [[noreturn]] void fail(int problem) const;

  std::string path_;
  std::string partial_;
  int descriptor_;
  std::uint64_t end_ = 0;
};

}  // namespace graph
