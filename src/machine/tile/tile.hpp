// tile: what the harts and adapters of one tile share: the bus, the TLM, the L2, and in a memory tile the DDR.
//
//   Every access on the tile's bus takes a turn, in order of time. The tile is the home of its TLM and of its partition
//   (docs/internals/machine.md, 2): remote words go through the L2 like those of a local client, and the L1s are
//   snooped. Longer accesses (lines of other L2s, DMA) bypass the caches to the DDR. The sharers of each line are
//   recorded, so that a write snoops only the L1s that may hold it. On a machine with directories, lines of all
//   partitions are coherent, and harts do everything, including atomics, in their own L2. A blocking directory sits
//   beside its memory; forwarding ones are in forwarding_lines.
//
// Units     global addresses; cycles of the tile's clock. A given time may lie ahead of the kernel's, never behind.
// Cost      a hit is a function call; a miss is about a dozen events besides those of the network.
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), section 3 and Table 2.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "machine/adapter/adapter.hpp"
#include "machine/cache/l2_private.hpp"
#include "machine/cache/zeroed_array.hpp"
#include "machine/cni/network_interface.hpp"
#include "machine/config/description.hpp"
#include "machine/kernel/pool.hpp"
#include "machine/memory/blocking_directory.hpp"
#include "machine/memory/memory_port.hpp"
#include "machine/rae/l2_interface.hpp"
#include "machine/rae/node_interface.hpp"
#include "machine/tile/forwarding_lines.hpp"
#include "machine/tile/write_buffer.hpp"
#include "machine/unit/device.hpp"

namespace tess::machine {

class object_lookaside;

/// In a cluster: decides which data of other tiles is accepted.
class arrival_guard {
 public:
  virtual ~arrival_guard() = default;
  /// A piece of a transfer, or its end; false: it is refused.
  [[nodiscard]] virtual bool admits(transaction const& data) = 0;
};

class tile : public home, private line_memory, private l2_port, private probe_sender, private pending_stores {
 public:
  /// The kind of target of a hart's access.
  enum class place : std::uint8_t {
    tlm,         ///< The tile's own TLM.
    l2,          ///< The own partition, or a cached view of another's.
    remote,      ///< A word at another tile's home.
    device,      ///< A register of one of the tile's units.
    scratchpad,  ///< A plain line of the tile's own scratchpad.
    event,       ///< A line with events of the tile's own scratchpad.
    posted,      ///< Another tile's scratchpad: stores are posted; other accesses are as `remote`.
    nowhere,     ///< No such address, or not accessible to a hart.
  };
  /// Notified of writes on the bus, for a hart that sleeps on a word.
  class watcher {
   public:
    virtual ~watcher() = default;
    virtual void written(std::uint64_t address, std::size_t bytes, std::uint64_t cycle) = 0;
  };

  tile(kernel& k, machine_description const& description, address_map const& map, network& noc, network* mail,
       std::uint32_t number);

  /// Adds a unit at its place among the device registers; it must outlive the tile's last access.
  void attach(registers::unit at, device& added) { devices_[static_cast<std::size_t>(at)] = &added; }
  /// Bit u: the tile has unit u.
  [[nodiscard]] std::uint64_t units() const noexcept;
  /// The unit of a device register's global address, and the register's offset in it.
  [[nodiscard]] std::pair<device*, std::uint64_t> device_at(std::uint64_t address) const noexcept;

  /// The object table for extended addresses of its harts.
  void set_objects(object_lookaside& of_extended) noexcept { objects_ = &of_extended; }
  [[nodiscard]] object_lookaside* objects() const noexcept { return objects_; }

  /// All DMA data from other tiles is passed to this guard.
  void guard_with(arrival_guard& by) noexcept { guard_ = &by; }

  /// Adds an L1 of the tile: snooped on writes, invalidated when a line leaves the L2. Returns its number, for
  /// filled().
  std::uint32_t attach(snooper& l1);
  /// Notified of every write until unwatch(); it sleeps on these bytes, which are in one line.
  void watch(watcher& sleeper, std::uint64_t address, std::uint64_t bytes);
  void unwatch(watcher& sleeper) noexcept;

