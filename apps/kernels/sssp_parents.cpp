// sssp_parents: the vertex before each on a shortest path, found from the distances: an edge (u, v) is on one if the
// distance of u and its weight are that of v.
//
//   First every vertex takes the smallest u that is nearer. What is left has edges of no length on all its shortest
//   paths: rounds, as of a breadth-first search from the vertices that have a parent, give these one. Without such
//   edges there is no round.
#include <algorithm>
#include <atomic>

#include "kernels/gather_block_array.hpp"
#include "kernels/outboxes.hpp"
#include "kernels/sssp_steps.hpp"
#include "kernels/vertex_list.hpp"

namespace kernels {

namespace {

struct proposal {
  vertex of;
  vertex parent;
};

constexpr std::uint64_t rows_of_a_task = 1024;

}  // namespace

// The view of one place.
template <class Distance>
class sssp_parents {
 public:
  sssp_parents(sssp<Distance> const& k, tess::global_array<vertex> parents, outboxes<proposal> const& boxes)
      : k_(k),
        s_(*k.state_),
        part_(s_.part),
        known_(k.known_.local().data()),
        parents_(parents.local().data()),
        boxes_(boxes),
        proposed_(part_.vertices, no_vertex) {}

  tess::task<void> run(std::span<vertex const> sources) {
    // Until now a place knows its own distances only.
    co_await tess::barrier();
    co_await k_.known_.gather();
    std::fill_n(parents_, part_.count, no_vertex);
    for (vertex const source : sources)
      if (part_.owns(source)) parents_[source - part_.first] = source;
    co_await tess::forall_chunks(0, part_.count, rows_of_a_task, [this](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i)
        if (known_[part_.first + i] != infinitely_far<Distance>) propose(i, true);
    });
    co_await take_proposals();
    std::vector<vertex> newest(part_.count);
    for (vertex i = 0; i < part_.count; ++i) newest[i] = i;
    std::erase_if(newest, [this](vertex i) { return parents_[i] == no_vertex; });
    while (co_await tess::all_reduce(without_parent()) != 0) {
      for (vertex const i : newest) propose(i, false);
      newest = co_await take_proposals();
    }
  }

 private:
  [[nodiscard]] std::uint64_t without_parent() const {
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < part_.count; ++i)
      count += parents_[i] == no_vertex && known_[part_.first + i] != infinitely_far<Distance> ? 1 : 0;
    return count;
  }

  // The own vertex i as the parent of those behind it that are farther, or as far.
  void propose(std::uint64_t i, bool farther) {
    auto const u = static_cast<vertex>(part_.first + i);
    Distance const from = known_[u];
    for (std::uint64_t e = part_.out.offsets[i]; e < part_.out.offsets[i + 1]; ++e) {
      auto const [v, weight] = s_.targets[e];
      if (static_cast<Distance>(from + weight) != known_[v] || (from < known_[v]) != farther) continue;
      std::atomic_ref const least(proposed_[v]);
      vertex before = least.load(std::memory_order_relaxed);
      while (u < before && !least.compare_exchange_weak(before, u, std::memory_order_relaxed)) {
      }
    }
  }

  // The own vertices that got a parent, from the place's first.
  tess::task<std::vector<vertex>> take_proposals() {
    auto& open = boxes_.of_worker(0);
    for (vertex v = 0; v < part_.vertices; ++v) {
      if (proposed_[v] == no_vertex || part_.owns(v)) continue;
      open[k_.graph_.owner(v)].push_back({v, proposed_[v]});
      proposed_[v] = no_vertex;
    }
    for (proposal const& p : (co_await boxes_.swap()).messages) proposed_[p.of] = std::min(proposed_[p.of], p.parent);
    std::vector<vertex> got;
    for (vertex i = 0; i < part_.count; ++i) {
      vertex const parent = std::exchange(proposed_[part_.first + i], no_vertex);
      if (parent == no_vertex || parents_[i] != no_vertex) continue;
      parents_[i] = parent;
      got.push_back(i);
    }
    co_return got;
  }

  sssp<Distance> const& k_;
  sssp_state<Distance>& s_;
  graph::graph_part const& part_;
  Distance const* known_;
  vertex* parents_;
  outboxes<proposal> const& boxes_;
  std::vector<vertex> proposed_;  // for each vertex of the graph
};

template <class Distance>
tess::task<std::vector<vertex>> sssp<Distance>::parents(std::vector<vertex> sources) const {
  auto const found = co_await tess::global_array<vertex>::make(graph_.block() * tess::places());
  auto const boxes = co_await outboxes<proposal>::make();
  vertex_list const list(sources);
  co_await tess::on_all_places(
      [](sssp all, tess::global_array<vertex> into, outboxes<proposal> by, vertex_list from) -> tess::task<void> {
        std::vector<vertex> const starts = co_await from.read();
        sssp_parents<Distance> one(all, into, by);
        co_await one.run(starts);
      },
      *this, found, boxes, list);
  std::vector<vertex> gathered = co_await gather_block_array(graph_, found);
  vertex_list::release(list);
  co_await outboxes<proposal>::release(boxes);
  co_await tess::global_array<vertex>::release(found);
  co_return gathered;
}

template tess::task<std::vector<vertex>> sssp<std::uint32_t>::parents(std::vector<vertex>) const;
template tess::task<std::vector<vertex>> sssp<double>::parents(std::vector<vertex>) const;

}  // namespace kernels
