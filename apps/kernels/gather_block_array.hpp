// gather_block_array: copies an array with an element for each vertex from its owners to one place, and back.
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

// The other way: an array in such blocks, which the caller releases.
template <class T>
tess::task<tess::global_array<T>> scatter_block_array(graph::distributed_graph g, std::vector<T> const& values) {
  auto const spread = co_await tess::global_array<T>::make(g.block() * tess::places());
  tess::counter done;
  for (unsigned p = 0; p < tess::places(); ++p) {
    auto const place = static_cast<tess::place_id>(p);
    std::uint64_t const begin = g.begin_at(place);
    std::uint64_t const end = g.end_at(place);
    if (begin != end) tess::put(std::span<T const>(values).subspan(begin, end - begin), spread[begin], done);
  }
  co_await done;
  co_return spread;
}

}  // namespace kernels
