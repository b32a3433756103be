// bc_words: the levels of one place, away from the source and back.
#include "kernels/bc_words.hpp"

#include <algorithm>

namespace kernels {

namespace {

constexpr std::uint64_t vertices_per_task = 64;
constexpr std::uint32_t far_away = UINT32_MAX;

struct found_here {
  bc_result result;
  atomic_counts taken;
};

struct bc_arrays {
  graph::distributed_graph g;
  tess::global_array<double> scores;
  tess::global_array<std::uint32_t> distances;
  tess::global_array<std::uint64_t> paths;
  tess::global_array<double> shares;  // (1 + dependency) / paths of the levels done on the way back, 0 of others
  vertex_set next;
};

class word_centrality {
 public:
  word_centrality(bc_arrays const& a, pace how)
      : a_(a),
        pace_(how),
        part_(a.g.part()),
        scores_(a.scores.local().data()),
        distances_(a.distances.local().data()),
        paths_(a.paths.local().data()),
        shares_(a.shares.local().data()) {}

  tess::task<void> run(std::vector<vertex> const& sources, found_here& found) {
    found.result = {};
    std::fill_n(scores_, part_.count, 0.0);
    for (vertex const source : sources) {
      co_await begin(source);
      co_await count_paths();
      found.result.levels += begins_.size() - 1;
      co_await share_out();
    }
    bool const mine = counted_.load(std::memory_order_relaxed);
    found.result.counted = co_await tess::all_reduce(mine, [](bool a, bool b) { return a && b; });
    found.taken = co_await tess::all_reduce(taken_.value());
  }

 private:
  struct pair {
    vertex child;
    std::uint64_t paths;
  };

  tess::task<void> begin(vertex source) {
    std::fill_n(distances_, part_.count, far_away);
    std::fill_n(paths_, part_.count, std::uint64_t{0});
    std::fill_n(shares_, part_.count, 0.0);
    order_.clear();
    begins_ = {0};
    if (part_.owns(source)) {
      distances_[source - part_.first] = 0;
      paths_[source - part_.first] = 1;
      order_ = {source};
    }
    co_await tess::barrier();
  }

  // Away from the source: order_[begins_[d], begins_[d + 1]) are the own vertices at distance d.
  tess::task<void> count_paths() {
    std::uint64_t size = 1;
    for (std::uint32_t distance = 1; size != 0; ++distance) {
      std::uint64_t const begin = begins_.back();
      begins_.push_back(order_.size());
      claimed_ = 0;
      co_await tess::forall_chunks(
          begin, order_.size(), vertices_per_task,
          [this, distance](std::uint64_t b, std::uint64_t e) { return count(b, e, distance); });
      // All places have counted; a place that continues inserts into the other half.
      size = co_await tess::all_reduce(claimed_.load(std::memory_order_relaxed));
      std::vector<vertex> const found = a_.next.take(distance % 2, [](vertex) { return true; });
      order_.insert(order_.end(), found.begin(), found.end());
    }
  }

  tess::task<void> count(std::uint64_t begin, std::uint64_t end, std::uint32_t distance) {
    std::vector<pair> edges;
    std::vector<pair> next;
    std::vector<vertex> claimed;
    for (std::uint64_t i = begin; i < end; ++i) {
      std::uint64_t const row = order_[i] - part_.first;
      for (vertex const v : part_.out.neighbours(row))
        if (!part_.owns(v) || std::atomic_ref(distances_[v - part_.first]).load(std::memory_order_relaxed) >= distance)
          edges.push_back({v, paths_[row]});
    }
    co_await word_operations(
        pace_, 0, edges.size(),
        [e = edges.data(), to = a_.distances, distance](std::uint64_t k) {
          return tess::compare_swap(to[e[k].child], far_away, distance);
        },
        [e = edges.data(), n = &next, c = &claimed, distance](std::uint64_t k, std::uint32_t before) {
          if (before == far_away) c->push_back(e[k].child);
          if (before == far_away || before == distance) n->push_back(e[k]);
        });
    co_await word_operations(
        pace_, 0, next.size(),
        [n = next.data(), to = a_.paths](std::uint64_t k) { return tess::fetch_add(to[n[k].child], n[k].paths); },
        [this, n = next.data()](std::uint64_t k, std::uint64_t before) {
          if (before + n[k].paths < before) counted_.store(false, std::memory_order_relaxed);
        });
    co_await word_operations(pace_, 0, claimed.size(), [c = claimed.data(), set = a_.next, distance](std::uint64_t k) {
      return set.insert(c[k], distance % 2);
    });
    auto const elsewhere = [this](vertex v) { return !part_.owns(v); };
    auto const remote = std::ranges::count_if(edges, elsewhere, &pair::child) +
                        std::ranges::count_if(next, elsewhere, &pair::child) +
                        std::ranges::count_if(claimed, elsewhere);
    taken_.add({edges.size() + next.size() + claimed.size(), static_cast<std::uint64_t>(remote)});
    claimed_.fetch_add(claimed.size(), std::memory_order_relaxed);
  }

