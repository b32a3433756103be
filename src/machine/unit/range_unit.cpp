// range_unit: commands, and the acknowledgement at the counter's home.
#include "machine/unit/range_unit.hpp"

#include <algorithm>

namespace tess::machine {

range_unit::range_unit(kernel& k, machine_description const& description, tile& at)
    : kernel_(k),
      tile_(at),
      completion_(description, at),
      line_ps_(description.nca.range_line_cycles * description.tile_clock_ps),
      queue_entries_(description.nca.range_queue_entries),
      windows_(description.harts_of(at.number())) {}

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
      by.status = ring(by);
      return true;
    default:
      return false;
  }
}

registers::ranges::status_code range_unit::ring(window& by) {
  if (by.triggers || queued_ == queue_entries_) return registers::ranges::full;
  window command = by;
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
  command.counter = *counter;
  command.address = *begin;
  by.triggers = command.trigger != 0;
  std::uint64_t const line = tile_.l2().shape().line_bytes;
  std::uint64_t const lines = command.operation == registers::ranges::invalidate_l1s
                                  ? 1
                                  : (*end / line * line - *begin / line * line) / line + 1;
  picoseconds const turn = std::max(kernel_.now(), free_);
  free_ = turn + lines * line_ps_;
  ++queued_;
  kernel_.start(run(command, by, turn));
  return registers::ranges::accepted;
}

process range_unit::run(window command, window& of_hart, picoseconds begin) {
  co_await kernel_.delay(begin - kernel_.now());
  --queued_;
  l2_private& l2 = tile_.l2();
  switch (command.operation) {
    case registers::ranges::write_back:
      co_await l2.write_back(command.address, command.bytes, line_ps_);
      break;
    case registers::ranges::invalidate:
      co_await l2.invalidate(command.address, command.bytes, line_ps_);
      break;
    case registers::ranges::flush:
      co_await l2.flush(command.address, command.bytes, line_ps_);
      break;
    default:
      co_await kernel_.delay(line_ps_);
      tile_.invalidate_l1s(command.address, command.bytes);
  }
  auto const hart = static_cast<std::uint64_t>(&of_hart - windows_.data());
  bool const failed = command.trigger != 0 && !(triggered_ && triggered_(hart));
  if (command.trigger != 0) of_hart.triggers = false;
  co_await completion_.acknowledge(command.counter, failed ? 1 : 0);
}

}  // namespace tess::machine
