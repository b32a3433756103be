// signals: frames, and who gets what.
#include "machine/linux/signals.hpp"

#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "machine/hart/hart.hpp"
#include "machine/linux/clock_calls.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t from_user = threads::main_id | std::uint64_t{1000} << 32U;  // its process, and user
constexpr std::uint64_t unblockable = std::uint64_t{1} << (SIGKILL - 1) | std::uint64_t{1} << (SIGSTOP - 1);
constexpr std::uint64_t stack_bytes_min = 2048;

// What Linux for RV64 puts on the stack.
struct user_stack {
  std::uint64_t address;
  std::int32_t flags, unused;
  std::uint64_t bytes;
};
struct user_info {
  std::int32_t number, error, code, unused;
  std::uint64_t value;
  std::array<std::uint64_t, 13> rest;
};
static_assert(sizeof(user_info) == 128);
struct user_context {
  std::uint64_t flags, link;
  user_stack stack;
  std::uint64_t mask;
  std::array<std::uint64_t, 15> reserved_mask;
  std::uint64_t unused;  // registers are aligned to 16 bytes
  std::uint64_t pc;
  std::array<std::uint64_t, 31> x;  // x1 to x31
  std::array<std::uint64_t, 32> f;
  std::uint32_t fcsr, unused2;
  std::array<std::uint64_t, 33> reserved;  // the registers of quadruple precision would be as long
};
static_assert(sizeof(user_context) == 960);
struct user_frame {
  user_info info;
  user_context context;
};
static_assert(sizeof(user_frame) == 1088);

struct user_action {
  std::uint64_t handler, flags, mask;
};

struct user_timer {
  std::int64_t interval_s, interval_us, value_s, value_us;
};

std::uint64_t ns_of(std::int64_t seconds, std::int64_t microseconds) {
  constexpr std::int64_t most = 4'000'000'000;
  return static_cast<std::uint64_t>(std::min(seconds, most)) * 1'000'000'000U +
         static_cast<std::uint64_t>(microseconds) * 1000U;
}

bool sound(std::int64_t seconds, std::int64_t microseconds) {
  return seconds >= 0 && microseconds >= 0 && microseconds < 1'000'000;
}

}  // namespace

signals::information signals::from_program(bool to_thread) noexcept {
  return {to_thread ? SI_TKILL : SI_USER, from_user};
}

std::int64_t signals::overruns_of_timer(std::uint32_t id) const {
  auto const known = overruns_.find(id);
  return known == overruns_.end() ? 0 : known->second;
}

void signals::forget_timer(std::uint32_t id) {
  overruns_.erase(id);
  pending_.drop_timer(id);
  for (auto& [thread, one] : of_) one.pending.drop_timer(id);
}

bool signals::is_full() const {
  std::size_t waiting = pending_.size();
  for (auto const& [id, one] : of_) waiting += one.pending.size();
  return waiting >= signal_queue::most;
}

bool signals::read_information(std::uint64_t address, information& why) const {
  user_info made{};
  if (!memory_.get(address, made)) return false;
  why = {made.code, made.value, made.rest[0]};
  return true;
}

std::int64_t signals::action(call_arguments const& a) {
  if (a[3] != sizeof(std::uint64_t) || a[0] == 0 || a[0] > count) return -EINVAL;
  auto const number = static_cast<std::uint32_t>(a[0]);
  handler& mine = handlers_[number];
  user_action const old{mine.address, mine.flags, mine.mask};
  if (a[1] != 0) {
    user_action made{};
    if (!memory_.get(a[1], made)) return -EFAULT;
    if (number == SIGKILL || number == SIGSTOP) return -EINVAL;
    mine = {made.handler, made.flags, made.mask & ~unblockable};
    if (is_ignored(number)) {
      pending_.drop(number);
      for (auto& [id, one] : of_) one.pending.drop(number);
    }
  }
  return a[2] == 0 || memory_.put(a[2], old) ? 0 : -EFAULT;
}

