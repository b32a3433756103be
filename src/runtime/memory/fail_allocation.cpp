// fail_allocation: counts the allocations of the process down to the one that fails, for tests.
#include "tess/detail/tasks/fail_allocation.hpp"

#include <atomic>

namespace tess::detail {

namespace {
constinit std::atomic<std::int64_t> allocations_left{
    0};  ///< allocations up to the one that fails; 0 and below: none fails
constinit std::atomic<bool> allocation_failed{false};
}  // namespace

#if defined(TESS_CHECKED) && TESS_CHECKED
bool allocation_fails() noexcept {
  if (allocations_left.load(std::memory_order_relaxed) <= 0 ||
      allocations_left.fetch_sub(1, std::memory_order_relaxed) != 1)
    return false;
  allocation_failed.store(true, std::memory_order_relaxed);
  return true;
}
#endif

failing_allocation::failing_allocation(std::uint64_t number) noexcept {
  allocation_failed.store(false, std::memory_order_relaxed);
  allocations_left.store(static_cast<std::int64_t>(number), std::memory_order_relaxed);
}
failing_allocation::~failing_allocation() {
  allocations_left.store(0, std::memory_order_relaxed);
}

bool failing_allocation::happened() noexcept {
  return allocation_failed.load(std::memory_order_relaxed);
}

}  // namespace tess::detail
