// random_words: shared by histogram and index_gather: measures both forms of a kernel on one table, in turn, in one
// job.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/job.hpp"
#include "harness/splitmix.hpp"
#include "harness/suite.hpp"
#include "kernels/form.hpp"

namespace bench {

inline constexpr std::uint64_t random_numbers = 8'000'000;

/// Target of word k of a place; drawn in advance, as in bale.
[[nodiscard]] inline std::vector<std::uint64_t> random_indices(std::uint64_t count, std::uint64_t words) {
  std::vector<std::uint64_t> indices(count);
  for (std::uint64_t k = 0; k < count; ++k)
    indices[k] = static_cast<std::uint64_t>(static_cast<unsigned __int128>(splitmix(tess::here(), k)) * words >> 64U);
  return indices;
}

/// The sum of a table of counts.
[[nodiscard]] inline tess::task<std::uint64_t> counted(tess::global_array<std::uint64_t> table) {
  std::uint64_t sum = 0;
  for (unsigned p = 0; p < tess::places(); ++p)
    sum += co_await tess::at(static_cast<tess::place_id>(p), [table] {
      std::span<std::uint64_t const> const own = table.local();
      return std::accumulate(own.begin(), own.end(), std::uint64_t{0});
    });
  co_return sum;
}

/// A transport between places, and the table sizes to compare.
struct reach {
  char const* how;  ///< suffix of the case's name
  bool no_window;
  std::chrono::nanoseconds delay;
  std::size_t bytes;
  char const* size;
};
inline constexpr reach reaches[] = {
    {"", false, {}, std::size_t{128} << 20U, "128 MiB"},
    {"", false, {}, std::size_t{1} << 30U, "1 GiB"},
    {" without windows", true, {}, std::size_t{128} << 20U, "128 MiB"},
    {" without windows, 3 us", true, std::chrono::microseconds(3), std::size_t{128} << 20U, "128 MiB"},
    {" 3 us", false, std::chrono::microseconds(3), std::size_t{128} << 20U, "128 MiB"},
};

/// `rate`: a task that returns million words per second for a table size and a form.
template <class Rate>
int random_word_bench(std::string const& name, int argc, char** argv, Rate rate) {
  CLI::App app("random words of a spread table: in batches by their owners (ours), against prefetched word operations");
  options chosen;
  declare(app, chosen);
  if (auto const code = parse(app, argc, argv)) return *code;
  suite suite(name, chosen);
  for (unsigned const places : {2U, 4U, 8U}) {
    for (reach const& r : reaches) {
      tess::settings s;
      s.places = places;
      s.workers = 1;
      s.no_window = r.no_window;
      s.delay.time = r.delay;
      std::size_t const words = r.bytes / sizeof(std::uint64_t);
      auto const measured = [=](kernels::form how) {
        return [=] { return in_job(s, [=] { return rate(words, how); }); };
      };
      suite.pair(std::string("messages against words, ") + r.size + r.how, static_cast<int>(places), "M/s",
                 measured(kernels::form::words), measured(kernels::form::messages));
    }
  }
  return suite.finish();
}

}  // namespace bench