  /// Adds the buffer to which a hart posts stores to the TLM, and, as guesses, to lines of the L2. No other access to
  /// the tile overtakes them.
  std::uint32_t attach(write_buffer& added);
  /// A store was added to the buffer of this number; the buffer's first store is for `first_cycle`.
  void posted(std::uint32_t number, std::uint64_t first_cycle) noexcept {
    ++posted_;
    first_posted(number, first_cycle);
  }
  /// The last stores of this buffer were taken back.
  void taken_back(std::uint32_t number, std::size_t count) noexcept {
    posted_ -= count;
    first_posted(number, writers_[number]->first_cycle());
    if (posted_ == 0) stores_meet_l1s_ = false;
  }
  /// The byte, if a store to it may be posted as a guess: it is here now; and the sharers of its line.
  [[nodiscard]] l2_private::found_byte postable(std::uint64_t address) noexcept {
    if (tlm_region_.holds(address)) return {tlm_.at(address - tlm_region_.base), *tlm_sharers(address)};
    return posts_to_l2_ && place_of(address) == place::l2 ? l2_.find(address) : l2_private::found_byte{};
  }
  /// A turn on the bus: by cycle, within a cycle those of devices first, then those of harts by number.
  using bus_turn = std::uint64_t;
  /// The turn of a hart, which has the buffer of this number. Its own stores for this cycle come before it.
  [[nodiscard]] static bus_turn turn_of(std::uint64_t cycle, std::uint32_t number) noexcept {
    return (cycle << writer_bits | number) + 1;
  }
  /// The turn of an event of a device that happens now: before the harts' turns, or after them if the network's work
  /// for this time has begun.
  [[nodiscard]] bus_turn turn_of_devices() const noexcept {
    picoseconds const now = kernel_.now();
    return (kernel_.is_closed() ? clock_.count(now) + 1 : clock_.cycle_from(now)) << writer_bits;
  }
  /// The turn of this hart now.
  [[nodiscard]] bus_turn turn_of_hart(std::uint32_t number) const noexcept {
    return kernel_.is_closed() ? turn_of_devices() : turn_of(clock_.cycle_from(kernel_.now()), number);
  }
  /// Performs all stores posted for earlier turns, in order. Call it before any other access to the tile.
  void catch_up(bus_turn before) {
    if (posted_ != 0) execute_posted(before);
  }
  /// The same for a device, now.
  void catch_up() { catch_up(turn_of_devices()); }
  /// The same for one that comes after all harts of this cycle.
  void catch_up_with_harts() { catch_up((clock_.count(kernel_.now()) + 1) << writer_bits); }
  /// Performs all posted stores: none of their harts goes on.
  void end_stores() { catch_up(~bus_turn{0}); }
  [[nodiscard]] bool stores_meet_l1s() const noexcept { return stores_meet_l1s_; }
  /// The cycle before which no posted store takes a line from an L1.
  [[nodiscard]] std::uint64_t stores_meet_l1s_from() const noexcept {
    return stores_meet_l1s_ ? first_store() >> writer_bits : write_buffer::never;
  }

  [[nodiscard]] place place_of(std::uint64_t address) const noexcept {
    if (tlm_region_.holds(address)) return place::tlm;
    return partition_.holds(address) ? place::l2 : place_elsewhere(address);
  }

  /// Takes a turn on the bus: returns when `bytes`, requested at `cycle`, have been moved.
  std::uint64_t bus(std::uint64_t cycle, std::size_t bytes) noexcept {
    return hold_bus(cycle, arbitration_cycles_ + ((bytes + bus_bytes_ - 1) >> bus_shift_));
  }
  /// When a hit requested at `cycle` is complete. The published latency includes the bus; only waiting for the turn is
  /// extra.
  std::uint64_t hit_cycle(place where, std::uint64_t cycle, std::size_t bytes) noexcept {
    std::uint64_t const turn = std::max(cycle, bus_free_);
    (void)bus(cycle, bytes);
    return turn + (where == place::tlm ? description_.tlm_access_cycles : description_.l2_hit_cycles);
  }

