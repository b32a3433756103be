// array_cases: arrays of 8 times their cache: scans, and random items.
#include <algorithm>
#include <array>
#include <cstdint>

#include "cases.hpp"
#include "harness/clock.hpp"
#include "harness/job.hpp"
#include "harness/splitmix.hpp"
#include "tess/rmem_array.hpp"

namespace bench {

namespace {

using tess::rmem::array;
using tess::rmem::client;
using tess::rmem::region;
using word = std::uint64_t;

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t array_bytes = 256 * mebibyte;
constexpr std::size_t cache_bytes = array_bytes / 8;
constexpr word items = array_bytes / sizeof(word);
constexpr word sum_of_items = items * (items - 1) / 2;

double gigabytes(double seconds) {
  return static_cast<double>(array_bytes) / seconds / 1e9;
}

void check_sum(word sum) {
  if (sum != sum_of_items) throw tess::error("rmem", "items were lost", "their sum");
}

/// Reads the whole array, one MiB after the other, into the same buffer.
double raw_reads(client& c, region const& r) {
  std::vector<std::byte> memory(mebibyte);
  return gigabytes(seconds_of([&] {
    for (std::size_t at = 0; at < array_bytes; at += mebibyte) c.memread(memory.data(), r + at, mebibyte);
  }));
}

/// The same, with a loop over each MiB that was read: a program without a cache.
double reads_and_loop(client& c, region const& r) {
  std::vector<word> memory(mebibyte / sizeof(word));
  word sum = 0;
  double const seconds = seconds_of([&] {
    for (std::size_t at = 0; at < array_bytes; at += mebibyte) {
      c.memread(memory.data(), r + at, mebibyte);
      for (word const x : memory) sum += x;
    }
  });
  check_sum(sum);
  return gigabytes(seconds);
}

double scan_items(client& c, region const& r) {
  return in_job(1, [&]() -> tess::task<double> {
    array<word const> a(c, r, {.bytes = cache_bytes});
    word sum = 0;
    double const begin = timestamp();
    for (word const& x : a) sum += x;
    double const end = timestamp();
    check_sum(sum);
    co_return gigabytes(end - begin);
  });
}

/// By tasks, a page at a time.
double scan_pages(client& c, region const& r) {
  return in_job(1, [&]() -> tess::task<double> {
    array<word const> a(c, r, {.bytes = cache_bytes});
    word sum = 0;  // of one worker
    double const begin = timestamp();
    co_await a.forall([&sum](tess::rmem::tile<word const> const& page) {
      word of_page = 0;
      for (word const& x : page) of_page += x;
      sum += of_page;
    });
    double const end = timestamp();
    check_sum(sum);
    co_return gigabytes(end - begin);
  });
}

double scan_tiles(client& c, region const& r) {
  return in_job(1, [&]() -> tess::task<double> {
    array<word const> a(c, r, {.bytes = mebibyte});
    word sum = 0;
    double const begin = timestamp();
    for (auto& tile : a.tiles(mebibyte / sizeof(word)))
      for (word const& x : tile) sum += x;
    double const end = timestamp();
    check_sum(sum);
    co_return gigabytes(end - begin);
  });
}

/// Million items per second.
double random_items(client& c, region const& r, word tasks, word each) {
  return in_job(1, [&]() -> tess::task<double> {
    array<word const> a(c, r, {.bytes = cache_bytes, .page_bytes = 4096, .prefetch_pages = 0});
    double const begin = timestamp();
    co_await tess::forall(
        0, tasks,
        [&](word t) -> tess::task<void> {
          for (word k = 0; k < each; ++k) {
            word const i = splitmix(t + 1, k) % items;
            if (co_await a[i] != i) throw tess::error("rmem", "an item was lost", "its index");
          }
        },
        1);
    co_return static_cast<double>(tasks * each) / (timestamp() - begin) / 1e6;
  });
}

region filled(client& c, char const* name) {
  auto const r = c.create(name, array_bytes);
  std::vector<word> part(mebibyte / sizeof(word));
  for (word first = 0; first < items; first += part.size()) {
    for (word i = 0; i < part.size(); ++i) part[i] = first + i;
    c.memwrite(r + first * sizeof(word), part.data(), mebibyte);
  }
  return r;
}

}  // namespace

void scans(suite& to, memory_server const& server) {
  struct scan {
    char const* name;
    double (*run)(client&, region const&);
  };
  static constexpr std::array ways{scan{"by tasks", scan_pages}, scan{"of items", scan_items},
                                   scan{"of tiles", scan_tiles}};
  static constexpr std::array bys{", mapped", ", by messages"};
  static constexpr char const* in_turn = ", against read and loop";
  auto const name_of = [](scan const& s, char const* by) { return std::string("scan ") + s.name + by; };
  if (std::ranges::none_of(ways, [&](scan const& s) {
        return std::ranges::any_of(bys, [&](char const* by) { return to.wants(name_of(s, by) + in_turn); });
      }))
    return;
  client local(server.local());
  auto const r = filled(local, "scanned");
  auto const remote = by_tcp(server, r);
  for (char const* const by : bys) {
    client& c = by == bys.front() ? local : *remote;
    for (scan const& s : ways) {
      to.pair(name_of(s, by), 1, "GB/s", [&] { return raw_reads(c, r); }, [&] { return s.run(c, r); });
      to.pair(name_of(s, by) + in_turn, 1, "GB/s", [&] { return reads_and_loop(c, r); }, [&] { return s.run(c, r); });
    }
  }
  local.remove(r.base);
}

void random_access(suite& to, memory_server const& server) {
  if (!to.wants("random items by 256 tasks, against one")) return;
  client local(server.local());
  auto const r = filled(local, "random");
  auto const remote = by_tcp(server, r);
  to.pair(
      "random items by 256 tasks, against one", 1, "M/s", [&] { return random_items(*remote, r, 1, 3000); },
      [&] { return random_items(*remote, r, 256, 100); });
  local.remove(r.base);
}

}  // namespace bench
