// tree_barrier: a reusable barrier of chosen tasks at chosen places: a tree of event_counters.
//
//   Each place has a node of two counters. `up` counts the arrivals of the place's tasks and of its children in the
//   tree, then notifies its parent's; the root's notifies `down`, which releases the place's tasks and notifies its
//   children's. Both reload themselves, so no task runs except the arriving ones. barrier(), in contrast, is over all
//   places, with one task each, in a dissemination pattern.
//
// Threads  any task of a member place, `tasks_each` of them in each episode.
// Errors   tess::error if a place is not a member, or is listed twice. Released while tasks wait: the job ends.
// Cost     an episode of P places: 2 (P - 1) messages, 2 log4(P) of them in sequence; at a place one cache line for
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
/// The name that the stall report shows for tasks that wait for the barrier.
struct release_counter : event_counter {
  using event_counter::event_counter;
  auto wait_for_release(std::uint64_t phase, std::source_location at) noexcept {
    return event_wait<release_counter, operation::wait>(*this, phase, at);
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

/// A handle of 8 bytes that travels in `at`.
class tree_barrier {
 public:
  tree_barrier() = default;

  /// Creates a barrier for `tasks_each` tasks at each of `members`; one task calls it for all.
  static task<tree_barrier> make(std::span<place_id const> members, std::uint32_t tasks_each = 1);
  /// Creates a barrier for tasks at every place of the job.
  static task<tree_barrier> make(std::uint32_t tasks_each = 1);
  static task<void> release(tree_barrier b);

  /// Arrives at the call; co_await ends when all have arrived.
  [[nodiscard]] auto arrive_and_wait(std::source_location at = std::source_location::current()) const {
    std::uint64_t const before = arrive();
    return node().down.wait_for_release(before, at);
  }
  /// The two halves of it: other work may be done between them.
  [[nodiscard]] std::uint64_t arrive() const {
    detail::barrier_node& n = node();
    if (!n.member) detail::refuse_barrier("arrival at a place that is no member", here());
    std::uint64_t const before = n.down.phase();
    n.up.add(-1);
    return before;
  }
  [[nodiscard]] auto wait(std::uint64_t arrival, std::source_location at = std::source_location::current()) const {
    return node().down.wait_for_release(arrival, at);
  }

 private:
  explicit tree_barrier(place_local<detail::barrier_node> nodes) : nodes_(nodes) {}
  [[nodiscard]] detail::barrier_node& node() const { return *nodes_; }

  place_local<detail::barrier_node> nodes_;
};

}  // namespace tess
