// gups: independent random fetch_add from two places, against raw atomics with a prefetch 32 ahead on two threads.
#include <CLI/CLI.hpp>

#include "harness/clock.hpp"
#include "harness/huge_pages.hpp"
#include "harness/suite.hpp"
#include "job.hpp"
#include "limits/raw_gups.hpp"

namespace {

constexpr std::uint64_t updates = 8'000'000;
constexpr unsigned tasks_per_place = 8;

tess::task<void> updater(tess::global_array<std::uint64_t> table, int rank, std::uint64_t first, std::uint64_t count) {
  std::uint64_t const words = table.size();
  // Four updates on their way at a time: one turn given away for four.
  auto const issue = [&](std::uint64_t k) __attribute__((always_inline)) {
    return tess::fetch_add(table[bench::gups_word(rank, k, words)], 1);
  };
  for (std::uint64_t k = first; k < first + count; k += 4) {
    auto a = issue(k), b = issue(k + 1), c = issue(k + 2), d = issue(k + 3);
    co_await a;
    co_await b;
    co_await c;
    co_await d;
  }
}

/// Million updates per second, all places together.
tess::task<double> run_updates(std::size_t words, unsigned places) {
  auto const table = co_await tess::global_array<std::uint64_t>::make(words);
  co_await tess::forall(table, [](std::uint64_t, std::uint64_t& word) { word = 0; });
  double const begin = bench::timestamp();
  co_await tess::on_all_places([table, places]() -> tess::task<void> {
    std::uint64_t const each = updates / places / tasks_per_place;
    co_await tess::finish([&] {
      for (unsigned t = 0; t < tasks_per_place; ++t) tess::spawn(updater(table, tess::here(), t * each, each));
    });
  });
  co_return static_cast<double>(updates) / (bench::timestamp() - begin) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("random updates of a table spread over two places");
  bench::options chosen;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("gups", chosen);
  for (auto const& [name, bytes] : {std::pair{"64 MiB", std::size_t{64} << 20U}, {"1 GiB", std::size_t{1} << 30U}}) {
    if (!suite.wants(name)) continue;
    std::size_t const words = bytes / sizeof(std::uint64_t);
    bench::huge_array<std::uint64_t> const raw(words);
    suite.pair(
        name, 2, "M/s", [&] { return bench::raw_gups(raw.data(), words, updates, 2); },
        [&] { return bench::in_job(2, [&] { return run_updates(words, 2); }); });
  }
  return suite.finish();
}
