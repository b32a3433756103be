// tagged_test: multiple-reader queues with tagged requests: answers can be told apart, also in one queue; a request
// that does not wait is answered at once; queues with tagged requests can be saved and restored.
// Method: interfaces without harts; the items that arrive at a single-reader queue of the requester. Contention, with
// processes in place of harts; each item has a unique number.
#include <map>

#include "cni_fixture.hpp"
#include "test_seed.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace
using tess::machine::test::interfaces;
namespace of = registers::cni;

using item = std::vector<std::uint64_t>;
constexpr std::uint64_t nowhere = 0x999'0000'0000;

class tagged_requests : public testing::Test {
 protected:
  tagged_requests() {
    open_queue(1);
    m.queue(replies, of::queue, ring, 3, 1);
  }
  /// Items of two words, at tile 2.
  void open_queue(std::uint64_t log2_words) {
    m.queue(match_queue, of::match_queue, m.scratchpad(2, 4096), 2, log2_words);
    m.must_store(match_queue + of::match_shape, of::shape_of(2, log2_words) | of::tagged);
  }
  void ask(std::uint64_t tag, std::uint64_t also = 0) {
    m.post(1, match_queue + of::match_request, of::tagged_request(replies, tag) | also);
    m.run();
  }
  void put(std::uint64_t name) {
    m.message(3, match_queue, {name, ~name});
    m.run();
  }
  /// Answers that have arrived at the reply queue since the last call.
  std::vector<item> came() {
    std::vector<item> all;
    for (; taken < m.word(replies + of::queue_tail); ++taken) {
      std::uint64_t const at = ring + taken % 8 * 16;
      all.push_back({m.word(at), m.word(at + 8)});
    }
    m.must_store(replies + of::queue_head, taken);
    return all;
  }
  [[nodiscard]] std::int64_t balance() { return static_cast<std::int64_t>(m.word(match_queue + of::match_balance)); }

  interfaces m;
  std::uint64_t match_queue = m.line(2, 0);
  std::uint64_t replies = m.line(1, 0);  // of tile 1, which asks
  std::uint64_t ring = m.scratchpad(1, 1024);
  std::uint64_t taken = 0;
};

TEST_F(tagged_requests, get_their_tags_in_the_last_words_of_items_in_either_order_of_arrival) {
  put(10);
  put(11);
  ask(7);
  ask(of::tag_max);
  EXPECT_EQ(came(), (std::vector<item>{{10, 7}, {11, of::tag_max}}));
  ask(0);
  ask(300);
  EXPECT_EQ(balance(), -2);
  put(12);
  put(13);
  EXPECT_EQ(came(), (std::vector<item>{{12, 0}, {13, 300}}));
  EXPECT_EQ(balance(), 0);
  // A word of scratchpad can be notified as well, for items of any size.
  open_queue(2);
  m.message(3, match_queue, {1, 2, 3, 4});
  m.must_store(match_queue + of::match_request, of::tagged_request(m.scratchpad(3, 512), 99));
  m.run();
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(m.word(m.scratchpad(3, 512 + 8 * i)), i + 1);
  EXPECT_EQ(m.word(m.scratchpad(3, 536)), 99U);
  m.expect_no_fault();
}

TEST_F(tagged_requests, that_do_not_wait_are_answered_at_once) {
  ask(5, of::no_wait);
  EXPECT_EQ(came(), (std::vector<item>{{0, 5 | of::none}}));
  EXPECT_EQ(balance(), 0) << "it is not kept";
  put(20);
  EXPECT_EQ(balance(), 1);
  ask(6, of::no_wait);
  EXPECT_EQ(came(), (std::vector<item>{{20, 6}}));
  // Waiting requests come first and are not affected, even if there is no room for one more.
  for (std::uint64_t i = 0; i < 4; ++i) ask(30 + i);
  ask(of::tag_max, of::no_wait);
  EXPECT_EQ(came(), (std::vector<item>{{0, of::tag_max | of::none}}));
  EXPECT_EQ(balance(), -4);
  for (std::uint64_t i = 0; i < 4; ++i) put(50 + i);
  EXPECT_EQ(came(), (std::vector<item>{{50, 30}, {51, 31}, {52, 32}, {53, 33}}));
  m.expect_no_fault();
}

