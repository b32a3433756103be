// fail_allocation: if any allocation fails, a job ends in bounded time, with the right result or a text and code 1.
// Method: a small program that uses everything runs again and again while its 1st, 2nd, 3rd … allocation fails, until
// it needs fewer; counted are frames, slots, segments and operator new. Leaks are the sanitizer's to find.
#include "tess/detail/tasks/fail_allocation.hpp"

#include <cstdlib>
#include <new>

#include "runtime/run_job.hpp"

// NOLINTBEGIN
void* operator new(std::size_t bytes) {
  void* const p = tess::detail::allocation_fails() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  auto const a = static_cast<std::size_t>(alignment);
  void* const p = tess::detail::allocation_fails() ? nullptr : std::aligned_alloc(a, (bytes + a - 1) / a * a);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
// NOLINTEND

namespace tess::test {
namespace {

struct cells {
  std::int64_t sum = 0;
  std::uint64_t block[300] = {};
};
using handle = place_local<cells>;

task<std::int64_t> ask(place_id next, std::vector<std::int64_t> numbers) {
  co_await yield();
  std::int64_t const there = co_await at(next, [] { return std::int64_t{here()}; });
  co_return numbers[0] + there;
}

/// What every place does: all primitives, towards the next place.
task<void> work(handle h) {
  auto const next = static_cast<place_id>((here() + 1U) % places());
  auto const sum = h.of(next).as<std::int64_t>();
  for (int i = 0; i < 3; ++i)
    spawn(
        [](global_ptr<std::int64_t> s) -> task<void> {
          co_await yield();
          co_await fetch_add(s, 1);
        },
        sum);
  co_await at(
      next,
      [](global_ptr<std::int64_t> s) -> task<void> {
        spawn([](global_ptr<std::int64_t> t) -> task<void> { co_await fetch_add(t, 10); }, s);
        co_await yield();
      },
      sum);
  co_await fetch_add(sum, co_await async(ask(next, std::vector<std::int64_t>(50, 100))) - next);
  co_await finish([sum, next] {
    for (int i = 0; i < 60; ++i)
      at_async(
          next,
          [](global_ptr<std::int64_t> s, std::array<std::uint64_t, 16>) -> task<void> { co_await fetch_add(s, 1); },
          sum, std::array<std::uint64_t, 16>{});
  });
  try {
    co_await at(next, [] { throw std::runtime_error("a text that is too long to be kept in the string itself"); });
  } catch (std::runtime_error const&) {
  }
  auto const block = global_ptr<std::uint64_t>::from_bits(h.of(next).bits() + offsetof(cells, block));
  std::vector<std::uint64_t> const source(300, 7);
  std::vector<std::uint64_t> target(300);
  co_await put(std::span<std::uint64_t const>(source), block);
  counter done;
  get(block, std::span(target), done);
  co_await done;
  std::array<char, 3000> large{};
  co_await yield();
  if (target != source || large[0] != 0) throw std::logic_error("a block is wrong");
}

task<int> program(args) {
  auto const h = co_await handle::make();
  co_await on_all_places([](handle a) -> task<void> { return work(a); }, h);
  for (unsigned p = 0; p < places(); ++p)
    if (co_await get(h.of(static_cast<place_id>(p)).as<std::int64_t>()) != 3 + 10 + 100 + 60) co_return 3;
  co_await handle::release(h);
  co_return 0;
}

/// More tasks of messages than the queue of those that have not started holds at first.
task<int> program_of_messages(args) {
  auto const h = co_await handle::make();
  auto const sum = h.of(1).as<std::int64_t>();
  co_await finish([sum] {
    for (int i = 0; i < 100; ++i)
      at_async(1, [](global_ptr<std::int64_t> s) -> task<void> { co_await fetch_add(s, 1); }, sum);
  });
  if (co_await get(sum) != 100) co_return 3;
  co_await handle::release(h);
  co_return 0;
}

/// Runs the program until it needs fewer allocations; how many of the runs were refused.
int refused_runs(settings s, task<int> (*run_of)(args)) {
  s.stall_timeout = 10;
  int refused = 0;
  for (s.fail_allocation = 1; s.fail_allocation < 3000; ++s.fail_allocation) {
    s.seed = seed() + s.fail_allocation;
    auto const begin = std::chrono::steady_clock::now();
    testing::internal::CaptureStderr();
    int code = 1;
    try {
      code = run(s, {}, run_of);
    } catch (std::exception const& e) {
      std::fprintf(stderr, "tess: %s\n", e.what());
    }
    std::string const text = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(code == 0 || (code == 1 && text.starts_with("tess: ") && text.size() > 10))
        << "allocation " << s.fail_allocation << ": code " << code << ", " << text;
    EXPECT_LT(seconds_since(begin), 5) << "allocation " << s.fail_allocation << ": " << text;
    if (testing::Test::HasFailure()) break;
    refused += code == 1;
    if (!detail::failing_allocation::happened()) {
      EXPECT_EQ(code, 0) << text;
      break;
    }
  }
  EXPECT_LT(s.fail_allocation, 3000U);
  return refused;
}

class fail_allocation : public on_layouts {};

TEST_P(fail_allocation, ends_every_job_in_order) {
  if (!detail::allocations_can_fail) GTEST_SKIP() << "needs a checked build";
  settings s;
  s.fabric = GetParam().fabric;
  s.places = GetParam().places;
  s.workers = GetParam().workers;
  s.threads = GetParam().threads;
  EXPECT_GT(refused_runs(s, program), 100);
  // Tasks of messages wait for their turn.
  s.overlap_calls = false;
  EXPECT_GT(refused_runs(s, program_of_messages), 50);
}

INSTANTIATE_TEST_SUITE_P(layouts, fail_allocation,
                         testing::Values(layout{"smp", 2, 1, 2}, layout{"smp", 3, 2, 2}, layout{"hostile", 2, 1, 2},
                                         layout{"hostile", 3, 2, 2}),
                         name_of);

TEST(fail_allocation_setting, is_refused_where_builds_are_not_checked) {
  if (detail::allocations_can_fail) GTEST_SKIP() << "a checked build";
  settings s;
  s.fail_allocation = 1;
  EXPECT_THROW(run(s, {}, program), error);
}

}  // namespace
}  // namespace tess::test
