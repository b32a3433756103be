// chase: tasks that each follow their own list by `get`, all started before the measurement begins.
//
// Units     million lines followed per second, of all places together.
// Threads   tasks of the running job.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <tess/tess.hpp>
#include <vector>

#include "limits/list_loop.hpp"

namespace bench {

/// Additional work of a task per line: `count` additions to random words of its private `bytes`.
struct updates {
  std::uint32_t count = 0;
  std::size_t bytes = 0;
};

/// The lines of one place, in its segment, linked.
[[nodiscard]] lists make_lists(std::size_t bytes, std::uint64_t seed);

/// Follows `tasks` of the lists from the calling place until `lines` lines were followed.
[[nodiscard]] tess::task<double> chase(lists const& followed, std::uint32_t tasks, std::uint64_t lines,
                                       updates extra = {});

/// Number of lines of a measurement with some tasks: several for each task, and a minimum in total.
[[nodiscard]] constexpr std::uint64_t lines_for(std::uint32_t tasks, std::uint64_t least) {
  return std::max<std::uint64_t>(least, std::uint64_t{tasks} * 64);
}

/// Rates of `counts` tasks on two places, which follow lists of the other place, in one job with additional latency.
[[nodiscard]] std::vector<double> chase_between_places(std::vector<std::uint32_t> const& counts, std::size_t bytes,
                                                       tess::delay const& delay, std::uint64_t least_lines);

}  // namespace bench
