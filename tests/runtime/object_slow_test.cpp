// object_slow: lists of ten million objects are copied without recursion, and a million calls leak nothing.
// Method: lists are checked link by link at the receiver; the bytes that segments have left are read before and after.
#include "runtime/job/job.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/random_graphs.hpp"
#include "runtime/run_job.hpp"
#include "runtime/sanitized.hpp"

namespace tess::test {
namespace {

constexpr std::uint32_t length = is_sanitized ? 300'000 : 10'000'000;
constexpr int calls = is_sanitized ? 50'000 : 1'000'000;

std::uint32_t count_in_order(thing const* first) {
  std::uint32_t count = 0;
  for (thing const* t = first; t != nullptr && t->kind == count; t = t->a) ++count;
  return count;
}
std::uint64_t left_bytes() {
  return detail::this_place().heaps.own->left_bytes();
}

TEST(deep_lists, are_copied_by_every_copier) {
  run_job({"smp", 2, 1, 2}, []() -> task<void> {
    arena all;
    auto* const first = all.make<thing>();
    thing* last = first;
    for (std::uint32_t i = 1; i < length; ++i) last = last->a = all.make<thing>(i);
    for (copier const by : {copier::message_passing, copier::pegasus, copier::nemesys}) {
      EXPECT_EQ(count_in_order(copy(first, by)), length);
      EXPECT_EQ(co_await at(1, by, [](thing* t) { return count_in_order(t); }, first), length);
    }
  });
}

TEST(returned_graphs, take_no_memory_in_the_long_run) {
  run_job({"smp", 2, 1, 2}, []() -> task<void> {
    constexpr std::uint64_t slack_bytes = std::uint64_t{8} << 20;
    constexpr auto left_bytes_there = [] { return left_bytes(); };
    auto* const t = make<thing>(3U);
    std::uint64_t const before = left_bytes();
    std::uint64_t const before_there = co_await at(1, left_bytes_there);
    std::uint64_t sum = 0;
    for (int i = 0; i < calls; ++i) {
      auto const g = co_await at(1, [](thing* x) { return x; }, t);
      sum += g->kind;
    }
    EXPECT_EQ(sum, 3 * std::uint64_t{calls});
    EXPECT_LE(before, left_bytes() + slack_bytes);
    EXPECT_LE(before_there, slack_bytes + co_await at(1, left_bytes_there));
  });
}

}  // namespace
}  // namespace tess::test
