// java_random: the generator of java.util.Random, which the suite's inputs and its randomised kernels draw from.
//
//   A linear congruential generator of 48 bits; the high bits of its state are the numbers.
//
// Threads  one owner.
// Cost     a multiplication for each 32 bits. Trivially copyable, so it can be sent as it is.
// Source   the specification of java.util.Random (Java SE API), which fixes every number; Knuth, "The Art of Computer
//          Programming", volume 2, 3.2.1.
#pragma once

#include <cstdint>

namespace imsuite {

class java_random {
 public:
  explicit constexpr java_random(std::int64_t seed) noexcept
      : state_((static_cast<std::uint64_t>(seed) ^ multiplier) & mask) {}
  constexpr java_random() noexcept : java_random(0) {}

  // nextInt(): any 32 bits.
  constexpr std::int32_t next_int() noexcept { return next(32); }

  // nextInt(bound): uniform in [0, bound); bound > 0.
  constexpr std::int32_t next_int(std::int32_t bound) noexcept {
    if ((bound & (bound - 1)) == 0) return static_cast<std::int32_t>((std::int64_t{bound} * next(31)) >> 31);
    for (;;) {
      std::int32_t const bits = next(31);
      std::int32_t const value = bits % bound;
      // Numbers above the last multiple of bound are drawn again.
      if (std::int64_t{bits} - value + (bound - 1) <= INT32_MAX) return value;
    }
  }

  // nextDouble(): in [0, 1), 53 bits.
  constexpr double next_double() noexcept {
    std::uint64_t const high = static_cast<std::uint32_t>(next(26));
    std::uint64_t const low = static_cast<std::uint32_t>(next(27));
    return static_cast<double>((high << 27U) + low) * 0x1.0p-53;
  }

  // nextInt() % range without its sign, as the suite shuffles; slightly uneven.
  constexpr std::int32_t next_remainder(std::int32_t range) noexcept {
    std::int32_t const r = next_int() % range;
    return r < 0 ? -r : r;
  }

 private:
  static constexpr std::uint64_t multiplier = 0x5DEECE66D;
  static constexpr std::uint64_t increment = 0xB;
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 48U) - 1;

  constexpr std::int32_t next(unsigned bits) noexcept {
    state_ = (state_ * multiplier + increment) & mask;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(state_ >> (48U - bits)));
  }

  std::uint64_t state_;
};

}  // namespace imsuite
