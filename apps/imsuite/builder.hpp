// builder: makes a benchmark object with all objects that it refers to, at place 0, and its distributed arrays
// everywhere.
//
// Threads  one task, at place 0; release() after everything that uses the arrays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "imsuite/benchmark.hpp"
#include "tess/object.hpp"

namespace imsuite {

[[nodiscard]] x10::region* make_region(std::int32_t size);
[[nodiscard]] x10::region* make_region(std::int32_t rows, std::int32_t columns);
[[nodiscard]] x10::int_array* make_ints(std::span<std::int32_t const> values);
// n x n.
[[nodiscard]] x10::int_array* make_ints(std::int32_t n, std::span<std::int32_t const> values);
[[nodiscard]] x10::int_array* make_matrix(std::int32_t n, std::span<std::uint8_t const> values);
// The columns of row i that hold 1.
[[nodiscard]] std::vector<std::int32_t> neighbors_in(x10::int_array const& matrix, std::int32_t nodes, std::int32_t i);

class builder {
 public:
  explicit builder(std::int32_t nodes);

  // DistArray.make, before the region of interest.
  template <class T>
  [[nodiscard]] tess::task<x10::dist_array<T>*> array() {
    auto const local = co_await tess::place_local<x10::part<T>>::make();
    releases_.push_back([local] { return tess::place_local<x10::part<T>>::release(local); });
    co_await tess::on_all_places(
        [](tess::place_local<x10::part<T>> here, std::int32_t nodes) {
          x10::region indices{1, {0, 0}, {nodes - 1, 0}};
          x10::place_group group{static_cast<std::int32_t>(tess::places())};
          x10::distribution const dist{&indices, &group};
          auto const place = static_cast<std::int32_t>(tess::here());
          here->first = dist.begin(place);
          here->elements.resize(static_cast<std::size_t>(dist.begin(place + 1) - here->first));
        },
        local, nodes_);
    co_return tess::make<x10::dist_array<T>>(dist_, local);
  }

  // Without `own`, which refers to objects that the kernel makes.
  template <class Kernel>
  [[nodiscard]] tess::task<benchmark<Kernel>*> object(std::int64_t load) {
    auto const counters = co_await tess::place_local<copies>::make();
    releases_.push_back([counters] { return tess::place_local<copies>::release(counters); });
    auto* const made = tess::make<benchmark<Kernel>>();
    made->R = dist_->indices;
    made->D = dist_;
    made->node_set = co_await array<typename Kernel::node>();
    made->nval = co_await array<std::int64_t>();
    made->load = load;
    made->nodes = nodes_;
    made->copies = counters;
    co_return made;
  }

  [[nodiscard]] tess::task<void> release();

 private:
  std::int32_t nodes_;
  x10::distribution* dist_;
  std::vector<std::function<tess::task<void>()>> releases_;
};

}  // namespace imsuite
