// list_loop: one loop for each number of lists, as a compile-time constant, so that positions stay in registers.
#include "limits/list_loop.hpp"

#include <array>
#include <stdexcept>
#include <utility>

#include "harness/clock.hpp"
#include "limits/raw_words.hpp"

namespace bench {
namespace {

constexpr std::array<std::uint32_t, 17> counts{1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64};

template <std::uint32_t Count>
double follow(lists const& all, std::uint64_t lines) {
  list_line* at[Count];
  for (std::uint32_t k = 0; k < Count; ++k) at[k] = all.start(k, Count);
  std::uint64_t const steps = lines / Count;
  double const seconds = seconds_of([&] {
    for (std::uint64_t i = 0; i < steps; ++i) {
#pragma clang loop unroll(full)
      for (std::uint32_t k = 0; k < Count; ++k) at[k] = at[k]->next;
    }
  });
  for (list_line* const p : at) do_not_optimize(p);
  return static_cast<double>(steps * Count) / seconds / 1e6;
}

template <std::size_t... I>
double dispatch(std::uint32_t count, lists const& all, std::uint64_t lines, std::index_sequence<I...> /*counts*/) {
  double rate = 0;
  bool const known = ((count == counts[I] && (rate = follow<counts[I]>(all, lines), true)) || ...);
  if (!known) throw std::invalid_argument("list_loop: no loop for " + std::to_string(count) + " lists");
  return rate;
}

}  // namespace

lists::lists(std::span<list_line> lines, std::uint64_t first, std::uint64_t seed) : lines_(lines), first_(first) {
  if (lines.size() < count_max) throw std::invalid_argument("lists: fewer lines than lists");
  auto const cycle = random_cycle(static_cast<std::uint32_t>(lines.size()), seed);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].next = &lines[cycle[i]];
    lines[i].next_for_tasks = first + cycle[i] * sizeof(list_line);
  }
  std::size_t const part = lines.size() / count_max;
  starts_.reserve(count_max);
  std::uint32_t at = 0;
  for (std::size_t i = 0; starts_.size() < count_max; ++i, at = cycle[at])
    if (i % part == 0) starts_.push_back(at);
}

std::span<std::uint32_t const> list_loop_counts() noexcept {
  return counts;
}

double list_loop(lists const& all, std::uint32_t count, std::uint64_t lines) {
  return dispatch(count, all, lines, std::make_index_sequence<counts.size()>());
}

}  // namespace bench
