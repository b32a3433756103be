// threads: there are so few that a linear search for waiters is simplest.
#include "machine/linux/threads.hpp"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "machine/linux/call_names.hpp"
#include "machine/linux/clock_calls.hpp"
#include "machine/profile/call_profile.hpp"
#include "machine/regions/region_log.hpp"

namespace tess::machine {

std::int64_t threads::clone(hart& parent, call_arguments const& a) {
  auto const [flags, stack, parent_id, tls, child_id, unused] = a;
  constexpr std::uint64_t as_thread = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
  if ((flags & as_thread) != as_thread) return -ENOSYS;  // a process of its own
  if (by_hart_.size() >= threads_max) return -EAGAIN;
  std::uint64_t const id = ++last_id_;
  auto const id32 = static_cast<std::uint32_t>(id);
  if ((flags & CLONE_PARENT_SETTID) != 0 && !memory_.put(parent_id, id32)) return -EFAULT;
  if ((flags & CLONE_CHILD_SETTID) != 0 && !memory_.put(child_id, id32)) return -EFAULT;
  hart* child = host_.free_hart();
  if (child == nullptr) {
    child = hart_of_waiting();
    if (child != nullptr) {
      // Its thread goes on waiting elsewhere.
      if (child->profile != nullptr) child->profile->switch_thread(by_hart_.at(child->number).id, id);
      if (child->regions != nullptr) child->regions->switch_thread(by_hart_.at(child->number).id, id);
      hart& elsewhere = park();
      elsewhere.x = child->x;
      elsewhere.e = child->e;
      elsewhere.f = child->f;
      elsewhere.fp = child->fp;
      elsewhere.jump(child->pc);
      by_hart_[elsewhere.number] = by_hart_.at(child->number);
      by_hart_[elsewhere.number].hart_of = &elsewhere;
    } else {
      child = &park();
    }
  }
  child->x = parent.x;
  child->e = parent.e;
  child->f = parent.f;
  child->fp = parent.fp;
  child->reserved = {};
  child->x[2] = stack;
  if ((flags & CLONE_SETTLS) != 0) child->x[4] = tls;
  child->x[10] = 0;
  child->jump(parent.next_pc);
  by_hart_[child->number] = {
      .hart_of = child, .id = id, .clear_at_exit = (flags & CLONE_CHILD_CLEARTID) != 0 ? child_id : 0};
  if (is_parked(*child)) {
    make_ready(by_hart_[child->number]);
  } else {
    host_.start(*child);
  }
  return static_cast<std::int64_t>(id);
}

void threads::take_over(threads const& from, std::function<hart*(std::uint32_t)> const& hart_of) {
  by_hart_ = from.by_hart_;
  parked_.clear();
  for (auto const& [number, other] : from.parked_) {
    hart& made = *(parked_[number] = std::make_unique<hart>());
    made.number = number;
    made.x = other->x;
    made.e = other->e;
    made.f = other->f;
    made.fp = other->fp;
    made.jump(other->pc);
  }
  for (auto& [number, t] : by_hart_) t.hart_of = number >= first_parked ? parked_.at(number).get() : hart_of(number);
  last_parked_ = from.last_parked_;
  last_id_ = from.last_id_;
  arrivals_ = from.arrivals_;
}

hart& threads::park() {
  auto made = std::make_unique<hart>();
  made->number = last_parked_++;
  return *(parked_[made->number] = std::move(made));
}

hart* threads::hart_of_waiting() {
  for (auto& [number, t] : by_hart_)
    if (number < first_parked && t.waits && !t.hart_of->tickets.are_under_way()) return t.hart_of;
  return nullptr;
}

threads::thread* threads::first_ready() {
  thread* first = nullptr;
  for (auto at = by_hart_.lower_bound(first_parked); at != by_hart_.end(); ++at)
    if (at->second.ready && (first == nullptr || at->second.since < first->since)) first = &at->second;
  return first;
}

bool threads::has_ready() const {
  return std::any_of(by_hart_.lower_bound(first_parked), by_hart_.end(),
                     [](auto const& entry) { return entry.second.ready; });
}

void threads::make_ready(thread& t) {
  // From now on all that run have slices; the others get theirs when they take a hart.
  bool const is_first = !has_ready();
  t.ready = true;
  t.since = ++arrivals_;
  if (!is_first) return;
  for (auto& [number, other] : by_hart_)
    if (number < first_parked && !other.waits) host_.interrupt(*other.hart_of, slice_cycles_);
}

void threads::exchange(hart& h, thread& parked) {
  hart& from = *parked.hart_of;
  parked.ready = false;
  std::uint64_t const pc = h.pc;
  std::swap(h.x, from.x);
  std::swap(h.e, from.e);
  std::swap(h.f, from.f);
  std::swap(h.fp, from.fp);
  h.jump(from.pc);
  from.jump(pc);
  h.reserved = {};
  auto const here = by_hart_.find(h.number);
  if (h.profile != nullptr) h.profile->switch_thread(here == by_hart_.end() ? 0 : here->second.id, parked.id);
  if (h.regions != nullptr) h.regions->switch_thread(here == by_hart_.end() ? 0 : here->second.id, parked.id);
  if (here == by_hart_.end()) {
    by_hart_[h.number] = parked;
    by_hart_.erase(from.number);
    parked_.erase(from.number);
  } else {
    std::swap(here->second, parked);
    parked.hart_of = &from;
  }
  by_hart_[h.number].hart_of = &h;
}

bool threads::take_over(hart& h) {
  thread* const next = first_ready();
  if (next == nullptr || h.tickets.are_under_way()) return false;
  exchange(h, *next);
  if (has_ready()) host_.interrupt(h, slice_cycles_);
  return true;
}

void threads::rotate(hart& h) {
  thread* const next = first_ready();
  if (next == nullptr) return;
  if (!h.tickets.are_under_way()) {
    exchange(h, *next);
    next->ready = true;  // the one that ran: it is there now
    next->since = ++arrivals_;
  }
  host_.interrupt(h, slice_cycles_);
}

std::int64_t threads::set_tid_address(hart& h, call_arguments const& a) {
  thread& t = by_hart_.at(h.number);
  t.clear_at_exit = a[0];
  return static_cast<std::int64_t>(t.id);
}

// The head of the list: its first entry, the distance from an entry to its mutex, and an entry that is being changed.
struct user_robust_list {
  std::uint64_t first, to_mutex, pending;
};

std::int64_t threads::set_robust_list(hart& h, call_arguments const& a) {
  if (a[1] != sizeof(user_robust_list)) return -EINVAL;
  by_hart_.at(h.number).robust_list = a[0];
  return 0;
}

std::int64_t threads::get_robust_list(hart& h, call_arguments const& a) {
  std::uint64_t const id = a[0] == 0 ? id_of(h) : a[0] & 0xffffffffU;
  if (!is_thread(id)) return -ESRCH;
  std::uint64_t const list = by_hart_.at(hart_of(id).number).robust_list;
  return memory_.put(a[1], list) && memory_.put(a[2], std::uint64_t{sizeof(user_robust_list)}) ? 0 : -EFAULT;
}

// The next owner is told that this one is dead.
void threads::leave_robust_mutex(std::uint64_t address, std::uint64_t id) {
  std::uint32_t word = 0;
  if (address % sizeof word != 0 || !memory_.get(address, word) || (word & FUTEX_TID_MASK) != id) return;
  if (memory_.put(address, (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED) && (word & FUTEX_WAITERS) != 0)
    wake(address, 1, ~0U);
}

void threads::leave_robust_mutexes(thread const& ended) {
  user_robust_list head{};
  if (ended.robust_list == 0 || !memory_.get(ended.robust_list, head)) return;
  constexpr int entries_max = 2048;
  constexpr std::uint64_t with_priority = 1;  // a flag in the address
  std::uint64_t const pending = head.pending & ~with_priority;
  std::uint64_t entry = head.first & ~with_priority;
  for (int k = 0; k < entries_max && entry != ended.robust_list; ++k) {
    std::uint64_t next = 0;
    bool const has_next = memory_.get(entry, next);
    if (entry != pending) leave_robust_mutex(entry + head.to_mutex, ended.id);
    if (!has_next) break;
    entry = next & ~with_priority;
  }
  if (pending != 0) leave_robust_mutex(pending + head.to_mutex, ended.id);
}

std::int64_t threads::exit(hart& h) {
  thread const ended = by_hart_.at(h.number);
  leave_robust_mutexes(ended);
  by_hart_.erase(h.number);
  if (ended.clear_at_exit != 0 && memory_.put(ended.clear_at_exit, std::uint32_t{0})) wake(ended.clear_at_exit, 1, ~0U);
  h.tickets.abandon();
  if (thread* const next = first_ready()) {
    exchange(h, *next);
    if (has_ready()) host_.interrupt(h, slice_cycles_);
    return came_back;
  }
  host_.release(h);
  return by_hart_.empty() ? program_ended : thread_ended;
}

bool threads::is_thread(std::uint64_t id) const {
  return std::ranges::any_of(by_hart_, [&](auto const& entry) { return entry.second.id == id; });
}

std::vector<std::uint64_t> threads::ids() const {
  std::vector<std::uint64_t> all;
  for (auto const& [number, t] : by_hart_) all.push_back(t.id);
  std::ranges::sort(all);
  return all;
}

hart& threads::hart_of(std::uint64_t id) const {
  return *std::ranges::find_if(by_hart_, [&](auto const& entry) { return entry.second.id == id; })->second.hart_of;
}

bool threads::interrupt(hart& h, bool again) {
  thread& t = by_hart_.at(h.number);
  if (!t.waits) return false;
  // A sleep, and a wait with a limit, would take longer if they began anew.
  bool const restarts = again && t.deadline_ns == never && (t.for_files ? t.for_files->restarts : t.futex != 0);
  constexpr std::uint64_t call_bytes = 4;
  std::uint64_t const argument = h.x[10];
  if (restarts) h.jump(h.pc - call_bytes);
  if (t.left_at != 0) {
    std::uint64_t const left = std::max(t.deadline_ns, host_.now_ns()) - host_.now_ns();
    (void)memory_.put(t.left_at, spec_of(left));
  }
  resume(t, restarts ? static_cast<std::int64_t>(argument) : -EINTR);
  return true;
}

std::int64_t threads::wait_for_files(hart& h, file_wait call) {
  thread& t = by_hart_.at(h.number);
  t.waits = true;
  t.futex = 0;
  t.for_files = call;
  t.since = ++arrivals_;
  t.deadline_ns = call.deadline_ns == 0 ? never : call.deadline_ns;
  return blocked;
}

bool threads::any_waits_for_files() const {
  return std::ranges::any_of(by_hart_, [](auto const& entry) { return entry.second.waits && entry.second.for_files; });
}

void threads::retry_files(std::function<std::int64_t(hart&, file_wait&)> const& attempt) {
  std::uint64_t last = 0;  // the arrival of the last one that was tried
  while (true) {
    thread* next = nullptr;
    for (auto& [number, t] : by_hart_)
      if (t.waits && t.for_files && t.since > last && (next == nullptr || t.since < next->since)) next = &t;
    if (next == nullptr) return;
    last = next->since;
    std::int64_t const result = attempt(*next->hart_of, *next->for_files);
    if (result == not_yet) continue;
    resume(*next, result);
    last = 0;  // what it did may allow another
  }
}

std::int64_t threads::sleep_until(hart& h, std::uint64_t deadline_ns, std::uint64_t left_at) {
  if (deadline_ns <= host_.now_ns()) return 0;
  thread& t = by_hart_.at(h.number);
  t.waits = true;
  t.futex = 0;
  t.since = ++arrivals_;
  t.deadline_ns = deadline_ns;
  t.left_at = left_at;
  return blocked;
}

std::int64_t threads::wait_for_signals(hart& h, std::uint64_t set, std::uint64_t deadline_ns) {
  thread& t = by_hart_.at(h.number);
  t.waits = true;
  t.futex = 0;
  t.since = ++arrivals_;
  t.deadline_ns = deadline_ns;
  t.late = -EAGAIN;
  t.signals = set;
  return blocked;
}

std::int64_t threads::futex(hart& h, call_arguments const& a) {
  auto const bits = static_cast<std::uint32_t>(a[5]);
  switch (a[1] & static_cast<std::uint64_t>(FUTEX_CMD_MASK)) {
    case FUTEX_WAIT:
      return wait(h, a, false, ~0U);
    case FUTEX_WAIT_BITSET:
      return bits == 0 ? -EINVAL : wait(h, a, true, bits);
    case FUTEX_WAKE:
      return wake(a[0], a[2], ~0U);
    case FUTEX_WAKE_BITSET:
      return bits == 0 ? -EINVAL : wake(a[0], a[2], bits);
    case FUTEX_REQUEUE:
      return requeue(a, false);
    case FUTEX_CMP_REQUEUE:
      return requeue(a, true);
    default:
      return -ENOSYS;
  }
}

std::int64_t threads::wait(hart& h, call_arguments const& a, bool absolute, std::uint32_t bits) {
  std::uint32_t value = 0;
  if (a[0] % 4 != 0) return -EINVAL;
  if (!memory_.get(a[0], value)) return -EFAULT;
  if (value != static_cast<std::uint32_t>(a[2])) return -EAGAIN;
  std::uint64_t deadline = never;
  if (a[3] != 0) {
    user_timespec time{};
    if (!memory_.get(a[3], time)) return -EFAULT;
    if (time.seconds < 0 || time.nanoseconds < 0 || time.nanoseconds >= 1'000'000'000) return -EINVAL;
    auto const seconds = std::min<std::uint64_t>(static_cast<std::uint64_t>(time.seconds), never / 4'000'000'000U);
    deadline = seconds * 1'000'000'000U + static_cast<std::uint64_t>(time.nanoseconds);
    bool const since_1970 = absolute && (a[1] & FUTEX_CLOCK_REALTIME) != 0;
    if (since_1970) deadline = deadline > realtime_start_ns ? deadline - realtime_start_ns : 0;
    if (!absolute) deadline += host_.now_ns();
    if (deadline <= host_.now_ns()) return -ETIMEDOUT;
  }
  thread& t = by_hart_.at(h.number);
  t.waits = true;
  t.futex = a[0];
  t.bits = bits;
  t.since = ++arrivals_;
  t.deadline_ns = deadline;
  t.late = -ETIMEDOUT;
  return blocked;
}

threads::thread* threads::first_waiter(std::uint64_t address, std::uint32_t bits) {
  thread* first = nullptr;
  for (auto& [number, t] : by_hart_)
    if (t.waits && t.futex == address && (t.bits & bits) != 0 && (first == nullptr || t.since < first->since))
      first = &t;
  return first;
}

void threads::resume(thread& t, std::int64_t result) {
  t.waits = false;
  t.for_files.reset();
  t.deadline_ns = never;
  t.late = 0;
  t.left_at = 0;
  t.signals = 0;
  t.hart_of->x[10] = static_cast<std::uint64_t>(result);
  if (!is_parked(*t.hart_of)) return host_.wake(*t.hart_of);
  hart* to = host_.free_hart();
  if (to == nullptr) to = hart_of_waiting();
  if (to == nullptr) return make_ready(t);
  exchange(*to, t);
  host_.start(*to);
}

std::int64_t threads::wake(std::uint64_t address, std::uint64_t most, std::uint32_t bits) {
  auto const limit = std::max(std::int64_t{static_cast<std::int32_t>(most)}, std::int64_t{1});
  std::int64_t woken = 0;
  while (woken < limit) {
    thread* const next = address == 0 ? nullptr : first_waiter(address, bits);
    if (next == nullptr) break;
    resume(*next, 0);
    ++woken;
  }
  return woken;
}

std::int64_t threads::requeue(call_arguments const& a, bool compare) {
  std::uint32_t value = 0;
  if (!memory_.get(a[0], value)) return -EFAULT;
  if (compare && value != static_cast<std::uint32_t>(a[5])) return -EAGAIN;
  std::int64_t moved = static_cast<std::int32_t>(a[2]) > 0 ? wake(a[0], a[2], ~0U) : 0;
  for (auto left = static_cast<std::int32_t>(a[3]); left > 0; --left) {
    thread* const next = first_waiter(a[0], ~0U);
    if (next == nullptr || a[4] == a[0] || a[4] == 0) break;
    next->futex = a[4];
    ++moved;
  }
  return moved;
}

std::uint64_t threads::next_deadline_ns() const {
  std::uint64_t next = never;
  for (auto const& [number, t] : by_hart_)
    if (t.waits) next = std::min(next, t.deadline_ns);
  return next;
}

void threads::pass_time(std::uint64_t now_ns) {
  // Threads may change harts by it.
  std::vector<std::uint64_t> late;
  for (auto const& [number, t] : by_hart_)
    if (t.waits && t.deadline_ns <= now_ns) late.push_back(t.id);
  for (std::uint64_t const id : late) {
    thread& t = by_hart_.at(hart_of(id).number);
    resume(t, t.late);
  }
}

std::vector<std::string> threads::waiting() const {
  std::vector<std::string> lines;
  for (auto const& [number, t] : by_hart_) {
    std::string const hart_name = is_parked(*t.hart_of) ? "no hart" : fmt::format("hart {}", number);
    if (t.waits && t.for_files)
      lines.push_back(fmt::format("{}, thread {}: waits for a file, in {} (system call {})", hart_name, t.id,
                                  system_call_name(t.for_files->number), t.for_files->number));
    else if (t.waits && t.signals != 0)
      lines.push_back(fmt::format("{}, thread {}: waits for signals {:#x}", hart_name, t.id, t.signals));
    else if (t.waits)
      lines.push_back(fmt::format("{}, thread {}: waits at futex {:#x}", hart_name, t.id, t.futex));
  }
  return lines;
}

}  // namespace tess::machine
