// registers: the device registers of a tile of the simulated machine: the interface between programs and machine.
//
//   A tile has units; each has a window of 64 bytes for every hart, with registers of 64 bits that are loaded and
//   stored as a whole. A program accesses those of its own tile at own_devices, the same address in every tile, and
//   those of tile t at the address in t's row of the tile table. To issue a command, store its fields in any order,
//   then store any value to `doorbell`; loading `doorbell` returns the command's state. When the command is done, the
//   unit acknowledges its counter: {value, error, notify, cookie}, four words at a home. It sets `error` if there was
//   one and decrements `value`; if that makes it zero, it writes `cookie` to `notify`, unless that is null. Pointers
//   may be addresses of the local window.
//
// Units     bytes; addresses of the machine's map (docs/machine/machine.md).
// Threads   a window belongs to its hart.
// Errors    a load or store that is not an aligned word of 64 bits, or has no register, traps.
#pragma once

#include <cstdint>

namespace tess::machine::registers {

inline constexpr std::uint64_t devices_bytes = std::uint64_t{1} << 24U;  ///< Per tile.
inline constexpr std::uint64_t own_devices = (std::uint64_t{1} << 40U) - devices_bytes;
inline constexpr std::uint64_t unit_bytes = std::uint64_t{1} << 19U;
inline constexpr std::uint64_t units_max = devices_bytes / unit_bytes;
inline constexpr std::uint64_t window_bytes = 64;

/// The units of a tile, in the order of their registers.
enum class unit : std::uint8_t {
  information,
  ranges,
  adapter,
  invoke,
  tasks,
  nma,
  nca,
  portals,
  cni,
  extended,
  interrupts
};

/// State of a command at the doorbells of all units but `ranges`: `accepted` until the command has ended, then `idle`
/// or `wrong`; `full`: not accepted, ring again later. Stores to the window of a running command are lost.
enum class command_status : std::uint64_t { idle = 0, accepted = 1, full = 2, wrong = 3 };

/// The information unit, read-only except for `measured`; the same in every window.
namespace information {
inline constexpr std::uint64_t tile = 0;       ///< Number of the tile: y x width + x.
inline constexpr std::uint64_t hart = 8;       ///< The loading hart's number in its tile.
inline constexpr std::uint64_t width = 16;     ///< Columns of the grid, in tiles.
inline constexpr std::uint64_t height = 24;    ///< Rows of the grid, in tiles.
inline constexpr std::uint64_t harts = 32;     ///< Number of harts of the tile that programs can use.
inline constexpr std::uint64_t program = 40;   ///< The copy of the program that this hart runs, from 0.
inline constexpr std::uint64_t programs = 48;  ///< Number of copies of the program.
inline constexpr std::uint64_t clock_ps = 56;  ///< Period of the tile's clock.
/// For the whole machine, write-only: storing 1 begins the measured part of the run, storing 0 ends it. The first begin
/// and the last end count.
inline constexpr std::uint64_t measured = 2048;
/// 1: all harts of the machine wait, and nothing is in flight. When that is detected, 1 is added to the word that each
/// tile's task queue notifies of messages. If no hart continues then, the run ends.
inline constexpr std::uint64_t stalled = 2056;
/// For the whole machine, write-only: storing n ends the run; the exit code is n, if no program has ended with another.
inline constexpr std::uint64_t end_run = 2072;
/// Copies of the program in each tile, and how far in bytes their images are from each other in the local window.
inline constexpr std::uint64_t copies = 2080;
inline constexpr std::uint64_t copy_bytes = 2088;
/// 1: the tile is a node of RAE. Its tile-local memory stands for caches that always have the image; a heap is in DDR.
inline constexpr std::uint64_t node = 2096;
/// Program addresses [first, end) of the local window are in the tile-local memory; and where in the window the tail of
/// the partition begins.
inline constexpr std::uint64_t local_tlm_first = 2104;
inline constexpr std::uint64_t local_tlm_end = 2112;
inline constexpr std::uint64_t local_tail_first = 2120;
/// Units of the tile: bit u for registers::unit u.
inline constexpr std::uint64_t units = 2064;
/// The units of one's own: a row of 64 bytes for each, whatever tiles have it. Its name, up to 55 letters and zeros;
/// and its number among the units of a tile, 0 behind the last.
inline constexpr std::uint64_t own_units = 6 * (std::uint64_t{1} << 16U);
inline constexpr std::uint64_t own_unit_name_bytes = 56;
inline constexpr std::uint64_t own_unit_number = 56;
/// The tile table: a row of 64 bytes for each tile.
inline constexpr std::uint64_t table = 4096;
inline constexpr std::uint64_t row_bytes = 64;
inline constexpr std::uint64_t row_tlm = 0;               ///< Address of its tile-local memory.
inline constexpr std::uint64_t row_partition = 8;         ///< Address of its partition of DDR; null: it has none.
inline constexpr std::uint64_t row_partition_bytes = 16;  ///< Without the tail, which is in its local window.
inline constexpr std::uint64_t row_uncached = 24;         ///< Address of the partition's uncached view.
inline constexpr std::uint64_t row_devices = 32;          ///< Address of its devices.
inline constexpr std::uint64_t row_memory_tile = 40;      ///< The tile with its partition's DDR.
inline constexpr std::uint64_t row_program = 48;  ///< The first copy of the program that it runs, plus 1; 0: none.
inline constexpr std::uint64_t row_tlm_bytes = 56;
}  // namespace information

/// The unit for ranges of the tile's caches.
namespace ranges {
inline constexpr std::uint64_t operation = 0;
inline constexpr std::uint64_t address = 8;
inline constexpr std::uint64_t bytes = 16;
inline constexpr std::uint64_t counter = 24;  ///< Null: no acknowledgement.
inline constexpr std::uint64_t trigger =
    32;  ///< 1: at its end, the command issues the request in this hart's window of `nma`.
inline constexpr std::uint64_t doorbell = 56;

/// Commands.
enum operation_code : std::uint64_t {
  write_back = 1,      ///< Writes dirty lines of the L2 to memory and keeps them.
  invalidate = 2,      ///< Drops lines of the L2 and of the L1s above; lines at the edges are flushed.
  flush = 3,           ///< Both: writes back, then drops.
  invalidate_l1s = 4,  ///< Drops lines of the tile's L1s.
};
/// State at the doorbell.
enum status_code : std::uint64_t { idle = 0, accepted = 1, full = 2, wrong = 3 };
}  // namespace ranges

/// The network adapter: operations beyond loads, stores and AMOs.
namespace adapter {
inline constexpr std::uint64_t operation = 0;
inline constexpr std::uint64_t address = 8;    ///< Address of the word, or of the source.
inline constexpr std::uint64_t bytes = 16;     ///< 4 or 8; or size of the copy, whole lines of the L2.
inline constexpr std::uint64_t operand = 24;   ///< What is stored; or the address of the destination.
inline constexpr std::uint64_t expected = 32;  ///< The value that the word must have.
inline constexpr std::uint64_t counter = 40;   ///< Null: no acknowledgement.
inline constexpr std::uint64_t result = 48;    ///< The old value of the word; 4 bytes are sign-extended.
inline constexpr std::uint64_t doorbell = 56;

/// Commands.
enum operation_code : std::uint64_t {
  compare_swap = 1,  ///< At the word's home, in any tile.
  copy = 2,          ///< By DMA, bypassing all caches, between tile-local memories and partitions of any tiles.
  send = 3,          ///< The same from a cluster into a receive window of another one, which is notified of the end.
};
}  // namespace adapter

/// Remote task invocation: sends a message of five words to the task queue of a tile.
namespace invoke {
inline constexpr std::uint64_t words = 5;     ///< At 0, 8, 16, 24, 32.
inline constexpr std::uint64_t target = 40;   ///< Tile.
inline constexpr std::uint64_t counter = 48;  ///< Null: no acknowledgement; otherwise when the message is in the queue.
inline constexpr std::uint64_t doorbell = 56;
}  // namespace invoke

/// The tile's task queue.
namespace tasks {
/// The message taken last, at 0 to 32 of the hart's window.
inline constexpr std::uint64_t source = 40;  ///< The tile that sent it.
/// Storing n: after n nanoseconds 1 is added to the word at `notify`, unless an earlier alarm of the tile rings.
inline constexpr std::uint64_t alarm = 48;
inline constexpr std::uint64_t take = 56;  ///< Loading takes the oldest message: 1; 0: there is none.
// For the tile, not for a hart:
inline constexpr std::uint64_t notify = 4096;   ///< Address of a word that is incremented for every message; or null.
inline constexpr std::uint64_t waiting = 4104;  ///< Number of messages in the queue.
/// Storing 1: messages no longer increment the word, as the system's hart takes them; alarms still do.
inline constexpr std::uint64_t quiet = 4112;
}  // namespace tasks

/// In a cluster: the receive windows for copies of other clusters; all other copies are refused. A window has a number
/// of its own and belongs to no hart; harts of other clusters cannot access it.
namespace portals {
inline constexpr std::uint64_t windows_max = 256;
inline constexpr std::uint64_t address = 0;  ///< Begin of whole lines of the own memory, or of the own partition.
inline constexpr std::uint64_t bytes = 8;
inline constexpr std::uint64_t source = 16;  ///< The tile that may send.
/// Storing n > 0 opens it until n transfers have ended; then the word that the task queue notifies of messages is
/// incremented. Storing 0 closes it. Loading returns the number of expected transfers.
inline constexpr std::uint64_t sends = 24;
inline constexpr std::uint64_t state = 32;  ///< Result of the last store to `sends`: command_status, idle or wrong.
}  // namespace portals

/// Interrupts of harts with machine mode (the system hart), and calls of the other harts to them.
namespace interrupts {
inline constexpr std::uint64_t software = 0;  ///< 1: the hart's software interrupt is pending, until 0 is stored.
/// The hart's timer interrupt is pending while `time` is at least this.
inline constexpr std::uint64_t compare = 8;
inline constexpr std::uint64_t enable = 16;   ///< Bit s: source s interrupts the hart.
inline constexpr std::uint64_t pending = 24;  ///< Bit s: source s is pending; read-only.
/// Loading returns the least pending source that the hart has enabled, or `none`; a raised one is then no longer
/// pending.
inline constexpr std::uint64_t claim = 32;
/// A call of this hart: storing an address keeps it here, and source_calls is pending until all calls have been taken.
inline constexpr std::uint64_t call = 40;
inline constexpr std::uint64_t take_call = 48;  ///< Loading returns this hart's call and clears it.
// For the tile, not for a hart:
inline constexpr std::uint64_t time = 4096;     ///< In ticks of 100 ns, as the CSR time; read-only.
inline constexpr std::uint64_t raise = 4104;    ///< Storing s makes source s pending, from source_first_free on.
inline constexpr std::uint64_t callers = 4112;  ///< Bit h: hart h has a call; read-only.

inline constexpr std::uint64_t none = 64;
inline constexpr std::uint64_t sources = 64;
inline constexpr std::uint64_t source_tasks = 0;    ///< While messages are in the task queue.
inline constexpr std::uint64_t source_windows = 1;  ///< The last transfer into a receive window has ended.
inline constexpr std::uint64_t source_calls = 2;    ///< While `callers` is not 0.
inline constexpr std::uint64_t source_first_free = 8;
}  // namespace interrupts

/// Look-aside buffer of extended addresses (docs/machine/rae.md), filled by the program and the same in every window.
/// At 8 x id: the tile of the object plus 1; 0: no such object. Id 0 is the own tile and cannot be stored.
namespace extended {
inline constexpr std::uint64_t objects_max = std::uint64_t{1} << 16U;
}  // namespace extended

/// Units that a machine file places by [[unit]] (unit.hpp): they follow the others, from number `first` on. A program
/// finds them by their names (find_unit.h).
namespace own_units {
inline constexpr std::uint64_t first = 16;
inline constexpr std::uint64_t count_max = units_max - first;
/// Command windows: that of hart h is h; that of another tile t is harts_max + t.
inline constexpr std::uint64_t harts_max = 64;
/// The last 64 bytes of its registers: a write of 1 to 8 words from another unit is a message.
inline constexpr std::uint64_t message = unit_bytes - 64;
}  // namespace own_units

/// Objects that units read and copy: the words in front of an object, and the records of types.
namespace objects {
// Distances from the object down to the words in front of it.
inline constexpr std::uint64_t header = 8;  ///< Bits 0-31 the type's index; 32-63 distance from its chunk's start / 8.
inline constexpr std::uint64_t index = 16;  ///< Transition word: in a descriptor, the number of remaining words.
inline constexpr std::uint64_t position = 24;    ///< Transition word: the next word to copy.
inline constexpr std::uint64_t parent_dst = 32;  ///< Transition word: the copy of the parent.
inline constexpr std::uint64_t parent_src =
    40;  ///< Transition word: the original of the parent; or the mark of a traversal.
inline constexpr std::uint64_t array_bytes = 48;  ///< For arrays only: size of all elements.
inline constexpr std::uint64_t transition_bytes = 32;
inline constexpr std::uint64_t front_bytes = header + transition_bytes;
inline constexpr std::uint64_t array_front_bytes = array_bytes;

/// Kinds of objects.
enum kind_code : std::uint8_t { object = 0, data_array = 1, pointer_array = 2 };
/// Codes of a word, two bits in the mask of its type, word 0 in the lowest.
enum word_code : std::uint8_t { data = 0, pointer = 1, transient = 2, descriptor = 3 };
inline constexpr std::uint64_t mask_words = 32;  ///< Words of an object covered by one word of a mask.
inline constexpr std::uint64_t descriptor_words = 3;

// A record of the section `tess_types`, in the compiler's layout; addresses are of the local window.
inline constexpr std::uint64_t record_bytes = 72;
/// 32 bits: size of an object, a multiple of 8; of an array's element.
inline constexpr std::uint64_t record_size = 0;
inline constexpr std::uint64_t record_kind = 16;       ///< 8 bits: kind_code.
inline constexpr std::uint64_t record_alignment = 17;  ///< 8 bits: 8 or 16.
inline constexpr std::uint64_t record_mask = 40;       ///< Address of the mask.
}  // namespace objects

/// Faults of a graph: `error` of the counter, and of the message.
enum class graph_fault : std::uint64_t {
  none = 0,
  bad_request = 1,     ///< An invalid field, or an address outside of the memory.
  null_pointer = 2,    ///< The root, or the data of an array with elements.
  wild_pointer = 3,    ///< Misaligned, or the object is not inside of the requester's partition.
  bad_descriptor = 4,  ///< The object's type is not in the section, or its record is invalid.
  buffer_full = 5,
  map_full = 6,
  stack_full = 7,
  transfer_failed = 8,
  memory_error = 9,  ///< The memory refused an access (SLVERR or DECERR, behind AXI4).
};

/// Requests to the near-memory accelerator: a window for each hart, in every tile. The request goes to the memory that
/// holds the root, and waits here while the queue there is full. The doorbell is idle when it is in the queue.
namespace nma {
inline constexpr std::uint64_t root = 0;         ///< An object in the source tile's partition.
inline constexpr std::uint64_t destination = 8;  ///< A chunk in any partition of the same memory, whole lines.
inline constexpr std::uint64_t room = 16;        ///< Bits 0-39 the chunk's bytes; 40-63 the offset of its first block.
inline constexpr std::uint64_t final_address =
    /// Final address of the chunk, to which DMA copies it; null: it stays here.
    24;
inline constexpr std::uint64_t shape = 32;  ///< shape_of().
inline constexpr std::uint64_t task = 40;   ///< First word of the message at the end.
/// Acknowledged when the original has been read; if DMA follows, the next counter in memory is acknowledged at its end.
/// Null: none.
inline constexpr std::uint64_t counter = 48;
inline constexpr std::uint64_t doorbell = 56;
inline constexpr unsigned room_bits = 40;

/// Search in the map from originals to copies.
enum map_code : std::uint64_t { linear = 0, hashed = 1 };
/// `objects`: a lower bound, for the size of the hashed map. The message goes to tile `spawn` if there is one: {task,
/// final address of the root's copy, used bytes of the chunk, graph_fault, objects}.
constexpr std::uint64_t shape_of(std::uint64_t objects, std::uint64_t source_tile, map_code map) noexcept {
  return objects | source_tile << 32U | std::uint64_t{map} << 56U;
}
/// The part of `shape` that names the tile for the message at the end.
constexpr std::uint64_t spawning(std::uint64_t tile) noexcept {
  return tile << 44U | std::uint64_t{1} << 57U;
}
}  // namespace nma

/// The near-cache accelerator: graph writeback and dispatch.
namespace nca {
inline constexpr std::uint64_t root = 0;      ///< An object in the own partition.
inline constexpr std::uint64_t metadata = 8;  ///< M, words: objects and bytes are written to the first two; null: none.
inline constexpr std::uint64_t remote = 16;   ///< M', at the destination: DMA copies M there; null: no copy.
inline constexpr std::uint64_t dispatch =
    24;                                    ///< Bits 0-31 bytes of M, whole lines; 32-47 a tile; 48: it gets a message.
inline constexpr std::uint64_t task = 32;  ///< First word of the message: {task, M' or M, objects, bytes, 0}.
inline constexpr std::uint64_t counter = 40;  ///< Null: no acknowledgement.
inline constexpr std::uint64_t doorbell = 56;

/// The size of M in `dispatch`.
constexpr std::uint64_t dispatch_of(std::uint64_t metadata_bytes) noexcept {
  return metadata_bytes;
}
/// The part of `dispatch` that names the tile for the message.
constexpr std::uint64_t spawning(std::uint64_t tile) noexcept {
  return tile << 32U | std::uint64_t{1} << 48U;
}
}  // namespace nca

/// The cache-integrated network interface: lines of the own L2 that are scratchpad or have events. All words of such
/// lines are 64 bits; those of lines with events are loaded and stored as a whole.
namespace cni {
// A hart's window: commands that complete at the doorbell's store, `idle` or `wrong`.
inline constexpr std::uint64_t operation = 0;
inline constexpr std::uint64_t address = 8;  ///< A line of the own scratchpad.
inline constexpr std::uint64_t value = 16;   ///< line_code
inline constexpr std::uint64_t tag = 24;
inline constexpr std::uint64_t bytes = 32;
inline constexpr std::uint64_t doorbell = 56;

/// Commands of the unit.
enum operation_code : std::uint64_t {
  /// Sets the lines of [address, address + bytes) to `value`, tag and words zero; 0: back to the cache.
  configure = 1,
  examine = 2,  ///< Returns `value` and `tag` of the line.
  restore = 3,  ///< Sets the line to `value` with `tag`; its words stay, and no event happens.
  next = 4,     ///< The first line with events at or after `address`: address, value, tag. `value` 0: none.
};

/// Codes of lines.
enum line_code : std::uint64_t {
  cacheable = 0,
  scratchpad = 1,
  command_buffer = 2,
  counter = 3,
  queue = 4,        ///< Single-reader queue.
  match_queue = 5,  ///< Multiple-reader queue.
};
inline constexpr std::uint64_t line_bytes = 64;

// For the tile: entry i of the region table is at regions + i x region_bytes. It matches address a if (a & mask) ==
// match; the first match counts.
inline constexpr std::uint64_t regions = 4096;
inline constexpr std::uint64_t region_bytes = 64;
inline constexpr std::uint64_t region_entries_max = 64;
inline constexpr std::uint64_t region_match = 0;
inline constexpr std::uint64_t region_mask = 8;
inline constexpr std::uint64_t region_kind = 16;  ///< region_code
inline constexpr std::uint64_t region_way = 24;   ///< For an own scratchpad.
/// Storing 1 checks and enables the entry, 0 disables it; 1: enabled.
inline constexpr std::uint64_t region_enable = 32;

/// Codes of regions.
enum region_code : std::uint64_t {
  own_scratchpad = 1,     ///< In way `region_way` of the own L2.
  remote_scratchpad = 2,  ///< In other tiles: stores are combined.
  remote_events = 3,      ///< In other tiles: stores are not combined, and are ordered after combined ones.
  memory = 4,             ///< Copies may read and write it.
};

// For the tile.
inline constexpr std::uint64_t faults = 8192;         ///< Number of faults. Storing any value resets it.
inline constexpr std::uint64_t fault_code = 8200;     ///< Code of the last one: cni::fault.
inline constexpr std::uint64_t fault_address = 8208;  ///< Address of the last one.
/// Address of a word that is incremented for every fault; or null.
inline constexpr std::uint64_t fault_notify = 8216;
inline constexpr std::uint64_t jobs = 8224;               ///< Number of jobs in the list.
inline constexpr std::uint64_t scratchpad_base = 8232;    ///< Address of tile 0's scratchpad.
inline constexpr std::uint64_t scratchpad_stride = 8240;  ///< From tile to tile; a power of two.
inline constexpr std::uint64_t way_bytes = 8248;          ///< Bytes of a way of the own L2.
inline constexpr std::uint64_t ways = 8256;               ///< Ways of the own L2 that can be scratchpad: all but one.

/// Faults of transfers.
enum class fault : std::uint64_t {
  none = 0,
  not_configured = 1,   ///< There is no scratchpad line, or no memory.
  not_allowed = 2,      ///< The region table has no matching entry.
  wrong_access = 3,     ///< To a line with events: an invalid word, not whole words, or not the size of an item.
  wrong_shape = 4,      ///< A queue with an invalid shape or buffer.
  acknowledgement = 5,  ///< The data were written, but the acknowledgement failed.
};

// Words of a command buffer: offsets in its line. A command is complete when all of its words have been stored.
inline constexpr std::uint64_t command_what = 0;  ///< what_of()
inline constexpr std::uint64_t command_destination = 8;
inline constexpr std::uint64_t command_acknowledgement = 16;  ///< Where numbers of written bytes are stored; or null.
inline constexpr std::uint64_t command_source = 24;           ///< For a copy.
inline constexpr std::uint64_t command_data = 24;             ///< For a message, up to five words.
/// Commands of a command buffer.
enum command_code : std::uint64_t {
  copy = 1,
  message = 2,
  message_once = 3,  ///< A message that is not sent again if it is refused: it acknowledges minus its bytes.
};
inline constexpr std::uint64_t copy_bytes_max = 65536;
inline constexpr std::uint64_t message_bytes_max = 40;
/// The first word of a command.
constexpr std::uint64_t what_of(command_code code, std::uint64_t length) noexcept {
  return std::uint64_t{code} | length << 8U;
}

// Words of a counter.
inline constexpr std::uint64_t counter_add = 0;      ///< Storing adds; loading: the value.
inline constexpr std::uint64_t counter_reload = 8;   ///< The value after zero.
inline constexpr std::uint64_t counter_preset = 16;  ///< The value that is written to all notified words.
inline constexpr std::uint64_t counter_notify = 24;  ///< Four addresses to notify, or null.
inline constexpr std::uint64_t counter_set = 56;     ///< Storing sets the value without notification.

// Words of a single-reader queue.
inline constexpr std::uint64_t queue_put = 0;      ///< Storing enqueues, as do messages and copies of an item.
inline constexpr std::uint64_t queue_head = 8;     ///< Number of items taken; stored by the reader.
inline constexpr std::uint64_t queue_tail = 16;    ///< Number of items put: read only.
inline constexpr std::uint64_t queue_buffer = 24;  ///< Address of the items, in the own scratchpad.
inline constexpr std::uint64_t queue_shape = 32;   ///< shape_of()
inline constexpr std::uint64_t queue_notify = 40;  ///< Address of a word that is incremented with every item; or null.

// Words of a multiple-reader queue.
inline constexpr std::uint64_t match_data = 0;      ///< As queue_put.
inline constexpr std::uint64_t match_request = 8;   ///< Storing requests an item: the address to which it is written;
                                                    ///< of a tagged queue: tagged_request().
inline constexpr std::uint64_t match_balance = 16;  ///< Waiting items; negative: waiting requests. Read only.
inline constexpr std::uint64_t match_buffer = 24;   ///< As queue_buffer.
inline constexpr std::uint64_t match_shape = 32;    ///< As queue_shape.

/// Shape of a queue: 2^log2_items items of 2^log2_words words, up to eight.
constexpr std::uint64_t shape_of(std::uint64_t log2_items, std::uint64_t log2_words) noexcept {
  return log2_items | log2_words << 8U;
}

/// In the shape of a multiple-reader queue with items of two words or more: requests carry tags. The last word of the
/// item that answers a request is its tag.
inline constexpr std::uint64_t tagged = std::uint64_t{1} << 16U;
/// From this bit on, for a multiple-reader queue: the most items that may wait, if fewer than there are places; the
/// other places are for requests; 0: all places.
inline constexpr unsigned limit_shift = 24;
inline constexpr unsigned tag_shift = 48;
inline constexpr std::uint64_t tag_max = (std::uint64_t{1} << 15U) - 1;
/// In a tagged request: if there is no item, it does not wait, and the answer is zeros and `none | tag`.
inline constexpr std::uint64_t no_wait = std::uint64_t{1} << 63U;
/// In the last word of an answer: there was no item.
inline constexpr std::uint64_t none = std::uint64_t{1} << 63U;
/// `response`: an address, bits 0-47; bits 48-62 the request's tag.
constexpr std::uint64_t tagged_request(std::uint64_t response, std::uint64_t its_tag) noexcept {
  return response | its_tag << tag_shift;
}
}  // namespace cni

/// Regions of a program by name (measure.hpp): instructions `slti zero, rN, immediate`, which change no register.
namespace region_mark {
inline constexpr std::int64_t begins = 1504;  ///< rN is the address of the name.
inline constexpr std::int64_t ends = 1505;    ///< The region that began last.
}  // namespace region_mark

}  // namespace tess::machine::registers
