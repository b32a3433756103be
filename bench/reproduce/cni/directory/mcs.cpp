// mcs: cycles of the MCS lock on coherent caches, contended by all cores, with an empty section.
//
//   A waiting core polls a flag in its own line until its predecessor in the queue clears it.
//
// Units     cycles: of all acquires and releases together; of each apart, in a second pass that reads the clock.
// Errors    exit code 1: the lock did not exclude; 2: wrong arguments.
// Source    J. Mellor-Crummey, M. Scott, TOCS 9(1), 1991, algorithm 5; the baseline of CNI (IJPP 2012), figure 11a.
#include "coherent.hpp"

namespace {

using coherent::cycle;
using coherent::word;

enum line_number : std::uint64_t { tail_line, next_line, locked_line, count_line, meeting_line };

class mcs_lock {
 public:
  explicit mcs_lock(coherent::cores const& all) : all_(all), own_(all.own() + 1), tail_(all.word_at(0, tail_line)) {}

  void acquire() const {
    next(own_).store(none, std::memory_order_relaxed);
    std::uint64_t const before = tail_.exchange(own_, std::memory_order_acq_rel);
    if (before == none) return;
    word const flag = locked(own_);
    flag.store(1, std::memory_order_relaxed);
    next(before).store(own_, std::memory_order_release);
    while (flag.load(std::memory_order_acquire) != 0) {
    }
  }
  void release() const {
    word const follows = next(own_);
    std::uint64_t next_one = follows.load(std::memory_order_acquire);
    if (next_one == none) {
      std::uint64_t expected = own_;
      if (tail_.compare_exchange_strong(expected, none, std::memory_order_acq_rel)) return;
      do {
        next_one = follows.load(std::memory_order_acquire);
      } while (next_one == none);
    }
    locked(next_one).store(0, std::memory_order_release);
  }

 private:
  static constexpr std::uint64_t none = 0;  // a core is stored as its number plus 1
  [[nodiscard]] word next(std::uint64_t core) const { return word(all_.word_at(core - 1, next_line)); }
  [[nodiscard]] word locked(std::uint64_t core) const { return word(all_.word_at(core - 1, locked_line)); }

  coherent::cores const& all_;
  std::uint64_t own_;
  word tail_;
};

/// Each core increments a word non-atomically, so that a broken lock loses increments.
void check(coherent::cores& all, mcs_lock const& lock, std::uint64_t rounds) {
  std::uint64_t volatile& count = all.word_at(0, count_line);
  all.meet(meeting_line);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    lock.acquire();
    std::uint64_t const before = count;
    for (std::uint64_t wait = 0; wait < (i + 5 * all.own()) % 8; ++wait) asm volatile("");
    count = before + 1;
    lock.release();
  }
  all.meet(meeting_line);
  coherent::expect(count == rounds * all.count(), "two had the lock at once");
}

}  // namespace

int main(int count, char** words) {
  std::uint64_t const rounds = coherent::rounds_of(count, words);
  if (rounds == 0) {
    std::fputs("usage: dir-mcs ACQUIRES\n  ACQUIRES: of each copy, 1 to 1048576\n", stderr);
    return 2;
  }
  coherent::cores all;
  mcs_lock const lock(all);
  check(all, lock, rounds < 16 ? rounds : 16);  // also fills the caches
  all.meet(meeting_line);
  std::uint64_t const begin = cycle();
  for (std::uint64_t i = 0; i < rounds; ++i) {
    lock.acquire();
    lock.release();
  }
  std::uint64_t const end = cycle();
  all.meet(meeting_line);
  std::uint64_t acquiring = 0;
  std::uint64_t releasing = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    std::uint64_t const first = cycle();
    lock.acquire();
    std::uint64_t const got = cycle();
    lock.release();
    releasing += cycle() - got;
    acquiring += got - first;
  }
  all.meet(meeting_line);
  std::printf(
      "{\"program\":\"locks\",\"kind\":\"mcs\",\"cores\":%lu,\"core\":%lu,\"rounds\":%lu,\"begin\":%lu,\"end\":%lu,"
      "\"acquiring\":%lu,\"releasing\":%lu}\n",
      static_cast<unsigned long>(all.count()), static_cast<unsigned long>(all.own()),
      static_cast<unsigned long>(rounds), static_cast<unsigned long>(begin), static_cast<unsigned long>(end),
      static_cast<unsigned long>(acquiring), static_cast<unsigned long>(releasing));
  return coherent::expectations_held ? 0 : 1;
}
