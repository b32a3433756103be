// posix_timers: a map by identifier, and the earliest of its times.
#include "machine/linux/posix_timers.hpp"

#include <signal.h>
#include <time.h>

#include <algorithm>
#include <cerrno>

namespace tess::machine {
namespace {

// A struct sigevent, as far as the kernel reads it.
struct user_event {
  std::uint64_t data;
  std::int32_t signal, notify, thread, unused;
};
struct user_setting {
  user_timespec interval, value;
};

constexpr std::int32_t to_a_thread = 4;  // SIGEV_THREAD_ID
constexpr std::int32_t signal_max = 64;

}  // namespace

posix_timers::timer const* posix_timers::find(std::uint64_t id) const {
  auto const at = timers_.find(static_cast<std::uint32_t>(id));
  return at == timers_.end() ? nullptr : &at->second;
}

std::int64_t posix_timers::create(call_arguments const& a) {
  auto const clock = static_cast<std::int32_t>(a[0]);
  bool const known = clock < 0 || clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
                     clock == CLOCK_TAI || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
  if (!known) return -EINVAL;
  if (timers_.size() >= timers_max) return -EAGAIN;
  std::uint32_t const id = last_id_;
  user_event event{id, SIGALRM, SIGEV_SIGNAL, 0, 0};
  if (a[1] != 0 && !memory_.get(a[1], event)) return -EFAULT;
  bool const is_silent = event.notify == SIGEV_NONE;
  bool const for_one = event.notify == to_a_thread;
  if (!is_silent && !for_one && event.notify != SIGEV_SIGNAL && event.notify != SIGEV_THREAD) return -EINVAL;
  if (!is_silent && (event.signal <= 0 || event.signal > signal_max)) return -EINVAL;
  auto const thread = static_cast<std::uint64_t>(event.thread);
  if (for_one && !threads_.is_thread(thread)) return -EINVAL;
  if (!memory_.put(a[2], id)) return -EFAULT;
  ++last_id_;
  timers_[id] = {.since_1970 = clock == CLOCK_REALTIME || clock == CLOCK_TAI,
                 .is_silent = is_silent,
                 .signal = static_cast<std::uint32_t>(event.signal),
                 .thread = for_one ? thread : 0,
                 .data = event.data};
  return 0;
}

std::int64_t posix_timers::set(call_arguments const& a) {
  auto const at = timers_.find(static_cast<std::uint32_t>(a[0]));
  user_setting made{};
  if (at == timers_.end()) return -EINVAL;
  if (!memory_.get(a[2], made)) return -EFAULT;
  if (!is_sound(made.value) || !is_sound(made.interval)) return -EINVAL;
  if (a[3] != 0)
    if (auto const failed = get({a[0], a[3]}); failed != 0) return failed;
  timer& mine = at->second;
  std::uint64_t value = ns_of_spec(made.value);
  if (value == 0)
    value = threads::never;
  else if ((a[1] & TIMER_ABSTIME) == 0)
    value += host_.now_ns();
  else if (mine.since_1970)
    value = value > realtime_start_ns ? value - realtime_start_ns : 0;
  mine.at_ns = value;
  mine.interval_ns = ns_of_spec(made.interval);
  signals_.forget_timer(at->first);
  return 0;
}

std::int64_t posix_timers::get(call_arguments const& a) const {
  timer const* const mine = find(a[0]);
  if (mine == nullptr) return -EINVAL;
  std::uint64_t const now = host_.now_ns();
  std::uint64_t const left = mine->at_ns == threads::never ? 0 : std::max(mine->at_ns, now + 1) - now;
  user_setting const answer{spec_of(mine->interval_ns), spec_of(left)};
  return memory_.put(a[1], answer) ? 0 : -EFAULT;
}

std::int64_t posix_timers::overruns(call_arguments const& a) const {
  return find(a[0]) == nullptr ? -EINVAL : signals_.overruns_of_timer(static_cast<std::uint32_t>(a[0]));
}

std::int64_t posix_timers::remove(call_arguments const& a) {
  auto const id = static_cast<std::uint32_t>(a[0]);
  if (timers_.erase(id) == 0) return -EINVAL;
  signals_.forget_timer(id);
  return 0;
}

std::uint64_t posix_timers::next_deadline_ns() const {
  std::uint64_t next = threads::never;
  for (auto const& [id, one] : timers_) next = std::min(next, one.at_ns);
  return next;
}

bool posix_timers::pass_time(std::uint64_t now_ns) {
  for (auto& [id, one] : timers_) {
    if (now_ns < one.at_ns) continue;
    std::uint64_t const more = one.interval_ns == 0 ? 0 : (now_ns - one.at_ns) / one.interval_ns;
    one.at_ns = one.interval_ns == 0 ? threads::never : one.at_ns + (more + 1) * one.interval_ns;
    if (one.is_silent || (one.thread != 0 && !threads_.is_thread(one.thread))) continue;
    if (!signals_.send(nullptr, one.thread, one.signal, {SI_TIMER, id | more << 32U, one.data})) return false;
  }
  return true;
}

}  // namespace tess::machine
