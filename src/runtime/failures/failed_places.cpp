// failed_places: from the fabric's report of a failure to the tasks' exceptions, and to the end of the job.
#include "runtime/failures/failed_places.hpp"

#include <signal.h>

#include <chrono>
#include <cstdio>

#include "runtime/failures/abort.hpp"
#include "runtime/failures/crash_report.hpp"
#include "runtime/finish/finish.hpp"
#include "tess/at.hpp"
#include "tess/counter.hpp"
#include "tess/detail/events/wait_list.hpp"
#include "tess/detail/tasks/wait.hpp"

namespace tess::detail {

namespace {

/// Time for tasks to clean up after a failure of place 0, without which a job cannot end in order.
constexpr auto cleanup_time = std::chrono::milliseconds(200);
/// Place 0 ends the job for all. The others end it themselves if they receive nothing for this much longer.
constexpr auto extra_time_of_others = std::chrono::seconds(1);

/// How it failed, and the signal that the place has left in its segment, if this process sees it.
std::string text_of(place_failure const& e) {
  std::uint64_t const window = job.load_window[e.place];
  if (window >= no_window) return e.text;
  auto* const left = reinterpret_cast<std::uint32_t*>(bytes_of_window(window) + signal_offset);
  char const* const name = name_of_signal(std::atomic_ref(*left).load(std::memory_order_acquire));
  if (name == nullptr) return e.text;
  // Another place may have been the first to see it.
  return e.text + (e.text.ends_with("ended") ? " by " : "; its process ended by ") + name;
}

void note_failure(job_state& j, place_failure const& e) {
  std::lock_guard const lock(j.failures.mutex);
  if (!j.failures.places.try_emplace(e.place, text_of(e)).second) return;
  j.failures.unannounced.push_back(e.place);
  j.failures.has_unannounced.store(true, std::memory_order_release);
  if (j.failures.first_seen == time_point{}) {
    j.failures.first_seen = std::chrono::steady_clock::now();
    j.failures.first = e.place;
    j.failures.any.store(true, std::memory_order_release);
  }
  if (pthread_t const watch = j.watch.thread.load(std::memory_order_relaxed); watch != 0) pthread_kill(watch, SIGUSR2);
}

std::chrono::nanoseconds time_left_to(job_state& j) {
  std::lock_guard const lock(j.failures.mutex);
  bool const own = j.local_places != job.places && j.failures.places.contains(j.first_place);
  if (j.failures.places.contains(0) || own) return cleanup_time;
  std::chrono::duration<double> const in_order(j.options.failure_timeout);
  auto const most = std::chrono::duration_cast<std::chrono::nanoseconds>(in_order);
  return j.first_place == 0 ? most : most + extra_time_of_others;
}

void give_up_waits(worker_state& w) {
  w.frames.for_each_task([](void* frame) {
    promise_base* p = &std::coroutine_handle<promise_base>::from_address(frame).promise();
    // As in the stall report, a task that is awaited is found through the task that awaits it.
    if (p->continuation.outer() != nullptr) return;
    if (p->scope != nullptr && p->scope->kind() == finish_scope::scope_kind::call) count_orphan(*p->scope);
    while (p->callee != nullptr) p = p->callee;
    if (parked_wait* const wait = p->waits_for; wait != nullptr && wait->kind->give_up != nullptr)
      wait->kind->give_up(*wait, *p);
  });
  give_up_abandoned(w);
}

/// The task goes on, in its worker's next turn.
void resume_given_up(promise_base& task, std::uint32_t worker) noexcept {
  // A stop that is requested from now on finds it running.
  if (task.stops != nullptr) task.stops->wait = nullptr;
  task.waits_for = nullptr;
  the_job->worker_of(worker).make_runnable(&task);
}

}  // namespace

void check_for_failures() noexcept try {
  job_state& j = *the_job;
  if (j.stopping.load(std::memory_order_relaxed)) return;
  for (place_failure const& e : j.fabric->failures()) note_failure(j, e);
  // acquire: `first` and `first_seen`.
  if (!j.failures.any.load(std::memory_order_acquire)) return;
  if (std::chrono::steady_clock::now() - j.failures.first_seen < time_left_to(j)) return;
  try {
    std::rethrow_exception(make_place_failed(j.failures.first));
  } catch (place_failed const&) {
    abort_job("ending after a failure");
  }
} catch (...) {
  abort_job("looking for failed places");
}

void note_remote_failure() noexcept {
  if (the_job != nullptr) the_job->failures.reported_remotely.store(true, std::memory_order_relaxed);
}
bool failure_reported() noexcept {
  return the_job->failures.any.load(std::memory_order_relaxed) ||
         the_job->failures.reported_remotely.load(std::memory_order_relaxed);
}

bool has_unannounced_failures() noexcept {
  return the_job->failures.has_unannounced.load(std::memory_order_acquire);
}

void announce_failures(job_state& j) noexcept try {
  {
    std::lock_guard const lock(j.failures.mutex);
    if (j.failures.announced == nullptr) j.failures.announced = std::make_unique<bool[]>(job.places);
    for (place_id const p : std::exchange(j.failures.unannounced, {})) {
      j.failures.announced[p] = true;
      j.failures.last_announced = p;
      ++j.failures.announced_count;
    }
    j.failures.has_unannounced.store(false, std::memory_order_relaxed);
  }
  job.failed = j.failures.announced.get();
  j.failures.announced_at = std::chrono::steady_clock::now();
  for (auto const& w : j.workers) {
    // With test fabrics a place of this process can fail: its tasks do not run any more.
    if (job.failed[w->place]) continue;
    self = w.get();
    promise_base* const current = std::exchange(w->current, &w->handler);
    give_up_waits(*w);
    w->current = current;
  }
  self = nullptr;
} catch (...) {
  self = nullptr;
  abort_job("announcing the failure of a place");
}

place_id last_announced_failure() noexcept {
  return the_job->failures.last_announced;
}
std::uint64_t announced_failures() noexcept {
  return the_job->failures.announced_count;
}

std::exception_ptr make_place_failed(place_id place) {
  job_state& j = *the_job;
  std::lock_guard const lock(j.failures.mutex);
  auto const known = j.failures.places.find(place);
  return std::make_exception_ptr(place_failed(place, known == j.failures.places.end() ? "" : known->second));
}

void print_failures(job_state const& j) noexcept {
  for (auto const& [place, how] : j.failures.places)
    std::fprintf(stderr, "tess: place %u failed %s\n", unsigned{place}, how.c_str());
}

void throw_place_failed(place_id place) {
  std::rethrow_exception(make_place_failed(place));
}
void throw_place_failed() {
  throw_place_failed(last_announced_failure());
}

void throw_failure(std::uint64_t failure) {
  // The fabric's report may not have been read yet.
  check_for_failures();
  throw_place_failed(static_cast<place_id>(failure - 1));
}

// ── giving up ───────────────────────────────────────────────────────────────────────────────────────────────────────

void give_up_cell(parked_wait& wait, promise_base& task) noexcept {
  auto& a = static_cast<cell_awaiter&>(wait);
  std::uint32_t const worker = a.cell.waiter();
  // Its wake-up may be on its way.
  if (!a.cell.disarm()) return;
  a.given_up_by_failure = true;
  resume_given_up(task, worker);
}

void give_up_at(parked_wait& wait, promise_base& task) noexcept {
  if (has_failed(static_cast<at_awaiter&>(wait).target)) give_up_cell(wait, task);
}

void give_up_line(wait_list& line) noexcept {
  std::uint64_t state = line.open();
  wait_list::remove_all(state, [](waiter& w) {
    if (w.is != waiter::kind::task) {
      // A caller of another place gives up there.
      self->frames.release(&w);
      return;
    }
    w.given_up = true;
    resume_given_up(static_cast<promise_base&>(*node_of(w.whom)), w.notify);
  });
  line.close(state);
}

}  // namespace tess::detail
