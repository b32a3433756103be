// l2_private_test: the L2 and its L1s return the last value written, are inclusive, and lose no byte at line
// boundaries.
//
// Method: clients on a toy memory that reorders accesses; a map of bytes as the reference. Range operations with all
// offsets 0-31 and lengths 1-96, whose neighbours must not change.
#include "machine/cache/l2_private.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "machine/cache/toy_memory.hpp"

namespace {

using tess::machine::cache_shape;
using tess::machine::event;
using tess::machine::kernel;
using tess::machine::l1_cache;
using tess::machine::l2_private;
using tess::machine::process;
using tess::machine::task;
using tess::machine::toy_memory;

constexpr cache_shape small{.way_bytes = 128, .ways = 2, .line_bytes = 32};

/// Awaited: the line of an address is present.
struct here : event {
  here(l2_private& cache_, std::uint64_t address_)
      : event([](event& self) { static_cast<here&>(self).resumed(); }), cache(cache_), address(address_) {}
  [[nodiscard]] bool await_ready() const { return cache.probe(address).line_state != l2_private::invalid; }
  void await_suspend(std::coroutine_handle<> handle) {
    waiting = handle;
    cache.bring(address, *this);
  }
  void await_resume() const {}
  void resumed() { waiting.resume(); }
  l2_private& cache;
  std::uint64_t address;
  std::coroutine_handle<> waiting;
};

struct machine {
  kernel k{1000};
  toy_memory memory{k, 50'000, 3};
  l2_private l2{k, small, memory};
};

TEST(prefetched_lines, are_useful_late_or_useless) {
  machine m;
  m.l2.allow_prefetches(2);
  m.l2.prefetch(0x1000);
  m.l2.prefetch(0x1020);
  m.l2.prefetch(0x1000);  // on its way
  m.l2.prefetch(0x1040);  // one too many
  EXPECT_EQ(m.l2.counted().prefetches, 2U);
  EXPECT_EQ(m.l2.counted().prefetches_dropped, 1U);
  int came = 0;
  struct arrival : event {
    explicit arrival(int& count_) : event([](event& self) { ++static_cast<arrival&>(self).count; }), count(count_) {}
    int& count;
  } there(came);
  m.l2.bring(0x1020, there);  // late
  m.k.run();
  EXPECT_EQ(came, 1);
  EXPECT_EQ(m.memory.fetches, 2);
  EXPECT_EQ(m.l2.counted().prefetches_late, 1U);
  EXPECT_EQ(m.l2.counted().misses, 0U) << "it was no miss of its own";
  EXPECT_EQ(m.l2.counted().merged, 1U);
  for (std::uint64_t const address : {0x1000U, 0x1020U, 0x1000U}) {
    ASSERT_NE(m.l2.look_up(address, false), nullptr);
    m.l2.loaded(address);
  }
  EXPECT_EQ(m.l2.counted().prefetches_useful, 1U) << "the first use of the one that was not late";
  m.l2.prefetch(0x1020);  // here
  m.l2.prefetch(0x1060);
  m.k.run();
  EXPECT_EQ(m.l2.counted().prefetches, 3U);
  m.l2.drop_line(0x1060);
  m.l2.drop_line(0x1000);
  EXPECT_EQ(m.l2.counted().prefetches_useless, 1U);
  EXPECT_EQ(m.l2.counted().prefetches_useful, 1U);
  m.l2.prefetch(0x2000);
  m.k.run();
  ASSERT_NE(m.l2.look_up(0x2000, true), nullptr);
  m.l2.vacate(m.l2.array().find(0x2000));
  EXPECT_EQ(m.l2.counted().prefetches_useful, 2U) << "it was stored to";
}

process random_client(machine& m, unsigned seed, std::uint64_t first, std::map<std::uint64_t, std::byte>& truth,
                      int& ended) {
  // Every client has bytes of its own, but shares lines with the others.
  std::mt19937_64 draw(seed);
  for (int i = 0; i < 4000; ++i) {
    std::uint64_t const address = draw() % 64 * 8 + first;
    co_await here(m.l2, address);
    if (draw() % 2 == 0) {
      auto const value = static_cast<std::byte>(draw());
      *m.l2.look_up(address, true) = value;
      truth[address] = value;
    } else {
      EXPECT_EQ(*m.l2.look_up(address, false), truth[address]) << "address " << address << " at " << m.k.now();
    }
    if (draw() % 4 == 0) co_await m.k.delay(draw() % 20'000);
  }
  ++ended;
}

TEST(an_l2, returns_what_was_written_last_although_memory_overtakes) {
  machine m;
  std::map<std::uint64_t, std::byte> truth;
  int ended = 0;
  for (unsigned i = 0; i < 6; ++i) m.k.start(random_client(m, i + 1, i, truth, ended));
  m.k.run();
  EXPECT_EQ(ended, 6);
  EXPECT_GT(m.l2.counted().merged, 0U);
  EXPECT_GT(m.l2.counted().write_backs, 100U);
}

/// Reads and writes of a system call at any time, whether the line is present, arriving or leaving.
process random_caller(machine& m, std::uint64_t first, std::map<std::uint64_t, std::byte>& truth, int& ended) {
  std::mt19937_64 draw(first);
  for (int i = 0; i < 8000; ++i) {
    std::uint64_t const address = draw() % 64 * 8 + first;
    auto const probed = m.l2.probe(address);
    bool const cached = probed.line_state != l2_private::invalid;
    if (draw() % 2 == 0) {
      auto const value = static_cast<std::byte>(draw());
      if (cached)
        *m.l2.look_up(address, true) = value;
      else if (!m.l2.write_absent(address, std::span(&value, 1)))
        m.memory.at(address) = value;
      truth[address] = value;
    } else {
      std::byte const* const leaving = m.l2.leaving(address);
      std::byte const seen = cached ? probed.data[address % 32] : leaving != nullptr ? *leaving : m.memory.at(address);
      EXPECT_EQ(seen, truth[address]) << "address " << address << " at " << m.k.now();
    }
    co_await m.k.delay(draw() % 9000);
  }
  ++ended;
}

TEST(an_l2, loses_nothing_that_is_written_without_time_while_lines_come_and_go) {
  machine m;
  std::map<std::uint64_t, std::byte> truth;
  int ended = 0;
  for (unsigned i = 0; i < 5; ++i) m.k.start(random_client(m, i + 1, i, truth, ended));
  for (unsigned i = 5; i < 8; ++i) m.k.start(random_caller(m, i, truth, ended));
  m.k.run();
  EXPECT_EQ(ended, 8);
  EXPECT_GT(m.l2.counted().write_backs, 100U);
}

process flush_all(machine& m, bool& ended) {
  co_await m.l2.flush(0, 64 * 8, 0);
  ended = true;
}

TEST(an_l2, has_everything_in_memory_after_a_flush) {
  machine m;
  std::map<std::uint64_t, std::byte> truth;
  int ended = 0;
  bool flushed = false;
  for (unsigned i = 0; i < 3; ++i) m.k.start(random_client(m, i + 1, i, truth, ended));
  m.k.run();
  m.k.start(flush_all(m, flushed));
  m.k.run();
  ASSERT_TRUE(flushed);
  for (auto const& [address, value] : truth) EXPECT_EQ(m.memory.at(address), value) << address;
  EXPECT_EQ(m.l2.probe(0).line_state, l2_private::invalid);
}

process forgets_a_line_on_its_way(machine& m, bool& ended) {
  co_await here(m.l2, 32);
  *m.l2.look_up(32, true) = std::byte{7};
  struct ignored : event {
    ignored() : event([](event&) {}) {}
  } done;
  m.l2.write_back_line(32, done);
  m.l2.forget(0, 4096);
  co_await here(m.l2, 32);
  EXPECT_EQ(*m.l2.look_up(32, false), std::byte{});
  ended = true;
}

TEST(an_l2, does_not_bring_back_what_left_it_before_its_page_was_given_back) {
  machine m;
  bool ended = false;
  m.k.start(forgets_a_line_on_its_way(m, ended));
  m.k.run();
  EXPECT_TRUE(ended);
  EXPECT_EQ(m.memory.write_backs, 1);
}

enum class operation { write_back, invalidate, flush };

/// 160 bytes with 1 in memory and 2 in the cache; then the operation on a range.
process edges(machine& m, operation what, std::uint64_t begin, std::size_t bytes, bool& ended) {
  for (std::uint64_t at = 0; at < 160; ++at) m.memory.at(at) = std::byte{1};
  // Two ways of four sets: 160 bytes fit.
  for (std::uint64_t at = 0; at < 160; ++at) {
    co_await here(m.l2, at);
    *m.l2.look_up(at, true) = std::byte{2};
  }
  if (what == operation::write_back) co_await m.l2.write_back(begin, bytes, 100);
  if (what == operation::invalidate) co_await m.l2.invalidate(begin, bytes, 100);
  if (what == operation::flush) co_await m.l2.flush(begin, bytes, 100);
  ended = true;
}

class every_range : public testing::TestWithParam<operation> {};

TEST_P(every_range, leaves_all_other_bytes_as_they_were) {
  for (std::uint64_t offset = 0; offset < 32; ++offset) {
    for (std::size_t bytes = 1; bytes <= 96; ++bytes) {
      machine m;
      bool ended = false;
      std::uint64_t const begin = 32 + offset;
      m.k.start(edges(m, GetParam(), begin, bytes, ended));
      m.k.run();
      ASSERT_TRUE(ended);
      for (std::uint64_t at = 0; at < 160; ++at) {
        // The program sees the cache's byte, or otherwise memory's.
        auto const probed = m.l2.probe(at);
        bool const cached = probed.line_state != l2_private::invalid;
        std::byte const seen = cached ? probed.data[at % 32] : m.memory.at(at);
        bool const line_inside = at / 32 * 32 >= begin && at / 32 * 32 + 32 <= begin + bytes;
        bool const touched = at / 32 * 32 < begin + bytes && at / 32 * 32 + 32 > begin;
        if (GetParam() == operation::invalidate && line_inside) {
          ASSERT_EQ(seen, std::byte{1}) << "a dropped byte came back";
        } else {
          ASSERT_EQ(seen, std::byte{2}) << "offset " << offset << ", " << bytes << " bytes: byte " << at << " was lost";
        }
        if (GetParam() != operation::invalidate && touched) {
          ASSERT_EQ(m.memory.at(at), std::byte{2});
        }
        ASSERT_EQ(cached, GetParam() == operation::write_back || !touched);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(operations, every_range,
                         testing::Values(operation::write_back, operation::invalidate, operation::flush));

process fills(machine& m, std::uint64_t address, l1_cache& l1) {
  co_await here(m.l2, address);
  l1.fill(address, m.l2.probe(address).data.data() + address % 32 / 16 * 16);
}

TEST(an_l2, takes_its_lines_out_of_the_l1s) {
  machine m;
  l1_cache l1({.way_bytes = 256, .ways = 2, .line_bytes = 16});
  m.l2.attach(l1);
  for (std::uint64_t const address : {0ULL, 16ULL, 32ULL}) {
    m.k.start(fills(m, address, l1));
    m.k.run();
  }
  EXPECT_NE(l1.load(16), nullptr);
  m.l2.drop_line(5);
  EXPECT_EQ(l1.load(0), nullptr);
  EXPECT_EQ(l1.load(16), nullptr);
  EXPECT_NE(l1.load(32), nullptr);
  // Two more lines of the same set replace line 32.
  for (std::uint64_t const address : {32ULL + 128, 32ULL + 256}) {
    m.k.start(fills(m, address, l1));
    m.k.run();
  }
  EXPECT_EQ(l1.load(32), nullptr);
}

TEST(an_l1, keeps_a_stored_line_up_to_date_and_allocates_none) {
  l1_cache l1({.way_bytes = 256, .ways = 2, .line_bytes = 16});
  std::byte line[16] = {};
  std::byte const value{7};
  l1.store(0x103, &value, 1);
  EXPECT_EQ(l1.load(0x103), nullptr);
  l1.fill(0x100, line);
  l1.store(0x103, &value, 1);
  EXPECT_EQ(*l1.load(0x103), value);
  l1.invalidate(0x108, 1);
  EXPECT_EQ(l1.load(0x103), nullptr);
  l1.fill(0x100, line);
  l1.invalidate(0, 1U << 20U);
  EXPECT_EQ(l1.load(0x103), nullptr);
  l1.fill(0x100, line);
  l1.invalidate_all();
  EXPECT_EQ(l1.load(0x103), nullptr);
}

}  // namespace
