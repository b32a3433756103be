// arrival: regions of this place that messages name.
#pragma once

#include <cstdint>

#include "tess/detail/objects/region.hpp"

namespace tess::detail {

/// The region at an address from a message, of exactly `bytes` of content; throws tess::error if there is none.
[[nodiscard]] region* named_region(std::uint64_t address, std::uint64_t bytes);

}  // namespace tess::detail
