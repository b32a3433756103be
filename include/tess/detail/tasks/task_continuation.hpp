// task_continuation: one word that says who goes on when a task has ended: nobody, the task that awaits it, or those
// that wait for its futures.
//
//   async() makes the word that of a task with futures. The frame of such a task keeps its result. It is destroyed by
//   the last of those who may still ask for the result: the task itself until it ends, each future, and each task that
//   has waited and not yet read it. All of them are in the word. So the end of the task changes it once, and a task
//   that parks changes it twice: when it begins to wait, and when it has read the result. A future that is the only one
//   left changes nothing if the task has ended. Nothing is locked: no worker waits for another.
//
// Bits     Without futures: 3-63 the task that awaits this one, or null.
//          With futures: 0 set. 1 the task has ended. 2 it has an exception. 3-46 until its end the task that began to
//          wait last, each of which knows the one before it; from then on how many of these have yet to read the
//          result. 47-63 the futures.
// Threads  With futures: any of the place; where it has one worker, no instruction is locked but that of fail().
//          Without: the task's.
// Errors   131,071 futures of a task at once are not counted any more: the result then stays to the end of the job.
#pragma once

#include <atomic>
#include <cstdint>

#include "tess/detail/tasks/races.hpp"

namespace tess::detail {

struct promise_base;

/// A parked task that waits for a future. It lies in its frame.
struct future_waiter {
  future_waiter* before;  ///< the one that began to wait before it
  promise_base* task;
  std::uint32_t notify;  ///< its worker
  std::uint8_t shares;   ///< what it gives back after the await

  static constexpr std::uint8_t is_reader = 1;  ///< it has parked: the result stays until it has read it
  static constexpr std::uint8_t is_future = 2;  ///< it counts as one of the futures
};

class task_continuation {
 public:
  struct kind {
    bool is_shared;       ///< it has futures
    promise_base* outer;  ///< without futures: the task that awaits this one, or null
  };
  [[nodiscard, gnu::always_inline]] kind get() const noexcept {
    std::uint64_t const word = word_.load(std::memory_order_relaxed);
    return {(word & shared) != 0, reinterpret_cast<promise_base*>(word & ~low_bits)};
  }
  /// The task that awaits this one; null: none, or futures.
  [[nodiscard]] promise_base* outer() const noexcept { return is_shared() ? nullptr : get().outer; }
  void set_outer(promise_base* task) noexcept {
    word_.store(reinterpret_cast<std::uint64_t>(task), std::memory_order_relaxed);
  }

  // ── with futures ──────────────────────────────────────────────────────────────────────────────────────────────────

  /// Makes the first future, before other workers know the task.
  void share() noexcept { word_.store(shared | one_future, std::memory_order_relaxed); }
  [[nodiscard]] bool is_shared() const noexcept { return get().is_shared; }

  /// True if the result can be read. acquire: what the task did before.
  [[nodiscard, gnu::always_inline]] bool has_ended() const noexcept {
    return (word_.load(std::memory_order_acquire) & ended) != 0;
  }

  /// The task has an exception.
  void fail() noexcept { word_.fetch_or(failed, std::memory_order_relaxed); }

  void add_future(bool single) noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    while (seen < most_futures && !change(seen, seen + one_future, single)) {
    }
  }
  /// True if the task has ended without an exception and only this future is left: its holder destroys the frame.
  [[nodiscard, gnu::always_inline]] bool is_left_alone() noexcept {
    races::release(this);
    if (word_.load(std::memory_order_acquire) != (shared | ended | one_future)) [[unlikely]]
      return false;
    races::acquire(this);
    return true;
  }
  /// True: the caller destroys the frame.
  bool drop_future() noexcept;

