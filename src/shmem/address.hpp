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

[[noreturn, gnu::cold]] void fail_pe(int pe);
[[noreturn, gnu::cold]] void fail_address(void const* address, std::size_t bytes, int pe);

/// Null: not symmetric, no such PE, or no window to it.
inline std::byte* find_at(void const* address, std::size_t bytes, int pe) {
  if (static_cast<unsigned>(pe) >= static_cast<unsigned>(own.pes)) return nullptr;
  auto const at = static_cast<std::byte const*>(address);
  auto const in_heap = static_cast<std::size_t>(at - own.heap);
  if (in_heap < own.heap_bytes && bytes <= own.heap_bytes - in_heap) {
    std::byte* const heap = heap_of(pe);
    return heap == nullptr ? nullptr : heap + in_heap;
  }
  auto const in_data = static_cast<std::size_t>(at - own.data);
  if (in_data < own.data_bytes && bytes <= own.data_bytes - in_data) {
    std::byte* const data = data_of(pe);
    return data == nullptr ? nullptr : data + in_data;
  }
  return nullptr;
}

/// All PEs have so many bytes there.
[[nodiscard]] bool is_symmetric(void const* address, std::size_t bytes);
/// The fabric's address of what a PE without a window has at a symmetric address. Fails if it is none.
[[nodiscard]] std::uint64_t far(void const* address, std::size_t bytes, int pe);

/// Null: there is no window to the PE, and everything goes through own.network.
template <class T>
T* at_pe(T const* address, std::size_t items, int pe) {
  std::byte* const found = find_at(address, items * sizeof(T), pe);
  if (found == nullptr || items > SIZE_MAX / sizeof(T)) [[unlikely]] {
    // No items may be anywhere, also at null.
    if (items == 0 && pe >= 0 && pe < own.pes) return reinterpret_cast<T*>(own.heap);
    static_cast<void>(far(address, items > SIZE_MAX / sizeof(T) ? SIZE_MAX : items * sizeof(T), pe));
  }
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
