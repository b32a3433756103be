// tree_barrier: links the counters of the nodes of a tree: node i has the children 4 i + 1 to 4 i + 4.
#include "tess/tree_barrier.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tess/at.hpp"
#include "tess/place.hpp"

namespace tess {

namespace detail {

void refuse_barrier(char const* what, place_id place) {
  throw error("tree_barrier", std::string(what) + ": place " + std::to_string(place),
              "places of the job, each once, as given to make()");
}

namespace {

constexpr std::size_t children_max = event_counter::notifications_max;

struct position {
  place_id parent;  ///< of the root: its own place
  std::uint32_t children_count;
  place_id children[children_max];
};

position position_of(std::span<place_id const> members, std::size_t i) {
  position p{members[i == 0 ? 0 : (i - 1) / children_max], 0, {}};
  for (std::size_t c = children_max * i + 1; c <= children_max * (i + 1) && c < members.size(); ++c)
    p.children[p.children_count++] = members[c];
  return p;
}

constexpr auto link_node = [](place_local<barrier_node> nodes, position at, std::uint32_t tasks) {
  auto const counter_of = [&](place_id p, event_counter const& mine) {
    return global_ptr<event_counter>(p, offset_of(to_global(static_cast<void const*>(&mine))));
  };
  barrier_node& n = *nodes;
  if (n.member) refuse_barrier("listed twice", here());
  n.member = true;
  std::int64_t const arrivals = std::int64_t{tasks} + at.children_count;
  n.up.set(arrivals, arrivals);
  n.down.set(1, 1);
  if (at.parent == here())
    n.up.notify(counter_of(here(), n.down));
  else
    n.up.notify(counter_of(at.parent, n.up));
  for (std::uint32_t c = 0; c < at.children_count; ++c) n.down.notify(counter_of(at.children[c], n.down));
};

}  // namespace
}  // namespace detail

task<tree_barrier> tree_barrier::make(std::span<place_id const> members, std::uint32_t tasks_each) {
  if (members.empty() || tasks_each == 0)
    throw error("tree_barrier", "no members or no tasks", "at least one place, and one task at each");
  auto const unknown = std::ranges::find_if(members, [](place_id p) { return p >= places(); });
  if (unknown != members.end()) detail::refuse_barrier("no such member", *unknown);
  tree_barrier const b(co_await place_local<detail::barrier_node>::make());
  std::exception_ptr failed;
  try {
    co_await finish([&] {
      for (std::size_t i = 0; i < members.size(); ++i)
        at_async(members[i], detail::link_node, b.nodes_, detail::position_of(members, i), tasks_each);
    });
  } catch (...) {
    failed = std::current_exception();
  }
  if (failed) {
    co_await release(b);
    std::rethrow_exception(failed);
  }
  co_return b;
}

task<tree_barrier> tree_barrier::make(std::uint32_t tasks_each) {
  std::vector<place_id> members(places());
  for (std::size_t p = 0; p < members.size(); ++p) members[p] = static_cast<place_id>(p);
  co_return co_await make(members, tasks_each);
}

task<void> tree_barrier::release(tree_barrier b) {
  return place_local<detail::barrier_node>::release(b.nodes_);
}

}  // namespace tess
