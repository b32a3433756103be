// main: words and blocks of another process, without a window, against the UCX calls made directly.
//
//   Both sides run in turn in the same two processes, over the transports in UCX_TLS (one host: posix, cma, self). The
//   raw side has its own worker at each place, and place 1 only progresses it; its calls are
//   ucp_put_nbx, ucp_get_nbx and ucp_atomic_op_nbx on a registered segment, with ucp_ep_flush_nbx after puts, because
//   an awaited put has arrived. Latency: one at a time. Rate: 64 outstanding. Start it by
//   `TESS_NO_WINDOW=1 mpirun -n 2 ucx_raw`.
//
// Units    us for one operation, M/s for many, GB/s for blocks.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/suite.hpp"
#include "tess/tess.hpp"
#include "ucx/raw_calls.hpp"

namespace {

using words = tess::global_ptr<std::uint64_t>;

constexpr std::size_t block_bytes_max = std::size_t{64} << 20U;
constexpr unsigned outstanding = 64;
constexpr unsigned single_operations = 4000;
constexpr unsigned many_operations = 64000;

enum class operation { put, get, fetch_add };

tess::task<void> one(operation what, words p) {
  if (what == operation::put) co_await tess::put(p, 1);
  if (what == operation::get) static_cast<void>(co_await tess::get(p));
  if (what == operation::fetch_add) static_cast<void>(co_await tess::fetch_add(p, 1));
}

tess::task<double> our_latency(operation what, words p) {
  double const begin = bench::timestamp();
  for (unsigned i = 0; i < single_operations; ++i) co_await one(what, p);
  co_return (bench::timestamp() - begin) / single_operations * 1e6;
}

tess::task<double> our_rate(operation what, words p) {
  double const begin = bench::timestamp();
  co_await tess::finish([&] {
    for (unsigned t = 0; t < outstanding; ++t)
      tess::spawn(
          [](operation o, words w) -> tess::task<void> {
            for (unsigned i = 0; i < many_operations / outstanding; ++i) co_await one(o, w);
          },
          what, p + t);
  });
  co_return many_operations / (bench::timestamp() - begin) / 1e6;
}

unsigned transfers(std::size_t bytes) {
  return static_cast<unsigned>(std::clamp<std::size_t>((std::size_t{512} << 20U) / bytes, 4, 2000));
}

tess::task<double> our_blocks(bool put, words p, std::span<std::uint64_t> mine) {
  unsigned const n = transfers(mine.size_bytes());
  double const begin = bench::timestamp();
  for (unsigned i = 0; i < n; ++i) {
    if (put)
      co_await tess::put(mine, p);
    else
      co_await tess::get(p, mine);
  }
  co_return static_cast<double>(n * mine.size_bytes()) / (bench::timestamp() - begin) / 1e9;
}

/// Rounds of raw and ours, in changing order.
template <class Raw, class Ours>
tess::task<void> compare(bench::suite& suite, std::string name, std::string unit, Raw raw, Ours ours) {
  if (!suite.wants(name)) co_return;
  std::vector<bench::round> rounds;
  for (int i = 0; i < suite.runs(); ++i) {
    bench::round r{};
    for (int side : {i % 2, 1 - i % 2}) {
      if (side == 0) {
        r.ours = co_await ours();
        continue;
      }
      co_await tess::at(1, [] { bench::progress_raw_target(true); });
      r.limit = raw();
      co_await tess::at(1, [] { bench::progress_raw_target(false); });
    }
    rounds.push_back(r);
  }
  suite.record(name, 2, unit, rounds);
}

tess::task<void> measure(bench::suite& suite, words theirs, bench::raw_side& raw) {
  struct named {
    operation what;
    bench::raw_operation raw;
    char const* name;
  };
  for (auto const [what, raw_what, name] :
       {named{operation::put, bench::raw_operation::put, "put"},
        named{operation::get, bench::raw_operation::get, "get"},
        named{operation::fetch_add, bench::raw_operation::fetch_add, "fetch_add"}}) {
    co_await compare(
        suite, std::string(name) + " 8 B, latency", "us",
        [&] { return raw.latency(raw_what, single_operations) * 1e6; }, [&] { return our_latency(what, theirs); });
    co_await compare(
        suite, std::string(name) + " 8 B, 64 under way", "M/s",
        [&] { return raw.rate(raw_what, many_operations, outstanding) / 1e6; }, [&] { return our_rate(what, theirs); });
  }
  auto const mine = tess::allocate<std::uint64_t>(block_bytes_max / 8);
  for (std::size_t const bytes : {std::size_t{64} << 10U, std::size_t{1} << 20U, block_bytes_max}) {
    std::string const size =
        bytes >> 20U == 0 ? std::to_string(bytes >> 10U) + " KiB" : std::to_string(bytes >> 20U) + " MiB";
    for (bool const put : {true, false})
      co_await compare(
          suite, (put ? "put " : "get ") + size, "GB/s",
          [&] { return raw.block(put, mine.local(), bytes, transfers(bytes)) / 1e9; },
          [&] { return our_blocks(put, theirs, {mine.local(), bytes / 8}); });
  }
}

struct raw_place {
  tess::global_ptr<std::byte> where;
  std::size_t bytes;
};

tess::task<int> compare_all(bench::suite& suite) {
  if (tess::places() != 2) throw tess::error("ucx_raw", std::to_string(tess::places()) + " places", "mpirun -n 2");
  auto const theirs = co_await tess::at(1, [] { return tess::allocate<std::uint64_t>(block_bytes_max / 8); });
  auto const there = co_await tess::at(
      1,
      [](words memory) {
        bench::raw_introduction const i = bench::start_raw_target(memory.local(), block_bytes_max);
        auto const copy = tess::allocate<std::byte>(i.bytes);
        std::ranges::copy(std::span(i.begin, i.bytes), copy.local());
        return raw_place{copy, i.bytes};
      },
      theirs);
  std::vector<std::byte> introduction(there.bytes);
  co_await tess::get(there.where, introduction);
  co_await tess::at(1, [] { bench::progress_raw_target(true); });
  {
    bench::raw_side raw(introduction);
    // The first call establishes the connection.
    static_cast<void>(raw.latency(bench::raw_operation::get, 1));
    co_await measure(suite, theirs, raw);
    co_await tess::at(1, [] { bench::progress_raw_target(true); });
  }
  co_await tess::at(1, [] { bench::end_raw_target(); });
  co_return suite.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  CLI::App app("Words and blocks of another process against the UCX calls made directly.");
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("ucx_raw", chosen);
  // `tess bench` runs all benchmarks; with one process there is nothing to compare.
  if (!tess::settings::started_by_launcher()) {
    std::puts("ucx_raw needs two processes: TESS_NO_WINDOW=1 mpirun -n 2 ucx_raw");
    return suite.finish();
  }
  return tess::run(argc, argv, [&suite](tess::args) { return compare_all(suite); });
}