std::int64_t signals::mask(hart const& h, call_arguments const& a) {
  if (a[3] != sizeof(std::uint64_t)) return -EINVAL;
  of_thread& mine = of_[threads_.id_of(h)];
  std::uint64_t const old = mine.blocked;
  if (a[1] != 0) {
    std::uint64_t set = 0;
    if (!memory_.get(a[1], set)) return -EFAULT;
    if (a[0] == SIG_BLOCK)
      set |= old;
    else if (a[0] == SIG_UNBLOCK)
      set = old & ~set;
    else if (a[0] != SIG_SETMASK)
      return -EINVAL;
    mine.blocked = set & ~unblockable;
  }
  return a[2] == 0 || memory_.put(a[2], old) ? 0 : -EFAULT;
}

std::int64_t signals::stack(hart const& h, call_arguments const& a) {
  of_thread& mine = of_[threads_.id_of(h)];
  bool const on_it = mine.stack_bytes != 0 && h.x[2] - mine.stack_address < mine.stack_bytes;
  user_stack const old{mine.stack_address,
                       mine.stack_bytes == 0 ? SS_DISABLE
                       : on_it               ? SS_ONSTACK
                                             : 0,
                       0, mine.stack_bytes};
  if (a[0] != 0) {
    user_stack made{};
    if (!memory_.get(a[0], made)) return -EFAULT;
    if (on_it) return -EPERM;
    if ((made.flags & ~SS_DISABLE) != 0 && made.flags != SS_ONSTACK) return -EINVAL;
    bool const none = (made.flags & SS_DISABLE) != 0;
    if (!none && made.bytes < stack_bytes_min) return -ENOMEM;
    mine.stack_address = none ? 0 : made.address;
    mine.stack_bytes = none ? 0 : made.bytes;
  }
  return a[1] == 0 || memory_.put(a[1], old) ? 0 : -EFAULT;
}

std::int64_t signals::pending(hart const& h, call_arguments const& a) {
  of_thread const& mine = of_[threads_.id_of(h)];
  return memory_.put(a[0], (mine.pending.set() | pending_.set()) & mine.blocked) ? 0 : -EFAULT;
}

std::int64_t signals::suspend(hart& h, call_arguments const& a) {
  std::uint64_t set = 0;
  if (a[1] != sizeof set) return -EINVAL;
  if (!memory_.get(a[0], set)) return -EFAULT;
  return begin_wait(h, set) ? -EINTR : threads_.sleep_until(h, threads::never);
}

// What came is delivered behind the call, and its frame has the signals that were blocked before.
bool signals::begin_wait(hart const& h, std::uint64_t set) {
  of_thread& mine = of_[threads_.id_of(h)];
  mine.blocked_before = mine.blocked;
  mine.blocked = set & ~unblockable;
  return any_for(h);
}

void signals::end_wait(hart const& h) {
  of_thread& mine = of_[threads_.id_of(h)];
  if (mine.blocked_before) mine.blocked = *std::exchange(mine.blocked_before, std::nullopt);
}

bool signals::any_for(hart const& h) {
  of_thread const& mine = of_[threads_.id_of(h)];
  return ((mine.pending.set() | pending_.set()) & ~mine.blocked) != 0;
}

bool signals::is_ignored(std::uint32_t number) const {
  if (handlers_[number].address == 1) return true;
  bool const harmless = number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
  return handlers_[number].address == 0 && harmless;
}

std::uint32_t signals::take(of_thread& mine, std::uint64_t set, information& why) {
  std::uint64_t const ready = (mine.pending.set() | pending_.set()) & set;
  if (ready == 0) return 0;
  auto const number = static_cast<std::uint32_t>(std::countr_zero(ready)) + 1;
  why = ((mine.pending.set() & bit(number)) != 0 ? mine.pending : pending_).take(number);
  if (why.code == SI_TIMER) overruns_[why.timer()] = why.overruns();
  return number;
}

std::int64_t signals::tell(std::uint64_t address, std::uint32_t number, information const& why) {
  user_info told{};
  told.number = static_cast<std::int32_t>(number);
  told.code = why.code;
  told.value = why.value;
  told.rest[0] = why.data;
  return address == 0 || memory_.put(address, told) ? std::int64_t{number} : -EFAULT;
}

