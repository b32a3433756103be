// watch: poll(2) on event files, pidfds and the clock.
#include "fabric/ucx/watch.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>

namespace tess::detail {

namespace {

/// Between looks at a place whose workers compute, and one whose workers sleep, where a processor has few processes.
constexpr auto poll_interval = std::chrono::milliseconds(1);
constexpr auto sleeping_poll_interval = std::chrono::milliseconds(20);
constexpr unsigned few_processes = 8;
/// Heartbeats in the time after which their absence is a failure.
constexpr int beats_per_timeout = 8;
/// Fraction of the time-out after which silence is a failure; the rest is for telling others and ending the job.
constexpr double silent_part = 0.8;
/// Places of this host whose stamps are older answer for nobody.
constexpr int fresh_beats = 3;
/// Heartbeats are kept of so many places, far more than send any.
constexpr std::size_t heard_max = 1024;

}  // namespace

ucx_watch::ucx_watch(ucx_job& job, std::vector<ucx_place*> places, surroundings around,
                     std::chrono::milliseconds timeout, calls then)
    : job_(job),
      places_(std::move(places)),
      me_(places_.front()->id()),
      around_(std::move(around)),
      process_(me_),
      launcher_file_(around_.launcher > 0 ? static_cast<int>(syscall(SYS_pidfd_open, around_.launcher, 0)) : -1),
      timeout_(timeout),
      then_(std::move(then)),
      wake_file_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      watched_(me_),
      started_(clock::now()),
      watched_since_(started_),
      awake_since_(started_),
      next_beat_(started_),
      last_look_(started_) {
  // Together they must not keep the processors busy.
  unsigned const processors = std::max(1U, std::thread::hardware_concurrency());
  unsigned const share = std::max(1U, around_.processes_here / (few_processes * processors));
  auto const most = std::max<std::chrono::milliseconds>(timeout_ / beats_per_timeout, poll_interval);
  serving_interval_ = std::min<std::chrono::milliseconds>(poll_interval * share, most);
  sleeping_interval_ = std::min<std::chrono::milliseconds>(sleeping_poll_interval * share, most);
  if (wake_file_ < 0)
    throw error("--fabric ucx", "no file descriptor is left for waking a thread", "a larger `ulimit -n`");
  // Signals are for the program's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ucx_watch::~ucx_watch() {
  stop_.store(true, std::memory_order_relaxed);
  wake();
  thread_.join();
  close(wake_file_);
  if (process_file_ >= 0) close(process_file_);
  if (launcher_file_ >= 0) close(launcher_file_);
}

void ucx_watch::wake() noexcept {
  std::uint64_t const one = 1;
  static_cast<void>(!write(wake_file_, &one, sizeof one));
}

void ucx_watch::heartbeat(place_id by) noexcept try {
  std::lock_guard const lock(mutex_);
  if (heard_.size() < heard_max || heard_.contains(by)) heard_[by] = clock::now();
} catch (std::bad_alloc const&) {
  // The next one will be noted.
}

void ucx_watch::run() {
  std::vector<std::uint64_t> polls(places_.size());
  std::vector<bool> idle(places_.size());
  while (!stop_.load(std::memory_order_relaxed)) {
    bool serving = false;
    bool sleeping = true;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      ucx_place& p = *places_[i];
      bool const watched = p.watched.load(std::memory_order_relaxed);
      std::uint64_t const now = p.polls.load(std::memory_order_relaxed);
      idle[i] = !watched && now == polls[i];
      polls[i] = now;
      sleeping = sleeping && watched;
      if (!idle[i]) continue;
      then_.serve(p);
      // What arrived meanwhile is served without a pause.
      serving = p.arm() || serving;
      // Arming consumes a signal for which a reader may just have begun to sleep.
      if (p.watched.load(std::memory_order_seq_cst)) then_.wake(p);
    }
    then_.handle_failures();
    if (!around_.here.empty()) {
      follow_process();
      beat();
    }
    wait(serving, sleeping);
  }
}

