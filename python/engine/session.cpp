// session: a runtime that keeps its threads, a thread that runs it for the interpreter's first one, and the queue of
// place 0's process.
#include "session.hpp"

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <utility>

#include "base/launched.hpp"

namespace engine {

namespace {

bool on_first_thread() {
  return getpid() == gettid();
}

// The first thread runs handlers of signals while its call is under way.
constinit std::atomic<bool> handling{false};

bool within_handler() {
  return on_first_thread() && handling.load(std::memory_order_relaxed);
}

// What a handler of the interpreter's raised, or null.
std::exception_ptr raised_by_handlers() {
  nanobind::gil_scoped_acquire const held;
  handling.store(true, std::memory_order_relaxed);
  bool const raised = PyErr_CheckSignals() != 0;
  handling.store(false, std::memory_order_relaxed);
  if (!raised) return nullptr;
  try {
    nanobind::raise_python_error();
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

// Handlers of signals run on the interpreter's first thread only: what that calls, another thread runs meanwhile. That
// one never ends: it holds nothing.
class session::deputy {
 public:
  deputy() { std::thread(&deputy::serve, this).detach(); }

  // Runs it. After a handler raised, calls `cancel`, awaits the end, and throws what was raised.
  void run(std::function<void()> const& mine, std::function<void()> const& cancel) {
    constexpr auto look = std::chrono::milliseconds(20);
    std::unique_lock held(lock_);
    next_ = &mine;
    changed_.notify_all();
    std::exception_ptr raised;
    while (!changed_.wait_for(held, look, [this] { return next_ == nullptr; })) {
      if (raised) continue;
      held.unlock();
      raised = raised_by_handlers();
      if (raised) cancel();
      held.lock();
    }
    std::exception_ptr const thrown = std::exchange(thrown_, nullptr);
    if (raised) std::rethrow_exception(raised);
    if (thrown) std::rethrow_exception(thrown);
  }

 private:
  void serve() {
    std::unique_lock held(lock_);
    for (;;) {
      changed_.wait(held, [this] { return next_ != nullptr; });
      held.unlock();
      std::exception_ptr thrown;
      try {
        (*next_)();
      } catch (...) {
        thrown = std::current_exception();
      }
      held.lock();
      thrown_ = std::move(thrown);
      next_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::function<void()> const* next_ = nullptr;
  std::exception_ptr thrown_;
};

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
  if (!one_process() || process_ != getpid() || within_handler()) return;
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
  if (within_handler())
    throw tess::error("tessera", "called by a signal's handler while another call is under way",
                      "a handler that raises, or that leaves a word for later");
  std::scoped_lock const held(running_);
  if (served_ != nullptr) {
    work const all = with_retired(f);
    served_->hand(all);
    return;
  }
  begin();
  work const all = with_retired(f);
  bool cancelled = false;
  try {
    auto const run = [&] { places_->run([&all]() -> tess::task<void> { return all(); }); };
    if (!on_first_thread()) {
      run();
      return;
    }
    // Never destroyed: its thread goes on until the process ends.
    static deputy* const only = new deputy;
    only->run(run, [&] {
      cancelled = true;
      places_->cancel("interrupted");
    });
  } catch (...) {
    if (cancelled) {
      end();
      throw;
    }
    // A job that could not go on refuses every run.
    try {
      places_->run([]() -> tess::task<void> { co_return; });
    } catch (...) {
      end();
    }
    throw;
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
