// topological_order: generations spread along the edges; what they do not reach has a cycle.
#include "kernels/topological_order.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "kernels/gather_block_array.hpp"
#include "kernels/replicated.hpp"
#include "kernels/spread.hpp"

namespace kernels {

namespace {

using graph::vertex;

constexpr auto relaxed = std::memory_order_relaxed;
constexpr std::uint32_t waiting = std::numeric_limits<std::uint32_t>::max();

// An in-neighbour of a vertex is done, and gives it at least this generation.
struct done_before {
  vertex v;
  std::uint32_t generation;
};
using turn = spread_turn<done_before>;

// The view of one place.
class ordering {
 public:
  ordering(graph::distributed_graph g, tess::global_array<std::uint32_t> generations, outboxes<done_before> boxes)
      : g_(g),
        part_(g.part()),
        generations_(generations.local().data()),
        boxes_(boxes),
        least_(part_.count),
        left_(part_.count) {}

  tess::task<void> run() {
    std::vector<vertex> ready;
    for (vertex i = 0; i < part_.count; ++i) {
      left_[i] = static_cast<std::uint32_t>(part_.in.degree(i));
      generations_[i] = left_[i] == 0 ? 0 : waiting;
      if (left_[i] == 0) ready.push_back(part_.first + i);
    }
    co_await spread<done_before>(
        boxes_, ready,
        [this](vertex v, turn& t) {
          std::uint32_t const next = generations_[v - part_.first] + 1;
          for (vertex const w : part_.out.neighbours(v - part_.first)) {
            if (part_.owns(w))
              take({w, next}, t);
            else
              t.send(g_.owner(w), {w, next});
          }
        },
        [this](done_before d, turn& t) { take(d, t); });
  }

 private:
  void take(done_before d, turn& t) {
    std::uint64_t const i = d.v - part_.first;
    std::atomic_ref const least(least_[i]);
    std::uint32_t known = least.load(relaxed);
    while (known < d.generation && !least.compare_exchange_weak(known, d.generation, relaxed)) {
    }
    // The last one reads what the others have stored.
    if (std::atomic_ref(left_[i]).fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    generations_[i] = least.load(relaxed);
    t.push(d.v);
  }

  graph::distributed_graph g_;
  graph::graph_part const& part_;
  std::uint32_t* generations_;
  outboxes<done_before> boxes_;
  std::vector<std::uint32_t> least_;  // generation, by the in-neighbours that are done
  std::vector<std::uint32_t> left_;   // in-neighbours that are not done
};

// The first in-neighbour that waits, of each own vertex that does.
tess::task<void> find_waiting_before(graph::distributed_graph g, tess::global_array<std::uint32_t> generations,
                                     replicated<std::uint32_t> everywhere, tess::global_array<vertex> before) {
  graph::graph_part const& part = g.part();
  std::uint32_t* const known = everywhere.local().data();
  std::copy_n(generations.local().data(), part.count, known + part.first);
  co_await tess::barrier();
  co_await everywhere.gather();
  for (vertex i = 0; i < part.count; ++i)
    for (vertex const u : part.in.neighbours(i))
      if (known[u] == waiting) {
        before.local()[i] = u;
        break;
      }
}

// Every vertex that waits has an in-neighbour that waits: back along the first ones until a vertex comes again.
tess::task<std::vector<vertex>> find_cycle(graph::distributed_graph g, tess::global_array<std::uint32_t> generations,
                                           vertex v) {
  auto const everywhere = co_await replicated<std::uint32_t>::make(g.vertices(), g.block());
  auto const befores = co_await tess::global_array<vertex>::make(g.block() * tess::places());
  co_await tess::on_all_places(
      [](graph::distributed_graph all, tess::global_array<std::uint32_t> own, replicated<std::uint32_t> e,
         tess::global_array<vertex> into) { return find_waiting_before(all, own, e, into); },
      g, generations, everywhere, befores);
  std::vector<vertex> const before = co_await gather_block_array(g, befores);
  co_await tess::global_array<vertex>::release(befores);
  co_await replicated<std::uint32_t>::release(everywhere);
  std::vector<bool> seen(g.vertices());
  for (; !seen[v]; v = before[v]) seen[v] = true;
  std::vector<vertex> cycle{v};
  for (vertex u = before[v]; u != v; u = before[u]) cycle.push_back(u);
  std::ranges::reverse(cycle);
  std::ranges::rotate(cycle, std::ranges::min_element(cycle));
  co_return cycle;
}

std::vector<vertex> by_generation(std::vector<std::uint32_t> const& generations) {
  std::vector<std::uint64_t> begins(generations.size() + 1);
  for (std::uint32_t const k : generations) ++begins[k + std::uint64_t{1}];
  for (std::uint64_t k = 1; k < begins.size(); ++k) begins[k] += begins[k - 1];
  std::vector<vertex> order(generations.size());
  for (vertex v = 0; v < generations.size(); ++v) order[begins[generations[v]]++] = v;
  return order;
}

}  // namespace

tess::task<topological_order> find_topological_order(graph::distributed_graph g) {
  auto const generations = co_await tess::global_array<std::uint32_t>::make(g.block() * tess::places());
  auto const boxes = co_await outboxes<done_before>::make();
  co_await tess::on_all_places(
      [](graph::distributed_graph all, tess::global_array<std::uint32_t> into,
         outboxes<done_before> b) -> tess::task<void> {
        ordering one(all, into, b);
        co_await one.run();
      },
      g, generations, boxes);
  topological_order result;
  result.generations = co_await gather_block_array(g, generations);
  auto const stuck = std::ranges::find(result.generations, waiting);
  if (stuck == result.generations.end()) {
    result.order = by_generation(result.generations);
  } else {
    result.cycle = co_await find_cycle(g, generations, static_cast<vertex>(stuck - result.generations.begin()));
    result.generations.clear();
  }
  co_await outboxes<done_before>::release(boxes);
  co_await tess::global_array<std::uint32_t>::release(generations);
  co_return result;
}

}  // namespace kernels
