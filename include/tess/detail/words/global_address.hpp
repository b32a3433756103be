// global_address: the 64 bits of a global_ptr.
//
// Bits  48-63 place, 0-47 offset in bytes into the place's segment.
#pragma once

#include <cstdint>

#include "tess/error.hpp"

namespace tess::detail {

inline constexpr unsigned offset_bits = 48;
inline constexpr std::uint64_t offset_mask = (std::uint64_t{1} << offset_bits) - 1;

[[nodiscard]] constexpr place_id place_of(std::uint64_t address) noexcept {
  return static_cast<place_id>(address >> offset_bits);
}
[[nodiscard]] constexpr std::uint64_t offset_of(std::uint64_t address) noexcept {
  return address & offset_mask;
}
[[nodiscard]] constexpr std::uint64_t global_address(place_id place, std::uint64_t offset) noexcept {
  return std::uint64_t{place} << offset_bits | (offset & offset_mask);
}

}  // namespace tess::detail
