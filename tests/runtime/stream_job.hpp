// stream_job: the program of the tests of streams: counts items, and sends from all places to all.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>

#include "runtime/job/job.hpp"
#include "tess/tess.hpp"

namespace tess::test {

struct tally {
  std::atomic<std::uint64_t> items{0}, sum{0}, batches{0};

  void add(std::span<std::uint32_t const> batch) {
    items += batch.size();
    sum += std::accumulate(batch.begin(), batch.end(), std::uint64_t{0});
    ++batches;
  }
};

/// `body` as the program of a job.
inline void run_with(settings s, std::function<task<void>()> const& body) {
  s.stall_timeout = 20;
  ASSERT_EQ(run(s, {},
                [&](args) -> task<int> {
                  co_await body();
                  co_return 0;
                }),
            0);
}

/// The place holds no more for its gathered messages than it was given.
inline bool within_memory(std::uint64_t memory) {
  std::size_t held = 0;
  for (auto const* const w : detail::this_place().workers) held += w->outgoing.held_bytes();
  return held <= memory / 2;
}

/// One place sends to more places than it has room for buffers: the oldest are sent to make room.
inline void many_places_share(unsigned places_wanted, std::uint64_t memory) {
  settings s;
  s.places = places_wanted;
  s.buffer_memory = memory;
  run_with(s, [memory]() -> task<void> {
    auto const got = co_await place_local<tally>::make();
    auto const to = make_stream<std::uint32_t>([got](std::span<std::uint32_t const> batch) { got->add(batch); });
    std::uint64_t over = 0;
    co_await finish([&] {
      for (std::uint32_t round = 0; round < 20; ++round)
        for (unsigned p = 0; p < places(); ++p) {
          to.send(static_cast<place_id>(p), round);
          if (p % 100 == 0 && !within_memory(memory)) ++over;
        }
    });
    EXPECT_EQ(over, 0U);
    auto const& left = detail::this_worker().cold;
    EXPECT_GT(left.flushes[static_cast<std::size_t>(detail::flush_reason::memory)], 1000U);
    co_await on_all_places([got] {
      if (got->items.load() != 20 || got->sum.load() != 190) throw error("items", "lost", "20 at every place");
    });
    co_await place_local<tally>::release(got);
  });
}

}  // namespace tess::test
