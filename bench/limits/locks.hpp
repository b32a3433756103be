// locks: what a lock costs threads: the MCS queue lock, fair as ours, and std::mutex, which is not.
//
// The critical section is empty, as in figure 11a of "Cache-Integrated Network Interfaces" (IJPP 2012).
//
// Threads   each starts its own pinned threads, thread i on cpu i, round robin.
// Units     ns per acquisition and release, of all threads together: seconds / (threads * rounds).
#pragma once

#include <cstdint>

namespace bench {

/// Waiters spin on a line of their own; after a while they give the processor away, or more threads than processors
/// would stand still.
[[nodiscard]] double mcs_lock(int threads, std::uint64_t rounds);

[[nodiscard]] double std_mutex(int threads, std::uint64_t rounds);

}  // namespace bench
