// unit_interface: what a unit of one's own and the simulator call of each other: abstract classes, a declaration and a
// version. Authors of units include unit.hpp, which builds on this.
//
//   Only virtual functions, values of the standard library and the two names at the end cross the border, so a unit
//   needs no symbol of the simulator but operator new and delete, which it must not have of its own.
//
// Units     bytes, picoseconds. Addresses are global, or of the local window of the unit's tile.
// Threads   one.
// Errors    an exception that leaves a unit ends the run with a message. The simulator throws std::invalid_argument
//           for a call that is no request of this machine, such as one that crosses a line.
// Source    docs/machine/units.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace tess::unit {

/// The names and layouts below have it. A unit of another version is refused when it is loaded.
inline constexpr std::uint32_t version = 1;

/// Simulated time.
using picoseconds = std::uint64_t;

/// How a request ended.
enum class outcome : std::uint8_t {
  done,
  wrong,  ///< No such address, or it does not allow this.
};

/// Called once, at the end of a request. It stays in place until then.
class completion {
 public:
  /// The request has ended.
  virtual void happened(outcome how) = 0;

 protected:
  ~completion() = default;
};

/// Who accesses a register.
struct requester {
  static constexpr std::uint32_t no_hart = ~std::uint32_t{0};
  std::uint32_t tile = 0;
  std::uint32_t hart = no_hart;  ///< In the unit's own tile; no_hart: another tile, or a unit.
};

/// What a unit says of a message.
enum class receipt : std::uint8_t {
  taken,
  full,   ///< It is sent again some cycles later.
  wrong,  ///< The sender learns that.
};

/// Operations on a word at its home, as those of the A extension.
enum class atomic : std::uint8_t { swap, add, exclusive_or, conjunction, disjunction, min, max, minu, maxu };

/// Told of the misses of an L2. It must not wait.
class miss_listener {
 public:
  /// A hart, or a unit that reads, has missed this line, which is fetched now. Requests of prefetch() are not told.
  virtual void missed(std::uint64_t line, bool for_store) = 0;

 protected:
  ~miss_listener() = default;
};

/// A unit, as the simulator calls it. What it does not override, it does not have.
class device {
 public:
  device() = default;
  device(device const&) = delete;
  device& operator=(device const&) = delete;
  virtual ~device() = default;

  /// The register at this offset, a multiple of 8; nothing: there is none, and the access traps.
  [[nodiscard]] virtual std::optional<std::uint64_t> load(std::uint64_t /*offset*/, requester /*by*/) {
    return std::nullopt;
  }
  [[nodiscard]] virtual bool store(std::uint64_t /*offset*/, std::uint64_t /*value*/, requester /*by*/) {
    return false;
  }
  /// 1 to 8 words from the unit of the same name in another tile, or in this one.
  [[nodiscard]] virtual receipt message(std::uint32_t /*from*/, std::span<std::uint64_t const> /*words*/) {
    return receipt::wrong;
  }
};

/// What a unit may know of its tile. It does not change.
struct facts {
  char const* name = "";     ///< The unit's, in the machine file.
  std::uint32_t number = 0;  ///< Its place among the units of a tile.
  std::uint32_t tile = 0;
  std::uint32_t width = 0;  ///< The grid's, in tiles.
  std::uint32_t height = 0;
  std::uint32_t harts = 0;           ///< In this tile.
  std::uint32_t line_bytes = 0;      ///< Bytes of a line of the L2.
  picoseconds period_ps = 0;         ///< A cycle of the tile's clock.
  picoseconds memory_period_ps = 0;  ///< The same of the memories' clock.
  std::uint64_t memory_bytes = 0;    ///< Size of this tile's DDR; 0: it has none.
};

/// A parameter, a number that the machine file may set: a key of the unit's table.
struct parameter {
  char const* name = "";
  char const* unit = "";     ///< "cycles"; empty: a mere number.
  char const* meaning = "";  ///< In a few words.
  std::uint64_t usual = 0;   ///< Without the key.
  std::uint64_t least = 0;
  std::uint64_t most = ~std::uint64_t{0};
};

