// time: simulated time in picoseconds, and clock domains that count it in cycles.
//
// Units     picoseconds, 64 bits: 213 days. A frequency must have a period of whole picoseconds.
// Cost      cycles → time is a multiplication, time → cycles two of them and a comparison.
#pragma once

#include <cstdint>

#include "machine/kernel/assert.hpp"

namespace tess::machine {

using picoseconds = std::uint64_t;
using cycle_count = std::uint64_t;

/// All edges are at multiples of the period, so domains with a common multiple meet.
class clock_domain {
 public:
  explicit constexpr clock_domain(picoseconds period_ps)
      : period_ps_(period_ps), inverse_(period_ps == 0 ? 0 : ~picoseconds{0} / period_ps) {
    MACHINE_ASSERT(period_ps > 0);
  }

  [[nodiscard]] constexpr picoseconds period_ps() const noexcept { return period_ps_; }
  [[nodiscard]] constexpr picoseconds cycles(cycle_count n) const noexcept { return n * period_ps_; }
  /// Whole cycles up to `time`.
  [[nodiscard]] constexpr cycle_count count(picoseconds time) const noexcept {
    // The inverse is too small by less than one part in 2^64 / period: the quotient is exact or one too small.
    __extension__ using wide = unsigned __int128;
    auto const low = static_cast<cycle_count>(wide{time} * inverse_ >> 64U);
    return low + (time - low * period_ps_ >= period_ps_ ? 1 : 0);
  }
  /// The cycle that begins with the first edge at or after `time`.
  [[nodiscard]] constexpr cycle_count cycle_from(picoseconds time) const noexcept {
    return count(time + period_ps_ - 1);
  }
  /// The first edge at or after `time`.
  [[nodiscard]] constexpr picoseconds edge(picoseconds time) const noexcept { return cycles(cycle_from(time)); }

 private:
  picoseconds period_ps_;
  picoseconds inverse_;  ///< 2^64 / period, rounded down.
};

}  // namespace tess::machine
