// waiting_calls: the calls of file_calls that make pipes, counters and timers, and that wait for several: poll, epoll.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "machine/linux/clock_calls.hpp"
#include "machine/linux/file_calls.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t polled_max = 1024;
constexpr std::uint32_t usual_events = EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLRDNORM | EPOLLWRNORM;
constexpr std::uint32_t always_told = EPOLLERR | EPOLLHUP;

struct user_timer_setting {
  user_timespec interval, value;
};

struct user_poll {
  std::int32_t descriptor;
  std::int16_t events, found;
};

}  // namespace

// What is registered with an epoll descriptor.
struct file_calls::interest_list {
  struct interest {
    std::weak_ptr<open_file> file;
    std::uint32_t events = 0;
    std::uint64_t data = 0;
    std::uint64_t told = 0;  // the version that was told last, with EPOLLET
  };
  std::map<std::uint64_t, interest> of;  // by descriptor
  std::uint64_t next = 0;                // where the next answer begins, so that all get their turn
};

std::uint32_t file_calls::ready(open_file const& file) const {
  if (file.way != nullptr) return file.way->ready(host_.now_ns());
  if (file.interests == nullptr) return EPOLLIN | EPOLLOUT | EPOLLRDNORM | EPOLLWRNORM;
  bool const some = std::ranges::any_of(file.interests->of, [&](auto const& entry) {
    auto const watched = entry.second.file.lock();
    // Not those of others that it watches: that could go round in a circle.
    return watched != nullptr && watched->interests == nullptr &&
           (ready(*watched) & (entry.second.events | always_told)) != 0;
  });
  return some ? std::uint32_t{EPOLLIN} : 0U;
}

std::uint64_t file_calls::next_change_ns() const {
  std::uint64_t next = channel::never;
  for (auto const& [number, of] : files_)
    if (of.file->way != nullptr) next = std::min(next, of.file->way->next_ns(host_.now_ns()));
  return next;
}

std::int64_t file_calls::add_way(std::shared_ptr<channel> way, int flags) {
  auto file = std::make_shared<open_file>(-1, "", true, flags & ~O_CLOEXEC);
  file->way = std::move(way);
  return add(std::move(file), 0, (flags & O_CLOEXEC) != 0);
}

std::int64_t file_calls::pipe2(call_arguments const& a) {
  int const flags = static_cast<int>(a[1]);
  if ((flags & ~(O_CLOEXEC | O_NONBLOCK | O_DIRECT)) != 0) return -EINVAL;
  auto [reader, writer] = make_pipe();
  std::int64_t const from = add_way(std::move(reader), flags | O_RDONLY);
  if (from < 0) return from;
  std::int64_t const to = add_way(std::move(writer), flags | O_WRONLY);
  std::array const both{static_cast<std::int32_t>(from), static_cast<std::int32_t>(to)};
  if (to >= 0 && memory_.put(a[0], both)) return 0;
  close({static_cast<std::uint64_t>(from)});
  if (to < 0) return to;
  close({static_cast<std::uint64_t>(to)});
  return -EFAULT;
}

std::int64_t file_calls::eventfd2(call_arguments const& a) {
  int const flags = static_cast<int>(a[1]);
  if ((flags & ~(EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)) != 0) return -EINVAL;
  bool const by_one = (flags & EFD_SEMAPHORE) != 0;
  return add_way(std::make_shared<event_counter>(a[0] & 0xffffffffU, by_one), (flags & ~EFD_SEMAPHORE) | O_RDWR);
}

std::int64_t file_calls::timerfd_create(call_arguments const& a) {
  int const flags = static_cast<int>(a[1]);
  if (a[0] != CLOCK_REALTIME && a[0] != CLOCK_MONOTONIC && a[0] != CLOCK_BOOTTIME) return -EINVAL;
  if ((flags & ~(TFD_CLOEXEC | TFD_NONBLOCK)) != 0) return -EINVAL;
  return add_way(std::make_shared<expiry_timer>(a[0] == CLOCK_REALTIME), flags | O_RDWR);
}

std::int64_t file_calls::timerfd_settime(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  auto* const timer = dynamic_cast<expiry_timer*>(file->way.get());
  user_timer_setting made{};
  if (timer == nullptr) return -EINVAL;
  if (!memory_.get(a[2], made)) return -EFAULT;
  if (!is_sound(made.value) || !is_sound(made.interval)) return -EINVAL;
  if (a[3] != 0)
    if (auto const failed = timerfd_gettime({a[0], a[3]}); failed != 0) return failed;
  std::uint64_t at = ns_of_spec(made.value);
  if (at == 0)
    at = channel::never;
  else if ((a[1] & TFD_TIMER_ABSTIME) == 0)
    at += host_.now_ns();
  else if (timer->is_since_1970())
    at = at > realtime_start_ns ? at - realtime_start_ns : 0;
  timer->set(at, ns_of_spec(made.interval));
  changed_ = true;
  return 0;
}

