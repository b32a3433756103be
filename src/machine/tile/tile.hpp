// tile: what harts and adapters of one tile share: the bus, the TLM, the L2, and in a memory tile the DDR.
//
//   Everything on the tile's bus takes its turn there, in order of time. The tile is the home of its TLM and of its
//   partition (MACHINE.md 2): remote words enter the L2 like a local client's, whose L1s are snooped. Longer accesses
//   (lines of other L2s, DMA) go to the DDR behind the caches.
//
// Units     global addresses; picoseconds. A time that is passed in may lie ahead of the kernel's, never behind.
// Cost      a hit is a function call; a miss is about a dozen events besides those of the network.
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), section 3 and Table 2.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "machine/adapter/adapter.hpp"
#include "machine/cache/l2_private.hpp"
#include "machine/config/description.hpp"
#include "machine/memory/memory_port.hpp"

namespace tess::machine {

class tile : public home, private line_memory {
 public:
  /// Where an access of one of the tile's harts goes.
  enum class place : std::uint8_t {
    tlm,      ///< The own one.
    l2,       ///< The own partition, or a cached view of another's.
    remote,   ///< A word at another tile's home.
    nowhere,  ///< No such address, or none that a hart may use so.
  };
  /// A write on the bus: who sleeps on a word looks.
  class watcher {
   public:
    virtual ~watcher() = default;
    virtual void written(std::uint64_t address, std::size_t bytes, picoseconds time) = 0;
  };

  tile(kernel& k, machine_description const& made_of, address_map const& map, network& over, std::uint32_t number);

  /// An L1 of the tile: snooped on every write, invalidated when a line leaves the L2.
  void attach(snooper& l1);
  void attach(watcher& sleeper) { watchers_.push_back(&sleeper); }

  [[nodiscard]] place place_of(std::uint64_t address) const noexcept;

  /// Its turn on the bus: when `bytes` have been moved, if they are asked for at `time`.
  picoseconds bus(picoseconds time, std::size_t bytes) noexcept;
  /// When a hit that is asked for at `time` is there.
  picoseconds hit_time(place where, picoseconds time, std::size_t bytes) noexcept;

  /// The byte itself; null if its line must be brought into the L2 first.
  [[nodiscard]] std::byte* look_up(place where, std::uint64_t address, bool for_store) noexcept;
  /// After a write: the other L1s lose the line, and sleepers look. `own` keeps it.
  void snoop(std::uint64_t address, std::size_t bytes, snooper const* own, picoseconds time);

  /// A word of this tile without time: what a hart would see without its L1. Null: not of this tile.
  [[nodiscard]] std::byte* peek(std::uint64_t address) noexcept;

  /// Whole pages of a partition read as zero afterwards; they must not be in the L2.
  void discard(std::uint64_t address, std::uint64_t bytes) noexcept;

  void serve(transaction& asked, event& finished) override;

  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] address_map const& map() const noexcept { return map_; }
  [[nodiscard]] l2_private& l2() noexcept { return l2_; }
  [[nodiscard]] adapter& network_adapter() noexcept { return adapter_; }
  [[nodiscard]] memory_port* memory() noexcept { return memory_.get(); }
  [[nodiscard]] picoseconds bus_busy_ps() const noexcept { return bus_busy_ps_; }
  /// For functional access to other tiles' DDR; set by who builds the machine.
  void know(std::vector<std::unique_ptr<tile>> const& all) { all_ = &all; }

 private:
  struct line_request : transaction {
    explicit line_request(tile& owner_) : owner(owner_), arrival([](event& self) { owner_of(self).line_arrived(); }) {}
    static line_request& owner_of(event& self) noexcept;
    void line_arrived();
    struct arrival_event : event {
      using event::event;
      line_request* of = nullptr;
    };
    tile& owner;
    arrival_event arrival;
    std::span<std::byte> into;
    event* asked_by = nullptr;
  };
  /// A remote word that waits for its line.
  struct served_word : event {
    explicit served_word(tile& owner_)
        : event([](event& self) { static_cast<served_word&>(self).owner.retry(static_cast<served_word&>(self)); }),
          owner(owner_) {}
    tile& owner;
    transaction* asked = nullptr;
    event* finished = nullptr;
    place where = place::l2;
  };

  void fetch(std::uint64_t address, std::span<std::byte> into, event& done) override;
  void write_back(std::uint64_t address, std::span<std::byte const> line, event& done) override;
  line_request& take_line(std::uint64_t address, event& done);
  void serve_word(served_word& word);
  void retry(served_word& word);
  void do_word(served_word& word, std::byte* at);
  void serve_memory(transaction& asked, region const& in, event& finished);

  kernel& kernel_;
  machine_description const& made_of_;
  address_map const& map_;
  clock_domain clock_;
  std::uint32_t number_;
  region tlm_region_;
  host_memory tlm_;
  std::unique_ptr<memory_port> memory_;
  l2_private l2_;
  adapter adapter_;
  std::vector<snooper*> l1s_;
  std::vector<watcher*> watchers_;
  std::vector<std::unique_ptr<tile>> const* all_ = nullptr;
  picoseconds bus_free_ = 0;
  picoseconds bus_busy_ps_ = 0;
  std::deque<line_request> all_lines_;
  std::vector<line_request*> spare_lines_;
  std::deque<served_word> all_words_;
  std::vector<served_word*> spare_words_;
};

}  // namespace tess::machine
