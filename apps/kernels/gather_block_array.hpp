// gather_block_array: copies an array with an element for each vertex from its owners to one place.
#pragma once

#include <span>
#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

// `values` lies in blocks like those of the graph.
template <class T>
tess::task<std::vector<T>> gather_block_array(graph::distributed_graph g, tess::global_array<T> values) {
  std::vector<T> all(g.vertices());
  tess::counter done;
  for (unsigned p = 0; p < tess::places(); ++p) {
    auto const place = static_cast<tess::place_id>(p);
    std::uint64_t const begin = g.begin_at(place);
    std::uint64_t const end = g.end_at(place);
    if (begin != end) tess::get(values[begin], std::span(all).subspan(begin, end - begin), done);
  }
  co_await done;
  co_return all;
}

}  // namespace kernels
