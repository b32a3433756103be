// locks: the queue of a lock.
#include "shmem/locks.hpp"

#include <cstdint>

#include "shmem/address.hpp"
#include "shmem/call.hpp"
#include "shmem/waiting.hpp"

namespace tess::shmem {

namespace {

constexpr std::uint32_t waits = 1U << 31U;

std::uint32_t* half(long* lock, int pe, int which) {
  return reinterpret_cast<std::uint32_t*>(at_pe(lock, 1, pe)) + which;
}
/// The words of a PE in the queue, and the queue's end.
std::uint32_t* node_at(long* lock, int pe) {
  return half(lock, pe, 0);
}
std::uint32_t* tail_of(long* lock) {
  // Locks that lie beside each other have different homes.
  bool const in_heap = reinterpret_cast<std::byte*>(lock) - own.heap >= 0 &&
                       reinterpret_cast<std::byte*>(lock) < own.heap + own.heap_bytes;
  auto const offset = reinterpret_cast<std::byte*>(lock) - (in_heap ? own.heap : own.data);
  return half(lock, static_cast<int>(static_cast<std::size_t>(offset) / sizeof(long) % static_cast<unsigned>(own.pes)),
              1);
}
std::uint32_t my_number() {
  return static_cast<std::uint32_t>(own.pe) + 1;
}

}  // namespace

void set_lock(long* lock) {
  std::uint32_t* const mine = node_at(lock, own.pe);
  __atomic_store_n(mine, waits, __ATOMIC_RELAXED);
  std::uint32_t const before = __atomic_exchange_n(tail_of(lock), my_number(), __ATOMIC_ACQ_REL);
  if (before == 0) {
    __atomic_fetch_and(mine, ~waits, __ATOMIC_ACQUIRE);
    return;
  }
  __atomic_fetch_or(node_at(lock, static_cast<int>(before) - 1), my_number(), __ATOMIC_ACQ_REL);
  wait_for([&] { return (__atomic_load_n(mine, __ATOMIC_ACQUIRE) & waits) == 0; });
}

void clear_lock(long* lock) {
  std::uint32_t* const mine = node_at(lock, own.pe);
  if (__atomic_load_n(mine, __ATOMIC_ACQUIRE) == 0) {
    std::uint32_t last = my_number();
    if (__atomic_compare_exchange_n(tail_of(lock), &last, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)) return;
    if (last == 0) fail("a lock that nobody has", "shmem_set_lock first");
    // The one behind has taken its place and is about to say so.
    wait_for([&] { return __atomic_load_n(mine, __ATOMIC_ACQUIRE) != 0; });
  }
  std::uint32_t const next = __atomic_exchange_n(mine, 0, __ATOMIC_ACQ_REL);
  __atomic_fetch_and(node_at(lock, static_cast<int>(next) - 1), ~waits, __ATOMIC_SEQ_CST);
}

int test_lock(long* lock) {
  std::uint32_t free = 0;
  // Before the lock is taken: the next one writes here as soon as it is.
  std::uint32_t* const tail = tail_of(lock);
  if (__atomic_load_n(tail, __ATOMIC_RELAXED) != 0) return 1;
  return __atomic_compare_exchange_n(tail, &free, my_number(), false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) ? 0 : 1;
}

}  // namespace tess::shmem
