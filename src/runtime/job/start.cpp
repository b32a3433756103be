// start: makes a job from its settings, runs its threads and first task, and ends it in order.
#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <optional>
#include <string_view>
#include <thread>

#include "base/launched.hpp"
#include "fabric/choice.hpp"
#include "runtime/events/fence_others.hpp"
#include "runtime/failures/abort.hpp"
#include "runtime/failures/crash_report.hpp"
#include "runtime/failures/failed_places.hpp"
#include "runtime/finish/finish.hpp"
#include "runtime/graphs/quarantine.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/make_places.hpp"
#include "runtime/job/placement.hpp"
#include "runtime/processes/shutdown.hpp"
#include "runtime/races/report.hpp"
#include "runtime/report/blocked_signals.hpp"
#include "runtime/report/debugger.hpp"
#include "runtime/report/stall_report.hpp"
#include "runtime/report/statistics.hpp"
#include "runtime/report/trace.hpp"
#include "runtime/tasks/worker_loop.hpp"
#include "tess/detail/events/event_lines.hpp"
#include "tess/detail/tasks/fail_allocation.hpp"
#include "tess/memory.hpp"

#if !defined(__riscv)
// A program that contains the runtime is known by this note (System V ABI, "Note Section").
asm(".pushsection .note.tessera.runtime, \"a\", @note\n"
    ".p2align 2\n"
    ".4byte 8, 12, 4\n"
    ".asciz \"Tessera\"\n"
    ".ascii \"\\004RUNTIME\\000\\000\\000\\000\"\n"
    ".popsection\n");
#endif

