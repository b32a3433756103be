// code_memory: memory of the host for instructions made at run time: never writable and executable at once.
//
//   Space is given out in order, and taken back all at once. What is added is copied behind what is there, whose pages
//   are not executable meanwhile: nothing of it may be running.
//
// Errors    none: where the host refuses executable memory, add() returns null.
// Cost      add(): two system calls. Only touched pages are allocated. A copy of the process has a copy of it.
// Threads   none.
#pragma once

#include <cstddef>
#include <span>

namespace tess::machine {

class code_memory {
 public:
  explicit code_memory(std::size_t bytes);
  code_memory(code_memory const&) = delete;
  code_memory& operator=(code_memory const&) = delete;
  ~code_memory();

  // Where the next code will be.
  [[nodiscard]] std::byte const* next() const noexcept { return base_ + used_; }
  [[nodiscard]] std::size_t left() const noexcept { return size_ - used_; }
  // Null: there is no room, or the host refuses.
  std::byte const* add(std::span<std::byte const> code);
  void clear() noexcept { used_ = first_; }
  // From now on all that is there stays, in spite of clear().
  void keep() noexcept { first_ = used_; }

 private:
  std::size_t size_;
  std::byte* base_;
  std::size_t used_ = 0;
  std::size_t first_ = 0;
};

}  // namespace tess::machine
