// must_await: the reports of operations and tasks that were destroyed without having been awaited.
#include "tess/detail/tasks/must_await.hpp"

#include <cstdio>
#include <exception>
#include <string>

#include "runtime/failures/abort.hpp"
#include "runtime/job/job.hpp"
#include "tess/error.hpp"

namespace tess::detail {

namespace {

/// Counts it. False: it is not to be printed.
bool count_unawaited() noexcept {
  // An exception, or the end of the job, may destroy an operation before the program comes to its co_await.
  if (the_job == nullptr || job_aborted() || the_job->failures.any || std::uncaught_exceptions() != 0) return false;
  constexpr unsigned lines_max = 20;
  return the_job->mistakes.fetch_add(1, std::memory_order_relaxed) < lines_max;
}

/// It names the program's line if the operation was called by a function of the library.
std::string latest_await() {
  if (self == nullptr || self->current == nullptr || self->current->where.line() == 0) return "";
  return " (after the co_await at " + to_text(self->current->where) + ")";
}

}  // namespace

void report_unawaited(lost_operation const& lost, std::source_location at) noexcept {
  if (count_unawaited())
    std::fprintf(stderr, "tess: %s: %s was destroyed without having been awaited; %s%s\n", to_text(at).c_str(),
                 lost.what, lost.expected, latest_await().c_str());
}

void report_unstarted(std::source_location of, std::source_location maker) noexcept {
  if (!count_unawaited()) return;
  constexpr int name_max = 160;
  std::string made;
  if (maker.line() != 0) made = "; it was made after the co_await at " + to_text(maker);
  std::fprintf(
      stderr,
      "tess: %s: a task was destroyed without having been awaited or spawned; expected co_await or spawn(): it "
      "did not run (%.*s%s)\n",
      to_text(of).c_str(), name_max, of.function_name(), made.c_str());
}

}  // namespace tess::detail
