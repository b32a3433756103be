// components: the phases, with a barrier between them.
#include "kernels/components.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "kernels/random_word.hpp"

namespace kernels {

namespace {

using graph::vertex;

// As in the paper: two neighbours suffice to find most of the largest component, 1024 samples to identify it.
constexpr std::uint64_t sampled_neighbours = 2;
constexpr std::uint64_t samples = 1024;

// Tasks that hide each other's latency, for each worker.
constexpr std::uint64_t tasks_per_worker = 16;

constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

// One run, from the view of one place. Its copy of the parents is up to date for own vertices; elsewhere it holds the
// value last gathered or read, which is still an ancestor.
class components_run {
 public:
  explicit components_run(components const& c)
      : part_(c.graph_.part()), all_parents_(c.parents_), known_(c.parents_.local().data()) {}

  tess::task<void> run() {
    if (part_.vertices == 0) co_return;
    co_await over_own([this](vertex begin, vertex end) { return plant(begin, end); });
    co_await gather();
    co_await shorten();
    co_await tess::barrier();
    co_await over_own([this](vertex begin, vertex end) { return join(sampled_edges(begin, end)); });
    co_await compress();
    co_await tess::barrier();
    vertex const largest = most_frequent();
    co_await over_own([this, largest](vertex begin, vertex end) { return join(other_edges{begin, end, largest}); });
    co_await compress();
  }

 private:
  // f(begin, end) over a range of vertices. Loops that may wait for other places use many tasks, to hide their latency.
  // Loops that wait for no place are split for several workers only, and go upwards, because their vertices depend on
  // each other.
  template <class F>
  tess::task<void> over(vertex first, vertex count, F f) {
    constexpr bool waits = !std::is_void_v<std::invoke_result_t<F, vertex, vertex>>;
    bool const alone = tess::workers() == 1 && (!waits || tess::places() == 1);
    std::uint64_t const tasks = alone ? 1 : tasks_per_worker * tess::workers();
    std::uint64_t const grain = std::max<std::uint64_t>((count + tasks - 1) / tasks, 64);
    co_await tess::forall_chunks(first, std::uint64_t{first} + count, grain,
                                 [f](std::uint64_t begin, std::uint64_t end) {
                                   return f(static_cast<vertex>(begin), static_cast<vertex>(end));
                                 });
  }

  template <class F>
  tess::task<void> over_own(F f) {
    return over(part_.first, part_.count, f);
  }

  [[nodiscard]] std::atomic_ref<vertex> parent(vertex v) const noexcept { return std::atomic_ref(known_[v]); }

  // Puts every own vertex under its first neighbour, if that is smaller: no other place can have hooked it yet, so this
  // needs no atomic operation. Chains end at their root, or outside of
  // [begin, end), where nothing is known yet.
  void plant(vertex begin, vertex end) const noexcept {
    constexpr std::uint64_t ahead = 32;
    graph::rows const out = part_.out;
    for (vertex v = begin; v < end; ++v) {
      std::uint64_t const i = v - part_.first;
      __builtin_prefetch(out.targets + out.offsets[std::min<std::uint64_t>(i + ahead, part_.count)]);
      vertex above = v;
      if (out.degree(i) != 0) {
        // No branch depends on the row's contents, which may still be loading.
        vertex const first = std::min(out.neighbours(i)[0], v);
        vertex const planted = parent(std::max(first, begin)).load(relaxed);
        above = first >= begin && first < v ? planted : first;
      }
      parent(v).store(above, relaxed);
    }
  }

  // Joins the components of two vertices.
  struct joint {
    vertex high;
    vertex low;
  };

  // Climbs from both ends until they meet or a root is found, which is hooked under the smaller vertex. False: the
  // higher one belongs to another place, and may be a root.
  [[nodiscard]] bool climb_here(joint& j) const noexcept {
    while (j.high != j.low) {
      if (j.high < j.low) std::swap(j.high, j.low);
      vertex above = parent(j.high).load(relaxed);
      if (above == j.low) return true;
      if (above == j.high) {
        if (!part_.owns(j.high)) return false;
        if (parent(j.high).compare_exchange_strong(above, j.low, relaxed)) return true;
      }
      // Not a root, or no longer one: two steps up, as the paths are mostly compressed.
      j.high = parent(above).load(relaxed);
      j.low = parent(j.low).load(relaxed);
    }
    return true;
  }

  // Joins along all edges of an edge source. Plain functions climb as far as they can without another place:
  // in a coroutine their variables would be in memory.
  template <class Edges>
  tess::task<void> join(Edges edges) {
    joint j{};
    while (edges.next(*this, j)) {
      hooked_elsewhere_.store(true, relaxed);
      do {
        vertex const above = co_await tess::compare_swap(all_parents_.at(j.high), j.high, j.low);
        bool const hooked = above == j.high;
        parent(j.high).store(hooked ? j.low : above, relaxed);
        if (hooked) break;
        j.high = above;
      } while (!climb_here(j));
    }
  }

  // To the second neighbour of each vertex, and to the first one where plant() did not. Each neighbour is an arbitrary
  // vertex: those of a batch of rows are looked up first, without a branch that depends on the result, so that
  // the memory's delays overlap.
  class sampled_edges {
   public:
    sampled_edges(vertex begin, vertex end) noexcept : v_(begin), end_(end) {}

