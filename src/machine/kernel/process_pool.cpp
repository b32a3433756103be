// process_pool: one free list per multiple of 64 bytes; the frame freed last is reused first, while it is in the cache.
#include "machine/kernel/process_pool.hpp"

#include <new>

namespace tess::machine {

process_pool& process_pool::of_thread() noexcept {
  static thread_local process_pool pool;
  return pool;
}

process_pool::~process_pool() {
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    while (lists_[i] != nullptr) {
      free_frame* const next = lists_[i]->next;
      ::operator delete(lists_[i], i * step_bytes);
      lists_[i] = next;
    }
  }
}

void* process_pool::take(std::size_t bytes) {
  if (bytes > largest_bytes) return ::operator new(bytes);
  free_frame*& list = lists_[index(bytes)];
  if (list == nullptr) return ::operator new(index(bytes) * step_bytes);
  free_frame* const taken = list;
  list = taken->next;
  return taken;
}

void process_pool::give(void* frame, std::size_t bytes) noexcept {
  if (bytes > largest_bytes) return ::operator delete(frame, bytes);
  free_frame*& list = lists_[index(bytes)];
  list = ::new (frame) free_frame{list};
}

std::size_t process_pool::spare() const noexcept {
  std::size_t count = 0;
  for (free_frame const* list : lists_) {
    for (; list != nullptr; list = list->next) ++count;
  }
  return count;
}

}  // namespace tess::machine
