// chase: tasks that each follow a list of their own by `get`, all started before the clock is.
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

/// What a task does besides following its list: `count` additions to random words of its own `bytes` per line.
struct updates {
  std::uint32_t count = 0;
  std::size_t bytes = 0;
};

/// The lines of one place, in its segment, linked.
[[nodiscard]] lists make_lists(std::size_t bytes, std::uint64_t seed);

/// Follows `tasks` of the lists from the calling place until `lines` lines were followed.
[[nodiscard]] tess::task<double> chase(lists const& followed, std::uint32_t tasks, std::uint64_t lines,
                                       updates extra = {});

/// How many lines make a measurement of some tasks: several for each, and at least so many in all.
[[nodiscard]] constexpr std::uint64_t lines_for(std::uint32_t tasks, std::uint64_t least) {
  return std::max<std::uint64_t>(least, std::uint64_t{tasks} * 64);
}

/// The rates of `counts` tasks, spread over two places, each following lists of the other: one job, under a delay.
[[nodiscard]] std::vector<double> chase_between_places(std::vector<std::uint32_t> const& counts, std::size_t bytes,
                                                       tess::delay const& delay, std::uint64_t least_lines);

}  // namespace bench
