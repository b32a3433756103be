// messages: a one-way stream of at_async calls with 16 bytes of arguments, against a hand-written ring of such records.
#include <CLI/CLI.hpp>

#include "harness/clock.hpp"
#include "harness/job.hpp"
#include "harness/suite.hpp"
#include "limits/between_cores.hpp"

namespace {

constexpr std::uint64_t records = 10'000'000;

struct sums {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
};

/// Million calls per second from place 0 to place 1; the sums verify that every call ran.
tess::task<double> stream() {
  auto const target = co_await tess::place_local<sums>::make();
  double const begin = bench::timestamp();
  co_await tess::finish([&] {
    for (std::uint64_t i = 0; i < records; ++i)
      tess::at_async(
          1,
          [at = target](std::uint64_t x) {
            sums& s = *at;
            s.a += x;
            ++s.b;
          },
          i);
  });
  double const seconds = bench::timestamp() - begin;
  std::uint64_t const count = co_await tess::at(1, [target] { return target->b; });
  std::uint64_t const sum = co_await tess::at(1, [target] { return target->a; });
  if (count != records || sum != records * (records - 1) / 2) throw tess::error("messages", "calls were lost", "none");
  co_return static_cast<double>(records) / seconds / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("a one-way stream of at_async calls");
  bench::options chosen;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("messages", chosen);
  // Each call carries 16 bytes: the captured handle and the argument.
  suite.pair(
      "at_async, 16 bytes", 2, "M/s", [] { return bench::ring_stream(records, bench::ring_record::bytes_24); },
      [] { return bench::in_job(2, [] { return stream(); }); });
  return suite.finish();
}
