// gups: independent random updates from two places, by fetch_add or by batches to the owners, against raw atomics with
// a prefetch 32 ahead on two threads.
#include <CLI/CLI.hpp>

#include "harness/clock.hpp"
#include "harness/huge_pages.hpp"
#include "harness/job.hpp"
#include "harness/suite.hpp"
#include "kernels/histogram.hpp"
#include "limits/raw_gups.hpp"
#include "random_access/random_words.hpp"

namespace {

constexpr std::uint64_t updates = 8'000'000;

/// Million updates per second, all places together.
tess::task<double> run_updates(std::size_t words, unsigned places, kernels::form how) {
  auto const table = co_await tess::global_array<std::uint64_t>::make(words);
  co_await tess::forall(table, [](std::uint64_t, std::uint64_t& word) { word = 0; });
  double const begin = bench::timestamp();
  co_await tess::on_all_places([table, places, how] {
    return kernels::histogram(how, table, 0, updates / places,
                              [rank = static_cast<int>(tess::here()), size = table.size()](std::uint64_t k) {
                                return bench::gups_word(rank, k, size);
                              });
  });
  double const seconds = bench::timestamp() - begin;
  std::uint64_t const sum = co_await bench::counted(table);
  if (sum != updates) throw tess::error("gups", std::to_string(sum) + " updates", std::to_string(updates));
  co_return static_cast<double>(updates) / seconds / 1e6;
}

struct one_case {
  char const* name;
  std::size_t bytes;
  kernels::form how;
};
constexpr one_case all_cases[] = {
    {"64 MiB", std::size_t{64} << 20U, kernels::form::words},
    {"1 GiB", std::size_t{1} << 30U, kernels::form::words},
    {"messages 128 MiB", std::size_t{128} << 20U, kernels::form::messages},
    {"messages 1 GiB", std::size_t{1} << 30U, kernels::form::messages},
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("random updates of a table spread over two places");
  bench::options chosen;
  bench::declare(app, chosen);
  bool only_messages = false;
  app.add_flag("--messages", only_messages, "only those that travel in batches to their owners");
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("gups", chosen);
  for (one_case const& c : all_cases) {
    if (!suite.wants(c.name) || (only_messages && c.how != kernels::form::messages)) continue;
    std::size_t const words = c.bytes / sizeof(std::uint64_t);
    bench::huge_array<std::uint64_t> const raw(words);
    suite.pair(
        c.name, 2, "M/s", [&] { return bench::raw_gups(raw.data(), words, updates, 2); },
        [&] { return bench::in_job(2, [&] { return run_updates(words, 2, c.how); }); });
  }
  return suite.finish();
}
