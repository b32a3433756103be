// own_unit: a unit of one's own in a tile: its registers among the tile's devices, and the simulator as the unit sees
// it (tess/machine/unit_interface.hpp).
//
//   What the unit asks for goes to the parts that the built-in units use: the tile's bus, its L2, its memory's port and
//   its adapter. The unit is constructed at the begin of the run, by the machine's constructor.
//
// Units     as in unit_interface.hpp.
// Errors    config_error if the unit's constructor throws. Later exceptions go to unit_watch.
// Threads   one.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "machine/kernel/pool.hpp"
#include "machine/own_unit/unit_watch.hpp"
#include "machine/tile/tile.hpp"
#include "machine/unit/completion.hpp"
#include "tess/machine/unit_interface.hpp"

namespace tess::machine {

class own_unit final : public device, private unit::host, private miss_observer {
 public:
  /// A number that the unit counts.
  struct counted_number {
    std::string name;
    std::string meaning;
    std::uint64_t value = 0;
  };

  /// `number`: its place in description.units. `raise`: makes a source of interrupts pending.
  own_unit(kernel& k, machine_description const& description, std::uint32_t number, tile& at, unit_watch& watch,
           std::function<void(std::uint64_t)> raise);
  own_unit(own_unit const&) = delete;
  own_unit& operator=(own_unit const&) = delete;
  ~own_unit() override;

  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] std::deque<counted_number> const& statistics() const noexcept { return statistics_; }
  void set_log(activity_log* log) noexcept { activity_ = {log, tile_.number()}; }

  // device
  [[nodiscard]] std::optional<std::uint64_t> load(std::uint64_t offset, std::uint32_t hart) override;
  [[nodiscard]] bool store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) override;
  [[nodiscard]] std::optional<std::uint64_t> load_from(std::uint32_t tile, std::uint64_t offset) override;
  [[nodiscard]] bool store_from(std::uint32_t tile, std::uint64_t offset, std::uint64_t value) override;
  [[nodiscard]] remote_outcome message(std::uint32_t from, std::span<std::uint64_t const> words) override;

 private:
  /// A completion that the unit waits for.
  struct call : event {
    explicit call(own_unit& owner_)
        : event([](event& self) { static_cast<call&>(self).owner.complete(static_cast<call&>(self)); }),
          owner(owner_) {}
    own_unit& owner;
    unit::completion* then = nullptr;
    unit::outcome how = unit::outcome::done;
  };

  // unit::host
  [[nodiscard]] unit::facts const& known() const noexcept override { return known_; }
  [[nodiscard]] std::uint64_t value(std::string_view of_parameter) const override;
  [[nodiscard]] std::uint64_t& statistic(std::string_view name, std::string_view meaning) override;
  [[nodiscard]] unit::picoseconds now() const noexcept override { return kernel_.now(); }
  void call_at(unit::picoseconds due, unit::completion& then) override;
  void busy(char const* what, unit::picoseconds since) override;
  [[nodiscard]] std::optional<std::uint64_t> global(std::uint64_t address) const override;
  [[nodiscard]] std::optional<std::uint64_t> memory_offset(std::uint64_t address, std::uint64_t bytes) const override;
  void read(std::uint64_t address, std::span<std::byte> into, unit::completion& then) override;
  void write(std::uint64_t address, std::span<std::byte const> from, unit::completion& then) override;
  void modify(unit::atomic how, std::uint64_t address, std::size_t bytes, std::uint64_t& word,
              unit::completion& then) override;
  void compare_swap(std::uint64_t address, std::size_t bytes, std::uint64_t expected, std::uint64_t& word,
                    unit::completion& then) override;
  [[nodiscard]] bool has_line(std::uint64_t address) const override;
  bool prefetch(std::uint64_t address) override;
  void tell_misses(unit::miss_listener& to) override;
  void read_memory(std::uint64_t offset, std::span<std::byte> into, unit::completion& then) override;
  void write_memory(std::uint64_t offset, std::span<std::byte const> from, unit::completion& then) override;
  void put(std::uint64_t address, std::span<std::byte const> from, unit::completion& then) override;
  void send(std::uint32_t to_tile, std::span<std::uint64_t const> words, unit::completion& then) override;
  void acknowledge(std::uint64_t counter, std::uint64_t error, unit::completion& then) override;
  [[nodiscard]] bool is_counter(std::uint64_t address) const override;
  void interrupt(std::uint64_t source) override;
  void failed(std::exception_ptr const& thrown) noexcept override { watch_.threw(place_, thrown); }

  // miss_observer
  void missed(std::uint64_t line, bool for_store) override;

  [[nodiscard]] std::optional<std::uint64_t> load_by(unit::requester by, std::uint64_t offset);
  [[nodiscard]] bool store_by(unit::requester by, std::uint64_t offset, std::uint64_t value);
  void complete(call& ended);
  void end(unit::completion& then, unit::outcome how);
  call& take(unit::completion& then);
  void check_within_line(std::uint64_t address, std::size_t bytes) const;
  /// Within a line of the tile-local memory or the L2.
  process access_here(tile::place where, std::uint64_t address, std::span<std::byte> into,
                      std::span<std::byte const> from, unit::completion& then);
  /// A word at its home; its old value goes to `word`, what is read to `into`.
  process access_home(std::unique_ptr<transaction> request, std::uint64_t* word, std::span<std::byte> into,
                      unit::completion& then);
  void access_word(std::unique_ptr<transaction> request, std::uint64_t* word, std::span<std::byte> into,
                   unit::completion& then);
  process run_put(std::unique_ptr<transaction> request, unit::completion& then);
  process run_send(std::unique_ptr<transaction> request, unit::completion& then);
  process run_acknowledge(std::uint64_t counter, std::uint64_t error, unit::completion& then);

  kernel& kernel_;
  machine_description const& description_;
  unit_description const& made_of_;
  std::uint32_t number_;
  tile& tile_;
  clock_domain clock_;
  unit_watch& watch_;
  std::function<void(std::uint64_t)> raise_;
  completion completion_;
  unit_place place_;
  unit::facts known_;
  std::deque<counted_number> statistics_;  ///< They stay in place.
  pool<call> calls_;
  std::vector<unit::miss_listener*> listeners_;
  activity_source activity_;
  std::unique_ptr<unit::device> unit_;
};

}  // namespace tess::machine
