// barrier: all places, against a two-flag exchange at two and std::barrier of as many threads.
#include <CLI/CLI.hpp>

#include "harness/clock.hpp"
#include "harness/job.hpp"
#include "harness/suite.hpp"
#include "limits/between_cores.hpp"

namespace {

tess::task<double> barriers(std::uint64_t rounds) {
  double ns = 0;
  auto const result = co_await tess::place_local<double>::make(0.0);
  co_await tess::on_all_places(
      [](tess::place_local<double> r, std::uint64_t n) -> tess::task<void> {
        for (std::uint64_t i = 0; i < n / 10; ++i) co_await tess::barrier();
        double const begin = bench::timestamp();
        for (std::uint64_t i = 0; i < n; ++i) co_await tess::barrier();
        *r = (bench::timestamp() - begin) * bench::ns_per_second / static_cast<double>(n);
      },
      result, rounds);
  ns = *result;
  co_return ns;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("barrier of all places");
  bench::options chosen;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("barrier", chosen);
  suite.pair(
      "against two flags", 2, "ns", [] { return bench::flag_exchange(100'000); },
      [] { return bench::in_job(2, [] { return barriers(100'000); }); });
  for (int const places : {2, 4, 8, 16})
    suite.pair(
        "against std::barrier", places, "ns", [&] { return bench::std_barrier(places, 5'000); },
        [&] { return bench::in_job(static_cast<unsigned>(places), [] { return barriers(20'000); }); });
  return suite.finish();
}
