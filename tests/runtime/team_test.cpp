// team: a split gives its members the requested ranks, and its collectives stay within them.
// Method: every rank and result against what colours and keys say; several teams at once and within each other, on
// small and large numbers of places; splits that fail; handles used where they are not valid.
#include <algorithm>
#include <atomic>
#include <chrono>

#include "runtime/events/collective.hpp"
#include "runtime/job/job.hpp"
#include "runtime/run_job.hpp"
#include "runtime/segment_left.hpp"

namespace tess::test {
namespace {

class teams : public on_layouts {};

/// Members of a colour by key, then place; `key_of` and `colour_of` as the split had them.
template <class Colour, class Key>
std::vector<place_id> expected_members(int colour, Colour colour_of, Key key_of) {
  std::vector<place_id> members;
  for (unsigned p = 0; p < places(); ++p)
    if (colour_of(p) == colour) members.push_back(static_cast<place_id>(p));
  std::ranges::sort(members, {}, [&](place_id p) { return std::pair(key_of(p), p); });
  return members;
}

task<void> check_collectives(team t, std::vector<place_id> members) {
  auto const me = static_cast<unsigned>(std::ranges::find(members, here()) - members.begin());
  EXPECT_TRUE(t.member());
  EXPECT_EQ(t.size(), members.size());
  EXPECT_EQ(t.rank(), me);
  EXPECT_EQ(co_await t.place_of(t.size() - 1), members.back());
  std::uint64_t total = 0, before = 0;
  for (unsigned r = 0; r < members.size(); ++r) {
    EXPECT_EQ(co_await t.place_of(r), members[r]);
    total += members[r] + 1U;
    if (r < me) before += members[r] + 1U;
  }
  for (int round = 0; round < 5; ++round) {
    co_await t.barrier();
    EXPECT_EQ(co_await t.all_reduce(std::uint64_t{here()} + 1), total);
    EXPECT_EQ(co_await t.prefix_sum(std::uint64_t{here()} + 1), before);
    auto const root = static_cast<unsigned>(round) % t.size();
    EXPECT_EQ(co_await t.broadcast(here(), root), members[root]);
    // Neither commutative: the last rank's value wins.
    auto const last = co_await t.reduce(here(), root, [](place_id, place_id b) { return b; });
    EXPECT_EQ(last.has_value(), me == root);
    if (last) EXPECT_EQ(*last, members.back());
  }
}

int third(unsigned place) {
  return static_cast<int>(place % 3);
}
int backwards(unsigned place) {
  return -static_cast<int>(place / 2);
}

TEST_P(teams, have_the_members_and_ranks_that_colour_and_key_say) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      team const t = co_await team::world().split(third(here()), backwards(here()));
      co_await check_collectives(t, expected_members(third(here()), third, backwards));
      co_await t.release();
    });
  });
}

TEST_P(teams, have_barriers_that_are_tasks_where_one_is_wanted) {
  run_here([]() -> task<void> {
    auto const counts = co_await place_local<std::atomic<std::uint64_t>>::make();
    co_await on_all_places(
        [](place_local<std::atomic<std::uint64_t>> count) -> task<void> {
          // Before each way of running a barrier every place adds 1 to its count, and after it all have done so.
          auto const expect_from_all = [&](std::uint64_t least) -> task<void> {
            for (unsigned p = 0; p < places(); ++p)
              EXPECT_GE(co_await at(static_cast<place_id>(p), [count] { return count->load(); }), least);
          };
          ++*count;
          co_await barrier();
          co_await expect_from_all(1);
          ++*count;
          task<void> kept = barrier();
          co_await std::move(kept);
          co_await expect_from_all(2);
          ++*count;
          co_await finish([] { return barrier(); });
          co_await expect_from_all(3);
          ++*count;
          co_await finish([] { spawn(team::world().barrier()); });
          co_await expect_from_all(4);
          ++*count;
          co_await finish([] { spawn([] { return barrier(); }); });
          co_await expect_from_all(5);
          ++*count;
          auto const begun = async(barrier());
          co_await begun;
          co_await expect_from_all(6);
          ++*count;
          co_await with_timeout(barrier(), std::chrono::seconds(20));
          co_await expect_from_all(7);
          ++*count;
          co_await when_all(barrier(), expect_from_all(0));
          co_await expect_from_all(8);
          ++*count;
          co_await then(async(expect_from_all(0)), [] { return barrier(); });
          co_await expect_from_all(9);
          co_await barrier();
        },
        counts);
    co_await on_all_places([] { return barrier(); });
    co_await place_local<std::atomic<std::uint64_t>>::release(counts);
  });
}