std::int64_t file_calls::timerfd_gettime(call_arguments const& a) {
  open_file* const file = find(a[0]);
  if (file == nullptr) return -EBADF;
  auto const* const timer = dynamic_cast<expiry_timer const*>(file->way.get());
  if (timer == nullptr) return -EINVAL;
  auto const [at, interval] = timer->setting(host_.now_ns());
  std::uint64_t const left = at == channel::never ? 0 : std::max(at, host_.now_ns() + 1) - host_.now_ns();
  user_timer_setting const answer{spec_of(interval), spec_of(left)};
  return memory_.put(a[1], answer) ? 0 : -EFAULT;
}

std::optional<std::uint64_t> file_calls::deadline_at(std::uint64_t address, std::int64_t& failed) {
  failed = 0;
  if (address == 0) return channel::never;
  user_timespec time{};
  if (!memory_.get(address, time))
    failed = -EFAULT;
  else if (!is_sound(time))
    failed = -EINVAL;
  return failed != 0 ? std::nullopt : std::optional(host_.now_ns() + ns_of_spec(time));
}

std::int64_t file_calls::ppoll(call_arguments const& a, std::uint64_t& deadline_ns) {
  if (a[1] > polled_max) return -EINVAL;
  std::vector<user_poll> all(a[1]);
  if (!memory_.read(a[0], std::as_writable_bytes(std::span{all}))) return -EFAULT;
  std::int64_t count = 0;
  for (user_poll& one : all) {
    one.found = 0;
    if (one.descriptor < 0) continue;
    open_file const* const file = find(static_cast<std::uint64_t>(one.descriptor));
    std::uint32_t const wanted = static_cast<std::uint16_t>(one.events) | always_told;
    one.found = static_cast<std::int16_t>(file == nullptr ? POLLNVAL : ready(*file) & wanted);
    if (one.found != 0) ++count;
  }
  if (count == 0) {
    std::int64_t failed = 0;
    if (deadline_ns == 0) {
      auto const deadline = deadline_at(a[2], failed);
      if (!deadline) return failed;
      deadline_ns = *deadline;
    }
    if (host_.now_ns() < deadline_ns) return not_yet;
  }
  return memory_.write(a[0], std::as_bytes(std::span{all})) ? count : -EFAULT;
}

std::int64_t file_calls::pselect6(call_arguments const& a, std::uint64_t& deadline_ns) {
  if (a[0] > polled_max) return -EINVAL;
  std::size_t const words = (a[0] + 63) / 64;
  std::array<std::vector<std::uint64_t>, 3> sets;
  constexpr std::array<std::uint32_t, 3> meaning{EPOLLIN | EPOLLHUP | EPOLLERR, EPOLLOUT | EPOLLERR, EPOLLPRI};
  std::int64_t count = 0;
  for (std::size_t kind = 0; kind < sets.size(); ++kind) {
    auto& set = sets[kind];
    set.resize(words);
    if (a[kind + 1] == 0) continue;
    if (!memory_.read(a[kind + 1], std::as_writable_bytes(std::span{set}))) return -EFAULT;
    for (std::uint64_t number = 0; number < a[0]; ++number) {
      std::uint64_t const bit = std::uint64_t{1} << (number % 64);
      if ((set[number / 64] & bit) == 0) continue;
      open_file const* const file = find(number);
      if (file == nullptr) return -EBADF;
      if ((ready(*file) & meaning[kind]) == 0)
        set[number / 64] &= ~bit;
      else
        ++count;
    }
  }
  if (count == 0) {
    std::int64_t failed = 0;
    if (deadline_ns == 0) {
      auto const deadline = deadline_at(a[4], failed);
      if (!deadline) return failed;
      deadline_ns = *deadline;
    }
    if (host_.now_ns() < deadline_ns) return not_yet;
  }
  for (std::size_t kind = 0; kind < sets.size(); ++kind)
    if (a[kind + 1] != 0 && !memory_.write(a[kind + 1], std::as_bytes(std::span{sets[kind]}))) return -EFAULT;
  return count;
}

