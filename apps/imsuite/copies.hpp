// copies: counts the graphs copied to other places, by size, as in NEMESYS's table 5.
//
//   Only copies to another place count, and twice, as in the paper, which logged each graph at its source and at
//   its destination: a statement at another place is 2, an expression 4 (closure and result).
//
// Units    bytes as they travel (measure.hpp).
// Threads  note: any task of the place. start and stop: one task, while no copy is in flight.
// Source   "NEMESYS" (MEMSYS 2019), table 5, in reference/nemesys_table5.csv.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "imsuite/input.hpp"
#include "tess/place_atomic.hpp"
#include "tess/place_local.hpp"

namespace imsuite {

struct graph_size {
  std::uint64_t objects = 0;
  std::uint64_t arrays = 0;  // backing stores, which the paper counts as a part of their object
  std::uint64_t bytes = 0;

  auto operator<=>(graph_size const&) const = default;
};

struct graph_part {
  std::string_view name;
  std::uint64_t words = 0;  // of 8 bytes, with the header
};

struct counted {
  graph_size size;
  std::uint64_t graphs = 0;
};

// The counts of one place.
struct copies {
  struct seen {
    std::uint64_t graphs = 0;
    std::vector<graph_part> parts;  // of the first
  };
  bool counting = false;
  std::map<graph_size, seen> sizes;

  void note(graph_size size, std::vector<graph_part> const& parts) {
    tess::place_atomic([&] {
      seen& s = sizes[size];
      if (s.graphs++ == 0) s.parts = parts;
    });
  }
};

[[nodiscard]] tess::task<void> start_counting(tess::place_local<copies> everywhere);
// The counts of all places, in order of size.
[[nodiscard]] tess::task<std::vector<counted>> stop_counting(tess::place_local<copies> everywhere);

// For a reader: the table's row next to the paper's, and the parts of the most frequent graph that place 0 sent. Also
// goes to --stats: copies; graphs as [objects, arrays, bytes, copies]; the parts as [name, words].
[[nodiscard]] std::string report_copies(kernel k, std::vector<counted> const& found, copies const& here);

}  // namespace imsuite
