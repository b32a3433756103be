// kernels: breadth-first search, PageRank and connected components by the best known shared-memory algorithms, on
// OpenMP.
//
//   What our versions are compared with. A kernel is an object that owns its arrays, so that a timed run() allocates
//   nothing; the span that it returns is valid until its next run().
//
// Threads   run() is called by one thread at a time and uses `threads` of OpenMP's.
//           These go on spinning for a while after it: rest() before anything else is timed.
// Cost      bfs: 8.25 bytes per vertex, pagerank: 24, components: 4, all in huge pages.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "harness/huge_pages.hpp"
#include "plain/csr.hpp"

namespace plain {

/// Sends OpenMP's idle threads to sleep, where they take no cycles from the other side of a comparison.
/// Reaches as many threads as OpenMP uses by default, normally one per cpu.
void rest() noexcept;

inline constexpr vertex unreached = UINT32_MAX;

/// Direction-optimising breadth-first search: top-down from a queue, bottom-up from a bitmap while the front is large.
/// Source: Beamer, Asanović, Patterson, "Direction-Optimizing Breadth-First Search" (SC 2012), alpha 15, beta 18.
class bfs {
 public:
  bfs(graph_view graph, int threads);

  /// A parent of each vertex at its least distance from `source`, whose own parent it is; `unreached` for the others.
  /// Which parent, if there are several, is chance; the distances are not.
  [[nodiscard]] std::span<vertex const> run(vertex source);

 private:
  /// The vertices of a level: how many, and how many edges leave them.
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

  graph_view graph_;
  int threads_;
  std::uint64_t words_;                   // of a bitmap
  bench::huge_array<vertex> parents_;     // padded to whole words of the bitmaps
  bench::huge_array<vertex> queue_;       // every vertex once at most: a level is a range of it
  bench::huge_array<std::uint64_t> now_;  // bitmaps: this level and the next
  bench::huge_array<std::uint64_t> next_;
  std::uint64_t level_begin_ = 0;
  std::uint64_t level_end_ = 0;
};

struct ranking {
  std::span<double const> scores;
  int iterations;
  double change;  ///< Sum of absolute changes of the scores in the last iteration.
};

/// PageRank by pulling, Jacobi: an iteration reads only scores of the iteration before, so that scores and iterations
/// are the same for any number of threads, bit by bit. The rank of vertices without out-edges is dropped, as in GAPBS.
/// Source: Page et al. (1999); pulling as in Beamer et al., "The GAP Benchmark Suite" (2015).
class pagerank {
 public:
  static constexpr double damping = 0.85;

  pagerank(graph_view graph, int threads);

  /// Iterates until the scores change by less than `tolerance` in sum, `iterations_max` times at most.
  [[nodiscard]] ranking run(double tolerance, int iterations_max);

 private:
  void begin();
  [[nodiscard]] double iterate();
  [[nodiscard]] double pull_block(std::uint32_t block);

  graph_view graph_;
  int threads_;
  std::uint32_t blocks_;
  bench::huge_array<double> scores_;
  bench::huge_array<double> shares_;  // score over out-degree: what each out-neighbour gets
  bench::huge_array<double> next_shares_;
  bench::huge_array<double> changes_;  // one sum per block, added in order: a sum of fixed shape
};

/// Weakly connected components: Afforest, which joins along two neighbours of each vertex and then looks only at edges
/// that leave the largest component so found. Source: Sutton, Ben-Nun, Barak, "Optimizing Parallel Graph Connectivity
/// Computation via Subgraph Sampling" (IPDPS 2018).
class components {
 public:
  components(graph_view graph, int threads);

  /// For each vertex the smallest vertex of its component.
  [[nodiscard]] std::span<vertex const> run();

 private:
  [[nodiscard]] std::atomic_ref<vertex> parent(vertex v) const noexcept { return std::atomic_ref<vertex>(parents_[v]); }
  void join(vertex u, vertex v) noexcept;
  void join_sampled(std::uint64_t round);
  void join_rest(vertex largest);
  void compress();
  [[nodiscard]] vertex most_frequent() const;

  graph_view graph_;
  int threads_;
  bench::huge_array<vertex> parents_;
};

}  // namespace plain
