// stream: each item arrives once, in a batch of its own stream and finish, with buffers of any size, from any sender.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/run_job.hpp"
#include "runtime/stream_job.hpp"

namespace tess {
namespace {

using test::layout;
using test::run_with;
using test::tally;
using test::within_memory;

settings of_layout(layout const& l) {
  settings s;
  s.fabric = l.fabric;
  s.places = l.places;
  s.workers = l.workers;
  s.threads = l.threads;
  s.seed = test::seed();
  return s;
}

class stream_on_layouts : public test::on_layouts {};
INSTANTIATE_TEST_SUITE_P(layouts, stream_on_layouts, testing::ValuesIn(test::all_layouts()), test::name_of);

TEST_P(stream_on_layouts, every_item_arrives_once_from_every_place) {
  run_here([]() -> task<void> {
    constexpr std::uint32_t each = 5000;
    auto const got = co_await place_local<tally>::make();
    co_await on_all_places([got] {
      auto const to = make_stream<std::uint32_t>([got](std::span<std::uint32_t const> batch) { got->add(batch); });
      for (std::uint32_t i = 0; i < each; ++i)
        for (unsigned p = 0; p < places(); ++p) to.send(static_cast<place_id>(p), i);
    });
    for (unsigned p = 0; p < places(); ++p) {
      auto const at_p = static_cast<place_id>(p);
      EXPECT_EQ(co_await at(at_p, [got] { return got->items.load(); }), std::uint64_t{each} * places());
      EXPECT_EQ(co_await at(at_p, [got] { return got->sum.load(); }), std::uint64_t{each} * (each - 1) / 2 * places());
      EXPECT_LT(co_await at(at_p, [got] { return got->batches.load(); }), std::uint64_t{each} * places() / 10);
    }
    co_await place_local<tally>::release(got);
  });
}

// Sizes that need padding, two streams and at_async messages to one place, in turn.
TEST_P(stream_on_layouts, streams_and_calls_keep_apart) {
  run_here([]() -> task<void> {
    struct odd {
      std::uint8_t bytes[3];
    };
    struct sums {
      std::atomic<std::uint64_t> a{0}, b{0}, calls{0};
    };
    auto const got = co_await place_local<sums>::make();
    auto const last = static_cast<place_id>(places() - 1);
    co_await finish([&] {
      auto const a = make_stream<odd>([got, weight = std::uint64_t{3}](std::span<odd const> batch) {
        for (odd const& o : batch) got->a += weight * (o.bytes[0] + o.bytes[1] + o.bytes[2]);
      });
      auto const b = make_stream<std::uint64_t>([got](std::span<std::uint64_t const> batch) {
        for (std::uint64_t const x : batch) got->b += x;
      });
      for (std::uint64_t i = 0; i < 3000; ++i) {
        a.send(last, {{1, 2, 3}});
        if (i % 3 == 0) b.send(last, i);
        if (i % 7 == 0) at_async(last, [got] { ++got->calls; });
        if (i % 5 == 0) b.send(0, i);
      }
    });
    EXPECT_EQ(co_await at(last, [got] { return got->a.load(); }), 3000U * 18);
    EXPECT_EQ(co_await at(last, [got] { return got->calls.load(); }), 429U);
    std::uint64_t sum = co_await at(last, [got] { return got->b.load(); });
    if (last != 0) sum += co_await at(0, [got] { return got->b.load(); });
    EXPECT_EQ(sum, 3U * (999 * 1000 / 2) + 5U * (599 * 600 / 2));
    co_await place_local<sums>::release(got);
  });
}

// Answers travel in a stream of the handler's, under the finish of the request.
TEST_P(stream_on_layouts, handlers_answer_under_the_finish_of_the_sender) {
  run_here([]() -> task<void> {
    auto const got = co_await place_local<tally>::make();
    co_await on_all_places([got] {
      auto const back = make_stream<std::uint32_t>([got](std::span<std::uint32_t const> batch) { got->add(batch); });
      auto const ask = make_stream<std::uint32_t>([back, from = here()](std::span<std::uint32_t const> batch) {
        for (std::uint32_t const x : batch) back.send(from, 2 * x);
      });
      for (std::uint32_t i = 0; i < 4000; ++i) ask.send(static_cast<place_id>(i % places()), i);
    });
    for (unsigned p = 0; p < places(); ++p) {
      EXPECT_EQ(co_await at(static_cast<place_id>(p), [got] { return got->items.load(); }), 4000U);
      EXPECT_EQ(co_await at(static_cast<place_id>(p), [got] { return got->sum.load(); }), 4000U * 3999);
    }
    co_await place_local<tally>::release(got);
  });
}

TEST_P(stream_on_layouts, exceptions_of_a_batch_reach_the_finish) {
  run_here([]() -> task<void> {
    bool caught = false;
    try {
      co_await finish([] {
        auto const to = make_stream<int>([](std::span<int const> batch) {
          if (batch.front() == 7) throw error("batch", "7", "another number");
        });
        to.send(static_cast<place_id>(places() - 1), 7);
      });
    } catch (error const&) {
      caught = true;
    }
    EXPECT_TRUE(caught);
  });
}

// Inner and outer finish take turns at one destination: the inner one must not wait for the outer one's items.
TEST_P(stream_on_layouts, a_batch_belongs_to_one_finish) {
  run_here([]() -> task<void> {
    auto const got = co_await place_local<tally>::make();
    auto const last = static_cast<place_id>(places() - 1);
    auto const to = make_stream<std::uint32_t>([got](std::span<std::uint32_t const> batch) { got->add(batch); });
    co_await finish([&]() -> task<void> {
      for (std::uint32_t round = 0; round < 50; ++round) {
        to.send(last, 1);
        co_await finish([&] { to.send(last, 2); });
        std::uint64_t const sum = co_await at(last, [got] { return got->sum.load(); });
        EXPECT_GE(sum, 2 * (round + 1));
      }
    });
    EXPECT_EQ(co_await at(last, [got] { return got->sum.load(); }), 150U);
    co_await place_local<tally>::release(got);
  });
}

// All flood place 0, from tasks and handlers, with 64 KiB of memory for each place.
TEST_P(stream_on_layouts, a_storm_onto_one_place_stays_within_64_KiB) {
  settings s = of_layout(GetParam());
  s.buffer_memory = 64 * 1024;
  run_with(s, []() -> task<void> {
    constexpr std::uint32_t each = 20000;
    auto const got = co_await place_local<tally>::make();
    auto const bound = co_await place_local<std::atomic<std::uint64_t>>::make();
    co_await on_all_places([got, bound]() -> task<void> {
      auto const to = make_stream<std::uint32_t>([got](std::span<std::uint32_t const> batch) { got->add(batch); });
      for (std::uint32_t i = 0; i < each; ++i) {
        to.send(0, 1);
        if (i % 64 == 0) at_async(0, [got] { got->add({}); });
        if (i % 512 == 0 && workers() == 1 && !within_memory(64 * 1024)) ++*bound;
      }
      co_return;
    });
    EXPECT_EQ(got->items.load(), std::uint64_t{each} * places());
    for (unsigned p = 0; p < places(); ++p)
      EXPECT_EQ(co_await at(static_cast<place_id>(p), [bound] { return bound->load(); }), 0U);
    co_await place_local<tally>::release(got);
    co_await place_local<std::atomic<std::uint64_t>>::release(bound);
  });
}

TEST(stream, three_hundred_places_share_16_KiB) {
  test::many_places_share(300, 16 * 1024);
}

std::uint64_t left_for(detail::flush_reason r) {
  return detail::this_worker().cold.flushes[static_cast<std::size_t>(r)];
}

TEST(flush, by_size_at_the_bytes_that_were_set) {
  settings s;
  s.places = 2;
  s.flush_bytes = 512;
  run_with(s, []() -> task<void> {
    auto const to = make_stream<std::uint64_t>([](std::span<std::uint64_t const> batch) {
      if (batch.size() > 60) throw error("batch", std::to_string(batch.size()), "at most 512 bytes");
    });
    co_await finish([&] {
      for (std::uint64_t i = 0; i < 10000; ++i) to.send(1, i);
    });
    EXPECT_GT(left_for(detail::flush_reason::size), 160U);
    auto const& c = detail::this_worker().cold;
    EXPECT_LE(c.batch_bytes, c.batch_room);
    EXPECT_GE(c.batch_bytes, 80000U);
  });
}

// The padding behind a batch may reach beyond the bytes that were set: the buffer is full then.
TEST(flush, by_size_at_any_number_of_bytes) {
  for (unsigned const bytes : {65U, 1001U, 1003U, 4091U}) {
    settings s;
    s.places = 2;
    s.flush_bytes = bytes;
    run_with(s, [bytes]() -> task<void> {
      struct three {
        std::uint8_t of[3];
      };
      auto const got = co_await place_local<std::uint64_t>::make();
      auto const to = make_stream<three>([got](std::span<three const> batch) {
        for (three const& t : batch) *got += t.of[0] + t.of[1] + t.of[2];
      });
      co_await finish([&] {
        for (int i = 0; i < 20000; ++i) {
          to.send(1, three{1, 2, 3});
          if (i % 100 == 99) at_async(1, [got] { *got += 100; });
        }
      });
      EXPECT_EQ(co_await at(1, [got] { return *got; }), 20000U * 6 + 200 * 100) << bytes;
      auto const& c = detail::this_worker().cold;
      EXPECT_LE(c.batch_bytes, c.batch_room) << bytes;
      co_await place_local<std::uint64_t>::release(got);
    });
  }
}

// A task that never ends its turn by suspending for long sends one item and looks when it arrives.
TEST(flush, by_deadline_while_the_worker_is_busy) {
  for (unsigned const after : {100U, 200'000U}) {
    settings s;
    s.places = 2;
    s.flush_after = after;
    s.flush_idle = false;
    run_with(s, [after]() -> task<void> {
      auto const to = make_stream<int>([](std::span<int const>) {});
      auto const begin = std::chrono::steady_clock::now();
      co_await finish([&] { to.send(1, 1); });
      double const seconds = test::seconds_since(begin);
      EXPECT_GE(seconds, after * 0.4e-6);
      EXPECT_LE(seconds, after * 1e-6 + 2);
      EXPECT_EQ(left_for(detail::flush_reason::deadline), 1U);
      EXPECT_EQ(left_for(detail::flush_reason::idle), 0U);
    });
  }
}

TEST(flush, at_once_when_idle) {
  settings s;
  s.places = 2;
  s.flush_after = 10'000'000;
  run_with(s, []() -> task<void> {
    auto const to = make_stream<int>([](std::span<int const>) {});
    auto const begin = std::chrono::steady_clock::now();
    co_await finish([&] { to.send(1, 1); });
    EXPECT_LE(test::seconds_since(begin), 3);
    EXPECT_EQ(left_for(detail::flush_reason::idle), 1U);
  });
}

// A place that looks for the others in a barrier sends what its handlers send, and reports the end of a finish.
TEST(flush, by_a_place_that_waits_in_a_barrier) {
  settings s;
  s.places = 2;
  run_with(s, []() -> task<void> {
    auto const deadlines = co_await place_local<std::uint64_t>::make();
    co_await on_all_places([deadlines]() -> task<void> {
      for (int round = 0; round < 100; ++round) {
        if (here() == 0) co_await finish([] { at_async(1, [] { at_async(0, [] {}); }); });
        co_await barrier();
      }
      *deadlines = left_for(detail::flush_reason::deadline);
    });
    for (unsigned p = 0; p < 2; ++p)
      EXPECT_EQ(co_await at(static_cast<place_id>(p), [deadlines] { return *deadlines; }), 0U);
    co_await place_local<std::uint64_t>::release(deadlines);
  });
}

// The requesting tasks never suspend, and every request has two answers: a sender also receives, so they do not pile
// up. They would be 16 MB; how many there are while the other place has no processor depends on the host.
TEST(flush, answers_of_handlers_do_not_pile_up) {
  settings s;
  s.places = 2;
  s.buffer_memory = 64 * 1024;
  run_with(s, []() -> task<void> {
    auto const got = co_await place_local<tally>::make();
    auto const most = co_await place_local<std::atomic<std::uint64_t>>::make();
    co_await on_all_places([got, most]() -> task<void> {
      auto const back = make_stream<std::uint32_t>([got](std::span<std::uint32_t const> batch) { got->add(batch); });
      auto const ask = make_stream<std::uint32_t>([back, most, from = here()](std::span<std::uint32_t const> batch) {
        for (std::uint32_t const x : batch) back.send(from, x), back.send(from, x);
        *most = std::max<std::uint64_t>(*most, detail::this_worker().outgoing.held_bytes());
      });
      for (std::uint32_t i = 0; i < 2'000'000; ++i) ask.send(static_cast<place_id>(1 - here()), 1);
      co_return;
    });
    for (unsigned p = 0; p < places(); ++p) {
      EXPECT_EQ(co_await at(static_cast<place_id>(p), [got] { return got->items.load(); }), 4'000'000U);
      EXPECT_LE(co_await at(static_cast<place_id>(p), [most] { return most->load(); }), 4096U * 1024);
    }
    co_await place_local<tally>::release(got);
    co_await place_local<std::atomic<std::uint64_t>>::release(most);
  });
}

}  // namespace
}  // namespace tess