namespace tess {

namespace detail {

namespace {

std::chrono::milliseconds failure_timeout(settings const& s) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(s.failure_timeout * 1000));
}

copier read_copier(std::string const& name) {
  if (name.empty() || name == "nemesys") return copier::nemesys;
  if (name == "pegasus") return copier::pegasus;
  if (name == "message_passing") return copier::message_passing;
  if (name == "no_nca" || name == "no-nca") return copier::no_nca;
  throw error("TESS_COPIER", "`" + name + "`", "message_passing, pegasus, nemesys or no_nca");
}

/// A check of races sees the memory of one process, at its own addresses.
void check_race_check([[maybe_unused]] settings const& s) {
#if TESS_RACES
  if (launched_after_others()) throw reported_by_place_0();
  bool const delayed = s.delay.any() || s.no_window;
  if (delayed || (!s.fabric.empty() && s.fabric != "smp"))
    throw error("a program compiled by `tess c++ --races`",
                delayed ? "with a delay or without windows" : "on fabric " + s.fabric,
                "fabric smp: a program that is right there is right on the others, too");
#endif
}

/// Chooses places, workers and threads, and makes the fabric. Returns its connection to other programs, or null.
wireup* configure(job_state& j) {
  std::vector<int> const cpu_numbers = processors();
  auto const cpus = static_cast<unsigned>(cpu_numbers.size());
  settings& s = j.options;
  auto const check = [](char const* name, unsigned value, unsigned most) {
    if (value > most) throw error(name, std::to_string(value), "at most " + std::to_string(most));
  };
  check("settings::places", s.places, 65535);
  if (s.workers != settings::each_hart) check("settings::workers", s.workers, 64);
  check("settings::threads", s.threads, 4096);
  check("settings::flush_bytes", s.flush_bytes, 4096);
  j.copier = read_copier(s.copier);
  check_race_check(s);
  // While there is one thread: later it would take milliseconds.
  static_cast<void>(can_fence_others());
  fabric_choice choice({s.fabric, s.places, s.delay, s.seed, !s.no_window, s.progress_thread, failure_timeout(s)});
  s.fabric = choice.name();
  wireup* const programs = choice.programs();
  if (programs != nullptr) {
    s.places = programs->places();
    j.first_place = programs->place();
    j.local_places = 1;
  }
  if (s.workers == settings::each_hart) s.workers = choice.harts();
  // Two show what a program does that takes another way where its place has only one.
  if (s.workers == 0) s.workers = TESS_RACES ? 2 : 1;
  if (s.places == 0) s.places = std::max(1U, cpus / s.workers);
  if (s.places > 65535) throw error("TESS_PLACES", std::to_string(s.places), "a number from 1 to 65535");
  if (s.workers > 64) throw error("TESS_WORKERS", std::to_string(s.workers), "a number from 1 to 64");
  if (programs == nullptr) j.local_places = s.places;
  unsigned const total = j.local_places * s.workers;
  if (s.threads == 0) s.threads = cpus;
  s.threads = std::min(s.threads, total);
  // Other processes of the job need processors, too.
  unsigned const processes = programs == nullptr ? 1 : programs->processes_here();
  bool const may_spin = choice.idle_threads_may_spin();
  bool const processor_each =
      may_spin && s.threads * processes <= std::max(cpus, static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN)));

  job.places = static_cast<place_id>(s.places);
  job.workers = static_cast<std::uint16_t>(s.workers);
  j.threads.resize(s.threads);
  thread_map map{job.places, std::vector<std::vector<std::uint32_t>>(s.places), s.threads, s.buffer_memory / 2};
  std::vector<std::optional<int>> const pins = plan_pins(s.pin, s.threads, cpu_numbers);
  for (unsigned i = 0; i < s.threads; ++i) {
    j.threads[i].index = i;
    j.threads[i].may_spin = s.threads <= cpus && processor_each;
    // On tiles each thread has a hart of its own: it waits for none, and yields load the bus.
    j.threads[i].shares_processor = may_spin && !j.threads[i].may_spin;
    j.threads[i].cpu = pins[i];
  }
  for (unsigned i = 0; i < total; ++i) {
    auto const place = static_cast<place_id>(j.first_place + i / s.workers);
    std::uint32_t const thread = i % s.threads;
    auto w = std::make_unique<worker_state>(place, static_cast<std::uint16_t>(i % s.workers), s.workers == 1, thread);
    // Spinning pays only on a processor that no other thread needs.
    w->may_spin = s.threads == total && total <= cpus && processor_each;
    w->current = &w->handler;
    if (!s.trace.empty()) w->trace.enable();
    w->times_calls = !s.stats.empty();
    w->overlaps_calls = s.overlap_calls;
    j.threads[thread].workers.push_back(w.get());
    if (auto& of_place = map.threads_of_place[place]; std::ranges::find(of_place, thread) == of_place.end())
      of_place.push_back(thread);
    j.workers.push_back(std::move(w));
  }
  j.fabric = choice.make(map, identity(j.objects));
  if (s.fabric == "checked") {
    std::vector<std::uint64_t> sizes;
    for (unsigned p = 0; p < s.places; ++p) sizes.push_back(j.fabric->segment(static_cast<place_id>(p)).bytes);
    j.allocations = std::make_unique<allocation_map>(sizes);
  }
  return programs;
}

/// The first task: app under a finish, so that everything it spawned has ended, too.
task<void> first_task(function_ref<task<void>()> app, std::exception_ptr& thrown) {
  try {
    co_await finish([&]() -> task<void> { co_await app(); });
    co_await gather_statistics();
  } catch (...) {
    thrown = std::current_exception();
  }
  stop_other_processes(thrown ? 1 : the_job->exit_code.load(std::memory_order_relaxed));
  // It is of the first thread's first worker, so that no thread that should see this sleeps.
  if (the_job->options.keep_threads) {
    the_job->run_ended.store(true, std::memory_order_relaxed);
    co_return;
  }
  the_job->stopping.store(true, std::memory_order_seq_cst);
  wake_all();
}

/// The threads of a job beside the caller's, and the watch over all of them. They end with this.
class other_threads {
 public:
  explicit other_threads(job_state& j) : job_(j) {
    // A simulated machine has no signals and no hart for a watch, and reports waits that never end itself.
    if (!on_machine()) watch_.emplace(j.options.stall_timeout);
    threads_.reserve(j.threads.size());
    try {
      for (std::size_t t = 1; t < j.threads.size(); ++t)
        threads_.emplace_back([&thread = j.threads[t]] {
          pinned const here(thread.cpu);
          std::optional<crash_stack> stack;
          if (!on_machine()) stack.emplace();
          run_thread(thread);
        });
    } catch (std::system_error const& e) {
      end();
      throw error("tess::run", "cannot start thread " + std::to_string(threads_.size() + 1) + ": " + e.what(),
                  "fewer threads (TESS_THREADS)");
    } catch (...) {
      end();
      throw;
    }
  }
  ~other_threads() { end(); }
  other_threads(other_threads const&) = delete;
  other_threads& operator=(other_threads const&) = delete;

