// locks: costs of locks of threads: the MCS queue lock, which is fair like ours, and std::mutex, which is not.
//
// The critical section is empty, as in figure 11a of "Cache-Integrated Network Interfaces" (IJPP 2012).
//
// Threads   each starts its own pinned threads, thread i on cpu i, round robin.
// Units     ns per acquisition and release, of all threads together: seconds / (threads * rounds).
#pragma once

#include <cstdint>

namespace bench {

/// Waiters spin on their own line; after a while they yield, since otherwise more threads than processors would not
/// make progress.
[[nodiscard]] double mcs_lock(int threads, std::uint64_t rounds);

[[nodiscard]] double std_mutex(int threads, std::uint64_t rounds);

}  // namespace bench
