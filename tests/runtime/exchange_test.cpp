// exchange: gathers, scatters and reductions of arrays give each member what the others contributed, on every team.
// Method: every result against what the contributions say, for the world, halves of it and single members; empty and
// unequal values; arrays shorter and longer than the team; faults of one member at all of them.
#include <numeric>

#include "runtime/job/job.hpp"
#include "runtime/run_job.hpp"
#include "runtime/segment_left.hpp"

namespace tess::test {
namespace {

class exchanges : public on_layouts {};

std::string text_of(unsigned from, unsigned to) {
  return std::string(from * 1000U + to, static_cast<char>('a' + to % 26));
}
std::vector<std::uint32_t> list_of(unsigned from, unsigned to) {
  return std::vector<std::uint32_t>((from * 7 + to) % 5, from * 100 + to);
}

task<void> check_values(team t) {
  unsigned const size = t.size(), me = t.rank();
  std::vector<unsigned> const ranks = co_await t.all_gather(me);
  std::vector<std::string> const texts = co_await t.all_gather(text_of(me, 1));
  EXPECT_EQ(ranks.size(), size);
  EXPECT_EQ(texts.size(), size);
  for (unsigned r = 0; r < size; ++r) {
    EXPECT_EQ(ranks[r], r);
    EXPECT_EQ(texts[r], text_of(r, 1));
  }
  std::vector<std::vector<std::uint32_t>> to_each;
  for (unsigned r = 0; r < size; ++r) to_each.push_back(list_of(me, r));
  auto const from_each = co_await t.all_to_all(to_each);
  EXPECT_EQ(from_each.size(), size);
  for (unsigned r = 0; r < size; ++r) EXPECT_EQ(from_each[r], list_of(r, me));
  for (unsigned root = 0; root < size; root += 2) {
    auto const at_root = co_await t.gather(list_of(me, root), root);
    EXPECT_EQ(at_root.size(), me == root ? size : 0);
    for (unsigned r = 0; r < at_root.size(); ++r) EXPECT_EQ(at_root[r], list_of(r, root));
    std::vector<std::string> parts;
    if (me == root)
      for (unsigned r = 0; r < size; ++r) parts.push_back(text_of(root, r));
    EXPECT_EQ(co_await t.scatter(parts, root), text_of(root, me));
  }
}

task<void> check_arrays(team t) {
  unsigned const size = t.size(), me = t.rank();
  // Not commutative: the rank order matters. The last element that is not zero wins.
  auto const last = [](std::int64_t a, std::int64_t b) { return b != 0 ? b : a; };
  for (std::size_t const length : {0U, 1U, 3U, 64U, 200U, 5000U, 70'001U}) {
    auto const contribution = [&](unsigned rank) {
      std::vector<std::int64_t> v(length);
      for (std::size_t i = 0; i < length; ++i) v[i] = (i + rank) % 3 == 0 ? 0 : static_cast<std::int64_t>(rank + 1 + i);
      return v;
    };
    std::vector<std::int64_t> sum(length), final_one(length), before(length, 10);
    for (unsigned r = 0; r < size; ++r) {
      auto const c = contribution(r);
      for (std::size_t i = 0; i < length; ++i) {
        sum[i] += c[i];
        final_one[i] = last(final_one[i], c[i]);
        if (r < me) before[i] += c[i];
      }
    }
    auto v = contribution(me);
    co_await t.all_reduce(std::span(v));
    EXPECT_EQ(v, sum);
    v = contribution(me);
    co_await t.all_reduce(std::span(v), last);
    EXPECT_EQ(v, final_one);
    v = contribution(me);
    co_await t.reduce(std::span(v), size - 1);
    EXPECT_EQ(v, me == size - 1 ? sum : contribution(me));
    v = contribution(me);
    co_await t.prefix_sum(std::span(v), 10);
    EXPECT_EQ(v, before);
  }
}

/// Those of more than one step, of different lengths; and arrays of each way of publishing them.
task<void> check_long_ones(team t) {
  unsigned const size = t.size(), me = t.rank();
  auto const text = [](unsigned rank) {
    return std::string(rank == 1 ? 700'001 : rank % 3 == 0 ? 10 : 300'000, static_cast<char>('a' + rank % 26));
  };
  auto const texts = co_await t.all_gather(text(me));
  for (unsigned r = 0; r < size; ++r) EXPECT_TRUE(texts[r] == text(r)) << r;
  // The last one is past the caches.
  for (std::size_t const each : {0U, 1U, 200U, 3000U, 150'000U, size == 2 ? 1'100'003U : 7U}) {
    auto const value = [](unsigned from, unsigned to, std::size_t i) {
      return static_cast<std::int32_t>(from * 1'000'003 + to * 7 + i);
    };
    std::vector<std::int32_t> mine(each), all(each * size, -1), to_each(each * size), from_each(each * size, -1);
    for (std::size_t i = 0; i < each; ++i) mine[i] = value(me, 0, i);
    for (std::size_t i = 0; i < to_each.size(); ++i) to_each[i] = value(me, static_cast<unsigned>(i / each), i % each);
    co_await t.all_gather(mine, std::span(all));
    co_await t.all_to_all(to_each, std::span(from_each));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto const from = static_cast<unsigned>(i / each);
      wrong += all[i] != value(from, 0, i % each) || from_each[i] != value(from, me, i % each) ? 1U : 0U;
    }
    EXPECT_EQ(wrong, 0) << each << " of each of " << size;
  }
}

TEST_P(exchanges, bring_long_values_and_arrays_a_step_at_a_time) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      co_await check_long_ones(team::world());
      team const half = co_await team::world().split(here() % 2);
      co_await check_long_ones(half);
      co_await half.release();
      std::vector<int> const one(3);
      std::vector<int> all(3 * places() + (here() == 0 ? 1 : 0));
      EXPECT_THROW(co_await all_gather(one, std::span(all)), error);
      all.resize(one.size() * places());
      co_await all_gather(one, std::span(all));
    });
  });
}

