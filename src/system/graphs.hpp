// graphs: T1, T2 and T3 of a call with a graph, as tasks of the kernel, and the mailbox of the tile's program.
//
//   T1, a message of the caller's NCA: memory for the copy; then the range unit drops its stale lines and triggers the
//   NMA. Between two memories T1 only tells the caller's tile; T3 there makes an intermediate copy and triggers the NMA
//   of its memory. T2, a message of the NMA: the copy is there, so the call goes into the program's mailbox. T1 and T3
//   are tasks, as they wait for units; T2 is done in the interrupt, so that it never waits for them.
//
// Threads   take() and has_room() from a trap, or with interrupts off; serve() from a task.
// Source    "NEMESYS" (MEMSYS 2019), section 3.1 and figure 3.
#pragma once

#include <cstdint>

namespace tess::system::graphs {

/// The program's block (machine::system::place_block), and the shapes with which it was compiled.
std::int64_t serve(std::uint64_t block, std::uint64_t its_shapes);
/// A program is served: messages need not wait for a task that takes them.
[[nodiscard]] bool serves();
/// The program's mailbox can take one more message.
[[nodiscard]] bool has_room();
/// A message that is not the kernel's own.
void take(std::uint64_t source, std::uint64_t const* words);
/// A range operation has ended.
void range_ended();

}  // namespace tess::system::graphs
