// queue: items from writers anywhere to the tasks of one place, first come, first served; full is a normal outcome.
//
//   `queue<T, Slots>` has room for a power of two of items. try_push() says whether there was room; push() waits for
//   it. pop() waits for an item. Writers at other places use the functions on global_ptr<queue<T, Slots>>; only tasks
//   of its own place read (match_queue is read from anywhere).
//
//   Items of one writer stay in order if it awaits each push; pushes that are under way together have no order.
//
// Units    items of T: trivially copyable, at most 1 KiB. Slots: 2^k, at least 1.
// Threads  any task.
// Errors   destroyed while tasks wait for it: the job ends and says so. Full is no error.
// Cost     member: no message, no allocation; the line of the state and that of the item, and one compare-exchange
//          where the place has several workers. From another place: one request with the item, one reply; a push that
//          waits takes a block of 32 bytes and the item at the queue's place.
// Source   single-reader queues of "Cache-Integrated Network Interfaces" (IJPP 2012), which leaves out the refusal.
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

  /// Its name for other places; it must lie in the segment.
  [[nodiscard]] global_ptr<queue> address() { return to_global(this); }

  /// For the runtime.
  detail::wait_list& line() noexcept { return line_; }
  [[gnu::always_inline]] bool attempt(operation op, std::uint64_t&, T& item) noexcept {
    return op == operation::push ? slots_.put(item) : slots_.take(item);
  }
  /// On a line of the machine: its items at most; 0: it cannot be on one.
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

/// One request, one reply; waits at the queue's place until there is room.
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
