// fixed_point: sums of doubles that do not depend on their order: as 64-bit integers.
//
// Units     2^-60, which resolves sums of changes of scores to 10^-18; the largest sum is 7.
#pragma once

#include <cstdint>

namespace kernels {

inline constexpr double fixed_one = 0x1p60;

inline std::int64_t to_fixed(double x) noexcept {
  return static_cast<std::int64_t>(x * fixed_one);
}
inline double from_fixed(std::int64_t x) noexcept {
  return static_cast<double>(x) / fixed_one;
}

}  // namespace kernels
