// splitmix: the k-th number of a random stream computed from its index alone, so that it can be reproduced in any
// order.
//
// Source    Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014): splitmix64.
#pragma once

#include <cstdint>

namespace bench {

/// Number k of stream `seed`, uniform in 64 bits: the finaliser of splitmix64 on seed + (k + 1) golden ratios.
[[nodiscard]] constexpr std::uint64_t splitmix(std::uint64_t seed, std::uint64_t k) noexcept {
  std::uint64_t z = seed + (k + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace bench
