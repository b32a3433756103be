// gups: independent random fetch_add from two places, against raw atomics with a prefetch 32 ahead on two threads.
#include <CLI/CLI.hpp>

#include "harness/clock.hpp"
#include "harness/huge_pages.hpp"
#include "harness/suite.hpp"
#include "job.hpp"
#include "limits/raw_gups.hpp"

namespace {

constexpr std::uint64_t updates = 8'000'000;
constexpr unsigned on_their_way = 64;

/// Million updates per second, all places together.
tess::task<double> run_updates(std::size_t words, unsigned places) {
  auto const table = co_await tess::global_array<std::uint64_t>::make(words);
  co_await tess::forall(table, [](std::uint64_t, std::uint64_t& word) { word = 0; });
  double const begin = bench::timestamp();
  co_await tess::on_all_places([table, places] {
    return tess::overlap<on_their_way>(
        0, updates / places, [table, rank = static_cast<int>(tess::here()), size = table.size()](std::uint64_t k) {
          return tess::fetch_add(table[bench::gups_word(rank, k, size)], 1);
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
