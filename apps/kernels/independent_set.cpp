// independent_set: rounds in which own vertices look at their neighbours' states.
#include "kernels/independent_set.hpp"

#include <atomic>
#include <utility>

#include "kernels/random_word.hpp"
#include "kernels/replicated.hpp"

namespace kernels {

namespace {

using graph::vertex;

constexpr auto relaxed = std::memory_order_relaxed;

enum state : std::uint8_t { undecided, inside, outside };

// The view of one place. Equal priorities are ordered by vertex.
class selection {
 public:
  selection(graph::distributed_graph g, replicated<std::uint8_t> states, std::uint64_t seed)
      : g_(g), part_(g.part()), all_states_(states), states_(states.local().data()), key_(splitmix(0, seed)) {}

  tess::task<void> run() {
    auto const read = tess::places() == 1 ? std::vector<element_range>{} : referenced(g_, part_, part_.out);
    std::vector<vertex> open(part_.count);
    for (vertex i = 0; i < part_.count; ++i) open[i] = part_.first + i;
    while (co_await tess::all_reduce(std::uint64_t{open.size()}) != 0) {
      // No place changes a state between the reduction and the barrier.
      co_await all_states_.gather(read);
      co_await tess::barrier();
      co_await tess::forall_chunks(0, open.size(), chunk_vertices, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t k = begin; k < end; ++k) decide(open[k]);
      });
      std::erase_if(open, [this](vertex v) { return states_[v] != undecided; });
    }
  }

 private:
  static constexpr std::uint64_t chunk_vertices = 4096;

  [[nodiscard]] std::pair<std::uint64_t, vertex> priority(vertex v) const noexcept { return {splitmix(key_, v), v}; }

  // States that other tasks decide meanwhile are used or not: they are what they would be in the next round.
  void decide(vertex v) const noexcept {
    auto const mine = priority(v);
    bool first = true;
    for (vertex const w : part_.out.neighbours(v - part_.first)) {
      if (w == v) continue;  // a self-loop
      std::uint8_t const other = std::atomic_ref(states_[w]).load(relaxed);
      if (other == inside) {
        std::atomic_ref(states_[v]).store(outside, relaxed);
        return;
      }
      first = first && (other == outside || mine < priority(w));
    }
    if (first) std::atomic_ref(states_[v]).store(inside, relaxed);
  }

  graph::distributed_graph g_;
  graph::graph_part const& part_;
  replicated<std::uint8_t> all_states_;
  std::uint8_t* states_;
  std::uint64_t key_;
};

}  // namespace

tess::task<std::vector<std::uint8_t>> independent_set(graph::distributed_graph g, std::uint64_t seed) {
  auto const states = co_await replicated<std::uint8_t>::make(g.vertices(), g.block());
  co_await tess::on_all_places(
      [](graph::distributed_graph all, replicated<std::uint8_t> those, std::uint64_t s) -> tess::task<void> {
        selection one(all, those, s);
        co_await one.run();
      },
      g, states, seed);
  co_await states.gather();
  std::vector<std::uint8_t> members(g.vertices());
  for (std::uint64_t v = 0; v < members.size(); ++v) members[v] = states.local()[v] == inside;
  co_await replicated<std::uint8_t>::release(states);
  co_return members;
}

}  // namespace kernels
