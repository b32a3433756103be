// unit: a unit of one's own for the simulated machine, in one C++ file: `tess unit build mine.cpp` makes mine.so, which
// a machine file places by [[unit]].
//
//     class counter_of_stores final : public tess::unit::device {
//      public:
//       static constexpr auto parameters = std::to_array<tess::unit::parameter>(
//           {{.name = "step", .unit = "", .meaning = "added by each store", .usual = 1, .least = 1, .most = 9}});
//       explicit counter_of_stores(tess::unit::tile& here) : step_(here.value("step")) {}
//       std::optional<std::uint64_t> load(std::uint64_t, tess::unit::requester) override { return count_; }
//       bool store(std::uint64_t, std::uint64_t, tess::unit::requester) override { return count_ += step_, true; }
//      private:
//       std::uint64_t step_;
//       std::uint64_t count_ = 0;
//     };
//     TESS_UNIT(counter_of_stores, "counts stores");
//
//   All state of a unit is in its members and in memory from operator new. It has no changeable static or thread_local
//   variable, no file that stays open, no thread, and nothing random: so a run repeats to the cycle, and a checkpoint
//   has the unit without code for it.
//
// Units     bytes; cycles of the tile's clock. Addresses are global, or of the tile's local window.
// Threads   one.
// Errors    co_await of a request says false for an address that does not exist or does not allow it. A request that
//           no machine could do throws std::invalid_argument. What leaves the unit ends the run with a message.
// Source    docs/machine/units.md.
#pragma once

#include <array>
#include <tess/machine/registers.hpp>
#include <tess/machine/unit_interface.hpp>
#include <tess/machine/unit_process.hpp>
#include <type_traits>
#include <vector>

namespace tess::unit {

template <class T>
concept plain_value = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

/// The tile as its unit sees it: one member for each port.
class tile {
 public:
  explicit tile(host& machine) : clock{machine}, bus{machine}, l2{machine}, memory{machine}, network{machine} {}
  tile(tile const&) = delete;
  tile& operator=(tile const&) = delete;
  ~tile() { end_processes(); }

