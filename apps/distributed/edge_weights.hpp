// edge_weights: the weights of a distributed graph's edges, for programs that need them.
//
//   A repeated edge has the smallest of its weights. Weights of a generator are computed where they are needed. Weights
//   of a file take one more pass over it, which sends each edge to its owner. An edge without a weight weighs 1.
//
// Shapes    at each place one weight for each entry of its out-rows, in their order, as 32-bit integers if every weight
//           is an integer and no path through all vertices exceeds 32 bits, else as doubles.
// Threads   made and released by one task, for all; local() by any task of the place.
// Errors    input_error for a negative weight, with its line.
// Cost      4 or 8 bytes an entry; 8 more while a file is read.
#pragma once

#include <cstdint>
#include <type_traits>

#include "distributed/distributed_graph.hpp"

namespace graph {

// The weights of one place: one of the two, in the segment, or reals in a csr.
struct weights_part {
  tess::global_ptr<std::uint32_t> integers;
  tess::global_ptr<double> reals;
  double const* borrowed = nullptr;
};

class edge_weights {
 public:
  // `g` must have been loaded from `input`.
  static tess::task<edge_weights> load(graph_input const& input, distributed_graph g);
  // `g` must have been adopted from `whole`, in the same way. Weights that are negative are taken as they are.
  static tess::task<edge_weights> adopt(csr const& whole, distributed_graph g, adoption how = adoption::copy);
  static tess::task<void> release(edge_weights w);

  [[nodiscard]] bool integers() const noexcept { return integers_; }
  [[nodiscard]] double max() const noexcept { return max_; }

  // Weight: std::uint32_t if integers(), else double.
  template <class Weight>
  [[nodiscard]] Weight const* local() const {
    if constexpr (std::is_same_v<Weight, double>)
      return part_->borrowed != nullptr ? part_->borrowed : part_->reals.local();
    else
      return part_->integers.local();
  }

 private:
  friend class weights_loader;

  tess::place_local<weights_part> part_;
  bool integers_ = true;
  double max_ = 1;
};

}  // namespace graph
