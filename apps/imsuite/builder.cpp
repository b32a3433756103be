// builder: construction common to all kernels.
#include "imsuite/builder.hpp"

namespace imsuite {

x10::region* make_region(std::int32_t size) {
  return tess::make<x10::region>(1, std::array{0, 0}, std::array{size - 1, 0});
}

x10::region* make_region(std::int32_t rows, std::int32_t columns) {
  return tess::make<x10::region>(2, std::array{0, 0}, std::array{rows - 1, columns - 1});
}

x10::int_array* make_ints(std::span<std::int32_t const> values) {
  return tess::make<x10::int_array>(make_region(static_cast<std::int32_t>(values.size())),
                                    tess::array<std::int32_t>(values));
}

x10::int_array* make_ints(std::int32_t n, std::span<std::int32_t const> values) {
  return tess::make<x10::int_array>(make_region(n, n), tess::array<std::int32_t>(values));
}

x10::int_array* make_matrix(std::int32_t n, std::span<std::uint8_t const> values) {
  tess::array<std::int32_t> const raw(values.size());
  std::ranges::copy(values, raw.begin());
  return tess::make<x10::int_array>(make_region(n, n), raw);
}

std::vector<std::int32_t> neighbors_in(x10::int_array const& matrix, std::int32_t nodes, std::int32_t i) {
  std::vector<std::int32_t> found;
  for (std::int32_t j = 0; j < nodes; ++j)
    if (matrix(i, j) == 1) found.push_back(j);
  return found;
}

builder::builder(std::int32_t nodes)
    : nodes_(nodes),
      dist_(tess::make<x10::distribution>(make_region(nodes),
                                          tess::make<x10::place_group>(static_cast<std::int32_t>(tess::places())))) {}

tess::task<void> builder::release() {
  while (!releases_.empty()) {
    co_await releases_.back()();
    releases_.pop_back();
  }
}

}  // namespace imsuite