  /// Time.
  struct clock_port {
    host& machine;
    /// The time of this call.
    [[nodiscard]] picoseconds now_ps() const noexcept { return machine.now(); }
    /// Cycles that have begun.
    [[nodiscard]] std::uint64_t cycle() const noexcept { return machine.now() / machine.known().period_ps; }
    auto delay_ps(picoseconds time) const {
      return request([of = &machine, time](completion& then) { of->call_at(of->now() + time, then); });
    }
    /// co_await: continues after so many cycles; after 0, all that is pending for this time has happened.
    auto delay(std::uint64_t cycles) const { return delay_ps(cycles * machine.known().period_ps); }
  };
  /// Memory as the harts of this tile see it, but for their L1s, which lose what is written.
  struct bus_port {
    host& machine;
    /// Bytes within a line of the tile-local memory or of a partition, by the L2; an aligned word elsewhere.
    auto read(std::uint64_t address, std::span<std::byte> into) const {
      return request([of = &machine, address, into](completion& then) { of->read(address, into, then); });
    }
    auto write(std::uint64_t address, std::span<std::byte const> from) const {
      return request([of = &machine, address, from](completion& then) { of->write(address, from, then); });
    }
    template <plain_value T>
    auto read(std::uint64_t address, T& into) const {
      return read(address, std::as_writable_bytes(std::span(&into, 1)));
    }
    /// `from` must stay in place until it is done.
    template <plain_value T>
    auto write(std::uint64_t address, T const& from) const {
      return write(address, std::as_bytes(std::span(&from, 1)));
    }
    /// At the word's home: `word` is the operand, and at the end the value before.
    auto modify(atomic how, std::uint64_t address, std::uint64_t& word, std::size_t bytes = 8) const {
      return request([of = &machine, how, address, word = &word, bytes](completion& then) {
        of->modify(how, address, bytes, *word, then);
      });
    }
    auto compare_swap(std::uint64_t address, std::uint64_t expected, std::uint64_t& word, std::size_t bytes = 8) const {
      return request([of = &machine, address, expected, word = &word, bytes](completion& then) {
        of->compare_swap(address, bytes, expected, *word, then);
      });
    }
  };
  /// The tile's L2.
  struct l2_port {
    host& machine;
    /// Does it have the line?
    [[nodiscard]] bool has(std::uint64_t address) const { return machine.has_line(address); }
    /// Asks for a line; false: it is here or on its way, or no line that this L2 caches.
    bool prefetch(std::uint64_t address) const { return machine.prefetch(address); }
    void tell_misses(miss_listener& to) const { machine.tell_misses(to); }
  };
  /// The port of this tile's DDR, beside all caches: what they have and it does not, is not seen.
  struct memory_port {
    host& machine;
    /// Does this tile have a memory?
    [[nodiscard]] bool is_here() const noexcept { return machine.known().memory_bytes != 0; }
    /// Where a range of addresses is in it; nothing: elsewhere.
    [[nodiscard]] std::optional<std::uint64_t> offset_of(std::uint64_t address, std::uint64_t bytes) const {
      return machine.memory_offset(address, bytes);
    }
    /// In one turn at the port: at most 4096 bytes.
    auto read(std::uint64_t offset, std::span<std::byte> into) const {
      return request([of = &machine, offset, into](completion& then) { of->read_memory(offset, into, then); });
    }
    auto write(std::uint64_t offset, std::span<std::byte const> from) const {
      return request([of = &machine, offset, from](completion& then) { of->write_memory(offset, from, then); });
    }
  };
  /// The tile's adapter.
  struct network_port {
    host& machine;
    /// At most 64 bytes, beside all caches, to words of a tile-local memory or whole lines of a partition.
    auto put(std::uint64_t address, std::span<std::byte const> from) const {
      return request([of = &machine, address, from](completion& then) { of->put(address, from, then); });
    }
    /// 1 to 8 words to this unit in another tile; done when they have been taken.
    auto send(std::uint32_t to_tile, std::span<std::uint64_t const> words) const {
      return request([of = &machine, to_tile, words](completion& then) { of->send(to_tile, words, then); });
    }
  };

  clock_port clock;
  bus_port bus;
  l2_port l2;
  memory_port memory;
  network_port network;

  /// What does not change.
  [[nodiscard]] facts const& known() const noexcept { return clock.machine.known(); }
  /// The simulator itself, for a queue.
  [[nodiscard]] host& machine() const noexcept { return clock.machine; }
  /// The tile's.
  [[nodiscard]] std::uint32_t number() const noexcept { return known().tile; }
  /// How many the machine has.
  [[nodiscard]] std::uint32_t tiles() const noexcept { return known().width * known().height; }
  /// What the machine file says, or the usual value.
  [[nodiscard]] std::uint64_t value(std::string_view of_parameter) const { return machine().value(of_parameter); }
  /// A number for the statistics, which the unit counts.
  [[nodiscard]] std::uint64_t& statistic(std::string_view name, std::string_view meaning) const {
    return machine().statistic(name, meaning);
  }
  /// The global address of one of the local window; nothing: it lies in a hole.
  [[nodiscard]] std::optional<std::uint64_t> global(std::uint64_t address) const { return machine().global(address); }
  /// Would acknowledge() do it? Null is no counter, and will do.
  [[nodiscard]] bool is_counter(std::uint64_t address) const { return machine().is_counter(address); }
  /// co_await: a command has ended; its counter is at this address, or null.
  auto acknowledge(std::uint64_t counter, std::uint64_t error = 0) const {
    return request([of = &machine(), counter, error](completion& then) { of->acknowledge(counter, error, then); });
  }
  /// Makes a source of interrupts of the system's hart pending.
  void interrupt(std::uint64_t source) const { machine().interrupt(source); }
  /// For a trace: busy since then. `what` is a literal.
  void busy(char const* what, picoseconds since) const { machine().busy(what, since); }