 private:
  void end() noexcept {
    job_.stopping.store(true, std::memory_order_seq_cst);
    wake_all();
    for (std::thread& t : threads_)
      if (t.joinable()) t.join();
  }

  job_state& job_;
  std::optional<stall_watch> watch_;
  std::vector<std::thread> threads_;
};

/// Runs app at place 0 on the caller's thread and the others, which are started if there are none, and end with the run
/// unless the settings keep them. Returns the exception that left app, or null.
std::exception_ptr run_threads(job_state& j, std::optional<other_threads>& others, function_ref<task<void>()> app) {
  std::exception_ptr thrown;
  races::begin_job();
  // Left from the run before.
  j.run_ended.store(false, std::memory_order_relaxed);
  if (!others) j.stopping.store(false, std::memory_order_relaxed);
  for (thread_state& t : j.threads) t.polls_no_more.store(false, std::memory_order_relaxed);
  {
    blocked_signals const blocked;
    std::optional<crash_report> last_words;
    std::optional<crash_stack> stack;
    shown_to_debuggers const shown(j);
    if (!on_machine()) {
      last_words.emplace();
      stack.emplace();
    }
    self = j.workers.front().get();
    try {
      if (!others) others.emplace(j);
      if (j.first_place == 0) start_system_task(first_task(app, thrown));
    } catch (...) {
      // The system has no more threads or memory: the threads that run must end before the job.
      thrown = std::current_exception();
      j.stopping.store(true, std::memory_order_seq_cst);
      wake_all();
    }
    {
      pinned const here(j.threads.front().cpu);
      run_thread(j.threads.front());
    }
    if (!j.options.keep_threads || j.stopping.load(std::memory_order_relaxed)) others.reset();
  }
  if (job_aborted()) stop_others_after_abort(j);
  if (job_aborted() || j.failures.any) destroy_tasks(j);
  for (auto const& p : j.places) forget_proxies(*p);
  j.races = races::end_job();
  return thrown;
}

std::string program_name() {
  // The whole path is in no string: its length would decide where what is allocated later lies.
  std::array<char, PATH_MAX> buffer;
  ssize_t const length = readlink("/proc/self/exe", buffer.data(), buffer.size());
  if (length <= 0) return "program";
  std::string_view const path(buffer.data(), static_cast<std::size_t>(length));
  return std::string(path.substr(path.rfind('/') + 1));
}

/// `the_job` and its views exist between construction and destruction.
struct running_job {
  explicit running_job(settings const& s) {
    if (the_job != nullptr) throw error("tess::run", "called while a job runs", "one job per process at a time");
    j.options = s;
    the_job = &j;
    try {
      j.objects = number_objects();
      wireup* const others = configure(j);
      make_places(j);
      // From here on others may write into this segment.
      if (others != nullptr && !others->meet(failure_timeout(j.options)))
        throw error("tess::run", "not all places started", "a look at the output of the other places");
    } catch (...) {
      end();
      throw;
    }
  }
  ~running_job() { end(); }
  running_job(running_job const&) = delete;
  running_job& operator=(running_job const&) = delete;

  void end() noexcept {
    for (auto const& p : j.places) {
      // What exceptions own ends at the place.
      self = p->workers.empty() ? nullptr : p->workers.front();
      p->exceptions.clear();
      // Its region lies in the segment.
      p->finishes.system->set_objects(nullptr);
      clear_quarantine(*p);
    }
    self = nullptr;
    // Other processes may still answer operations, so the objects that wait for the answers must exist: the fabric is
    // destroyed first. It calls the job until then, so its pointer stays set meanwhile.
    if (j.fabric != nullptr && j.local_places != job.places) {
      delete j.fabric.get();
      static_cast<void>(j.fabric.release());
    }
    the_job = nullptr;
    job = {};
    event_lines = nullptr;
  }

  job_state j;
};

}  // namespace
}  // namespace detail

