// watch: poll(2) on event files, pidfds and the clock.
#include "fabric/ucx/watch.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace tess::detail {

namespace {

constexpr auto poll_interval = std::chrono::milliseconds(1);
constexpr auto sleeping_poll_interval = std::chrono::milliseconds(20);
/// Heartbeats in the time after which their absence is a failure.
constexpr int beats_per_timeout = 8;
/// Fraction of the time-out after which silence is a failure; the rest is for telling others and ending the job.
constexpr double silent_part = 0.8;

}  // namespace

ucx_watch::ucx_watch(ucx_job& job, std::vector<ucx_place*> places, std::vector<peer> peers, int launcher,
                     std::chrono::milliseconds timeout, calls then)
    : job_(job),
      places_(std::move(places)),
      peers_(std::move(peers)),
      launcher_file_(launcher > 0 ? static_cast<int>(syscall(SYS_pidfd_open, launcher, 0)) : -1),
      timeout_(timeout),
      then_(std::move(then)),
      wake_file_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_file_ < 0) throw error("--fabric ucx", "no file is left for waking a thread", "a larger `ulimit -n`");
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
  for (peer const& p : peers_)
    if (p.process_file >= 0) close(p.process_file);
  if (launcher_file_ >= 0) close(launcher_file_);
}

void ucx_watch::wake() noexcept {
  std::uint64_t const one = 1;
  static_cast<void>(!write(wake_file_, &one, sizeof one));
}

void ucx_watch::heartbeat(place_id by) noexcept {
  if (by == watched_.load(std::memory_order_relaxed))
    heartbeat_.store(clock::now().time_since_epoch().count(), std::memory_order_relaxed);
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
    beat();
    wait(serving, sleeping);
  }
}

bool ucx_watch::wait(bool serving, bool sleeping) {
  std::vector<pollfd> files{{wake_file_, POLLIN, 0}};
  bool const ending = ending_.load(std::memory_order_relaxed);
  for (peer const& p : peers_)
    if (p.process_file >= 0 && !ending) files.push_back({p.process_file, POLLIN, 0});
  if (launcher_file_ >= 0 && !ending) files.push_back({launcher_file_, POLLIN, 0});
  std::size_t const processes_end = files.size();
  if (serving)
    for (ucx_place const* const p : places_)
      if (!p->watched.load(std::memory_order_relaxed)) files.push_back({p->event_file(), POLLIN, 0});
  auto const most = sleeping ? std::min<std::chrono::milliseconds>(sleeping_poll_interval, timeout_ / beats_per_timeout)
                             : poll_interval;
  int const ready = ::poll(files.data(), files.size(), static_cast<int>(std::max<std::int64_t>(most.count(), 1)));
  if (ready <= 0) return false;
  if (files[0].revents != 0) {
    std::uint64_t n;
    static_cast<void>(!read(wake_file_, &n, sizeof n));
  }
  std::vector<int> ended;
  for (std::size_t i = 1; i < processes_end; ++i)
    if (files[i].revents != 0) ended.push_back(files[i].fd);
  look_at_processes(ended);
  return true;
}

void ucx_watch::end_without_launcher() noexcept {
  std::fprintf(stderr, "tess: place %u ends, because its launcher has ended\n", unsigned{places_.front()->id()});
  _exit(1);
}

void ucx_watch::look_at_processes(std::vector<int> const& ended) {
  if (launcher_file_ >= 0 && std::ranges::find(ended, launcher_file_) != ended.end()) end_without_launcher();
  for (peer& p : peers_) {
    if (p.process_file < 0 || std::ranges::find(ended, p.process_file) == ended.end()) continue;
    close(std::exchange(p.process_file, -1));
    if (!ending_.load(std::memory_order_relaxed)) then_.report(p.place, "its process ended");
  }
}

place_id ucx_watch::neighbour(int step) const noexcept {
  int const places = job_.places;
  int const me = places_.front()->id();
  for (int i = 1; i < places; ++i) {
    int const p = ((me + i * step) % places + places) % places;
    if (!job_.failed[static_cast<std::size_t>(p)].load(std::memory_order_relaxed)) return static_cast<place_id>(p);
  }
  return static_cast<place_id>(me);
}

void ucx_watch::beat() {
  if (peers_.empty()) return;
  auto const now = clock::now();
  // After a pause of this process, silence says nothing about others.
  bool const stood_still = now - std::exchange(last_look_, now) > timeout_ / 4;
  if (now >= next_beat_) {
    next_beat_ = now + timeout_ / beats_per_timeout;
    if (place_id const after = neighbour(1); after != places_.front()->id()) places_.front()->send_heartbeat(after);
  }
  place_id const before = neighbour(-1);
  if (before == places_.front()->id()) return;
  if (stood_still || heartbeat_.load(std::memory_order_relaxed) == 0 ||
      before != watched_.load(std::memory_order_relaxed)) {
    watched_.store(before, std::memory_order_relaxed);
    heartbeat_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
    return;
  }
  auto const silence = now - clock::time_point(clock::duration(heartbeat_.load(std::memory_order_relaxed)));
  if (silence > timeout_ * silent_part && !ending_.load(std::memory_order_relaxed))
    then_.report(before, "it has been silent for too long: stopped, or its host is gone");
}

}  // namespace tess::detail
