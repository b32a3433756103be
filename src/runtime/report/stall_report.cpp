// stall_report: walks the frames of each worker's pool and prints the parked ones, with the tasks that await them.
#include "runtime/report/stall_report.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <unordered_set>

#include "runtime/failures/abort.hpp"
#include "runtime/failures/failed_places.hpp"
#include "runtime/job/job.hpp"
#include "runtime/tasks/worker_loop.hpp"

namespace tess::detail {

namespace {
constexpr unsigned lines_max = 50;
/// So many tasks that may hold an object say something.
constexpr unsigned holders_max = 3;
constexpr auto pause_wait_max = std::chrono::milliseconds(250);
/// How long tasks of an aborted job may take to reach their next co_await.
constexpr auto abort_wait_max = std::chrono::seconds(5);

/// The tasks that await a task, from the inside out.
std::string awaited_at(promise_base const& p) {
  std::string text;
  for (promise_base const* outer = p.continuation.outer(); outer != nullptr; outer = outer->continuation.outer())
    text += ", awaited at " + to_text(outer->where);
  return text;
}

/// The task that waits without suspending.
std::string task_that_polls(worker_state const& w) {
  std::string text = "waits for " + std::string(w.polls_for);
  if (w.current == &w.handler) return text + " in a message handler";
  if (w.current->where.line() == 0)
    text += " in a task before its first co_await";
  else
    text += " in a task after its co_await at " + to_text(w.current->where);
  return text + awaited_at(*w.current);
}

/// Tasks, besides those that wait for it, whose frames name the object: one of these holds it. Guards have its address.
std::string holders_of(void const* object) {
  std::string text;
  unsigned found = 0;
  for (auto const& w : the_job->workers)
    w->frames.for_each_task([&](void* frame) {
      promise_base const* p = &std::coroutine_handle<promise_base>::from_address(frame).promise();
      while (p->callee != nullptr) p = p->callee;
      bool const waits_for_it = p->waits_for != nullptr && p->waits_for->kind->held_object != nullptr &&
                                p->waits_for->kind->held_object(*p->waits_for) == object;
      if (waits_for_it) return;
      auto const* const words = static_cast<std::byte const*>(frame);
      for (std::size_t at = 0; at + sizeof object <= frame_pool::size_of(frame); at += sizeof object) {
        void const* word = nullptr;
        std::memcpy(&word, words + at, sizeof word);
        if (word != object) continue;
        if (++found <= holders_max)
          text += (found == 1 ? ", held by the task " : " or the task ") + std::string("that ") +
                  (p->waits_for != nullptr ? std::string("waits for ") + p->waits_for->kind->what : "runs") + " at " +
                  to_text(p->where);
        break;
      }
    });
  return found <= holders_max ? text : std::string();
}

/// The waiting tasks of a worker whose place is paused, a line each; `without`: also a line if there are none.
std::string tasks_of(worker_state const& w, bool without) {
  std::string text;
  unsigned parked = 0;
  std::string const name = "  place " + std::to_string(w.place) + " worker " + std::to_string(w.index) + ": ";
  if (w.polls_for != nullptr) text += name + task_that_polls(w) + '\n';
  w.frames.for_each_task([&](void* frame) {
    promise_base const* p = &std::coroutine_handle<promise_base>::from_address(frame).promise();
    // Only spawned tasks always have frames of their own; an awaited task is found through the one that awaits it.
    if (p->continuation.outer() != nullptr) return;
    while (p->callee != nullptr) p = p->callee;
    if (p->waits_for == nullptr) return;
    if (++parked > lines_max) return;
    wait_kind const& kind = *p->waits_for->kind;
    text += name + "waits for " + kind.what + " at " + to_text(p->where) + awaited_at(*p) +
            (kind.held_object != nullptr ? holders_of(kind.held_object(*p->waits_for)) : "") + '\n';
  });
  if (parked > lines_max) text += "  and " + std::to_string(parked - lines_max) + " more\n";
  std::uint64_t const runnable =
      w.runnable.size() + static_cast<std::uint64_t>(std::max<std::int64_t>(w.unstarted.size(), 0));
  if ((parked == 0 && without) || runnable != 0)
    text += name + std::to_string(parked) + " tasks wait, " + std::to_string(runnable) + " can run\n";
  return text;
}

/// What has been done so far, as one number: operations that were counted, and which tasks there are. While all threads
/// are paused. It stays the same while tasks only yield to each other.
std::uint64_t work_done() {
  std::uint64_t sum = 0;
  for (auto const& w : the_job->workers) {
    cold_counts const& c = w->cold;
    sum += w->words(false) + w->words(true) + read_count(w->counts.stores) + c.block_operations + c.messages +
           c.finish_reports + c.graphs + c.steals;
    w->frames.for_each_task([&](void* frame) {
      std::uint64_t const address = reinterpret_cast<std::uint64_t>(frame);
      sum += (address ^ address >> 21) * 0x9E3779B97F4A7C15U;
    });
  }
  return sum;
}

/// Tasks that can run, a line each.
std::string running_tasks_of(worker_state const& w) {
  std::string text;
  unsigned lines = 0;
  w.frames.for_each_task([&](void* frame) {
    promise_base const* p = &std::coroutine_handle<promise_base>::from_address(frame).promise();
    if (p->continuation.outer() != nullptr) return;
    while (p->callee != nullptr) p = p->callee;
    if (p->waits_for != nullptr || p->where.line() == 0 || ++lines > lines_max) return;
    text += "  place " + std::to_string(w.place) + " worker " + std::to_string(w.index) +
            ": runs, its latest co_await at " + to_text(p->where) + awaited_at(*p) + '\n';
  });
  return text;
}

/// acquire: what the thread did before it paused.
bool is_paused(thread_state const& t, std::uint64_t report) noexcept {
  return t.paused_for.load(std::memory_order_acquire) >= report;
}

void report_place(place_state const& place, std::uint64_t report) {
  auto const stopped = [&](worker_state const* w) { return is_paused(the_job->threads[w->thread], report); };
  bool const all = std::ranges::all_of(place.workers, stopped);
  for (worker_state const* const w : place.workers) {
    if (all)
      std::fputs(tasks_of(*w, true).c_str(), stderr);
    else if (!stopped(w))
      std::fprintf(stderr, "  place %u worker %u: its thread has been in one task for long\n", unsigned{w->place},
                   unsigned{w->index});
  }
}

}  // namespace

void report_stalled_places() {
  for (auto const& place : the_job->places) {
    std::string text;
    for (worker_state const* const w : place->workers) text += tasks_of(*w, false);
    if (!text.empty())
      std::fprintf(stderr, "tess: nothing moves at place %u; tasks that wait:\n%s", unsigned{place->id}, text.c_str());
  }
}

void pause(thread_state& thread) noexcept {
  std::uint64_t const wanted = the_job->watch.pauses_requested.load(std::memory_order_seq_cst);
  // release: the frames, to the watch that reads them; acquire: the watch has read them.
  thread.paused_for.store(wanted, std::memory_order_release);
  while (the_job->watch.pauses_ended.load(std::memory_order_acquire) < wanted &&
         !the_job->stopping.load(std::memory_order_relaxed))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

struct stall_watch::state {
  double timeout_s;
  std::atomic<bool> ending{false};
  pthread_t native{};
  std::thread thread;
  std::uint64_t last_done = 0;  ///< see look_for_livelock
  std::chrono::steady_clock::time_point done_since{};
  bool livelock_reported = false;

  /// Pauses the threads and runs `look`. Its first argument: all threads have paused in time.
  template <class Look>
  void while_paused(Look look) const {
    std::uint64_t const report = the_job->watch.pauses_requested.fetch_add(1, std::memory_order_seq_cst) + 1;
    wake_all();
    auto const limit = std::chrono::steady_clock::now() + pause_wait_max;
    auto const stopped = [&](thread_state const& t) { return is_paused(t, report); };
    bool all = false;
    while (!(all = std::ranges::all_of(the_job->threads, stopped)) && !ending.load(std::memory_order_acquire) &&
           std::chrono::steady_clock::now() < limit)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    look(all, report);
    the_job->watch.pauses_ended.store(report, std::memory_order_release);
  }

  /// All threads run, but the same tasks do nothing that counts. Printed once.
  void look_for_livelock(std::chrono::steady_clock::time_point now) {
    while_paused([&](bool all, std::uint64_t report) {
      std::uint64_t const done = all ? work_done() : last_done + 1;
      if (done != std::exchange(last_done, done)) {
        done_since = now;
        livelock_reported = false;
      } else if (!livelock_reported && std::chrono::duration<double>(now - done_since).count() >= timeout_s) {
        livelock_reported = true;
        std::fprintf(
            stderr,
            "tess: tasks run, but for %g s no operation was counted and no task began or ended (a live-lock, or a "
            "long computation that yields):\n",
            timeout_s);
        for (auto const& w : the_job->workers) std::fputs(running_tasks_of(*w).c_str(), stderr);
        for (auto const& place : the_job->places) report_place(*place, report);
      }
    });
  }

  void print_report(char const* why) const {
    std::fprintf(stderr, "tess: %s; tasks that wait:\n", why);
    while_paused([](bool, std::uint64_t report) {
      for (auto const& place : the_job->places) report_place(*place, report);
    });
  }

  /// If not all threads pause, they get a moment to move on: they may wait for a thread that has paused.
  void announce_when_paused() const {
    while_paused([](bool all, std::uint64_t) {
      if (all) announce_failures(*the_job);
    });
  }

  /// All threads asleep, or in a task that waits without suspending, and nothing done since the last look.
  static bool still(std::uint64_t& last_turns) {
    std::uint64_t turns = 0;
    bool asleep = true;
    for (thread_state const& t : the_job->threads) {
      turns += t.turns.load(std::memory_order_relaxed);
      asleep &= t.asleep.load(std::memory_order_relaxed) || t.only_polls.load(std::memory_order_relaxed);
    }
    return turns == std::exchange(last_turns, turns) && asleep;
  }

  /// A task that never suspends must not keep an aborted job from ending.
  void end_in_time() const {
    auto const limit = std::chrono::steady_clock::now() + abort_wait_max;
    while (!all_stopped_polling()) {
      if (std::chrono::steady_clock::now() > limit) {
        print_abort(*the_job);
        std::fputs("tess: a task does not come to a co_await: the process ends here\n", stderr);
        std::_Exit(1);
      }
      if (ending.load(std::memory_order_acquire)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  void watch() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);  // ends the watch
    std::uint64_t last_turns = 0;
    auto quiet_since = std::chrono::steady_clock::now();
    bool reported = false;
    while (!ending.load(std::memory_order_acquire)) {
      double const step = has_unannounced_failures() ? 0.1 : timeout_s > 0 ? std::min(timeout_s / 4, 1.0) : 1.0;
      timespec wait{};
      wait.tv_sec = static_cast<time_t>(step);
      wait.tv_nsec = static_cast<long>((step - static_cast<double>(wait.tv_sec)) * 1e9);
      int const signal = sigtimedwait(&set, nullptr, &wait);
      if (ending.load(std::memory_order_acquire)) return;
      // Workers check more often, but not while they compute.
      check_for_failures();
      if (job_aborted() && !the_job->abort.cancelled.load(std::memory_order_relaxed)) end_in_time();
      if (has_unannounced_failures() && !ending.load(std::memory_order_acquire)) announce_when_paused();
      if (signal == SIGUSR1) print_report("asked by SIGUSR1");
      if (timeout_s <= 0) continue;
      auto const now = std::chrono::steady_clock::now();
      if (!still(last_turns)) {
        quiet_since = now;
        reported = false;
        look_for_livelock(now);
      } else if (!reported && std::chrono::duration<double>(now - quiet_since).count() >= timeout_s) {
        print_report(("nothing has moved for " + std::to_string(timeout_s) + " s").c_str());
        // The report itself is no progress.
        reported = true;
      }
    }
  }
};

stall_watch::stall_watch(double timeout_s) : state_(new state) {
  state_->timeout_s = timeout_s;
  state_->thread = std::thread([this] { state_->watch(); });
  state_->native = state_->thread.native_handle();
  the_job->watch.thread.store(state_->native, std::memory_order_relaxed);
}

stall_watch::~stall_watch() {
  the_job->watch.thread.store({}, std::memory_order_relaxed);
  state_->ending.store(true, std::memory_order_release);
  pthread_kill(state_->native, SIGUSR2);
  state_->thread.join();
}

}  // namespace tess::detail
