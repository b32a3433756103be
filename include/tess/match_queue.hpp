// match_queue: pushes and pops from any place, matched in the order of their arrival; pops may come first.
//
//   It holds either items that wait for pops or pops that wait for items, never both: each arrival is matched with
//   the oldest of the other kind. The queue has room for `Slots` items, a power of two; when it is full, push() waits
//   and try_push() fails. Any number of pops may wait.
//
// Units    items of T: trivially copyable, at most 1 KiB.
// Threads  any task of any place.
// Errors   destruction while tasks wait for it ends the job with a message.
// Cost     member: no message, no allocation; the cache lines of the state and of the item; one compare-exchange
//          if the place has several workers. From another place: one request and one reply, one of which carries the
//          item; a wait takes a block of 32 bytes and the item at the queue's place.
// Source   the multiple-reader queues of "Cache-Integrated Network Interfaces" (IJPP 2012).
#pragma once

#include <optional>
#include <source_location>

#include "tess/detail/event.hpp"
#include "tess/detail/slots.hpp"

namespace tess {

template <class T, std::size_t Slots = 64>
class match_queue {
  static_assert(detail::event_value<T> && sizeof(T) <= detail::event_value_bytes_max,
                "match_queue: T must be trivially copyable, default constructible and of at most 1 KiB");

 public:
  using value_type = T;
  enum class operation : std::uint8_t { push, pop };

  match_queue() noexcept = default;
  ~match_queue() {
    if (line_.awaited()) [[unlikely]]
      detail::destroyed_while_awaited("a match_queue");
  }

  /// Waits for room, unless a pop is waiting.
  auto push(T item) noexcept { return detail::event_wait<match_queue, operation::push>(*this, item); }
  [[nodiscard]] bool try_push(T item) noexcept { return detail::try_event<operation::push>(*this, item); }
  /// Waits for an item; co_await gives it.
  auto pop() noexcept { return detail::event_wait<match_queue, operation::pop>(*this, T{}); }
  [[nodiscard]] std::optional<T> try_pop() noexcept { return detail::try_event<operation::pop>(*this); }

  /// Its address for other places; it must lie in the segment.
  [[nodiscard]] global_ptr<match_queue> address() { return to_global(this); }

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
    return op == operation::push ? "push to a full match_queue" : "pop of an empty match_queue";
  }

 private:
  detail::wait_list line_;
  detail::slots<T, Slots> slots_;
};

// The same from any place: one request, one reply.

/// At another place: appends an item, or takes the oldest one.
template <class T, std::size_t Slots>
auto push(global_ptr<match_queue<T, Slots>> p, std::type_identity_t<T> item,
          std::source_location at = std::source_location::current()) {
  return detail::call_event<match_queue<T, Slots>::operation::push>(p, item, at);
}
template <class T, std::size_t Slots>
auto pop(global_ptr<match_queue<T, Slots>> p, std::source_location at = std::source_location::current()) {
  return detail::call_event<match_queue<T, Slots>::operation::pop>(p, {}, at);
}
/// co_await gives false if the queue was full.
template <class T, std::size_t Slots>
auto try_push(global_ptr<match_queue<T, Slots>> p, std::type_identity_t<T> item,
              std::source_location at = std::source_location::current()) {
  return detail::call_try_event<match_queue<T, Slots>::operation::push>(p, item, at);
}
/// co_await gives an empty optional if the queue was empty.
template <class T, std::size_t Slots>
auto try_pop(global_ptr<match_queue<T, Slots>> p, std::source_location at = std::source_location::current()) {
  return detail::call_try_event<match_queue<T, Slots>::operation::pop>(p, {}, at);
}

}  // namespace tess
