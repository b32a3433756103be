// interface: blocks and the barrier of all PEs by the tile's cache-integrated network interface, where the machine has
// one.
//
//   A copy is a few commands of the hart's command buffer; a counter counts their acknowledgements and writes a word of
//   the hart at zero. The barrier is a tree of counters: up, each adds to that of its parent when its PE and children
//   have come; down, each writes its PE's word and adds to those of its children. The lines are the last ones of the
//   first way of the scratchpad; a runtime in the same program has the first ones.
//
// Threads   copy: any hart, each with its own lines. meet: one of each PE.
// Source    CNI (IJPP 2012), sections 3 and 4: RDMA with explicit acknowledgement, counters.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tess::shmem::interface {

/// All PEs, before they use it.
void open();
[[nodiscard]] bool is_open() noexcept;
/// Between addresses that the two PEs use, one of which is this one; done when it returns.
void copy(int from, std::uint64_t source, int to, std::uint64_t target, std::size_t bytes);
/// The barrier of all PEs.
void meet();

}  // namespace tess::shmem::interface
