// hosts: remote memory of another host by TCP, against the UCX calls made directly.
//
//   Both kinds of transfers alternate between the same two hosts: memread and memwrite with a `tess memd` there, and
//   ucp_get_nbx and ucp_put_nbx with a flush on memory of a process there, which progresses its worker during its
//   turns. The two processes share one region: words that say which side has the turn, the data that UCX needs to
//   connect, and the bytes to move. Started by `python3 tools/bench_hosts.py TREE --bench rmem_hosts`.
//
// Units    GB/s; us for 64 bytes.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "harness/clock.hpp"
#include "harness/huge_pages.hpp"
#include "harness/suite.hpp"
#include "rmem/other_processes.hpp"
#include "tess/rmem.hpp"
#include "ucx/raw_calls.hpp"

namespace {

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = 1024 * kibibyte;
constexpr std::size_t moved_max = 64 * mebibyte;
constexpr unsigned small_reads = 2000;

/// Offsets in the region: the turn (odd: UCX), its acknowledgement, the data that UCX needs to connect, the bytes.
constexpr std::uint64_t turn_at = 0;
constexpr std::uint64_t taken_at = 64;
constexpr std::uint64_t introduction_at = 4096;
constexpr std::uint64_t bytes_at = mebibyte;

constexpr std::uint64_t the_end = ~std::uint64_t{0};  ///< the last turn

/// The other host, until the last turn. Prints where its region is.
void serve(std::string const& host) {
  bench::memory_server const server("256M", host);
  bench::huge_mapping const memory(moved_max);
  bench::raw_introduction const raw = bench::start_raw_target(memory.base(), moved_max);
  tess::rmem::client c(server.local());
  auto const r = c.create("hosts", bytes_at + moved_max);
  std::vector<std::byte> const ones(moved_max, std::byte{1});
  c.memwrite(r + bytes_at, ones.data(), ones.size());
  c.memwrite(r + introduction_at, raw.begin, raw.bytes);
  std::cout << server.remote() << ' ' << c.grant_token(r.base, tess::rmem::rights::read_write) << ' ' << r.base << ' '
            << raw.bytes << '\n'
            << std::flush;
  for (std::uint64_t seen = 0; seen != the_end;) {
    std::uint64_t turn = 0;
    c.memread(&turn, r + turn_at, sizeof turn);
    if (turn == seen) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    seen = turn;
    if (turn != the_end) bench::progress_raw_target(turn % 2 == 1);
    c.memwrite(r + taken_at, &seen, sizeof seen);
  }
  bench::end_raw_target();
}

/// The other host, as seen from here.
class other_host {
 public:
  explicit other_host(std::string const& said) {
    std::istringstream from(said);
    std::string where;
    std::string token;
    if (!(from >> where >> token >> base_ >> introduction_bytes_))
      throw std::runtime_error("--there: give the line that --serve printed");
    client_ = std::make_unique<tess::rmem::client>(where, std::vector<std::string>{token});
  }

  [[nodiscard]] tess::rmem::client& client() { return *client_; }
  [[nodiscard]] tess::rmem::address bytes() const { return base_ + bytes_at; }
  [[nodiscard]] std::vector<std::byte> introduction() {
    std::vector<std::byte> bytes(introduction_bytes_);
    client_->memread(bytes.data(), base_ + introduction_at, bytes.size());
    return bytes;
  }
  void raw_turn(bool on) {
    if ((turn_ % 2 == 1) != on) take_turn(turn_ + 1);
  }
  void end() { take_turn(the_end); }

 private:
  void take_turn(std::uint64_t turn) {
    turn_ = turn;
    client_->memwrite(base_ + turn_at, &turn, sizeof turn);
    for (std::uint64_t taken = ~turn; taken != turn;) client_->memread(&taken, base_ + taken_at, sizeof taken);
  }

  tess::rmem::address base_ = 0;
  std::size_t introduction_bytes_ = 0;
  std::unique_ptr<tess::rmem::client> client_;
  std::uint64_t turn_ = 0;
};

void compare(bench::suite& suite, other_host& there, std::string const& name, std::string const& unit,
             bench::suite::measurement const& raw, bench::suite::measurement const& ours) {
  suite.pair(
      name, 2, unit,
      [&] {
        there.raw_turn(true);
        return raw();
      },
      [&] {
        there.raw_turn(false);
        return ours();
      });
}

void measure(bench::suite& suite, other_host& there, bench::raw_side& raw) {
  auto& c = there.client();
  bench::huge_mapping const mine(moved_max);
  std::fill_n(mine.base(), moved_max, std::byte{2});
  compare(
      suite, there, "memread 64 B", "us", [&] { return raw.latency(bench::raw_operation::get, small_reads) * 1e6; },
      [&] {
        return bench::seconds_of([&] {
                 for (unsigned i = 0; i < small_reads; ++i) c.memread(mine.base(), there.bytes(), 64);
               }) /
               small_reads * 1e6;
      });
  for (std::size_t const bytes : {64 * kibibyte, mebibyte, moved_max}) {
    std::string const size =
        bytes < mebibyte ? std::to_string(bytes / kibibyte) + " KiB" : std::to_string(bytes / mebibyte) + " MiB";
    auto const times = static_cast<unsigned>(std::max<std::size_t>(256 * mebibyte / bytes, 4));
    for (bool const writes : {true, false})
      compare(
          suite, there, (writes ? "memwrite " : "memread ") + size, "GB/s",
          [&] { return raw.block(writes, mine.base(), bytes, times) / 1e9; },
          [&] {
            return static_cast<double>(times * bytes) / 1e9 / bench::seconds_of([&] {
                     for (unsigned i = 0; i < times; ++i) {
                       if (writes)
                         c.memwrite(there.bytes(), mine.base(), bytes);
                       else
                         c.memread(mine.base(), there.bytes(), bytes);
                     }
                   });
          });
  }
}

int run(bench::suite& suite, std::string const& said) {
  other_host there(said);
  there.raw_turn(true);
  {
    bench::raw_side raw(there.introduction());
    // The first call makes the connection.
    static_cast<void>(raw.latency(bench::raw_operation::get, 1));
    measure(suite, there, raw);
    there.raw_turn(true);
  }
  there.end();
  return suite.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  std::string host;
  std::string said;
  CLI::App app("Remote memory of another host by TCP, against the UCX calls made directly.");
  bench::declare(app, chosen);
  app.add_option("--serve", host, "be the other host, whose name or address this is");
  app.add_option("--there", said, "what the other host printed");
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  try {
    if (!host.empty()) {
      serve(host);
      return 0;
    }
    bench::suite suite("rmem_hosts", chosen);
    if (!said.empty()) return run(suite, said);
    // `tess bench` runs all: on one host there is nothing to compare.
    std::puts("rmem_hosts needs two hosts: python3 tools/bench_hosts.py TREE --bench rmem_hosts");
    return suite.finish();
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "rmem_hosts: %s\n", failure.what());
    return 1;
  }
}