    // Until another place is needed, for `j`; false at the end.
    bool next(components_run const& run, joint& j) noexcept {
      for (;;) {
        // Not the members, which the compiler must assume any store changes.
        std::uint64_t const found = found_;
        for (std::uint64_t k = taken_; k < found; ++k) {
          joint climbing{run.parent(edges_[k].high).load(relaxed), run.parent(edges_[k].low).load(relaxed)};
          if (run.climb_here(climbing)) continue;
          taken_ = k + 1;
          j = climbing;
          return true;
        }
        if (v_ == end_) return false;
        look_up(run);
      }
    }

   private:
    static constexpr vertex batch = 64;  // rows

    void look_up(components_run const& run) noexcept {
      static_assert(sampled_neighbours == 2);
      graph::rows const out = run.part_.out;
      vertex const* const known = run.known_;
      vertex const stop = v_ + std::min(batch, end_ - v_);
      std::uint64_t found = 0;
      for (vertex v = v_; v < stop; ++v) {
        std::span<vertex const> const row = out.neighbours(v - run.part_.first);
        if (row.empty()) continue;
        edges_[found] = {row[0], v};
        found += row[0] > v;
        __builtin_prefetch(known + row[0]);
        if (row.size() == 1) continue;
        edges_[found++] = {v, row[1]};
        __builtin_prefetch(known + row[1]);
      }
      v_ = stop;
      taken_ = 0;
      found_ = found;
    }

    vertex v_;
    vertex end_;
    std::uint64_t taken_ = 0;
    std::uint64_t found_ = 0;
    std::array<joint, sampled_neighbours * batch> edges_;
  };

  // The edges not looked at yet, except between two vertices of the largest component: every other edge has an end
  // outside, and is seen from there.
  struct other_edges {
    vertex v;
    vertex end;
    vertex largest;
    std::uint64_t neighbour = sampled_neighbours;

    bool next(components_run const& run, joint& j) noexcept {
      for (; v < end; ++v, neighbour = sampled_neighbours) {
        if (run.parent(v).load(relaxed) == largest) continue;
        std::span<vertex const> const row = run.part_.out.neighbours(v - run.part_.first);
        while (neighbour < row.size()) {
          j = {run.parent(v).load(relaxed), run.parent(row[neighbour++]).load(relaxed)};
          if (!run.climb_here(j)) return true;
        }
      }
      return false;
    }
  };

  // The state of all places, when all have arrived.
  tess::task<void> gather() const {
    co_await tess::barrier();
    if (tess::places() == 1) co_return;
    co_await all_parents_.gather();
    co_await tess::barrier();
  }

  // Afterwards every own vertex points to its root: first as far as this place's copy leads, then, with the results of
  // all others, the rest of the way. Nothing is hooked meanwhile. Hooks under other places' vertices have made long
  // chains of these in the copy, through which most own vertices lead: those are shortened before.
  tess::task<void> compress() {
    co_await tess::barrier();
    if (hooked_elsewhere_.exchange(false, relaxed))
      co_await over(0, part_.first, [this](vertex begin, vertex end) { return shorten(begin, end); });
    co_await shorten();
    if (tess::places() == 1) co_return;
    co_await gather();
    co_await shorten();
  }

  tess::task<void> shorten() {
    return over_own([this](vertex begin, vertex end) { return shorten(begin, end); });
  }

  // Two steps without a branch, because how far away a root is cannot be predicted; more for blocks that need them.
  // Parents are smaller, so those of the same chunk point as far as they can by now.
  void shorten(vertex begin, vertex end) const noexcept {
    constexpr vertex block = 256;
    for (vertex stop; begin < end; begin = stop) {
      stop = begin + std::min(block, end - begin);
      vertex farther = 0;
      for (vertex v = begin; v < stop; ++v) {
        vertex const above = parent(parent(v).load(relaxed)).load(relaxed);
        parent(v).store(above, relaxed);
        farther |= above ^ parent(above).load(relaxed);
      }
      if (farther == 0) continue;
      for (vertex v = begin; v < stop; ++v) {
        vertex const above = parent(v).load(relaxed);
        vertex const root = root_of(above);
        if (root != above) parent(v).store(root, relaxed);
      }
    }
  }

  // As far as this place's copy leads.
  [[nodiscard]] vertex root_of(vertex v) const noexcept {
    for (vertex above; (above = parent(v).load(relaxed)) != v;) v = above;
    return v;
  }

  // The same at all places.
  [[nodiscard]] vertex most_frequent() const {
    std::unordered_map<vertex, std::uint64_t> counts;
    for (std::uint64_t k = 0; k < samples; ++k) ++counts[root_of(static_cast<vertex>(splitmix(0, k) % part_.vertices))];
    auto const most = std::ranges::max_element(counts, {}, [](auto const& counted) { return counted.second; });
    return most->first;
  }

  graph::graph_part const& part_;
  replicated<vertex> all_parents_;
  vertex* known_;
  std::atomic<bool> hooked_elsewhere_ = false;
};

tess::task<components> components::make(graph::distributed_graph g) {
  components c;
  c.graph_ = g;
  c.parents_ = co_await replicated<vertex>::make(g.vertices(), g.block());
  co_return c;
}

tess::task<void> components::release(components c) {
  return replicated<vertex>::release(c.parents_);
}

tess::task<void> components::run() const {
  return tess::on_all_places(
      [](components c) -> tess::task<void> {
        components_run one(c);
        co_await one.run();
      },
      *this);
}

tess::task<std::vector<vertex>> components::labels() const {
  co_await parents_.gather();
  std::span<vertex const> const all = parents_.local();
  co_return std::vector<vertex>(all.begin(), all.end());
}

}  // namespace kernels
