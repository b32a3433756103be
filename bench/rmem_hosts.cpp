// rmem_hosts: remote memory of another host by TCP, against the UCX calls made directly.
//
//   Both sides run in turn between the same two hosts: memread and memwrite of a `tess memd` of the other host, and
//   ucp_get_nbx and ucp_put_nbx with a flush on memory of a process there, which does nothing but progress its worker
//   while it is its turn. Start it by `python3 tools/bench_hosts.py TREE --bench rmem_hosts`.
//
// Units    GB/s; us for 64 bytes.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/suite.hpp"
#include "rmem/other_processes.hpp"
#include "tess/rmem.hpp"
#include "tess/tess.hpp"
#include "ucx_raw/raw_calls.hpp"

namespace {

constexpr std::size_t bytes_max = std::size_t{64} << 20U;
constexpr unsigned small_reads = 2000;

/// What the other host says of itself; plain bytes, to travel as they are.
struct introduction {
  std::array<char, 128> where{};
  std::array<char, 65> token{};
  tess::rmem::address base = 0;
  tess::global_ptr<std::byte> raw;
  std::size_t raw_bytes = 0;
};

template <std::size_t N>
void put(std::array<char, N>& to, std::string const& text) {
  std::ranges::copy(text.substr(0, N - 1), to.begin());
}

std::string host_name() {
  std::array<char, 64> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

/// One at each place, for place_local; that of the other host is used.
struct host_server {
  bench::memory_server server{"256M", host_name()};
};
using host_servers = tess::place_local<host_server>;

introduction introduce(host_servers servers, tess::global_ptr<std::uint64_t> memory) {
  introduction i;
  tess::rmem::client owner((*servers).server.local());
  auto const r = owner.create("hosts", bytes_max);
  std::vector<std::byte> const written(bytes_max, std::byte{1});
  owner.memwrite(r.base, written.data(), written.size());
  put(i.where, (*servers).server.remote());
  put(i.token, owner.grant_token(r.base, tess::rmem::rights::read_write));
  i.base = r.base;
  bench::raw_introduction const raw = bench::start_raw_target(memory.local(), bytes_max);
  i.raw = tess::allocate<std::byte>(raw.bytes);
  i.raw_bytes = raw.bytes;
  std::ranges::copy(std::span(raw.begin, raw.bytes), i.raw.local());
  return i;
}

/// Rounds of raw and ours, the first one changing.
template <class Raw, class Ours>
tess::task<void> compare(bench::suite& suite, std::string name, std::string unit, Raw raw, Ours ours) {
  if (!suite.wants(name)) co_return;
  std::vector<bench::round> rounds;
  for (int i = 0; i < suite.runs(); ++i) {
    bench::round r{};
    for (int side : {i % 2, 1 - i % 2}) {
      if (side == 0) {
        r.ours = ours();
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

tess::task<void> measure(bench::suite& suite, introduction const& there, bench::raw_side& raw) {
  tess::rmem::client c(there.where.data(), {there.token.data()});
  auto const mine = tess::allocate<std::byte>(bytes_max);
  std::memset(mine.local(), 2, bytes_max);
  co_await compare(
      suite, "memread 64 B, latency", "us", [&] { return raw.latency(bench::raw_operation::get, small_reads) * 1e6; },
      [&] {
        double const begin = bench::timestamp();
        for (unsigned i = 0; i < small_reads; ++i) c.memread(mine.local(), there.base + 4096, 64);
        return (bench::timestamp() - begin) / small_reads * 1e6;
      });
  for (std::size_t const bytes : {std::size_t{64} << 10U, std::size_t{1} << 20U, bytes_max}) {
    std::string const size =
        bytes >> 20U == 0 ? std::to_string(bytes >> 10U) + " KiB" : std::to_string(bytes >> 20U) + " MiB";
    auto const times = static_cast<unsigned>(std::clamp<std::size_t>((std::size_t{256} << 20U) / bytes, 4, 2000));
    for (bool const writes : {true, false})
      co_await compare(
          suite, (writes ? "memwrite " : "memread ") + size, "GB/s",
          [&] { return raw.block(writes, mine.local(), bytes, times) / 1e9; },
          [&] {
            double const begin = bench::timestamp();
            for (unsigned i = 0; i < times; ++i) {
              if (writes)
                c.memwrite(there.base, mine.local(), bytes);
              else
                c.memread(mine.local(), there.base, bytes);
            }
            return static_cast<double>(times * bytes) / (bench::timestamp() - begin) / 1e9;
          });
  }
}

tess::task<int> compare_all(bench::suite& suite) {
  if (tess::places() != 2) throw tess::error("rmem_hosts", std::to_string(tess::places()) + " places", "-n 2");
  auto const memory = co_await tess::at(1, [] { return tess::allocate<std::uint64_t>(bytes_max / 8); });
  auto const servers = co_await host_servers::make();
  auto const there = co_await tess::at(1, introduce, servers, memory);
  std::vector<std::byte> raw_introduction(there.raw_bytes);
  co_await tess::get(there.raw, raw_introduction);
  co_await tess::at(1, [] { bench::progress_raw_target(true); });
  {
    bench::raw_side raw(raw_introduction);
    // The first call makes the connection.
    static_cast<void>(raw.latency(bench::raw_operation::get, 1));
    co_await measure(suite, there, raw);
    co_await tess::at(1, [] { bench::progress_raw_target(true); });
  }
  co_await tess::at(1, [] { bench::end_raw_target(); });
  co_await host_servers::release(servers);
  co_return suite.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  CLI::App app("Remote memory of another host by TCP, against the UCX calls made directly.");
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("rmem_hosts", chosen);
  // `tess bench` runs all: on one host there is nothing to compare.
  if (!tess::settings::started_by_launcher()) {
    std::puts("rmem_hosts needs two hosts: python3 tools/bench_hosts.py TREE --bench rmem_hosts");
    return suite.finish();
  }
  return tess::run(argc, argv, [&suite](tess::args) { return compare_all(suite); });
}
