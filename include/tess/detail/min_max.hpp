// min_max: the smaller and the larger of two counts, without including all of <algorithm>.
#pragma once

#include <cstdint>

namespace tess::detail {

[[nodiscard]] constexpr std::uint64_t min_of(std::uint64_t a, std::uint64_t b) noexcept {
  return b < a ? b : a;
}
[[nodiscard]] constexpr std::uint64_t max_of(std::uint64_t a, std::uint64_t b) noexcept {
  return a < b ? b : a;
}

}  // namespace tess::detail
