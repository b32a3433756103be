// wait_list: the one word of state of every event: a lock, a flag, and the waiters, first come, first served.
//
//   Waiters are linked in a ring; the word points to the last one: both ends are reachable. A task's waiter lies
//   in its own frame; that of a call from another place comes from the worker's pool.
//
// Bits     0 locked by a worker; 1 the flag, whose meaning the event defines; 3-63 the last waiter's address, or, if
//          bit 2 is set, the hardware line that holds the event (event_lines.hpp).
// Threads  open and close: the workers of the event's place. With one worker per place nothing is locked.
// Cost     open: one compare-exchange, none with one worker; close: one store. Appending and removing: constant time.
#pragma once

#include <atomic>
#include <cstdint>

#include "tess/detail/access.hpp"
#include "tess/detail/events/event_lines.hpp"
#include "tess/detail/tasks/worker.hpp"

namespace tess::detail {

/// A task or a call that waits for an event.
struct waiter {
  enum class kind : std::uint8_t { task, call, nobody };

  waiter* next = nullptr;
  std::uint64_t whom = 0;    ///< the cookie of a task, or the slot of a call
  std::uint32_t notify = 0;  ///< the task's worker, or the call's place
  kind is = kind::task;
  std::uint8_t operation = 0;  ///< of the event
  bool done = false;           ///< it no longer waits, except for its next turn
  bool given_up = false;       ///< a place failed
};
static_assert(sizeof(waiter) == 24);

/// The same with the value that it puts or gets.
template <class Value>
struct waiting : waiter {
  [[no_unique_address]] Value value{};
};

class wait_list {
 public:
  static constexpr std::uint64_t flag = 2;

  explicit constexpr wait_list(bool set = false) noexcept : bits_(set ? flag : 0) {}
  wait_list(wait_list const&) = delete;
  wait_list& operator=(wait_list const&) = delete;
#if defined(__riscv)
  ~wait_list() {
    std::uint64_t const state = bits_.load(std::memory_order_relaxed);
    if (line_of(state) != 0 && event_lines != nullptr) event_lines->release(line_of(state));
  }
#endif

  /// Returns the state, which the caller owns until close().
  [[nodiscard, gnu::always_inline]] std::uint64_t open() noexcept {
    std::uint64_t const state = open_state();
    races::acquire(this);
    return state;
  }
  [[gnu::always_inline]] void close(std::uint64_t state) noexcept {
    races::release(this);
    bits_.store(state, std::memory_order_release);
  }

 private:
  [[nodiscard, gnu::always_inline]] std::uint64_t open_state() noexcept {
    if (self->single) return bits_.load(std::memory_order_relaxed);
    std::uint64_t seen = bits_.load(std::memory_order_relaxed);
    // acquire: pairs with the release of close().
    if ((seen & locked) == 0 && bits_.compare_exchange_strong(seen, seen | locked, std::memory_order_acquire,
                                                              std::memory_order_relaxed)) [[likely]]
      return seen;
    return open_slowly();
  }

 public:
  /// True if the flag was set; for readers that do not lock, of an event that is set once.
  [[nodiscard]] bool is_set() const noexcept { return (bits_.load(std::memory_order_acquire) & flag) != 0; }
  /// True if there are waiters; for readers that do not lock.
  [[nodiscard]] bool awaited() const noexcept {
    std::uint64_t const state = bits_.load(std::memory_order_relaxed);
    if (std::uint32_t const line = line_of(state)) return event_lines != nullptr && event_lines->is_awaited(line);
    return has_waiters(state);
  }

  /// The line that holds the event; 0: it is in memory.
  [[gnu::always_inline]] static std::uint32_t line_of(std::uint64_t state) noexcept {
    if constexpr (!machine_has_lines) return 0;
    return (state & on_line) == 0 ? 0 : static_cast<std::uint32_t>(state >> line_shift);
  }
  static std::uint64_t state_on(std::uint32_t line) noexcept { return std::uint64_t{line} << line_shift | on_line; }

  static bool has_waiters(std::uint64_t state) noexcept { return state > low_bits && line_of(state) == 0; }
  static waiter& first(std::uint64_t state) noexcept { return *last(state).next; }
  static void append(std::uint64_t& state, waiter& w) noexcept {
    if (has_waiters(state)) {
      w.next = last(state).next;
      last(state).next = &w;
    } else {
      w.next = &w;
    }
    state = reinterpret_cast<std::uint64_t>(&w) | (state & low_bits);
  }
  /// Calls visit for all waiters in order; visit may destroy them.
  template <class Visit>
  static void remove_all(std::uint64_t& state, Visit visit) {
    if (!has_waiters(state)) return;
    waiter* const end = &last(state);
    waiter* next = end->next;
    state &= low_bits;
    for (waiter* w = nullptr; w != end;) {
      w = next;
      next = w->next;
      visit(*w);
    }
  }
  /// False: it is not in the list.
  static bool remove(std::uint64_t& state, waiter const& w) noexcept {
    if (!has_waiters(state)) return false;
    waiter& end = last(state);
    waiter* before = &end;
    while (before->next != &w) {
      before = before->next;
      if (before == &end) return false;
    }
    before->next = w.next;
    if (&end == &w) state = (before == &w ? 0 : reinterpret_cast<std::uint64_t>(before)) | (state & low_bits);
    return true;
  }
  static void remove_first(std::uint64_t& state) noexcept {
    waiter& l = last(state);
    if (l.next == &l)
      state &= low_bits;
    else
      l.next = l.next->next;
  }

 private:
  static constexpr std::uint64_t locked = 1;
  static constexpr std::uint64_t on_line = 4;
  static constexpr unsigned line_shift = 3;
  static constexpr std::uint64_t low_bits = 7;

  static waiter& last(std::uint64_t state) noexcept { return *reinterpret_cast<waiter*>(state & ~low_bits); }
  [[gnu::noinline]] std::uint64_t open_slowly() noexcept;

  std::atomic<std::uint64_t> bits_;
};
static_assert(sizeof(wait_list) == 8);

/// An event is destroyed while tasks wait for it: ends the job, because they would wait for ever.
[[gnu::cold]] void destroyed_while_awaited(char const* what) noexcept;

}  // namespace tess::detail
