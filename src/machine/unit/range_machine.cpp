// range_machine: all parts see the registers as they were before the edge.
#include "machine/unit/range_machine.hpp"

#include <algorithm>

namespace tess::machine {

range_machine::range_machine(parameters const& made)
    : line_cycles_(made.line_cycles),
      line_bytes_(made.line_bytes),
      under_way_max_(made.under_way),
      queue_(made.queue_entries),
      slots_(made.slots) {}

void range_machine::step() {
  bool const moves = out.line_valid && in.line_ready;
  bool const begins = out.command_begins;
  bool const puts = in.command_valid && out.command_ready;
  if (!result_ || in.result_ready) take_result();
  if (in.done_valid) end_line(in.done_slot);
  if (pause_ != 0) --pause_;
  if (moves) {
    ++slots_[slot_].under_way;
    if (on_last_line()) {
      slots_[slot_].closed = true;
      visits_ = false;
    }
    at_ = line_of(at_) + line_bytes_;
    pause_ = line_cycles_ - 1;
  }
  if (begins) begin();
  if (puts) queue_[(queue_head_ + queued_) % queue_.size()] = in.command;
  if (begins) queue_head_ = queue_head_ + 1 == queue_.size() ? 0 : queue_head_ + 1;
  queued_ = queued_ + (puts ? 1 : 0) - (begins ? 1 : 0);
  refresh();
}

void range_machine::begin() {
  range_command const& command = queue_[queue_head_];
  visits_ = true;
  operation_ = command.operation;
  at_ = command.first;
  last_ = command.last;
  pause_ = line_cycles_ - 1;
  slots_[slot_] = {.used = true, .closed = false, .under_way = 0, .tag = command.tag};
}

void range_machine::end_line(std::uint32_t of) {
  slot& done = slots_[of];
  --done.under_way;
  if (done.closed && done.under_way == 0) ended_.push_back(of);
}

/// The slot that ended first gets free.
void range_machine::take_result() {
  result_ = !ended_.empty();
  if (!result_) return;
  slot& ended = slots_[ended_.front()];
  ended_.pop_front();
  result_tag_ = ended.tag;
  ended.used = false;
}

line_action range_machine::action() const noexcept {
  switch (operation_) {
    case range_operation::write_back:
      return line_action::write_back;
    case range_operation::invalidate: {
      // Other bytes of the lines at the edges survive.
      bool const whole = line_of(at_) == at_ && (at_ | (line_bytes_ - 1)) <= last_;
      return !whole || in.coherent ? line_action::flush : line_action::drop;
    }
    case range_operation::flush:
      return line_action::flush;
    default:
      return line_action::l1s;
  }
}

void range_machine::refresh() {
  out.command_ready = queued_ < queue_.size();
  out.command_begins = false;
  if (!visits_) {
    auto const free = std::ranges::find_if(slots_, [](slot const& one) { return !one.used; });
    // The slot of the next command is chosen before it begins.
    if (free != slots_.end()) slot_ = static_cast<std::uint32_t>(free - slots_.begin());
    out.command_begins = queued_ != 0 && free != slots_.end();
  }
  out.line_valid = visits_ && pause_ == 0 && slots_[slot_].under_way < under_way_max_;
  if (out.line_valid) out.line = {.action = action(), .slot = slot_, .address = at_, .last = last_};
  out.result_valid = result_;
  out.result_tag = result_tag_;
  bool const ends = !result_ && !ended_.empty();
  out.quiet = !out.active() && !ends && !(visits_ && pause_ != 0);
}

}  // namespace tess::machine
