// range_machine: visits the lines of one range after another: the clocked model of rtl/nca/nca_ranges, register for
// register.
//
//   A command begins when the lines of the one before have been visited, not when they are in memory: until then it has
//   a slot, which counts its lines under way. A free slot is needed to begin. Results are in the order of their
//   ends: at most one command ends at an edge, with the last of its lines, and those that have ended wait in a queue.
//
// Cost      `line_cycles` for each line, a cycle to begin a command, three from its last line to its result.
// Threads   one.
#pragma once

#include <deque>
#include <vector>

#include "machine/unit/range_engine.hpp"

namespace tess::machine {

class range_machine final : public range_engine {
 public:
  explicit range_machine(parameters const& made);

  void step() override;

 private:
  /// A command that has begun.
  struct slot {
    bool used = false;
    bool closed = false;          ///< All its lines have been visited.
    std::uint32_t under_way = 0;  ///< Lines.
    std::uint32_t tag = 0;
  };

  void begin();
  void end_line(std::uint32_t of);
  void take_result();
  void refresh();
  [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const noexcept { return address & ~(line_bytes_ - 1); }
  [[nodiscard]] bool on_last_line() const noexcept {
    return operation_ == range_operation::invalidate_l1s || line_of(at_) >= line_of(last_);
  }
  [[nodiscard]] line_action action() const noexcept;

  std::uint32_t line_cycles_;
  std::uint64_t line_bytes_;
  std::uint32_t under_way_max_;

  std::vector<range_command> queue_;  ///< A ring.
  std::uint32_t queue_head_ = 0;
  std::uint32_t queued_ = 0;

  bool visits_ = false;
  range_operation operation_ = range_operation::write_back;
  std::uint64_t at_ = 0;  ///< In the next line.
  std::uint64_t last_ = 0;
  std::uint32_t slot_ = 0;
  std::uint32_t pause_ = 0;  ///< Further cycles of this line.
  std::vector<slot> slots_;
  std::deque<std::uint32_t> ended_;  ///< Slots, in the order of their ends.
  bool result_ = false;
  std::uint32_t result_tag_ = 0;
};

}  // namespace tess::machine