  /// The same for a device, now: when its access to the L2 or the TLM is complete, as a time.
  picoseconds device_access(place where, std::size_t bytes) {
    catch_up();
    return clock_.cycles(hit_cycle(where, clock_.cycle_from(kernel_.now()), bytes));
  }
  /// The same as hit_cycle() for an atomic: read and write are one locked transfer, which holds the bus until it is
  /// complete.
  std::uint64_t atomic_cycle(place where, std::uint64_t cycle) noexcept {
    return hold_bus(cycle, where == place::tlm ? description_.tlm_access_cycles : description_.l2_hit_cycles);
  }

  /// The byte itself; null if its line must be fetched into the L2 first.
  [[nodiscard]] std::byte* look_up(place where, std::uint64_t address, bool for_store) noexcept {
    if (where == place::tlm) return tlm_.at(address - tlm_region_.base);
    return where == place::l2 ? l2_.look_up(address, for_store) : interface_->lines().at(address);
  }
  /// Fetches a line into the L2 that a hart here may need, if it is one of a memory.
  void prefetch(std::uint64_t address) {
    if (place_of(address) == place::l2) l2_.prefetch(address);
  }
  /// After a write: other L1s than `own` lose the line, and sleepers are notified. `rank` is that of a hart that writes
  /// in this cycle, which may be later than now; 0: what happens now writes.
  void snoop(std::uint64_t address, std::size_t bytes, snooper const* own, std::uint64_t cycle, std::uint32_t rank = 0);
  /// While an L1 is being invalidated: the first cycle in which accesses of the hart of this rank come after that.
  [[nodiscard]] std::uint64_t invalidated_from(std::uint32_t rank) const noexcept {
    std::uint64_t const cycle = snooped_by_ != 0 ? snooped_at_ : turn_of_devices() >> writer_bits;
    std::uint32_t const by = snooped_by_ != 0 ? snooped_by_ : kernel_.is_closed() ? 0 : kernel_.rank();
    return by > rank ? cycle + 1 : cycle;
  }
  /// The hart that executes, which is told if another hart of the tile goes back to an earlier time.
  class runner {
   public:
    virtual ~runner() = default;
    /// The other one continues at that cycle.
    virtual void overtaken(std::uint64_t cycle) noexcept = 0;
  };
  void runs(runner* now) noexcept { runner_ = now; }
  [[nodiscard]] runner* running() noexcept { return runner_; }
  /// Bits of the L1s that may hold the line of this address; null: none, as it is not in this tile.
  [[nodiscard]] std::uint64_t const* line_sharers(std::uint64_t address) noexcept { return sharers(address); }
  /// Bits of the L1s that may hold a line of the TLM, for a store; null: the address is not in the TLM.
  [[nodiscard]] std::uint64_t const* tlm_sharers(std::uint64_t address) const noexcept {
    return tlm_region_.holds(address) ? &tlm_sharers_[(address - tlm_region_.base) >> line_shift_] : nullptr;
  }
  /// A hart sleeps on some of these bytes and must be notified of writes. Lines of the TLM say it, too: watched_line is
  /// among their sharers.
  [[nodiscard]] bool is_watched(std::uint64_t address, std::uint64_t bytes) const noexcept {
    return std::ranges::any_of(watchers_, [=](watched_word const& one) {
      return address < one.address + one.bytes && one.address < address + bytes;
    });
  }
  /// The first cycle in which a posted store may wake a sleeper.
  [[nodiscard]] std::uint64_t posted_wakes_from() const noexcept {
    return drain_.waits ? drain_.store >> writer_bits : write_buffer::never;
  }
  /// An L1 has filled the line of this address.
  void filled(std::uint64_t address, std::uint32_t l1) noexcept;

