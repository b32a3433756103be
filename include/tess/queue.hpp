// queue: items from writers at any place to the tasks of one place, in FIFO order; a full queue is not an error.
//
//   `queue<T, Slots>` has room for `Slots` items, a power of two. try_push() says whether there was room; push() waits
//   for room, pop() for an item. Writers at other places use the functions on global_ptr<queue<T, Slots>>; only tasks
//   of its own place read (a match_queue can be read from any place).
//
//   Items of one writer stay in order if it awaits each push; concurrent pushes are not ordered.
//
// Units    items of T: trivially copyable, at most 1 KiB. Slots: 2^k, at least 1.
// Threads  any task.
// Errors   destruction while tasks wait for it ends the job with a message. A full queue is not an error.
// Cost     member: no message, no allocation; the cache lines of the state and of the item; one compare-exchange
//          if the place has several workers. From another place: one request with the item, one reply; a push that
//          waits takes a block of 32 bytes and the item at the queue's place.
// Source   the single-reader queues of "Cache-Integrated Network Interfaces" (IJPP 2012), which do not refuse items.
#pragma once

#include <optional>
#include <source_location>

#include "tess/detail/event.hpp"
#include "tess/detail/slots.hpp"

namespace tess {

template <class T, std::size_t Slots = 64>
class queue {
  static_assert(detail::event_value<T> && sizeof(T) <= detail::event_value_bytes_max,
                "queue: T must be trivially copyable, default constructible and of at most 1 KiB");

 public:
  using value_type = T;
  enum class operation : std::uint8_t { push, pop };

  queue() noexcept = default;
  ~queue() {
    if (line_.awaited()) [[unlikely]]
      detail::destroyed_while_awaited("a queue");
  }

  /// Waits for room.
  auto push(T item) noexcept { return detail::event_wait<queue, operation::push>(*this, item); }
  [[nodiscard]] bool try_push(T item) noexcept { return detail::try_event<operation::push>(*this, item); }
  /// Waits for an item; co_await gives it.
  auto pop() noexcept { return detail::event_wait<queue, operation::pop>(*this, T{}); }
  [[nodiscard]] std::optional<T> try_pop() noexcept { return detail::try_event<operation::pop>(*this); }

  /// Its address for other places; it must lie in the segment.
  [[nodiscard]] global_ptr<queue> address() { return to_global(this); }

  /// For the runtime.
  detail::wait_list& line() noexcept { return line_; }
  [[gnu::always_inline]] bool attempt(operation op, std::uint64_t&, T& item) noexcept {
    return op == operation::push ? slots_.put(item) : slots_.take(item);
  }
  /// The number of items that a hardware line holds at most; 0: the queue cannot use one.
  static constexpr std::uint32_t line_items = sizeof(T) <= sizeof(std::uint64_t) && Slots <= 64 ? Slots : 0;
  static constexpr bool line_bounded = true;
  static constexpr bool puts(operation op) noexcept { return op == operation::push; }
  [[nodiscard]] bool may_move(std::uint64_t) const noexcept { return slots_.empty(); }
  static constexpr bool takes(operation op) noexcept { return op == operation::push; }
  static constexpr bool gives(operation op) noexcept { return op == operation::pop; }
  static constexpr char const* name(operation op) noexcept {
    return op == operation::push ? "push to a full queue" : "pop of an empty queue";
  }

 private:
  detail::wait_list line_;
  detail::slots<T, Slots> slots_;
};

/// One request, one reply; waits until the queue has room.
template <class T, std::size_t Slots>
auto push(global_ptr<queue<T, Slots>> p, std::type_identity_t<T> item,
          std::source_location at = std::source_location::current()) {
  return detail::call_event<queue<T, Slots>::operation::push>(p, item, at);
}
/// One request, one reply; co_await gives false if the queue was full.
template <class T, std::size_t Slots>
auto try_push(global_ptr<queue<T, Slots>> p, std::type_identity_t<T> item,
              std::source_location at = std::source_location::current()) {
  return detail::call_try_event<queue<T, Slots>::operation::push>(p, item, at);
}

}  // namespace tess
