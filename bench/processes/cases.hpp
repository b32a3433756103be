// cases: cases of one job with two places; place 0 measures each limit between two runs of ours.
//
//   The names of the cases are those of the programs in bench/peers, which measure the same with other systems.
#pragma once

#include <string>
#include <tess/tess.hpp>
#include <vector>

#include "harness/suite.hpp"

namespace bench {

/// Rounds of a limit, which is a plain call, and of ours, which is a task, in changing order.
template <class Limit, class Ours>
tess::task<void> compare(suite& results, std::string name, std::string unit, Limit limit, Ours ours) {
  if (!results.wants(name)) co_return;
  std::vector<round> rounds(static_cast<std::size_t>(results.runs()));
  bool limit_first = true;
  for (round& measured : rounds) {
    if (limit_first) measured.limit = limit();
    measured.ours = co_await ours();
    if (!limit_first) measured.limit = limit();
    limit_first = !limit_first;
  }
  results.record(name, tess::places(), unit, rounds);
}

[[nodiscard]] tess::task<void> word_cases(suite& results);
[[nodiscard]] tess::task<void> put_cases(suite& results);
[[nodiscard]] tess::task<void> update_cases(suite& results);
[[nodiscard]] tess::task<void> call_cases(suite& results);
[[nodiscard]] tess::task<void> collective_cases(suite& results);

}  // namespace bench
