// kernels: breadth-first search, PageRank, connected components, shortest paths, betweenness centrality and triangles
// by the best known shared-memory algorithms, on OpenMP.
//
//   The baselines of our kernels. A kernel is an object that owns its arrays, so that a timed run() allocates nothing;
//   the span that it returns is valid until the next run().
//
// Threads   run() is called by one thread at a time and uses `threads` of OpenMP's.
//           These continue to spin for a while afterwards: call rest() before timing anything else.
// Cost      bfs: 8.25 bytes per vertex, pagerank: 16, components: 4, sssp: 4 and the bins, bc: 40.25; triangles: 12 per
//           vertex and 4 per edge; all in huge pages.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/huge_pages.hpp"
#include "plain/csr.hpp"

namespace plain {

/// Puts OpenMP's idle threads to sleep, so that they take no cycles from the other side of a comparison.
/// Applies to as many threads as OpenMP uses by default, normally one per cpu.
void rest() noexcept;

inline constexpr vertex unreached = UINT32_MAX;

/// Direction-optimising breadth-first search: top-down from a queue, bottom-up from a bitmap while the frontier is
/// large. Source: Beamer, Asanović, Patterson, "Direction-Optimizing Breadth-First Search" (SC 2012), alpha 15, beta
/// 18.
class bfs {
 public:
  bfs(graph_view graph, int threads);

  /// A parent of each vertex on a shortest path from `source`, which is its own parent; `unreached` for the others.
  /// With several possible parents the choice is not deterministic; the distances are.
  [[nodiscard]] std::span<vertex const> run(vertex source);

  /// The reached vertices by distance: those at distance d at [begins[d], begins[d + 1]) of `order`.
  struct levels {
    std::span<vertex const> order;
    std::span<std::uint64_t const> begins;
  };
  [[nodiscard]] levels run_for_levels(vertex source);

 private:
  /// A level: its number of vertices and of their outgoing edges.
  struct front {
    std::uint64_t size = 0;
    std::uint64_t edges = 0;
  };

  void forget();
  [[nodiscard]] front top_down(front const& from);
  [[nodiscard]] front expand_alone();
  [[nodiscard]] front expand_together();
  [[nodiscard]] front bottom_up();
  void queue_to_bitmap();
  void bitmap_to_queue(front const& from);
  void append_to_queue(std::uint64_t begin);
  void search(vertex source);

  graph_view graph_;
  int threads_;
  std::uint64_t words_;                   // of a bitmap
  bench::huge_array<vertex> parents_;     // padded to whole words of the bitmaps
  bench::huge_array<vertex> queue_;       // every vertex at most once; a level is a range
  bench::huge_array<std::uint64_t> now_;  // bitmaps: this level and the next
  bench::huge_array<std::uint64_t> next_;
  std::uint64_t level_begin_ = 0;
  std::uint64_t level_end_ = 0;
  bool keeps_levels_ = false;
  std::vector<std::uint64_t> level_begins_;
};

struct ranking {
  std::span<double const> scores;
  int iterations;
  double change;  ///< Sum of absolute changes of the scores in the last iteration.
};

/// PageRank by pulling, Jacobi: an iteration reads only scores of the iteration before, so that scores and iterations
/// are bitwise identical for any number of threads. The rank of vertices without out-edges is dropped, as in GAPBS.
/// Source: Page et al. (1999); pulling as in Beamer et al., "The GAP Benchmark Suite" (2015).
class pagerank {
 public:
  static constexpr double damping = 0.85;

  pagerank(graph_view graph, int threads);

  /// Iterates until the scores change by less than `tolerance` in sum, `iterations_max` times at most. What is pulled
  /// are floats, as in GAPBS: below a tolerance of 1e-6 their rounding keeps it from ending.
  [[nodiscard]] ranking run(double tolerance, int iterations_max);

 private:
  void begin();
  [[nodiscard]] double iterate();
  [[nodiscard]] double pull_block(std::uint32_t block);

