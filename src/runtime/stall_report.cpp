// stall_report: walks the frames of a worker's pool and prints those that are parked, with the tasks that await them.
#include "runtime/stall_report.hpp"

#include <pthread.h>
#include <signal.h>

#include <cstdio>
#include <string>
#include <thread>
#include <unordered_set>

#include "runtime/job.hpp"
#include "runtime/worker_loop.hpp"

namespace tess::detail {

namespace {
constexpr unsigned lines_max = 50;
}

void report_worker(worker_state& w) {
  w.report_asked = the_job->report_wanted.load(std::memory_order_seq_cst);
  std::string text;
  unsigned parked = 0;
  w.frames.for_each_task([&](void* frame) {
    auto& p = std::coroutine_handle<promise_base>::from_address(frame).promise();
    if (p.waits_for == nullptr) return;
    if (++parked > lines_max) return;
    text += "  place " + std::to_string(w.place) + " worker " + std::to_string(w.index) + ": waits for " + p.waits_for +
            " at " + to_text(p.where);
    // Who awaits the waiting task, outwards.
    for (promise_base* outer = p.continuation; outer != nullptr; outer = outer->continuation)
      text += ", awaited at " + to_text(outer->where);
    text += '\n';
  });
  if (parked > lines_max) text += "  and " + std::to_string(parked - lines_max) + " more\n";
  std::uint64_t const runnable =
      w.runnable.size() + static_cast<std::uint64_t>(std::max<std::int64_t>(w.unstarted.size(), 0));
  if (parked == 0 || runnable != 0)
    text += "  place " + std::to_string(w.place) + " worker " + std::to_string(w.index) + ": " +
            std::to_string(parked) + " tasks wait, " + std::to_string(runnable) + " can run\n";
  std::fputs(text.c_str(), stderr);
}

struct stall_watch::state {
  double timeout_s;
  std::atomic<bool> ending{false};
  pthread_t native{};
  std::thread thread;

  void ask(char const* why) const {
    std::fprintf(stderr, "tess: %s; tasks that wait:\n", why);
    the_job->report_wanted.fetch_add(1, std::memory_order_seq_cst);
    wake_all();
  }

  /// All threads asleep and nothing done since the last look.
  static bool still(std::uint64_t& last_turns) {
    std::uint64_t turns = 0;
    bool asleep = true;
    for (thread_state const& t : the_job->threads) {
      turns += t.turns.load(std::memory_order_relaxed);
      asleep &= t.asleep.load(std::memory_order_relaxed);
    }
    return turns == std::exchange(last_turns, turns) && asleep;
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
      int signal = 0;
      if (timeout_s > 0) {
        double const step = std::min(timeout_s / 4, 1.0);
        timespec wait{};
        wait.tv_sec = static_cast<time_t>(step);
        wait.tv_nsec = static_cast<long>((step - static_cast<double>(wait.tv_sec)) * 1e9);
        signal = sigtimedwait(&set, nullptr, &wait);
      } else {
        sigwait(&set, &signal);
      }
      if (signal == SIGUSR1) ask("asked by SIGUSR1");
      if (timeout_s <= 0) continue;
      auto const now = std::chrono::steady_clock::now();
      if (!still(last_turns)) {
        quiet_since = now;
        reported = false;
      } else if (!reported && std::chrono::duration<double>(now - quiet_since).count() >= timeout_s) {
        ask(("nothing has moved for " + std::to_string(timeout_s) + " s").c_str());
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
}

stall_watch::~stall_watch() {
  state_->ending.store(true, std::memory_order_release);
  pthread_kill(state_->native, SIGUSR2);
  state_->thread.join();
  delete state_;
}

}  // namespace tess::detail
