// build: edge lists of three kinds of graphs, and their CSR arrays.
//
// Units     an edge list holds each edge once; building it undirected stores both directions.
//           Loops and repeated edges are dropped, neighbours are in ascending order.
// Cost      parallel by OpenMP's default number of threads; 16 bytes per stored edge while building.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/huge_pages.hpp"
#include "plain/csr.hpp"

namespace plain {

struct edge {
  vertex source;
  vertex target;
};

/// R-MAT of 2^scale vertices with the Graph500 probabilities 0.57, 0.19, 0.19, 0.05, vertices renamed at random.
[[nodiscard]] std::vector<edge> kron_edges(int scale, int edge_factor, std::uint64_t seed);

/// Both ends uniform.
[[nodiscard]] std::vector<edge> random_edges(std::uint32_t n, std::uint64_t count, std::uint64_t seed);

/// Each vertex of a width x height grid with its right and its lower neighbour; vertex = row * width + column.
[[nodiscard]] std::vector<edge> grid_edges(std::uint32_t width, std::uint32_t height);

enum class direction { forward, backward, both };

/// The CSR arrays of an edge list.
class csr_graph {
 public:
  csr_graph(std::uint32_t n, std::vector<edge> const& edges, direction stored);

  [[nodiscard]] csr_view view() const noexcept { return {n_, offsets_.data(), targets_.data()}; }

 private:
  std::uint32_t n_;
  bench::huge_array<std::uint64_t> offsets_;
  bench::huge_array<std::uint32_t> targets_;
};

/// The edges of a graph with weights, weight(source, target) of each; borrows the graph's offsets.
class weighted_targets {
 public:
  template <class Weight>
  weighted_targets(csr_view graph, Weight const& weight) : graph_(graph), targets_(graph.edges()) {
#pragma omp parallel for schedule(dynamic, 1024)
    for (vertex u = 0; u < graph.n; ++u)
      for (std::uint64_t e = graph.offsets[u]; e < graph.offsets[u + 1]; ++e)
        targets_[e] = {graph.targets[e], weight(u, graph.targets[e])};
  }

  [[nodiscard]] weighted_view view() const noexcept { return {graph_.n, graph_.offsets, targets_.data()}; }

 private:
  csr_view graph_;
  bench::huge_array<weighted_target> targets_;
};

}  // namespace plain
