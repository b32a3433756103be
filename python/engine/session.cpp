// session: a runtime that keeps its threads, a thread that cancels it after Ctrl-C, and the queue of place 0's process.
#include "session.hpp"

#include <nanobind/nanobind.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <utility>

#include "base/launched.hpp"

namespace engine {

namespace {

// What the signal's handler uses.
constinit std::atomic<bool> cancelled{false};
// The runtime whose run Ctrl-C ends; it is not destroyed while the canceller holds the lock.
constinit std::mutex cancelling;
constinit tess::runtime* to_cancel = nullptr;
sem_t asked;

void on_interrupt(int) {
  cancelled.store(true, std::memory_order_relaxed);
  sem_post(&asked);
}

// Waits for the handler's word, which cannot cancel by itself. Never ends: it holds nothing.
void start_canceller() {
  static bool const started = [] {
    sem_init(&asked, 0, 0);
    std::thread([] {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_BLOCK, &all, nullptr);
      for (;;) {
        if (sem_wait(&asked) != 0) continue;
        std::scoped_lock const held(cancelling);
        // The run that was meant may have ended: the next one has cleared the flag.
        if (to_cancel != nullptr && cancelled.load(std::memory_order_relaxed)) to_cancel->cancel("interrupted");
      }
    }).detach();
    return true;
  }();
  static_cast<void>(started);
}

// Ctrl-C is ours while tasks run on the process's first thread, which alone would see it otherwise.
class interrupts {
 public:
  explicit interrupts(tess::runtime& places) : first_(getpid() == gettid()) {
    cancelled.store(false, std::memory_order_relaxed);
    if (!first_) return;
    start_canceller();
    {
      std::scoped_lock const held(cancelling);
      to_cancel = &places;
    }
    struct sigaction ours{};
    ours.sa_handler = on_interrupt;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGINT, &ours, &before_);
    // A program that ignores the signal goes on ignoring it.
    if (before_.sa_handler == SIG_IGN) sigaction(SIGINT, &before_, nullptr);
  }
  ~interrupts() {
    if (!first_) return;
    sigaction(SIGINT, &before_, nullptr);
    std::scoped_lock const held(cancelling);
    to_cancel = nullptr;
  }
  interrupts(interrupts const&) = delete;
  interrupts& operator=(interrupts const&) = delete;

  // A Ctrl-C that came while the places started is known to the interpreter only.
  void look_back() const {
    if (!first_) return;
    nanobind::gil_scoped_acquire const held;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }

 private:
  bool first_;
  struct sigaction before_{};
};

}  // namespace

// Place 0 of a job of processes: its thread, and the work that the script hands to it.
struct session::served {
  std::mutex lock;
  std::condition_variable changed;
  work const* next = nullptr;
  bool done = false;
  bool ends = false;
  bool ended = false;
  std::exception_ptr failed;
  std::thread thread;

  // Messages are looked after between two works, too.
  tess::task<int> root() {
    constexpr auto look = std::chrono::milliseconds(1);
    for (;;) {
      work const* mine = nullptr;
      {
        std::unique_lock held(lock);
        changed.wait_for(held, look, [this] { return next != nullptr || ends; });
        if (ends) co_return 0;
        mine = std::exchange(next, nullptr);
      }
      if (mine == nullptr) {
        co_await tess::yield();
        continue;
      }
      std::exception_ptr thrown;
      try {
        co_await tess::finish([mine]() -> tess::task<void> { co_await (*mine)(); });
      } catch (...) {
        thrown = std::current_exception();
      }
      std::scoped_lock const held(lock);
      failed = thrown;
      done = true;
      changed.notify_all();
    }
  }

  void hand(work const& f) {
    std::unique_lock held(lock);
    if (ended) throw tess::error("tessera", "the places have ended", "a look at the output of the other places");
    next = &f;
    done = false;
    changed.notify_all();
    changed.wait(held, [this] { return done || ended; });
    if (!done) throw tess::error("tessera", "the job ended", "a look at the output of the other places");
    if (failed) std::rethrow_exception(std::exchange(failed, nullptr));
  }

