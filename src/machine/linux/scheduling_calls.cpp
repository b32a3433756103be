// scheduling_calls: policies and priorities of threads: all have the usual one, as those of a user without privileges.
#include <sched.h>

#include <cerrno>

#include "machine/linux/program.hpp"

namespace tess::machine {
namespace {

constexpr std::int64_t real_time_min = 1;
constexpr std::int64_t real_time_max = 99;
constexpr std::uint64_t policy_mask = ~std::uint64_t{SCHED_RESET_ON_FORK};

bool is_usual(std::uint64_t policy) {
  return policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
}
bool is_real_time(std::uint64_t policy) {
  return policy == SCHED_FIFO || policy == SCHED_RR;
}

}  // namespace

std::int64_t program::find_scheduled(std::uint64_t id) const {
  auto const number = static_cast<std::int32_t>(id);
  if (number < 0) return -EINVAL;
  return number == 0 || threads_.is_thread(static_cast<std::uint64_t>(number)) ? 0 : -ESRCH;
}

std::int64_t program::set_policy(call_arguments const& a) {
  std::uint64_t const policy = a[1] & policy_mask & 0xffffffffU;
  std::int32_t priority = 0;
  if (a[2] == 0) return -EINVAL;
  if (!memory_.get(a[2], priority)) return -EFAULT;
  if (auto const failed = find_scheduled(a[0]); failed != 0) return failed;
  if (is_real_time(policy)) return priority < real_time_min || priority > real_time_max ? -EINVAL : -EPERM;
  return is_usual(policy) && priority == 0 ? 0 : -EINVAL;
}

std::int64_t program::set_priority(call_arguments const& a) {
  return set_policy({a[0], SCHED_OTHER, a[1]});
}

std::int64_t program::policy(call_arguments const& a) {
  auto const failed = find_scheduled(a[0]);
  return failed != 0 ? failed : std::int64_t{SCHED_OTHER};
}

std::int64_t program::priority(call_arguments const& a) {
  if (a[1] == 0) return -EINVAL;
  if (auto const failed = find_scheduled(a[0]); failed != 0) return failed;
  return memory_.put(a[1], std::int32_t{0}) ? 0 : -EFAULT;
}

std::int64_t program::priority_max(call_arguments const& a) {
  return is_real_time(a[0]) ? real_time_max : is_usual(a[0]) ? 0 : -EINVAL;
}

std::int64_t program::priority_min(call_arguments const& a) {
  return is_real_time(a[0]) ? real_time_min : is_usual(a[0]) ? 0 : -EINVAL;
}

// Zero: the usual policy has no fixed slice.
std::int64_t program::round_robin_interval(call_arguments const& a) {
  if (auto const failed = find_scheduled(a[0]); failed != 0) return failed;
  return memory_.put(a[1], user_timespec{}) ? 0 : -EFAULT;
}

std::int64_t program::processor(hart& h, call_arguments const& a) {
  std::uint32_t const number = h.number;
  bool const told = (a[0] == 0 || memory_.put(a[0], number)) && (a[1] == 0 || memory_.put(a[1], std::uint32_t{0}));
  return told ? 0 : -EFAULT;
}

}  // namespace tess::machine