  /// A word of this tile, without time: what a hart would read without its L1. Null: not of this tile.
  [[nodiscard]] std::byte* peek(std::uint64_t address) noexcept;
  /// Writes within a line, without time, wherever its current bytes are. The caller snoops the L1s of this tile; those
  /// of other tiles are snooped here.
  void poke(std::uint64_t address, std::span<std::byte const> from);
  [[nodiscard]] host_memory& local_memory() noexcept { return tlm_; }
  /// Directories keep the lines of all partitions coherent.
  [[nodiscard]] bool coherent() const noexcept { return description_.coherence.has_value(); }
  /// A line may leave the caches without an action of the tile's harts.
  [[nodiscard]] bool loses_lines() const noexcept { return coherent() || node_ != nullptr; }
  /// A word that a hart here may sleep on, as the tile observes every write to it. Null: it does not.
  [[nodiscard]] std::byte* watchable(std::uint64_t address) noexcept;

  /// Sets whole pages of the own partition or TLM to zero, for the harts of this tile.
  void discard(std::uint64_t address, std::uint64_t bytes);

  void serve(transaction& request, event& finished) override;
  void access(transaction& request, event& finished) override;
  void acknowledge(transaction& written) override { interface_->acknowledge(written); }

  /// The cache-integrated network interface; null: this machine has none.
  [[nodiscard]] network_interface* interface() noexcept { return interface_.get(); }

  /// The interface that performs atomics of others on the partition's words; null: this machine has none.
  [[nodiscard]] atomics_interface* atomics() noexcept { return atomics_.get(); }
  /// The same, if it is beside the memory of a node; null: it is not.
  [[nodiscard]] node_interface* node() noexcept { return node_; }

  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] address_map const& map() const noexcept { return map_; }
  [[nodiscard]] l2_private& l2() noexcept { return l2_; }
  /// Drops lines of the tile's L1s in [address, address + bytes).
  void invalidate_l1s(std::uint64_t address, std::size_t bytes) {
    catch_up();
    for (snooper* const l1 : l1s_) l1->invalidate(address, bytes);
  }
  [[nodiscard]] adapter& network_adapter() noexcept { return adapter_; }
  [[nodiscard]] memory_port* memory() noexcept { return memory_.get(); }
  /// The directory of lines whose home is this tile; null: there is none here.
  [[nodiscard]] directory* lines() noexcept {
    if (forwarding_) return &forwarding_->home();
    return directory_.get();
  }
  /// From now on, all activity of L2, adapter and memory is logged.
  void set_log(activity_log* log) noexcept {
    l2_.set_log(log, number_);
    adapter_.set_log(log);
    if (memory_ != nullptr) memory_->set_log(log, number_);
  }
  [[nodiscard]] std::uint64_t bus_busy_cycles() const noexcept { return bus_busy_cycles_; }
  /// For which accesses have waited for their turn, all together.
  [[nodiscard]] std::uint64_t bus_wait_cycles() const noexcept { return bus_wait_cycles_; }
  /// All tiles, for functional access to their DDR; set by the grid.
  void set_tiles(std::vector<std::unique_ptr<tile>> const& all) {
    all_ = &all;
    for (auto const& one : all) {
      if (one->forwarding_) all_forwarding_.push_back(one->forwarding_.get());
    }
  }

 private:
  struct line_request : transaction {
    explicit line_request(tile& owner_) : owner(owner_), arrival([](event& self) { owner_of(self).line_arrived(); }) {
      part = line_access{};
    }
    static line_request& owner_of(event& self) noexcept;
    void line_arrived();
    struct arrival_event : event {
      using event::event;
      line_request* of = nullptr;
    };
    tile& owner;
    arrival_event arrival;
    line_fetch* fetched = nullptr;  ///< Null: a write-back.
    event* requester = nullptr;
  };
  /// With directories: a hart that sleeps on a word of a leaving line is woken, as later writes are not observed.
  struct line_watch final : snooper {
    explicit line_watch(tile& owner_) : owner(owner_) {}
    void invalidate(std::uint64_t address, std::size_t bytes) override { owner.notify_watchers(address, bytes); }
    tile& owner;
  };
  /// A remote word that waits for its line.
  struct served_word : event {
    explicit served_word(tile& owner_)
        : event([](event& self) { static_cast<served_word&>(self).owner.retry(static_cast<served_word&>(self)); }),
          owner(owner_) {}
    tile& owner;
    transaction* request = nullptr;
    event* finished = nullptr;
    place where = place::l2;
  };

