// shared_arrays: exchanges and reductions of arrays between members that map each other's segments.
#pragma once

#include "runtime/events/shared_steps.hpp"

namespace tess::detail {

/// As exchange_parts() of arrays, and reduce_elements(), of elements of which each member has one in a slot.
[[nodiscard]] task<void> exchange_shared(member_view const& team, std::span<std::byte const> body,
                                         std::span<part_read> reads, std::uint64_t length, exchange_fault fault);
[[nodiscard]] task<void> reduce_shared(member_view const& team, std::span<std::byte> values,
                                       element_combination const& by, bool wanted);

}  // namespace tess::detail
