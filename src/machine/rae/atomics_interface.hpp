// atomics_interface: RAE's network interface beside a node's memory or a tile's L2: it performs loads, stores and
// atomics for other nodes.
//
//   The path of a request: the input queue; decoding of its packet and mapping of its operation; then, in order, one
//   look-up of interface cache and extended MSHRs. A hit in the interface cache is done at once. If the line is being
//   fetched, the request joins it in a sub-entry. Otherwise a main entry fetches the line, and on its arrival all its
//   requests are done in order. The interface core takes `operation_cycles` for each; since nothing else performs
//   atomics, the operations are atomic. The memory side decides where lines come from, whether they are kept, and who
//   shares them.
//
//   A full resource blocks: a request without an entry waits at the head of the queue, with all others behind it. If
//   the queue is full, requests of other nodes are refused, stay in their adapters and are sent again. To end, an entry
//   needs only lines of the memory and the L2. These never wait for the entry at the same time, and have slots of their
//   own in the adapter; so nothing waits forever.
//
// Units     global addresses, cached names; cycles of the tile's clock.
// Errors    remote_outcome::wrong for operations that are not in the table, and for words across two lines.
// Threads   one.
// Source    RAE, section 3 and Table I; docs/machine/rae.md lists the differences.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>

#include "machine/config/description.hpp"
#include "machine/kernel/kernel.hpp"
#include "machine/rae/extended_mshr.hpp"
#include "machine/rae/memory_side.hpp"

namespace tess::machine {

class atomics_interface {
 public:
  struct statistics {
    std::uint64_t requests = 0;       ///< Accepted: hits + entries + merged + waiting ones.
    std::uint64_t hits = 0;           ///< Their line was in the interface cache.
    std::uint64_t entries = 0;        ///< Main entries allocated: misses.
    std::uint64_t merged = 0;         ///< Joined a main entry.
    std::uint64_t memory_reads = 0;   ///< Accesses to lines, of the memory or of the L2.
    std::uint64_t memory_writes = 0;  ///< The same that wrote.
    std::uint64_t invalidations = 0;  ///< Lines that the core's caches had to surrender.
    std::uint64_t full_stalls = 0;    ///< Requests that found no free entry and blocked those behind.
    std::uint64_t refused = 0;        ///< Refusals because the queue was full.
  };

  /// `own`: the node's partition; `on_write` is called when bytes of it have changed.
  atomics_interface(kernel& k, machine_description const& description, region const& own, memory_side& below,
                    std::function<void(std::uint64_t, std::size_t)> on_write);
  atomics_interface(atomics_interface const&) = delete;
  atomics_interface& operator=(atomics_interface const&) = delete;

  /// A load, store, atomic or compare and swap of a word of the node; `finished` happens when `access` has its status.
  void serve(transaction& access, event& finished);

  /// Called before anything else reads (`takes` false) or owns or writes (true) the line of this address in memory.
  /// False: memory is current. True: ask again when `then` happens.
  [[nodiscard]] bool claim(std::uint64_t address, bool takes, event& then);

  /// The byte in the interface, without time; null: the line is elsewhere.
  [[nodiscard]] std::byte* look_up(std::uint64_t address, bool for_store) noexcept;
  /// Drops [address, address + bytes), whole lines that memory has set to zero.
  void forget(std::uint64_t address, std::uint64_t bytes);

  [[nodiscard]] statistics counted() const noexcept;
  /// Is nothing in progress?
  [[nodiscard]] bool idle() const noexcept { return queue_.empty() && entries_.in_use() == 0; }

 private:
  struct request {
    sub_entry what;
    picoseconds ready = 0;  ///< When its packet has been decoded.
    bool waited = false;    ///< It has been counted as a stall.
  };
  struct step_event : event {
    explicit step_event(atomics_interface& owner_)
        : event([](event& self) { static_cast<step_event&>(self).owner.step(); }), owner(owner_) {}
    atomics_interface& owner;
  };

  [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const noexcept { return address & ~(line_bytes_ - 1); }
  /// When an operation done now is answered.
  [[nodiscard]] picoseconds next_answer() const noexcept {
    return std::max(core_free_, clock_.edge(kernel_.now())) + clock_.cycles(description_.operation_cycles);
  }
  void schedule();
  void step();
  // False: it must wait until an entry ends.
  [[nodiscard]] bool admit(sub_entry const& asks);
  [[nodiscard]] bool join(main_entry& entry, sub_entry const& asks);
  void go_on(main_entry& entry);
  void end(main_entry& entry);
  void answer(sub_entry const& what, std::byte* line);

  kernel& kernel_;
  clock_domain clock_;
  rae_description const& description_;
  region own_;
  std::uint64_t line_bytes_;
  memory_side& below_;
  std::function<void(std::uint64_t, std::size_t)> on_write_;
  extended_mshr entries_;
  std::deque<request> queue_;
  step_event step_{*this};
  bool stepping_ = false;  ///< `step_` is scheduled.
  bool stalled_ = false;   ///< The first request waits for an entry to end.
  picoseconds look_up_free_ = 0;
  picoseconds core_free_ = 0;
  statistics counted_;
};

}  // namespace tess::machine