  // Back towards it, which needs no share of the source. The last level found is empty, the one before has no
  // dependencies.
  tess::task<void> share_out() {
    std::uint64_t const last = begins_.size() - 2;
    for (std::uint64_t level = last; level > 0; --level) {
      std::vector<double> shares(begins_[level + 1] - begins_[level]);
      co_await tess::forall_chunks(begins_[level], begins_[level + 1], vertices_per_task,
                                   [this, level, last, to = shares.data()](std::uint64_t b, std::uint64_t e) {
                                     return share(b, e, level == last, to - begins_[level]);
                                   });
      // The level's shares are not read before all of its vertices are done, and then they are visible to all.
      co_await tess::barrier();
      for (std::uint64_t i = 0; i < shares.size(); ++i) shares_[order_[begins_[level] + i] - part_.first] = shares[i];
      co_await tess::barrier();
    }
  }

  tess::task<void> share(std::uint64_t begin, std::uint64_t end, bool last, double* shares) {
    for (std::uint64_t i = begin; i < end; ++i) {
      std::uint64_t const row = order_[i] - part_.first;
      auto const paths = static_cast<double>(paths_[row]);
      double sum = 0;
      if (!last) {
        std::span<vertex const> const of = part_.out.neighbours(row);
        co_await word_operations(
            pace_, 0, of.size(), [of, from = a_.shares](std::uint64_t k) { return tess::get(from[of[k]]); },
            [&sum](std::uint64_t, double share) { sum += share; });
      }
      double const dependency = paths * sum;
      scores_[row] += dependency;
      shares[i] = (1 + dependency) / paths;
    }
  }

  bc_arrays a_;
  pace pace_;
  graph::graph_part const& part_;
  double* scores_;
  std::uint32_t* distances_;
  std::uint64_t* paths_;
  double* shares_;
  std::vector<vertex> order_;
  std::vector<std::uint64_t> begins_;
  std::atomic<std::uint64_t> claimed_{0};
  std::atomic<bool> counted_{true};
  atomic_counter taken_;
};

}  // namespace

tess::task<bc_result> bc_by_words(graph::distributed_graph g, tess::global_array<double> scores,
                                  std::vector<vertex> sources, atomic_counts& taken, pace how) {
  std::uint64_t const own = g.block() * tess::places();
  bc_arrays a{g, scores, {}, {}, {}, {}};
  a.distances = co_await tess::global_array<std::uint32_t>::make(own);
  a.paths = co_await tess::global_array<std::uint64_t>::make(own);
  a.shares = co_await tess::global_array<double>::make(own);
  a.next = co_await vertex_set::make(g);
  auto const found = co_await tess::place_local<found_here>::make();
  tess::global_ptr<vertex> const list = tess::allocate<vertex>(std::max<std::uint64_t>(sources.size(), 1));
  std::ranges::copy(sources, list.local());
  co_await tess::on_all_places(
      [](bc_arrays arrays, tess::global_ptr<vertex> from, std::uint64_t n, tess::place_local<found_here> into,
         pace p) -> tess::task<void> {
        std::vector<vertex> all(n);
        if (n != 0) co_await tess::get(from, std::span(all));
        word_centrality one(arrays, p);
        co_await one.run(all, *into);
      },
      a, list, sources.size(), found, how);
  bc_result const result = found->result;
  taken = found->taken;
  tess::deallocate(list);
  co_await tess::place_local<found_here>::release(found);
  co_await vertex_set::release(a.next);
  co_await tess::global_array<double>::release(a.shares);
  co_await tess::global_array<std::uint64_t>::release(a.paths);
  co_await tess::global_array<std::uint32_t>::release(a.distances);
  co_return result;
}

}  // namespace kernels
