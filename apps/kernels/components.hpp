// components: connected components by Afforest: vertices, at any place, point to smaller ones of their component.
//
//   First along two neighbours of each vertex, then along the edges that leave the largest component found. The first
//   neighbour, if it is smaller, becomes the vertex's first parent, because no other place can have set it. A
//   parent only changes to a smaller vertex of the same component: an outdated one costs steps, not
//   correctness, and every root ends as the smallest vertex of its component, in every order of operations.
//
// Threads   made, run and released by one task, for all; one run() at a time.
// Cost      4 bytes for each vertex of the graph, at every place. Own parents are read and changed by the processor's
//           atomics, others by get and compare_swap; a copy of these, gathered between the phases, spares most of them.
// Source    Sutton, Ben-Nun, Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling" (IPDPS
//           2018); the first parents from Jaiganesh, Burtscher, "A High-Performance Connected Components Implementation
//           for GPUs" (HPDC 2018).
#pragma once

#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"
#include "kernels/replicated.hpp"

namespace kernels {

class components {
 public:
  // A directed graph must have been loaded as symmetric.
  static tess::task<components> make(graph::distributed_graph g);
  static tess::task<void> release(components c);

  [[nodiscard]] tess::task<void> run() const;

  // After run(): the smallest vertex of each vertex's component, at the caller's place.
  [[nodiscard]] tess::task<std::vector<graph::vertex>> labels() const;
  // After run(): the same of one own vertex, at any place.
  [[nodiscard]] graph::vertex label_here(graph::vertex own) const { return parents_.local()[own]; }

 private:
  friend class components_run;

  graph::distributed_graph graph_;
  replicated<graph::vertex> parents_;
};

// The same labels by union and find, at one place.
[[nodiscard]] tess::task<std::vector<graph::vertex>> united_labels(graph::distributed_graph g);

}  // namespace kernels