bool ucx_watch::wait(bool serving, bool sleeping) {
  std::vector<pollfd> files{{wake_file_, POLLIN, 0}};
  bool const ending = ending_.load(std::memory_order_relaxed);
  // A negative number is left out.
  files.push_back({ending ? -1 : process_file_, POLLIN, 0});
  files.push_back({ending ? -1 : launcher_file_, POLLIN, 0});
  bool const hears = around_.bell != nullptr && !places_.front()->watched.load(std::memory_order_relaxed);
  files.push_back({hears ? around_.bell->file() : -1, POLLIN, 0});
  if (serving)
    for (ucx_place const* const p : places_)
      if (!p->watched.load(std::memory_order_relaxed)) files.push_back({p->event_file(), POLLIN, 0});
  auto const most = sleeping ? sleeping_interval_ : serving_interval_;
  int const ready = ::poll(files.data(), files.size(), static_cast<int>(most.count()));
  if (ready <= 0) return false;
  if (files[0].revents != 0) {
    std::uint64_t n;
    static_cast<void>(!read(wake_file_, &n, sizeof n));
  }
  if (files[3].revents != 0) answer_bell();
  if (files[2].revents != 0) end_without_launcher();
  if (files[1].revents != 0) process_ended();
  return true;
}

void ucx_watch::answer_bell() {
  around_.bell->silence();
  then_.wake(*places_.front());
}

void ucx_watch::end_without_launcher() noexcept {
  std::fprintf(stderr, "tess: place %u ends, because its launcher has ended\n", unsigned{me_});
  _exit(1);
}

/// Watches the living process of this host before this one.
void ucx_watch::follow_process() {
  auto const gone = [&](place_id p) { return failed(p) || !is_here(p); };
  auto const& here = around_.here;
  auto const mine = std::ranges::find(here, me_) - here.begin();
  place_id before = me_;
  for (std::size_t i = 1; i < here.size() && before == me_; ++i)
    if (place_id const p = here[(static_cast<std::size_t>(mine) + here.size() - i) % here.size()]; !gone(p)) before = p;
  if (before == process_ && (process_file_ >= 0 || before == me_)) return;
  if (process_file_ >= 0) close(std::exchange(process_file_, -1));
  process_ = before;
  if (before == me_) return;
  process_file_ = static_cast<int>(syscall(SYS_pidfd_open, job_.known->process_of(before), 0));
  // Its launcher may have taken note of its end already.
  if (process_file_ < 0 && errno == ESRCH) process_ended();
}

void ucx_watch::process_ended() noexcept {
  if (process_file_ >= 0) close(std::exchange(process_file_, -1));
  if (!ending_.load(std::memory_order_relaxed)) then_.report(process_, "its process ended");
}

/// On the board of this host.
bool ucx_watch::is_here(place_id p) const noexcept {
  return job_.known->board().stamped(p) != clock::time_point{};
}

void ucx_watch::beat() {
  auto const now = clock::now();
  // After a pause of this process, silence says nothing about others.
  if (now - std::exchange(last_look_, now) > timeout_ / 4) awake_since_ = now;
  if (now >= next_beat_) {
    next_beat_ = now + timeout_ / beats_per_timeout;
    job_.known->board().stamp(me_, now);
    // At first others have no stamps yet.
    if (now - started_ >= timeout_ / beats_per_timeout) send_heartbeats(now);
  }
  look_back(now);
}

void ucx_watch::send_heartbeats(clock::time_point now) {
  host_board const& board = job_.known->board();
  auto const fresh = now - fresh_beats * timeout_ / beats_per_timeout;
  auto const silent_here = [&](place_id p) { return failed(p) || (is_here(p) && board.stamped(p) < fresh); };
  place_id const next = ring_neighbour(me_, 1, job_.places, silent_here);
  if (next != me_ && !is_here(next)) places_.front()->send_heartbeat(next);
}

ucx_watch::clock::time_point ucx_watch::alive_at(place_id p) const {
  if (auto const stamped = job_.known->board().stamped(p); stamped != clock::time_point{})
    return std::max(stamped, awake_since_);
  std::lock_guard const lock(mutex_);
  auto const heard = heard_.find(p);
  return std::max({heard == heard_.end() ? clock::time_point{} : heard->second, watched_since_, awake_since_});
}

void ucx_watch::look_back(clock::time_point now) {
  std::vector<place_id> silent;
  auto const gone = [&](place_id p) { return failed(p) || std::ranges::find(silent, p) != silent.end(); };
  for (;;) {
    place_id const before = ring_neighbour(me_, -1, job_.places, gone);
    if (before == me_) return;
    if (before != watched_) {
      // Places of one host answer for each other: this one would have been heard since then.
      if (silent.empty() || !job_.known->on_one_host(watched_, before)) watched_since_ = now;
      watched_ = before;
    }
    if (now - alive_at(before) <= timeout_ * silent_part || ending_.load(std::memory_order_relaxed)) return;
    silent.push_back(before);
    then_.report(before, "it has been silent for too long: stopped, or its host is gone");
  }
}

}  // namespace tess::detail
