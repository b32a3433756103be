// new: operator new and delete of the simulator: in the heap while that is active, and by malloc otherwise.
#include <cstdlib>
#include <new>

#include "machine/kernel/fixed_heap.hpp"

// fixed_heap::available, in the preprocessor's words.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

using tess::machine::fixed_heap;

namespace {

void* take(std::size_t bytes) noexcept {
  return fixed_heap::active() ? fixed_heap::take(bytes) : std::malloc(bytes == 0 ? 1 : bytes);  // NOLINT
}

void* take(std::size_t bytes, std::align_val_t alignment) noexcept {
  auto const wanted = static_cast<std::size_t>(alignment);
  if (fixed_heap::active()) return fixed_heap::take(bytes, wanted);
  return std::aligned_alloc(wanted, (bytes + wanted - 1) / wanted * wanted);
}

void give(void* block) noexcept {
  if (fixed_heap::holds(block)) return fixed_heap::give(block);
  std::free(block);  // NOLINT
}

void* or_throw(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

// The library's other forms call these.
void* operator new(std::size_t bytes) {
  return or_throw(take(bytes));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return or_throw(take(bytes, alignment));
}
void operator delete(void* block) noexcept {
  give(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  give(block);
}
void operator delete(void* block, std::size_t) noexcept {
  give(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  give(block);
}

#endif
