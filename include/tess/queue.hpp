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

#include <source_location>

#include "tess/detail/events/fifo.hpp"

namespace tess {

template <class T, std::size_t Slots = 64>
class queue : public detail::fifo<queue<T, Slots>, T, Slots> {
 public:
  queue() noexcept = default;

 private:
  friend detail::fifo<queue, T, Slots>;
  static constexpr char const* a_queue = "a queue";
  static constexpr char const* full = "push to a full queue";
  static constexpr char const* empty = "pop of an empty queue";
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
