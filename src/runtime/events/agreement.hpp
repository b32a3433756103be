// agreement: what all members of an exchange learn of each other before they read, and what they decide by size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "tess/error.hpp"
#include "tess/exchange.hpp"

namespace tess::detail {

/// Shorter arrays, those of all members together, are combined whole by every member.
inline constexpr std::uint64_t whole_bytes_max = std::uint64_t{16} << 10U;

struct agreement {
  exchange_fault fault = exchange_fault::none;
  place_id place = 0;  ///< of the fault
  std::uint64_t length_min = 0;
  std::uint64_t length_max = 0;
  std::uint64_t bytes_max = 0;  ///< published by one member
};

[[nodiscard]] inline agreement agree(agreement const& a, agreement const& b) {
  agreement both = a.fault != exchange_fault::none ? a : b;
  both.length_min = std::min(a.length_min, b.length_min);
  both.length_max = std::max(a.length_max, b.length_max);
  both.bytes_max = std::max(a.bytes_max, b.bytes_max);
  return both;
}

/// Throws what is wrong at one member, at all of them. `own_bytes`: what the caller wanted to publish.
inline void throw_fault(agreement const& all, std::uint64_t own_bytes) {
  if (all.fault == exchange_fault::memory) throw out_of_memory(all.place, own_bytes, 0);
  if (all.fault == exchange_fault::values)
    throw error("exchange", "another number of values at place " + std::to_string(all.place), "one for each member");
  if (all.length_min != all.length_max)
    throw error("exchange",
                "arrays of " + std::to_string(all.length_min) + " and " + std::to_string(all.length_max) + " elements",
                "the same length at every member");
}

}  // namespace tess::detail
