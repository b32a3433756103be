// graph_writeback: the near-cache accelerator (NCA): graph writeback and dispatch: its hardware (traversal_unit: a
// queue of roots, and the machine that traverses one graph after another) with its ports at the tile's L2 and memory,
// and notifications.
//
//   It traverses a graph, so that memory is current and its size is known; writes the size into the metadata M; copies
//   M to M' by DMA; and starts a task there, or here, by a message. One graph at a time; others wait in a queue, and a
//   command that finds the queue full is told so. The steps after a traversal overlap with the next traversal.
//
//   The hardware is stepped ahead up to the cycle in which it next does something at a port, and rests while it waits.
//   What arrives meanwhile is taken in that cycle; an item of each port in a cycle. Accesses to L2 and stack take the
//   time of a hit in the L2 and in the TLM.
//
// Units     cycles of the tile's clock.
// Errors    invalid fields: `wrong` at the doorbell. A fault of the graph: `error` of the counter; M, M' and the
//           message are omitted.
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), sections 3.3 and 4; registers.hpp, `nca`.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "machine/nca/traversal_unit.hpp"
#include "machine/unit/command_unit.hpp"
#include "machine/unit/completion.hpp"
#include "machine/unit/object_types.hpp"

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
  /// Marks that the other one left in memory do not match here.
  void take_over(graph_writeback const& from) {
    command_unit::take_over(from);
    mark_ = from.mark_;
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
  /// Something that happens to this unit.
  struct own_event : event {
    own_event(graph_writeback& owner_, handler happens_) : event(happens_), owner(owner_) {}
    graph_writeback& owner;
  };
  [[nodiscard]] registers::command_status begin(window& by) override;
  /// False: the command is invalid.
  [[nodiscard]] bool read(window const& by, job& into) const;
  [[nodiscard]] region const* whole(std::uint64_t address, std::uint64_t bytes) const;
  /// An input has come: the next edge is a step.
  void wake();
  void step();
  /// What the hardware asks for.
  void access(traversal_access const& wanted, std::uint64_t mark);
  void look_up();
  void read_record();
  void record_arrives();
  void use_stack();
  void job_ends(traversal_result const& measured);
  process finish(job done, traversal_result measured);
  [[nodiscard]] task<bool> send_metadata(job const& of, traversal_result const& measured);
  [[nodiscard]] task<> send_result(job const& of, traversal_result const& measured);

  kernel& kernel_;
  tile& tile_;
  completion completion_;
  object_types& types_;
  std::unique_ptr<traversal_unit> unit_;
  clock_domain clock_;
  std::uint64_t partition_;
  std::uint64_t line_bytes_;
  std::uint32_t tiles_;
  std::size_t entries_;
  std::uint64_t mark_ = 1;  ///< That of the last traversal; always odd.

  own_event edge_;             ///< The next step.
  bool pending_ = false;       ///< It is in the calendar, or is being made.
  picoseconds next_edge_ = 0;  ///< The earliest one.
  std::deque<job> arriving_;   ///< Accepted, on their way into the queue.
  std::deque<job> queue_;      ///< The jobs in the unit: that under way, and those in its queue.
  std::size_t waiting_ = 0;    ///< Those that have not begun, arriving ones among them.
  picoseconds begun_ = 0;
  // The access that is under way.
  traversal_access accessed_;
  std::uint64_t written_mark_ = 0;
  std::array<std::uint64_t, traversal_unit::lanes_max> line_{};
  own_event there_;   ///< The line has come into the L2.
  own_event answer_;  ///< The access is complete.
  bool answered_ = false;
  own_event written_;  ///< A line is in memory.
  std::uint64_t acknowledged_ = 0;
  own_event record_;
  std::uint64_t record_at_ = 0;
  bool record_whole_ = false;
  bool record_came_ = false;
  std::vector<traversal_place> stack_;
  own_event stack_event_;
  bool stack_came_ = false;
  statistics counted_;
};

}  // namespace tess::machine