std::int64_t signals::wait_for(hart& h, call_arguments const& a) {
  std::uint64_t set = 0;
  if (a[3] != sizeof set) return -EINVAL;
  if (!memory_.get(a[0], set)) return -EFAULT;
  set &= ~unblockable;
  std::uint64_t deadline = threads::never;
  if (a[2] != 0) {
    user_timespec time{};
    if (!memory_.get(a[2], time)) return -EFAULT;
    if (!is_sound(time)) return -EINVAL;
    deadline = host_.now_ns() + ns_of_spec(time);
  }
  information why;
  if (std::uint32_t const number = take(of_[threads_.id_of(h)], set, why); number != 0) return tell(a[1], number, why);
  if (deadline <= host_.now_ns()) return -EAGAIN;
  return threads_.wait_for_signals(h, set, deadline);
}

bool signals::send(hart const* by, std::uint64_t id, std::uint32_t number, information const& why) {
  auto const awaits = [&](std::uint64_t one) {
    return (threads_.awaited_signals(threads_.hart_of(one)) & bit(number)) != 0;
  };
  std::uint64_t target = id == 0 ? threads::main_id : id;
  // One that is blocked may be waited for, or get a handler before it is admitted.
  if (is_ignored(number) && (of_[target].blocked & bit(number)) == 0) return true;
  (id == 0 ? pending_ : of_[target].pending).add(number, why);
  if (id == 0) {
    // The main thread first, then the one with the lowest number.
    auto const all = threads_.ids();
    auto const one = std::ranges::find_if(
        all, [&](std::uint64_t other) { return (of_[other].blocked & bit(number)) == 0 || awaits(other); });
    if (one == all.end()) return true;
    target = *one;
  }
  hart& to = threads_.hart_of(target);
  if (awaits(target)) {
    information told;
    std::uint32_t const taken = take(of_[target], bit(number), told);
    threads_.end_wait(to, tell(to.x[11], taken, told));
    return true;
  }
  if ((of_[target].blocked & bit(number)) != 0) return true;
  if (&to == by) return true;  // behind its call
  bool const again = (handlers_[number].flags & SA_RESTART) != 0;
  if (threads_.interrupt(to, again) || threads::is_parked(to)) return deliver(threads_.hart_of(target));
  host_.interrupt(to, 0);
  return true;
}

bool signals::deliver(hart& h) {
  std::uint64_t const id = threads_.id_of(h);
  while (true) {
    of_thread& mine = of_[id];
    information why;
    std::uint32_t const number = take(mine, ~mine.blocked, why);
    if (number == 0) break;
    if (is_ignored(number)) continue;
    if (handlers_[number].address == 0) {
      fatal_ = number;
      return false;
    }
    if (!enter(h, number, why)) {
      fatal_ = SIGSEGV;
      return false;
    }
  }
  if (!threads_.is_waiting(h)) end_wait(h);
  return true;
}

bool signals::fault(hart& h, std::uint32_t number, std::int32_t code, std::uint64_t address) {
  of_thread const& mine = of_[threads_.id_of(h)];
  if (handlers_[number].address <= 1 || (mine.blocked & bit(number)) != 0) return false;
  return enter(h, number, {code, address});
}

