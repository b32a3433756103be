// independent_set_verify: the vertices by priority; each is taken unless a neighbour was.
#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/gathered_rows.hpp"
#include "kernels/independent_set.hpp"
#include "kernels/random_word.hpp"

namespace kernels {

tess::task<std::vector<std::uint8_t>> independent_set_alone(graph::distributed_graph g, std::uint64_t seed) {
  gathered_rows const rows = co_await gather_rows(g);
  std::vector<graph::vertex> order(g.vertices());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [seed](graph::vertex v) { return std::pair(random_word(seed, v), v); });
  std::vector<std::uint8_t> members(g.vertices());
  for (graph::vertex const v : order)
    members[v] = std::ranges::none_of(rows.neighbours(v), [&](graph::vertex w) { return members[w] != 0; });
  co_return members;
}

}  // namespace kernels