TEST_P(exchanges, bring_values_of_any_size_to_every_member) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      co_await check_values(team::world());
      team const half = co_await team::world().split(here() % 2, -static_cast<int>(here()));
      co_await check_values(half);
      co_await half.release();
      EXPECT_EQ((co_await all_gather(here())).size(), places());
      EXPECT_EQ((co_await all_to_all(std::vector<place_id>(places(), here()))).back(), places() - 1);
      EXPECT_EQ((co_await gather(1)).size(), here() == 0 ? places() : 0);
      EXPECT_EQ(co_await scatter(std::vector<int>(here() == 0 ? places() : 0, 5)), 5);
    });
  });
}

TEST_P(exchanges, combine_arrays_of_any_length_in_rank_order) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      co_await check_arrays(team::world());
      team const half = co_await team::world().split(here() % 2);
      co_await check_arrays(half);
      co_await half.release();
    });
  });
}

TEST_P(exchanges, go_on_beside_other_work_and_other_teams) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      team const other = co_await team::world().split(0);
      auto mine = std::vector<double>(1000, 1.0);
      auto under_way = async(all_reduce(std::span(mine)));
      auto texts = async(other.all_gather(text_of(here(), 2)));
      unsigned const next = (here() + 1U) % places();
      EXPECT_EQ(co_await at(static_cast<place_id>(next), [] { return here(); }), next);
      co_await under_way;
      EXPECT_EQ(mine.back(), places());
      EXPECT_EQ((co_await texts).size(), places());
      co_await other.release();
    });
  });
}

/// Sizes of each way, one after the other, so that memory is used again; members come late in turn, so that others
/// must park.
TEST_P(exchanges, use_their_memory_again_only_when_it_was_read) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      unsigned const size = places(), me = here();
      unsigned wrong = 0;
      for (unsigned round = 0; round < 30; ++round) {
        std::size_t const length = std::array{1U, 40U, 1500U, 3000U, 60'000U, 140'000U}[round * 7 % 6];
        auto const value = [&](unsigned rank, std::size_t i) {
          return static_cast<std::int64_t>(round + rank * 9 + i);
        };
        std::vector<std::int64_t> mine(length), sum(length), all(length * size);
        for (std::size_t i = 0; i < length; ++i) mine[i] = sum[i] = value(me, i);
        if (round % 10 == me) co_await sleep_for(std::chrono::milliseconds(2));
        co_await all_reduce(std::span(sum));
        co_await all_gather(mine, std::span(all));
        for (std::size_t i = 0; i < length; ++i) {
          std::int64_t total = 0;
          for (unsigned r = 0; r < size; ++r) {
            total += value(r, i);
            wrong += all[r * length + i] != value(r, i) ? 1U : 0U;
          }
          wrong += sum[i] != total ? 1U : 0U;
        }
      }
      EXPECT_EQ(wrong, 0);
    });
  });
}

TEST_P(exchanges, throw_at_every_member_for_a_fault_of_one) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      bool const odd_one = here() == places() - 1;
      EXPECT_THROW(static_cast<void>(co_await all_to_all(std::vector<int>(places() + (odd_one ? 1 : 0)))), error);
      EXPECT_THROW(static_cast<void>(co_await scatter(std::vector<int>(places() + 1))), error);
      // Arrays that are combined while members meet, that lie in a room, and that need a buffer.
      for (auto const [one, others] : {std::pair{4U, 5U}, {3U, 600U}, {600U, 3U}, {1U, 70'001U}, {70'001U, 0U}}) {
        std::vector<int> v(odd_one ? one : others, 1);
        if (places() > 1) EXPECT_THROW(co_await all_reduce(std::span(v)), error);
        std::vector<int> equal(others, 1);
        co_await all_reduce(std::span(equal));
        EXPECT_EQ(std::ranges::count(equal, places()), others);
      }
      // And go on.
      EXPECT_EQ((co_await all_gather(1)).size(), places());
    });
  });
}

TEST_P(exchanges, give_back_all_memory) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      auto const once = []() -> task<void> {
        co_await check_values(team::world());
        co_await barrier();
      };
      co_await once();
      std::uint64_t const left = segment_left_bytes();
      for (int i = 0; i < 5; ++i) co_await once();
      if (detail::job.workers == 1) EXPECT_EQ(segment_left_bytes(), left);
    });
  });
}

TEST(exchange, of_many_places_reads_the_table_of_the_team) {
  for (char const* const fabric : {"smp", "hostile"})
    run_job({fabric, 37, 1}, []() -> task<void> {
      co_await on_all_places([]() -> task<void> {
        team const t = co_await team::world().split(here() % 3 == 0 ? 1 : 0, -static_cast<int>(here()));
        auto const got = co_await t.all_to_all(std::vector<unsigned>(t.size(), t.rank()));
        for (unsigned r = 0; r < t.size(); ++r) EXPECT_EQ(got[r], r);
        co_await check_arrays(t);
        co_await t.release();
      });
    });
}

INSTANTIATE_TEST_SUITE_P(layouts, exchanges, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
