// nma: the near-memory accelerator: a queue of copy requests, the machine that copies one graph after another, and
// notifications.
//
//   A request arrives as a trigger of the network; if the queue is full it is refused and waits at its sender. The
//   steps after a copy overlap with the next copy: DMA of an intermediate copy to its final place, the message that
//   starts a task, the acknowledgement of counters.
//
// Units     cycles of the memory's clock.
// Errors    graph_fault, in the message and the counters of the request; a request without either fails silently.
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), sections 3 and 4; registers.hpp, `nma`.
#pragma once

#include <deque>

#include "machine/kernel/peak_load.hpp"
#include "machine/nma/graph_copy.hpp"
#include "machine/unit/command_unit.hpp"

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
    copy_request copied;
    std::uint64_t task = 0;
    std::uint64_t counter = 0;
    std::uint32_t spawn_tile = 0;
    bool spawns = false;
    bool sound = false;
  };
  [[nodiscard]] bool accept(adapter::task_message const& came);
  [[nodiscard]] job read(adapter::task_message const& came) const;
  [[nodiscard]] region const* whole(std::uint64_t address, std::uint64_t bytes) const;
  process work();
  process finish(job done, copy_outcome outcome);
  [[nodiscard]] task<bool> transfer(job const& of, copy_outcome const& outcome);
  [[nodiscard]] task<> send_result(job const& of, copy_outcome const& outcome);

  kernel& kernel_;
  tile& tile_;
  completion completion_;
  accelerator_memory memory_;
  graph_copy copier_;
  std::uint64_t line_bytes_;
  std::uint32_t tiles_;
  std::size_t entries_;
  std::deque<job> queue_;
  bool works_ = false;
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
