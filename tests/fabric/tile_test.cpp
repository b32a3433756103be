// tile: the fabric's contract between tiles of a simulated machine, each of which polls for itself only.
// Method: `tess-machine` runs a copy on every tile; all run the same cases in the same order and do to the next place
// what is done to them. Several cases are there for what caches hide: each fails if one write-back, one line's snoop or
// one wake-up is left out. TESS_SLOW=1 does more of everything.
#include "fabric/tile.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "fabric/fabric_contract.hpp"
#include "fabric/tile_memory.hpp"
#include "tess/detail/word_apply.hpp"

namespace tess::test {
namespace {

/// Where things lie in each segment; nothing at 0, which at place 0 is no address.
constexpr std::uint64_t arrived_at = 256, word_at = 512, round_at = 1024, block_at = 4096, copy_at = 128 << 10;
constexpr std::uint64_t room = 256 << 10;

unsigned many(unsigned few) {
  return std::getenv("TESS_SLOW") != nullptr ? few * 20 : few;
}

class tiles : public testing::Test {
 protected:
  void SetUp() override {
    std::unique_ptr<wireup> wires = make_tile_wireup();
    places_ = wires->places();
    if (places_ < 2) GTEST_SKIP() << "needs two tiles";
    wires_ = wires.get();
    me_ = wires->place();
    next_ = static_cast<place_id>((me_ + 1) % places_);
    thread_map map{places_, std::vector<std::vector<std::uint32_t>>(places_), 2};
    map.threads_of_place[me_] = {0, 1};
    fabric_ = make_tile_fabric(map, std::move(wires));
    ASSERT_TRUE(fabric_->extend_segment(me_, 0, room));
    new (mine(arrived_at)) completion(1);
    ASSERT_TRUE(wires_->meet(limit));
  }
  void TearDown() override {
    if (fabric_ != nullptr) meet();
  }

  static constexpr std::chrono::seconds limit{2};

  std::byte* mine(std::uint64_t offset) { return fabric_->segment(me_).base + offset; }
  std::uint64_t my_word(std::uint64_t offset) {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(mine(offset))).load();
  }
  template <class Condition>
  void poll_until(Condition reached) {
    auto const end = std::chrono::steady_clock::now() + limit;
    for (unsigned looks = 1; !reached(); ++looks) {
      static_cast<void>(fabric_->poll(me_, 16, sink_));
      if (looks % 16 == 0 && std::chrono::steady_clock::now() > end) break;
    }
  }
  void settle(completion const& c) {
    poll_until([&] { return c.idle(); });
    ASSERT_TRUE(c.idle()) << "place " << me_ << ": an operation never completed";
  }
  std::uint64_t apply(word_op op, place_id at, std::uint64_t offset, std::uint64_t a, std::uint64_t b = 0) {
    std::uint64_t result[2];
    completion done(1);
    fabric_->word(me_, {op, word_type::u64, 8, 8, address(at, offset), {a, b}}, result, done);
    EXPECT_TRUE(done.idle());
    return result[0];
  }
  /// All have come so far, and serve each other until then.
  void meet() {
    for (place_id p = 0; p < places_; ++p) static_cast<void>(apply(word_op::fetch_add, p, round_at, 1));
    ++rounds_;
    poll_until([&] { return my_word(round_at) >= rounds_ * places_; });
    ASSERT_GE(my_word(round_at), rounds_ * places_) << "place " << me_ << " waits for the others in vain";
  }
  void put(std::span<std::byte const> bytes, std::uint64_t offset, std::uint64_t notified = 0) {
    completion done(1);
    fabric_->put(me_, bytes, address(next_, offset), &done, notified);
    settle(done);
  }
  std::vector<std::byte> get(place_id from, std::uint64_t offset, std::size_t bytes) {
    std::vector<std::byte> back(bytes);
    completion done(1);
    fabric_->get(me_, address(from, offset), back, &done);
    settle(done);
    return back;
  }