/// The simulator, as the unit of a tile calls it. Requests take their time and their turn among all others; `then`
/// is called at their end, never before they return.
class host {
 public:
  /// What the unit may know.
  [[nodiscard]] virtual facts const& known() const noexcept = 0;
  /// The value of a declared parameter.
  [[nodiscard]] virtual std::uint64_t value(std::string_view of_parameter) const = 0;
  /// A number that appears in the statistics under this name, in every tile that has the unit. It stays in place.
  [[nodiscard]] virtual std::uint64_t& statistic(std::string_view name, std::string_view meaning) = 0;

  /// Simulated time.
  [[nodiscard]] virtual picoseconds now() const noexcept = 0;
  /// At this time, which is not in the past.
  virtual void call_at(picoseconds due, completion& then) = 0;
  /// For a trace: the unit was busy from then until now. `what` is a literal.
  virtual void busy(char const* what, picoseconds since) = 0;

  /// The global address of one of the tile's window; nothing: it lies in a hole.
  [[nodiscard]] virtual std::optional<std::uint64_t> global(std::uint64_t address) const = 0;
  /// Where [address, address + bytes) is in this tile's DDR; nothing: elsewhere.
  [[nodiscard]] virtual std::optional<std::uint64_t> memory_offset(std::uint64_t address,
                                                                   std::uint64_t bytes) const = 0;

  /// By the tile's bus, within a line, as a hart without an L1. Elsewhere, aligned words at their home.
  virtual void read(std::uint64_t address, std::span<std::byte> into, completion& then) = 0;
  /// The same.
  virtual void write(std::uint64_t address, std::span<std::byte const> from, completion& then) = 0;
  /// A word of 4 or 8 bytes, at its home; `word` is the operand, then the value before.
  virtual void modify(atomic how, std::uint64_t address, std::size_t bytes, std::uint64_t& word, completion& then) = 0;
  /// `word` is what is stored if the word has the expected value; then it is the value before.
  virtual void compare_swap(std::uint64_t address, std::size_t bytes, std::uint64_t expected, std::uint64_t& word,
                            completion& then) = 0;

  /// Does the tile's L2 have it?
  [[nodiscard]] virtual bool has_line(std::uint64_t address) const = 0;
  /// Has the line fetched, if it is neither here nor on its way, and is one that harts of the tile may cache. Not on
  /// machines with directories, nor with interfaces for atomics beside the memory.
  virtual bool prefetch(std::uint64_t address) = 0;
  /// From now on.
  virtual void tell_misses(miss_listener& to) = 0;

  /// At the port of this tile's DDR, beside all caches; at most 4096 bytes.
  virtual void read_memory(std::uint64_t offset, std::span<std::byte> into, completion& then) = 0;
  /// The same.
  virtual void write_memory(std::uint64_t offset, std::span<std::byte const> from, completion& then) = 0;

  /// By the network: at most 64 bytes, beside all caches: words of a tile-local memory, or whole lines of a partition.
  virtual void put(std::uint64_t address, std::span<std::byte const> from, completion& then) = 0;
  /// To the unit of the same name in that tile; `then` when it has been taken.
  virtual void send(std::uint32_t to_tile, std::span<std::uint64_t const> words, completion& then) = 0;
  /// Ends a command: counts the counter at this address down, and tells who waits. Null: no counter.
  virtual void acknowledge(std::uint64_t counter, std::uint64_t error, completion& then) = 0;
  /// Would acknowledge() know it?
  [[nodiscard]] virtual bool is_counter(std::uint64_t address) const = 0;
  /// Makes a source pending, from registers::interrupts::source_first_free on.
  virtual void interrupt(std::uint64_t source) = 0;

  /// Ends the run: this left a process. What leaves a call of the unit itself does the same.
  virtual void failed(std::exception_ptr const& thrown) noexcept = 0;

 protected:
  ~host() = default;
};

/// What a shared object is: `tess_unit_version` has its version, `tess_unit_declaration` returns this.
struct declaration {
  char const* meaning = "";
  std::span<parameter const> parameters;
  std::unique_ptr<device> (*make)(host& machine) = nullptr;
};

}  // namespace tess::unit