  void stop() {
    {
      std::scoped_lock const held(lock);
      ends = true;
      changed.notify_all();
    }
    if (thread.joinable()) thread.join();
  }
};

session& session::the() {
  // Never destroyed: threads of the interpreter may use it until the process ends.
  static session* const only = new session;
  return *only;
}

session::~session() = default;

void session::configure(layout wanted) {
  std::scoped_lock const held(changing_);
  wanted_ = wanted;
}

layout session::configured() const {
  std::scoped_lock const held(changing_);
  return wanted_;
}

void session::stop() {
  std::scoped_lock const held(running_);
  end();
  if (served_ != nullptr) served_->stop();
}

void session::end() noexcept {
  places_.reset();
  std::scoped_lock const held(changing_);
  ++start_;
  retired_.clear();
}

void session::begin() {
  layout wanted = configured();
  if (process_ != 0 && process_ != getpid())
    throw tess::error("tessera", "used in a process that was forked after its places had started",
                      "multiprocessing's start method `spawn`, or no call before the fork");
  if (places_ && present_ == wanted) return;
  end();
  process_ = getpid();
  tess::settings s = tess::settings::from_environment();
  s.places = wanted.places;
  auto const processors = std::max(1U, std::thread::hardware_concurrency());
  s.workers = wanted.workers != 0 ? wanted.workers : std::max(1U, processors / wanted.places);
  s.fabric = s.fabric.empty() || s.fabric == "ucx" ? "smp" : s.fabric;
  s.pin = "none";
  s.keep_threads = true;
  places_.emplace(s);
  present_ = wanted;
}

void session::retire(std::uint64_t start, std::function<tess::task<void>()> give_back) {
  {
    std::scoped_lock const held(changing_);
    if (start != start_) return;
    retired_.push_back(std::move(give_back));
  }
  if (!one_process() || process_ != getpid()) return;
  std::unique_lock const now(running_, std::try_to_lock);
  if (!now.owns_lock() || !places_) return;
  try {
    places_->run(with_retired([]() -> tess::task<void> { co_return; }));
  } catch (...) {
    end();
  }
}

session::work session::with_retired(work const& f) {
  std::vector<std::function<tess::task<void>()>> old;
  {
    std::scoped_lock const held(changing_);
    old.swap(retired_);
  }
  if (old.empty()) return f;
  return [old = std::move(old), &f]() -> tess::task<void> {
    for (auto const& give_back : old) co_await give_back();
    co_await f();
  };
}

void session::run_task(work const& f) {
  std::scoped_lock const held(running_);
  if (served_ != nullptr) {
    work const all = with_retired(f);
    served_->hand(all);
    return;
  }
  begin();
  work const all = with_retired(f);
  try {
    interrupts const ours(*places_);
    ours.look_back();
    places_->run([&all]() -> tess::task<void> { return all(); });
  } catch (...) {
    if (cancelled.load(std::memory_order_relaxed)) {
      end();
      throw interrupted();
    }
    // A job that could not go on refuses every run.
    try {
      places_->run([]() -> tess::task<void> { co_return; });
    } catch (...) {
      end();
    }
    throw;
  }
  // It came too late to end the run; the runtime is no longer of use.
  if (cancelled.load(std::memory_order_relaxed)) {
    end();
    throw interrupted();
  }
}

std::optional<int> session::serve() {
  if (!tess::settings::started_by_launcher() || served_ != nullptr) return std::nullopt;
  std::scoped_lock const held(running_);
  tess::settings s = tess::settings::from_environment();
  s.fabric = "ucx";
  if (tess::detail::launched_after_others())
    return tess::run(s, {}, [](tess::args) -> tess::task<int> { co_return 0; });
  end();
  process_ = getpid();
  auto made = std::make_unique<served>();
  made->thread = std::thread([mine = made.get(), s] {
    std::exception_ptr failed;
    try {
      tess::run(s, {}, [mine](tess::args) -> tess::task<int> { return mine->root(); });
    } catch (...) {
      failed = std::current_exception();
    }
    std::scoped_lock const last(mine->lock);
    mine->failed = failed;
    mine->ended = true;
    mine->changed.notify_all();
  });
  served_ = std::move(made);
  return std::nullopt;
}

}  // namespace engine
