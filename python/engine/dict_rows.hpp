// dict_rows: the rows of a graph that is a dict of dicts, as NetworkX keeps it.
//
//   adjacency[u][v] is the dict of the edge from u to v, or, if there may be several, a dict of such dicts. Vertices
//   are numbered in the order of `vertices`, and known by the hashes of their names, which dicts keep: the objects that
//   name the ends of edges are not touched, unless two names have the same hash. In an undirected graph only the edges
//   to larger numbers are looked at: the rest of each row is their mirror.
//
// Threads   with the interpreter's lock; rows are read as they are, so nobody may change the graph meanwhile.
// Errors    adjacency_error: what is no such graph, a weight that is no finite number, or too many vertices.
// Cost      O(n + m log of the longest row), and 12 bytes for each entry with weights.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace engine {

namespace nb = nanobind;

// The graph has no rows here; Python's caller falls back to what takes any graph.
struct adjacency_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class weights_kind : std::uint8_t { all_one, integers, reals };

struct dict_rows {
  std::vector<std::uint64_t> offsets;   // [vertices + 1]
  std::vector<std::uint32_t> targets;   // ascending in each row
  std::vector<std::uint32_t> as_added;  // of a directed graph: targets in the dicts' order; empty if it is the same
  // The sum of the weights between the same ends, and the smallest; empty if each is 1, or not asked for.
  std::vector<double> sums, smallest;
  weights_kind kind = weights_kind::all_one;
  std::uint64_t self_loops = 0;
  bool numbers = false;  // vertex i is called i
};

struct dict_rows_rules {
  bool directed = false;
  bool several = false;     // edges between the same ends
  nb::handle weight;        // the key of weights in an edge's dict, or null
  double missing = 1;       // the weight of an edge without
  bool lent_hashes = true;  // hashes are taken from dicts where Python lends them
};

[[nodiscard]] dict_rows read_dict_rows(nb::dict const& vertices, nb::dict const& adjacency,
                                       dict_rows_rules const& rules);

}  // namespace engine
