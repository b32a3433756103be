// fence_others: a full fence in all threads of all processes that said they take part.
//
//   For two sides that each store and then load what the other stores, where one side is frequent and the other rare:
//   the rare one calls fence_others() between its store and its load, and the frequent one needs no instruction between
//   its own, only that the compiler keeps their order (atomic_signal_fence). If a process of the frequent side cannot
//   take part, both sides need fences of their own. On RISC-V nobody can.
//
// Threads  any.
// Cost     fence_others(): a system call, and an interrupt at each processor that runs such a thread: microseconds.
//          The first can_fence_others(): the same, but milliseconds in a process that has several threads.
// Source   membarrier(2), Linux 4.16: MEMBARRIER_CMD_GLOBAL_EXPEDITED; asymmetric fences: P1202 for C++.
#pragma once

namespace tess::detail {

/// Whether this process takes part; the first call says so to the kernel. False: the kernel cannot, or may not.
[[nodiscard]] bool can_fence_others() noexcept;
/// Only after can_fence_others() was true.
void fence_others() noexcept;

}  // namespace tess::detail
