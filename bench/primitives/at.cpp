// at: round trip of an empty call to the other core, against raw cache-line ping-pong; and one-way message streams.
#include <CLI/CLI.hpp>

#include "harness/clock.hpp"
#include "harness/job.hpp"
#include "harness/suite.hpp"
#include "limits/between_cores.hpp"

namespace {

constexpr std::uint64_t rounds = 100'000;

tess::task<double> plain_calls() {
  double const begin = bench::timestamp();
  for (std::uint64_t i = 0; i < rounds; ++i) co_await tess::at(1, [] {});
  co_return (bench::timestamp() - begin) * bench::ns_per_second / rounds;
}

tess::task<double> coroutine_calls() {
  double const begin = bench::timestamp();
  for (std::uint64_t i = 0; i < rounds; ++i) co_await tess::at(1, []() -> tess::task<void> { co_return; });
  co_return (bench::timestamp() - begin) * bench::ns_per_second / rounds;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("round trip of `at` between two places");
  bench::options chosen;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("at", chosen);
  suite.pair(
      "plain callable", 2, "ns", [] { return bench::ping_pong(rounds); },
      [] { return bench::in_job(2, [] { return plain_calls(); }); });
  suite.pair(
      "coroutine", 2, "ns", [] { return bench::ping_pong(rounds); },
      [] { return bench::in_job(2, [] { return coroutine_calls(); }); });
  return suite.finish();
}
