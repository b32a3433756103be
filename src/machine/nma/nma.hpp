// nma: the near-memory accelerator: its hardware (nma_unit: a queue of requests, and the machine that copies one graph
// after another) with its ports at the tile's memories and network, and notifications.
//
//   A request arrives as a trigger of the network; if the queue is full it is refused and waits at its sender. The
//   steps after a copy overlap with the next copy: DMA of an intermediate copy to its final place, the message that
//   starts a task, the acknowledgement of counters.
//
//   The hardware is stepped ahead up to the cycle in which it next does something at a port, and rests while it waits.
//   What arrives meanwhile is taken in that cycle; an item of each port in a cycle.
//
// Units     cycles of the memory's clock.
// Errors    graph_fault, in the message and the counters of the request; a request without either fails silently.
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), sections 3 and 4; registers.hpp, `nma`.
#pragma once

#include <deque>
#include <memory>

#include "machine/kernel/peak_load.hpp"
#include "machine/kernel/pool.hpp"
#include "machine/nma/near_memory.hpp"
#include "machine/nma/nma_unit.hpp"
#include "machine/unit/command_unit.hpp"
#include "machine/unit/completion.hpp"
#include "machine/unit/object_types.hpp"

namespace tess::machine {

class nma {
 public:
  struct statistics {
    std::uint64_t requests = 0;
    std::uint64_t faults = 0;
    std::uint64_t objects = 0;
    std::uint64_t bytes = 0;  ///< Size of all copies.
    std::uint64_t transfers = 0;
    std::uint64_t queued_max = 0;  ///< Most requests in the queue at a time.
    std::uint64_t port_bytes = 0;  ///< Moved through the memory's port.
    picoseconds busy_ps = 0;       ///< Time of copies.
    peak_load peak;                ///< Share of time spent copying.
  };

  nma(kernel& k, machine_description const& description, tile& at, object_types& types);

  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }
  [[nodiscard]] std::size_t queued() const noexcept { return queue_.size(); }

 private:
  struct job {
    nma_job copied;
    std::uint64_t destination = 0;
    std::uint64_t final_address = 0;
    std::uint64_t first = 0;  ///< Where the first block of the buffer begins.
    std::uint64_t task = 0;
    std::uint64_t counter = 0;
    std::uint32_t spawn_tile = 0;
    bool spawns = false;
  };
  /// An access under way, with its bytes if it reads.
  struct access : event {
    explicit access(nma& owner_)
        : event([](event& self) { static_cast<access&>(self).owner.ended(static_cast<access&>(self)); }),
          owner(owner_) {}
    nma& owner;
    bool writes = false;
    std::uint32_t tag = 0;
    std::array<std::uint64_t, nma_unit::lanes_max> words{};
  };
  /// Something that happens to this unit.
  struct own_event : event {
    own_event(nma& owner_, handler happens_) : event(happens_), owner(owner_) {}
    nma& owner;
  };

  [[nodiscard]] bool accept(adapter::task_message const& came);
  [[nodiscard]] job read(adapter::task_message const& came) const;
  [[nodiscard]] region const* whole(std::uint64_t address, std::uint64_t bytes) const;
  /// An input has come: the next edge is a step.
  void wake();
  void step();
  void access_memory(nma_access const& wanted);
  void ended(access& one);
  void read_record();
  void record_arrives();
  void job_ends(nma_result const& outcome);
  process finish(job done, nma_result outcome);
  [[nodiscard]] task<bool> transfer(job const& of, nma_result const& outcome);
  [[nodiscard]] task<> send_result(job const& of, nma_result const& outcome);

  kernel& kernel_;
  tile& tile_;
  completion completion_;
  near_memory memory_;
  object_types& types_;
  std::unique_ptr<nma_unit> unit_;
  clock_domain clock_;
  std::uint64_t line_bytes_;
  std::uint32_t tiles_;
  std::size_t entries_;

  own_event edge_;             ///< The next step.
  bool pending_ = false;       ///< It is in the calendar, or is being made.
  picoseconds next_edge_ = 0;  ///< The earliest one.
  std::deque<job> arriving_;   ///< Accepted, on their way into the queue.
  std::deque<job> queue_;      ///< The jobs in the unit: that under way, and those in its queue.
  std::size_t waiting_ = 0;    ///< Those that have not begun, arriving ones among them.
  picoseconds begun_ = 0;
  pool<access> accesses_;
  std::deque<access*> answers_;  ///< That have arrived.
  std::uint64_t acknowledged_ = 0;
  own_event record_;
  std::uint64_t record_at_ = 0;
  bool record_whole_ = false;
  bool record_came_ = false;
  statistics counted_;
};

/// The windows by which harts of a tile request copies, here or in another tile.
class nma_requests final : public command_unit {
 public:
  nma_requests(kernel& k, machine_description const& description, tile& at);

  /// As if the hart had rung the doorbell; false: the request is invalid.
  [[nodiscard]] bool ring(std::uint64_t hart);

 private:
  [[nodiscard]] registers::command_status begin(window& by) override;
  process run(window& by, std::uint32_t target);

  kernel& kernel_;
  completion completion_;
  address_map const& map_;
};

}  // namespace tess::machine
