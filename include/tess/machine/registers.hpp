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
// Units     bytes; addresses as of the machine's map (docs/machine/machine.md).
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

/// The units of a tile, in the order of their registers.
enum class unit : std::uint8_t { information, ranges, adapter, invoke, tasks, nma, nca, portals, cni, extended };

/// What the doorbells of all units but `ranges` say: `accepted` until the command has ended, then `idle` or `wrong`;
/// `full`: not accepted, and can be rung again. Stores to a window whose command runs are lost.
enum class command_status : std::uint64_t { idle = 0, accepted = 1, full = 2, wrong = 3 };

/// Of the information unit, read only but for `measured`; the same in every window.
namespace information {
inline constexpr std::uint64_t tile = 0;       ///< Number of the tile: y x width + x.
inline constexpr std::uint64_t hart = 8;       ///< Of the hart that loads it, in its tile.
inline constexpr std::uint64_t width = 16;     ///< Of the grid, tiles.
inline constexpr std::uint64_t height = 24;    ///< Of the grid, tiles.
inline constexpr std::uint64_t harts = 32;     ///< Harts of the tile that programs can use.
inline constexpr std::uint64_t program = 40;   ///< Which copy of the program runs in this tile, from 0.
inline constexpr std::uint64_t programs = 48;  ///< Copies of the program.
inline constexpr std::uint64_t clock_ps = 56;  ///< Period of the tile's clock.
/// Of the machine, write only: storing 1 begins the part of the run that is measured apart, storing 0 ends it. The
/// first beginning and the last end count.
inline constexpr std::uint64_t measured = 2048;
/// 1: all harts of the machine wait, and nothing is under way. When that is found, 1 is added to the word at which each
/// tile's task queue tells of messages. If nobody goes on then, the run ends.
inline constexpr std::uint64_t stalled = 2056;
/// Units that the tile has: bit u for registers::unit u.
inline constexpr std::uint64_t units = 2064;
/// The tile table: a row of 64 bytes for each tile.
inline constexpr std::uint64_t table = 4096;
inline constexpr std::uint64_t row_bytes = 64;
inline constexpr std::uint64_t row_tlm = 0;               ///< Address of its tile-local memory.
inline constexpr std::uint64_t row_partition = 8;         ///< Address of its partition of DDR; null: it has none.
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
inline constexpr std::uint64_t trigger =
    32;  ///< 1: at the end, what stands in this hart's window of `nma` is asked for.
inline constexpr std::uint64_t doorbell = 56;

/// What a command does.
enum operation_code : std::uint64_t {
  write_back = 1,      ///< Dirty lines of the L2 go to memory, and stay.
  invalidate = 2,      ///< Lines of the L2, and of the L1s above them, are dropped; edge lines are flushed.
  flush = 3,           ///< Both: write back, then drop.
  invalidate_l1s = 4,  ///< Lines of the tile's L1s are dropped.
};
/// What the doorbell says.
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

/// What a command does.
enum operation_code : std::uint64_t {
  compare_swap = 1,  ///< At the word's home, in any tile.
  copy = 2,          ///< By DMA, behind all caches, between tile-local memories and partitions of any tiles.
  send = 3,          ///< The same from a cluster into a receive window of another, which is told of its end.
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

/// Of a cluster: the windows through which copies of other clusters come in; all else that they send is refused. A
/// window is that of one number, not of a hart; harts of other clusters cannot reach it.
namespace portals {
inline constexpr std::uint64_t windows_max = 256;
inline constexpr std::uint64_t address = 0;  ///< Whole lines of the own memory, or of the own partition.
inline constexpr std::uint64_t bytes = 8;
inline constexpr std::uint64_t source = 16;  ///< The tile that may send.
/// Storing n > 0 opens it until n sends have ended; the word at which the task queue tells of messages gets 1 more when
/// they have. Storing 0 closes it. Loading: how many are still to come.
inline constexpr std::uint64_t sends = 24;
inline constexpr std::uint64_t state = 32;  ///< Of the last store to `sends`: command_status, idle or wrong.
}  // namespace portals

/// Look-aside buffer of extended addresses (docs/machine/rae.md), filled by the program and the same in every window.
/// At 8 x id: the tile of the object, plus 1; 0: no such object. Id 0 is the own tile and cannot be stored.
namespace extended {
inline constexpr std::uint64_t objects_max = std::uint64_t{1} << 16U;
}  // namespace extended

/// Of objects that units read and copy: what stands before an object, and the records of their types.
namespace objects {
// Distances from the object down to a word before it.
inline constexpr std::uint64_t header = 8;  ///< Bits 0-31 the type's index; 32-63 distance from its chunk's start / 8.
inline constexpr std::uint64_t index = 16;  ///< Transition word: in a descriptor, how many of its words are left.
inline constexpr std::uint64_t position = 24;    ///< Transition word: the word that is copied next.
inline constexpr std::uint64_t parent_dst = 32;  ///< Transition word: from where the copier came, the copy.
inline constexpr std::uint64_t parent_src =
    40;  ///< Transition word: the same, the original; or the mark of a traversal.
inline constexpr std::uint64_t array_bytes = 48;  ///< Of arrays only: bytes of their elements.
inline constexpr std::uint64_t transition_bytes = 32;
inline constexpr std::uint64_t front_bytes = header + transition_bytes;
inline constexpr std::uint64_t array_front_bytes = array_bytes;

/// What an object is.
enum kind_code : std::uint8_t { object = 0, data_array = 1, pointer_array = 2 };
/// Of a word, two bits in the mask of its type, word 0 in the lowest.
enum word_code : std::uint8_t { data = 0, pointer = 1, transient = 2, descriptor = 3 };
inline constexpr std::uint64_t mask_words = 32;  ///< That one word of a mask tells of.
inline constexpr std::uint64_t descriptor_words = 3;

// A record of the section `tess_types`, as the compiler lays it out; addresses are of the local window.
inline constexpr std::uint64_t record_bytes = 72;
inline constexpr std::uint64_t record_size = 0;   ///< 32 bits: of an object, a multiple of 8; of an array's element.
inline constexpr std::uint64_t record_kind = 16;  ///< 8 bits: kind_code.
inline constexpr std::uint64_t record_alignment = 17;  ///< 8 bits: 8 or 16.
inline constexpr std::uint64_t record_mask = 40;       ///< Address of the mask.
}  // namespace objects

/// What went wrong with a graph: `error` of the counter, and of the message.
enum class graph_fault : std::uint64_t {
  none = 0,
  bad_request = 1,     ///< A field that cannot be; or of a memory, what it does not have.
  null_pointer = 2,    ///< The root; or the data of an array with elements.
  wild_pointer = 3,    ///< Outside of the requester's partition, or not aligned, or the object would be.
  bad_descriptor = 4,  ///< The object's type is none of the section, or the record makes no sense.
  buffer_full = 5,
  map_full = 6,
  stack_full = 7,
  transfer_failed = 8,
};

/// Requests to the accelerator near a memory: a window for each hart, in every tile; the request goes to the memory in
/// which the root lies, and waits here while its queue there is full. The doorbell is idle when it is in the queue.
namespace nma {
inline constexpr std::uint64_t root = 0;         ///< An object in the source tile's partition.
inline constexpr std::uint64_t destination = 8;  ///< A chunk in any partition of the same memory, whole lines.
inline constexpr std::uint64_t room = 16;        ///< Bits 0-39 the chunk's bytes; 40-63 where its first block begins.
inline constexpr std::uint64_t final_address =
    24;                                     ///< Where the chunk lies in the end: copied there by DMA; null: here.
inline constexpr std::uint64_t shape = 32;  ///< shape_of().
inline constexpr std::uint64_t task = 40;   ///< First word of the message that tells of the end.
/// Told when the original has been read, and if it goes on by DMA, the counter behind it when that has been done, too.
/// Null: nobody.
inline constexpr std::uint64_t counter = 48;
inline constexpr std::uint64_t doorbell = 56;
inline constexpr unsigned room_bits = 40;

/// How the map from originals to copies finds an entry.
enum map_code : std::uint64_t { linear = 0, hashed = 1 };
/// `objects`: at least so many, for the size of the hashed map. The message goes to tile `spawn` if there is one:
/// {task, final address of the root's copy, bytes of the chunk that are used, graph_fault, objects}.
constexpr std::uint64_t shape_of(std::uint64_t objects, std::uint64_t source_tile, map_code map) noexcept {
  return objects | source_tile << 32U | std::uint64_t{map} << 56U;
}
/// The part of `shape` that names the tile that gets the message at the end.
constexpr std::uint64_t spawning(std::uint64_t tile) noexcept {
  return tile << 44U | std::uint64_t{1} << 57U;
}
}  // namespace nma

/// The accelerator near the cache: graph writeback and dispatch.
namespace nca {
inline constexpr std::uint64_t root = 0;      ///< An object in the own partition.
inline constexpr std::uint64_t metadata = 8;  ///< M, words: objects and bytes are written to the first two; null: none.
inline constexpr std::uint64_t remote = 16;   ///< M', at the destination: M is copied there by DMA; null: not.
inline constexpr std::uint64_t dispatch =
    24;                                    ///< Bits 0-31 bytes of M, whole lines; 32-47 a tile; 48: it gets a message.
inline constexpr std::uint64_t task = 32;  ///< First word of the message: {task, M' or M, objects, bytes, 0}.
inline constexpr std::uint64_t counter = 40;  ///< Null: nobody is told.
inline constexpr std::uint64_t doorbell = 56;

/// The bytes of M as `dispatch` has them.
constexpr std::uint64_t dispatch_of(std::uint64_t metadata_bytes) noexcept {
  return metadata_bytes;
}
/// The part of `dispatch` that names the tile that gets the message.
constexpr std::uint64_t spawning(std::uint64_t tile) noexcept {
  return tile << 32U | std::uint64_t{1} << 48U;
}
}  // namespace nca

/// The cache-integrated network interface: lines of the own L2 that are scratchpad, or that answer to accesses. All
/// words of such lines are 64 bits; those of lines with events are loaded and stored whole.
namespace cni {
// A hart's window: commands that end at the doorbell's store, `idle` or `wrong`.
inline constexpr std::uint64_t operation = 0;
inline constexpr std::uint64_t address = 8;  ///< Of a line of the own scratchpad.
inline constexpr std::uint64_t value = 16;   ///< line_code
inline constexpr std::uint64_t tag = 24;
inline constexpr std::uint64_t bytes = 32;
inline constexpr std::uint64_t doorbell = 56;

/// What a command of the unit does.
enum operation_code : std::uint64_t {
  configure = 1,  ///< The lines of [address, address + bytes) become `value`, tag and words zero; 0: the cache's again.
  examine = 2,    ///< `value` and `tag` of the line, as they are.
  restore = 3,    ///< The line becomes `value` with `tag`; its words stay, nothing happens.
  next = 4,       ///< The first line with events at or after `address`: address, value, tag. `value` 0: there is none.
};

/// What a line is.
enum line_code : std::uint64_t {
  cacheable = 0,
  scratchpad = 1,
  command_buffer = 2,
  counter = 3,
  queue = 4,        ///< Single-reader queue.
  match_queue = 5,  ///< Multiple-reader queue.
};
inline constexpr std::uint64_t line_bytes = 64;

// Of the tile: entry i of the region table at regions + i x region_bytes. It holds address a if (a & mask) == match; of
// several, the first counts.
inline constexpr std::uint64_t regions = 4096;
inline constexpr std::uint64_t region_bytes = 64;
inline constexpr std::uint64_t region_entries_max = 64;
inline constexpr std::uint64_t region_match = 0;
inline constexpr std::uint64_t region_mask = 8;
inline constexpr std::uint64_t region_kind = 16;    ///< region_code
inline constexpr std::uint64_t region_way = 24;     ///< Of an own scratchpad.
inline constexpr std::uint64_t region_enable = 32;  ///< Storing 1 checks and enters it, 0 removes it; 1: in force.

/// What a region of the table is.
enum region_code : std::uint64_t {
  own_scratchpad = 1,     ///< In way `region_way` of the own L2.
  remote_scratchpad = 2,  ///< Of other tiles: stores are combined.
  remote_events = 3,      ///< Of other tiles: stores are not combined, and go behind those that are.
  memory = 4,             ///< Copies may read and write it.
};

// Of the tile.
inline constexpr std::uint64_t faults = 8192;         ///< How many there were. Storing anything makes it 0.
inline constexpr std::uint64_t fault_code = 8200;     ///< Of the last one: cni::fault.
inline constexpr std::uint64_t fault_address = 8208;  ///< Of the last one.
inline constexpr std::uint64_t fault_notify = 8216;   ///< Address of a word that gets 1 more for every fault; or null.
inline constexpr std::uint64_t jobs = 8224;           ///< In the list.
inline constexpr std::uint64_t scratchpad_base = 8232;    ///< Address of tile 0's scratchpad.
inline constexpr std::uint64_t scratchpad_stride = 8240;  ///< From tile to tile; a power of two.
inline constexpr std::uint64_t way_bytes = 8248;          ///< Of the own L2.
inline constexpr std::uint64_t ways = 8256;               ///< Of the own L2 that can be scratchpad: all but one.

/// What became of a transfer that could not be.
enum class fault : std::uint64_t {
  none = 0,
  not_configured = 1,   ///< No scratchpad line, or no memory, is there.
  not_allowed = 2,      ///< The region table has no such entry.
  wrong_access = 3,     ///< Of a line with events: not this word, not whole words, not the size of an item.
  wrong_shape = 4,      ///< A queue whose items or whose buffer cannot be.
  acknowledgement = 5,  ///< The data were written; the acknowledgement could not be.
};

// Words of a command buffer: offsets in its line. A command is complete when all of its words have been stored.
inline constexpr std::uint64_t command_what = 0;  ///< what_of()
inline constexpr std::uint64_t command_destination = 8;
inline constexpr std::uint64_t command_acknowledgement = 16;  ///< Where numbers of bytes are written; or null.
inline constexpr std::uint64_t command_source = 24;           ///< Of a copy.
inline constexpr std::uint64_t command_data = 24;             ///< Of a message, up to five words.
/// What a command buffer does.
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
inline constexpr std::uint64_t counter_preset = 16;  ///< What is written to all that are notified.
inline constexpr std::uint64_t counter_notify = 24;  ///< Four addresses, or null.
inline constexpr std::uint64_t counter_set = 56;     ///< Storing sets the value; nobody is notified.

// Words of a single-reader queue.
inline constexpr std::uint64_t queue_put = 0;      ///< Storing enqueues, and so do messages and copies of an item.
inline constexpr std::uint64_t queue_head = 8;     ///< Items that its reader has taken: the reader stores it.
inline constexpr std::uint64_t queue_tail = 16;    ///< Items that have come: read only.
inline constexpr std::uint64_t queue_buffer = 24;  ///< Address of the items, in the own scratchpad.
inline constexpr std::uint64_t queue_shape = 32;   ///< shape_of()
inline constexpr std::uint64_t queue_notify = 40;  ///< Address of a word that gets 1 more with every item; or null.

// Words of a multiple-reader queue.
inline constexpr std::uint64_t match_data = 0;      ///< As queue_put.
inline constexpr std::uint64_t match_request = 8;   ///< Storing asks for an item: the address to which it is written;
                                                    ///< of a tagged queue: tagged_request().
inline constexpr std::uint64_t match_balance = 16;  ///< Items that wait; below zero: requests that do. Read only.
inline constexpr std::uint64_t match_buffer = 24;   ///< As queue_buffer.
inline constexpr std::uint64_t match_shape = 32;    ///< As queue_shape.

/// Of a queue: 2^log2_items items of 2^log2_words words, up to eight.
constexpr std::uint64_t shape_of(std::uint64_t log2_items, std::uint64_t log2_words) noexcept {
  return log2_items | log2_words << 8U;
}

/// In the shape of a multiple-reader queue whose items have two words or more: requests have tags. The last word of the
/// item that answers one is the request's tag.
inline constexpr std::uint64_t tagged = std::uint64_t{1} << 16U;
/// From this bit on, of a multiple-reader queue: so many items may wait, if that is less than there are places, which
/// then are for requests; 0: as many as there are places.
inline constexpr unsigned limit_shift = 24;
inline constexpr unsigned tag_shift = 48;
inline constexpr std::uint64_t tag_max = (std::uint64_t{1} << 15U) - 1;
/// In a tagged request: if no item is there it does not wait, and is answered by zeros and `none | tag`.
inline constexpr std::uint64_t no_wait = std::uint64_t{1} << 63U;
/// In the last word of an answer: there was no item.
inline constexpr std::uint64_t none = std::uint64_t{1} << 63U;
/// `response`: an address, bits 0-47; bits 48-62 the request's tag.
constexpr std::uint64_t tagged_request(std::uint64_t response, std::uint64_t its_tag) noexcept {
  return response | its_tag << tag_shift;
}
}  // namespace cni

}  // namespace tess::machine::registers
