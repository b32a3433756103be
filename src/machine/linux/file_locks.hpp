// file_locks: which parts of files a program has locked: by fcntl, for itself or for an open file, and by flock.
//
//   Record locks of a process never stand in its own way, so with one process only those of open files do
//   (F_OFD_SETLK and flock). Other programs, and copies of the program on other tiles, do not see them.
//
// Errors    negative Linux error numbers: EAGAIN for a lock that another owner has.
// Cost      linear in the number of locks, of which there are at most 4096.
// Threads   none.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tess::machine {

class file_locks {
 public:
  static constexpr std::uint64_t process = 0;  // an owner; open files have other numbers
  static constexpr std::uint64_t to_the_end = ~std::uint64_t{0};
  using file = std::pair<std::uint64_t, std::uint64_t>;  // device and inode

  struct lock {
    file of;
    std::uint64_t owner = process;
    std::uint64_t begin = 0;
    std::uint64_t end = to_the_end;  // behind the last byte
    bool exclusive = false;
  };

  // One that another owner has, in the way of this one.
  [[nodiscard]] std::optional<lock> obstacle(lock const& wanted) const;
  // Replaces what the owner has of these bytes. 0, EAGAIN or ENOLCK.
  std::int64_t set(lock const& wanted);
  void clear(file of, std::uint64_t owner, std::uint64_t begin = 0, std::uint64_t end = to_the_end);
  // All of an open file.
  void forget(std::uint64_t owner);

 private:
  std::vector<lock> locks_;
};

}  // namespace tess::machine