/// Places that never wait for each other let other tasks run and messages be handled.
TEST_P(teams, whose_barriers_end_at_once_keep_nobody_from_his_turn) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      constexpr unsigned rounds_max = 1'000'000;
      // Another worker may run them.
      std::atomic<bool> ran{false}, answered{false};
      auto const next = static_cast<place_id>((here() + 1U) % places());
      co_await finish([&]() -> task<void> {
        spawn([&ran] { ran = true; });
        spawn([&answered, next]() -> task<void> { answered = co_await at(next, [] { return true; }); });
        unsigned round = 0;
        auto const all_done = [&] {
          return all_reduce(ran.load() && answered.load(), [](bool a, bool b) { return a && b; });
        };
        for (; round < rounds_max && !co_await all_done(); ++round) co_await barrier();
        EXPECT_LT(round, rounds_max);
      });
    });
  });
}

TEST_P(teams, do_not_disturb_each_other_nor_the_world) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      team const a = co_await team::world().split(third(here()));
      team const b = co_await team::world().split(static_cast<int>(here() / 2), backwards(here()));
      // One task for each of them, all under way together.
      co_await finish([&] {
        spawn(check_collectives(a, expected_members(third(here()), third, [](unsigned) { return 0; })));
        spawn(check_collectives(
            b, expected_members(here() / 2, [](unsigned p) { return static_cast<int>(p / 2); }, backwards)));
        spawn([]() -> task<void> {
          for (int i = 0; i < 10; ++i) {
            EXPECT_EQ(co_await all_reduce(1U), places());
            co_await barrier();
          }
        });
      });
      co_await b.release();
      co_await a.release();
    });
  });
}

TEST_P(teams, are_split_again_down_to_one_member) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      std::vector<team> path;
      team t = team::world();
      while (t.size() > 1) {
        t = co_await t.split(t.rank() < t.size() / 2 ? 0 : 1);
        path.push_back(t);
        EXPECT_EQ(co_await t.all_reduce(1U), t.size());
      }
      EXPECT_EQ(co_await t.place_of(0), here());
      for (; !path.empty(); path.pop_back()) co_await path.back().release();
    });
  });
}

TEST_P(teams, give_back_all_memory) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      auto const once = []() -> task<void> {
        team const t = co_await team::world().split(here() % 2 == 0 ? 0 : team::no_colour);
        EXPECT_EQ(t.member(), here() % 2 == 0);
        team const nobody = co_await team::world().split(team::no_colour);
        co_await t.release();
        co_await nobody.release();
        co_await barrier();
      };
      co_await once();
      std::uint64_t const left = segment_left_bytes();
      for (int i = 0; i < 20; ++i) co_await once();
      co_await barrier();
      if (detail::job.workers == 1) EXPECT_EQ(segment_left_bytes(), left);
    });
  });
}

TEST(team, of_many_places_uses_the_tree) {
  for (char const* const fabric : {"smp", "hostile"})
    run_job({fabric, 37, 1}, []() -> task<void> {
      co_await on_all_places([]() -> task<void> {
        auto const colour_of = [](unsigned p) { return p % 4 == 3 ? 1 : 0; };
        team const t = co_await team::world().split(colour_of(here()), backwards(here()));
        co_await check_collectives(t, expected_members(colour_of(here()), colour_of, backwards));
        co_await t.release();
      });
    });
}

