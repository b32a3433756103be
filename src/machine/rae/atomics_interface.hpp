// atomics_interface: the network interface of RAE beside a node's memory, or a tile's L2: it carries out loads, stores
// and atomics that others ask for.
//
//   A request's way: the queue in front; its packet is taken apart and its operation looked up; then, one after
//   another, a look-up of interface cache and extended MSHRs at once. A word whose line is in the interface cache is
//   done. A line that is on its way takes the request along in a sub-entry. Otherwise a main entry gets the line, and
//   when it is here, all of its requests are done in their order. The interface core takes `operation_cycles` for each
//   and nothing else does atomics, so an operation is atomic by being one. Where lines come from, whether any are kept
//   and who else may have them is the matter of its memory side.
//
//   What is full makes wait: a request that has no entry waits at the head of the queue, and all behind it; when the
//   queue is full, requests of other nodes are refused, stay in their adapters and are sent again. An entry needs only
//   lines to end: of the memory and the L2, which never wait for it while it waits for them, and have slots of their
//   own in the adapter; so none waits for ever.
//
// Units     global addresses, cached names; cycles of the tile's clock.
// Errors    remote_outcome::wrong for what the table of operations does not have, and words in two lines.
// Threads   one.
// Source    RAE, section 3 and Table I; docs/machine/rae.md has what differs.
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
    std::uint64_t requests = 0;       ///< Taken in: hits + entries + merged, and what waits.
    std::uint64_t hits = 0;           ///< Their line was in the interface cache.
    std::uint64_t entries = 0;        ///< Main entries allocated: misses.
    std::uint64_t merged = 0;         ///< Joined a main entry.
    std::uint64_t memory_reads = 0;   ///< Accesses to lines, of the memory or of the L2.
    std::uint64_t memory_writes = 0;  ///< The same that wrote.
    std::uint64_t invalidations = 0;  ///< Lines that the core's caches had to give up.
    std::uint64_t full_stalls = 0;    ///< Requests that found no entry, and made all behind them wait.
    std::uint64_t refused = 0;        ///< Times that a request found the queue full, and was sent back.
  };

  /// `own`: the node's partition; `told` is called when bytes of it have changed.
  atomics_interface(kernel& k, machine_description const& description, region const& own, memory_side& below,
                    std::function<void(std::uint64_t, std::size_t)> on_write);
  atomics_interface(atomics_interface const&) = delete;
  atomics_interface& operator=(atomics_interface const&) = delete;

  /// A load, store, atomic or compare and swap of a word of the node; `finished` happens when `asked` has its status.
  void serve(transaction& access, event& finished);

  /// Before anybody else reads (`takes` false) or has or writes (true) the line of this address in memory. False:
  /// memory has it now. True: `then` happens when it is to be asked again.
  [[nodiscard]] bool claim(std::uint64_t address, bool takes, event& then);

  /// The byte here, without time; null: the line is elsewhere.
  [[nodiscard]] std::byte* look_up(std::uint64_t address, bool for_store) noexcept;
  /// [address, address + bytes), whole lines, reads as zero from now on; memory does already.
  void forget(std::uint64_t address, std::uint64_t bytes);

  [[nodiscard]] statistics counted() const noexcept;
  /// Nothing is under way.
  [[nodiscard]] bool idle() const noexcept { return queue_.empty() && entries_.in_use() == 0; }

 private:
  struct request {
    sub_entry what;
    picoseconds ready = 0;  ///< Its packet has been taken apart.
    bool waited = false;    ///< It has been counted as a stall.
  };
  struct step_event : event {
    explicit step_event(atomics_interface& owner_)
        : event([](event& self) { static_cast<step_event&>(self).owner.step(); }), owner(owner_) {}
    atomics_interface& owner;
  };

  [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const noexcept { return address & ~(line_bytes_ - 1); }
  /// When one that is done now would be answered.
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
  bool stepping_ = false;  ///< `step_` is in the calendar.
  bool stalled_ = false;   ///< The first request waits for an entry to end.
  picoseconds look_up_free_ = 0;
  picoseconds core_free_ = 0;
  statistics counted_;
};

}  // namespace tess::machine