bool signals::enter(hart& h, std::uint32_t number, information const& why) {
  of_thread& mine = of_[threads_.id_of(h)];
  handler const by = handlers_[number];
  auto const on_it = [&](std::uint64_t at) {
    return mine.stack_bytes != 0 && at - mine.stack_address < mine.stack_bytes;
  };
  std::uint64_t top = h.x[2];
  bool const is_on_it = on_it(top);
  if ((by.flags & SA_ONSTACK) != 0 && mine.stack_bytes != 0 && !is_on_it) top = mine.stack_address + mine.stack_bytes;
  std::uint64_t const at = (top - sizeof(user_frame)) / 16 * 16;
  if (is_on_it && !on_it(at)) return false;  // it is full
  user_frame frame{};
  frame.info.number = static_cast<std::int32_t>(number);
  frame.info.code = why.code;
  frame.info.value = why.value;
  frame.info.rest[0] = why.data;
  frame.context.stack = {mine.stack_address,
                         mine.stack_bytes == 0 ? SS_DISABLE
                         : is_on_it            ? SS_ONSTACK
                                               : 0,
                         0, mine.stack_bytes};
  frame.context.mask = mine.blocked_before.value_or(mine.blocked);
  frame.context.pc = h.pc;
  std::copy_n(h.x.begin() + 1, frame.context.x.size(), frame.context.x.begin());
  frame.context.f = h.f;
  frame.context.fcsr = static_cast<std::uint32_t>(h.fp.frm << 5U | h.fp.flags);
  if (!memory_.put(at, frame)) return false;
  provide_return();
  mine.blocked_before.reset();
  mine.blocked |= by.mask;
  if ((by.flags & SA_NODEFER) == 0) mine.blocked |= bit(number);
  if ((by.flags & SA_RESETHAND) != 0) handlers_[number] = {};
  h.x[1] = return_address_;
  h.x[2] = at;
  h.x[10] = number;
  h.x[11] = at + offsetof(user_frame, info);
  h.x[12] = at + offsetof(user_frame, context);
  h.reserved = {};
  h.jump(by.address);
  return true;
}

bool signals::come_back(hart& h) {
  user_frame frame{};
  if (!memory_.get(h.x[2], frame)) return false;
  of_thread& mine = of_[threads_.id_of(h)];
  mine.blocked = frame.context.mask & ~unblockable;
  std::copy(frame.context.x.begin(), frame.context.x.end(), h.x.begin() + 1);
  h.f = frame.context.f;
  h.fp.set(frame.context.fcsr >> 5U & 7U, frame.context.fcsr & 31U);
  h.reserved = {};
  h.jump(frame.context.pc);
  return true;
}

void signals::provide_return() {
  if (std::exchange(can_return_, true)) return;
  constexpr std::array<std::uint32_t, 2> code{0x08b00893, 0x00000073};  // li a7, 139; ecall
  memory_.place(return_address_, std::as_bytes(std::span{code}));
  memory_.set_rights(return_address_, return_address_ + user_page_bytes, right_read | right_execute);
}

std::int64_t signals::set_timer(call_arguments const& a) {
  if (a[0] != ITIMER_REAL) return -EINVAL;  // the others would need each thread's own time
  user_timer made{};
  if (a[1] != 0 && !memory_.get(a[1], made)) return -EFAULT;
  if (!sound(made.interval_s, made.interval_us) || !sound(made.value_s, made.value_us)) return -EINVAL;
  if (a[2] != 0)
    if (auto const failed = get_timer({a[0], a[2]}); failed != 0) return failed;
  std::uint64_t const value = ns_of(made.value_s, made.value_us);
  timer_ns_ = value == 0 ? threads::never : host_.now_ns() + value;
  timer_interval_ns_ = ns_of(made.interval_s, made.interval_us);
  return 0;
}

std::int64_t signals::get_timer(call_arguments const& a) const {
  if (a[0] != ITIMER_REAL) return -EINVAL;
  std::uint64_t const now = host_.now_ns();
  std::uint64_t const left = timer_ns_ == threads::never ? 0 : std::max(timer_ns_, now + 1000) - now;
  auto const seconds = [](std::uint64_t ns) { return static_cast<std::int64_t>(ns / 1'000'000'000U); };
  auto const microseconds = [](std::uint64_t ns) { return static_cast<std::int64_t>(ns % 1'000'000'000U / 1000); };
  user_timer const answer{seconds(timer_interval_ns_), microseconds(timer_interval_ns_), seconds(left),
                          microseconds(left)};
  return memory_.put(a[1], answer) ? 0 : -EFAULT;
}

bool signals::pass_time(std::uint64_t now_ns) {
  if (now_ns < timer_ns_) return true;
  // A timer that is late for several periods signals once.
  std::uint64_t const late = now_ns - timer_ns_;
  timer_ns_ =
      timer_interval_ns_ == 0 ? threads::never : timer_ns_ + (late / timer_interval_ns_ + 1) * timer_interval_ns_;
  return send(nullptr, 0, SIGALRM, {SI_KERNEL});
}

}  // namespace tess::machine
