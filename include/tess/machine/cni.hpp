// cni: cache-integrated network interfaces for bare programs: scratchpads of all tiles, and lines with events in them:
// command buffers, counters, queues.
//
//   Each copy of the program calls open() first. Then the lower part of every tile's scratchpad, data(), is plain
//   memory, and its last way, events(), is for lines with events, once they are configured. Both have the same location
//   in every tile, so a program can compute the addresses of other tiles. Only the tile itself configures its lines;
//   others must not use them before that (synchronize first, for instance at a word in DDR).
//
//     cni::open();
//     cni::counter arrived(cni::events(cni::own_tile(), 0));
//     arrived.configure();
//     cni::command_buffer commands(cni::events(cni::own_tile(), 1));
//     commands.configure();
// all tiles have reached this point
//     arrived.set(-1024);
//     commands.copy(cni::data(other, 0), from, 1024, arrived.address());
//     cni::wait_while(arrived.address(), [](std::uint64_t value) { return value != 0; });
//
//   Stores to other tiles' scratchpads are posted; fence() waits until all are complete. Stores of one tile to another
//   one are performed in order, unless a full queue refused one.
//
// Units     bytes, cycles of the tile's clock. Addresses are those of the machine's map; source, destination and
//           acknowledgement of a copy may also be in the local window.
// Threads   a command buffer belongs to a hart.
// Errors    docs/machine/cni.md: an invalid access of a hart traps; an invalid transfer is counted, faults().
// Source    Cache-Integrated Network Interfaces (IJPP 2012), sections 3 and 4; the words are in registers.hpp, `cni`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tess/machine/needs_time.hpp>
#include <tess/machine/registers.hpp>

namespace tess::machine::cni {

namespace words = registers::cni;

/// A word of 64 bits that is always loaded and stored as a whole, as registers and lines with events require: of a
/// volatile word, compilers may load only the half that is used.
class whole_word {
 public:
  explicit whole_word(std::uint64_t address) : at_(reinterpret_cast<std::uint64_t*>(address)) {}
  whole_word(whole_word const&) = default;
  operator std::uint64_t() const {  // NOLINT: used as the word that it is
    std::uint64_t value = 0;
    asm volatile("ld %0, %1" : "=r"(value) : "m"(*at_));
    return value;
  }
  whole_word const& operator=(std::uint64_t value) const {
    asm volatile("sd %z1, %0" : "=m"(*at_) : "rJ"(value));
    return *this;
  }
  whole_word const& operator=(whole_word const& other) const { return *this = static_cast<std::uint64_t>(other); }