  /// False: the task has ended, so there is nothing to wait for.
  [[nodiscard, gnu::always_inline]] bool wait(future_waiter& w, bool single) noexcept {
    std::uint64_t seen = word_.load(std::memory_order_acquire);
    do {
      if ((seen & ended) != 0) return false;
      w.before = latest(seen);
    } while (!change(seen, without_middle(seen) + reinterpret_cast<std::uint64_t>(&w), single));
    return true;
  }
  /// A task that waited has read the result. True: the caller destroys the frame.
  [[nodiscard, gnu::always_inline]] bool end_reading(bool single) noexcept {
    races::release(this);
    std::uint64_t seen = word_.load(std::memory_order_acquire);
    do {
      // The job was aborted before the task ended.
      if ((seen & ended) == 0) [[unlikely]]
        return false;
      if ((seen & ~failed) == (shared | ended | one_reader)) {
        races::acquire(this);
        return true;
      }
    } while (!change(seen, seen - one_reader, single));
    return false;
  }

  struct outcome {
    bool is_dropped;      ///< nobody asks for the result: the caller destroys the frame
    future_waiter* last;  ///< those that wait; null: none. The caller tells them, by tell_all() unless it is one
  };
  /// The task has ended, in a place with several workers.
  [[nodiscard, gnu::always_inline]] outcome end_task() noexcept {
    std::uint64_t seen = word_.load(std::memory_order_acquire);
    do {
      if (seen <= (shared | failed)) return {true, nullptr};
    } while (!change(seen, without_middle(seen) + ended + waiters(latest(seen)) * one_reader, false));
    return {false, latest(seen)};
  }
  /// The same in a place with one worker. `next`: if a single task waits, it runs next, so no other task can drop the
  /// last future before it has read the result.
  [[nodiscard, gnu::always_inline]] outcome end_task_alone(bool next) noexcept {
    std::uint64_t const seen = word_.load(std::memory_order_relaxed);
    if (seen <= (shared | failed)) return {true, nullptr};
    future_waiter* const last = latest(seen);
    if (last == nullptr) {
      word_.store(seen + ended, std::memory_order_relaxed);
      return {false, nullptr};
    }
    std::uint64_t word = without_middle(seen) + ended;
    if (next && last->before == nullptr && seen >= one_future) [[likely]]
      last->shares &= static_cast<std::uint8_t>(~future_waiter::is_reader);
    else
      word += waiters(last) * one_reader;
    word_.store(word, std::memory_order_relaxed);
    return {false, last};
  }
  /// In the order in which they began to wait.
  static void tell_all(future_waiter* last) noexcept;

 private:
  static constexpr std::uint64_t shared = 1, ended = 2, failed = 4, low_bits = 7;
  static constexpr std::uint64_t one_reader = 8;
  static constexpr std::uint64_t one_future = std::uint64_t{1} << 47;
  static constexpr std::uint64_t most_futures = 0 - one_future;
  static constexpr std::uint64_t middle_bits = (one_future - 1) & ~low_bits;
  static_assert(alignof(future_waiter) > low_bits);

  /// User addresses have at most 47 bits.
  static future_waiter* latest(std::uint64_t word) noexcept {
    return reinterpret_cast<future_waiter*>(word & middle_bits);
  }
  static std::uint64_t without_middle(std::uint64_t word) noexcept { return word - (word & middle_bits); }
  [[gnu::always_inline]] static std::uint64_t waiters(future_waiter const* last) noexcept {
    std::uint64_t count = 0;
    for (; last != nullptr; last = last->before) ++count;
    return count;
  }

  /// False: another worker was first, and `seen` is what it left. release: what this worker did with the result.
  [[gnu::always_inline]] bool change(std::uint64_t& seen, std::uint64_t to, bool single) noexcept {
    if (single) {
      word_.store(to, std::memory_order_relaxed);
      return true;
    }
    return word_.compare_exchange_strong(seen, to, std::memory_order_acq_rel, std::memory_order_acquire);
  }

  std::atomic<std::uint64_t> word_{0};
};
static_assert(sizeof(task_continuation) == 8);

}  // namespace tess::detail