  wireup* wires_ = nullptr;
  place_id places_ = 0, me_ = 0, next_ = 0;
  std::uint64_t rounds_ = 0;
  std::unique_ptr<fabric> fabric_;
  collecting_sink sink_;
};

TEST_F(tiles, words_of_all_add_up_at_each) {
  unsigned const additions = many(100);
  std::vector<std::set<std::uint64_t>> seen(places_);
  for (unsigned i = 0; i < additions * places_; ++i) {
    auto const at = static_cast<place_id>(i % places_);
    EXPECT_TRUE(seen[at].insert(apply(word_op::fetch_add, at, word_at, 1)).second);
  }
  // The owner's cache has the word, and it is the others' all the same.
  meet();
  EXPECT_EQ(my_word(word_at), additions * places_);
}

TEST_F(tiles, compare_and_swap_of_far_words_loses_nothing) {
  unsigned const additions = many(30);
  auto* const far = fabric_->window(next_).atomic + word_at;
  auto* const narrow = far + 12;
  for (unsigned i = 0; i < additions; ++i) {
    std::uint64_t old = 0;
    while (!compare_swap_word<std::uint64_t>(far, old, old + 3)) {
    }
    std::int32_t below = 0;
    while (!compare_swap_word<std::int32_t>(narrow, below, below - 1)) {
    }
    // The owner's way is another one: LR and SC.
    std::uint64_t mine_was = 0;
    while (!compare_swap_word<std::uint64_t>(mine(word_at), mine_was, mine_was + 5)) {
    }
  }
  meet();
  EXPECT_EQ(my_word(word_at), 8 * additions);
  EXPECT_EQ(*reinterpret_cast<std::int32_t*>(mine(word_at + 12)), -static_cast<std::int32_t>(additions));
}

TEST_F(tiles, every_operation_on_a_far_word_is_what_it_is_on_ones_own) {
  for (word_op const op : {word_op::fetch_add, word_op::fetch_and, word_op::fetch_or, word_op::fetch_xor,
                           word_op::fetch_min, word_op::fetch_max, word_op::exchange, word_op::compare_swap})
    for (word_type const type : {word_type::i32, word_type::u32, word_type::i64, word_type::u64}) {
      std::uint8_t const bytes = type == word_type::i32 || type == word_type::u32 ? 4 : 8;
      for (std::uint64_t const operand : {7ULL, ~6ULL}) {
        std::uint64_t results[2][2];
        std::uint64_t after[2];
        for (int far = 0; far < 2; ++far) {
          place_id const at = far != 0 ? next_ : me_;
          // Each place has two words, for itself and for the one before.
          std::uint64_t const where = address(at, word_at + (far != 0 ? 8 : 16));
          completion done(4);
          std::uint64_t none[2], found[2];
          fabric_->word(me_, {word_op::put, word_type::u64, 8, 8, where, {5, 0}}, none, done);
          fabric_->word(me_, {op, type, bytes, bytes, where, {operand, 9}}, results[far], done);
          fabric_->word(me_, {op, type, bytes, bytes, where, {5, 9}}, none, done);
          fabric_->word(me_, {word_op::get, word_type::u64, 8, 8, where, {}}, found, done);
          EXPECT_TRUE(done.idle());
          after[far] = found[0];
        }
        EXPECT_EQ(results[0][0], results[1][0]) << static_cast<int>(op) << ' ' << static_cast<int>(type);
        EXPECT_EQ(after[0], after[1]) << static_cast<int>(op) << ' ' << static_cast<int>(type);
      }
    }
}

TEST_F(tiles, blocks_of_any_size_and_place_come_back_and_touch_no_neighbour) {
  unsigned shift = 0;
  for (std::size_t const bytes : {1UZ, 7UZ, 64UZ, 65UZ, 95UZ, 128UZ, 4096UZ, 4300UZ, 20000UZ}) {
    shift = shift * 5 + 3;
    std::uint64_t const at = block_at + shift % 64;
    std::memset(mine(at - 1), 0xcc, bytes + 2);
    meet();
    auto const sent = pattern(bytes, bytes + me_);
    put(sent, at);
    meet();
    place_id const before = static_cast<place_id>((me_ + places_ - 1) % places_);
    auto const expected = pattern(bytes, bytes + before);
    EXPECT_EQ(std::memcmp(mine(at), expected.data(), bytes), 0) << bytes << " bytes";
    EXPECT_EQ(mine(at - 1)[0], std::byte{0xcc});
    EXPECT_EQ(mine(at + bytes)[0], std::byte{0xcc});
    EXPECT_EQ(get(next_, at, bytes), sent) << bytes << " bytes back";
    completion done(1);
    fabric_->copy(me_, address(next_, at), address(me_, copy_at + shift % 32), bytes, &done);
    settle(done);
    EXPECT_EQ(std::memcmp(mine(copy_at + shift % 32), sent.data(), bytes), 0) << bytes << " bytes copied here";
    meet();
    // Between two others, or from the other to itself.
    auto const third = static_cast<place_id>((me_ + 2) % places_);
    std::uint64_t const to = copy_at + (64 << 10);
    done.expect(1);
    fabric_->copy(me_, address(next_, at), address(third, to), bytes, &done);
    settle(done);
    EXPECT_EQ(get(third, to, bytes), sent) << bytes << " bytes copied there";
    meet();
  }
}

TEST_F(tiles, what_the_owner_has_just_written_is_what_others_get) {
  // In the owner's L2, and not in memory: a DMA that went before the write-back would bring the round before.
  constexpr std::size_t bytes = 3000;
  for (unsigned round = 1; round <= 4; ++round) {
    auto const written = pattern(bytes, round * 11 + me_);
    std::memcpy(mine(block_at + 8), written.data(), bytes);
    meet();
    EXPECT_EQ(get(next_, block_at + 8, bytes), pattern(bytes, round * 11 + next_)) << "stale in round " << round;
    meet();
  }
}

TEST_F(tiles, what_was_just_written_is_what_is_put_from_wherever_it_lies) {
  // The same for a source in the heap, in the segment, and in the tile-local memory.
  static std::array<std::byte, 3000> in_tlm;
  std::vector<std::byte> in_heap(in_tlm.size());
  std::byte* const in_segment = mine(copy_at);
  for (unsigned round = 1; round <= 3; ++round)
    for (std::byte* const source : {in_tlm.data(), in_heap.data(), in_segment}) {
      auto const written = pattern(in_tlm.size(), round * 13 + static_cast<unsigned>(source - in_segment));
      std::memcpy(source, written.data(), written.size());
      put({source, written.size()}, block_at);
      EXPECT_EQ(get(next_, block_at, written.size()), written) << "stale in round " << round;
    }
}

TEST_F(tiles, what_is_put_is_seen_by_an_owner_whose_caches_had_the_range) {
  constexpr std::size_t bytes = 2000;
  place_id const before = static_cast<place_id>((me_ + places_ - 1) % places_);
  for (unsigned round = 1; round <= 4; ++round) {
    // Read and written: clean in the L1, dirty in the L2.
    unsigned sum = 0;
    for (std::size_t i = 0; i < bytes; ++i) sum += static_cast<unsigned>(mine(block_at)[i] = std::byte{0x11});
    EXPECT_EQ(sum, bytes * 0x11);
    meet();
    put(pattern(bytes, round + me_), block_at);
    meet();
    auto const expected = pattern(bytes, round + before);
    EXPECT_EQ(std::memcmp(mine(block_at), expected.data(), bytes), 0) << "stale in round " << round;
    meet();
  }
}

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
  for (unsigned i = 0; i < 200; ++i) {
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

TEST_F(tiles, segments_grow_in_both_halves_within_their_limits) {
  place_segment const s = fabric_->segment(me_);
  ASSERT_GE(s.bytes, std::uint64_t{4} << 20);
  EXPECT_TRUE(fabric_->extend_segment(me_, s.bytes / 2, 1 << 16));
  EXPECT_FALSE(fabric_->extend_segment(me_, 0, s.bytes + 1));
  EXPECT_FALSE(fabric_->extend_segment(me_, s.bytes, 4096));
  EXPECT_FALSE(fabric_->extend_segment(me_, s.bytes / 2 - 4096, 8192)) << "the halves grow on their own";
  EXPECT_FALSE(fabric_->extend_segment(me_, 4096, ~std::uint64_t{0} - 100)) << "offset + bytes wraps";
  std::memset(s.base + s.bytes / 2, 1, 1 << 16);
  EXPECT_LT(fabric_->room(me_).left_bytes, s.bytes);
}

TEST_F(tiles, a_segment_is_zero_at_first_also_that_of_a_second_job) {
  // The one before was not.
  place_segment const s = fabric_->segment(me_);
  for (std::uint64_t at = s.bytes / 2; at < s.bytes / 2 + (1 << 16); at += 512)
    ASSERT_EQ(s.base[at], std::byte{0}) << "offset " << at;
}

TEST_F(tiles, a_name_leads_to_its_listener_and_an_unknown_one_throws) {
  EXPECT_THROW(static_cast<void>(fabric_->connect("memory")), error);
  fabric_->listen(me_, "memory");
  endpoint const e = fabric_->connect("memory");
  EXPECT_GE(e, 65536U);
  EXPECT_TRUE(fabric_->try_send(me_, e, message_class::request, pattern(100, 1)));
  poll_until([&] { return sink_.messages.size() == 1; });
  EXPECT_EQ(sink_.messages.size(), 1U);
  EXPECT_TRUE(fabric_->events().empty());
}

}  // namespace
}  // namespace tess::test

int main(int argc, char** argv) {
  // One copy tells how it goes; the others speak up if something is wrong.
  if (tess::detail::make_tile_wireup()->place() != 0) GTEST_FLAG_SET(brief, true);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
