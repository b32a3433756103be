// system_place: what the system kernel and a program of the runtime share in a tile: the program's mailbox, and calls
// with graphs.
//
//   The kernel takes every message out of the tile's task queue. Those that begin a step of a call with a graph it does
//   itself, T1, T2 and T3 of NEMESYS, on the system's hart; all others, and calls whose graph has arrived, it puts into
//   the program's mailbox, a ring in the tile-local memory, and adds to the word on which the program's harts sleep.
//   The program registers the block by `serve`.
//
//   A message of a call with a graph is M, a cell of the caller's tile-local memory; M', where its NCA or DMA puts the
//   copy, is an arrival at the target. Cell c of place p has arrival p x cells + c everywhere, until its word `held` is
//   zero again.
//
// Units     bytes; addresses as the place's program has them.
// Threads   the ring: the kernel puts, any hart takes. Lists: any hart puts, the kernel takes all.
// Source    "NEMESYS" (MEMSYS 2019), section 3.1 and figure 3. The ring: D. Vyukov, "Bounded MPMC queue" (2010).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <tess/machine/registers.hpp>

namespace tess::machine::system {

/// Kinds of messages: the low byte of their first word.
enum class packet : std::uint8_t {
  mail_data,  ///< The kernel's mailboxes.
  mail_accepted,
  mail_refused,
  mail_room,
  graph_call,   ///< T1: lines of M, and above 2^8 the root's offset in its segment / 8; M or M'; objects; bytes
  graph_stage,  ///< T3, to the caller: bytes of the chunk; M; the arrival at the target; its chunk; the target's tile
  graph_ready,  ///< T2: the arrival; the root's copy; bytes; fault; objects. The program gets it when it has arrived.
  program_first = 16,
};
inline constexpr unsigned packet_shift = 8;  ///< To what stands above the kind.

/// A message as it came, in a list.
struct alignas(64) job {
  std::uint64_t words[registers::invoke::words];
  std::uint64_t source;  ///< Tile.
  job* next;
};

/// A counter of a unit (registers.hpp).
struct alignas(32) unit_counter {
  std::uint64_t volatile value = 0;
  std::uint64_t volatile error = 0;
  std::uint64_t volatile notify = 0;
  std::uint64_t volatile cookie = 0;
};

inline constexpr std::size_t line_bytes = 64;  ///< No cache has longer ones.
inline constexpr std::size_t call_bytes = 448;

/// Words of a cell's metadata. The NCA writes the first two.
enum cell_word : std::uint8_t { cell_objects, cell_bytes, cell_message, cell_arrival, cell_root };
/// A command to the accelerators for graphs; for a call it is M.
struct alignas(line_bytes) graph_cell {
  std::uint64_t volatile metadata[line_bytes / sizeof(std::uint64_t)];  ///< A whole line.
  std::byte message[call_bytes];                                        ///< For a call.
  unit_counter read;                                                    ///< The graph has been traversed, or copied.
  unit_counter moved;                                                   ///< Its copy has arrived.
  unit_counter traversed;                                               ///< The writeback of a call.
  std::atomic<std::uint64_t> held;                                      ///< The target still needs M, or M'.
  std::atomic<void*> staging;                                           ///< The intermediate copy.
  job stage;                                                            ///< T3 of this call.
};

/// M', and what the kernel of the target knows of the call.
struct alignas(line_bytes) arrival {
  std::uint64_t metadata[line_bytes / sizeof(std::uint64_t)];
  std::byte message[call_bytes];
  job call;                   ///< T1
  std::uint64_t cell;         ///< The global address of M, which the program has entered.
  std::uint64_t chunk;        ///< For the graph.
  std::uint64_t chunk_bytes;  ///< Whole lines.
  std::uint64_t objects;
};
inline constexpr std::size_t arrival_bytes = line_bytes + call_bytes;
static_assert(offsetof(arrival, message) == line_bytes && offsetof(graph_cell, message) == line_bytes);

/// A place of the ring: it may be read in turn n when `turn` is n + 1, and written in turn n when it is n.
struct alignas(line_bytes) ring_slot {
  std::atomic<std::uint64_t> turn;
  std::uint64_t words[registers::invoke::words];
  std::uint64_t source;  ///< Tile.
};

/// The block. What the program writes stands before what both do.
struct alignas(line_bytes) place_block {
  static constexpr std::uint64_t slots = 64;

  std::atomic<std::uint64_t>* calls;  ///< The kernel adds 1 when something is in the ring.
  std::uint64_t cells_of_place;       ///< Arrivals of each caller.
  std::uint64_t first_block;          ///< Offset of the first block in a chunk.
  std::uint64_t hashed_least;         ///< From this number of objects on, the map near memory is hashed.
  std::uint64_t collects;             ///< 1: released chunks are used again only when there is no other memory.

  alignas(line_bytes) std::atomic<std::uint64_t> taken;     ///< The next turn of the ring to be read.
  alignas(line_bytes) std::atomic<std::uint64_t> released;  ///< Chunks, each with the address of the next; or null.
  ring_slot ring[slots];

  // How often the kernel did what.
  std::uint64_t calls_begun;   ///< T1
  std::uint64_t calls_ready;   ///< T2
  std::uint64_t calls_staged;  ///< T3
  std::uint64_t passed_on;     ///< Messages of the program.
};

/// Kernel and program must have been compiled with the same shapes; `serve` compares this.
inline constexpr std::uint64_t shapes = sizeof(place_block) | sizeof(arrival) << 16U | sizeof(graph_cell) << 32U;

}  // namespace tess::machine::system
