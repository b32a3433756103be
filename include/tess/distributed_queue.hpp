// distributed_queue: a bag of values that every place adds to and takes from, its own values first.
//
//   Made by one task for all places; the handle is a value that travels in `at`. Values are of any type that `at`
//   takes. The order is first in, first out among the values that one place added and takes itself. To wait for a value
//   use queue.hpp; for work that makes more work, balanced.hpp knows when all of it is done.
//
// Threads   any task, of any place.
// Cost      push and a pop of an own value: no message. A pop that finds nothing here asks the other places in turn.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "tess/at.hpp"
#include "tess/detail/tasks/short_lock.hpp"
#include "tess/place_local.hpp"

namespace tess {

template <class T>
class distributed_queue {
  struct part {
    std::deque<T> values;
    detail::short_lock lock;
  };

 public:
  using value_type = T;

  distributed_queue() = default;
  /// Makes an empty one, with a part at each place.
  static task<distributed_queue> make() { co_return distributed_queue(co_await place_local<part>::make()); }
  /// One task calls it, for all, when no task uses the queue any more.
  static task<void> release(distributed_queue q) { return place_local<part>::release(q.parts_); }

  /// Adds a value at this place.
  void push(T value) const { push_here(parts_, std::move(value)); }
  /// Adds it at another one; gathered as at_async is, and the finish waits.
  void push_async(place_argument target, T value) const {
    at_async(target, [](place_local<part> q, T v) { push_here(q, std::move(v)); }, parts_, std::move(value));
  }
  /// Takes a value of this place, or of the next place that has one; nothing if each was empty when it was asked.
  [[nodiscard]] task<std::optional<T>> pop() const {
    place_local<part> const parts = parts_;
    std::optional<T> taken = take_here(parts);
    for (unsigned i = 1; i < places() && !taken; ++i)
      taken = co_await at(
          static_cast<place_id>((here() + i) % places()), [](place_local<part> q) { return take_here(q); }, parts);
    co_return taken;
  }
  /// The values of all places, which are asked one after the other.
  [[nodiscard]] task<std::uint64_t> size() const {
    place_local<part> const parts = parts_;
    std::uint64_t count = 0;
    for (unsigned p = 0; p < places(); ++p)
      count += co_await at(
          static_cast<place_id>(p),
          [](place_local<part> q) {
            std::scoped_lock const hold(q->lock);
            return std::uint64_t{q->values.size()};
          },
          parts);
    co_return count;
  }

 private:
  explicit distributed_queue(place_local<part> parts) noexcept : parts_(parts) {}

  static void push_here(place_local<part> q, T value) {
    std::scoped_lock const hold(q->lock);
    q->values.push_back(std::move(value));
  }
  static std::optional<T> take_here(place_local<part> q) {
    std::scoped_lock const hold(q->lock);
    if (q->values.empty()) return std::nullopt;
    std::optional<T> taken(std::move(q->values.front()));
    q->values.pop_front();
    return taken;
  }

  place_local<part> parts_;
};

template <class T>
inline constexpr bool plain_data<distributed_queue<T>> = true;

}  // namespace tess
