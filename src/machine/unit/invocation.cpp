// invocation: messages into packets, and out of the adapter's queue.
#include "machine/unit/invocation.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "machine/kernel/units.hpp"

namespace tess::machine {
namespace {

using registers::command_status;
constexpr std::uint64_t message_bytes = registers::invoke::words * word_bytes;

}  // namespace

invoke_unit::invoke_unit(kernel& k, machine_description const& description, tile& at)
    : command_unit(description.harts_of(at.number())),
      kernel_(k),
      completion_(description, at),
      tile_(at.number()),
      tiles_(description.tiles()) {}

command_status invoke_unit::begin(window& by) {
  if (by.field(registers::invoke::target) >= tiles_ || !completion_.counter(by.field(registers::invoke::counter)))
    return command_status::wrong;
  kernel_.start(run(by));
  return command_status::accepted;
}

process invoke_unit::run(window& by) {
  transaction sent;
  sent.what = remote_operation::invoke;
  sent.target = static_cast<std::uint32_t>(by.field(registers::invoke::target));
  sent.bytes = message_bytes + word_bytes;
  std::memcpy(sent.data.data(), by.words.data(), message_bytes);
  std::uint64_t const source = tile_;
  std::memcpy(sent.data.data() + message_bytes, &source, word_bytes);
  std::uint64_t const counter = *completion_.counter(by.field(registers::invoke::counter));
  co_await completion_.remote(sent);
  by.status = command_status::idle;
  co_await completion_.acknowledge(counter, 0);
}

task_queue::task_queue(kernel& k, machine_description const& description, tile& at, std::function<void(bool)> changed)
    : kernel_(k),
      tile_(at),
      completion_(description, at),
      windows_(description.harts_of(at.number())),
      changed_(std::move(changed)),
      reach_ps_(description.reach_ps()) {
  tile_.network_adapter().on_task([this] {
    if (!quiet_) call();
    if (changed_) changed_(true);
  });
}

void task_queue::call() {
  if (notify_ == 0) return;
  kernel_.start(send_notification(notify_));
}

task<> task_queue::count(std::uint64_t word) {
  transaction add;
  add.what = remote_operation::atomic;
  add.word = atomic_operation::add;
  add.address = word;
  add.operand = 1;
  co_await completion_.word(add);
}

process task_queue::send_notification(std::uint64_t word) {
  co_await count(word);
}

void task_queue::set_alarm(std::uint64_t ns) {
  picoseconds const due = kernel_.now() + std::min(ns, never / 2000) * 1000;
  // The earliest alarm rings; the others set it again.
  if (due >= alarm_ps_) return;
  alarm_ps_ = due;
  kernel_.start(ring(due));
}

void task_queue::take_over(task_queue& from) {
  tile_.network_adapter().take_over_tasks(from.tile_.network_adapter());
  windows_ = from.windows_;
  notify_ = from.notify_;
  quiet_ = from.quiet_;
  if (changed_) changed_(tile_.network_adapter().tasks() != 0);
  alarm_ps_ = from.alarm_ps_;
  if (alarm_ps_ != never) kernel_.start(ring(std::max(alarm_ps_, kernel_.now())));
}

process task_queue::ring(picoseconds due) {
  co_await kernel_.until(due);
  if (alarm_ps_ == due) alarm_ps_ = never;
  if (notify_ == 0) co_return;
  co_await kernel_.delay(reach_ps_);
  co_await count(notify_);
}

std::uint64_t task_queue::take(window& into) {
  auto const message = tile_.network_adapter().take_task();
  if (!message) return 0;
  if (changed_) changed_(tile_.network_adapter().tasks() != 0);
  std::memcpy(into.words.data(), message->data(), message_bytes + word_bytes);
  return 1;
}

std::optional<std::uint64_t> task_queue::load(std::uint64_t offset, std::uint32_t hart) {
  if (offset == registers::tasks::notify) return notify_;
  if (offset == registers::tasks::quiet) return quiet_ ? 1 : 0;
  if (offset == registers::tasks::waiting) return tile_.network_adapter().tasks();
  std::uint64_t const number = offset / registers::window_bytes;
  if (number >= windows_.size()) return std::nullopt;
  std::uint64_t const inside = offset % registers::window_bytes;
  if (inside != registers::tasks::take) return windows_[number].words[inside / word_bytes];
  // Another tile must not take our messages.
  return hart == no_hart ? std::nullopt : std::optional(take(windows_[number]));
}

bool task_queue::store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) {
  std::uint64_t const number = offset / registers::window_bytes;
  if (number < windows_.size() && offset % registers::window_bytes == registers::tasks::alarm && hart != no_hart) {
    set_alarm(value);
    return true;
  }
  if (offset == registers::tasks::quiet && value <= 1) {
    quiet_ = value != 0;
    return true;
  }
  auto const word = completion_.counter(value);
  if (offset != registers::tasks::notify || !word) return false;
  notify_ = *word;
  return true;
}

}  // namespace tess::machine
