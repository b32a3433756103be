// address: where another PE has what this PE has at a symmetric address.
//
// Threads   any.
// Errors    fail: no such PE, or bytes that are not all in the heap or in statics.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shmem/job.hpp"
#include "shmem/profile.hpp"
#include "shmem/shmem.hpp"

namespace tess::shmem {

[[noreturn, gnu::cold]] void fail_address(void const* address, std::size_t bytes, int pe);

/// Null: not symmetric, or no such PE.
inline std::byte* find_at(void const* address, std::size_t bytes, int pe) {
  if (static_cast<unsigned>(pe) >= static_cast<unsigned>(own.pes)) return nullptr;
  auto const at = static_cast<std::byte const*>(address);
  auto const in_heap = static_cast<std::size_t>(at - own.heap);
  if (in_heap < own.heap_bytes && bytes <= own.heap_bytes - in_heap)
    return slot_of(pe) + (std::size_t{1} << (own.slot_shift - 1)) + in_heap;
  auto const in_data = static_cast<std::size_t>(at - own.data);
  if (in_data < own.data_bytes && bytes <= own.data_bytes - in_data) return slot_of(pe) + own.data_in_slot + in_data;
  return nullptr;
}

template <class T>
T* at_pe(T const* address, std::size_t items, int pe) {
  std::byte* const found = find_at(address, items * sizeof(T), pe);
  if (found == nullptr || items > SIZE_MAX / sizeof(T)) [[unlikely]]
    fail_address(address, items * sizeof(T), pe);
  if (profiling) [[unlikely]]
    count_bytes(items * sizeof(T), pe);
  return reinterpret_cast<T*>(found);
}
inline std::byte* at_pe(void const* address, std::size_t bytes, int pe) {
  return at_pe(static_cast<std::byte const*>(address), bytes, pe);
}

/// An element of so many bytes, of whatever type.
template <std::size_t Bytes>
struct bytes_of {
  std::byte value[Bytes];
};

}  // namespace tess::shmem