  /// An access of two lines.
  struct split_access {
    explicit split_access(tile& owner_) : owner(owner_), parts{part(*this), part(*this)} {}
    struct part : event {
      explicit part(split_access& of_)
          : event([](event& self) {
              split_access& whole = static_cast<part&>(self).of;
              whole.owner.part_served(whole);
            }),
            of(of_) {}
      split_access& of;
      transaction sent;
    };
    tile& owner;
    transaction* of = nullptr;
    event* finished = nullptr;
    std::size_t missing = 0;
    std::array<part, 2> parts;
  };

  /// An access to memory that waits for the node's interface to release a line.
  struct late_access : event {
    explicit late_access(tile& owner_)
        : event([](event& self) { static_cast<late_access&>(self).owner.released(static_cast<late_access&>(self)); }),
          owner(owner_) {}
    tile& owner;
    transaction* request = nullptr;
    event* finished = nullptr;
  };

  /// Stores that were posted before a hart went to sleep on a word must wake it at their time.
  struct drain_event : event {
    explicit drain_event(tile& owner_)
        : event([](event& self) { static_cast<drain_event&>(self).owner.drained(); }), owner(owner_) {}
    tile& owner;
    bool waits = false;
    bus_turn store = 0;  ///< The first posted one.
  };
  struct watched_word {
    watcher* sleeper;
    std::uint64_t address;
    std::uint64_t bytes;
  };
  static constexpr std::uint64_t watched_line = std::uint64_t{1} << 63U;
  /// The address of a byte to which a store is posted.
  [[nodiscard]] std::uint64_t address_of(std::byte const* at) noexcept {
    auto const offset = static_cast<std::uint64_t>(at - tlm_.at(0));
    return offset < tlm_.size_bytes() ? tlm_region_.base + offset : l2_.address_of(at);
  }
  [[nodiscard]] place place_elsewhere(std::uint64_t address) const noexcept;
  [[nodiscard]] place place_in_scratchpad(region const& in, std::uint64_t address) const noexcept;
  void serve_scratchpad(transaction& request, event& finished);
  void first_posted(std::uint32_t number, std::uint64_t cycle) noexcept {
    first_stores_[number] = cycle << writer_bits | number;
  }
  void perform() override;
  void lose(std::span<std::byte const> line) override;
  void execute_posted(bus_turn before);
  void execute_first(write_buffer& of);
  /// The least entry of first_stores_.
  [[nodiscard]] bus_turn first_store() const noexcept;
  void drain_for_watchers();
  void drained();

  void fetch(line_fetch& request, event& done) override;
  void write_back(std::uint64_t address, std::span<std::byte const> line, bool kept, event& done) override;
  void give_up(std::uint64_t address, event& done) override { forwarding_->client().give_up(address, done); }
  void clear(std::uint64_t address) override;
  line_request& take_line(std::uint64_t address, event& done);
  void unblock(line_request& arrived);
  void send_probe(transaction& probe) override { adapter_.issue_at_once(probe); }
  void serve_probe(transaction& request, event& finished);
  /// With directories: the current byte of a partition address that is not in the own L2.
  [[nodiscard]] std::byte* peek_coherent(region const& in, std::uint64_t address) noexcept;
  /// Where a line is to be written after all other copies have been dropped.
  [[nodiscard]] std::byte* poke_coherent(region const& in, std::uint64_t address, std::span<std::byte const> from);
  /// Changes every copy in flight, without time.
  void change_on_way(overwrite const& written) noexcept;
  [[nodiscard]] std::byte* in_memory(region const& in, std::uint64_t address) noexcept;
  void notify_watchers(std::uint64_t address, std::size_t bytes);
  [[nodiscard]] std::uint64_t* sharers(std::uint64_t address) noexcept;
  // An atomics interface beside the L2 has its port here.
  [[nodiscard]] std::byte* reach(main_entry& entry) override;
  [[nodiscard]] std::byte* join(main_entry& entry, bool stores) override;
  void serve_lines(transaction& request, event& finished);
  void part_served(split_access& of);
  void serve_word(served_word& word);
  void retry(served_word& word);
  void do_word(served_word& word, std::byte* at);
  void serve_device(transaction& request, event& finished);
  void serve_memory(transaction& request, region const& in, event& finished);
  void access_memory(transaction& request, region const& in, event& finished);
  /// The request is served when the node's interface has released the line.
  void claim_line(transaction& request, region const& in, event& finished);
  void released(late_access& late);

