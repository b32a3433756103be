// frame_pool: frames of any size come and go between workers without the pool growing.
// Method: one worker spawns, another steals; memory that the pools reserved is read before and after.
#include "tess/detail/tasks/frame_pool.hpp"

#include "runtime/job/job.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

std::uint64_t reserved() {
  std::uint64_t sum = 0;
  for (auto const* w : detail::this_place().workers) sum += w->frames.reserved_bytes();
  return sum;
}

TEST(frame_pool, memory_is_distinct_aligned_and_used_again) {
  run_job({"smp", 1, 1}, []() -> task<void> {
    detail::frame_pool& pool = detail::self->frames;
    random r(seed());
    struct block {
      std::byte* memory;
      std::size_t bytes;
      std::byte mark;
    };
    std::vector<block> live;
    for (int i = 0; i < 20000; ++i) {
      if (live.size() < 100 || (r.below(2) == 0 && live.size() < 400)) {
        std::size_t const bytes = r.below(20) == 0 ? r.below(50000) : 1 + r.below(2100);
        auto* const m = static_cast<std::byte*>(pool.allocate(bytes, detail::frame_pool::kind::raw));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m) % 16, 0U);
        auto const mark = static_cast<std::byte>(i);
        std::memset(m, i, bytes);
        live.push_back({m, bytes, mark});
      } else {
        std::size_t const which = r.below(live.size());
        block const b = live[which];
        for (std::size_t k = 0; k < b.bytes; ++k) EXPECT_EQ(b.memory[k], b.mark);
        pool.release(b.memory);
        live[which] = live.back();
        live.pop_back();
      }
    }
    for (block const& b : live) pool.release(b.memory);
    co_return;
  });
}

template <std::size_t Bytes>
task<void> leaf() {
  std::array<char, Bytes> room{};
  asm volatile("" : : "r"(room.data()) : "memory");
  co_return;
}

template <std::size_t Bytes>
task<void> spawn_many(std::uint64_t count) {
  std::uint64_t before = 0;
  for (std::uint64_t round = 0; round < 20; ++round) {
    co_await finish([&] {
      for (std::uint64_t i = 0; i < count / 20; ++i) spawn(leaf<Bytes>());
    });
    // The first rounds fill the pools; later ones must live off what comes back.
    if (round == 4) before = reserved();
  }
  EXPECT_LE(reserved(), before + (std::uint64_t{4} << 20));
}

TEST(frame_pool, one_spawner_and_thieves_use_flat_memory) {
  run_job({"smp", 1, 2, 2}, []() -> task<void> { co_await spawn_many<40>(1000000); });
  run_job({"smp", 1, 4, 4}, []() -> task<void> { co_await spawn_many<200>(300000); });
}

TEST(frame_pool, large_frames_come_back_from_other_workers) {
  run_job({"smp", 1, 2, 2}, []() -> task<void> {
    auto const whole = detail::this_place().heaps.own->left_bytes();
    co_await spawn_many<5000>(20000);
    EXPECT_LE(whole - detail::this_place().heaps.own->left_bytes(), std::uint64_t{64} << 20);
  });
}

/// Seconds to give one large block back, oldest first, when there are `count`.
double seconds_per_large_release(std::size_t count) {
  detail::frame_pool& pool = detail::self->frames;
  std::vector<void*> blocks(count);
  for (void*& b : blocks) b = pool.allocate(3000, detail::frame_pool::kind::raw);
  auto const begin = std::chrono::steady_clock::now();
  for (void* const b : blocks) pool.release(b);
  return seconds_since(begin) / static_cast<double>(count);
}

TEST(frame_pool, large_blocks_cost_the_same_however_many_there_are) {
  run_job({"smp", 1, 1}, []() -> task<void> {
    static_cast<void>(seconds_per_large_release(1000));
    double const few = seconds_per_large_release(1000);
    double const many = seconds_per_large_release(60000);
    // The heap's own lines leave the cache, but no list is searched: that would take sixty times as long.
    EXPECT_LT(many, few * 15 + 200e-9);
    co_return;
  });
}

}  // namespace
}  // namespace tess::test
