// process_pool: memory of coroutine frames from free lists by size, so that a process costs no malloc after the first.
//
// Threads   one pool per thread; a frame freed by another thread joins that thread's pool.
// Cost      two instructions for a listed size; frames above 1 KiB go to operator new.
#pragma once

#include <array>
#include <cstddef>

namespace tess::machine {

class process_pool {
 public:
  static constexpr std::size_t step_bytes = 64;
  static constexpr std::size_t largest_bytes = 1024;

  process_pool() = default;
  process_pool(process_pool const&) = delete;
  process_pool& operator=(process_pool const&) = delete;
  ~process_pool();

  [[nodiscard]] void* take(std::size_t bytes);
  void give(void* frame, std::size_t bytes) noexcept;

  /// Free frames, for tests.
  [[nodiscard]] std::size_t spare() const noexcept;

  [[nodiscard]] static process_pool& of_thread() noexcept;

 private:
  struct free_frame {
    free_frame* next;
  };
  static constexpr std::size_t index(std::size_t bytes) noexcept { return (bytes + step_bytes - 1) / step_bytes; }

  std::array<free_frame*, largest_bytes / step_bytes + 1> lists_{};
};

/// A promise inherits this to allocate its frames from the pool.
struct pooled_process {
  static void* operator new(std::size_t bytes) { return process_pool::of_thread().take(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { process_pool::of_thread().give(frame, bytes); }
};

}  // namespace tess::machine