  /// Begins a process, after all that is pending for this time.
  void start(process&& begun) {
    detail::process_promise& promise = begun.release();
    promise.machine = &machine();
    promise.before = &first_;
    promise.after = std::exchange(first_, &promise);
    if (promise.after != nullptr) promise.after->before = &promise.after;
    machine().call_at(clock.now_ps(), promise);
  }
  /// Destroys the frames of all processes.
  void end_processes() noexcept {
    while (first_ != nullptr) detail::process_promise::handle::from_promise(*first_).destroy();
  }

 private:
  detail::process_promise* first_ = nullptr;
};

using machine::registers::command_status;

/// A unit with command windows: seven words of fields, then a doorbell, for each hart of the tile (window h) and for
/// each other tile (window own_units::harts_max + t). A store to the doorbell begins the command; a load of it says its
/// state. A window has one command at a time.
class command_device : public device {
 public:
  [[nodiscard]] std::optional<std::uint64_t> load(std::uint64_t offset, requester) override {
    std::size_t const number = offset / machine::registers::window_bytes;
    if (number >= windows_.size()) return std::nullopt;
    std::size_t const word = offset % machine::registers::window_bytes / 8;
    window const& of = windows_[number];
    return word == of.words.size() ? static_cast<std::uint64_t>(of.status) : of.words[word];
  }
  [[nodiscard]] bool store(std::uint64_t offset, std::uint64_t value, requester by) override {
    std::size_t const number = offset / machine::registers::window_bytes;
    if (number >= windows_.size()) return false;
    std::size_t const word = offset % machine::registers::window_bytes / 8;
    window& of = windows_[number];
    if (of.status == command_status::accepted) return true;  // the unit owns it: the store is lost
    if (word == of.words.size()) {
      of.status = begin(of, by);
    } else {
      of.words[word] = value;
    }
    return true;
  }

 protected:
  /// A command's fields by number, and its state.
  struct window {
    std::array<std::uint64_t, 7> words{};
    command_status status = command_status::idle;
  };
  explicit command_device(tile const& here) : windows_(machine::registers::own_units::harts_max + here.tiles()) {}
  /// Begins the command, whose window stays in place: `accepted`, until the unit sets its status; or `full`, `wrong`.
  [[nodiscard]] virtual command_status begin(window& command, requester by) = 0;

 private:
  std::vector<window> windows_;
};

namespace detail {
/// A unit in its tile: processes end before what they use.
template <class Unit>
class placed final : public device {
 public:
  explicit placed(host& machine) : tile_(machine), unit_(tile_) {}
  placed(placed const&) = delete;
  placed& operator=(placed const&) = delete;
  ~placed() override { tile_.end_processes(); }
  std::optional<std::uint64_t> load(std::uint64_t offset, requester by) override { return unit_.load(offset, by); }
  bool store(std::uint64_t offset, std::uint64_t value, requester by) override {
    return unit_.store(offset, value, by);
  }
  receipt message(std::uint32_t from, std::span<std::uint64_t const> words) override {
    return unit_.message(from, words);
  }
  static std::unique_ptr<device> make(host& machine) { return std::make_unique<placed>(machine); }

 private:
  tile tile_;
  Unit unit_;
};

/// Those that the class declares.
template <class Unit>
constexpr std::span<parameter const> parameters_of() noexcept {
  if constexpr (requires { Unit::parameters; }) {
    return Unit::parameters;
  } else {
    return {};
  }
}
}  // namespace detail

}  // namespace tess::unit

/// Once in a unit's file: its class, derived from tess::unit::device and constructed from a tess::unit::tile&, and what
/// it is in a few words. `parameters`, an array in the class, declares those that it has.
#define TESS_UNIT(type, meaning)                                                                                \
  extern "C" [[gnu::visibility("default")]] std::uint32_t const tess_unit_version = ::tess::unit::version;      \
  extern "C" [[gnu::visibility("default")]] ::tess::unit::declaration const* tess_unit_declaration() noexcept { \
    static constexpr ::tess::unit::declaration made{meaning, ::tess::unit::detail::parameters_of<type>(),       \
                                                    &::tess::unit::detail::placed<type>::make};                 \
    return &made;                                                                                               \
  }                                                                                                             \
  static_assert(true)
