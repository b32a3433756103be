// portals: receive windows for other clusters, and transfers into theirs.
//
// Threads   tasks of the kernel.
#pragma once

#include <cstdint>

namespace tess::system::portals {

[[nodiscard]] std::int64_t open(std::uint64_t number, std::uint64_t address, std::uint64_t bytes, std::uint64_t tile,
                                std::uint64_t sends);
[[nodiscard]] std::int64_t close(std::uint64_t number);
/// The windows of the mask that are closed: bit n for window n.
[[nodiscard]] std::uint64_t closed(std::uint64_t mask);
/// Waits until all is in the other cluster's memory.
[[nodiscard]] std::int64_t transfer(std::uint64_t from, std::uint64_t bytes, std::uint64_t to);
/// The unit has ended a transfer; called by a trap.
void transfer_ended();

}  // namespace tess::system::portals
