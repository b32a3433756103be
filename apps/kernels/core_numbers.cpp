// core_numbers: one level after another; within a level, removals spread.
#include "kernels/core_numbers.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "kernels/gather_block_array.hpp"
#include "kernels/spread.hpp"

namespace kernels {

namespace {

using graph::vertex;
using turn = spread_turn<vertex>;

constexpr auto relaxed = std::memory_order_relaxed;
constexpr std::uint32_t no_level = std::numeric_limits<std::uint32_t>::max();

// The view of one place.
class peeling {
 public:
  peeling(graph::distributed_graph g, tess::global_array<std::uint32_t> degrees, outboxes<vertex> losses)
      : g_(g), part_(g.part()), degrees_(degrees.local().data()), losses_(losses), alone_(tess::workers() == 1) {}

  tess::task<void> run() {
    for (vertex i = 0; i < part_.count; ++i) {
      // Rows are in order. A self-loop is no neighbour.
      bool const loop = std::ranges::binary_search(part_.out.neighbours(i), part_.first + i);
      degrees_[i] = static_cast<std::uint32_t>(part_.out.degree(i)) - (loop ? 1 : 0);
    }
    left_.resize(part_.count);
    for (vertex i = 0; i < part_.count; ++i) left_[i] = part_.first + i;
    bool first = true;
    for (std::uint32_t level = 0;; first = false) {
      std::uint32_t const mine = find_lowest(first, level);
      level = co_await tess::all_reduce(mine, [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); });
      if (level == no_level) co_return;
      if (mine != level) lowest_.clear();
      co_await spread<vertex>(
          losses_, lowest_, [this, level](vertex v, turn& t) { remove(v, level, t); },
          [this, level](vertex v, turn& t) { lose(v, level, t); });
    }
  }

 private:
  // Forgets the vertices removed up to `level`; the least degree of the others, and who has it.
  std::uint32_t find_lowest(bool first, std::uint32_t level) {
    std::uint32_t least = no_level;
    lowest_.clear();
    std::uint64_t kept = 0;
    for (vertex const v : left_) {
      std::uint32_t const degree = degrees_[v - part_.first];
      if (!first && degree <= level) continue;
      left_[kept++] = v;
      if (degree > least) continue;
      if (degree < least) lowest_.clear();
      least = degree;
      lowest_.push_back(v);
    }
    left_.resize(kept);
    return least;
  }

  void remove(vertex v, std::uint32_t level, turn& t) {
    for (vertex const w : part_.out.neighbours(v - part_.first)) {
      if (part_.owns(w))
        lose(w, level, t);
      else
        t.send(g_.owner(w), w);
    }
  }

  // One neighbour less, but no less than the level. The loss that reaches the level removes the vertex.
  void lose(vertex v, std::uint32_t level, turn& t) {
    std::uint32_t& degree = degrees_[v - part_.first];
    if (alone_) {
      // No branch depends on whether v was removed before, which cannot be predicted.
      std::uint32_t const before = degree;
      degree = before - (before > level ? 1 : 0);
      if (before == level + 1) t.push(v);
      return;
    }
    std::atomic_ref const shared(degree);
    std::uint32_t known = shared.load(relaxed);
    while (known > level && !shared.compare_exchange_weak(known, known - 1, relaxed)) {
    }
    if (known == level + 1) t.push(v);
  }

  graph::distributed_graph g_;
  graph::graph_part const& part_;
  std::uint32_t* degrees_;
  outboxes<vertex> losses_;
  bool alone_;                  // one worker: no atomics
  std::vector<vertex> left_;    // not removed, in their order
  std::vector<vertex> lowest_;  // of these, the ones with the least degree
};

}  // namespace

tess::task<std::vector<std::uint32_t>> core_numbers(graph::distributed_graph g) {
  auto const degrees = co_await tess::global_array<std::uint32_t>::make(g.block() * tess::places());
  auto const losses = co_await outboxes<vertex>::make();
  co_await tess::on_all_places(
      [](graph::distributed_graph all, tess::global_array<std::uint32_t> into,
         outboxes<vertex> boxes) -> tess::task<void> {
        peeling one(all, into, boxes);
        co_await one.run();
      },
      g, degrees, losses);
  std::vector<std::uint32_t> cores = co_await gather_block_array(g, degrees);
  co_await outboxes<vertex>::release(losses);
  co_await tess::global_array<std::uint32_t>::release(degrees);
  co_return cores;
}

}  // namespace kernels
