// tile_messages: messages and notifications between tiles of a simulated machine, and the sleep of their harts.
// Method: every tile sends to the next one, at first more than the next one takes in. Harts sleep whenever they may,
// and a lost wake-up costs the whole deadline.
#include <array>
#include <chrono>
#include <set>
#include <thread>

#include "fabric/tile_contract.hpp"

namespace tess::test {
namespace {

TEST_F(tiles, a_notification_comes_behind_its_bytes) {
  for (std::size_t const bytes : {40UZ, 9000UZ}) {
    new (mine(arrived_at)) completion(1);
    meet();
    completion done(1);
    auto const sent = pattern(bytes, me_ + 1U);
    fabric_->put(me_, sent, address(next_, block_at), &done, address(next_, arrived_at));
    settle(*reinterpret_cast<completion*>(mine(arrived_at)));
    auto const expected = pattern(bytes, (me_ + places_ - 1U) % places_ + 1U);
    EXPECT_EQ(std::memcmp(mine(block_at), expected.data(), bytes), 0);
    settle(done);
    meet();
  }
  new (mine(arrived_at)) completion(1);
  meet();
  fabric_->put(me_, {}, address(next_, arrived_at), nullptr, address(next_, arrived_at));
  settle(*reinterpret_cast<completion*>(mine(arrived_at)));
}

TEST_F(tiles, messages_of_any_size_arrive_exactly_once_though_credit_runs_out) {
  std::uint32_t const messages = many(150);
  auto const size_of = [](std::uint32_t i) {
    constexpr std::array sizes{8UZ, 38UZ, 39UZ, 96UZ, 1000UZ, 4224UZ, 4225UZ, 9000UZ};
    return sizes[i % (i % 8 == 0 ? sizes.size() : sizes.size() - 3)];
  };
  unsigned refused = 0;
  for (std::uint32_t i = 0; i < messages; ++i) {
    auto bytes = pattern(size_of(i), i);
    std::memcpy(bytes.data(), &i, sizeof i);
    bool sent = false;
    auto const cls = i % 3 == 0 ? message_class::reply : message_class::request;
    poll_until([&] { return sent = fabric_->try_send(me_, next_, cls, bytes), refused += !sent, sent; });
    ASSERT_TRUE(sent) << "no credit comes back";
  }
  poll_until([&] { return sink_.messages.size() >= messages; });
  for (int i = 0; i < 20; ++i) static_cast<void>(fabric_->poll(me_, 16, sink_));
  ASSERT_EQ(sink_.messages.size(), messages);
  std::set<std::uint32_t> seen;
  for (auto const& m : sink_.messages) {
    std::uint32_t i = messages;
    std::memcpy(&i, m.bytes.data(), sizeof i);
    EXPECT_EQ(m.source, (me_ + places_ - 1) % places_);
    EXPECT_EQ(m.at, me_);
    auto expected = pattern(size_of(i), i);
    std::memcpy(expected.data(), &i, sizeof i);
    EXPECT_EQ(m.bytes, expected) << "message " << i;
    EXPECT_TRUE(seen.insert(i).second) << "twice";
  }
}

TEST_F(tiles, a_refused_message_was_not_sent_and_replies_are_not_refused) {
  // Nobody takes messages in until all have sent theirs.
  unsigned accepted = 0, refused = 0;
  // `delayed` has more credit than the fabric that it wraps.
  for (unsigned i = 0; i < (delayed() ? 2200 : 200); ++i) {
    bool const sent = fabric_->try_send(me_, next_, message_class::request, pattern(i % 5 == 0 ? 2000 : 30, i));
    ++(sent ? accepted : refused);
  }
  EXPECT_GT(refused, 0U) << "no credit limit";
  for (unsigned i = 0; i < 60; ++i)
    EXPECT_TRUE(fabric_->try_send(me_, next_, message_class::reply, pattern(i % 3 == 0 ? 5000 : 38, i)));
  put(std::as_bytes(std::span(&accepted, 1)), word_at);
  meet();
  poll_until([&] { return sink_.messages.size() >= my_word(word_at) + 60; });
  for (int i = 0; i < 20; ++i) static_cast<void>(fabric_->poll(me_, 16, sink_));
  EXPECT_EQ(sink_.messages.size(), (my_word(word_at) & 0xffff'ffffU) + 60);
}

TEST_F(tiles, poll_delivers_no_more_than_its_budget_and_a_place_can_send_to_itself) {
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(fabric_->try_send(me_, me_, message_class::reply, pattern(100, 1)));
  EXPECT_LE(fabric_->poll(me_, 3, sink_), 3U);
  EXPECT_LE(sink_.messages.size(), 3U);
  poll_until([&] { return sink_.messages.size() >= 10; });
  EXPECT_EQ(sink_.messages.size(), 10U);
}

bool always_idle(void*) {
  return true;
}

TEST_F(tiles, sleep_ends_at_the_deadline_or_at_once_if_there_is_something_to_do) {
  auto const begin = std::chrono::steady_clock::now();
  fabric_->sleep(0, begin + limit, {[](void*) { return false; }, nullptr});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, limit / 2);
  auto const asleep = std::chrono::steady_clock::now();
  fabric_->sleep(0, asleep + std::chrono::milliseconds(3), {&always_idle, nullptr});
  auto const slept = std::chrono::steady_clock::now() - asleep;
  EXPECT_GE(slept, std::chrono::milliseconds(3));
  EXPECT_LT(slept, std::chrono::milliseconds(4));
}

/// The first hart to sleep is the watcher.
TEST_F(tiles, harts_that_sleep_together_get_up_each_at_its_deadline) {
  if (harts_of_tile() < 2) GTEST_SKIP() << "needs two harts";
  for (unsigned const first_ms : {2U, 5U}) {
    std::chrono::milliseconds const mine_ms(first_ms), others_ms(7 - first_ms);
    auto const begin = std::chrono::steady_clock::now();
    std::chrono::nanoseconds other_slept{0};
    std::thread other([&] {
      fabric_->sleep(1, begin + others_ms, {&always_idle, nullptr});
      other_slept = std::chrono::steady_clock::now() - begin;
    });
    fabric_->sleep(0, begin + mine_ms, {&always_idle, nullptr});
    auto const slept = std::chrono::steady_clock::now() - begin;
    other.join();
    EXPECT_GE(slept, mine_ms);
    EXPECT_LT(slept, mine_ms + std::chrono::milliseconds(1));
    EXPECT_GE(other_slept, others_ms);
    EXPECT_LT(other_slept, others_ms + std::chrono::milliseconds(1));
  }
}

/// The sleeper may be the hart that ends them; then no other hart wakes it.
TEST_F(tiles, operations_that_end_while_their_hart_sleeps_end_its_sleep) {
  for (unsigned i = 0; i < many(8); ++i) {
    std::vector<std::byte> bytes(20000);  // they come while it sleeps
    completion done(1);
    auto const begin = std::chrono::steady_clock::now();
    fabric_->get(me_, address(next_, block_at), bytes, &done);
    while (!done.idle() && std::chrono::steady_clock::now() - begin < limit) {
      if (fabric_->poll(me_, 16, sink_) == 0) fabric_->sleep(0, begin + limit, {&always_idle, nullptr});
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, limit / 2);
    meet();
  }
}

TEST_F(tiles, a_watcher_that_leaves_is_replaced_by_another_hart) {
  if (harts_of_tile() < 2) GTEST_SKIP() << "needs two harts";
  if (delayed()) GTEST_SKIP() << "what was sent leaves when its sender polls";
  std::chrono::nanoseconds slept{0};
  std::atomic<bool> starts{false};
  std::thread other([&] {
    while (!starts.load()) std::this_thread::yield();
    auto const begin = std::chrono::steady_clock::now();
    fabric_->sleep(1, begin + limit, {&always_idle, nullptr});
    slept = std::chrono::steady_clock::now() - begin;
  });
  auto const starts_other = [](void* s) {
    static_cast<std::atomic<bool>*>(s)->store(true);
    return true;
  };
  // Long enough for the other hart to fall asleep, too.
  fabric_->sleep(0, std::chrono::steady_clock::now() + std::chrono::milliseconds(2), {starts_other, &starts});
  EXPECT_TRUE(wires_->meet(limit));
  // Now this hart does something else, and a message arrives.
  EXPECT_TRUE(fabric_->try_send(me_, next_, message_class::reply, pattern(8, 1)));
  other.join();
  EXPECT_LT(slept, limit / 2) << "nobody watched";
  poll_until([&] { return sink_.messages.size() == 1; });
  EXPECT_EQ(sink_.messages.size(), 1U);
}

TEST_F(tiles, a_call_between_the_question_and_the_sleep_is_not_lost) {
  auto const begin = std::chrono::steady_clock::now();
  auto const wakes = [](void* f) {
    static_cast<fabric*>(f)->wake(0);
    return true;
  };
  fabric_->sleep(0, begin + limit, {wakes, fabric_.get()});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, limit / 2);
  meet();
  // From another tile: it comes some time after the question.
  auto const again = std::chrono::steady_clock::now();
  ASSERT_TRUE(fabric_->try_send(me_, next_, message_class::reply, pattern(8, 1)));
  fabric_->sleep(0, again + limit, {&always_idle, nullptr});
  EXPECT_LT(std::chrono::steady_clock::now() - again, limit / 2);
  poll_until([&] { return sink_.messages.size() == 1; });
  EXPECT_EQ(sink_.messages.size(), 1U);
}

/// Two harts hand a number back and forth, sleeping in between. A lost wake-up costs the whole deadline.
TEST_F(tiles, no_wake_up_is_lost_between_two_harts) {
  if (harts_of_tile() < 2) GTEST_SKIP() << "needs two harts";
  std::uint64_t const rounds = many(200);
  std::atomic<std::uint64_t> turn{0};
  std::atomic<unsigned> lost{0};
  struct question {
    std::atomic<std::uint64_t>* turn;
    std::uint64_t parity, rounds;
  };
  auto const play = [&](std::uint32_t me) {
    question q{&turn, me, rounds};
    while (turn.load() < rounds && lost.load() == 0) {
      if (turn.load() % 2 == me) {
        turn.fetch_add(1);
        fabric_->wake(1 - me);
        continue;
      }
      auto const begin = std::chrono::steady_clock::now();
      fabric_->sleep(me, begin + limit,
                     {[](void* c) {
                        auto const& x = *static_cast<question*>(c);
                        return x.turn->load() % 2 != x.parity && x.turn->load() < x.rounds;
                      },
                      &q});
      if (std::chrono::steady_clock::now() - begin > limit / 2) ++lost;
    }
    fabric_->wake(1 - me);
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(lost.load(), 0U);
}

/// A message goes round; all sleep while it is elsewhere.
TEST_F(tiles, a_message_wakes_its_reader) {
  unsigned const rounds = many(40);
  unsigned lost = 0;
  auto const send = [&](std::size_t bytes) {
    EXPECT_TRUE(fabric_->try_send(me_, next_, message_class::reply, pattern(bytes, 0)));
  };
  if (me_ == 0) send(8);
  for (unsigned i = 0; i < rounds && lost == 0; ++i) {
    while (sink_.messages.size() <= i && lost == 0) {
      if (fabric_->poll(me_, 1, sink_) != 0) continue;
      auto const begin = std::chrono::steady_clock::now();
      fabric_->sleep(0, begin + limit, {&always_idle, nullptr});
      if (std::chrono::steady_clock::now() - begin > limit / 2) ++lost;
    }
    if (me_ != 0 || i + 1 < rounds) send(i % 4 == 3 ? 500 : 8);
  }
  EXPECT_EQ(lost, 0U);
}

TEST_F(tiles, no_place_fails_by_itself) {
  EXPECT_TRUE(fabric_->try_send(me_, me_, message_class::request, pattern(100, 1)));
  poll_until([&] { return sink_.messages.size() == 1; });
  EXPECT_EQ(sink_.messages.size(), 1U);
  EXPECT_TRUE(fabric_->failures().empty());
}

}  // namespace
}  // namespace tess::test
