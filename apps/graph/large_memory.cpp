// large_memory: what is smaller than a huge page comes from operator new, as everything does without huge pages.
#include "graph/large_memory.hpp"

#if GRAPH_HAS_THREADS && __has_include(<sys/mman.h>)
#include <sys/mman.h>
#define GRAPH_HAS_HUGE_PAGES 1
#endif

namespace graph {

#if GRAPH_HAS_HUGE_PAGES

namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;
// Below this, the pages of an array would cost more memory than they save time.
constexpr std::size_t large_bytes_min = 4 * huge_page_bytes;

}  // namespace

void* take_large_memory(std::size_t bytes) {
  if (bytes < large_bytes_min) return ::operator new(bytes);
  std::align_val_t const aligned{huge_page_bytes};
  void* const memory = ::operator new(bytes, aligned);
  // Pages that lie wholly within, so that what follows in the heap keeps its size.
  static_cast<void>(::madvise(memory, bytes / huge_page_bytes * huge_page_bytes, MADV_HUGEPAGE));
  return memory;
}

void give_large_memory(void* memory, std::size_t bytes) noexcept {
  if (bytes < large_bytes_min)
    ::operator delete(memory);
  else
    ::operator delete(memory, std::align_val_t{huge_page_bytes});
}

#else

void* take_large_memory(std::size_t bytes) {
  return ::operator new(bytes);
}

void give_large_memory(void* memory, std::size_t) noexcept {
  ::operator delete(memory);
}

#endif

}  // namespace graph
