// transfer_cases: blocking transfers: by mapping, by messages, and by several clients at once.
#include <atomic>
#include <cstring>
#include <thread>

#include "cases.hpp"
#include "harness/clock.hpp"
#include "harness/huge_pages.hpp"
#include "harness/shared_pages.hpp"

namespace bench {

namespace {

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = 1024 * kibibyte;
constexpr std::size_t region_bytes = 64 * mebibyte;
/// So many bytes are moved for one figure.
constexpr std::size_t moved_bytes = 256 * mebibyte;

std::string size_text(std::size_t bytes) {
  return bytes >= mebibyte ? std::to_string(bytes / mebibyte) + " MiB" : std::to_string(bytes / kibibyte) + " KiB";
}

/// GB/s of move(offset) over the region, in pieces of `bytes`.
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

void several_clients(suite& to, memory_server const& server) {
  if (!to.wants("clients")) return;
  tess::rmem::client owner(server.local());
  auto const r = owner.create("shared by clients", region_bytes);
  std::vector<std::byte> const zeros(region_bytes);
  owner.memwrite(r.base, zeros.data(), region_bytes);
  struct outcome {
    double all;
    double slowest;
  };
  // Bytes per second of each during the same half second, in pieces that each have their buffer.
  auto const read_together = [&](int clients) {
    std::vector<std::unique_ptr<tess::rmem::client>> each;
    for (int i = 0; i < clients; ++i) each.push_back(by_tcp(server, r));
    std::atomic<bool> stop{false};
    std::vector<std::atomic<std::uint64_t>> moved(static_cast<std::size_t>(clients));
    std::vector<std::thread> threads;
    double const begin = timestamp();
    for (int i = 0; i < clients; ++i)
      threads.emplace_back([&, i] {
        std::vector<std::byte> memory(mebibyte);
        for (std::size_t at = 0; !stop; at = (at + mebibyte) % region_bytes) {
          each[static_cast<std::size_t>(i)]->memread(memory.data(), r + at, mebibyte);
          moved[static_cast<std::size_t>(i)] += mebibyte;
        }
      });
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    stop = true;
    for (auto& t : threads) t.join();
    double const seconds = timestamp() - begin;
    outcome o{0, 1e300};
    for (auto const& m : moved) {
      double const rate = static_cast<double>(m) / seconds / 1e9;
      o.all += rate;
      o.slowest = std::min(o.slowest, rate);
    }
    return o;
  };
  for (int const clients : {4, 16}) {
    std::vector<round> all;
    std::vector<round> slowest;
    for (int i = 0; i < std::min(to.runs(), 5); ++i) {
      outcome const one = read_together(1);
      outcome const many = read_together(clients);
      all.push_back({one.all, many.all});
      slowest.push_back({many.all / clients, many.slowest});
    }
    to.record(std::to_string(clients) + " clients together, against one", clients, "GB/s", all);
    to.record("the slowest of " + std::to_string(clients) + " clients, against its share", clients, "GB/s", slowest);
  }
  owner.remove(r.base);
}

}  // namespace bench
