// regions: the memory of graphs is freed however a call ends, and uses after the end of a region are detected.
// Method: reads the free bytes of a place's segment before and after; a leak would exceed the slack by far.
#include "runtime/graphs/types.hpp"
#include "runtime/random_graphs.hpp"
#include "runtime/run_job.hpp"
#include "runtime/sanitized.hpp"
#include "runtime/segment_left.hpp"

namespace tess::test {
namespace {

/// Checked builds hold dead regions back for a while.
constexpr std::uint64_t slack_bytes = std::uint64_t{8} << 20;

constexpr auto left_bytes_there = [] { return segment_left_bytes(); };

TEST(regions, stay_flat_over_many_returns_in_one_task) {
  run_job({"smp", 2, 1, 2}, []() -> task<void> {
    constexpr int calls = is_sanitized ? 3000 : 100'000;
    thing* const t = make<thing>();
    for (int i = 0; i < 100; ++i) auto const g = co_await at(1, [](thing* x) { return x; }, t);
    std::uint64_t const before = segment_left_bytes();
    std::uint64_t const before_there = co_await at(1, left_bytes_there);
    for (int i = 0; i < calls; ++i) {
      auto const g = co_await at(
          1,
          [](thing* x) -> task<thing*> {
            x->a = make<thing>(5U);
            co_return x;
          },
          t);
      EXPECT_EQ(g->a->kind, 5U);
    }
    EXPECT_LE(before, segment_left_bytes() + slack_bytes);
    EXPECT_LE(before_there, slack_bytes + co_await at(1, left_bytes_there));
  });
}

class asked_regions : public on_layouts {};

TEST_P(asked_regions, are_freed_when_their_sender_fails) {
  run_here([]() -> task<void> {
    auto* const root = make<container>();
    root->numbers = array<std::uint16_t>(300'000);
    root->things = array<thing*>{make<thing>(1U), nullptr};
    for (copier const by : {copier::message_passing, copier::pegasus, copier::nemesys}) {
      std::uint64_t const before = segment_left_bytes();
      std::uint64_t const before_there = co_await at(1, left_bytes_there);
      for (int i = 0; i < 64; ++i)
        co_await finish([=]() -> task<void> {
          void const* const pointer = root;
          detail::outgoing_graph graph(&pointer, detail::any_root_type(), by, copy_map::automatic);
          static_cast<void>(co_await graph.send_ahead(1));
          graph.withdraw(1);
        });
      EXPECT_LE(before, segment_left_bytes() + slack_bytes);
      EXPECT_LE(before_there, slack_bytes + co_await at(1, left_bytes_there));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, asked_regions,
                         testing::Values(layout{"smp", 2, 1, 2}, layout{"hostile", 2, 1, 2},
                                         layout{"smp", 2, 1, 0, "", true}),
                         name_of);

#if defined(TESS_CHECKED) && TESS_CHECKED
TEST(regions, that_ended_are_noticed_in_checked_builds) {
  run_job({"smp", 1, 1}, []() -> task<void> {
    thing* dead = nullptr;
    {
      arena scratch;
      dead = scratch.make<thing>();
    }
    EXPECT_THROW(static_cast<void>(copy(dead)), error);
    EXPECT_THROW(static_cast<void>(keep(dead)), error);
    int here_only = 0;
    EXPECT_THROW(static_cast<void>(copy(reinterpret_cast<thing*>(&here_only))), error);
    co_return;
  });
}
#endif

}  // namespace
}  // namespace tess::test
