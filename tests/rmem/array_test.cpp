// array_test: arrays larger than their cache. Method: a live server; every access is compared with a vector; the bytes
// at the server are read without the cache; counters say which pages were read.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include "live_server.hpp"
#include "tess/rmem_array.hpp"
#include "tess/tess.hpp"

namespace tess::rmem {
namespace {

using word = std::uint64_t;
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t per_page = page_bytes / sizeof(word);
constexpr std::uint64_t items = 100 * per_page + 77;
constexpr std::size_t cached_pages = 12;

void in_job(unsigned workers, std::function<task<void>()> body) {
  settings s;
  s.places = 1;
  s.workers = workers;
  ASSERT_EQ(run(s, {},
                [&](args) -> task<int> {
                  co_await body();
                  co_return 0;
                }),
            0);
}

struct arrays : testing::Test {
  live_server server{std::uint64_t{16} << 20};
  client local{server.local()};
  region where = local.create("array", items * sizeof(word));
  std::unique_ptr<client> remote = server.remote_client(where);

  static cache_options small(replacement replaces = replacement::clock, write_policy writes = write_policy::back) {
    return {.bytes = cached_pages * page_bytes, .page_bytes = page_bytes, .replaces = replaces, .writes = writes};
  }
  [[nodiscard]] std::vector<word> at_server() {
    std::vector<word> all(items);
    local.memread(all.data(), where.base, items * sizeof(word));
    return all;
  }
  std::vector<word> fill() {
    std::vector<word> all(items);
    std::iota(all.begin(), all.end(), 1000);
    local.memwrite(where.base, all.data(), items * sizeof(word));
    return all;
  }
};

using choice = std::tuple<replacement, write_policy, bool>;
struct every_cache : arrays, testing::WithParamInterface<choice> {
  [[nodiscard]] client& with() { return std::get<2>(GetParam()) ? local : *remote; }
  [[nodiscard]] cache_options options() const { return small(std::get<0>(GetParam()), std::get<1>(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(all, every_cache,
                         testing::Combine(testing::Values(replacement::fifo, replacement::lru, replacement::clock),
                                          testing::Values(write_policy::back, write_policy::through), testing::Bool()));

TEST_P(every_cache, reads_and_writes_items_as_a_vector_does) {
  auto model = fill();
  in_job(1, [&]() -> task<void> {
    array<word> a(with(), where, options());
    EXPECT_EQ(a.size(), items);
    std::mt19937_64 random(3);
    for (int step = 0; step < 1500; ++step) {
      std::uint64_t const i = random() % items;
      if (step % 3 == 0) {
        model[i] = random();
        co_await (a[i] = model[i]);
      } else {
        EXPECT_EQ(co_await a[i], model[i]) << "item " << i << ", step " << step;
      }
    }
    if (options().writes == write_policy::through) EXPECT_TRUE(at_server() == model);
    co_await a.flush();
    EXPECT_TRUE(at_server() == model);
  });
}

TEST_P(every_cache, keeps_what_many_tasks_write) {
  in_job(2, [&]() -> task<void> {
    array<word> a(with(), where, options());
    // Neighbours write to the same pages.
    co_await tess::forall(
        0, 64,
        [&](std::uint64_t t) -> task<void> {
          for (std::uint64_t i = t; i < items; i += 64 * 97) {
            co_await (a[i] = i * i);
            EXPECT_EQ(co_await a[i], i * i);
          }
        },
        1);
    co_await a.flush();
    auto const all = at_server();
    for (std::uint64_t t = 0; t < 64; ++t)
      for (std::uint64_t i = t; i < items; i += 64 * 97) EXPECT_EQ(all[i], i * i);
  });
}

TEST_P(every_cache, visits_all_items_by_forall_iteration_and_tiles) {
  auto model = fill();
  in_job(2, [&]() -> task<void> {
    array<word> a(with(), where, options());
    co_await a.forall([](std::uint64_t i, word& x) { x += i; });
    for (std::uint64_t i = 0; i < items; ++i) model[i] += i;
    for (word& x : a) x *= 3;
    for (word& x : model) x *= 3;
    word expected = 7;  // a cached page is changed before the tiles
    co_await (a[5] = expected);
    model[5] = expected;
    std::uint64_t first = 0;
    for (auto& tile : a.tiles(1000)) {
      EXPECT_EQ(tile.first(), first);
      first += tile.size();
      for (word& x : tile) x ^= 0x55;
    }
    EXPECT_EQ(first, items);
    for (word& x : model) x ^= 0x55;
    EXPECT_EQ(co_await a[5], model[5]);
    auto tiles = a.as_const().tiles(3000);
    std::uint64_t seen = 0;
    while (auto const* const tile = co_await tiles.next())
      for (word const& x : *tile) EXPECT_EQ(x, model[seen++]);
    EXPECT_EQ(seen, items);
    std::uint64_t at = 0;
    for (word const& x : a.as_const()) EXPECT_EQ(x, model[at++]);
    std::atomic<word> sum{0};
    co_await a.as_const().forall([&](word const& x) { sum += x; });
    EXPECT_EQ(sum, std::accumulate(model.begin(), model.end(), word{0}));
    std::atomic<std::uint64_t> visited{0};
    co_await a.as_const().forall([&](tile<word const> const& page) {
      EXPECT_EQ(page[0], model[page.first()]);
      visited += page.size();
    });
    EXPECT_EQ(visited, items);
    co_await a.flush();
    EXPECT_TRUE(at_server() == model);
  });
}

TEST_F(arrays, write_back_when_destroyed_and_when_a_loop_over_tiles_is_left) {
  auto model = fill();
  in_job(1, [&]() -> task<void> {
    {
      array<word> a(*remote, where, small());
      co_await (a[3] = 33);
      for (auto& tile : a.tiles(500)) {
        tile[0] = tile.first();
        if (tile.first() == 1000) break;
      }
      co_await (a[1501] = 44);
    }
    model[3] = 33;
    for (std::size_t const i : {0U, 500U, 1000U}) model[i] = i;
    model[1501] = 44;
    EXPECT_TRUE(at_server() == model);
  });
}

/// Reads the pages of `order` one by one; returns how many were not in the cache.
task<std::uint64_t> misses(client& c, region r, replacement replaces, std::vector<std::uint64_t> order) {
  array<word const> a(c, r,
                      {.bytes = 4 * page_bytes, .page_bytes = page_bytes, .replaces = replaces, .prefetch_pages = 0});
  for (std::uint64_t page : order) EXPECT_EQ(co_await a[page * per_page], 1000 + page * per_page);
  co_return a.counts().misses;
}

TEST_F(arrays, replace_pages_by_their_policy) {
  static_cast<void>(fill());
  in_job(1, [&]() -> task<void> {
    for (client* const c : {&local, remote.get()}) {
      // Page 0 is used again before a page is replaced: it was loaded first, but is not the least recently used.
      std::vector<std::uint64_t> const reused{0, 1, 2, 3, 0, 4, 0};
      EXPECT_EQ(co_await misses(*c, where, replacement::fifo, reused), 6U);
      EXPECT_EQ(co_await misses(*c, where, replacement::lru, reused), 5U);
      // LRU keeps 2 and 3, which were used after 0 and 1; FIFO has replaced 1 and 2 by then.
      std::vector<std::uint64_t> const tail{0, 1, 2, 3, 1, 4, 5, 3, 2};
      EXPECT_EQ(co_await misses(*c, where, replacement::lru, tail), 7U);
      EXPECT_EQ(co_await misses(*c, where, replacement::fifo, tail), 6U);
      // CLOCK keeps a page that was used since the hand passed it, once.
      std::vector<std::uint64_t> const clock{0, 1, 2, 3, 4, 1, 5, 1, 2};
      EXPECT_EQ(co_await misses(*c, where, replacement::clock, clock), 7U);
      EXPECT_EQ(co_await misses(*c, where, replacement::fifo, clock), 8U);
    }
  });
}

TEST_F(arrays, prefetch_pages_of_equal_steps) {
  static_cast<void>(fill());
  in_job(1, [&]() -> task<void> {
    for (std::int64_t const step : {1, 3, -2}) {
      array<word const> a(*remote, where, {.bytes = 32 * page_bytes, .page_bytes = page_bytes, .prefetch_pages = 4});
      std::uint64_t page = step > 0 ? 0 : 100;
      std::uint64_t pages = 0;
      for (; page <= 100; page += static_cast<std::uint64_t>(step), ++pages)
        EXPECT_EQ(co_await a[page * per_page], 1000 + page * per_page);
      cache_counts const c = a.counts();
      EXPECT_LE(c.misses, 4U) << "step " << step;  // until the step is known
      EXPECT_GE(c.prefetched, pages - 4);
      EXPECT_LE(c.misses + c.prefetched, pages + 4);
    }
    // Random accesses cause prefetching only by accident.
    array<word const> a(*remote, where, {.bytes = 8 * page_bytes, .page_bytes = page_bytes, .prefetch_pages = 2});
    std::mt19937_64 random(4);
    for (int i = 0; i < 300; ++i) static_cast<void>(co_await a[random() % items]);
    EXPECT_LT(a.counts().prefetched, 30U);
  });
}

TEST_F(arrays, throw_refusals_and_stay_usable) {
  static_cast<void>(fill());
  in_job(1, [&]() -> task<void> {
    auto const reader = server.remote_client(where, rights::read);
    array<word> a(*reader, where, small());
    co_await (a[0] = 5);
    std::string said;
    try {
      co_await a.flush();
    } catch (refused const& no) {
      said = no.what();
    }
    EXPECT_NE(said.find("no right to write"), std::string::npos) << said;
    EXPECT_EQ(co_await a[0], 5U);
    region beyond = where;
    beyond.size += page_bytes;
    array<word const> b(*remote, beyond, small());
    said.clear();
    try {
      static_cast<void>(co_await b[b.size() - 1]);
    } catch (refused const& no) {
      said = no.what();
    }
    EXPECT_NE(said.find("no region at"), std::string::npos) << said;
    EXPECT_EQ(co_await b[1], 1001U);
  });
}

TEST_F(arrays, notice_a_lost_server) {
  static_cast<void>(fill());
  std::optional<live_server> mortal(std::in_place);
  client owner(mortal->local());
  region const r = owner.create("r", items * sizeof(word));
  auto const far = mortal->remote_client(r);
  in_job(1, [&]() -> task<void> {
    array<word const> a(*far, r, small());
    static_cast<void>(co_await a[0]);
    mortal.reset();
    bool told = false;
    try {
      for (word const& x : a) static_cast<void>(x);
    } catch (lost const&) {
      told = true;
    }
    EXPECT_TRUE(told);
  });
}

}  // namespace
}  // namespace tess::rmem
