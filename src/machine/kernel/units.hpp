// units: sizes that the parts of a machine have in common.
#pragma once

#include <cstdint>

namespace tess::machine {

inline constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);
inline constexpr std::uint64_t gib = std::uint64_t{1} << 30U;

}  // namespace tess::machine
