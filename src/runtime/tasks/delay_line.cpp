// delay_line: reads the clock for word operations under a delay, orders them by their time, and releases their tasks.
#include "tess/detail/tasks/delay_line.hpp"

#include <algorithm>
#include <chrono>
#include <new>

namespace tess::detail {

void delay_line::set(std::uint64_t time_ns, std::uint64_t jitter_ns, std::uint64_t seed) {
  time_ = time_ns;
  jitter_ = jitter_ns;
  random_ = seed;
  read_clock();
}

bool delay_line::is_over(std::uint64_t called) noexcept {
  if (called + time_ + jitter_ <= clock_) return true;
  read_clock();
  return called + time_ + jitter_ <= clock_;
}

void delay_line::park_dated(promise_base* task, std::uint64_t called) noexcept {
  ++parked_;
  push_heap({called + time_ + jitter_, task});
}

bool delay_line::remove(promise_base const* task) noexcept {
  for (std::uint64_t i = 0; i < waiting_.size(); ++i)
    if (waiting_.ahead(i) == task) {
      waiting_.ahead(i) = nullptr;
      return true;
    }
  auto const found = std::ranges::find(heap_, task, &late::task);
  if (found == heap_.end()) return false;
  found->task = nullptr;
  return true;
}

bool delay_line::release(ring<promise_base*>& runnable) noexcept {
  if (parked_ == 0) return false;
  bool any = false;
  auto const wake = [&](promise_base* task) {
    --parked_;
    if (task == nullptr) return;
    any = true;
    runnable.push(task);
  };
  take_time();
  while (!dated_.empty() && dated_.front().due <= clock_) {
    for (std::uint64_t const end = dated_.pop().end; waiting_.position() != end;) wake(waiting_.pop());
  }
  while (!heap_.empty() && heap_.front().due <= clock_) {
    promise_base* const task = heap_.front().task;
    std::ranges::pop_heap(heap_, later);
    heap_.pop_back();
    wake(task);
  }
  return any;
}

std::uint64_t delay_line::next_ns() noexcept {
  std::uint64_t next = ~std::uint64_t{0};
  if (!dated_.empty()) next = dated_.front().due;
  if (!heap_.empty()) next = std::min(next, heap_.front().due);
  read_clock();
  return next > clock_ ? next - clock_ : 0;
}

void delay_line::read_clock() noexcept {
  clock_ = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

void delay_line::date() noexcept {
  std::uint64_t const end = waiting_.position() + waiting_.size();
  if (end == dated_to_) return;
  if (jitter_ == 0) {
    dated_.push({clock_ + time_, end});
  } else {
    while (!waiting_.empty()) push_heap({clock_ + time_ + draw(), waiting_.pop()});
  }
  dated_to_ = end;
}

void delay_line::take_time() noexcept {
  read_clock();
  date();
}

void delay_line::push_heap(late l) noexcept {
  try {
    heap_.push_back(l);
  } catch (std::bad_alloc const&) {
    no_memory_for("the operations that are delayed");
  }
  std::ranges::push_heap(heap_, later);
}

std::uint64_t delay_line::draw() noexcept {
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  return (random_ >> 20) % (jitter_ + 1);
}

}  // namespace tess::detail
