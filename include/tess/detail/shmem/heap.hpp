// heap: the symmetric heap of a PE: first fit, so that equal calls return equal addresses everywhere.
//
//   Each object has a header before it: its size, including the header, and in bit 0 whether it is in use. The first
//   is at the start of the heap, each other one where the object before it ends. Adjacent free objects are merged
//   when an allocation looks for room.
//
// Threads   one.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__riscv)
#include <tess/machine/shmem/tile.hpp>
#else
#include <tess/detail/shmem/host.hpp>
#endif

namespace tess::detail::shmem {

inline heap_header* heap_at(std::size_t offset) {
  return reinterpret_cast<heap_header*>(own.heap + offset);
}

inline void* allocate(std::size_t bytes) {
  if (bytes == 0 || bytes > own.heap_bytes) return nullptr;
  std::size_t const wanted = (bytes + sizeof(heap_header) + heap_alignment - 1) / heap_alignment * heap_alignment;
  for (std::size_t at = 0; at < own.heap_bytes; at += heap_at(at)->bytes & ~heap_in_use) {
    std::size_t& size = heap_at(at)->bytes;
    if ((size & heap_in_use) != 0) continue;
    while (at + size < own.heap_bytes && (heap_at(at + size)->bytes & heap_in_use) == 0)
      size += heap_at(at + size)->bytes;
    if (size < wanted) continue;
    if (size > wanted) heap_at(at + wanted)->bytes = size - wanted;
    size = wanted | heap_in_use;
    return own.heap + at + sizeof(heap_header);
  }
  return nullptr;
}

inline void release(void* object) {
  if (object == nullptr) return;
  auto const begin = static_cast<std::byte*>(object) - sizeof(heap_header);
  for (std::size_t at = 0; at < own.heap_bytes; at += heap_at(at)->bytes & ~heap_in_use) {
    std::size_t& size = heap_at(at)->bytes;
    if (own.heap + at != begin || (size & heap_in_use) == 0) continue;
    size &= ~heap_in_use;
    return;
  }
  fail("shmem_free", "of what is no object", "an address that shmem_malloc gave and that was not freed yet");
}

}  // namespace tess::detail::shmem