  std::uint64_t hold_bus(std::uint64_t cycle, std::uint64_t taken) noexcept {
    bus_wait_cycles_ += std::max(cycle, bus_free_) - cycle;
    bus_free_ = std::max(cycle, bus_free_) + taken;
    bus_busy_cycles_ += taken;
    return bus_free_;
  }

  static constexpr unsigned writer_bits = 6;
  static constexpr std::size_t writers_max = std::size_t{1} << writer_bits;

  kernel& kernel_;
  machine_description const& description_;
  address_map const& map_;
  clock_domain clock_;
  std::uint32_t number_;
  region tlm_region_;
  region partition_;  ///< Its own; of zero bytes if it has none.
  std::uint64_t device_base_;
  std::array<device*, registers::units_max> devices_{};
  host_memory tlm_;
  std::unique_ptr<memory_port> memory_;
  std::unique_ptr<blocking_directory> directory_;
  l2_private l2_;
  adapter adapter_;
  std::unique_ptr<forwarding_lines> forwarding_;  ///< On machines with forwarding directories.
  std::vector<forwarding_lines*> all_forwarding_;
  std::unique_ptr<network_interface> interface_;
  std::unique_ptr<atomics_interface> atomics_;
  node_interface* node_ = nullptr;  ///< The same; null: it is beside the L2, or there is none.
  line_watch line_watch_{*this};
  arrival_guard* guard_ = nullptr;
  object_lookaside* objects_ = nullptr;
  std::vector<snooper*> l1s_;
  std::vector<watched_word> watchers_;
  std::vector<write_buffer*> writers_;
  /// By writer: the cycle of its first store, with its number in the lowest bits, so that the minimum gives both.
  std::array<std::uint64_t, writers_max> first_stores_{};
  std::uint64_t posted_ = 0;  ///< Stores of all writers.
  bool posts_to_l2_ = false;
  /// An L1 of another hart, or of instructions, was filled with a line to which a store is posted.
  bool stores_meet_l1s_ = false;
  drain_event drain_{*this};
  runner* runner_ = nullptr;
  std::uint64_t snooped_at_ = 0;  ///< With `snooped_by_`: the turn of the store that is snooped.
  std::uint32_t snooped_by_ = 0;
  std::vector<std::unique_ptr<tile>> const* all_ = nullptr;
  std::uint64_t arbitration_cycles_;
  std::uint64_t bus_bytes_;
  unsigned bus_shift_;
  std::uint64_t bus_free_ = 0;
  std::uint64_t bus_busy_cycles_ = 0;
  std::uint64_t bus_wait_cycles_ = 0;
  zeroed_array<std::uint64_t> tlm_sharers_;  ///< By line of the L2's size: bits of the L1s that may hold it.
  unsigned line_shift_;
  std::deque<line_request> all_lines_;
  std::vector<line_request*> spare_lines_;
  std::deque<served_word> all_words_;
  std::vector<served_word*> spare_words_;
  std::deque<late_access> all_late_;
  std::vector<late_access*> spare_late_;
  pool<split_access> splits_;
};

}  // namespace tess::machine
