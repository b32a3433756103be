// components: the phases, with a barrier between them.
#include "kernels/components.hpp"

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <utility>

namespace kernels {

namespace {

using graph::vertex;

// The paper's: two neighbours suffice to find nearly all of the largest component, 1024 samples to recognise it.
constexpr std::uint64_t sampled_neighbours = 2;
constexpr std::uint64_t samples = 1024;

// Tasks that hide each other's latency, for each worker.
constexpr std::uint64_t tasks_per_worker = 16;

constexpr vertex no_vertex = UINT32_MAX;

constexpr auto relaxed = std::memory_order_relaxed;

// splitmix64: the k-th of a stream of evenly distributed words.
std::uint64_t random_word(std::uint64_t k) noexcept {
  std::uint64_t z = (k + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

// One run, as one place lives it.
class components_run {
 public:
  explicit components_run(components const& c)
      : part_(c.graph_.part()), parents_(c.parents_), own_(c.parents_.local().data()) {}

  tess::task<void> run() {
    co_await over_own([this](vertex i) { own_[i] = part_.first + i; });
    co_await tess::barrier();
    for (std::uint64_t round = 0; round < sampled_neighbours; ++round) {
      co_await in_tasks([this, round](vertex begin, vertex end) { return join_sampled(begin, end, round); });
      co_await tess::barrier();
      co_await in_tasks([this](vertex begin, vertex end) { return compress(begin, end); });
      co_await tess::barrier();
    }
    vertex const largest = co_await most_frequent();
    co_await in_tasks([this, largest](vertex begin, vertex end) { return join_rest(begin, end, largest); });
    co_await tess::barrier();
    co_await in_tasks([this](vertex begin, vertex end) { return compress(begin, end); });
  }

 private:
  template <class F>
  tess::task<void> over_own(F f) {
    for (vertex i = 0; i < part_.count; ++i) f(i);
    co_return;
  }

  // f(begin, end) -> task<> over the own vertices.
  template <class F>
  tess::task<void> in_tasks(F f) {
    std::uint64_t const tasks =
        tess::places() == 1 ? (tess::workers() == 1 ? 1 : 16 * tess::workers()) : tasks_per_worker * tess::workers();
    std::uint64_t const grain = std::max<std::uint64_t>((part_.count + tasks - 1) / tasks, 64);
    co_await tess::forall_chunks(0, part_.count, grain, [f](std::uint64_t begin, std::uint64_t end) {
      return f(static_cast<vertex>(begin), static_cast<vertex>(end));
    });
  }

  [[nodiscard]] bool owns(vertex v) const noexcept { return v - part_.first < part_.count; }
  [[nodiscard]] std::atomic_ref<vertex> own(vertex v) const noexcept { return std::atomic_ref(own_[v - part_.first]); }

  // Two vertices whose components are one.
  struct joint {
    vertex high;
    vertex low;
  };

  // Climbs from both ends until they meet or a root is found, which is hooked under the smaller vertex. Goes as far as
  // own vertices lead; true at the end.
  [[nodiscard]] bool climb_own(joint& j) const noexcept {
    while (j.high != j.low) {
      if (j.high < j.low) std::swap(j.high, j.low);
      if (!owns(j.high)) return false;
      vertex above = own(j.high).load(relaxed);
      if (above == j.low) return true;
      if (above == j.high && own(j.high).compare_exchange_strong(above, j.low, relaxed)) return true;
      // Not a root, or no longer one: two steps up, as the paths are mostly compressed. One is correct, too.
      j.high = owns(above) ? own(above).load(relaxed) : above;
      if (owns(j.low)) j.low = own(j.low).load(relaxed);
    }
    return true;
  }

  tess::task<void> climb(joint j) const {
    while (!climb_own(j)) {
      // The higher one belongs to another place.
      vertex const above = co_await tess::get(parents_[j.high]);
      if (above == j.low) co_return;
      if (above == j.high && co_await tess::compare_swap(parents_[j.high], j.high, j.low) == j.high) co_return;
      j.high = above;
    }
  }

  tess::task<void> join_sampled(vertex begin, vertex end, std::uint64_t round) const {
    for (vertex i = begin; i < end; ++i) {
      if (round >= part_.out.degree(i)) continue;
      vertex const v = part_.out.neighbours(i)[round];
      joint j{};
      j.low = owns(v) ? own(v).load(relaxed) : co_await tess::get(parents_[v]);
      j.high = own(part_.first + i).load(relaxed);
      if (!climb_own(j)) co_await climb(j);
    }
  }

  // The edges not looked at yet, except between two vertices of the largest component: every other edge has an end
  // outside, and is seen from there.
  tess::task<void> join_rest(vertex begin, vertex end, vertex largest) const {
    for (vertex i = begin; i < end; ++i) {
      if (own(part_.first + i).load(relaxed) == largest) continue;
      std::span<vertex const> const targets = part_.out.neighbours(i);
      for (vertex const v : targets.subspan(std::min(sampled_neighbours, targets.size()))) {
        joint j{own(part_.first + i).load(relaxed), owns(v) ? own(v).load(relaxed) : v};
        if (!climb_own(j)) co_await climb(j);
      }
    }
  }

  // Afterwards every own vertex points to its root. Roots do not change meanwhile: one that was met is known.
  tess::task<void> compress(vertex begin, vertex end) const {
    vertex known = part_.first + begin;
    if (own(known).load(relaxed) != known) known = no_vertex;
    for (vertex i = begin; i < end; ++i) {
      vertex above = own(part_.first + i).load(relaxed);
      if (above == known) continue;
      vertex root = owns(above) ? own(above).load(relaxed) : co_await tess::get(parents_[above]);
      if (above == root) {
        known = root;
        continue;
      }
      while (above != root) {
        above = root;
        if (root != known) root = owns(above) ? own(above).load(relaxed) : co_await tess::get(parents_[above]);
      }
      known = root;
      own(part_.first + i).store(root, relaxed);
    }
  }

  // Place 0 draws samples, everybody gets the winner.
  tess::task<vertex> most_frequent() const {
    vertex winner = 0;
    if (tess::here() == 0 && part_.vertices > 0) {
      std::unordered_map<vertex, std::uint64_t> counts;
      for (std::uint64_t k = 0; k < samples; ++k) {
        auto const v = static_cast<vertex>(random_word(k) % part_.vertices);
        ++counts[owns(v) ? own(v).load(relaxed) : co_await tess::get(parents_[v])];
      }
      winner = std::ranges::max_element(counts, {}, [](auto const& counted) { return counted.second; })->first;
    }
    co_return co_await tess::broadcast(winner);
  }

  graph::graph_part const& part_;
  tess::global_array<vertex> parents_;
  vertex* own_;
};

tess::task<components> components::make(graph::distributed_graph g) {
  components c;
  c.graph_ = g;
  c.parents_ = co_await tess::global_array<vertex>::make(g.block() * tess::places());
  co_return c;
}

tess::task<void> components::release(components c) {
  return tess::global_array<vertex>::release(c.parents_);
}

tess::task<void> components::run() const {
  return tess::on_all_places(
      [](components c) -> tess::task<void> {
        components_run one(c);
        co_await one.run();
      },
      *this);
}

}  // namespace kernels