TEST(team, is_refused_where_the_caller_is_no_member) {
  run_job({"smp", 3, 1}, []() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      team const t = co_await team::world().split(here() == 1 ? team::no_colour : 0);
      if (here() == 1) {
        EXPECT_FALSE(t.member());
        EXPECT_THROW(co_await t.barrier(), error);
        EXPECT_THROW(static_cast<void>(t.rank()), error);
        EXPECT_THROW(co_await t.all_reduce(1), error);
      }
      if (here() == 0) {
        co_await at(
            1,
            [](team theirs) {
              EXPECT_FALSE(theirs.member());
              EXPECT_THROW(static_cast<void>(theirs.size()), error);
            },
            t);
        EXPECT_THROW(co_await t.place_of(2), error);
        EXPECT_THROW(co_await t.broadcast(1, 2), error);
        EXPECT_THROW(static_cast<void>(co_await t.split(-2)), error);
      }
      co_await t.release();
    });
  });
}

template <std::size_t Bytes>
struct value_of_bytes {
  std::uint8_t bytes[Bytes];
};

template <std::size_t Bytes>
task<void> check_reduction(team t, unsigned round) {
  value_of_bytes<Bytes> mine{};
  for (std::size_t i = 0; i < Bytes; ++i) mine.bytes[i] = static_cast<std::uint8_t>(here() + round + i);
  auto const sum = [](value_of_bytes<Bytes> a, value_of_bytes<Bytes> const& b) {
    for (std::size_t i = 0; i < Bytes; ++i) a.bytes[i] = static_cast<std::uint8_t>(a.bytes[i] + b.bytes[i]);
    return a;
  };
  value_of_bytes<Bytes> const total = co_await t.all_reduce(mine, sum);
  for (std::size_t i = 0; i < Bytes; ++i) {
    unsigned expected = 0;
    for (unsigned p = 0; p < places(); ++p) expected += static_cast<unsigned>(p + round + i);
    EXPECT_EQ(total.bytes[i], static_cast<std::uint8_t>(expected)) << Bytes << " bytes, byte " << i;
  }
}

TEST_P(teams, meet_members_that_come_late_and_values_of_all_sizes) {
  run_here([]() -> task<void> {
    auto const came = allocate<std::uint64_t>();
    co_await put(came, 0);
    co_await on_all_places(
        [](global_ptr<std::uint64_t> arrivals) -> task<void> {
          team const t = co_await team::world().split(0);
          for (unsigned round = 0; round < 12; ++round) {
            // Longer than the others look for it.
            if (round % 4 == 3 && round / 4 % places() == here()) co_await sleep_for(std::chrono::milliseconds(5));
            co_await fetch_add(arrivals, 1);
            co_await t.barrier();
            EXPECT_GE(co_await get(arrivals), (round + 1U) * places());
            if (round % 4 == 2 && round / 4 % places() == here()) co_await sleep_for(std::chrono::milliseconds(5));
            co_await check_reduction<1>(t, round);
            co_await check_reduction<32>(t, round);
            co_await check_reduction<33>(t, round);
            co_await check_reduction<64>(t, round);
          }
          co_await t.release();
        },
        came);
    deallocate(came);
  });
}

TEST_P(teams, are_released_and_made_again_while_others_still_look) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      for (int round = 0; round < 200; ++round) {
        team const t = co_await team::world().split(0);
        // From the second barrier on the members look at each other's records.
        co_await t.barrier();
        co_await t.barrier();
        co_await t.release();
      }
    });
  });
}

TEST_P(teams, look_for_each_other_if_all_reach_all_and_have_processors) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      for (int i = 0; i < 2; ++i) {
        co_await barrier();
        EXPECT_EQ(co_await all_reduce(1U), places());
      }
      bool looks = detail::self->may_spin && detail::the_job->fabric->coherent() && places() <= detail::direct_places;
      for (unsigned p = 0; p < places(); ++p) looks = looks && detail::job.atomic_window[p] != detail::no_window;
      auto const& state = detail::member_view(detail::world_team).state();
      EXPECT_EQ(state.barrier_reach.all_reach_all(), looks && places() > 1);
      EXPECT_EQ(state.sweep_reach.all_reach_all(), looks && places() > 1);
    });
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, teams, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
