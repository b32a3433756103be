// vertex_list: some vertices that one place knows, for all places to read; travels in `at`.
//
// Threads   made and released by one task; read() by any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

class vertex_list {
 public:
  explicit vertex_list(std::vector<graph::vertex> const& vertices)
      : at_(tess::allocate<graph::vertex>(std::max<std::uint64_t>(vertices.size(), 1))), count_(vertices.size()) {
    std::ranges::copy(vertices, at_.local());
  }
  static void release(vertex_list l) { tess::deallocate(l.at_); }

  [[nodiscard]] tess::task<std::vector<graph::vertex>> read() const {
    std::vector<graph::vertex> all(count_);
    if (count_ != 0) co_await tess::get(at_, std::span(all));
    co_return all;
  }

 private:
  tess::global_ptr<graph::vertex> at_;
  std::uint64_t count_;
};

}  // namespace kernels