  graph_view graph_;
  int threads_;
  std::uint32_t blocks_;
  bench::huge_array<double> scores_;
  bench::huge_array<float> shares_;  // score over out-degree: the share of each out-neighbour
  bench::huge_array<float> next_shares_;
  bench::huge_array<double> changes_;  // one sum per block, added in order: a sum of fixed shape
};

/// Weakly connected components: Afforest, which joins along two neighbours of each vertex and then looks only at edges
/// that leave the largest component so found. Source: Sutton, Ben-Nun, Barak, "Optimizing Parallel Graph Connectivity
/// Computation via Subgraph Sampling" (IPDPS 2018). First parents, look-ups and compression are those of our kernel.
class components {
 public:
  components(graph_view graph, int threads);

  /// For each vertex the smallest vertex of its component.
  [[nodiscard]] std::span<vertex const> run();

 private:
  [[nodiscard]] std::atomic_ref<vertex> parent(vertex v) const noexcept { return std::atomic_ref<vertex>(parents_[v]); }
  void join(vertex u, vertex v) noexcept;
  void plant() noexcept;
  void join_sampled();
  void join_rest(vertex largest);
  void compress();
  [[nodiscard]] vertex most_frequent() const;

  graph_view graph_;
  int threads_;
  bench::huge_array<vertex> parents_;
};

inline constexpr std::uint32_t infinitely_far = UINT32_MAX;

/// Shortest paths by delta stepping: each thread has bins; a thread that empties a small bin continues with vertices
/// that it found for it (bucket fusion). Sources: Meyer, Sanders (2003); Zhang et al. (CGO 2020), as in the GAP
/// Benchmark Suite. Unlike there, an entry contains the distance, so that outdated entries of a vertex are skipped.
class sssp {
 public:
  sssp(weighted_view graph, int threads);
  ~sssp();

  /// The distance of each vertex from `source`, `infinitely_far` if there is no path. delta: at least 1.
  [[nodiscard]] std::span<std::uint32_t const> run(vertex source, std::uint32_t delta);

 private:
  struct entry {
    vertex v;
    std::uint32_t distance;
  };
  struct worker;

  template <bool Shared>
  void relax(entry from, worker& mine);
  template <bool Shared>
  void work(int thread);
  void share_bins();

  weighted_view graph_;
  int threads_;
  std::uint32_t delta_ = 1;
  std::size_t bin_ = 0;
  bench::huge_array<std::uint32_t> distances_;
  std::vector<entry> front_;
  std::vector<worker> workers_;
};

/// Betweenness centrality by Brandes's algorithm from some sources: levels by bfs, then each vertex pulls the path
/// counts of its in-neighbours and, on the way back, the shares of its out-neighbours. The array that they are
/// pulled from contains only finished levels, so that an edge costs one addition and no comparison, and nothing is
/// atomic. Sources: Brandes (2001); level by level as in Beamer et al., "The GAP Benchmark Suite" (2015).
class bc {
 public:
  bc(graph_view graph, int threads);

  /// For each vertex the sum, over sources and targets, of the share of shortest paths that pass through it.
  [[nodiscard]] std::span<double const> run(std::span<vertex const> sources);

 private:
  void add_from(vertex source);

  graph_view graph_;
  int threads_;
  bfs search_;
  bench::huge_array<double> scores_;
  bench::huge_array<double> paths_;   // in the search's order
  bench::huge_array<double> shares_;  // likewise: (1 + dependency) / paths
  bench::huge_array<double> done_;    // by vertex: one of the two, of levels done
};

/// Triangles of an undirected graph: each edge points to the end with more edges, so that no vertex has many, and the
/// lists of the two ends of each edge are merged. Source: Chiba, Nishizeki, "Arboricity and subgraph listing
/// algorithms" (1985); ordered by degree as in the GAP Benchmark Suite, renumbering included in run().
class triangles {
 public:
  triangles(csr_view graph, int threads);

  [[nodiscard]] std::uint64_t run();

 private:
  [[nodiscard]] bool worth_renumbering() const;
  [[nodiscard]] std::uint64_t count_as_they_are() const;
  void number_by_degree();
  void direct_edges();
  [[nodiscard]] std::uint64_t count() const;

  csr_view graph_;
  int threads_;
  bench::huge_array<vertex> ranks_;
  bench::huge_array<vertex> vertices_;  // by rank
  bench::huge_array<std::uint64_t> offsets_;
  bench::huge_array<vertex> targets_;  // ranks, ascending
};

}  // namespace plain
