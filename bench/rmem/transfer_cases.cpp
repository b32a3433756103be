// transfer_cases: blocking transfers: by mapping, by socket, and by several clients at once.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <ctime>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "cases.hpp"
#include "harness/clock.hpp"
#include "harness/huge_pages.hpp"
#include "harness/shared_pages.hpp"

namespace bench {

namespace {

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = 1024 * kibibyte;
constexpr std::size_t region_bytes = 64 * mebibyte;
/// The number of bytes moved for one figure.
constexpr std::size_t moved_bytes = 256 * mebibyte;

std::string size_text(std::size_t bytes) {
  return bytes >= mebibyte ? std::to_string(bytes / mebibyte) + " MiB" : std::to_string(bytes / kibibyte) + " KiB";
}

/// GB/s of move(offset) over the region, in blocks of `bytes`.
template <class F>
double bandwidth(std::size_t bytes, F&& move) {
  double const seconds = seconds_of([&] {
    for (std::size_t moved = 0; moved < moved_bytes; moved += bytes) move(moved % region_bytes);
  });
  return static_cast<double>(moved_bytes) / seconds / 1e9;
}

}  // namespace

void mapped_transfers(suite& to, memory_server const& server) {
  if (!to.wants("memread") && !to.wants("memwrite")) return;
  tess::rmem::client c(server.local());
  auto const r = c.create("mapped", region_bytes);
  shared_words const shared(region_bytes / sizeof(std::uint64_t));
  auto* const there = reinterpret_cast<std::byte*>(shared.data());
  huge_mapping const memory(region_bytes);
  c.memwrite(r.base, memory.base(), region_bytes);
  for (std::size_t bytes = kibibyte; bytes <= region_bytes; bytes *= 4) {
    to.pair(
        "memread " + size_text(bytes), 1, "GB/s",
        [&] { return bandwidth(bytes, [&](std::size_t at) { std::memcpy(memory.base() + at, there + at, bytes); }); },
        [&] { return bandwidth(bytes, [&](std::size_t at) { c.memread(memory.base() + at, r + at, bytes); }); });
    to.pair(
        "memwrite " + size_text(bytes), 1, "GB/s",
        [&] { return bandwidth(bytes, [&](std::size_t at) { std::memcpy(there + at, memory.base() + at, bytes); }); },
        [&] { return bandwidth(bytes, [&](std::size_t at) { c.memwrite(r + at, memory.base() + at, bytes); }); });
  }
  c.remove(r.base);
}

void round_trip(suite& to, memory_server const& server, echo& empty) {
  constexpr int calls = 5000;
  tess::rmem::client owner(server.local());
  auto const r = owner.create("round trip", mebibyte);
  auto const c = by_tcp(server, r);
  std::array<std::byte, 64> bytes{};
  auto const us_each = [](auto&& call) {
    return seconds_of([&] {
             for (int i = 0; i < calls; ++i) call();
           }) /
           calls * 1e6;
  };
  to.pair(
      "64 bytes by messages, against an empty call", 1, "us", [&] { return us_each([&] { empty.call(); }); },
      [&] { return us_each([&] { c->memread(bytes.data(), r + 4096, bytes.size()); }); });
  to.pair(
      "64 bytes mapped, against an empty call", 1, "us", [&] { return us_each([&] { empty.call(); }); },
      [&] { return us_each([&] { owner.memread(bytes.data(), r + 4096, bytes.size()); }); });
  owner.remove(r.base);
}

namespace {

/// Bytes per second of several clients during the same half second, in blocks of 1 MiB; each client cycles through a
/// number of buffers.
struct outcome {
  double all = 0;
  double slowest = 1e300;
  double processor_seconds = 0;  ///< for a GB, of the clients and the server
  double processors = 0;         ///< that they kept busy
};

double own_processor_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

outcome read_together(memory_server const& server, tess::rmem::region const& r, int clients, int buffers = 1) {
  std::vector<std::unique_ptr<tess::rmem::client>> each;
  for (int i = 0; i < clients; ++i) each.push_back(by_tcp(server, r));
  std::atomic<bool> stop{false};
  std::vector<std::atomic<std::uint64_t>> moved(static_cast<std::size_t>(clients));
  std::vector<std::thread> threads;
  double const used_before = server.processor_seconds() + own_processor_seconds();
  double const begin = timestamp();
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&, i] {
      std::size_t const bytes = static_cast<std::size_t>(buffers) * mebibyte;
      std::vector<std::byte> memory(bytes);
      for (std::size_t at = 0; !stop; at = (at + mebibyte) % region_bytes) {
        each[static_cast<std::size_t>(i)]->memread(&memory[at % bytes], r + at, mebibyte);
        moved[static_cast<std::size_t>(i)] += mebibyte;
      }
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  stop = true;
  for (auto& t : threads) t.join();
  double const seconds = timestamp() - begin;
  double const used = server.processor_seconds() + own_processor_seconds() - used_before;
  outcome o;
  for (auto const& m : moved) {
    double const rate = static_cast<double>(m) / seconds / 1e9;
    o.all += rate;
    o.slowest = std::min(o.slowest, rate);
  }
  o.processors = used / seconds;
  o.processor_seconds = used / (o.all * seconds);
  return o;
}

}  // namespace

void several_clients(suite& to, memory_server const& server) {
  std::string const busy = "processors that one client and the server use";
  auto const names = [](int clients) {
    std::string const n = std::to_string(clients) + " clients";
    return std::array{n + " together, against one", "the slowest of " + n + ", against its share",
                      n + ", processor time for a GB, against one",
                      n + ", processor time for a GB, against one with as many buffers"};
  };
  constexpr std::array counts{4, 16};
  bool const any = to.wants(busy) || std::ranges::any_of(counts, [&](int clients) {
                     return std::ranges::any_of(names(clients), [&](auto const& name) { return to.wants(name); });
                   });
  if (!any) return;
  tess::rmem::client owner(server.local());
  auto const r = owner.create("shared by clients", region_bytes);
  std::vector<std::byte> const zeros(region_bytes);
  owner.memwrite(r.base, zeros.data(), region_bytes);
  to.alone(busy, 1, "s/s", [&] { return read_together(server, r, 1).processors; });
  for (int const clients : counts) {
    std::vector<round> all;
    std::vector<round> slowest;
    std::vector<round> cost;
    std::vector<round> cost_of_buffers;
    for (int i = 0; i < std::min(to.runs(), 5); ++i) {
      outcome const one = read_together(server, r, 1);
      outcome const many = read_together(server, r, clients);
      all.push_back({one.all, many.all});
      slowest.push_back({many.all / clients, many.slowest});
      cost.push_back({one.processor_seconds, many.processor_seconds});
      cost_of_buffers.push_back({read_together(server, r, 1, clients).processor_seconds, many.processor_seconds});
    }
    auto const [together, share, processors, with_buffers] = names(clients);
    to.record(together, clients, "GB/s", all);
    to.record(share, clients, "GB/s", slowest);
    to.record(processors, clients, "s", cost);
    to.record(with_buffers, clients, "s", cost_of_buffers);
  }
  owner.remove(r.base);
}

void replicated_writes(suite& to, memory_server const& server) {
  constexpr std::array sizes{64 * kibibyte, mebibyte, 16 * mebibyte};
  auto const name = [](std::size_t bytes) { return "memwrite " + size_text(bytes) + " to two servers, against one"; };
  if (std::ranges::none_of(sizes, [&](std::size_t bytes) { return to.wants(name(bytes)); })) return;
  server_pair const pair("256M");
  huge_mapping const memory(region_bytes);
  struct target {
    std::unique_ptr<tess::rmem::client> by;
    tess::rmem::region region;
  };
  auto const made = [&](std::string const& local, std::string const& remote) {
    tess::rmem::client owner(local);
    auto const r = owner.create("replicated", region_bytes);
    std::vector<std::string> const tokens{owner.grant_token(r.base, tess::rmem::rights::read_write)};
    target t{std::make_unique<tess::rmem::client>(remote, tokens), r};
    t.by->memwrite(r.base, memory.base(), region_bytes);
    return t;
  };
  target const one = made(server.local(), server.remote());
  target const two = made(pair.local(), pair.remote());
  for (std::size_t const bytes : sizes) {
    auto const writes = [&](target const& t) {
      return bandwidth(bytes, [&](std::size_t at) { t.by->memwrite(t.region + at, memory.base() + at, bytes); });
    };
    to.pair(name(bytes), 1, "GB/s", [&] { return writes(one); }, [&] { return writes(two); });
  }
  tess::rmem::client(server.local()).remove(one.region.base);
}

}  // namespace bench