 private:
  std::uint64_t* at_;
};
/// The word at an address.
inline whole_word word(std::uint64_t address) {
  return whole_word(address);
}
/// A field of the information unit.
inline std::uint64_t information(std::uint64_t offset) {
  return word(registers::own_devices + offset);
}
/// A field of a tile's row in the tile table.
inline std::uint64_t row(std::uint64_t tile, std::uint64_t field) {
  return information(registers::information::table + tile * registers::information::row_bytes + field);
}
/// Waits until all earlier stores are complete, at all tiles.
inline void fence() {
  asm volatile("fence rw, rw" ::: "memory");
}
/// The cycle counter of this hart.
inline std::uint64_t cycle() {
  std::uint64_t now = 0;
  asm volatile("rdcycle %0" : "=r"(now)::"memory");
  return now;
}
/// A register of the unit.
inline whole_word unit(std::uint64_t offset) {
  return word(registers::own_devices + registers::unit_bytes * static_cast<std::uint64_t>(registers::unit::cni) +
              offset);
}

/// The result of open().
struct layout {
  std::uint64_t tile = 0;   ///< This one.
  std::uint64_t tiles = 0;  ///< Number of tiles of the machine.
  std::uint64_t base = 0;
  std::uint64_t stride = 0;
  std::uint64_t data_bytes = 0;  ///< Size of a tile's scratchpad without the part for events.
  std::uint64_t event_lines = 0;
};
inline layout known;

/// Number of this tile.
inline std::uint64_t own_tile() {
  return known.tile;
}
/// Address of a byte of a tile's scratchpad; offset < known.data_bytes.
inline std::uint64_t data(std::uint64_t tile, std::uint64_t offset = 0) {
  return known.base + tile * known.stride + offset;
}
/// Address of a line with events of a tile's scratchpad; line < known.event_lines.
inline std::uint64_t events(std::uint64_t tile, std::uint64_t line) {
  return known.base + tile * known.stride + known.data_bytes + line * words::line_bytes;
}

/// Sets an entry of the region table. False: it is invalid.
inline bool enter_region(std::uint64_t entry, std::uint64_t match, std::uint64_t mask, words::region_code kind,
                         std::uint64_t way = 0) {
  std::uint64_t const at = words::regions + entry * words::region_bytes;
  unit(at + words::region_match) = match;
  unit(at + words::region_mask) = mask;
  unit(at + words::region_kind) = kind;
  unit(at + words::region_way) = way;
  unit(at + words::region_enable) = 1;
  return unit(at + words::region_enable) == 1;
}

/// A command of the unit by this hart. False: it is invalid.
inline bool command(words::operation_code operation, std::uint64_t address, std::uint64_t bytes, std::uint64_t value,
                    std::uint64_t tag = 0) {
  std::uint64_t const window = registers::window_bytes * information(registers::information::hart);
  unit(window + words::operation) = operation;
  unit(window + words::address) = address;
  unit(window + words::bytes) = bytes;
  unit(window + words::value) = value;
  unit(window + words::tag) = tag;
  unit(window + words::doorbell) = 1;
  return unit(window + words::doorbell) == static_cast<std::uint64_t>(registers::command_status::idle);
}
/// Sets whole lines of the own scratchpad to `code`, with all words zero; `cacheable` returns them to the cache. False:
/// no region, or not whole lines.
inline bool configure(std::uint64_t address, std::uint64_t bytes, words::line_code code) {
  return command(words::configure, address, bytes, code);
}

/// Sets up the usual regions: the own scratchpad, those of all tiles, and all partitions of DDR as memory. The part for
/// data becomes scratchpad; the program configures the part for events. False: this machine has no such interfaces.
inline bool open() {
  namespace info = registers::information;
  known.tile = information(info::tile);
  known.tiles = information(info::width) * information(info::height);
  known.base = unit(words::scratchpad_base);
  known.stride = unit(words::scratchpad_stride);
  std::uint64_t const way_bytes = unit(words::way_bytes);
  std::uint64_t const ways = unit(words::ways);
  known.data_bytes = (ways - 1) * way_bytes;
  known.event_lines = way_bytes / words::line_bytes;
  bool entered = ways > 1;
  std::uint64_t entry = 0;
  for (std::uint64_t way = 0; way < ways; ++way) {
    entered &= enter_region(entry++, data(known.tile, way * way_bytes), ~(way_bytes - 1), words::own_scratchpad, way);
  }
  std::uint64_t all = known.stride;
  while (all < known.stride * known.tiles) all *= 2;
  entered &= enter_region(entry++, known.base + known.data_bytes, ~(all - 1) | (known.stride - way_bytes),
                          words::remote_events);
  entered &= enter_region(entry++, known.base, ~(all - 1), words::remote_scratchpad);
  // The smallest aligned block that contains all partitions.
  std::uint64_t const first = row(0, info::row_partition);
  std::uint64_t mask = ~std::uint64_t{0};
  for (std::uint64_t tile = 0; tile < known.tiles; ++tile) {
    std::uint64_t const bytes = row(tile, info::row_partition_bytes);
    if (bytes == 0) continue;
    std::uint64_t const last = row(tile, info::row_partition) + bytes - 1;
    while (((first ^ last) & mask) != 0) mask <<= 1U;
  }
  entered &= enter_region(entry++, first & mask, mask, words::memory);
  return entered && configure(data(known.tile), known.data_bytes, words::scratchpad);
}

/// Polls the word while `goes_on` returns true for its value.
template <class Condition>
std::uint64_t wait_while(std::uint64_t address, Condition goes_on) {
  std::uint64_t value = word(address);
  while (goes_on(value)) value = word(address);
  return value;
}
/// The same for a word of the own scratchpad or DDR, asleep until it is written.
template <class Condition>
std::uint64_t sleep_while(std::uint64_t address, Condition goes_on) {
  for (;;) {
    std::uint64_t value = 0;
    asm volatile("lr.d %0, (%1)" : "=r"(value) : "r"(address) : "memory");
    if (!goes_on(value)) return value;
    asm volatile(".4byte 0x00d00073" ::: "memory");  // wrs.nto
  }
}

/// Number of failed transfers that this tile began, and of failed stores to other tiles.
inline std::uint64_t faults() {
  return unit(words::faults);
}
inline words::fault last_fault() {
  return static_cast<words::fault>(std::uint64_t{unit(words::fault_code)});
}

/// A line with events of some tile. Only the tile that owns the line configures it.
class line {
 public:
  constexpr explicit line(std::uint64_t address) : at_(address) {}
  /// The address of the line.
  [[nodiscard]] constexpr std::uint64_t address() const { return at_; }

