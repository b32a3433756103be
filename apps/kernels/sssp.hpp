// sssp: shortest paths from a vertex, or the nearest of several, by delta stepping; places relax rows of own vertices.
//
//   A place works through its part of a bin until it is empty, without synchronisation, and sends distances of other
//   places' vertices to their owners: a few with the step's report, many in packets. It records what it sent, so that
//   only smaller distances are sent again. A distance is the least sum over all paths, each added up from its start:
//   it does not depend on places, workers, delta or timing, not even as a floating-point number.
//
// Units     Distance is std::uint32_t or double, like the weights. delta: in units of distance.
// Threads   made, run and released by one task, for all; one run() at a time.
// Cost      per place: a Distance for each vertex of the graph, and a second copy of its rows in which each target has
//           its weight beside it. A step costs one exchange, two if it sends packets.
// Source    Meyer, Sanders, "Delta-stepping: a parallelizable shortest path algorithm" (2003); working through a bin
//           without synchronisation is the bucket fusion of Zhang et al., "Optimizing Ordered Graph Algorithms with
//           GraphIt" (CGO 2020).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "distributed/edge_weights.hpp"
#include "kernels/distance_bins.hpp"
#include "kernels/exchange.hpp"
#include "kernels/replicated.hpp"

namespace kernels {

using graph::vertex;

inline constexpr vertex no_vertex = UINT32_MAX;

// No path.
template <class Distance>
inline constexpr Distance infinitely_far =
    std::numeric_limits<Distance>::has_infinity ? std::numeric_limits<Distance>::infinity()
                                                : std::numeric_limits<Distance>::max();

template <class Distance>
struct weighted_target {
  vertex v;
  Distance weight;
};

// The report of a place to another one after a step.
template <class Distance>
struct sssp_report {
  static constexpr std::uint32_t pairs_max = 16;

  std::uint64_t lowest_bin = no_bin;  // that is not empty, here or by what was sent
  std::uint32_t packets_for_you = 0;
  std::uint32_t pairs_count = 0;
  distance_of<Distance> few[pairs_max];  // for you
};

struct sssp_result {
  std::uint64_t steps = 0;
};

template <class Distance>
struct sssp_state;

template <class Distance>
class sssp {
 public:
  static tess::task<sssp> make(graph::distributed_graph g, graph::edge_weights w);
  static tess::task<void> release(sssp s);

  // A good value if weights are uniform up to `max`: max over the mean degree, as in Meyer and Sanders, but with the
  // mean over edges and not over vertices. A graph with hubs reaches nearly everything through them, and a wide bin
  // would relax their long rows repeatedly: kron:18 relaxes 1.4 times its edges with 8, 1.0 with 2.
  [[nodiscard]] static tess::task<double> usual_delta(graph::distributed_graph g, graph::edge_weights w);

  // delta > 0
  [[nodiscard]] tess::task<sssp_result> run(vertex source, double delta) const;
  [[nodiscard]] tess::task<sssp_result> run(std::vector<vertex> sources, double delta) const;

  // After run(), at the caller's place; infinitely_far if there is no path.
  [[nodiscard]] tess::task<std::vector<Distance>> distances() const;

  // After run(), at the caller's place: the vertex before each on a shortest path, of several the smallest among those
  // with the fewest edges of no length behind the last other one; a source has itself, and where there is no path it is
  // no_vertex. The same for every number of places. Cost: a pass over the rows, and 4 bytes for each vertex at every
  // place.
  [[nodiscard]] tess::task<std::vector<vertex>> parents(std::vector<vertex> sources) const;

 private:
  template <class>
  friend class sssp_search;
  template <class>
  friend class sssp_parents;

  graph::distributed_graph graph_;
  replicated<Distance> known_;
  exchange<sssp_report<Distance>> reports_;
  tess::place_local<sssp_state<Distance>> state_;
};

// The same distances by Dijkstra's algorithm, at one place, from rows that are fetched.
template <class Distance>
[[nodiscard]] tess::task<std::vector<Distance>> dijkstra_distances(graph::distributed_graph g, graph::edge_weights w,
                                                                   std::vector<vertex> sources);

// Whether the parents lead from every vertex that has a distance to a source, by edges as long as distances say.
template <class Distance>
[[nodiscard]] tess::task<bool> are_shortest_paths(graph::distributed_graph g, graph::edge_weights w,
                                                  std::vector<vertex> sources, std::vector<Distance> distances,
                                                  std::vector<vertex> parents);

extern template class sssp<std::uint32_t>;
extern template class sssp<double>;

}  // namespace kernels
