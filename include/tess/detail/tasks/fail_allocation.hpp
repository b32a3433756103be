// fail_allocation: in checked builds TESS_FAIL_ALLOCATION=N makes the Nth allocation of a job fail, as if memory
// were full.
//
//   Segments, frames and slots are counted, and other allocations that ask allocation_fails(): a test's operator new.
//
// Threads  any.
// Cost     none in builds that are not checked.
#pragma once

#include <cstdint>

namespace tess::detail {

#if defined(TESS_CHECKED) && TESS_CHECKED
inline constexpr bool allocations_can_fail = true;
/// Counts one allocation; true if it is the one that must fail.
[[nodiscard]] bool allocation_fails() noexcept;
#else
inline constexpr bool allocations_can_fail = false;
[[nodiscard]] constexpr bool allocation_fails() noexcept {
  return false;
}
#endif

/// During its lifetime, the `number`th allocation from now on fails; 0: none does.
class failing_allocation {
 public:
  explicit failing_allocation(std::uint64_t number) noexcept;
  ~failing_allocation();
  failing_allocation(failing_allocation const&) = delete;
  failing_allocation& operator=(failing_allocation const&) = delete;

  /// True if the latest one reached its number.
  [[nodiscard]] static bool happened() noexcept;
};

}  // namespace tess::detail
