// closeness_verify: a queue and an array of distances for each search, on rows fetched to one place.
#include <limits>

#include "kernels/closeness.hpp"
#include "kernels/gathered_rows.hpp"

namespace kernels {

namespace {

gathered_rows turned(gathered_rows const& rows) {
  gathered_rows made;
  made.offsets.resize(rows.offsets.size());
  for (vertex const v : rows.targets) ++made.offsets[v + std::uint64_t{1}];
  for (std::uint64_t v = 1; v < made.offsets.size(); ++v) made.offsets[v] += made.offsets[v - 1];
  made.targets.resize(rows.targets.size());
  std::vector<std::uint64_t> ends(made.offsets);
  for (vertex u = 0; u + std::uint64_t{1} < rows.offsets.size(); ++u)
    for (vertex const v : rows.neighbours(u)) made.targets[ends[v]++] = u;
  return made;
}

// add(vertex, distance from 1)
template <class Add>
void search(gathered_rows const& rows, vertex source, Add add) {
  constexpr std::uint32_t far_away = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> distances(rows.offsets.size() - 1, far_away);
  std::vector<vertex> queue{source};
  distances[source] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (vertex const v : rows.neighbours(queue[i])) {
      if (distances[v] != far_away) continue;
      distances[v] = distances[queue[i]] + 1;
      queue.push_back(v);
      add(v, distances[v]);
    }
}

distance_sums zeros(std::uint64_t size) {
  return {std::vector<std::uint64_t>(size), std::vector<double>(size), std::vector<double>(size)};
}

void add_to(distance_sums& sums, std::uint64_t i, std::uint32_t distance) {
  ++sums.reached[i];
  sums.distances[i] += distance;
  sums.reciprocals[i] += 1.0 / distance;
}

}  // namespace

tess::task<distance_sums> sums_from_alone(graph::distributed_graph g, std::vector<vertex> sources) {
  gathered_rows const rows = co_await gather_rows(g);
  distance_sums sums = zeros(g.vertices());
  for (vertex const s : sources) search(rows, s, [&](vertex v, std::uint32_t distance) { add_to(sums, v, distance); });
  co_return sums;
}

tess::task<distance_sums> sums_to_alone(graph::distributed_graph g, std::vector<vertex> targets) {
  gathered_rows const rows = turned(co_await gather_rows(g));
  distance_sums sums = zeros(targets.size());
  for (std::uint64_t i = 0; i < targets.size(); ++i)
    search(rows, targets[i], [&](vertex, std::uint32_t distance) { add_to(sums, i, distance); });
  co_return sums;
}

}  // namespace kernels
