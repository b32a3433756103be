// locks: the queue of a lock.
#include "shmem/locks.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "shmem/address.hpp"
#include "shmem/call.hpp"
#include "shmem/far.hpp"
#include "shmem/order.hpp"
#include "shmem/wait.hpp"
#include "shmem/waiting.hpp"

namespace tess::shmem {

namespace {

constexpr std::uint32_t waits = 1U << 31U;

/// Halves of a PE's long: its words in the queue, and the queue's end.
constexpr int node = 0;
constexpr int tail = 1;

/// Changes a half, there or by the network; returns what it was.
template <word_op Op>
std::uint32_t change(long* lock, int pe, int half, std::uint32_t a, std::uint32_t b = 0) {
  if (long* const word = at_pe(lock, 1, pe)) [[likely]]
    return detail::apply_word<Op, std::uint32_t>(reinterpret_cast<std::byte*>(word) + half * 4, a, b);
  return fetch_far(Op, reinterpret_cast<std::uint32_t*>(lock) + half, pe, a, b);
}

/// The PE that has the end of the queue. Locks that lie beside each other have different ones.
int home_of(long* lock) {
  bool const in_heap = reinterpret_cast<std::byte*>(lock) - own.heap >= 0 &&
                       reinterpret_cast<std::byte*>(lock) < own.heap + own.heap_bytes;
  auto const offset = reinterpret_cast<std::byte*>(lock) - (in_heap ? own.heap : own.data);
  return static_cast<int>(static_cast<std::size_t>(offset) / sizeof(long) % static_cast<unsigned>(own.pes));
}
std::uint32_t* own_node(long* lock) {
  return reinterpret_cast<std::uint32_t*>(at_pe(lock, 1, own.pe)) + node;
}
std::uint32_t my_number() {
  return static_cast<std::uint32_t>(own.pe) + 1;
}

void join(long* lock) {
  std::uint32_t* const mine = own_node(lock);
  __atomic_store_n(mine, waits, __ATOMIC_RELAXED);
  std::uint32_t const before = change<word_op::exchange>(lock, home_of(lock), tail, my_number());
  if (before == 0) {
    __atomic_fetch_and(mine, ~waits, __ATOMIC_ACQUIRE);
    return;
  }
  change<word_op::fetch_or>(lock, static_cast<int>(before) - 1, node, my_number());
  wait_for([&] { return (__atomic_load_n(mine, __ATOMIC_ACQUIRE) & waits) == 0; }, mine);
}

void leave(long* lock) {
  std::uint32_t* const mine = own_node(lock);
  if (__atomic_load_n(mine, __ATOMIC_ACQUIRE) == 0) {
    std::uint32_t const last = change<word_op::compare_swap>(lock, home_of(lock), tail, my_number(), 0);
    if (last == my_number()) return;
    if (last == 0) fail("a lock that nobody has", "shmem_set_lock first");
    // The one behind has taken its place and is about to say so.
    wait_for([&] { return __atomic_load_n(mine, __ATOMIC_ACQUIRE) != 0; }, mine);
  }
  std::uint32_t const next = __atomic_exchange_n(mine, 0, __ATOMIC_ACQ_REL);
  change<word_op::fetch_and>(lock, static_cast<int>(next) - 1, node, ~waits);
}

int try_join(long* lock) {
  int const home = home_of(lock);
  // Looked at first, so that a lock that is taken stays with its PE's cache.
  if (long* const word = at_pe(lock, 1, home))
    if (__atomic_load_n(reinterpret_cast<std::uint32_t*>(word) + tail, __ATOMIC_RELAXED) != 0) return 1;
  return change<word_op::compare_swap>(lock, home, tail, 0, my_number()) == 0 ? 0 : 1;
}

/// The threads of this PE that have a lock or want it.
struct turns {
  std::uint64_t taken = 0;
  std::atomic<std::uint64_t> now = 0;  ///< whose turn it is
};
std::unordered_map<long*, turns> wanted;
std::mutex wanted_mutex;

bool has_threads() {
  return own.threads == SHMEM_THREAD_MULTIPLE;
}

void wait_for_turn(long* lock) {
  std::unique_lock guard(wanted_mutex);
  turns& mine = wanted[lock];  // stays where it is until its last thread has left
  std::uint64_t const turn = mine.taken++;
  guard.unlock();
  wait_for([&] { return mine.now.load(std::memory_order_acquire) == turn; }, &mine.now);
}
/// False: another thread of this PE has the lock or waits for it.
bool take_turn_at_once(long* lock) {
  std::scoped_lock const guard(wanted_mutex);
  auto const [mine, is_new] = wanted.try_emplace(lock);
  if (is_new) mine->second.taken = 1;
  return is_new;
}
void end_turn(long* lock) {
  std::scoped_lock const guard(wanted_mutex);
  auto const mine = wanted.find(lock);
  if (mine == wanted.end()) return;
  turns& t = mine->second;
  std::uint64_t const next = t.now.load(std::memory_order_relaxed) + 1;
  if (next == t.taken)
    wanted.erase(mine);
  else
    t.now.store(next, std::memory_order_release);
}

}  // namespace

void set_lock(long* lock) {
  settle();
  if (has_threads()) [[unlikely]]
    wait_for_turn(lock);
  join(lock);
}

void clear_lock(long* lock) {
  quiet(SHMEM_CTX_DEFAULT);
  leave(lock);
  if (has_threads()) [[unlikely]]
    end_turn(lock);
}

int test_lock(long* lock) {
  look();
  if (!has_threads()) [[likely]]
    return try_join(lock);
  if (!take_turn_at_once(lock)) return 1;
  int const taken = try_join(lock);
  if (taken != 0) end_turn(lock);
  return taken;
}

}  // namespace tess::shmem
