// pagerank: every place pulls the shares of its vertices' in-neighbours; the shares are gathered at all places.
//
//   An iteration updates one group of vertices after the other (update_groups.hpp), and each sees the scores of those
//   before it, as in the method of Gauss and Seidel: that takes about two thirds of the iterations of the power method.
//   The rank of vertices without out-edges goes to all vertices alike. It and the restarts are what all vertices get in
//   an iteration, in proportion to the sum of all scores, which such updates do not preserve: at the end scores are
//   divided by it. For a damping below 1 this converges to the scores of the power method. When scores change by less
//   than a tolerance, a step of the power method changes them by less than 2 * damping times that.
//   Sums over vertices have a shape that does not depend on places or workers: doubles within a block of 64 vertices,
//   then 64-bit fixed point, whose sum has no order. So the scores and the number of iterations are the same, bit by
//   bit, for every number of places and workers.
//   With a tolerance that allows it, as GAPBS's does, shares are floats: half the bytes are read at random.
//
// Units     scores: their sum is 1.
// Threads   made, run and released by one task, for all; one run() at a time.
// Cost      per place: 12 bytes for each vertex of the graph, 8 for each own one. An iteration costs a barrier for each
//           group, and the transfer, to every place, of those parts of the shares that its rows refer to: found by
//           make().
// Source    Page et al. (1999); pulling, and in place, as in Beamer et al., "The GAP Benchmark Suite" (2015); the
//           splitting is a regular one of I - G, where G is the Google matrix (Varga, "Matrix Iterative Analysis").
#pragma once

#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"
#include "kernels/replicated.hpp"
#include "kernels/update_groups.hpp"

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
  // The change of the scores in the last iteration, as part of their sum; far above the tolerance, the Euclidean norm
  // is a lower bound.
  double change = 0;
};

struct pagerank_state;

class pagerank {
 public:
  // Says whether shares are floats: their error is far below such a tolerance.
  static constexpr bool by_floats(double tolerance) noexcept { return tolerance >= 0x1p-16; }
  // The relative error of scores that floats make, at most: an update adds half a unit of a float's last place, and
  // passes on what the damping leaves.
  static double error_of_floats(double damping, std::uint64_t vertices, int iterations) noexcept {
    double error = 0;
    auto const updates = update_groups(vertices).count() * static_cast<std::uint64_t>(iterations);
    for (std::uint64_t k = 0; k < updates; ++k) error = damping * (error + 0x1p-24);
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
  // Score over out-degree: what each out-neighbour gets.
  replicated<double> shares_;
  replicated<float> float_shares_;
  tess::place_local<pagerank_state> state_;
};

// The scores by pushing changes, at one place, from rows that are fetched block by block; shares nothing with a kernel
// but which vertices are updated together.
[[nodiscard]] tess::task<std::vector<double>> pushed_scores(graph::distributed_graph g, pagerank_rules rules,
                                                            int iterations, update_groups groups);

}  // namespace kernels
