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

#include <source_location>

#include "tess/detail/events/fifo.hpp"

namespace tess {

template <class T, std::size_t Slots = 64>
class match_queue : public detail::fifo<match_queue<T, Slots>, T, Slots> {
 public:
  match_queue() noexcept = default;

 private:
  friend detail::fifo<match_queue, T, Slots>;
  static constexpr char const* a_queue = "a match_queue";
  static constexpr char const* full = "push to a full match_queue";
  static constexpr char const* empty = "pop of an empty match_queue";
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
