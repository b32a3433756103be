// tried_once_test: messages that are not retried when they are refused: their acknowledgements, and that a refused
// message has no other effect.
// Method: interfaces without harts; a full queue of the own tile and of another one, and acknowledgements to all kinds
// of homes. Contention, in which senders retry refused messages themselves.
#include "cni_fixture.hpp"
#include "test_seed.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace
using tess::machine::test::interfaces;
namespace of = registers::cni;

constexpr std::uint64_t minus(std::uint64_t bytes) {
  return ~bytes + 1;
}

class messages_tried_once : public testing::Test {
 protected:
  messages_tried_once() {
    for (std::uint32_t tile = 0; tile < 2; ++tile) m.queue(m.line(tile, 0), of::queue, m.scratchpad(tile, 4096), 0, 1);
  }
  void send(std::uint32_t to, std::uint64_t name, std::uint64_t told) {
    m.message(0, m.line(to, 0), {name, name}, told, of::message_once);
    m.run();
  }
  interfaces m;
};

TEST_F(messages_tried_once, acknowledge_their_bytes_or_a_negative_number_if_refused) {
  for (std::uint32_t const to : {0U, 1U}) {  // the own tile, another one
    std::uint64_t head = 0;
    // At the sender, at the receiver, at a third tile, in DDR; the last is a queue.
    for (std::uint64_t const told : {m.scratchpad(0, 8), m.scratchpad(1, 8), m.scratchpad(2, 8), m.partition(3) + 64}) {
      SCOPED_TRACE(testing::Message() << "tile " << to << std::hex << ", told at " << told);
      send(to, 5, told);
      EXPECT_EQ(m.word(told), 16U);
      EXPECT_EQ(m.word(m.line(to, 0) + of::queue_tail), head + 1);
      send(to, 6, told);
      EXPECT_EQ(m.word(told), minus(16));
      EXPECT_EQ(m.word(m.line(to, 0) + of::queue_tail), head + 1);
      EXPECT_EQ(m.word(m.scratchpad(to, 4096)), 5U);
      m.must_store(m.line(to, 0) + of::queue_head, ++head);
      m.run();
      EXPECT_EQ(m.word(m.line(to, 0) + of::queue_tail), head) << "nobody sends it again";
    }
  }
  EXPECT_EQ(m.at(0).jobs(), 0U);
  m.expect_no_fault();
}

TEST_F(messages_tried_once, notify_counters_and_queues) {
  m.configure(m.line(0, 1), of::counter);
  m.must_store(m.line(0, 1) + of::counter_set, 100);
  for (int i = 0; i < 3; ++i) send(1, 5, m.line(0, 1));
  EXPECT_EQ(m.word(m.line(0, 1)), 100 + 16 - 32U);
  m.queue(m.line(2, 1), of::queue, m.scratchpad(2, 512), 2, 0);
  send(1, 5, m.line(2, 1));
  EXPECT_EQ(m.word(m.line(2, 1) + of::queue_tail), 1U);
  EXPECT_EQ(m.word(m.scratchpad(2, 512)), minus(16));
  m.expect_no_fault();
}

TEST_F(messages_tried_once, without_acknowledgement_are_dropped_silently) {
  for (std::uint32_t const to : {0U, 1U}) {
    for (std::uint64_t i = 0; i < 40; ++i) send(to, 10 + i, 0);  // more than the list holds
    EXPECT_EQ(m.word(m.line(to, 0) + of::queue_tail), 1U);
    EXPECT_EQ(m.word(m.scratchpad(to, 4096)), 10U);
    m.must_store(m.line(to, 0) + of::queue_head, 1);
    m.run();
    EXPECT_EQ(m.word(m.line(to, 0) + of::queue_tail), 1U);
  }
  m.expect_no_fault();
}

TEST_F(messages_tried_once, do_what_messages_do_where_nothing_refuses) {
  std::uint64_t const told = m.scratchpad(0, 8);
  for (std::uint64_t const to : {m.scratchpad(0, 128), m.scratchpad(1, 128), m.partition(1) + 128}) {
    m.message(0, to, {1, 2, 3, 4, 5}, told, of::message_once);
    m.run();
    for (std::uint64_t i = 0; i < 5; ++i) {
      for (std::uint64_t b = 0; b < 8; ++b)
        EXPECT_EQ(m.byte_at(to + 8 * i + b), static_cast<std::byte>(b == 0 ? i + 1 : 0));
    }
    EXPECT_EQ(m.word(told), 40U);
    m.must_store(m.line(0, 0) + of::queue_head, 0);
  }
  m.expect_no_fault();
}