 protected:
  /// A word of the line.
  [[nodiscard]] whole_word field(std::uint64_t offset) const { return word(at_ + offset); }

 private:
  std::uint64_t at_;
};

/// Stores that form a command; for the own tile only. The store that completes it waits while the list of jobs is full.
class command_buffer : public line {
 public:
  using line::line;
  /// Makes the line a command buffer; false: impossible.
  [[nodiscard]] bool configure() const { return cni::configure(address(), words::line_bytes, words::command_buffer); }
  /// 1 to 65536 bytes, from and to scratchpads and DDR of any tiles, at any alignment, bypassing all caches.
  /// `acknowledgement`: the numbers of written bytes are stored there, in several parts and in any order; or null.
  void copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes, std::uint64_t acknowledgement = 0) const {
    field(words::command_destination) = to;
    field(words::command_acknowledgement) = acknowledgement;
    field(words::command_source) = from;
    field(words::command_what) = words::what_of(words::copy, bytes);
  }
  /// One to five words, written at once.
  template <class... Words>
  void message(std::uint64_t to, std::uint64_t acknowledgement, Words... inline_words) const {
    send(words::message, to, acknowledgement, inline_words...);
  }
  /// The same without retries: if it is refused, as by a full queue, it is dropped, and the negative number of its
  /// bytes is acknowledged. Without `acknowledgement` the failure is not reported.
  template <class... Words>
  void message_once(std::uint64_t to, std::uint64_t acknowledgement, Words... inline_words) const {
    send(words::message_once, to, acknowledgement, inline_words...);
  }

 private:
  template <class... Words>
  void send(words::command_code code, std::uint64_t to, std::uint64_t acknowledgement, Words... inline_words) const {
    static_assert(sizeof...(Words) >= 1 && sizeof...(Words) <= words::message_bytes_max / 8);
    field(words::command_destination) = to;
    field(words::command_acknowledgement) = acknowledgement;
    std::uint64_t offset = words::command_data;
    ((field(offset) = static_cast<std::uint64_t>(inline_words), offset += 8), ...);
    field(words::command_what) = words::what_of(code, 8 * sizeof...(Words));
  }
};

/// Adds stored values; at zero it stores `preset` to all addresses to be notified, and becomes `reload`.
class counter : public line {
 public:
  using line::line;
  /// Makes the line a counter; false: impossible.
  [[nodiscard]] bool configure() const { return cni::configure(address(), words::line_bytes, words::counter); }
  /// Adds to the value.
  void add(std::uint64_t number) const { field(words::counter_add) = number; }
  /// The current value.
  [[nodiscard]] std::uint64_t value() const { return field(words::counter_add); }
  /// Sets the value without notification, even at zero.
  void set(std::uint64_t value) const { field(words::counter_set) = value; }
  /// The value after zero.
  void reload(std::uint64_t value) const { field(words::counter_reload) = value; }
  /// The word that is sent at zero.
  void preset(std::uint64_t value) const { field(words::counter_preset) = value; }
  /// The address of one of four words to notify; or null.
  void notify(std::uint64_t number, std::uint64_t of_word) const {
    field(words::counter_notify + 8 * number) = of_word;
  }
};