TEST_F(tagged_requests, that_are_invalid_change_nothing) {
  auto const expect_wrong = [&](std::uint64_t request, of::fault why, char const* because) {
    SCOPED_TRACE(because);
    EXPECT_EQ(m.store(match_queue + of::match_request, request), access_outcome::wrong);
    m.post(1, match_queue + of::match_request, request);
    m.run();
    m.expect_fault(1, why, match_queue + of::match_request);
    EXPECT_EQ(balance(), 0);
  };
  expect_wrong(of::tagged_request(nowhere, 3), of::fault::not_allowed, "no region");
  expect_wrong(of::tagged_request(nowhere, 3) | of::no_wait, of::fault::not_allowed, "no region, and it does not wait");
  m.must_store(match_queue + of::match_shape, of::shape_of(2, 1));
  expect_wrong(of::tagged_request(replies, 3), of::fault::not_allowed, "no tags: it is an address that is none");
  expect_wrong(replies | of::no_wait, of::fault::not_allowed, "no tags, nor requests that do not wait");
  for (std::uint64_t const shape : {of::shape_of(2, 0) | of::tagged, of::shape_of(2, 4) | of::tagged,
                                    of::shape_of(2, 1) | of::tagged << 1U, of::shape_of(2, 1) | 3 * of::tagged}) {
    m.must_store(match_queue + of::match_shape, shape);
    expect_wrong(of::tagged_request(replies, 3), of::fault::wrong_shape, "items of one word, or no such shape");
    EXPECT_EQ(m.store(match_queue, 1), access_outcome::wrong);
  }
  m.must_store(replies + of::queue_shape, of::shape_of(3, 1) | of::tagged);
  m.message(3, replies, {1, 2});
  m.run();
  m.expect_fault(3, of::fault::wrong_shape, replies);
  EXPECT_TRUE(came().empty()) << "a single-reader queue has no requests";
}

TEST_F(tagged_requests, with_answers_that_do_not_fit_their_destination_are_faults_of_the_queues_tile) {
  m.must_store(replies + of::queue_shape, of::shape_of(3, 0));
  put(1);
  ask(4);
  m.expect_fault(2, of::fault::wrong_access, replies);
  ask(4, of::no_wait);
  m.expect_fault(2, of::fault::wrong_access, replies);
  EXPECT_EQ(m.word(replies + of::queue_tail), 0U);
  m.must_store(replies + of::queue_shape, of::shape_of(3, 1));
  ask(4);
  m.post(0, m.scratchpad(2, 4096 + 16), of::tagged_request(nowhere, 9));  // somebody writes over it
  m.run();
  put(2);
  m.expect_fault(2, of::fault::not_allowed, nowhere);
  EXPECT_TRUE(came().empty());
  m.expect_no_fault();
}

TEST_F(tagged_requests, and_items_are_put_away_and_put_back_with_their_queue) {
  event_lines& lines = m.at(2).lines();
  auto const away_and_back = [&] {
    auto const seen = lines.examine(match_queue);
    std::array<std::uint64_t, 8> saved{};
    for (std::size_t w = 0; w < 8; ++w) saved[w] = m.word(match_queue + 8 * w);
    ASSERT_TRUE(lines.configure(match_queue, 64, of::cacheable));
    ASSERT_TRUE(lines.configure(match_queue, 64, of::scratchpad));
    std::memcpy(lines.at(match_queue), saved.data(), sizeof saved);
    ASSERT_TRUE(lines.restore(match_queue, seen->code, seen->tag));
    for (std::size_t w = 0; w < 8; ++w) EXPECT_EQ(m.word(match_queue + 8 * w), saved[w]) << "word " << w;
  };
  ask(1);
  ask(2);
  away_and_back();
  EXPECT_EQ(balance(), -2);
  put(70);
  away_and_back();
  put(71);
  put(72);
  away_and_back();
  EXPECT_EQ(balance(), 1);
  ask(3);
  ask(4, of::no_wait);
  EXPECT_EQ(came(), (std::vector<item>{{70, 1}, {71, 2}, {72, 3}, {0, 4 | of::none}}));
  m.expect_no_fault();
}

TEST_F(tagged_requests, are_answered_to_a_full_queue_when_it_has_room) {
  for (std::uint64_t i = 0; i < 12; ++i) {
    m.must_store(match_queue + of::match_request, of::tagged_request(replies, i) | (i % 3 == 0 ? of::no_wait : 0));
    if (i % 3 != 0) m.message(3, match_queue, {100 + i, 0});
    // Until the item arrives; the reply queue is full with eight of them.
    m.g.clock.run_until(m.g.clock.now() + 1000 * m.g.description.tile_clock_ps);
  }
  EXPECT_EQ(m.word(replies + of::queue_tail), 8U);
  EXPECT_EQ(balance(), 0);
  std::map<std::uint64_t, std::uint64_t> answers;
  for (int turns = 0; answers.size() < 12 && turns < 20; ++turns) {
    for (item const& one : came()) EXPECT_TRUE(answers.emplace(one[1] & of::tag_max, one[0]).second) << "twice";
    m.g.clock.run_until(m.g.clock.now() + 1000 * m.g.description.tile_clock_ps);
  }
  m.run();
  for (std::uint64_t i = 0; i < 12; ++i) EXPECT_EQ(answers[i], i % 3 == 0 ? 0 : 100 + i);
  EXPECT_TRUE(came().empty());
  m.expect_no_fault();
}

/// All tiles of cni-16 send many requests to two small queues before the first answer, and have small reply queues.
struct contention {
  static constexpr std::uint64_t rounds = 40;
  static constexpr std::uint64_t open_max = 8;
  static constexpr std::uint64_t log2_replies = 1;

