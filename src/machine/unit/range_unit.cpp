// range_unit: commands, and the acknowledgement at the counter's home.
#include "machine/unit/range_unit.hpp"

#include <array>

namespace tess::machine {
namespace {

namespace of = registers::ranges;

/// Offsets of a counter's words.
constexpr std::uint64_t counter_notify = 16;
constexpr std::uint64_t counter_cookie = 24;

/// Awaited: the event has happened.
class happened : public event {
 public:
  happened() : event([](event& self) { static_cast<happened&>(self).resume(); }) {}
  [[nodiscard]] bool await_ready() const noexcept { return done_; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept { waiting_ = waiting; }
  void await_resume() const noexcept {}

 private:
  void resume() {
    done_ = true;
    if (waiting_) waiting_.resume();
  }
  bool done_ = false;
  std::coroutine_handle<> waiting_;
};

}  // namespace

range_unit::range_unit(kernel& k, machine_description const& made_of, network& over, tile& at)
    : kernel_(k),
      network_(over),
      tile_(at),
      local_(made_of.window(at.number())),
      line_ps_(made_of.tile_clock_ps),
      windows_(made_of.harts_of(at.number())) {}

std::optional<std::uint64_t> range_unit::load(std::uint64_t offset, std::uint32_t) {
  std::uint64_t const number = offset / registers::window_bytes;
  if (number >= windows_.size()) return std::nullopt;
  window const& asked = windows_[number];
  switch (offset % registers::window_bytes) {
    case of::operation:
      return asked.operation;
    case of::address:
      return asked.address;
    case of::bytes:
      return asked.bytes;
    case of::counter:
      return asked.counter;
    case of::doorbell:
      return asked.status;
    default:
      return std::nullopt;
  }
}

bool range_unit::store(std::uint64_t offset, std::uint64_t value, std::uint32_t) {
  std::uint64_t const number = offset / registers::window_bytes;
  if (number >= windows_.size()) return false;
  window& by = windows_[number];
  switch (offset % registers::window_bytes) {
    case of::operation:
      by.operation = value;
      return true;
    case of::address:
      by.address = value;
      return true;
    case of::bytes:
      by.bytes = value;
      return true;
    case of::counter:
      by.counter = value;
      return true;
    case of::doorbell:
      by.status = ring(by);
      return true;
    default:
      return false;
  }
}

of::status_code range_unit::ring(window& by) {
  if (by.runs) return of::full;
  window command = by;
  auto const begin = local_.global(by.address);
  auto const end = local_.global(by.address + by.bytes - 1);
  region const* const in = begin ? tile_.map().find(*begin) : nullptr;
  bool const whole = in != nullptr && end && by.bytes != 0 && by.bytes <= in->size_bytes && in->holds(*end) &&
                     *end - *begin == by.bytes - 1;
  bool const known = by.operation >= of::write_back && by.operation <= of::invalidate_l1s;
  bool const cached = whole && (in->kind == region_kind::partition ||
                                (in->kind == region_kind::tlm && by.operation == of::invalidate_l1s));
  if (!known || !cached) return of::wrong;
  if (by.counter != 0) {
    auto const counter = local_.global(by.counter);
    if (!counter || *counter % sizeof(std::uint64_t) != 0 || tile_.map().find(*counter) == nullptr) return of::wrong;
    command.counter = *counter;
  }
  command.address = *begin;
  by.runs = true;
  network_.operation_begins();  // harts do not run ahead of what it changes
  kernel_.start(run(command, by));
  return of::accepted;
}

process range_unit::run(window command, window& of_hart) {
  l2_private& l2 = tile_.l2();
  switch (command.operation) {
    case of::write_back:
      co_await l2.write_back(command.address, command.bytes, line_ps_);
      break;
    case of::invalidate:
      co_await l2.invalidate(command.address, command.bytes, line_ps_);
      break;
    case of::flush:
      co_await l2.flush(command.address, command.bytes, line_ps_);
      break;
    default:
      co_await kernel_.delay(line_ps_);
      tile_.invalidate_l1s(command.address, command.bytes);
  }
  of_hart.runs = false;
  if (command.counter != 0) co_await acknowledge(command.counter);
  network_.operation_ends();
}

task<> range_unit::acknowledge(std::uint64_t counter) {
  transaction add;
  add.what = remote_operation::atomic;
  add.word = word_operation::add;
  add.address = counter;
  add.operand = ~std::uint64_t{0};
  co_await word(add);
  if (add.status != remote_outcome::done || add.operand != 1) co_return;
  std::array<std::uint64_t, 2> found{};
  for (std::size_t i = 0; i < found.size(); ++i) {
    transaction read;
    read.what = remote_operation::read;
    read.address = counter + (i == 0 ? counter_notify : counter_cookie);
    co_await word(read);
    std::memcpy(&found[i], read.data.data(), sizeof found[i]);
  }
  if (found[0] == 0) co_return;
  auto const notify = local_.global(found[0]);
  if (!notify || tile_.map().find(*notify) == nullptr) co_return;
  transaction told;
  told.what = remote_operation::write;
  told.address = *notify;
  std::memcpy(told.data.data(), &found[1], sizeof found[1]);
  co_await word(told);
}

task<> range_unit::word(transaction& asked) {
  happened done;
  asked.bytes = sizeof(std::uint64_t);
  asked.target = tile_.map().find(asked.address)->tile;
  asked.done = &done;
  if (asked.target == tile_.number()) {
    tile_.serve(asked, done);
  } else {
    tile_.network_adapter().issue(asked);
  }
  co_await done;
}

}  // namespace tess::machine
