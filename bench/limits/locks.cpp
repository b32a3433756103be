// locks: the MCS lock (Mellor-Crummey and Scott, "Algorithms for scalable synchronization", TOCS 1991) and std::mutex.
#include "limits/locks.hpp"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/clock.hpp"
#include "harness/huge_pages.hpp"
#include "harness/pin.hpp"

namespace bench {
namespace {

/// Alone in a pair of lines, since adjacent-line prefetch fetches pairs.
struct alignas(2 * line_bytes) mcs_node {
  std::atomic<mcs_node*> next = nullptr;
  std::atomic<bool> granted = false;
};

struct alignas(2 * line_bytes) mcs_tail {
  std::atomic<mcs_node*> last = nullptr;
};

/// A multiple of the duration of a hand-over.
constexpr unsigned spins_max = 2000;

template <class Done>
void spin_until(Done done) {
  for (unsigned spins = 0; !done(); ++spins)
    if (spins >= spins_max) std::this_thread::yield();
}

void acquire(mcs_tail& lock, mcs_node& mine) {
  mine.next.store(nullptr, std::memory_order_relaxed);
  mine.granted.store(false, std::memory_order_relaxed);
  mcs_node* const before = lock.last.exchange(&mine, std::memory_order_acq_rel);
  if (before == nullptr) return;
  before->next.store(&mine, std::memory_order_release);
  spin_until([&] { return mine.granted.load(std::memory_order_acquire); });
}

void release(mcs_tail& lock, mcs_node& mine) {
  mcs_node* next = mine.next.load(std::memory_order_acquire);
  if (next == nullptr) {
    mcs_node* expected = &mine;
    if (lock.last.compare_exchange_strong(expected, nullptr, std::memory_order_release, std::memory_order_relaxed))
      return;
    spin_until([&] { return (next = mine.next.load(std::memory_order_acquire)) != nullptr; });
  }
  next->granted.store(true, std::memory_order_release);
}

double ns_each(double seconds, int threads, std::uint64_t rounds) {
  return seconds * ns_per_second / (static_cast<double>(threads) * static_cast<double>(rounds));
}

}  // namespace

double mcs_lock(int threads, std::uint64_t rounds) {
  mcs_tail lock;
  std::vector<mcs_node> nodes(static_cast<std::size_t>(threads));
  double const seconds = team_seconds(threads, [&](int rank) {
    mcs_node& mine = nodes[static_cast<std::size_t>(rank)];
    for (std::uint64_t round = 0; round < rounds; ++round) {
      acquire(lock, mine);
      release(lock, mine);
    }
  });
  return ns_each(seconds, threads, rounds);
}

double std_mutex(int threads, std::uint64_t rounds) {
  std::mutex lock;
  double const seconds = team_seconds(threads, [&](int) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      lock.lock();
      lock.unlock();
    }
  });
  return ns_each(seconds, threads, rounds);
}

}  // namespace bench
