// bc: betweenness centrality by Brandes's algorithm, from some sources; every place sums up the rows that it owns.
//
//   A search gives the levels. Then, level by level away from the source, each vertex pulls the path counts of its
//   in-neighbours, and back towards it the shares of its out-neighbours. Both are sums over a whole row of an array
//   that only holds the levels done so far: other neighbours on done levels do not exist, so nothing is compared. Each
//   sum follows the order of its row, so the scores are the same, bit by bit, for every number of
//   places and workers.
//
// Units     score: the sum, over sources s and vertices t, of the share of the shortest paths from s to t that pass
//           through the vertex; s and t themselves count if path_ends are counted.
// Threads   made, run and released by one task, for all; one run() at a time.
// Cost      per place: that of a bfs, 12 bytes for each vertex of the graph, 24 for each own one. A source costs a
//           search, two passes over the rows reached, and for each level two barriers and two block transfers between
//           each two places: 8 bytes a vertex each.
// Source    Brandes, "A faster algorithm for betweenness centrality" (2001), level by level.
#pragma once

#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"
#include "kernels/bfs.hpp"
#include "kernels/exchange.hpp"

namespace kernels {

struct bc_result {
  std::uint64_t levels = 0;  // of all searches
  // False: there are more than 1.8e308 shortest paths between two vertices, and the scores mean nothing.
  bool counted = true;
};

enum class path_ends : std::uint8_t { left_out, counted };

struct bc_report {
  tess::global_ptr<std::uint64_t> level_begins;
};

struct bc_state;

class bc {
 public:
  // The graph needs in-rows if it is directed.
  static tess::task<bc> make(graph::distributed_graph g);
  static tess::task<void> release(bc b);

  // At the caller's place.
  [[nodiscard]] tess::task<bc_result> run(std::vector<vertex> sources, path_ends ends = path_ends::left_out) const;

  // After run().
  [[nodiscard]] tess::global_array<double> scores() const noexcept { return scores_; }

 private:
  friend class bc_run;

  graph::distributed_graph graph_;
  bfs search_;
  exchange<bc_report> reports_;
  tess::global_array<double> scores_;
  tess::global_array<double> paths_;   // in the search's order, like the next
  tess::global_array<double> shares_;  // (1 + dependency) / paths
  tess::global_array<double> done_;    // for all vertices at each place: one of the two, of levels done
  tess::place_local<bc_state> state_;
};

// From vertices without out-edges no path leads anywhere; a mean over sources counts them all the same.
enum class source_kind : std::uint8_t { with_edges, any };

// Up to `count` vertices of a kind, the same for every number of places: steps of the golden ratio.
[[nodiscard]] tess::task<std::vector<vertex>> spread_sources(graph::distributed_graph g, std::uint64_t count,
                                                             source_kind of = source_kind::with_edges);

// Scores of run() as the centrality that NetworkX defines: the mean over the sources, times the pairs of vertices that
// could count for a vertex, each once if the graph is undirected; or, `normalised`, not times these. A source is not
// one of its own sources unless ends count. NaN for the only source.
[[nodiscard]] std::vector<double> centrality_of(std::vector<double> scores, std::vector<vertex> const& sources,
                                                bool directed, path_ends ends, bool normalised);

// The same scores by the textbook's algorithm, at one place.
[[nodiscard]] tess::task<std::vector<double>> brandes_scores(graph::distributed_graph g, std::vector<vertex> sources,
                                                             path_ends ends = path_ends::left_out);

}  // namespace kernels
