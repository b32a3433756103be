// timer: a pairing heap of timers for each worker, and their expiry.
#include "tess/detail/tasks/timer.hpp"

#include <chrono>
#include <utility>

#include "runtime/tasks/worker_loop.hpp"

namespace tess::detail {

/// Both are roots, or null.
timer* timer_queue::merge(timer* a, timer* b) noexcept {
  if (a == nullptr) return b;
  if (b == nullptr) return a;
  if (b->due < a->due) std::swap(a, b);
  b->previous = a;
  b->next = a->first_child;
  if (b->next != nullptr) b->next->previous = b;
  a->first_child = b;
  return a;
}

/// Merges pairs, then all pairs from the last to the first, without recursion.
timer* timer_queue::merge_siblings(timer* first) noexcept {
  timer* pairs = nullptr;
  while (first != nullptr) {
    timer* const a = first;
    timer* const b = a->next;
    first = b == nullptr ? nullptr : b->next;
    a->next = a->previous = nullptr;
    if (b != nullptr) b->next = b->previous = nullptr;
    timer* const pair = merge(a, b);
    pair->next = pairs;
    pairs = pair;
  }
  timer* root = nullptr;
  while (pairs != nullptr) {
    timer* const pair = std::exchange(pairs, pairs->next);
    pair->next = nullptr;
    root = merge(root, pair);
  }
  return root;
}

void timer_queue::insert(timer& t) noexcept {
  t.first_child = t.next = t.previous = nullptr;
  root_ = merge(root_, &t);
}

void timer_queue::remove(timer& t) noexcept {
  timer* const below = merge_siblings(std::exchange(t.first_child, nullptr));
  if (&t == root_) {
    root_ = below;
    return;
  }
  (t.previous->first_child == &t ? t.previous->first_child : t.previous->next) = t.next;
  if (t.next != nullptr) t.next->previous = t.previous;
  t.next = t.previous = nullptr;
  root_ = merge(root_, below);
}

void start_timer(timer& t) noexcept {
  t.owner = self;
  this_worker().timers.insert(t);
}

void cancel_timer(timer& t) noexcept {
  if (t.owner == nullptr) return;
  static_cast<worker_state*>(std::exchange(t.owner, nullptr))->timers.remove(t);
}

void expire_timers(worker_state& w) noexcept {
  auto const now = std::chrono::steady_clock::now();
  while (!w.timers.empty() && w.timers.earliest().due <= now) {
    timer& t = w.timers.earliest();
    cancel_timer(t);
    t.expire(t);
  }
}

}  // namespace tess::detail