std::int64_t file_calls::epoll_create1(call_arguments const& a) {
  if ((a[0] & ~std::uint64_t{EPOLL_CLOEXEC}) != 0) return -EINVAL;
  auto file = std::make_shared<open_file>(-1, "", true, O_RDWR);
  file->interests = std::make_shared<interest_list>();
  return add(std::move(file), 0, (a[0] & EPOLL_CLOEXEC) != 0);
}

std::int64_t file_calls::epoll_ctl(call_arguments const& a) {
  open_file* const list = find(a[0]);
  auto const target = files_.find(a[2] & 0xffffffffU);
  if (list == nullptr || target == files_.end()) return -EBADF;
  auto const& file = target->second.file;
  if (list->interests == nullptr || file.get() == list) return -EINVAL;
  // As of Linux: files of a disk are always ready. The standard streams count as pipes.
  bool const can_wait = file->way != nullptr || file->interests != nullptr || !file->ours;
  if (!can_wait) return -EPERM;
  auto& known = list->interests->of;
  auto const entry = known.find(target->first);
  bool const is_known = entry != known.end() && entry->second.file.lock() == file;
  if (a[1] == EPOLL_CTL_DEL) {
    if (!is_known) return -ENOENT;
    known.erase(entry);
    return 0;
  }
  struct {
    std::uint32_t events, unused;
    std::uint64_t data;
  } made{};
  if (!memory_.get(a[3], made)) return -EFAULT;
  if (a[1] == EPOLL_CTL_ADD ? is_known : !is_known) return is_known ? -EEXIST : -ENOENT;
  if (a[1] != EPOLL_CTL_ADD && a[1] != EPOLL_CTL_MOD) return -EINVAL;
  known[target->first] = {file, made.events, made.data, 0};
  changed_ = true;
  return 0;
}

std::int64_t file_calls::epoll_pwait(call_arguments const& a, std::uint64_t& deadline_ns) {
  return wait_for_any(a, false, deadline_ns);
}
std::int64_t file_calls::epoll_pwait2(call_arguments const& a, std::uint64_t& deadline_ns) {
  return wait_for_any(a, true, deadline_ns);
}

std::int64_t file_calls::wait_for_any(call_arguments const& a, bool by_spec, std::uint64_t& deadline_ns) {
  open_file* const list = find(a[0]);
  if (list == nullptr) return -EBADF;
  auto const most = static_cast<std::int32_t>(a[2]);
  if (list->interests == nullptr || most <= 0) return -EINVAL;
  struct told {
    std::uint32_t events, unused;
    std::uint64_t data;
  };
  std::vector<told> answer;
  auto& known = list->interests->of;
  std::erase_if(known, [](auto const& entry) { return entry.second.file.expired(); });
  std::uint64_t last = list->interests->next;
  auto const look = [&](auto begin, auto end) {
    for (auto at = begin; at != end && std::ssize(answer) < most; ++at) {
      auto& one = at->second;
      auto const file = one.file.lock();
      std::uint32_t const wanted = one.events & usual_events;
      std::uint32_t const found = ready(*file) & (wanted | always_told);
      std::uint64_t const version = file->way == nullptr ? 1 : file->way->version(host_.now_ns());
      bool const by_edge = (one.events & EPOLLET) != 0;
      if (found == 0 || (wanted == 0 && (one.events & EPOLLONESHOT) != 0) || (by_edge && one.told == version)) continue;
      one.told = version;
      if ((one.events & EPOLLONESHOT) != 0) one.events &= EPOLLONESHOT | EPOLLET;
      answer.push_back({found, 0, one.data});
      last = at->first + 1;
    }
  };
  auto const middle = known.lower_bound(list->interests->next);
  look(middle, known.end());
  look(known.begin(), middle);
  list->interests->next = last;
  if (answer.empty()) {
    std::int64_t failed = 0;
    if (deadline_ns == 0 && by_spec) {
      auto const deadline = deadline_at(a[3], failed);
      if (!deadline) return failed;
      deadline_ns = *deadline;
    } else if (deadline_ns == 0) {
      auto const limit = static_cast<std::int32_t>(a[3]);
      deadline_ns = limit < 0 ? channel::never : host_.now_ns() + static_cast<std::uint64_t>(limit) * 1'000'000U;
    }
    if (host_.now_ns() < deadline_ns) return not_yet;
    return 0;
  }
  return memory_.write(a[1], std::as_bytes(std::span{answer})) ? std::ssize(answer) : -EFAULT;
}

}  // namespace tess::machine
