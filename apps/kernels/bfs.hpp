// bfs: direction-optimising breadth-first search from one vertex or several; every place expands its own vertices.
//
//   Top-down, a place claims its own children at once and sends the others to their owners, a few with the step's
//   report and many in packets. Bottom-up, the frontier is a bitmap of which every place has a copy, gathered by block
//   transfers. The levels do not depend on places, workers or timing; which parent a vertex gets does.
//
// Threads   made, run and released by one task, for all; one run() at a time. run() allocates almost nothing.
// Cost      per place: 8 bytes for each own vertex and 3 bits for each vertex of the graph. A level costs one exchange,
//           two if it sends packets or if the direction of the next depends on it. Keeping the levels costs a pass over
//           the own part of a bitmap for each level upwards.
// Source    Beamer, Asanović, Patterson, "Direction-Optimizing Breadth-First Search" (SC 2012), alpha 15, beta 18.
#pragma once

#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"
#include "kernels/exchange.hpp"
#include "kernels/replicated.hpp"

namespace kernels {

using graph::vertex;

inline constexpr vertex unreached = UINT32_MAX;

struct bfs_result {
  std::vector<std::uint64_t> levels;  // how many vertices at distance 0, 1, ...
  std::uint64_t reached = 0;
  std::uint64_t edges = 0;  // that leave reached vertices
};

struct parent_edge {
  vertex child;
  vertex parent;
};

struct bfs_front {
  std::uint64_t size = 0;
  std::uint64_t edges = 0;
};

// What a place reports to another one after its part of a level.
struct bfs_report {
  static constexpr std::uint32_t pairs_max = 16;

  bfs_front expanded;         // the level just expanded
  bfs_front found;            // of the next level, as far as the sender knows
  std::uint64_t pairs = 0;    // children sent to others, by all means
  std::uint64_t packets = 0;  // sent to anybody
  std::uint32_t packets_for_you = 0;
  std::uint32_t pairs_count = 0;
  parent_edge few[pairs_max];  // for you
};

struct bfs_state;

class bfs {
 public:
  // The graph needs in-rows if it is directed.
  static tess::task<bfs> make(graph::distributed_graph g);
  static tess::task<void> release(bfs b);

  [[nodiscard]] tess::task<bfs_result> run(vertex source) const;
  // The nearest of several sources, which may repeat.
  [[nodiscard]] tess::task<bfs_result> run(std::vector<vertex> sources) const;

  // The same as one task of every place calls it; afterwards levels() is known.
  [[nodiscard]] tess::task<void> run_here_and_keep_levels(std::vector<vertex> sources) const;

  // This place's reached vertices lie in order() by their distances: those at distance d at [begins[d], begins[d + 1]),
  // for all d that any place has.
  [[nodiscard]] tess::global_array<vertex> order() const noexcept { return queue_; }
  [[nodiscard]] std::vector<std::uint64_t> const& level_begins() const;

  // After run(): a source is its own parent; `unreached` if there is no path.
  [[nodiscard]] tess::global_array<vertex> parents() const noexcept { return parents_; }

 private:
  friend class bfs_search;

  graph::distributed_graph graph_;
  tess::global_array<vertex> parents_;
  tess::global_array<vertex> queue_;
  replicated<std::uint64_t> now_;
  replicated<std::uint64_t> next_;
  replicated<std::uint64_t> sent_;
  exchange<bfs_report> reports_;
  tess::place_local<bfs_state> state_;
};

}  // namespace kernels
