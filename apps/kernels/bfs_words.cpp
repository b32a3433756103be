// bfs_words: the levels of one place.
#include "kernels/bfs_words.hpp"

#include <algorithm>
#include <span>

#include "kernels/vertex_list.hpp"

namespace kernels {

namespace {

constexpr std::uint64_t vertices_per_task = 64;

struct found_here {
  bfs_result result;
  atomic_counts taken;
};

class word_search {
 public:
  word_search(graph::distributed_graph g, tess::global_array<vertex> parents, vertex_set next, pace how)
      : graph_(g), part_(g.part()), parents_(parents), own_(parents.local().data()), next_(next), pace_(how) {}

  tess::task<void> run(std::span<vertex const> sources, found_here& found) {
    std::fill_n(own_, part_.count, unreached);
    for (vertex const source : sources) {
      if (!part_.owns(source) || own_[source - part_.first] != unreached) continue;
      own_[source - part_.first] = source;
      front_.push_back(source);
    }
    found.result = {};
    std::uint64_t size = co_await tess::all_reduce(std::uint64_t{front_.size()});
    std::uint64_t edges = 0;
    for (unsigned half = 1; size != 0; half = 1 - half) {
      found.result.levels.push_back(size);
      found.result.reached += size;
      for (vertex const u : front_) edges += part_.out.degree(u - part_.first);
      claimed_ = 0;
      co_await tess::forall_chunks(
          0, front_.size(), vertices_per_task,
          [this, half](std::uint64_t begin, std::uint64_t end) { return expand(begin, end, half); });
      // All places have expanded; a place that continues inserts into the other half.
      size = co_await tess::all_reduce(claimed_.load(std::memory_order_relaxed));
      front_ = next_.take(half, [](vertex) { return true; });
    }
    found.result.edges = co_await tess::all_reduce(edges);
    found.taken = co_await tess::all_reduce(taken_.value());
  }

 private:
  tess::task<void> expand(std::uint64_t begin, std::uint64_t end, unsigned half) {
    std::vector<parent_edge> edges;
    std::vector<vertex> claimed;
    atomic_counts taken;
    for (std::uint64_t i = begin; i < end; ++i) {
      for (vertex const v : part_.out.neighbours(front_[i] - part_.first)) {
        bool const own = part_.owns(v);
        if (own && std::atomic_ref(own_[v - part_.first]).load(std::memory_order_relaxed) != unreached) continue;
        edges.push_back({v, front_[i]});
        taken.remote += own ? 0 : 1;
      }
    }
    co_await word_operations(
        pace_, 0, edges.size(),
        [e = edges.data(), to = parents_](std::uint64_t k) {
          return tess::compare_swap(to[e[k].child], unreached, e[k].parent);
        },
        [e = edges.data(), c = &claimed](std::uint64_t k, vertex before) {
          if (before == unreached) c->push_back(e[k].child);
        });
    co_await word_operations(pace_, 0, claimed.size(), [c = claimed.data(), next = next_, half](std::uint64_t k) {
      return next.insert(c[k], half);
    });
    taken.all = edges.size() + claimed.size();
    taken.remote +=
        static_cast<std::uint64_t>(std::ranges::count_if(claimed, [&](vertex v) { return !part_.owns(v); }));
    taken_.add(taken);
    claimed_.fetch_add(claimed.size(), std::memory_order_relaxed);
  }

  graph::distributed_graph graph_;
  graph::graph_part const& part_;
  tess::global_array<vertex> parents_;
  vertex* own_;
  vertex_set next_;
  pace pace_;
  std::vector<vertex> front_;
  std::atomic<std::uint64_t> claimed_{0};
  atomic_counter taken_;
};

}  // namespace

tess::task<bfs_result> bfs_by_words(graph::distributed_graph g, tess::global_array<vertex> parents,
                                    std::vector<vertex> sources, atomic_counts& taken, pace how) {
  vertex_list const list(sources);
  vertex_set const next = co_await vertex_set::make(g);
  auto const found = co_await tess::place_local<found_here>::make();
  co_await tess::on_all_places(
      [](graph::distributed_graph all, tess::global_array<vertex> to, vertex_set set, vertex_list from,
         tess::place_local<found_here> into, pace p) -> tess::task<void> {
        std::vector<vertex> const starts = co_await from.read();
        word_search search(all, to, set, p);
        co_await search.run(starts, *into);
      },
      g, parents, next, list, found, how);
  vertex_list::release(list);
  bfs_result result = found->result;
  taken = found->taken;
  co_await tess::place_local<found_here>::release(found);
  co_await vertex_set::release(next);
  co_return result;
}

}  // namespace kernels
