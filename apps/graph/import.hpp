// import: a whole graph from any input, in the memory of this process, under explicit rules.
//
//   Inputs that are read only in this way: tables with a header (table.hpp), METIS, matrices of scipy (.npz), and saved
//   graphs (.tgr). The others may be read by all places, edge by edge (edge_reader.hpp), unless a rule was given.
//
// Errors    input_error.
// Cost      that of the input, and make_csr's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "graph/csr.hpp"
#include "graph/graph_input.hpp"
#include "graph/table.hpp"

namespace graph {

struct import_options {
  table_columns columns = {};                   // given: the file is a table, whatever its first line is
  std::optional<bool> directed = std::nullopt;  // as the input says; a table, an edge list and a matrix are directed
  std::optional<duplicates_rule> duplicates = std::nullopt;  // the smallest weight
  std::optional<self_loops_rule> self_loops = std::nullopt;  // dropped; in a saved graph as they are
  bool random_weights = false;                               // of generators (generate.hpp), instead of none
  unsigned threads = 0;

  [[nodiscard]] bool any_rule() const noexcept { return directed || duplicates || self_loops || random_weights; }
};

// Whether the graph can only be read whole, or the options want something that only this library does.
[[nodiscard]] bool is_read_whole(std::string const& spec, import_options const& options = {});

// The names of a graph's vertices in the names file beside it; null if there is none.
[[nodiscard]] std::shared_ptr<dictionary const> names_beside(graph_input const& input, std::uint64_t vertices);

// What an input had before rules removed some of it.
struct import_counts {
  std::uint64_t edges = 0;
  std::uint64_t self_loops = 0;
};

[[nodiscard]] csr read_csr(std::string const& spec, import_options const& options = {},
                           import_counts* counts = nullptr);

}  // namespace graph