/// A single-reader queue of 2^log2_items items of 2^log2_words words. Any tile puts items; a put that finds it full
/// waits in its sender's interface.
class queue : public line {
 public:
  using line::line;
  /// `buffer`: in the own scratchpad, aligned to an item.
  [[nodiscard]] bool configure(std::uint64_t buffer, std::uint64_t log2_items, std::uint64_t log2_words = 0) const {
    if (!cni::configure(address(), words::line_bytes, words::queue)) return false;
    field(words::queue_buffer) = buffer;
    field(words::queue_shape) = words::shape_of(log2_items, log2_words);
    return true;
  }
  /// An item of one word; longer ones are messages or copies to address().
  void put(std::uint64_t item) const { field(words::queue_put) = item; }
};

/// The reader's side of a queue.
class queue_reader {
 public:
  queue_reader(queue of, std::uint64_t buffer, std::uint64_t log2_items, std::uint64_t log2_words = 0)
      : at_(of.address()),
        buffer_(buffer),
        item_mask_((std::uint64_t{1} << log2_items) - 1),
        item_bytes_(std::uint64_t{8} << log2_words) {}
  [[nodiscard]] bool empty() const { return word(at_ + words::queue_tail) == taken_; }
  /// Address of the oldest item, if there is one; it stays until pop().
  [[nodiscard]] std::uint64_t front() const { return buffer_ + (taken_ & item_mask_) * item_bytes_; }
  /// Removes the oldest item.
  void pop() {
    taken_ = (taken_ + 1) & 0xffff'ffffU;  // wraps as head and tail of the queue
    word(at_ + words::queue_head) = taken_;
  }
  /// Polls for the oldest item and returns its first word.
  std::uint64_t take() {
    while (empty()) {
    }
    std::uint64_t const item = word(front());
    pop();
    return item;
  }

 private:
  std::uint64_t at_;
  std::uint64_t buffer_;
  std::uint64_t item_mask_;
  std::uint64_t item_bytes_;
  std::uint64_t taken_ = 0;
};

/// A multiple-reader queue: matches items with requests; whichever arrives first waits.
class match_queue : public line {
 public:
  using line::line;
  /// `tagged`: all requests carry tags, and items have two words or more.
  [[nodiscard]] bool configure(std::uint64_t buffer, std::uint64_t log2_items, std::uint64_t log2_words = 0,
                               bool tagged = false) const {
    if (!cni::configure(address(), words::line_bytes, words::match_queue)) return false;
    field(words::match_buffer) = buffer;
    field(words::match_shape) = words::shape_of(log2_items, log2_words) | (tagged ? words::tagged : 0);
    return true;
  }
  /// An item of one word; longer ones are messages or copies to address().
  void put(std::uint64_t item) const { field(words::match_data) = item; }
  /// Requests an item, which will be written to this address.
  void request(std::uint64_t response) const { field(words::match_request) = response; }
  /// For a tagged queue: `tag` is the last word of the item that is written. Answers to many requests can go to one
  /// single-reader queue with items of this size and room for all of them. `response`: below 2^48; `tag`: up to
  /// words::tag_max.
  void request(std::uint64_t response, std::uint64_t tag) const {
    field(words::match_request) = words::tagged_request(response, tag);
  }
  /// The same without waiting: if there is no item, the answer is zeros and `tag | words::none`.
  void try_request(std::uint64_t response, std::uint64_t tag) const {
    field(words::match_request) = words::tagged_request(response, tag) | words::no_wait;
  }
  /// Number of waiting items; negative: number of waiting requests.
  [[nodiscard]] std::int64_t balance() const {
    return static_cast<std::int64_t>(std::uint64_t{field(words::match_balance)});
  }
};

}  // namespace tess::machine::cni