struct runtime::state {
  explicit state(settings const& s) : options((check(s), s)), failing(s.fail_allocation), running(s) {}

  static void check(settings const& s) {
    if (s.fail_allocation != 0 && !detail::allocations_can_fail)
      throw error("TESS_FAIL_ALLOCATION", std::to_string(s.fail_allocation), "a checked build (debug, asan)");
  }

  std::exception_ptr run(detail::function_ref<task<void>()> app) {
    if (detail::job_aborted())
      throw error("tess::runtime", running.j.abort.reason, "a new runtime: this one cannot go on");
    if (busy.exchange(true)) throw error("tess::runtime::run", "called while it runs", "one run after the other");
    auto const begin = std::chrono::steady_clock::now();
    std::exception_ptr thrown = detail::run_threads(running.j, others, app);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    busy = false;
    return thrown;
  }

  /// One process writes the statistics of all; every process has its own trace, until they are merged.
  void write_files(int code) {
    bool const first = running.j.first_place == 0;
    bool const merged = running.j.local_places != detail::job.places;
    if (!options.trace.empty() && merged) options.trace = detail::trace_part_of(options.trace, running.j.first_place);
    if (!options.stats.empty() && first)
      detail::write_statistics(running.j, detail::program_name(), seconds, code, options.stats);
    if (!options.trace.empty()) detail::write_trace(running.j, options.trace);
  }

  settings options;
  detail::failing_allocation failing;
  detail::running_job running;
  std::optional<detail::other_threads> others;
  std::atomic<bool> busy{false};
  double seconds = 0;
};

runtime::runtime(settings const& s) : state_(std::make_unique<state>(s)) {
  if (state_->running.j.local_places != detail::job.places)
    throw error("tess::runtime", "with " + std::to_string(detail::job.places) + " processes",
                "tess::run, or a fabric whose places are in one process: TESS_FABRIC=smp");
}

runtime::~runtime() {
  if (state_ == nullptr) return;
  try {
    stop();
  } catch (std::exception const& e) {
    std::fprintf(stderr, "tess: %s\n", e.what());
  }
}

void runtime::stop() {
  if (std::unique_ptr<state> const last = std::move(state_)) last->write_files(detail::job_aborted() ? 1 : 0);
}

void runtime::cancel(std::string_view reason) noexcept {
  if (state_ != nullptr) detail::cancel_job(reason);
}

void runtime::run_task(detail::function_ref<task<void>()> app) {
  if (state_ == nullptr) throw error("tess::runtime::run", "called after stop()", "a new runtime");
  if (std::exception_ptr const thrown = state_->run(app); detail::job_aborted()) {
    if (state_->running.j.abort.cancelled) throw error("tess::runtime::run", state_->running.j.abort.reason, "");
    detail::print_abort(state_->running.j);
    throw error("tess::runtime", "the job could not go on: " + std::string(state_->running.j.abort.reason), "");
  } else if (thrown) {
    std::rethrow_exception(thrown);
  }
}

int run(settings const& s, args words, detail::function_ref<task<int>(args)> app) {
  unsigned to_merge = 0;
  std::optional<runtime::state> started(std::in_place, s);
  runtime::state& job = *started;
  int code = 0;
  detail::job_state& j = job.running.j;
  std::exception_ptr thrown = job.run([&]() -> task<void> { j.exit_code = code = co_await app(words); });
  if (j.first_place != 0) code = j.exit_code;
  if (detail::job_aborted()) {
    if (detail::reports_reason()) detail::print_abort(j);
    code = 1;
  } else {
    // Also a failure that the program handled.
    if (j.first_place == 0) detail::print_failures(j);
    if (thrown) code = 1;
    if (thrown && !j.failures.any) detail::print_exception(j, thrown);
  }
  if (code == 0 && (j.races != 0 || j.mistakes.load(std::memory_order_relaxed) != 0)) code = 1;
  job.write_files(code);
  bool const processes = j.local_places != detail::job.places;
  if (processes && j.first_place == 0 && !detail::job_aborted() && !s.trace.empty()) to_merge = detail::job.places;
  // The fabric ends when all processes reach this point: then their files exist.
  started.reset();
  if (to_merge != 0) detail::merge_traces(s.trace, to_merge);
  return code;
}

}  // namespace tess
