// atomics_interface: the network interface of RAE beside a node's memory: it carries out loads, stores and atomics that
// others ask for, and keeps the node's own caches coherent with what it has.
//
//   A request's way: the queue in front; its packet is taken apart and its operation looked up; then, one after
//   another, a look-up of interface cache and extended MSHRs at once. A word whose line is in the interface cache is
//   done. A line that is on its way takes the request along in a sub-entry. Otherwise a main entry gets the line, and
//   when it is here, all of its requests are done in their order. The interface core takes `operation_cycles` for each
//   and nothing else does atomics, so an operation is atomic by being one. When a main entry's last request has been
//   answered, the line is kept in the interface cache (`retain`) or given back to the memory (`free_at_once`).
//
//   Two agents may have a line of the node: its core's caches or this interface, never both. The directory is the tags
//   of both, read in one look-up. A main entry for a line that the core's caches have takes it from there by one turn
//   on the coherence bus, whatever the number of its requests; loads alone take a copy and leave it. What the core's
//   caches, DMA and other nodes want of the memory comes by claim(): this interface gives the line up first. While a
//   line is on its way to or from the L2 neither is asked for it.
//
//   What is full makes wait: a request that has no entry waits at the head of the queue, and all behind it; when the
//   queue is full, requests of other nodes are refused, stay in their adapters and are sent again. An entry needs only
//   the memory and the L2 to end, which never wait for it while it waits for them; so none waits for ever (MACHINE.md
//   5).
//
// Units     global addresses, cached names; cycles of the tile's clock.
// Errors    remote_outcome::wrong for what the table of operations does not have, and words in two lines.
// Threads   one.
// Source    RAE, section 3 and Table I; docs/atomics.md has what differs.
#pragma once

#include <deque>
#include <functional>

#include "machine/cache/l2_private.hpp"
#include "machine/config/description.hpp"
#include "machine/memory/memory_port.hpp"
#include "machine/rae/extended_mshr.hpp"

namespace tess::machine {

class atomics_interface {
 public:
  struct statistics {
    std::uint64_t requests = 0;       ///< Taken in: hits + entries + merged, and what waits.
    std::uint64_t hits = 0;           ///< Their line was in the interface cache.
    std::uint64_t entries = 0;        ///< Main entries allocated: misses.
    std::uint64_t merged = 0;         ///< Joined a main entry.
    std::uint64_t memory_reads = 0;   ///< Lines.
    std::uint64_t memory_writes = 0;  ///< Lines.
    std::uint64_t invalidations = 0;  ///< Lines that the core's caches had to give up.
    std::uint64_t full_stalls = 0;    ///< Requests that found no entry, and made all behind them wait.
    std::uint64_t refused = 0;        ///< Times that a request found the queue full, and was sent back.
  };

  /// `own`: the node's partition; `told` is called when bytes of it have changed.
  atomics_interface(kernel& k, machine_description const& made_of, region const& own, l2_private& cores,
                    memory_port& memory, std::function<void(std::uint64_t, std::size_t)> told);
  atomics_interface(atomics_interface const&) = delete;
  atomics_interface& operator=(atomics_interface const&) = delete;

  /// A load, store, atomic or compare and swap of a word of the node; `finished` happens when `asked` has its status.
  void serve(transaction& asked, event& finished);

  /// Before anybody else reads (`takes` false) or has or writes (true) the line of this address in memory. False:
  /// memory has it now. True: `then` happens when it is to be asked again.
  [[nodiscard]] bool claim(std::uint64_t address, bool takes, event& then);

  /// The byte here, without time; null: the line is elsewhere.
  [[nodiscard]] std::byte* look_up(std::uint64_t address, bool for_store) noexcept;
  /// [address, address + bytes), whole lines, reads as zero from now on; memory does already.
  void forget(std::uint64_t address, std::uint64_t bytes);

  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }
  /// Nothing is under way.
  [[nodiscard]] bool idle() const noexcept { return queue_.empty() && entries_.in_use() == 0; }

 private:
  enum line_state : std::uint8_t { clean = 1, dirty };
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
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t line) const noexcept {
    return own_.memory_offset + (line - own_.base);
  }
  void schedule();
  void step();
  [[nodiscard]] bool admit(request& first);
  void go_on(main_entry& entry);
  void seek(main_entry& entry);
  void take(main_entry& entry);
  void arrive(main_entry& entry);
  void end(main_entry& entry);
  void retain(main_entry& entry);
  void answer(sub_entry const& what, std::byte* line);
  void write_memory(std::uint64_t line, std::span<std::byte const> bytes);

  kernel& kernel_;
  clock_domain clock_;
  rae_description const& made_of_;
  region own_;
  std::uint32_t tile_;
  std::uint64_t line_bytes_;
  l2_private& cores_;
  memory_port& memory_;
  std::function<void(std::uint64_t, std::size_t)> told_;
  extended_mshr entries_;
  cache_array kept_;  ///< The interface cache; a line's metadata is when its last answer leaves.
  std::deque<request> queue_;
  step_event step_{*this};
  bool stepping_ = false;  ///< `step_` is in the calendar.
  bool stalled_ = false;   ///< The first request waits for an entry to end.
  picoseconds look_up_free_ = 0;
  picoseconds core_free_ = 0;
  event nothing_{[](event&) {}};
  statistics counted_;
};

}  // namespace tess::machine
