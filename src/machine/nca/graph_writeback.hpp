// graph_writeback: the near-cache accelerator (NCA): graph writeback and dispatch.
//
//   It traverses a graph, so that memory is current and its size is known; writes the size into the metadata M; copies
//   M to M' by DMA; and starts a task there, or here, by a message. One graph at a time; others wait in a queue, and a
//   command that finds the queue full is told so. The steps after a traversal overlap with the next traversal.
//
// Errors    invalid fields: `wrong` at the doorbell. A fault of the graph: `error` of the counter; M, M' and the
//           message are omitted.
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), sections 3.3 and 4; registers.hpp, `nca`.
#pragma once

#include <deque>

#include "machine/nca/graph_traversal.hpp"
#include "machine/unit/command_unit.hpp"

namespace tess::machine {

class graph_writeback final : public command_unit {
 public:
  struct statistics {
    std::uint64_t graphs = 0;
    std::uint64_t faults = 0;
    std::uint64_t objects = 0;
    std::uint64_t bytes = 0;
    picoseconds busy_ps = 0;  ///< Time of traversals.
  };

  graph_writeback(kernel& k, machine_description const& description, tile& at, object_types& types);

  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }
  void take_over(graph_writeback const& from) {
    command_unit::take_over(from);
    traversal_.take_over(from.traversal_);
  }

 private:
  struct job {
    std::uint64_t root = 0;
    std::uint64_t metadata = 0;
    std::uint64_t metadata_bytes = 0;
    std::uint64_t remote = 0;
    std::uint64_t task = 0;
    std::uint64_t counter = 0;
    std::uint32_t spawn_tile = 0;
    bool spawns = false;
    window* by = nullptr;
  };
  [[nodiscard]] registers::command_status begin(window& by) override;
  /// False: the command is invalid.
  [[nodiscard]] bool read(window const& by, job& into) const;
  [[nodiscard]] region const* whole(std::uint64_t address, std::uint64_t bytes) const;
  process work();
  process finish(job done, graph_measured measured);
  [[nodiscard]] task<bool> send_metadata(job const& of, graph_measured const& measured);
  [[nodiscard]] task<> send_result(job const& of, graph_measured const& measured);

  kernel& kernel_;
  tile& tile_;
  completion completion_;
  graph_traversal traversal_;
  std::uint64_t line_bytes_;
  std::uint32_t tiles_;
  std::size_t entries_;
  std::deque<job> queue_;
  bool works_ = false;
  statistics counted_;
};

}  // namespace tess::machine
