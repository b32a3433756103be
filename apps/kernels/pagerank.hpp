// pagerank: every place pulls the shares of its vertices' in-neighbours; the shares are gathered at all places.
//
//   Jacobi: an iteration reads only what the one before made. Sums over vertices have a shape that does not depend on
//   places or workers: doubles within a block of 64 vertices, then 64-bit fixed point, whose sum has no order. So the
//   scores and the number of iterations are the same, bit by bit, for every number of places and workers. The rank of
//   vertices without out-edges goes to all vertices alike.
//   With a tolerance that allows it, as GAPBS's does, shares are floats: half the bytes are read at random.
//
// Units     scores: their sum is 1.
// Threads   made, run and released by one task, for all; one run() at a time.
// Cost      per place: 24 bytes for each vertex of the graph, 8 for each own one. An iteration costs one reduction and
//           the transfer, to every place, of those 4 KiB pieces of the shares that its rows refer to: found by make().
// Source    Page et al. (1999); pulling as in Beamer et al., "The GAP Benchmark Suite" (2015).
#pragma once

#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"
#include "kernels/replicated.hpp"

namespace kernels {

// What is compared with the tolerance: the sum of the changes of all scores, as in GAP and NetworkX, or their Euclidean
// norm, as in NetworKit.
enum class change_norm : std::uint8_t { sum, euclidean };

struct pagerank_rules {
  double damping = 0.85;
  double tolerance = 1e-4;  // of GAPBS: ends when the scores change by less
  int iterations_max = 100;
  change_norm norm = change_norm::sum;
};

struct pagerank_result {
  int iterations = 0;
  // The change of the scores in the last iteration; far above the tolerance, the Euclidean norm is a lower bound.
  double change = 0;
};

struct pagerank_state;

class pagerank {
 public:
  // Says whether shares are floats: their error is far below such a tolerance.
  static constexpr bool by_floats(double tolerance) noexcept { return tolerance >= 0x1p-16; }
  // The relative error of scores that floats make, at most: an iteration adds half a unit of a float's last place, and
  // passes on what the damping leaves.
  static constexpr double error_of_floats(double damping, int iterations) noexcept {
    double error = 0;
    for (int k = 0; k < iterations; ++k) error = damping * (error + 0x1p-24);
    return error;
  }

  // The graph needs in-rows if it is directed.
  static tess::task<pagerank> make(graph::distributed_graph g);
  static tess::task<void> release(pagerank k);

  [[nodiscard]] tess::task<pagerank_result> run(pagerank_rules rules) const;

  // After run().
  [[nodiscard]] tess::global_array<double> scores() const noexcept { return scores_; }

 private:
  template <class Share>
  friend class pagerank_iteration;

  graph::distributed_graph graph_;
  tess::global_array<double> scores_;
  // Score over out-degree: what each out-neighbour gets. An iteration reads one array and writes the other.
  replicated<double> shares_[2];
  replicated<float> float_shares_[2];
  tess::place_local<pagerank_state> state_;
};

// The scores by pushing, at one place, from rows that are fetched block by block; shares nothing with the kernel.
[[nodiscard]] tess::task<std::vector<double>> pushed_scores(graph::distributed_graph g, pagerank_rules rules,
                                                            int iterations);

}  // namespace kernels
