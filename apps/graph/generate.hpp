// generate: graphs without a file: edge i of the stream is a pure function of (seed, i).
//
//   kron:SCALE[,EDGEFACTOR[,SEED]]      2^SCALE vertices, EDGEFACTOR * 2^SCALE undirected edges, skewed degrees:
//                                       Kronecker product of [.57 .19; .19 .05], vertices permuted. Default 16 and 1.
//   uniform:SCALE[,EDGEFACTOR[,SEED]]   as many edges, both ends uniformly distributed.
//   grid:WxH                            undirected grid, 2 to 4 neighbours: long paths, as in road networks.
//
//   No state is kept between edges, so any reader generates any part of the stream, repeatedly if needed, and the graph
//   does not depend on the number of readers. As in Graph500, kron and uniform contain self-loops and repeated edges.
//
//   A weight is a function of (seed, the two ends in either order), so that both directions and repetitions agree.
//
// Errors    A wrong specification is an input_error whose file is the specification.
// Cost      kron: SCALE/4 table look-ups an edge and a hash for every two of them; nothing is allocated.
// Source    Graph500 specification 2.0, section 3 (probabilities, edge factor); splitmix64 (Steele, Lea and Flood,
//           OOPSLA 2014) as the hash; alias method (Walker, ACM TOMS 1977; Vose, IEEE TSE 1991).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "graph/edge.hpp"

namespace graph {

enum class generator_kind : std::uint8_t { kron, uniform, grid };

struct generator {
  generator_kind kind = generator_kind::kron;
  std::uint32_t scale = 0;  // kron, uniform
  std::uint64_t seed = 1;   // kron, uniform
  std::uint64_t width = 0;  // grid
  std::uint64_t vertices_count = 0;
  std::uint64_t edges_count = 0;  // each stands for both directions

  friend bool operator==(generator const&, generator const&) = default;
};

// Whether a graph's name is a generator's, valid or not, and not a file's.
[[nodiscard]] bool names_generator(std::string_view spec);

[[nodiscard]] generator parse_generator(std::string_view spec);

// Edges first, first + 1 ... of the stream, one for each element of `edges`; the last one must exist.
void generate(generator const& from, std::uint64_t first, std::span<edge> edges);

// The weight of the edge between u and v: uniformly 1 to 255 as in the GAP Benchmark Suite. Edges of generate()
// do not have it, because most programs do not need it.
inline constexpr std::uint32_t random_weight_max = 255;
[[nodiscard]] std::uint32_t random_weight(generator const& from, std::uint32_t u, std::uint32_t v) noexcept;

}  // namespace graph
