// range_unit: the unit by which programs write back and invalidate ranges of their tile's caches: its hardware
// (range_engine) with its ports at the tile's caches, and notifications.
//
//   Commands of all harts wait in one queue; a doorbell reads `full` if there is no room in it. They are served in the
//   order of arrival; the unit visits one line after the other, each for as long as the tags of the L2 need. It does
//   not wait for memory: the next command begins when the lines of the one before have been visited. A command may
//   trigger the request in its hart's window of the NMA, so that the hart need not wait for the end of an invalidation;
//   that window takes no further command until then.
//
//   The hardware is stepped ahead up to the cycle in which it next does something at a port, and rests while it waits.
//
// Units     global addresses inside; register addresses may be in the local window.
// Errors    a range that is not in one region of this machine, or an unknown operation: `wrong`. An invalid request:
//           `error` of the counter.
// Threads   one.
// Source    range operations of Pegasus (DATE 2017) and NEMESYS (MEMSYS 2019), section 3; registers.hpp, `ranges`.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "machine/kernel/kernel.hpp"
#include "machine/kernel/pool.hpp"
#include "machine/tile/tile.hpp"
#include "machine/unit/completion.hpp"
#include "machine/unit/range_engine.hpp"

namespace tess::machine {

class range_unit final : public device {
 public:
  range_unit(kernel& k, machine_description const& description, tile& at);

  /// The fields of all windows are as there, where no command runs.
  void take_over(range_unit const& from) { windows_ = from.windows_; }
  /// Issues a hart's request; false: it is invalid.
  void on_trigger(std::function<bool(std::uint64_t)> made) { triggered_ = std::move(made); }

  [[nodiscard]] std::optional<std::uint64_t> load(std::uint64_t offset, std::uint32_t hart) override;
  [[nodiscard]] bool store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) override;

 private:
  struct window {
    std::uint64_t operation = 0;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t counter = 0;
    std::uint64_t trigger = 0;
    registers::ranges::status_code status = registers::ranges::idle;
    bool triggers = false;  ///< Its command will issue the hart's request: the fields must stay.
  };
  /// A command that was accepted; its number is the tag.
  struct command {
    range_command asked;
    std::uint64_t hart = 0;
    std::uint64_t counter = 0;
    bool triggers = false;
  };
  /// A line on its way to memory.
  struct departure : event {
    explicit departure(range_unit& owner_)
        : event([](event& self) { static_cast<departure&>(self).owner.written(static_cast<departure&>(self)); }),
          owner(owner_) {}
    range_unit& owner;
    std::uint32_t slot = 0;
  };
  /// The next step of the hardware.
  struct edge_event : event {
    explicit edge_event(range_unit& owner_)
        : event([](event& self) { static_cast<edge_event&>(self).owner.step(); }), owner(owner_) {}
    range_unit& owner;
  };

  registers::ranges::status_code ring(window& by, std::uint64_t hart);
  /// An input has come: the next edge is a step.
  void wake();
  void step();
  void visit(visited_line const& one);
  void written(departure& one);
  process finish(command ended);

  kernel& kernel_;
  tile& tile_;
  completion completion_;
  std::unique_ptr<range_engine> engine_;
  clock_domain clock_;
  std::uint32_t queue_entries_;
  edge_event edge_;
  bool pending_ = false;       ///< It is in the calendar, or is being made.
  picoseconds next_edge_ = 0;  ///< The earliest one.
  std::vector<command> commands_;
  std::vector<std::uint32_t> free_tags_;
  std::deque<std::uint32_t> arriving_;  ///< Tags of commands on their way into the queue.
  std::size_t waiting_ = 0;             ///< Commands that have not begun.
  pool<departure> departures_;
  std::deque<std::uint32_t> done_;  ///< Slots whose lines are done.
  std::vector<window> windows_;
  std::function<bool(std::uint64_t)> triggered_;
};

}  // namespace tess::machine
