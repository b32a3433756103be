// frame_pool: memory of coroutine frames, from free lists by size, so that a process costs no malloc after the first.
//
// Threads   one pool per thread; a frame freed by another thread joins that thread's pool.
// Cost      two instructions off a list; frames above 1 KiB go to operator new.
#pragma once

#include <array>
#include <cstddef>

namespace tess::machine {

class frame_pool {
 public:
  static constexpr std::size_t step_bytes = 64;
  static constexpr std::size_t largest_bytes = 1024;

  frame_pool() = default;
  frame_pool(frame_pool const&) = delete;
  frame_pool& operator=(frame_pool const&) = delete;
  ~frame_pool();

  [[nodiscard]] void* take(std::size_t bytes);
  void give(void* frame, std::size_t bytes) noexcept;

  /// Frames in the lists, for tests.
  [[nodiscard]] std::size_t spare() const noexcept;

  [[nodiscard]] static frame_pool& of_thread() noexcept;

 private:
  struct free_frame {
    free_frame* next;
  };
  static constexpr std::size_t index(std::size_t bytes) noexcept { return (bytes + step_bytes - 1) / step_bytes; }

  std::array<free_frame*, largest_bytes / step_bytes + 1> lists_{};
};

/// What a promise inherits to have its frames from the pool.
struct pooled_frame {
  static void* operator new(std::size_t bytes) { return frame_pool::of_thread().take(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { frame_pool::of_thread().give(frame, bytes); }
};

}  // namespace tess::machine
