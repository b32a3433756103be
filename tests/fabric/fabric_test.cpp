// fabric: every promise in the comment of src/fabric/fabric.hpp holds on every fabric.
// Method: one case per promise; sleep and wake run in the bad order by hand first, then concurrently.
#include <algorithm>
#include <atomic>
#include <random>

#include "fabric/fabric_contract.hpp"
#include "tess/error.hpp"

namespace tess::test {
namespace {

TEST_P(fabric_contract, put_get_and_copy_complete_and_move_exactly_their_bytes) {
  for (std::size_t const bytes :
       {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{4097}, std::size_t{100000}}) {
    auto const source = pattern(bytes, bytes);
    std::memset(memory(1, 8191), 0xcc, bytes + 2);
    completion done;
    done.expect(1);
    fabric_->put(0, source, address(1, 8192), &done, 0);
    settle(done);
    fabric_->refresh(1, 8192, bytes);
    EXPECT_EQ(std::memcmp(memory(1, 8192), source.data(), bytes), 0);
    EXPECT_EQ(memory(1, 8191)[0], std::byte{0xcc});
    EXPECT_EQ(memory(1, 8192 + bytes)[0], std::byte{0xcc});

    done.expect(1);
    fabric_->publish(1, 8192, bytes);
    fabric_->copy(0, address(1, 8192), address(2, 8192), bytes, &done);
    settle(done);
    fabric_->refresh(2, 8192, bytes);
    fabric_->publish(2, 8192, bytes);

    std::vector<std::byte> target(bytes);
    done.expect(1);
    fabric_->get(0, address(2, 8192), target, &done);
    settle(done);
    EXPECT_EQ(target, source);
  }
}

TEST_P(fabric_contract, empty_transfers_complete) {
  completion done;
  done.expect(3);
  fabric_->put(0, {}, address(1, 8192), &done, 0);
  fabric_->get(0, address(1, 8192), {}, &done);
  fabric_->copy(0, address(1, 8192), address(2, 8192), 0, &done);
  settle(done);
}

TEST_P(fabric_contract, operations_without_a_completion_are_performed) {
  for (std::size_t const bytes : {std::size_t{8}, std::size_t{100}, std::size_t{20000}}) {
    auto const source = pattern(bytes, bytes);
    auto const arrives = [&](place_id at, std::uint64_t offset) {
      poll_until([&] {
        fabric_->refresh(at, offset, bytes);
        return std::memcmp(memory(at, offset), source.data(), bytes) == 0;
      });
      return std::memcmp(memory(at, offset), source.data(), bytes) == 0;
    };
    fabric_->put(0, source, address(1, 8192), nullptr, 0);
    ASSERT_TRUE(arrives(1, 8192)) << bytes << " bytes put";
    fabric_->publish(1, 8192, bytes);
    // From another place to a third one, from the own place, and to the own place.
    fabric_->copy(0, address(1, 8192), address(2, 8192), bytes, nullptr);
    ASSERT_TRUE(arrives(2, 8192)) << bytes << " bytes copied between others";
    fabric_->copy(1, address(1, 8192), address(0, 8192), bytes, nullptr);
    ASSERT_TRUE(arrives(0, 8192)) << bytes << " bytes copied from here";
    fabric_->copy(1, address(1, 8192), address(1, 8192 + 32768), bytes, nullptr);
    ASSERT_TRUE(arrives(1, 8192 + 32768)) << bytes << " bytes copied within a place";
    fabric_->copy(2, address(1, 8192), address(2, 8192 + 32768), bytes, nullptr);
    ASSERT_TRUE(arrives(2, 8192 + 32768)) << bytes << " bytes copied to here";
    std::vector<std::byte> target(bytes);
    fabric_->get(0, address(1, 8192), target, nullptr);
    poll_until([&] { return target == source; });
    EXPECT_EQ(target, source) << bytes << " bytes got";
  }
  fabric_->put(0, {}, address(1, 8192), nullptr, 0);
  fabric_->get(0, address(1, 8192), {}, nullptr);
  fabric_->copy(0, address(1, 8192), address(2, 8192), 0, nullptr);
  for (int i = 0; i < 50; ++i) poll_all();
}

TEST_P(fabric_contract, put_notifies_a_counter_at_the_target_once) {
  auto& notified = *new (memory(1, 4096)) completion;
  auto const bytes = pattern(32, 5);
  for (std::span<std::byte const> const source : {std::span<std::byte const>(bytes), std::span<std::byte const>()}) {
    completion done;
    done.expect(1);
    notified.expect(2);
    fabric_->put(0, source, address(1, 8192), &done, address(1, 4096));
    settle(done);
    poll_until([&] { return notified.outstanding() <= 1; });
    for (int i = 0; i < 50; ++i) poll_all();
    EXPECT_EQ(notified.outstanding(), 1);
    notified.acknowledge(1);
  }
}

TEST_P(fabric_contract, an_empty_put_without_counter_is_a_bare_notification) {
  auto& notified = *new (memory(2, 4096)) completion;
  notified.expect(1);
  fabric_->put(0, {}, address(2, 4096), nullptr, address(2, 4096));
  settle(notified);
}

TEST_P(fabric_contract, a_refused_message_was_not_sent_and_poll_makes_room) {
  std::size_t accepted = 0;
  bool refused = false;
  std::vector<std::byte> const small = pattern(40, 1), large = pattern(2000, 2);
  for (int i = 0; i < 4000; ++i) {
    auto const& bytes = i % 5 == 0 ? large : small;
    if (fabric_->try_send(0, 1, message_class::request, bytes))
      ++accepted;
    else
      refused = true;
  }
  EXPECT_TRUE(refused) << "no credit limit";
  deliver_all(accepted);
  send(0, 1, small);
  deliver_all(accepted + 1);
}

TEST_P(fabric_contract, a_message_in_lent_memory_arrives_as_one_elsewhere_and_what_was_given_back_is_lent_again) {
  std::size_t sent = 0;
  for (int round = 0; round < 200; ++round) {
    std::byte* const unused = fabric_->lend(0, 1);
    std::byte* const lent = fabric_->lend(0, 1);
    if (std::string_view(GetParam().name) == "smp") EXPECT_NE(lent, nullptr);
    if (unused != nullptr) fabric_->give_back(0, unused);
    if (lent == nullptr) continue;
    EXPECT_NE(lent, unused);
    std::size_t const bytes = round % 2 == 0 ? 40 : 4096;
    std::ranges::copy(pattern(bytes, 7), lent);
    send(0, 1, {lent, bytes});
    deliver_all(++sent);
    EXPECT_EQ(sink_.messages.back().bytes, pattern(bytes, 7)) << round;
  }
}

TEST_P(fabric_contract, replies_are_never_refused) {
  auto const small = pattern(40, 1), large = pattern(3000, 2), huge = pattern(100000, 3);
  std::size_t bytes = 0;
  for (int i = 0; i < 1500; ++i) {
    auto const& m = i % 100 == 0 ? huge : i % 3 == 0 ? large : small;
    ASSERT_TRUE(fabric_->try_send(0, 1, message_class::reply, m));
    bytes += m.size();
  }
  deliver_all(1500);
  std::size_t arrived = 0;
  for (auto const& m : sink_.messages) {
    EXPECT_EQ(m.at, 1);
    EXPECT_EQ(m.source, 0);
    EXPECT_EQ(m.bytes, pattern(m.bytes.size(), m.bytes.size() == 40 ? 1 : m.bytes.size() == 3000 ? 2 : 3));
    arrived += m.bytes.size();
  }
  EXPECT_EQ(arrived, bytes);
}

TEST_P(fabric_contract, poll_delivers_no_more_than_its_budget_and_a_place_can_send_to_itself) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(fabric_->try_send(2, 2, message_class::reply, pattern(8, 1)));
  EXPECT_LE(fabric_->poll(2, 3, sink_), 3U);
  EXPECT_LE(sink_.messages.size(), 3U);
  deliver_all(20);
}

TEST_P(fabric_contract, messages_of_any_size_from_several_threads_arrive_exactly_once) {
  TESS_PRINT_SEED(seed());
  constexpr unsigned each = 3000;
  struct head {
    std::uint32_t number;
    std::uint32_t bytes;
    std::uint32_t sender;
  };
  struct checking_sink final : message_sink {
    void deliver(place_id at, place_id source, std::span<std::byte const> bytes) override {
      head h;
      ASSERT_GE(bytes.size(), sizeof h);
      std::memcpy(&h, bytes.data(), sizeof h);
      ASSERT_EQ(h.bytes, bytes.size());
      ASSERT_EQ(h.sender, source);
      ASSERT_EQ(at, self);
      for (std::size_t i = sizeof h; i < bytes.size(); ++i)
        ASSERT_EQ(bytes[i], static_cast<std::byte>(h.number + i)) << "a byte changed on its way";
      ASSERT_EQ(seen[source][h.number]++, 0) << "delivered twice";
      ++*arrived;
    }
    place_id self = 0;
    std::array<std::vector<std::uint8_t>, places> seen{};
    std::atomic<unsigned>* arrived = nullptr;
  };
  std::atomic<unsigned> arrived{0};
  std::array<checking_sink, places> sinks;
  std::vector<std::thread> threads;
  for (place_id p = 0; p < places; ++p) {
    sinks[p].self = p;
    sinks[p].arrived = &arrived;
    for (auto& s : sinks[p].seen) s.assign(each, 0);
    threads.emplace_back([&, p] {
      random r(seed() + p);
      for (std::uint32_t n = 0; n < each; ++n) {
        std::size_t const bytes = sizeof(head) + (r.below(4) != 0 ? r.below(60) : r.below(6000));
        std::vector<std::byte> m(bytes);
        head const h{n, static_cast<std::uint32_t>(bytes), p};
        for (std::size_t i = sizeof h; i < bytes; ++i) m[i] = static_cast<std::byte>(n + i);
        std::memcpy(m.data(), &h, sizeof h);
        auto const to = static_cast<place_id>(r.below(places));
        auto const cls = r.below(4) == 0 ? message_class::reply : message_class::request;
        while (!fabric_->try_send(p, to, cls, m)) static_cast<void>(fabric_->poll(p, 16, sinks[p]));
      }
      auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (arrived.load() < each * places && std::chrono::steady_clock::now() < limit)
        static_cast<void>(fabric_->poll(p, 16, sinks[p]));
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(arrived.load(), each * places);
}

TEST_P(fabric_contract, undelivered_messages_are_freed_with_the_fabric) {
  // LeakSanitizer sees it.
  for (int i = 0; i < 300; ++i)
    for (std::size_t const bytes : {std::size_t{20}, std::size_t{2000}, std::size_t{9000}})
      ASSERT_TRUE(fabric_->try_send(0, 1, message_class::reply, pattern(bytes, 0)));
}

bool always_idle(void*) {
  return true;
}
bool never_idle(void*) {
  return false;
}

TEST_P(fabric_contract, sleep_returns_at_the_deadline_or_at_once_if_there_is_something_to_do) {
  auto const begin = std::chrono::steady_clock::now();
  fabric_->sleep(0, begin + std::chrono::seconds(20), {&never_idle, nullptr});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  fabric_->sleep(0, std::chrono::steady_clock::now() + std::chrono::milliseconds(20), {&always_idle, nullptr});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  fabric_->sleep(0, std::chrono::steady_clock::now() - std::chrono::seconds(1), {&always_idle, nullptr});
}

TEST_P(fabric_contract, a_wake_between_the_question_and_the_sleep_is_not_lost) {
  // The question itself is the narrow window: the sleeper has announced itself and is about to hear "nothing to do".
  auto const begin = std::chrono::steady_clock::now();
  fabric_->sleep(0, begin + std::chrono::seconds(20),
                 {[](void* f) {
                    static_cast<fabric*>(f)->wake(0);
                    return true;
                  },
                  fabric_.get()});
  fabric_->sleep(0, begin + std::chrono::seconds(20),
                 {[](void* f) {
                    std::byte const one{1};
                    EXPECT_TRUE(static_cast<fabric*>(f)->try_send(1, 0, message_class::reply, {&one, 1}));
                    return true;
                  },
                  fabric_.get()});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_P(fabric_contract, a_waiting_message_keeps_its_reader_awake) {
  ASSERT_TRUE(fabric_->try_send(1, 0, message_class::reply, pattern(8, 1)));
  auto const begin = std::chrono::steady_clock::now();
  fabric_->sleep(0, begin + std::chrono::seconds(20), {&always_idle, nullptr});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

/// Two threads hand a number back and forth, sleeping in between. A lost wake-up costs the whole deadline.
TEST_P(fabric_contract, no_wake_up_is_lost_between_two_threads) {
  constexpr std::uint64_t rounds = 20000;
  std::atomic<std::uint64_t> turn{0};
  std::atomic<unsigned> lost{0};
  struct question {
    std::atomic<std::uint64_t>* turn;
    std::uint64_t parity;
  };
  auto const play = [&](std::uint32_t me) {
    question q{&turn, me};
    for (;;) {
      std::uint64_t const now = turn.load();
      if (now >= rounds || lost.load() != 0) break;
      if (now % 2 == me) {
        turn.store(now + 1);
        fabric_->wake(1 - me);
        continue;
      }
      auto const begin = std::chrono::steady_clock::now();
      fabric_->sleep(me, begin + std::chrono::seconds(10),
                     {[](void* c) {
                        auto const& x = *static_cast<question*>(c);
                        return x.turn->load() % 2 != x.parity && x.turn->load() < rounds;
                      },
                      &q});
      if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(9)) ++lost;
    }
    fabric_->wake(1 - me);
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(lost.load(), 0U);
}

TEST_P(fabric_contract, a_message_wakes_its_reader) {
  constexpr int rounds = 5000;
  std::atomic<unsigned> lost{0};
  auto const play = [&](place_id me) {
    collecting_sink sink;
    std::byte const one{1};
    if (me == 0) EXPECT_TRUE(fabric_->try_send(0, 1, message_class::reply, {&one, 1}));
    for (int i = 0; i < rounds && lost.load() == 0; ++i) {
      while (fabric_->poll(me, 1, sink) == 0) {
        auto const begin = std::chrono::steady_clock::now();
        fabric_->sleep(me, begin + std::chrono::seconds(10), {&always_idle, nullptr});
        if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(9)) ++lost;
        if (lost.load() != 0) return;
      }
      if (me == 0 && i + 1 == rounds) return;
      EXPECT_TRUE(fabric_->try_send(me, 1U - me, message_class::reply, {&one, 1}));
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(lost.load(), 0U);
}

TEST_P(fabric_contract, segments_are_reserved_and_grow_in_both_halves) {
  for (place_id p = 0; p < places; ++p) {
    place_segment const s = fabric_->segment(p);
    ASSERT_NE(s.base, nullptr);
    ASSERT_GE(s.bytes, std::uint64_t{4} << 20);
    ASSERT_TRUE(fabric_->extend_segment(p, 0, 3 << 20));
    ASSERT_TRUE(fabric_->extend_segment(p, s.bytes / 2, 1 << 20));
    std::memset(s.base, 1, 3 << 20);
    std::memset(s.base + s.bytes / 2, 1, 1 << 20);
    EXPECT_TRUE(fabric_->extend_segment(p, 0, 1 << 20)) << "asking again is fine";
  }
}

TEST_P(fabric_contract, growth_beyond_the_limits_is_refused_and_harmless) {
  place_segment const s = fabric_->segment(1);
  EXPECT_FALSE(fabric_->extend_segment(1, 0, s.bytes + 1));
  EXPECT_FALSE(fabric_->extend_segment(1, s.bytes, 4096));
  EXPECT_FALSE(fabric_->extend_segment(1, s.bytes / 2 - 4096, 8192)) << "the halves grow on their own";
  EXPECT_FALSE(fabric_->extend_segment(1, 4096, ~std::uint64_t{0} - 100)) << "offset + bytes wraps";
  EXPECT_TRUE(fabric_->extend_segment(1, 0, room));
  memory(1, 8192)[0] = std::byte{1};
}

TEST_P(fabric_contract, windows_show_the_segment_or_are_not_there) {
  for (place_id p = 0; p < places; ++p) {
    place_window const w = fabric_->window(p);
    EXPECT_TRUE(w.load == nullptr || w.load == fabric_->segment(p).base);
    EXPECT_TRUE(w.atomic == nullptr || w.atomic == fabric_->segment(p).base);
    EXPECT_EQ(w.load != nullptr, GetParam().windows);
  }
}

TEST(fabric_wrappers, capabilities_are_those_of_the_wrapped_fabric) {
  thread_map const map = one_thread_per_place(2);
  auto inner = make_smp_fabric(map);
  fabric_capabilities* const offered = &inner->capabilities();
  auto const wrapped =
      make_checked_fabric(make_delayed_fabric(std::move(inner), map, {std::chrono::microseconds(1), {}}, seed()), map);
  EXPECT_EQ(&wrapped->capabilities(), offered);
}

TEST_P(fabric_contract, no_place_fails_by_itself) {
  send(0, 2, pattern(100, 1));
  deliver_all(1);
  EXPECT_TRUE(fabric_->failures().empty());
}

INSTANTIATE_TEST_SUITE_P(fabrics, fabric_contract, testing::ValuesIn(all_fabrics()), name_of);

}  // namespace
}  // namespace tess::test
