// call_time: sums the times of calls and of their functions, by the fabric's clock.
#include "tess/detail/tasks/call_time.hpp"

#include "runtime/job/job.hpp"

namespace tess::detail {

std::uint64_t call_clock() noexcept {
  return the_job->fabric->capabilities().now_ns();
}

bool places_share_clock() noexcept {
  return the_job->options.fabric != "ucx";
}

void count_call(std::uint64_t called) noexcept {
  cold_counts& c = this_worker().cold;
  bump(c.calls);
  bump(c.call_ns, call_clock() - called);
}

void count_function(std::uint64_t called, std::uint64_t began) noexcept {
  cold_counts& c = this_worker().cold;
  std::uint64_t const now = call_clock();
  bump(c.function_ns, now - began);
  if (called == 0) return;
  bump(c.calls);
  bump(c.call_ns, now - called);
}

}  // namespace tess::detail
