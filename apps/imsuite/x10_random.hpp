// x10_random: the generator of x10.util.Random (X10 2.3), which the randomised kernels of the suite draw from.
//
//   The Mersenne twister, its state filled by a linear congruence. With it mis and dominating_set make the same
//   choices, and thus the same number of copies, as NEMESYS reports.
//
// Threads  one owner.
// Cost     2.5 KB of state; three word operations for a number, and a sweep over the state for each 624.
// Source   M. Matsumoto, T. Nishimura, "Mersenne Twister" (ACM TOMACS 8(1), 1998), with the seeding given there; the
//          conversions are documented with the class.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace imsuite {

class x10_random {
 public:
  explicit x10_random(std::int64_t seed) noexcept {
    state_[0] = static_cast<std::uint32_t>(seed == 0 ? 4357 : seed);
    for (std::size_t i = 1; i < words; ++i) state_[i] = 69069U * state_[i - 1] + 1;
    twist();
  }

  // nextInt(): any 32 bits.
  std::int32_t next_int() noexcept {
    if (next_ == words) twist();
    std::uint32_t y = state_[next_++];
    y ^= y >> 11U;
    y ^= (y << 7U) & 0x9D2C5680U;
    y ^= (y << 15U) & 0xEFC60000U;
    y ^= y >> 18U;
    return static_cast<std::int32_t>(y);
  }

  // nextInt(bound): the low bits, drawn again until they are below bound; bound > 0.
  std::int32_t next_int(std::int32_t bound) noexcept {
    if ((bound & -bound) == bound) return next_int() & (bound - 1);
    std::int32_t mask = 1;
    while ((bound & ~mask) != 0) mask = mask << 1 | 1;
    for (;;)
      if (std::int32_t const x = next_int() & mask; x < bound) return x;
  }

  // nextDouble(): in [0, 1), the high 53 of 64 bits.
  double next_double() noexcept {
    std::uint64_t const high = static_cast<std::uint32_t>(next_int());
    std::uint64_t const low = static_cast<std::uint32_t>(next_int());
    return static_cast<double>((high << 32U | low) >> 11U) * 0x1.0p-53;
  }

 private:
  static constexpr std::size_t words = 624;
  static constexpr std::size_t middle = 397;

  void twist() noexcept {
    for (std::size_t i = 0; i < words; ++i) {
      std::uint32_t const s = (state_[i] & 0x80000000U) | (state_[(i + 1) % words] & 0x7FFFFFFFU);
      state_[i] = state_[(i + middle) % words] ^ (s >> 1U) ^ ((s & 1U) * 0x9908B0DFU);
    }
    next_ = 0;
  }

  std::array<std::uint32_t, words> state_{};
  std::size_t next_ = 0;
};

}  // namespace imsuite