  contention() : came(m.g.description.tiles() * rounds), open(m.g.description.tiles()) {
    for (std::uint32_t tile = 0; tile < m.g.description.tiles(); ++tile) {
      m.queue(replies(tile), of::queue, m.scratchpad(tile, 1024), log2_replies, 1);
      (void)m.command_buffer(tile);
    }
    for (std::uint64_t choice : {0U, 1U}) {
      m.queue(hot(choice), of::match_queue, m.scratchpad(5 + 6 * (choice % 2), 4096), 2, 1);
      m.must_store(hot(choice) + of::match_shape, of::shape_of(2, 1) | of::tagged);
    }
  }
  kernel::delay_awaiter pause(std::uint64_t cycles) { return m.g.clock.delay(cycles * m.g.description.tile_clock_ps); }
  std::uint64_t replies(std::uint32_t tile) { return m.line(tile, 1); }
  std::uint64_t hot(std::uint64_t choice) { return m.line(5 + 6 * (static_cast<std::uint32_t>(choice) % 2), 0); }

  void answered(std::uint32_t tile, std::uint64_t name, std::uint64_t last) {
    EXPECT_EQ(open[tile].erase(last & of::tag_max), 1U) << "tile " << tile << ", tag " << (last & of::tag_max);
    if ((last & of::none) != 0) {
      EXPECT_EQ(name, 0U);
      ++left[tile][last & 1U];
      ++nones;
      return;
    }
    ASSERT_LT(name, came.size());
    EXPECT_FALSE(came[name]) << "twice: " << name;
    came[name] = true;
    ++items;
  }

  interfaces m{"cni-16"};
  std::vector<bool> came;                     ///< Items, by name.
  std::vector<std::set<std::uint64_t>> open;  ///< By tile: the tags that have not been answered.
  /// By tile: the items that it still has to request from each queue.
  std::vector<std::array<std::uint64_t, 2>> left{open.size(), {rounds / 2, rounds / 2}};
  std::uint64_t items = 0;
  std::uint64_t nones = 0;
};

process supplies(contention& s, std::uint32_t tile) {
  std::uint64_t const buffer = s.m.commands(tile);
  for (std::uint64_t i = 0; i < contention::rounds; ++i) {
    co_await s.m.hart_stores(buffer + of::command_destination, s.hot(i));
    co_await s.m.hart_stores(buffer + of::command_acknowledgement, 0);
    co_await s.m.hart_stores(buffer + of::command_data, tile * contention::rounds + i);
    co_await s.m.hart_stores(buffer + of::command_data + 8, ~std::uint64_t{0});
    co_await s.m.hart_stores(buffer + of::command_what, of::what_of(of::message, 16));
  }
}

/// Half of its requests do not wait; it continues until it has received its share of both queues.
process asks(contention& s, std::uint32_t tile) {
  tess::test::random random(tess::test::seed() + tile);
  auto& left = s.left[tile];
  std::uint64_t tag = random.next() & of::tag_max;
  std::uint64_t taken = 0;
  auto& open = s.open[tile];
  while (left[0] + left[1] + open.size() != 0) {
    std::uint64_t const choice = left[0] == 0 || (left[1] != 0 && random.below(2) == 0) ? 1 : 0;
    if (left[choice] != 0 && open.size() < contention::open_max) {
      tag = (tag + 2) & of::tag_max;  // the lowest bit says which queue
      std::uint64_t const mine = (tag & ~std::uint64_t{1}) | choice;
      open.insert(mine);
      --left[choice];
      std::uint64_t const request = of::tagged_request(s.replies(tile), mine) | (random.below(2) ? of::no_wait : 0);
      std::uint64_t const at = s.hot(choice) + of::match_request;
      // A tile's stores to itself are not posted.
      if (s.m.g.map.find(at)->tile == tile) {
        co_await s.m.hart_stores(at, request);
      } else {
        co_await s.m.hart_posts(tile, at, request);
      }
    }
    co_await s.pause(random.below(60));
    for (; taken < s.m.word(s.replies(tile) + of::queue_tail); ++taken) {
      std::uint64_t const at = s.m.scratchpad(tile, 1024 + taken % (1U << contention::log2_replies) * 16);
      s.answered(tile, s.m.word(at), s.m.word(at + 8));
    }
    s.m.must_store(s.replies(tile) + of::queue_head, taken);
  }
}

TEST(contention, of_tagged_requests_answers_each_once_and_loses_no_item) {
  TESS_PRINT_SEED(tess::test::seed());
  contention s;
  for (std::uint32_t tile = 0; tile < s.m.g.description.tiles(); ++tile) {
    s.m.g.clock.start(supplies(s, tile));
    s.m.g.clock.start(asks(s, tile));
  }
  s.m.run();
  EXPECT_EQ(s.items, s.came.size());
  EXPECT_GT(s.nones, 0U) << "some found nothing";
  for (std::uint64_t choice : {0U, 1U}) EXPECT_EQ(s.m.word(s.hot(choice) + of::match_balance), 0U);
  s.m.expect_no_fault();
}

}  // namespace
