// must_await: part of every operation that needs its co_await; checked builds report one that is destroyed without it.
//
//   Other builds keep nothing: the class is empty there, and its members do nothing.
//
// Threads  the task of the operation.
#pragma once

#include <source_location>

namespace tess::detail {

/// What an operation is called in the report, and what its loss means.
struct lost_operation {
  char const* what;
  char const* expected;
};
inline constexpr lost_operation lost_word{
    "an operation", "expected co_await (or abandon()): without it the operation may have no effect"};
inline constexpr lost_operation lost_call{
    "an at", "expected co_await (or abandon(), or at_async): its result and its exception are lost"};
inline constexpr lost_operation lost_event_call{
    "an operation at another place", "expected co_await (or abandon()): its result and its exception are lost"};
inline constexpr lost_operation lost_barrier{"a barrier", "expected co_await: this place did not take part"};
inline constexpr lost_operation lost_event{"an operation that may wait", "expected co_await: it had no effect"};
inline constexpr lost_operation lost_finish{"a finish", "expected co_await: its body did not run"};
inline constexpr lost_operation lost_sleep{"a sleep", "expected co_await: it took no time"};
inline constexpr lost_operation lost_guarded{"an await that may be given up", "expected co_await: it did not wait"};

/// The operation of this line was destroyed without having been awaited. Printed; the job's exit code becomes 1.
void report_unawaited(lost_operation const& lost, std::source_location at) noexcept;
/// The same for a task, which never started: the line and name of its function, and the latest co_await of the task
/// that made it.
void report_unstarted(std::source_location of, std::source_location maker) noexcept;

class must_await {
 public:
#if defined(TESS_CHECKED) && TESS_CHECKED
  must_await(lost_operation const& lost, std::source_location at) noexcept : lost_(&lost), at_(at) {}
  /// For an operation that is made inside the expression that awaits it, or that need not be awaited.
  must_await() noexcept = default;
  ~must_await() {
    if (lost_ != nullptr) report_unawaited(*lost_, at_);
  }
  void met() const noexcept { lost_ = nullptr; }
  /// Where the operation was called.
  [[nodiscard]] std::source_location where() const noexcept { return at_; }

 private:
  mutable lost_operation const* lost_ = nullptr;
  std::source_location at_;

 public:
#else
  constexpr must_await(lost_operation const&, std::source_location) noexcept {}
  constexpr must_await() noexcept = default;
  constexpr void met() const noexcept {}
  [[nodiscard]] static constexpr std::source_location where() noexcept { return {}; }
#endif
  must_await(must_await const&) = delete;
  must_await& operator=(must_await const&) = delete;
};

}  // namespace tess::detail