TEST_F(messages_tried_once, that_are_wrong_are_faults_and_acknowledge_nothing) {
  std::uint64_t const told = m.scratchpad(0, 8);
  send(1, 1, 0);
  m.message(0, m.line(1, 0), {1}, told, of::message_once);
  m.run();
  m.expect_fault(0, of::fault::wrong_access, m.line(1, 0));
  m.message(0, m.line(1, 9), {1}, told, of::message_once);
  m.run();
  m.expect_fault(0, of::fault::not_configured, m.line(1, 9));
  EXPECT_EQ(m.word(told), 0U);
  // A refusal that cannot be reported: at the sender, at the receiver, and from there at a third tile.
  send(1, 1, m.line(0, 9));
  m.expect_fault(0, of::fault::acknowledgement, m.line(0, 9));
  send(1, 1, m.line(1, 9));
  m.expect_fault(0, of::fault::acknowledgement, m.line(1, 9));
  send(1, 1, m.line(2, 9));
  m.expect_fault(1, of::fault::not_configured, m.line(2, 9));
  m.expect_no_fault();
}

TEST_F(messages_tried_once, are_retried_when_only_the_list_of_jobs_is_full) {
  // Answers to a full queue take all job slots at tile 2; then an item meets a request there.
  send(1, 1, 0);
  std::uint64_t const match_queue = m.line(2, 0);
  m.queue(match_queue, of::match_queue, m.scratchpad(2, 4096), 5, 1);
  std::uint64_t const all = m.g.description.cni->jobs + 1;
  for (std::uint64_t i = 0; i < all; ++i) m.must_store(match_queue + of::match_request, m.line(1, 0));
  std::uint64_t const told = m.scratchpad(0, 8);
  auto const put = [&] {
    m.message(0, match_queue, {7, 7}, told, of::message_once);
    m.g.clock.run_until(m.g.clock.now() + 1000 * m.g.description.tile_clock_ps);
  };
  for (std::uint64_t i = 1; i < all; ++i) {
    put();
    ASSERT_EQ(m.word(told), 16U) << i;
  }
  // The queue has room, so the message is not refused.
  m.byte_at(told) = std::byte{0};
  put();
  EXPECT_EQ(m.word(told), 0U);
  EXPECT_EQ(m.word(match_queue + of::match_balance), minus(1)) << "the request still waits";
  for (std::uint64_t head = 1; head <= all; ++head) {
    m.must_store(m.line(1, 0) + of::queue_head, head);
    m.g.clock.run_until(m.g.clock.now() + 2000 * m.g.description.tile_clock_ps);
  }
  m.run();
  EXPECT_EQ(m.word(told), 16U);
  EXPECT_EQ(m.word(m.line(1, 0) + of::queue_tail), all + 1);
  m.expect_no_fault();
}

/// Each tile of cni-16 sends its items to one queue of four entries and resends what was refused.
struct contention {
  static constexpr std::uint64_t items_of_each = 24;
  interfaces m{"cni-16"};
  std::vector<int> came = std::vector<int>(m.g.description.tiles() * items_of_each);
  std::uint64_t count = 0;
  std::uint64_t refused = 0;
  kernel::delay_awaiter pause(std::uint64_t cycles) { return m.g.clock.delay(cycles * m.g.description.tile_clock_ps); }
};

process sends(contention& s, std::uint32_t tile) {
  tess::test::random random(tess::test::seed() + tile);
  std::uint64_t const told = s.m.scratchpad(tile, 8);
  std::uint64_t const buffer = s.m.commands(tile);
  for (std::uint64_t i = 0; i < contention::items_of_each;) {
    std::memset(s.m.at(tile).lines().at(told), 0, 8);
    co_await s.m.hart_stores(buffer + of::command_destination, s.m.line(6, 0));
    co_await s.m.hart_stores(buffer + of::command_acknowledgement, told);
    co_await s.m.hart_stores(buffer + of::command_data, tile * contention::items_of_each + i);
    co_await s.m.hart_stores(buffer + of::command_what, of::what_of(of::message_once, 8));
    while (s.m.word(told) == 0) co_await s.pause(10);
    EXPECT_TRUE(s.m.word(told) == 8 || s.m.word(told) == minus(8)) << s.m.word(told);
    bool const sent = s.m.word(told) == 8;
    i += sent ? 1 : 0;
    s.refused += sent ? 0 : 1;
    co_await s.pause(random.below(100));
  }
}

process takes(contention& s) {
  std::uint64_t taken = 0;
  while (s.count < s.came.size()) {
    co_await s.pause(60);
    for (; taken < s.m.word(s.m.line(6, 0) + of::queue_tail); ++taken, ++s.count) {
      ++s.came.at(s.m.word(s.m.scratchpad(6, 4096 + taken % 4 * 8)));
    }
    s.m.must_store(s.m.line(6, 0) + of::queue_head, taken);
  }
}

TEST(contention, of_messages_tried_once_delivers_those_that_are_not_refused) {
  TESS_PRINT_SEED(tess::test::seed());
  contention s;
  s.m.queue(s.m.line(6, 0), of::queue, s.m.scratchpad(6, 4096), 2, 0);
  for (std::uint32_t tile = 0; tile < s.m.g.description.tiles(); ++tile) {
    (void)s.m.command_buffer(tile);
    s.m.g.clock.start(sends(s, tile));
  }
  s.m.g.clock.start(takes(s));
  s.m.run();
  EXPECT_EQ(std::ranges::count(s.came, 1), static_cast<std::ptrdiff_t>(s.came.size()));
  EXPECT_GT(s.refused, 0U);
  s.m.expect_no_fault();
}

}  // namespace
