// registers: the device registers of a tile of the simulated machine: what programs on it and the machine agree on.
//
//   A tile has units; each has a window of 64 bytes for every hart, registers of 64 bits that are loaded and stored
//   whole. A program reaches those of its own tile at own_devices, the same address in every tile, and those of tile t
//   at the address that t's row of the tile table has.
//   A command: its fields in any order, then a store of anything to `doorbell`; loading `doorbell` says what became of
//   it. When the unit has done it, it acknowledges the counter: {value, error, notify, cookie}, four words at a home.
//   It sets `error` if there was one and takes 1 from `value`; if that makes zero, it writes `cookie` to `notify`,
//   unless that is null. Pointers may be addresses of the local window.
//
// Units     bytes; addresses as of the machine's map (docs/machine.md).
// Threads   a window is its hart's.
// Errors    a load or store that is not of an aligned word of 64 bits, or of no register, traps.
#pragma once

#include <cstdint>

namespace tess::machine::registers {

inline constexpr std::uint64_t devices_bytes = std::uint64_t{1} << 24U;  ///< Of a tile.
inline constexpr std::uint64_t own_devices = (std::uint64_t{1} << 40U) - devices_bytes;
inline constexpr std::uint64_t unit_bytes = std::uint64_t{1} << 19U;
inline constexpr std::uint64_t units_max = devices_bytes / unit_bytes;
inline constexpr std::uint64_t window_bytes = 64;

enum class unit : std::uint8_t { information, ranges, adapter, invoke, tasks };

/// What the doorbell of `adapter` and `invoke` says: `accepted` until the command has ended, then `idle` or `wrong`.
/// Stores to a window whose command runs are lost.
enum class command_status : std::uint64_t { idle = 0, accepted = 1, wrong = 3 };

/// Of the information unit, read only; the same in every window.
namespace information {
inline constexpr std::uint64_t tile = 0;       ///< Number of the tile: y x width + x.
inline constexpr std::uint64_t hart = 8;       ///< Of the hart that loads it, in its tile.
inline constexpr std::uint64_t width = 16;     ///< Of the grid, tiles.
inline constexpr std::uint64_t height = 24;    ///< Of the grid, tiles.
inline constexpr std::uint64_t harts = 32;     ///< Harts of the tile that programs can use.
inline constexpr std::uint64_t program = 40;   ///< Which copy of the program runs in this tile, from 0.
inline constexpr std::uint64_t programs = 48;  ///< Copies of the program.
inline constexpr std::uint64_t clock_ps = 56;  ///< Period of the tile's clock.
/// The tile table: a row of 64 bytes for each tile.
inline constexpr std::uint64_t table = 4096;
inline constexpr std::uint64_t row_bytes = 64;
inline constexpr std::uint64_t row_tlm = 0;               ///< Address of its tile-local memory.
inline constexpr std::uint64_t row_partition = 8;         ///< Address of its partition of DDR.
inline constexpr std::uint64_t row_partition_bytes = 16;  ///< Without the tail, which is in its local window.
inline constexpr std::uint64_t row_uncached = 24;         ///< Address of the partition's uncached view.
inline constexpr std::uint64_t row_devices = 32;          ///< Address of its devices.
inline constexpr std::uint64_t row_memory_tile = 40;      ///< Where its partition's DDR is.
inline constexpr std::uint64_t row_program = 48;          ///< Which copy of the program it runs, plus 1; 0: none.
inline constexpr std::uint64_t row_tlm_bytes = 56;
}  // namespace information

/// Of the unit for ranges of the tile's caches.
namespace ranges {
inline constexpr std::uint64_t operation = 0;
inline constexpr std::uint64_t address = 8;
inline constexpr std::uint64_t bytes = 16;
inline constexpr std::uint64_t counter = 24;  ///< Null: nobody is told.
inline constexpr std::uint64_t doorbell = 56;

enum operation_code : std::uint64_t {
  write_back = 1,      ///< Dirty lines of the L2 go to memory, and stay.
  invalidate = 2,      ///< Lines of the L2, and of the L1s above them, are dropped; edge lines are flushed.
  flush = 3,           ///< Both: write back, then drop.
  invalidate_l1s = 4,  ///< Lines of the tile's L1s are dropped.
};
enum status_code : std::uint64_t { idle = 0, accepted = 1, full = 2, wrong = 3 };
}  // namespace ranges

/// Of the network adapter: what loads, stores and AMOs cannot do.
namespace adapter {
inline constexpr std::uint64_t operation = 0;
inline constexpr std::uint64_t address = 8;    ///< Of the word; or of the source.
inline constexpr std::uint64_t bytes = 16;     ///< 4 or 8; or of the copy, whole lines of the L2.
inline constexpr std::uint64_t operand = 24;   ///< What is stored; or the address of the destination.
inline constexpr std::uint64_t expected = 32;  ///< It is stored if the word is this.
inline constexpr std::uint64_t counter = 40;   ///< Null: nobody is told.
inline constexpr std::uint64_t result = 48;    ///< What the word was; of 4 bytes, sign-extended.
inline constexpr std::uint64_t doorbell = 56;

enum operation_code : std::uint64_t {
  compare_swap = 1,  ///< At the word's home, in any tile.
  copy = 2,          ///< By DMA, behind all caches, between tile-local memories and partitions of any tiles.
};
}  // namespace adapter

/// Remote task invocation: sends a message of five words to the task queue of a tile.
namespace invoke {
inline constexpr std::uint64_t words = 5;     ///< At 0, 8, 16, 24, 32.
inline constexpr std::uint64_t target = 40;   ///< Tile.
inline constexpr std::uint64_t counter = 48;  ///< Null: nobody is told that it is in the queue.
inline constexpr std::uint64_t doorbell = 56;
}  // namespace invoke

/// The tile's task queue.
namespace tasks {
/// The message that was taken last lies at 0 to 32 of the hart's window.
inline constexpr std::uint64_t source = 40;  ///< The tile that sent it.
/// Storing n: in n nanoseconds 1 is added to the word at `notify`, unless an alarm of the tile rings before that.
inline constexpr std::uint64_t alarm = 48;
inline constexpr std::uint64_t take = 56;  ///< Loading it takes the oldest message: 1; or there is none: 0.
// Of the tile, not of a hart:
inline constexpr std::uint64_t notify = 4096;   ///< Address of a word to which 1 is added for every message; or null.
inline constexpr std::uint64_t waiting = 4104;  ///< Messages in the queue.
}  // namespace tasks

}  // namespace tess::machine::registers
