// range_unit: commands, the ports of the hardware, and the acknowledgement at the counter's home.
#include "machine/unit/range_unit.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "machine/rtl/rtl_library.hpp"
#include "machine/unit/range_machine.hpp"

namespace tess::machine {

namespace {

range_engine::parameters parameters_of_ranges(machine_description const& description) {
  return {.queue_entries = description.nca.range_queue_entries,
          .line_cycles = description.nca.range_line_cycles,
          .line_bytes = description.l2.line_bytes};
}

/// As the run wants it: the model or the hardware.
std::unique_ptr<range_engine> engine_of(machine_description const& description) {
  range_engine::parameters const made = parameters_of_ranges(description);
  if (description.hardware.nca_ranges == nullptr) return std::make_unique<range_machine>(made);
  return description.hardware.nca_ranges->make<range_engine, range_engine>(made);
}

}  // namespace

range_unit::range_unit(kernel& k, machine_description const& description, tile& at)
    : kernel_(k),
      tile_(at),
      completion_(description, at),
      engine_(engine_of(description)),
      clock_(description.tile_clock_ps),
      queue_entries_(description.nca.range_queue_entries),
      edge_(*this),
      commands_(parameters_of_ranges(description).tags()),
      free_tags_(commands_.size()),
      windows_(description.harts_of(at.number())) {
  std::iota(free_tags_.begin(), free_tags_.end(), 0U);
  engine_->in.coherent = at.coherent();
  // The simulated tile takes everything at once.
  engine_->in.line_ready = engine_->in.result_ready = true;
}

std::optional<std::uint64_t> range_unit::load(std::uint64_t offset, std::uint32_t) {
  std::uint64_t const number = offset / registers::window_bytes;
  if (number >= windows_.size()) return std::nullopt;
  window const& request = windows_[number];
  switch (offset % registers::window_bytes) {
    case registers::ranges::operation:
      return request.operation;
    case registers::ranges::address:
      return request.address;
    case registers::ranges::bytes:
      return request.bytes;
    case registers::ranges::counter:
      return request.counter;
    case registers::ranges::trigger:
      return request.trigger;
    case registers::ranges::doorbell:
      return request.status;
    default:
      return std::nullopt;
  }
}

bool range_unit::store(std::uint64_t offset, std::uint64_t value, std::uint32_t) {
  std::uint64_t const number = offset / registers::window_bytes;
  if (number >= windows_.size()) return false;
  window& by = windows_[number];
  switch (offset % registers::window_bytes) {
    case registers::ranges::operation:
      by.operation = value;
      return true;
    case registers::ranges::address:
      by.address = value;
      return true;
    case registers::ranges::bytes:
      by.bytes = value;
      return true;
    case registers::ranges::counter:
      by.counter = value;
      return true;
    case registers::ranges::trigger:
      by.trigger = value;
      return true;
    case registers::ranges::doorbell:
      by.status = ring(by, number);
      return true;
    default:
      return false;
  }
}

registers::ranges::status_code range_unit::ring(window& by, std::uint64_t hart) {
  if (by.triggers || waiting_ == queue_entries_) return registers::ranges::full;
  auto const begin = completion_.global(by.address);
  auto const end = completion_.global(by.address + by.bytes - 1);
  region const* const in = begin ? tile_.map().find(*begin) : nullptr;
  bool const whole = in != nullptr && end && by.bytes != 0 && by.bytes <= in->size_bytes && in->holds(*end) &&
                     *end - *begin == by.bytes - 1;
  bool const known = by.operation >= registers::ranges::write_back && by.operation <= registers::ranges::invalidate_l1s;
  bool const cached = whole && (in->kind == region_kind::partition ||
                                (in->kind == region_kind::tlm && by.operation == registers::ranges::invalidate_l1s));
  if (!known || !cached || by.trigger > 1) return registers::ranges::wrong;
  auto const counter = completion_.counter(by.counter);
  if (!counter) return registers::ranges::wrong;
  by.triggers = by.trigger != 0;
  std::uint32_t const tag = free_tags_.back();
  free_tags_.pop_back();
  commands_[tag] = {.asked = {.operation = static_cast<range_operation>(by.operation - registers::ranges::write_back),
                              .first = *begin,
                              .last = *end,
                              .tag = tag},
                    .hart = hart,
                    .counter = *counter,
                    .triggers = by.triggers};
  arriving_.push_back(tag);
  ++waiting_;
  // In its turn among the tile's units, not in the hart's.
  if (!std::exchange(pending_, true)) kernel_.at(std::max(clock_.edge(kernel_.now()), next_edge_), edge_);
  return registers::ranges::accepted;
}

void range_unit::wake() {
  if (pending_) return;
  picoseconds const edge = std::max(clock_.edge(kernel_.now()), next_edge_);
  if (edge == kernel_.now()) return step();
  pending_ = true;
  kernel_.at(edge, edge_);
}

void range_unit::step() {
  pending_ = true;
  range_engine::inputs& in = engine_->in;
  range_engine::outputs const& out = engine_->out;
  // What has arrived.
  in.command_valid = !arriving_.empty() && out.command_ready;
  if (in.command_valid) {
    in.command = commands_[arriving_.front()].asked;
    arriving_.pop_front();
  }
  in.done_valid = !done_.empty();
  if (in.done_valid) {
    in.done_slot = done_.front();
    done_.pop_front();
  }
  // What the engine offers moves at this edge.
  if (out.command_begins) --waiting_;
  if (out.line_valid) visit(out.line);
  if (out.result_valid) {
    free_tags_.push_back(out.result_tag);
    kernel_.start(finish(commands_[out.result_tag]));
  }
  engine_->step();
  in.command_valid = in.done_valid = false;
  cycle_count cycles = 1;
  for (; !out.active() && !out.quiet; ++cycles) engine_->step();
  next_edge_ = kernel_.now() + clock_.cycles(cycles);
  pending_ = !out.quiet || !arriving_.empty() || !done_.empty();
  if (pending_) kernel_.at(next_edge_, edge_);
}

void range_unit::visit(visited_line const& one) {
  if (one.action == line_action::l1s) {
    tile_.invalidate_l1s(one.address, one.last - one.address + 1);
    return done_.push_back(one.slot);
  }
  l2_private& l2 = tile_.l2();
  std::uint64_t const line = l2.line_address(one.address);
  bool const leaves = one.action != line_action::drop && l2.leaves(line);
  if (leaves) {
    departure& begun = departures_.take(*this);
    begun.slot = one.slot;
    l2.write_back_line(line, begun);
  }
  if (one.action != line_action::write_back) l2.drop_line(line);
  if (!leaves) done_.push_back(one.slot);
}

void range_unit::written(departure& one) {
  done_.push_back(one.slot);
  departures_.give_back(one);
  wake();
}

process range_unit::finish(command ended) {
  bool const failed = ended.triggers && !(triggered_ && triggered_(ended.hart));
  if (ended.triggers) windows_[ended.hart].triggers = false;
  co_await completion_.acknowledge(ended.counter, failed ? 1 : 0);
}

}  // namespace tess::machine
