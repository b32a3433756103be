// kernel: what all parts of the system kernel share: its hart's number, its memory, and the numbers of interrupts.
#pragma once

#include "system/memory.hpp"
#include "system/tasks.hpp"

namespace tess::system {

/// The hart that runs the kernel: the last one of its tile.
extern std::uint64_t own_hart;
extern std::uint64_t own_tile;
/// The kernel's own memory: between its image and the programs'.
extern memory_range own_memory;
/// Memory that a program has handed over.
extern memory_range managed;

/// The task for packets looks again.
void wake_network();
/// A task has ended: calls that had no memory may have it now.
void task_ended();

/// Sources of external interrupts that the kernel raises by its counters.
inline constexpr std::uint64_t source_transfer = registers::interrupts::source_first_free;
inline constexpr std::uint64_t source_ranges = source_transfer + 1;

}  // namespace tess::system
