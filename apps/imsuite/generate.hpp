// generate: the inputs of IMSuite, identical to the output of its generators.
//
//   All numbers come from one java.util.Random, in the generators' order; the defaults of a kernel are the input that
//   NEMESYS measured. One difference: for mis and dominating set on random and complete graphs the suite omits the
//   line end after the number of nodes, and its kernels cannot read the file; it is written here.
//
// Units     max_children: of a node of the random tree; 0 draws it.
// Errors    graph::input_error for sizes that the kernel or the kind of graph cannot have.
// Source    IMSuite's input generators (JPDC 2015); NEMESYS (MEMSYS 2019), table 4.
#pragma once

#include <cstdint>
#include <string>

#include "imsuite/input.hpp"

namespace imsuite {

enum class graph_kind : std::uint8_t {
  random,          // -rn: each pair with probability 1/2; for vertex coloring a random tree
  complete,        // -cplt
  sparse_minimum,  // -spmin: a random tree
  sparse_maximum,  // -spmax: a random tree and n * floor(log2 n) - n edges more
  chain,           // -chain: vertex coloring only
  star             // -star: vertex coloring only
};

struct generation {
  std::int32_t nodes = 16;
  graph_kind kind = graph_kind::random;
  std::int64_t seed = 101;
  std::int32_t max_children = 0;
  std::int32_t committee = 0;  // K; 0: the generator's choice
  bool equal_weights = false;  // dijkstra routing: -weq, otherwise -wrn
};

// The input of Table 4, which the paper measured.
[[nodiscard]] generation paper_input(kernel k) noexcept;

[[nodiscard]] input generate(kernel k, generation const& how);

}  // namespace imsuite
