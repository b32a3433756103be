// tree_barrier: a barrier of chosen tasks at chosen places, again and again: a tree of event_counters.
//
//   Each place has a node of two counters. `up` counts the arrivals of the place's tasks and of its children in the
//   tree, then notifies its parent's; the root's notifies `down`, which lets the place's tasks go and notifies its
//   children's. Both reload themselves, so no task runs but those that arrive. barrier() is the other one: of all
//   places, one task each, in a dissemination pattern.
//
// Threads  any task of a member place, `tasks_each` of them in each episode.
// Errors   a place that is no member, or listed twice, throws tess::error. Released while tasks wait: the job ends.
// Cost     an episode of P places: 2 (P - 1) messages, 2 log4(P) of them one after the other; at a place one line for
//          each counter. Memory: 320 bytes at every place of the job.
// Source   counter barriers of "Cache-Integrated Network Interfaces" (IJPP 2012), figure 11b.
#pragma once

#include <cstdint>
#include <source_location>
#include <span>

#include "tess/event_counter.hpp"
#include "tess/place_local.hpp"

namespace tess {

namespace detail {
/// What waits for the barrier says so.
struct release_counter : event_counter {
  using event_counter::event_counter;
  auto wait_for_release(std::uint64_t phase) noexcept {
    return event_wait<release_counter, operation::wait>(*this, phase);
  }
  static constexpr char const* name(operation) noexcept { return "tree_barrier"; }
};
struct barrier_node {
  bool member = false;
  event_counter up;
  release_counter down;
};
[[noreturn]] void refuse_barrier(char const* what, place_id place);
}  // namespace detail

/// A handle of 8 bytes, which travels in `at`.
class tree_barrier {
 public:
  tree_barrier() = default;

  /// A barrier for `tasks_each` tasks at each of `members`; called by one task for all.
  static task<tree_barrier> make(std::span<place_id const> members, std::uint32_t tasks_each = 1);
  /// A barrier for tasks at every place of the job.
  static task<tree_barrier> make(std::uint32_t tasks_each = 1);
  static task<void> release(tree_barrier b);

  /// Arrives at the call; co_await ends when all have arrived.
  [[nodiscard]] auto arrive_and_wait() const {
    std::uint64_t const before = arrive();
    return node().down.wait_for_release(before);
  }
  /// The two halves: what lies between may take its time.
  [[nodiscard]] std::uint64_t arrive() const {
    detail::barrier_node& n = node();
    if (!n.member) detail::refuse_barrier("arrival at a place that is no member", here());
    std::uint64_t const before = n.down.phase();
    n.up.add(-1);
    return before;
  }
  [[nodiscard]] auto wait(std::uint64_t arrival) const { return node().down.wait_for_release(arrival); }

 private:
  explicit tree_barrier(place_local<detail::barrier_node> nodes) : nodes_(nodes) {}
  [[nodiscard]] detail::barrier_node& node() const { return *nodes_; }

  place_local<detail::barrier_node> nodes_;
};

}  // namespace tess
