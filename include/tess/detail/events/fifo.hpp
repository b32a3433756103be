// fifo: what queue and match_queue share: a line of waiting tasks and slots for items, pushed and popped in order.
//
//   The two differ in who may pop: tasks of the queue's place, or tasks of any place.
//
// Threads  any task.
#pragma once

#include <optional>

#include "tess/detail/events/event.hpp"
#include "tess/detail/events/slots.hpp"

namespace tess::detail {

/// Queue: the class that derives from this; it has texts for reports: `a_queue`, `full`, `empty`.
template <class Queue, class T, std::size_t Slots>
class fifo {
  static_assert(event_value<T> && sizeof(T) <= event_value_bytes_max,
                "the items of a queue must be trivially copyable, default constructible and of at most 1 KiB");

 public:
  using value_type = T;
  enum class operation : std::uint8_t { push, pop };

  /// Waits for room, unless a pop is waiting.
  auto push(T item, std::source_location at = std::source_location::current()) noexcept {
    return event_wait<Queue, operation::push>(self(), item, at);
  }
  [[nodiscard]] bool try_push(T item) noexcept { return try_event<operation::push>(self(), item); }
  /// Waits for an item; co_await gives it.
  auto pop(std::source_location at = std::source_location::current()) noexcept {
    return event_wait<Queue, operation::pop>(self(), T{}, at);
  }
  [[nodiscard]] std::optional<T> try_pop() noexcept { return try_event<operation::pop>(self()); }

  /// Its address for other places; it must lie in the segment.
  [[nodiscard]] global_ptr<Queue> address() { return to_global(&self()); }

  fifo(fifo const&) = delete;
  fifo& operator=(fifo const&) = delete;

 protected:
  fifo() noexcept = default;
  ~fifo() {
    if (line_.awaited()) [[unlikely]]
      destroyed_while_awaited(Queue::a_queue);
  }

 private:
  friend struct access;
  Queue& self() noexcept { return static_cast<Queue&>(*this); }

  [[gnu::always_inline]] bool attempt(operation op, std::uint64_t&, T& item) noexcept {
    return op == operation::push ? slots_.put(item) : slots_.take(item);
  }
  static constexpr std::uint32_t line_items = sizeof(T) <= sizeof(std::uint64_t) && Slots <= 64 ? Slots : 0;
  static constexpr bool line_bounded = true;
  static constexpr bool puts(operation op) noexcept { return op == operation::push; }
  [[nodiscard]] bool may_move(std::uint64_t) const noexcept { return slots_.empty(); }
  static constexpr bool takes(operation op) noexcept { return op == operation::push; }
  static constexpr bool gives(operation op) noexcept { return op == operation::pop; }
  static constexpr char const* name(operation op) noexcept {
    return op == operation::push ? Queue::full : Queue::empty;
  }

  wait_list line_;
  slots<T, Slots> slots_;
};

}  // namespace tess::detail
