// event_counter: a counter of events: at zero it resumes waiting tasks, notifies up to four targets, and starts again.
//
//   add() changes the value; the addition that makes it zero fires: the phase goes up, the value becomes `reload`, all
//   waiting tasks resume, and each notification is sent: to a counter, another event_counter, a flag or a queue, at
//   any place. So trees of them (tree_barrier.hpp) run without a task. `counter` is the simpler one, on which transfers
//   complete.
//
//   wait(phase) waits until the counter has fired more than `phase` times; `co_await c` until its value is zero or
//   it fires. Notifications do not belong to a finish: the memory that they name must outlive them.
//
// Units    chosen by the program; 63 bits. Phases: how many times it has fired.
// Threads  any task. notify() and set(): before others use it.
// Errors   a fifth notification throws tess::error. No memory to send one, or destruction while tasks wait: job ends.
// Cost     add() at the counter's place: one line; a compare-exchange if the place has several workers. From another
//          place: one request and one reply.
//          Firing: a message for each notification to another place, none for those to its own.
// Source   counters of "Cache-Integrated Network Interfaces" (IJPP 2012): add-on-store, four notification addresses,
//          reset value.
#pragma once

#include <array>
#include <cstdint>
#include <source_location>

#include "tess/counter.hpp"
#include "tess/detail/events/event.hpp"
#include "tess/queue.hpp"

namespace tess {

namespace detail {
/// What is sent when a counter fires. If a notification cannot be sent, the job ends.
struct notification {
  void (*send)(notification const&) noexcept = nullptr;
  std::uint64_t target = 0;
  std::uint64_t word = 0;
};
void notify_counter(notification const& n) noexcept;
void notify_event_counter(notification const& n) noexcept;
void notify_flag(notification const& n) noexcept;
/// Called in a catch clause: ends the job.
[[gnu::cold]] void notification_failed(notification const& n) noexcept;

template <class T, std::size_t Slots>
void notify_queue(notification const& n) noexcept {
  try {
    T item;
    std::memcpy(&item, &n.word, sizeof item);
    send_event<event_handler<queue<T, Slots>, queue<T, Slots>::operation::push, false>>({0, n.target, item});
  } catch (...) {
    notification_failed(n);
  }
}
}  // namespace detail

class event_counter {
 public:
  static constexpr unsigned notifications_max = 4;
  using value_type = std::uint64_t;
  enum class operation : std::uint8_t { wait, wait_zero };

  /// Counts from `start`, and from `reload` after it has fired.
  explicit event_counter(std::int64_t start = 0, std::int64_t reload = 0) noexcept : value_(start), reload_(reload) {}
  ~event_counter() {
    if (line_.awaited()) [[unlikely]]
      detail::destroyed_while_awaited("an event_counter");
  }
  void set(std::int64_t start, std::int64_t reload) noexcept {
    value_ = start;
    reload_ = reload;
  }

  /// Adds a target to notify when it fires; at most four.
  void notify(global_ptr<counter> c) { notify({&detail::notify_counter, c.bits(), 0}); }
  void notify(global_ptr<event_counter> c, std::int64_t n = -1) {
    notify({&detail::notify_event_counter, c.bits(), static_cast<std::uint64_t>(n)});
  }
  void notify(global_ptr<std::uint64_t> flag, std::uint64_t value) {
    notify({&detail::notify_flag, flag.bits(), value});
  }
  /// If the queue is full, the item is delivered when there is room.
  template <class T, std::size_t Slots>
  void notify(global_ptr<queue<T, Slots>> q, std::type_identity_t<T> item) {
    static_assert(sizeof(T) <= 8, "event_counter: a notification carries a word; let it wake a task that pushes");
    std::uint64_t word = 0;
    std::memcpy(&word, &item, sizeof item);
    notify({&detail::notify_queue<T, Slots>, q.bits(), word});
  }

  /// Adds to the value; fires if that makes it zero.
  void add(std::int64_t n) noexcept;
  /// The current value.
  [[nodiscard]] std::int64_t value() noexcept;
  /// How many times it has fired.
  [[nodiscard]] std::uint64_t phase() noexcept;

  /// Waits until it has fired more often than `phase` times.
  auto wait(std::uint64_t phase, std::source_location at = std::source_location::current()) noexcept {
    return detail::event_wait<event_counter, operation::wait>(*this, phase, at);
  }
  /// Waits until its value is zero or it fires.
  auto operator co_await() noexcept { return detail::event_wait<event_counter, operation::wait_zero>(*this, phase()); }

  /// Its address for other places; it must lie in the segment.
  [[nodiscard]] global_ptr<event_counter> address() { return to_global(this); }

 private:
  friend struct detail::access;
  [[gnu::always_inline]] bool attempt(operation op, std::uint64_t&, std::uint64_t& phase) const noexcept {
    return phase_ != phase || (op == operation::wait_zero && value_ == 0);
  }
  static constexpr bool takes(operation op) noexcept { return op == operation::wait; }
  static constexpr bool gives(operation) noexcept { return false; }
  static constexpr char const* name(operation) noexcept { return "event_counter"; }

  void notify(detail::notification n);

  detail::wait_list line_;
  std::int64_t value_;
  std::int64_t reload_;
  std::uint64_t phase_ = 0;
  std::uint32_t notifications_ = 0;
  std::array<detail::notification, notifications_max> notify_;
};

/// Adds. co_await ends when that is done and, if it fired, the notifications are sent. One request, one reply.
[[nodiscard]] detail::event_call<void> add(global_ptr<event_counter> p, std::int64_t n,
                                           std::source_location at = std::source_location::current());
/// Adds later; the caller's finish waits for it.
void notify(global_ptr<event_counter> p, std::int64_t n = -1,
            std::source_location at = std::source_location::current());
/// Waits until the counter has fired more often than `phase` times. One request, one reply.
inline auto wait(global_ptr<event_counter> p, std::uint64_t phase,
                 std::source_location at = std::source_location::current()) {
  return detail::call_event<event_counter::operation::wait>(p, phase, at);
}

}  // namespace tess
