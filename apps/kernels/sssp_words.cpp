// sssp_words: the sweeps of one place, and how all places agree on the next bin.
#include "kernels/sssp_words.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/vertex_list.hpp"

namespace kernels {

namespace {

constexpr std::uint64_t vertices_per_task = 64;
constexpr double nothing = std::numeric_limits<double>::infinity();

struct found_here {
  sssp_result result;
  atomic_counts taken;
};

template <class Distance>
class word_relaxation {
 public:
  word_relaxation(graph::distributed_graph g, Distance const* weights, tess::global_array<Distance> distances,
                  vertex_set nearer, pace how)
      : part_(g.part()),
        weights_(weights),
        distances_(distances),
        own_(distances.local().data()),
        nearer_(nearer),
        pace_(how) {}

  tess::task<void> run(std::span<vertex const> sources, double delta, found_here& found) {
    std::fill_n(own_, part_.count, infinitely_far<Distance>);
    for (vertex const source : sources) {
      if (!part_.owns(source)) continue;
      own_[source - part_.first] = 0;
      co_await nearer_.insert(source, 0);
    }
    co_await tess::barrier();
    found.result = {};
    for (double lowest = 0; lowest != nothing; ++found.result.steps) {
      // Above the lowest also where a double cannot tell bins apart.
      double const end = std::max((std::floor(lowest / delta) + 1) * delta, std::nextafter(lowest, nothing));
      left_ = nothing;
      front_ = nearer_.take(0, [this, end](vertex v) {
        auto const d = static_cast<double>(distance(v));
        if (d >= end) left_ = std::min(left_.load(std::memory_order_relaxed), d);
        return d < end;
      });
      co_await tess::forall_chunks(0, front_.size(), vertices_per_task,
                                   [this](std::uint64_t b, std::uint64_t e) { return relax(b, e); });
      // A vertex that came nearer is counted by the place that found it: the owner may have looked before.
      lowest = co_await tess::all_reduce(left_.load(std::memory_order_relaxed),
                                         [](double a, double b) { return std::min(a, b); });
    }
    found.taken = co_await tess::all_reduce(taken_.value());
  }

 private:
  struct relaxation {
    vertex v;
    Distance by;
  };

  [[nodiscard]] Distance distance(vertex v) const noexcept {
    return std::atomic_ref(own_[v - part_.first]).load(std::memory_order_relaxed);
  }

  tess::task<void> relax(std::uint64_t begin, std::uint64_t end) {
    std::vector<relaxation> edges;
    std::vector<relaxation> nearer;
    atomic_counts taken;
    for (std::uint64_t i = begin; i < end; ++i) {
      std::uint64_t const row = front_[i] - part_.first;
      Distance const from = distance(front_[i]);
      for (std::uint64_t k = part_.out.offsets[row]; k < part_.out.offsets[row + 1]; ++k) {
        vertex const v = part_.out.targets[k];
        Distance const by = from + weights_[k];
        bool const own = part_.owns(v);
        if (own && distance(v) <= by) continue;
        edges.push_back({v, by});
        taken.remote += own ? 0 : 1;
      }
    }
    co_await word_operations(
        pace_, 0, edges.size(),
        [e = edges.data(), to = distances_](std::uint64_t k) { return tess::fetch_min(to[e[k].v], e[k].by); },
        [e = edges.data(), n = &nearer](std::uint64_t k, Distance before) {
          if (e[k].by < before) n->push_back(e[k]);
        });
    co_await word_operations(pace_, 0, nearer.size(),
                             [n = nearer.data(), set = nearer_](std::uint64_t k) { return set.insert(n[k].v, 0); });
    double lowest = nothing;
    for (relaxation const& r : nearer) {
      lowest = std::min(lowest, static_cast<double>(r.by));
      taken.remote += part_.owns(r.v) ? 0 : 1;
    }
    taken.all = edges.size() + nearer.size();
    taken_.add(taken);
    for (double known = left_.load(std::memory_order_relaxed);
         lowest < known && !left_.compare_exchange_weak(known, lowest, std::memory_order_relaxed);) {
    }
  }

  graph::graph_part const& part_;
  Distance const* weights_;
  tess::global_array<Distance> distances_;
  Distance* own_;
  vertex_set nearer_;
  pace pace_;
  std::vector<vertex> front_;
  std::atomic<double> left_{nothing};  // the lowest distance of what is left to do, as far as known here
  atomic_counter taken_;
};

}  // namespace

template <class Distance>
tess::task<sssp_result> sssp_by_words(graph::distributed_graph g, graph::edge_weights w,
                                      tess::global_array<Distance> distances, std::vector<vertex> sources, double delta,
                                      atomic_counts& taken, pace how) {
  vertex_list const list(sources);
  vertex_set const nearer = co_await vertex_set::make(g);
  auto const found = co_await tess::place_local<found_here>::make();
  struct arguments {
    graph::distributed_graph g;
    graph::edge_weights w;
    tess::global_array<Distance> distances;
    vertex_set nearer;
    tess::place_local<found_here> found;
    vertex_list sources;
    double delta;
    pace how;
  };
  co_await tess::on_all_places(
      [](arguments a) -> tess::task<void> {
        word_relaxation<Distance> relaxation(a.g, a.w.template local<Distance>(), a.distances, a.nearer, a.how);
        std::vector<vertex> const starts = co_await a.sources.read();
        co_await relaxation.run(starts, a.delta, *a.found);
      },
      arguments{g, w, distances, nearer, found, list, delta, how});
  vertex_list::release(list);
  sssp_result const result = found->result;
  taken = found->taken;
  co_await tess::place_local<found_here>::release(found);
  co_await vertex_set::release(nearer);
  co_return result;
}

template tess::task<sssp_result> sssp_by_words(graph::distributed_graph, graph::edge_weights,
                                               tess::global_array<std::uint32_t>, std::vector<vertex>, double,
                                               atomic_counts&, pace);
template tess::task<sssp_result> sssp_by_words(graph::distributed_graph, graph::edge_weights,
                                               tess::global_array<double>, std::vector<vertex>, double, atomic_counts&,
                                               pace);

}  // namespace kernels
