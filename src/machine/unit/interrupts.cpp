// interrupts: levels of the lines, and the registers that change them.
#include "machine/unit/interrupts.hpp"

#include <bit>
#include <utility>

namespace tess::machine {

namespace of = registers::interrupts;

interrupts::interrupts(kernel& k, machine_description const& description, tile& at)
    : kernel_(k), windows_(description.harts_of(at.number())) {}

void interrupts::update() {
  for (window& one : windows_) {
    bool const level = (pending() & one.enabled) != 0;
    if (std::exchange(one.external, level) != level) set(one, interrupt_cause::external, level);
  }
}

void interrupts::raise(std::uint64_t source) {
  raised_ |= std::uint64_t{1} << source;
  update();
}

void interrupts::set_level(std::uint64_t source, bool level) {
  std::uint64_t const bit = std::uint64_t{1} << source;
  levels_ = level ? levels_ | bit : levels_ & ~bit;
  update();
}

void interrupts::compare_with(std::uint32_t number, std::uint64_t ticks) {
  window& one = windows_[number];
  one.compare = ticks;
  bool const reached = time() >= ticks;
  set(one, interrupt_cause::timer, reached);
  // A time beyond the clock's range never comes.
  if (reached || ticks >= ~picoseconds{0} / tick_ps) return;
  if (spare_alarms_.empty()) spare_alarms_.push_back(alarms_.emplace_back(std::make_unique<alarm>(*this)).get());
  alarm& set_here = *spare_alarms_.back();
  spare_alarms_.pop_back();
  set_here.hart = number;
  kernel_.at(ticks * tick_ps, set_here);
}

void interrupts::ring(alarm& one) {
  spare_alarms_.push_back(&one);
  // An alarm whose time was changed meanwhile finds that it is early, or that its line is high already.
  if (time() >= windows_[one.hart].compare) set(windows_[one.hart], interrupt_cause::timer, true);
}

std::optional<std::uint64_t> interrupts::load_of(window& one, std::uint64_t offset) {
  switch (offset) {
    case of::software:
      return one.software ? 1 : 0;
    case of::compare:
      return one.compare;
    case of::enable:
      return one.enabled;
    case of::pending:
      return pending();
    case of::claim: {
      std::uint64_t const here = pending() & one.enabled;
      if (here == 0) return of::none;
      auto const source = static_cast<std::uint64_t>(std::countr_zero(here));
      raised_ &= ~(std::uint64_t{1} << source);
      update();
      return source;
    }
    case of::call:
      return one.call;
    case of::take_call: {
      callers_ &= ~(std::uint64_t{1} << static_cast<std::uint64_t>(&one - windows_.data()));
      set_level(of::source_calls, callers_ != 0);
      return std::exchange(one.call, 0);
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> interrupts::load(std::uint64_t offset, std::uint32_t) {
  if (offset == of::time) return time();
  if (offset == of::callers) return callers_;
  std::uint64_t const number = offset / registers::window_bytes;
  if (number >= windows_.size()) return std::nullopt;
  return load_of(windows_[number], offset % registers::window_bytes);
}

bool interrupts::store_of(std::uint32_t number, std::uint64_t offset, std::uint64_t value) {
  window& one = windows_[number];
  switch (offset) {
    case of::software:
      one.software = (value & 1U) != 0;
      set(one, interrupt_cause::software, one.software);
      return true;
    case of::compare:
      compare_with(number, value);
      return true;
    case of::enable:
      one.enabled = value;
      update();
      return true;
    case of::call:
      one.call = value;
      callers_ |= std::uint64_t{1} << number;
      set_level(of::source_calls, true);
      return true;
    default:
      return false;
  }
}

bool interrupts::store(std::uint64_t offset, std::uint64_t value, std::uint32_t) {
  if (offset == of::raise) {
    if (value < of::source_first_free || value >= of::sources) return false;
    raise(value);
    return true;
  }
  std::uint64_t const number = offset / registers::window_bytes;
  return number < windows_.size() &&
         store_of(static_cast<std::uint32_t>(number), offset % registers::window_bytes, value);
}

}  // namespace tess::machine
