// pagerank_words: an iteration pushes along the own rows, and computes scores from the sums that arrived.
#include "kernels/pagerank_words.hpp"

#include <algorithm>
#include <cmath>

namespace kernels {

namespace {

using graph::vertex;

constexpr std::uint64_t vertices_per_task = 256;
constexpr double fixed_one = 0x1p62;

std::int64_t to_fixed(double x) noexcept {
  return std::llround(x * fixed_one);
}
double from_fixed(std::int64_t x) noexcept {
  return static_cast<double>(x) / fixed_one;
}

struct found_here {
  pagerank_result result;
  atomic_counts taken;
};

// Sums of an iteration's changes (at most 2) and of the ranks of vertices without out-edges (at most 1).
struct sums {
  std::int64_t change = 0;  // half of it: 2 would not fit
  std::int64_t dangling = 0;

  friend sums operator+(sums const& a, sums const& b) noexcept {
    return {a.change + b.change, a.dangling + b.dangling};
  }
};

class word_push {
 public:
  word_push(graph::distributed_graph g, tess::global_array<double> scores, tess::global_array<std::int64_t> arrived,
            pace how)
      : part_(g.part()), scores_(scores.local().data()), arrived_(arrived), own_(arrived.local().data()), pace_(how) {}

  tess::task<void> run(pagerank_rules rules, found_here& found) {
    auto const n = static_cast<double>(part_.vertices);
    std::fill_n(scores_, part_.count, 1 / n);
    found.result = {0, rules.tolerance};
    co_await tess::barrier();
    while (found.result.iterations < rules.iterations_max && found.result.change >= rules.tolerance) {
      co_await tess::forall_chunks(0, part_.count, vertices_per_task,
                                   [this](std::uint64_t begin, std::uint64_t end) { return push(begin, end); });
      sums const kept = co_await tess::all_reduce(sums{0, dangling()});
      double const base = (1 - rules.damping) / n + rules.damping * from_fixed(kept.dangling) / n;
      sums const changed = co_await tess::all_reduce(sums{update(base, rules.damping), 0});
      found.result.change = 2 * from_fixed(changed.change);
      ++found.result.iterations;
    }
    found.taken = co_await tess::all_reduce(taken_.value());
  }

 private:
  struct portion {
    vertex v;
    std::int64_t share;
  };

  [[nodiscard]] std::int64_t dangling() const noexcept {
    std::int64_t sum = 0;
    for (std::uint64_t i = 0; i < part_.count; ++i) sum += part_.out.degree(i) == 0 ? to_fixed(scores_[i]) : 0;
    return sum;
  }

  tess::task<void> push(std::uint64_t begin, std::uint64_t end) {
    std::vector<portion> portions;
    atomic_counts taken;
    for (std::uint64_t i = begin; i < end; ++i) {
      std::uint64_t const degree = part_.out.degree(i);
      if (degree == 0) continue;
      std::int64_t const share = to_fixed(scores_[i] / static_cast<double>(degree));
      for (vertex const v : part_.out.neighbours(i)) {
        portions.push_back({v, share});
        taken.remote += part_.owns(v) ? 0 : 1;
      }
    }
    co_await word_operations(pace_, 0, portions.size(), [p = portions.data(), to = arrived_](std::uint64_t k) {
      return tess::fetch_add(to[p[k].v], p[k].share);
    });
    taken.all = portions.size();
    taken_.add(taken);
  }

  // Computes scores from the sums that arrived; returns half the sum of their changes. Each change is converted to
  // fixed point separately, so that the sum does not depend on the distribution of vertices.
  [[nodiscard]] std::int64_t update(double base, double damping) const noexcept {
    std::int64_t change = 0;
    for (std::uint64_t i = 0; i < part_.count; ++i) {
      std::int64_t const arrived = std::atomic_ref(own_[i]).exchange(0, std::memory_order_relaxed);
      double const score = base + damping * from_fixed(arrived);
      change += to_fixed(std::fabs(score - scores_[i]) / 2);
      scores_[i] = score;
    }
    return change;
  }

  graph::graph_part const& part_;
  double* scores_;
  tess::global_array<std::int64_t> arrived_;
  std::int64_t* own_;
  pace pace_;
  atomic_counter taken_;
};

}  // namespace

tess::task<pagerank_result> pagerank_by_words(graph::distributed_graph g, tess::global_array<double> scores,
                                              pagerank_rules rules, atomic_counts& taken, pace how) {
  auto const arrived = co_await tess::global_array<std::int64_t>::make(g.block() * tess::places());
  auto const found = co_await tess::place_local<found_here>::make();
  co_await tess::on_all_places(
      [](graph::distributed_graph all, tess::global_array<double> to, tess::global_array<std::int64_t> sums,
         pagerank_rules by, tess::place_local<found_here> into, pace p) -> tess::task<void> {
        word_push push(all, to, sums, p);
        co_await push.run(by, *into);
      },
      g, scores, arrived, rules, found, how);
  pagerank_result const result = found->result;
  taken = found->taken;
  co_await tess::place_local<found_here>::release(found);
  co_await tess::global_array<std::int64_t>::release(arrived);
  co_return result;
}

}  // namespace kernels
