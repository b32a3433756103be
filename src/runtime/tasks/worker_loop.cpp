// worker_loop: the loop of a thread, which gives each of its workers a turn: run tasks, poll, steal, sleep.
#include "runtime/tasks/worker_loop.hpp"

#include <algorithm>
#include <thread>

#include "runtime/failures/abort.hpp"
#include "runtime/failures/failed_places.hpp"
#include "runtime/finish/finish.hpp"
#include "runtime/messages/message.hpp"
#include "runtime/report/stall_report.hpp"
#include "runtime/tasks/run_tasks.hpp"
#include "runtime/tasks/worker_delay.hpp"
#include "tess/at.hpp"
#include "tess/finish.hpp"
#include "tess/timeout.hpp"

namespace tess::detail {

namespace {

constexpr unsigned messages_per_poll = 16;
constexpr unsigned polls_per_look_at_clock = 4;
constexpr unsigned polls_per_finish_report = 64;
constexpr int spins_before_sleep = 2000;
/// By a thread that shares its processor: whoever it waits for may only need that.
constexpr int yields_before_sleep = 20;
constexpr int turns_per_idle_run = 8;
constexpr int looks_per_idle_round = 4;
/// Rounds of waiting without suspending before the thread runs its other workers.
constexpr unsigned rounds_alone_max = 1000;
constexpr auto sleep_max = std::chrono::seconds(1);

thread_local thread_state* this_thread = nullptr;

bool take_ready(worker_state& w) {
  if (w.ready.load(std::memory_order_relaxed) == 0) return false;
  // acquire: what the notifier acknowledged. The stack has the newest on top; tasks resume in the order of
  // notification.
  std::uint64_t list = w.ready.exchange(0, std::memory_order_acquire);
  std::uint64_t reversed = 0;
  while (list != 0) {
    ready_node* const n = node_of(list);
    std::uint64_t const next = n->next_ready;
    n->next_ready = reversed;
    reversed = list;
    list = next;
  }
  while (reversed != 0) {
    std::uint64_t const cookie = reversed;
    reversed = node_of(cookie)->next_ready;
    take_cookie(w, cookie);
  }
  return true;
}

bool steal(worker_state& w) {
  place_state const& place = the_job->place(w.place);
  std::size_t const n = place.workers.size();
  if (n < 2 || !w.may_start()) return false;
  w.random_state = w.random_state * 6364136223846793005u + 1442695040888963407u;
  std::size_t const first = (w.random_state >> 33) % n;
  for (std::size_t i = 0; i < n; ++i) {
    worker_state* const victim = place.workers[(first + i) % n];
    if (victim == &w) continue;
    if (promise_base* const p = victim->unstarted.steal()) {
      ++w.cold.steals;
      w.runnable.push(p);
      return true;
    }
  }
  return false;
}

bool pause_requested(thread_state const& thread) noexcept {
  return thread.paused_for.load(std::memory_order_relaxed) !=
         the_job->watch.pauses_requested.load(std::memory_order_relaxed);
}

/// Counts a round in which something happened, for the stall report.
void count_turn(thread_state& thread) noexcept {
  thread.turns.store(thread.turns.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

bool turn(worker_state& w) {
  if (has_failed(w.place)) [[unlikely]]
    return false;
  self = &w;
  bool busy = run_tasks(w);
  busy |= poll(w);
  // Wakes a thread that fell asleep just when spawn() looked for one.
  if (!w.single && !w.unstarted.empty()) offer_work(w);
  return busy;
}

/// Nothing is runnable: sends everything that was gathered, and tries to steal.
bool run_idle(worker_state& w) {
  if (has_failed(w.place)) [[unlikely]]
    return false;
  self = &w;
  w.outgoing.flush_idle(w);
  report_idle_finishes(w);
  w.outgoing.flush_idle(w);
  w.frames.flush_returns();
  check_for_failures();
  return steal(w) || poll(w) || !w.runnable.empty() || (w.may_start() && !w.unstarted.empty());
}

bool nothing_to_do(void* context) {
  auto const& thread = *static_cast<thread_state*>(context);
  if (the_job->stopping.load(std::memory_order_seq_cst)) return false;
  if (thread.paused_for.load(std::memory_order_relaxed) !=
      the_job->watch.pauses_requested.load(std::memory_order_seq_cst))
    return false;
  for (worker_state const* const w : thread.workers) {
    if (has_failed(w->place)) continue;
    if (w->ready.load(std::memory_order_seq_cst) != 0 || !w->outgoing.empty()) return false;
    place_state const& place = the_job->place(w->place);
    // The last flush may have run the handler that a finish waits for.
    if (place.finishes.idle_proxies.load(std::memory_order_relaxed) != nullptr) return false;
    if (!w->may_start()) continue;
    for (worker_state const* const other : place.workers)
      if (other == w ? !other->unstarted.empty() : other->unstarted.has_public()) return false;
  }
  return true;
}

/// Its messages found no room, or wait for their time: it tries again, but those that make room need processors.
bool has_messages(worker_state const* w) noexcept {
  return !has_failed(w->place) && !w->outgoing.empty();
}

void sleep(thread_state& thread) {
  if (!thread.may_spin && std::ranges::any_of(thread.workers, has_messages)) {
    std::this_thread::yield();
    return;
  }
  auto const longest = std::min<std::chrono::nanoseconds>(sleep_max, until_delayed(thread));
  if (longest < shortest_sleep) {
    if (!thread.may_spin) std::this_thread::yield();
    return;
  }
  worker_state& w = *thread.workers.front();
  ++w.cold.parks;
  std::uint64_t const begin = w.trace.enabled() ? trace_clock() : 0;
  thread.asleep.store(true, std::memory_order_relaxed);
  // seq_cst: before the look at what others have published.
  sleeping_threads.fetch_add(1, std::memory_order_seq_cst);
  bool const for_ever = longest == sleep_max && the_job->fabric->capabilities().wakes_surely();
  time_point until = for_ever ? time_point::max() : std::chrono::steady_clock::now() + longest;
  for (worker_state const* const other : thread.workers)
    if (!other->timers.empty()) until = std::min(until, other->timers.earliest().due);
  the_job->fabric->sleep(thread.index, until, {&nothing_to_do, &thread});
  sleeping_threads.fetch_sub(1, std::memory_order_relaxed);
  thread.asleep.store(false, std::memory_order_relaxed);
  if (the_job->fabric->capabilities().stalled()) [[unlikely]]
    report_stalled_places();
  if (w.trace.enabled()) w.trace.slice(trace_event::idle, begin, std::source_location::current());
}

}  // namespace

void run_thread(thread_state& thread) {
  this_thread = &thread;
  int idle_rounds = 0;
  bool const first = thread.index == 0;
  while (!the_job->stopping.load(std::memory_order_relaxed)) {
    if (first && the_job->run_ended.load(std::memory_order_relaxed)) break;
    if (pause_requested(thread)) [[unlikely]] {
      pause(thread);
      continue;
    }
    bool busy = false;
    for (worker_state* const w : thread.workers) busy |= turn(*w);
    if (busy) {
      count_turn(thread);
      idle_rounds = 0;
      continue;
    }
    bool const spins = thread.may_spin && idle_rounds < spins_before_sleep;
    // Delayed operations are about to complete: no pause, which would take as long as several switches.
    bool const delays = spins && delays_something(thread);
    if (delays && ++idle_rounds % turns_per_idle_run != 0) continue;
    for (worker_state* const w : thread.workers) busy |= run_idle(*w);
    if (busy) continue;
    // A thread that woke for nothing sleeps again at once.
    if (spins) {
      if (delays) continue;
      ++idle_rounds;
      // A pause may take as long as an answer: poll after each.
      for (int i = 0; i < looks_per_idle_round && !busy; ++i) {
        spin_pause();
        for (worker_state* const w : thread.workers) {
          if (has_failed(w->place)) [[unlikely]]
            continue;
          self = w;
          busy |= poll(*w);
        }
      }
      continue;
    }
    if (thread.shares_processor && idle_rounds < yields_before_sleep) {
      ++idle_rounds;
      std::this_thread::yield();
      continue;
    }
    sleep(thread);
  }
  stop_polling(thread);
  self = nullptr;
  this_thread = nullptr;
}

bool poll(worker_state& w) noexcept {
  ++w.cold.polls;
  promise_base* const outer = w.current;
  w.current = &w.handler;
  bool busy = true;
  try {
    busy = the_job->fabric->poll(w.place, messages_per_poll, message_receiver()) != 0;
  } catch (...) {
    abort_job("polling the fabric");
  }
  w.current = outer;
  busy |= take_ready(w);
  if (!w.timers.empty()) [[unlikely]]
    expire_timers(w);
  if (w.cold.polls % polls_per_look_at_clock == 0) w.outgoing.flush_late(w);
  if (w.cold.polls % polls_per_finish_report == 0) {
    report_idle_finishes(w);
    check_for_failures();
  }
  return busy;
}

void serve_others(worker_state& w) noexcept {
  static_cast<void>(poll(w));
  report_idle_finishes(w);
  if (!w.outgoing.empty()) w.outgoing.flush_idle(w);
}

namespace {

/// Runs tasks of the runtime itself, which continue transfers, even where no other task may run.
bool run_system_tasks(worker_state& w) {
  finish_scope const* const system = the_job->place(w.place).finishes.system.get();
  promise_base* const current = w.current;
  worker::single_step const step(w);
  bool busy = false;
  // A task that calls wait_polling() itself may remove others from the ring.
  for (std::uint64_t n = w.runnable.size(); n > 0 && !w.runnable.empty(); --n) {
    promise_base* const p = w.runnable.pop();
    if (p->scope == system) {
      busy = true;
      w.current = p;
      handle_of(p).resume();
    } else {
      w.runnable.push(p);
    }
  }
  w.current = current;
  return busy;
}

/// Workers of the thread that wait themselves are further down the stack: none of their tasks may run.
bool run_other_workers(thread_state& thread) {
  bool busy = false;
  for (worker_state* const w : thread.workers) {
    if (w->polls_for != nullptr) continue;
    busy |= turn(*w);
    busy |= run_idle(*w);
  }
  return busy;
}

}  // namespace

void wait_polling(char const* what, bool (*done)(void*), void* context) noexcept {
  if (this_thread == nullptr) {
    // The threads of an aborted job have ended.
    TESS_ASSERT(job_aborted() || job.failed != nullptr);
    return;
  }
  thread_state& thread = *this_thread;
  worker_state& outer = this_worker();
  outer.credit.give_back();
  char const* const outer_polls_for = std::exchange(outer.polls_for, what);
  bool const outer_polls = thread.only_polls.load(std::memory_order_relaxed);
  for (unsigned idle_rounds = 0; !done(context);) {
    if (job_aborted()) {
      stop_polling(thread);
      while (!all_stopped_polling()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      break;
    }
    if (pause_requested(thread)) {
      pause(thread);
      continue;
    }
    bool busy = false;
    for (worker_state* const w : thread.workers) {
      self = w;
      busy |= poll(*w);
      busy |= run_system_tasks(*w);
      w->credit.give_back();
    }
    // The wait may be for a task of another worker of this thread.
    if (!busy && idle_rounds > rounds_alone_max) busy = run_other_workers(thread);
    self = &outer;
    if (busy) {
      count_turn(thread);
      idle_rounds = 0;
      continue;
    }
    spin_pause();
    if (++idle_rounds <= 64) continue;
    if (idle_rounds <= rounds_alone_max) {
      std::this_thread::yield();
    } else {
      thread.only_polls.store(true, std::memory_order_relaxed);
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      thread.only_polls.store(outer_polls, std::memory_order_relaxed);
    }
  }
  outer.polls_for = outer_polls_for;
}

void start_system_task(task<void> t) {
  finish_scope* const scope = this_place().finishes.system.get();
  scope->add(1);
  promise_base* const p = t.release();
  p->scope = scope;
  races::begin(*p, nullptr);
  self->make_runnable(p);
}

namespace {

/// Runs the newest unstarted tasks inside spawn(), so that a spawner's queue stays short.
void run_some_nested(worker& w) noexcept {
  // Inside a handler, or deep inside other spawns, the queue grows instead: native stacks must stay bounded.
  constexpr std::uint16_t nested_max = 16;
  // Enough to amortise the cost of this call, few enough for their frames to stay in the first-level cache.
  constexpr int batch = 32;
  if (w.delivering != 0 || w.nested == nested_max || !w.may_start()) return;
  promise_base* const outer = w.current;
  worker::single_step const step(w);
  ++w.nested;
  for (int i = 0; i < batch; ++i) {
    promise_base* const p = w.unstarted.pop();
    if (p == nullptr) break;
    w.current = p;
    handle_of(p).resume();
  }
  --w.nested;
  w.current = outer;
}

}  // namespace

void push_unstarted(worker& w, promise_base* p) {
  constexpr std::int64_t unstarted_limit = 1024;
  try {
    w.unstarted.push(p);
  } catch (...) {
    // There is no memory to queue it: it is destroyed, and no longer counted.
    finish_scope* const scope = p->scope;
    handle_of(p).destroy();
    scope->done(1);
    throw;
  }
  if (w.unstarted.size() > unstarted_limit)
    run_some_nested(w);
  else if (!w.single)
    offer_work(w);
}

void place_lock() noexcept {
  this_place().atomic_section.lock();
}
void place_unlock() noexcept {
  this_place().atomic_section.unlock();
}

void* frame_allocate(std::size_t) {
  throw error("task", "a coroutine was called outside tess::run()", "tasks are made by tasks");
}

}  // namespace tess::detail
