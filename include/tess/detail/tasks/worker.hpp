// worker: the part of a worker that inlined code accesses: ring, deque, frames; the loop is in src/runtime.
//
//   A worker belongs to one place and never changes its operating-system thread; several workers may share a thread.
//   `self` is the worker that the current thread runs. A started task never changes its worker, so inlined code may
//   keep `self` across a suspension.
//
// Threads  everything here: only the owning worker, except `unstarted` (thieves of the place).
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <source_location>
#include <utility>

#include "tess/assert.hpp"
#include "tess/detail/platform.hpp"
#include "tess/detail/tasks/completion.hpp"
#include "tess/detail/tasks/delay_line.hpp"
#include "tess/detail/tasks/deque.hpp"
#include "tess/detail/tasks/frame_pool.hpp"
#include "tess/detail/tasks/out_buffer.hpp"
#include "tess/detail/tasks/races.hpp"
#include "tess/detail/tasks/ring.hpp"
#include "tess/detail/tasks/scope.hpp"
#include "tess/detail/tasks/task_continuation.hpp"
#include "tess/error.hpp"

namespace tess::detail {

struct stop_scope;
struct parked_wait;

/// The start of every task's promise, for any result type.
struct promise_base : ready_node {
  task_continuation continuation;    ///< the task that awaits this one, or its futures; nothing if it was spawned
  promise_base* callee = nullptr;    ///< the task it awaits, whose frame may lie inside its own
  finish_scope* scope = nullptr;     ///< the finish it counts for
  std::source_location where;        ///< its latest co_await
  parked_wait* waits_for = nullptr;  ///< what it is parked on; null: not parked
  std::exception_ptr exception;
  stop_scope* stops = nullptr;  ///< the innermost enclosing await that may be given up; see wait.hpp
#if defined(TESS_CHECKED) && TESS_CHECKED
  bool handed_over = false;    ///< awaited, spawned or sent
  std::source_location made;   ///< the task's function, or the call of the collective
  std::source_location maker;  ///< the latest co_await of the task that made it
#endif
  [[no_unique_address]] races::task_strand strand;
};

/// All task promises start with promise_base at the same distance from the frame (task.hpp checks the alignment).
inline std::coroutine_handle<> handle_of(promise_base* p) noexcept {
  return std::coroutine_handle<promise_base>::from_promise(*p);
}

/// Adds to a count that others may read meanwhile. No atomic addition is needed: only its worker writes it.
[[gnu::always_inline]] inline void bump(std::uint64_t& count, std::uint64_t n = 1) noexcept {
  std::atomic_ref<std::uint64_t> const shared(count);
  shared.store(shared.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}
inline std::uint64_t read_count(std::uint64_t const& count) noexcept {
  return std::atomic_ref<std::uint64_t>(const_cast<std::uint64_t&>(count)).load(std::memory_order_relaxed);
}

/// The counts of the inlined paths; the others are in statistics.hpp of the runtime.
struct hot_counts {
  std::uint64_t stores = 0;  ///< blocks of a few bytes, stored through a window
  std::uint64_t stored_bytes = 0;
};

/// Before other workers can steal a task, its scope must count for all of them.
struct share_scope {
  void operator()(promise_base const* p) const noexcept { p->scope->share(); }
};

/// Called when no other task can run here: polls for a moment. Resumes no task.
void look_for_ready() noexcept;

struct worker {
  worker(place_id p, std::uint16_t i, bool only_one)
      : place(p), index(i), single(only_one), notify_id_(std::uint32_t{p} << 16 | i), unstarted(!only_one), frames(i) {}

  // Read and written at every task switch.
  promise_base* current = nullptr;
  ring<promise_base*> runnable;
  std::uint64_t turn_end = 0;  ///< position of `runnable` at which the next poll is due
  place_id place;
  std::uint16_t index;
  bool single;  ///< the place has no other worker
  std::uint32_t const notify_id_;
  bool may_spin = false;            ///< no other worker needs this thread or this processor
  bool checks_calls = false;        ///< what travels is looked at, because the job verifies; see address_check.hpp
  bool times_calls = false;         ///< for the statistics; see call_time.hpp
  bool overlaps_calls = true;       ///< starts tasks while others wait for an `at`; settings::overlap_calls
  std::uint32_t waiting_calls = 0;  ///< tasks that wait for an `at`
  std::uint16_t nested = 0;         ///< depth of tasks that run inside spawn()
  std::uint16_t delivering = 0;     ///< depth of running message handlers
  std::uint32_t ready_events = 0;   ///< event operations that did not have to wait
  hot_counts counts;
  /// How many more word operations, on this place and on other places, complete at once: while no other task could run,
  /// and the next poll is not due. Below zero: as many did not.
  std::int64_t alone_left[2] = {0, 0};
  /// Word operations so far are these less alone_left, so that a lone task's path counts once.
  std::uint64_t alone_given[2] = {0, 0};
  bool is_alone = false;
  std::byte* segment = nullptr;          ///< start of the place's segment
  out_buffer** outgoing_open = nullptr;  ///< by destination; an entry is null while no message is buffered
  std::uint32_t outgoing_places = 0;     ///< entries of outgoing_open
  std::uint32_t async_places = 0;        ///< the same; 0 if each at_async is looked at
  scope_credit credit;
  deque<promise_base*, share_scope> unstarted;
  frame_pool frames;
  promise_base handler;  ///< stands for "the current task" inside message handlers
  /// The value in tables that means no window: the window of the own place, or no_window.
  std::uint64_t own_window = std::uint64_t{1} << 63;
  std::uint64_t const* delayed_windows = nullptr;  ///< those of all places, if only the delay prevents their use
  bool verifies = false;  ///< each word is verified first, because the job verifies every access
  delay_line delayed;

  /// Counts an event operation that did not wait. True: after many in a row, the other tasks get a turn now.
  [[nodiscard, gnu::always_inline]] bool count_event() noexcept { return ++ready_events % 64 == 0; }

  [[nodiscard]] std::uint32_t notify_id() const noexcept { return notify_id_; }

  /// Counts a word operation. Not below zero: no other task could run here now, and the next poll is not due; it may
  /// complete at once.
  [[nodiscard, gnu::always_inline]] std::int64_t count_word(bool remote) noexcept {
    std::atomic_ref<std::int64_t> const count(alone_left[remote]);
    std::int64_t const left = count.load(std::memory_order_relaxed) - 1;
    count.store(left, std::memory_order_relaxed);
    return left;
  }
  /// Word operations so far, on this place or on other places; any thread may ask.
  [[nodiscard]] std::uint64_t words(bool remote) const noexcept {
    return read_count(alone_given[remote]) -
           static_cast<std::uint64_t>(
               std::atomic_ref(const_cast<std::int64_t&>(alone_left[remote])).load(std::memory_order_relaxed));
  }
  /// True if a lone task has used up its budget.
  [[nodiscard]] bool alone_spent() const noexcept { return is_alone && (alone_left[0] <= 0 || alone_left[1] <= 0); }
  /// Takes one operation from the budget of a lone task; false: the budget is spent, or the task is not alone.
  [[nodiscard]] bool spend_alone() noexcept {
    if (alone_left[0] <= 0) return false;
    give(false, alone_left[0] - 1);
    return true;
  }
  void set_alone(std::int64_t budget) noexcept {
    is_alone = true;
    for (bool const remote : {false, true}) give(remote, budget);
  }
  [[gnu::always_inline]] void not_alone() noexcept {
    if (is_alone) [[unlikely]]
      end_alone();
  }
  [[gnu::noinline]] void end_alone() noexcept {
    is_alone = false;
    for (bool const remote : {false, true}) give(remote, 0);
  }
  void give(bool remote, std::int64_t budget) noexcept {
    std::atomic_ref<std::int64_t> const left(alone_left[remote]);
    bump(alone_given[remote], static_cast<std::uint64_t>(budget - left.load(std::memory_order_relaxed)));
    left.store(budget, std::memory_order_relaxed);
  }

  /// Makes a task of this place runnable: a lone task is then no longer alone.
  void make_runnable(promise_base* p) {
    not_alone();
    runnable.push(p);
  }

  /// Frames of many tasks exceed the first-level cache, so the frame of a task a few turns ahead is prefetched while
  /// others run: its beginning, and the part where small frames have their state.
  [[gnu::always_inline]] void fetch_soon() const noexcept {
    // This many frames stay in the cache.
    if (runnable.size() <= 64) [[likely]]
      return;
    // The promise follows the coroutine's header.
    constexpr std::uintptr_t header = 16;
    auto const frame = reinterpret_cast<std::uintptr_t>(runnable.ahead(6)) - header;
    prefetch_read(reinterpret_cast<void const*>(frame));
    prefetch_read(reinterpret_cast<void const*>(frame + 2 * cache_line));
  }

  /// The current task lets the other runnable tasks run first: returns the next task, or the loop when the next poll is
  /// due, which also starts unstarted tasks.
  [[gnu::always_inline]] std::coroutine_handle<> give_way(promise_base* task) noexcept {
    if (runnable.position() < turn_end) [[likely]] {
      current = runnable.rotate(task);
      fetch_soon();
      return handle_of(current);
    }
    runnable.push(task);
    return std::noop_coroutine();
  }

  /// As give_way(), while an operation of the task is under way: if few tasks take turns, an unstarted one goes first.
  [[gnu::always_inline]] std::coroutine_handle<> give_way_begun(promise_base* task) noexcept {
    if (unstarted.empty()) [[likely]]
      return give_way(task);
    return start_another(task);
  }

  [[nodiscard, gnu::always_inline]] bool turn_is_over() const noexcept { return runnable.position() >= turn_end; }
  [[nodiscard]] bool may_start() const noexcept { return overlaps_calls || waiting_calls == 0; }

  [[gnu::noinline]] std::coroutine_handle<> start_another(promise_base* task) noexcept {
    constexpr std::uint64_t turns_wanted = 16;  // more hide no more latency
    bool const wanted = runnable.size() < turns_wanted && may_start() && runnable.position() < turn_end;
    promise_base* const first = wanted ? unstarted.pop() : nullptr;
    if (first == nullptr) return give_way(task);
    runnable.push(task);
    return start(first);
  }

  /// The next task, after the current one has parked or ended.
  std::coroutine_handle<> next() noexcept {
    if (runnable.position() < turn_end) [[likely]] {
      if (!runnable.empty()) {
        current = runnable.pop();
        fetch_soon();
        return handle_of(current);
      }
      if (promise_base* const p = may_start() ? unstarted.pop_private() : nullptr) [[likely]]
        return start(p);
    }
    return next_slowly();
  }
  [[gnu::noinline]] std::coroutine_handle<> next_slowly() noexcept {
    if (runnable.position() >= turn_end || !may_start()) return std::noop_coroutine();
    promise_base* const p = unstarted.pop_slowly();
    return p != nullptr ? start(p) : std::noop_coroutine();
  }
  /// The same, but if no task can run it polls for a moment first, because the wait is often short.
  [[gnu::always_inline]] std::coroutine_handle<> next_after_look() noexcept {
    if (runnable.position() < turn_end && runnable.empty() && may_start()) [[likely]] {
      if (promise_base* const p = unstarted.pop_private()) [[likely]]
        return start(p);
    }
    return look_and_next();
  }
  [[gnu::noinline]] std::coroutine_handle<> look_and_next() noexcept {
    if (may_spin && runnable.empty() && unstarted.empty()) look_for_ready();
    return next();
  }
  [[gnu::always_inline]] std::coroutine_handle<> start(promise_base* task) noexcept {
    // The ring does not advance, so the end of the turn must move instead.
    --turn_end;
    current = task;
    return handle_of(task);
  }

  /// A task that waited is to go on: at once, if the turn has not ended.
  [[gnu::always_inline]] std::coroutine_handle<> resume_now(promise_base* task) noexcept {
    task->waits_for = nullptr;
    if (turn_is_over()) [[unlikely]]
      return resume_later(task);
    return start(task);
  }
  [[gnu::noinline]] std::coroutine_handle<> resume_later(promise_base* task) noexcept {
    make_runnable(task);
    return std::noop_coroutine();
  }

  /// The next task, after one of the scope has ended: if it was the last, the one that waits for them.
  [[gnu::always_inline]] std::coroutine_handle<> after_task(finish_scope& scope) noexcept {
    if (credit.takes_back(scope) || !scope.is_last_task()) return next();
    if (scope.ends_on(notify_id())) [[likely]]
      return resume_now(scope.waiter());
    return after_last_task(scope);
  }
  [[gnu::noinline]] std::coroutine_handle<> after_last_task(finish_scope& scope) noexcept {
    scope.end_last_task();
    return next();
  }
  /// The same if another task waits for that one.
  [[gnu::always_inline]] std::coroutine_handle<> after_task(finish_scope& scope, promise_base* waiter) noexcept {
    if (credit.takes_back(scope) || !scope.is_last_task()) [[likely]]
      return resume_now(waiter);
    return after_last_task(scope, waiter);
  }
  [[gnu::noinline]] std::coroutine_handle<> after_last_task(finish_scope& scope, promise_base* waiter) noexcept {
    scope.end_last_task();
    return resume_now(waiter);
  }

  /// During its lifetime, a task that suspends returns to the caller at once.
  struct single_step {
    explicit single_step(worker& w) noexcept : worker_(w), turn_end_(std::exchange(w.turn_end, 0)) { w.not_alone(); }
    ~single_step() { worker_.turn_end = turn_end_; }
    single_step(single_step const&) = delete;
    single_step& operator=(single_step const&) = delete;

   private:
    worker& worker_;
    std::uint64_t turn_end_;
  };
};

#if TESS_IN_SHARED_OBJECT
// The program's: one runtime serves all loaded objects. Its thread-local variables have a fixed offset.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local worker* self;
#else
inline constinit thread_local worker* self = nullptr;
#endif

/// In place of a window's address: there is no window. Addresses of a user program are lower.
inline constexpr std::uint64_t no_window = std::uint64_t{1} << 63;

/// What is constant while a job runs. The tables have one entry per place; windows are local addresses of segments.
struct job_view {
  place_id places = 0;
  std::uint16_t workers = 0;                     ///< per place
  std::uint64_t const* load_window = nullptr;    ///< plain loads of the place's segment, or no_window
  std::uint64_t const* atomic_window = nullptr;  ///< stores and processor atomics on it, or no_window
  std::uint64_t const* segment_bytes = nullptr;  ///< size of its address range, for checks
  bool const* failed = nullptr;                  ///< by place; null: none has failed. Changed only while no task runs
};
#if TESS_IN_SHARED_OBJECT
extern job_view job;
#else
inline constinit job_view job;
#endif

/// Threads that sleep, of all places of this process.
inline constinit std::atomic<std::uint32_t> sleeping_threads{0};
/// Wakes another worker of the place if one sleeps while unstarted tasks are waiting.
void wake_for_work(worker& w) noexcept;
inline void offer_work(worker& w) noexcept {
  // seq_cst: after the split of the deque (deque.hpp).
  if (sleeping_threads.load(std::memory_order_seq_cst) != 0) [[unlikely]]
    wake_for_work(w);
}

}  // namespace tess::detail
