// run_tasks: chooses which tasks take turns, and how long a single task keeps the worker.
#include "runtime/tasks/run_tasks.hpp"

#include <algorithm>

#include "runtime/tasks/worker_delay.hpp"

namespace tess::detail {

namespace {

constexpr std::uint32_t switches_per_turn = 64;
/// How long a single task completes operations without a poll: many times the cost of a poll, yet short for a place
/// that waits for an answer.
constexpr auto alone_turn = std::chrono::microseconds(4);
constexpr std::int64_t alone_budget_min = 32, alone_budget_max = 4096;
/// Tasks that take turns: enough to hide the latency of memory, few enough for the first-level cache.
constexpr std::uint64_t turns_max = 32;
constexpr unsigned polls_per_extra_start = 16;

/// Lets unstarted tasks join those that take turns, at most doubling them: tasks that never suspend stay stealable.
void admit(worker_state& w) {
  if (!w.may_start()) return;
  std::uint64_t const have = w.runnable.size();
  if (have >= turns_max) {
    // Tasks that never end must not keep the others from starting: now and then the oldest joins them.
    if (w.cold.polls % polls_per_extra_start != 0) return;
    if (promise_base* const p = w.unstarted.take_oldest()) w.runnable.push(p);
    return;
  }
  for (std::uint64_t i = std::min(have, turns_max - have); i > 0; --i) {
    promise_base* const p = w.unstarted.pop();
    if (p == nullptr) return;
    w.runnable.push(p);
  }
}

/// Tasks that take less than this between two switches are too small to be worth stealing one by one.
constexpr auto small_task = std::chrono::nanoseconds(250);
/// So many of the newest unstarted ones are then not to be stolen: a tree of 2^16 of them, if each has two children.
constexpr std::int64_t small_tasks_kept = 16;

/// Chooses what other workers may steal, after a full turn.
void look_at_size(worker_state& w) noexcept {
  auto const now = std::chrono::steady_clock::now();
  bool const small = now - std::exchange(w.turn_begin, now) < switches_per_turn * small_task;
  w.unstarted.keep(small ? small_tasks_kept : 0);
  w.credit.take_at_once(small ? switches_per_turn : 0);
}

void resume(worker_state& w, promise_base* p) {
  w.current = p;
  if (w.trace.enabled()) [[unlikely]] {
    // One switch at a time, so that every run of every task is recorded.
    worker::single_step const step(w);
    std::uint64_t const begin = trace_clock();
    std::source_location const where = p->where;
    handle_of(p).resume();
    w.trace.slice(trace_event::run, begin, where);
    return;
  }
  handle_of(p).resume();
}

/// A turn of the only task. How many operations fit depends on whether they hit a cache: the budget is doubled or
/// halved until consecutive turns take about `alone_turn`.
void resume_alone(worker_state& w, promise_base* p) {
  w.set_alone(w.alone_budget);
  // Its first suspension ends the turn.
  w.turn_end = w.runnable.position();
  resume(w, p);
  if (!w.alone_spent()) {
    w.alone_since = {};
    return;
  }
  auto const now = std::chrono::steady_clock::now();
  if (w.alone_since != std::chrono::steady_clock::time_point{}) {
    auto const took = now - w.alone_since;
    if (took < alone_turn / 2)
      w.alone_budget = std::min(w.alone_budget * 2, alone_budget_max);
    else if (took > alone_turn * 2)
      w.alone_budget = std::max(w.alone_budget / 2, alone_budget_min);
  }
  w.alone_since = now;
}

}  // namespace

bool run_tasks(worker_state& w) {
  release_delayed(w);
  admit(w);
  bool any = false;
  bool was_alone = false;
  w.turn_end = w.runnable.position() + switches_per_turn;
  while (w.runnable.position() < w.turn_end) {
    promise_base* p;
    if (!w.runnable.empty()) {
      p = w.runnable.pop();
    } else {
      if ((p = w.may_start() ? w.unstarted.pop() : nullptr) == nullptr) {
        if (!release_delayed(w)) break;
        p = w.runnable.pop();
      } else {
        --w.turn_end;
      }
    }
    any = true;
    if (w.runnable.empty() && w.unstarted.empty() && w.delayed.empty()) {
      resume_alone(w, p);
      // Tasks that it made runnable, such as the carrier of its call, belong to its turn; once, for it may be itself.
      if (!was_alone && !w.alone_spent()) w.turn_end = w.runnable.position() + w.runnable.size();
      was_alone = true;
    } else {
      w.not_alone();
      resume(w, p);
    }
  }
  if (!w.single) {
    w.credit.give_back();
    if (w.runnable.position() >= w.turn_end) look_at_size(w);
  }
  w.current = &w.handler;
  return any;
}

}  // namespace tess::detail
