// call_cases: a call and its response against one line in each direction; a barrier against two flags.
#include "cases.hpp"
#include "harness/clock.hpp"
#include "limits/between_cores.hpp"

namespace bench {
namespace {

constexpr std::uint64_t rounds = 50'000;

tess::task<double> calls() {
  double const begin = timestamp();
  for (std::uint64_t i = 0; i < rounds; ++i) co_await tess::at(1, [] {});
  co_return (timestamp() - begin) * ns_per_second / rounds;
}

tess::task<double> barriers() {
  auto const result = co_await tess::place_local<double>::make(0.0);
  co_await tess::on_all_places([result]() -> tess::task<void> {
    for (std::uint64_t i = 0; i < rounds / 10; ++i) co_await tess::barrier();
    double const begin = timestamp();
    for (std::uint64_t i = 0; i < rounds; ++i) co_await tess::barrier();
    *result = (timestamp() - begin) * ns_per_second / static_cast<double>(rounds);
  });
  double const ns = *result;
  co_await tess::place_local<double>::release(result);
  co_return ns;
}

}  // namespace

tess::task<void> call_cases(suite& results) {
  co_await compare(results, "call, round trip", "ns", [] { return ping_pong(rounds); }, calls);
  co_await compare(results, "barrier", "ns", [] { return flag_exchange(rounds); }, barriers);
}

}  // namespace bench
