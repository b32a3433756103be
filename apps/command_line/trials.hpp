// trials: runs a kernel several times; keeps the last result and the shortest time. What programs print after that.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "command_line/command_line.hpp"

namespace command_line {

template <class Result>
struct trial_results {
  Result result{};
  double seconds = 0;
  tess::operation_counts before;  // of the last trial
  tess::operation_counts after;
};

inline void declare_trials(parser& app, unsigned& into) {
  app.add_option("--trials", into, "runs, of which the fastest counts").shows_default().positive();
}

// work() returns a task; at least one trial.
template <class Work>
auto run_trials(unsigned trials, Work work)
    -> tess::task<trial_results<typename std::invoke_result_t<Work&>::value_type>> {
  trial_results<typename std::invoke_result_t<Work&>::value_type> all;
  for (unsigned trial = 0; trial < trials; ++trial) {
    all.before = co_await tess::count_operations();
    tess::begin_measured_part();
    stopwatch const watch;
    all.result = co_await work();
    double const taken = watch.seconds();
    tess::end_measured_part();
    all.seconds = trial == 0 ? taken : std::min(all.seconds, taken);
  }
  all.after = co_await tess::count_operations();
  co_return all;
}

template <class Result>
void print_time(trial_results<Result> const& all, unsigned trials, std::uint64_t edges) {
  fmt::print("time: {:.6f} s{}, {:.1f} M edges/s\n", all.seconds, trials > 1 ? " (the best)" : "",
             static_cast<double>(edges) / all.seconds / 1e6);
  print_operations(all.before, all.after);
}

// What is wrong, or nothing; returns whether that is nothing.
inline bool report_verified(std::string_view wrong) {
  if (wrong.empty())
    fmt::print("verified: yes\n");
  else
    fmt::print("verified: NO, {}\n", wrong);
  tess::report_result("verified", wrong.empty() ? "true" : "false");
  return wrong.empty();
}

}  // namespace command_line
