// accesses_test: the effect of a store, a load and an atomic on each kind of L2 line, and the accesses that are
// refused.
// Method: interfaces without harts; stores by the owner and by other tiles, and the words afterwards.
#include "cni_fixture.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace
using tess::machine::test::interfaces;
namespace of = registers::cni;

class cni_accesses : public testing::Test {
 protected:
  // The complete response to a transaction of tile `from` on an address.
  transaction& ask(std::uint32_t from, remote_operation what, std::uint64_t address, std::uint64_t bytes,
                   std::uint64_t operand = 0, std::uint64_t expected = 0) {
    request.what = what;
    request.word = atomic_operation::add;
    request.address = address;
    request.target = m.g.map.find(address)->tile;
    request.bytes = bytes;
    request.operand = operand;
    request.expected = expected;
    std::memcpy(request.data.data(), &operand, sizeof operand);
    request.done = &m.fresh();
    m.g.tiles[from]->network_adapter().issue(request);
    m.run();
    return request;
  }
  interfaces m;
  transaction request;
};

TEST_F(cni_accesses, count_and_at_zero_notify_all_and_reload) {
  std::uint64_t const counter = m.line(0, 0);
  m.configure(counter, of::counter);
  m.configure(m.line(2, 1), of::counter);
  m.must_store(m.line(2, 1) + of::counter_set, 1000);
  m.must_store(counter + of::counter_set, ~std::uint64_t{2});  // -3
  m.must_store(counter + of::counter_reload, 7);
  m.must_store(counter + of::counter_preset, 55);
  m.must_store(counter + of::counter_notify, m.scratchpad(0, 64));
  m.must_store(counter + of::counter_notify + 8, m.scratchpad(1, 64));
  m.must_store(counter + of::counter_notify + 24, m.line(2, 1));
  m.must_store(counter, 1);
  m.post(3, counter, 1);
  m.run();
  EXPECT_EQ(m.word(counter), ~std::uint64_t{0});
  EXPECT_EQ(m.word(m.scratchpad(1, 64)), 0U);
  m.post(1, counter, 1);
  m.run();
  EXPECT_EQ(m.word(counter), 7U);
  EXPECT_EQ(m.word(m.scratchpad(0, 64)), 55U);
  EXPECT_EQ(m.word(m.scratchpad(1, 64)), 55U);
  EXPECT_EQ(m.word(m.line(2, 1)), 1055U);
  m.must_store(counter + of::counter_set, 0);
  m.run();
  EXPECT_EQ(m.word(m.line(2, 1)), 1055U) << "set to zero, nobody is notified";
  m.expect_no_fault();
}

TEST_F(cni_accesses, to_a_counter_with_an_invalid_word_to_notify_are_counted_as_faults) {
  std::uint64_t const counter = m.line(0, 0);
  m.configure(counter, of::counter);
  m.must_store(counter + of::counter_notify, 0x999'0000'0000);
  m.must_store(counter + of::counter_set, 1);
  m.must_store(counter, ~std::uint64_t{0});
  m.run();
  m.expect_fault(0, of::fault::not_allowed, 0x999'0000'0000);
}

TEST_F(cni_accesses, that_a_word_does_not_support_change_nothing) {
  struct wrong_one {
    of::line_code code;
    std::uint64_t offset;
  };
  m.queue(m.line(0, 4), of::queue, m.scratchpad(0, 1024), 2, 0);
  m.queue(m.line(0, 5), of::match_queue, m.scratchpad(0, 2048), 2, 0);
  for (auto const [code, offset] :
       {wrong_one{of::queue, of::queue_tail}, wrong_one{of::queue, 48}, wrong_one{of::queue, 56},
        wrong_one{of::match_queue, of::match_balance}, wrong_one{of::match_queue, 56}}) {
    std::uint64_t const word = m.line(0, code) + offset;
    EXPECT_EQ(m.store(word, 1), access_outcome::wrong) << "line " << code << ", offset " << offset;
    m.post(1, word, 1);
    m.run();
    m.expect_fault(1, of::fault::wrong_access, word);
    EXPECT_EQ(m.word(word), 0U);
  }
  // Stores that only the owner may issue.
  m.configure(m.line(0, 2), of::command_buffer);
  m.configure(m.line(0, 3), of::counter);
  for (auto const [code, offset] :
       {wrong_one{of::command_buffer, 0}, wrong_one{of::command_buffer, 8}, wrong_one{of::counter, of::counter_reload},
        wrong_one{of::counter, of::counter_notify}, wrong_one{of::queue, of::queue_head},
        wrong_one{of::queue, of::queue_shape}, wrong_one{of::match_queue, of::match_buffer}}) {
    std::uint64_t const word = m.line(0, code) + offset;
    std::uint64_t const before = m.word(word);
    m.post(1, word, 1);
    m.run();
    m.expect_fault(1, of::fault::wrong_access, word);
    EXPECT_EQ(m.word(word), before);
  }
  // Invalid commands.
  for (std::uint64_t const what :
       {std::uint64_t{0}, of::what_of(of::copy, 0), of::what_of(of::copy, 65537), of::what_of(of::message, 41),
        of::what_of(of::message_once, 41), std::uint64_t{4 | 8U << 8U}}) {
    EXPECT_EQ(m.store(m.line(0, 2), what), access_outcome::wrong) << what;
  }
  EXPECT_EQ(m.at(0).lines().examine(m.line(0, 2))->tag, 0U);
  // More is taken than the counter holds.
  EXPECT_EQ(m.store(m.line(0, 4) + of::queue_head, 1), access_outcome::wrong);
}

TEST_F(cni_accesses, of_parts_of_words_with_events_are_wrong) {
  std::uint64_t const counter = m.line(1, 0);
  m.configure(counter, of::counter);
  for (auto const& [offset, bytes] : {std::pair{0, 4}, {4, 4}, {4, 8}, {0, 1}, {0, 2}}) {
    EXPECT_EQ(ask(0, remote_operation::write, counter + static_cast<std::uint64_t>(offset),
                  static_cast<std::uint64_t>(bytes), 1)
                  .status,
              remote_outcome::wrong);
    EXPECT_EQ(
        ask(0, remote_operation::read, counter + static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(bytes))
            .status,
        remote_outcome::wrong);
  }
  EXPECT_EQ(m.word(counter), 0U);
  EXPECT_EQ(ask(0, remote_operation::write, counter, 8, 5).status, remote_outcome::done);
  EXPECT_EQ(ask(0, remote_operation::read, counter, 8).status, remote_outcome::done);
  EXPECT_EQ(request.data[0], std::byte{5});
}

TEST_F(cni_accesses, atomic_ones_are_for_plain_scratchpad) {
  std::uint64_t const plain = m.scratchpad(1, 8);
  EXPECT_EQ(ask(0, remote_operation::atomic, plain, 8, 5).status, remote_outcome::done);
  EXPECT_EQ(ask(2, remote_operation::atomic, plain, 8, 6).operand, 5U);
  EXPECT_EQ(ask(2, remote_operation::compare_swap, plain, 8, 100, 11).operand, 11U);
  EXPECT_EQ(m.word(plain), 100U);
  EXPECT_EQ(ask(2, remote_operation::atomic, plain + 4, 8, 6).status, remote_outcome::wrong) << "not aligned";
  m.configure(m.line(1, 0), of::counter);
  EXPECT_EQ(ask(0, remote_operation::atomic, m.line(1, 0), 8, 5).status, remote_outcome::wrong);
  EXPECT_EQ(ask(0, remote_operation::compare_swap, m.line(1, 0), 8, 5).status, remote_outcome::wrong);
  EXPECT_EQ(m.word(m.line(1, 0)), 0U);
  EXPECT_EQ(ask(0, remote_operation::atomic, m.line(1, 1), 8, 5).status, remote_outcome::wrong) << "not configured";
}

TEST_F(cni_accesses, to_unconfigured_lines_and_disabled_regions_are_refused) {
  EXPECT_EQ(m.g.tiles[0]->place_of(m.line(0, 0)), tile::place::nowhere);
  EXPECT_EQ(m.g.tiles[0]->place_of(m.scratchpad(0)), tile::place::scratchpad);
  EXPECT_EQ(m.g.tiles[0]->place_of(m.scratchpad(1)), tile::place::posted);
  m.post(0, m.line(1, 0), 1);
  m.run();
  m.expect_fault(0, of::fault::not_configured, m.line(1, 0));
  for (auto& entry : m.at(0).regions().entries()) entry.enabled = false;
  EXPECT_EQ(m.g.tiles[0]->place_of(m.scratchpad(1)), tile::place::nowhere);
}

TEST_F(cni_accesses, fill_a_queue_and_are_refused_until_there_is_room) {
  std::uint64_t const queue = m.line(1, 0);
  std::uint64_t const buffer = m.scratchpad(1, 4096);
  m.queue(queue, of::queue, buffer, 1, 0);
  for (std::uint64_t i = 1; i <= 4; ++i) m.post(0, queue, i);
  m.g.clock.run_until(m.g.clock.now() + 1000 * m.g.description.tile_clock_ps);
  EXPECT_EQ(m.word(queue + of::queue_tail), 2U);
  std::multiset<std::uint64_t> seen{m.word(buffer), m.word(buffer + 8)};
  EXPECT_EQ(m.store(queue, 9), access_outcome::full) << "its owner waits, too";
  m.must_store(queue + of::queue_head, 2);
  m.run();
  EXPECT_EQ(m.word(queue + of::queue_tail), 4U);
  seen.insert(m.word(buffer));
  seen.insert(m.word(buffer + 8));
  EXPECT_EQ(seen, (std::multiset<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_GE(m.times_told(), 1U) << "the owner has been told to try again";
  m.expect_no_fault();
}

TEST_F(cni_accesses, match_items_with_requests_in_either_order_of_arrival) {
  std::uint64_t const queue = m.line(2, 0);
  m.queue(queue, of::match_queue, m.scratchpad(2, 4096), 1, 1);  // two items of two words
  m.post(0, queue + of::match_request, m.scratchpad(0, 64));
  m.run();
  m.post(1, queue + of::match_request, m.scratchpad(1, 64));
  m.run();
  EXPECT_EQ(static_cast<std::int64_t>(m.word(queue + of::match_balance)), -2);
  m.message(3, queue, {10, 11});
  m.run();
  EXPECT_EQ(m.word(m.scratchpad(0, 64)), 10U);
  EXPECT_EQ(m.word(m.scratchpad(0, 72)), 11U);
  EXPECT_EQ(m.word(m.scratchpad(1, 64)), 0U);
  m.message(3, queue, {20, 21});
  m.message(3, queue, {30, 31});
  m.message(3, queue, {40, 41});
  m.run();
  EXPECT_EQ(m.word(m.scratchpad(1, 72)), 21U);
  EXPECT_EQ(m.word(queue + of::match_balance), 2U);
  m.message(3, queue, {50, 51});
  m.g.clock.run_until(m.g.clock.now() + 500 * m.g.description.tile_clock_ps);
  EXPECT_EQ(m.word(queue + of::match_balance), 2U) << "full: it waits at its sender";
  for (std::uint64_t i = 0; i < 3; ++i) m.must_store(queue + of::match_request, m.scratchpad(3, 64 * i));
  m.run();
  std::multiset<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 3; ++i) seen.insert(m.word(m.scratchpad(3, 64 * i + 8)));
  EXPECT_EQ(seen, (std::multiset<std::uint64_t>{31, 41, 51}));
  EXPECT_EQ(m.store(queue + of::match_request, 0x999'0000'0000), access_outcome::wrong) << "nothing can go there";
  m.expect_no_fault();
}

TEST_F(cni_accesses, to_a_request_that_was_written_over_send_nothing) {
  std::uint64_t const queue = m.line(2, 0);
  m.queue(queue, of::match_queue, m.scratchpad(2, 4096), 1, 0);
  m.must_store(queue + of::match_request, m.scratchpad(1, 64));
  std::uint64_t const nowhere = m.g.map.of(region_kind::tlm, 1)->base;
  m.post(0, m.scratchpad(2, 4096), nowhere);
  m.run();
  m.post(0, queue, 5);
  m.run();
  m.expect_fault(2, of::fault::not_allowed, nowhere);
  EXPECT_EQ(m.word(nowhere), 0U);
  EXPECT_EQ(m.word(queue + of::match_balance), 0U);
  m.expect_no_fault();
}

TEST_F(cni_accesses, to_a_queue_add_to_the_word_that_it_notifies) {
  std::uint64_t const told = m.scratchpad(0, 128);
  for (std::uint64_t line = 0; line < 2; ++line) {
    m.queue(m.line(0, line), of::queue, m.scratchpad(0, 1024 + 64 * line), 2, 0);
    m.must_store(m.line(0, line) + of::queue_notify, told);
  }
  for (std::uint64_t item = 1; item <= 3; ++item) m.post(1, m.line(0, item % 2), item);
  m.run();
  EXPECT_EQ(m.word(told), 3U) << "of both queues";
  // A refused item notifies nothing until it is accepted.
  for (std::uint64_t item = 4; item <= 7; ++item) m.post(2, m.line(0, 1), item);
  m.g.clock.run_until(m.g.clock.now() + 2000 * m.g.description.tile_clock_ps);
  EXPECT_EQ(m.word(told), 5U);
  m.must_store(m.line(0, 1) + of::queue_head, 2);
  m.run();
  EXPECT_EQ(m.word(told), 7U);
  m.must_store(m.line(0, 0) + of::queue_notify, 0);
  m.post(1, m.line(0, 0), 9);
  m.run();
  EXPECT_EQ(m.word(told), 7U);
  // A hart of another tile cannot set the word to notify.
  m.post(1, m.line(0, 0) + of::queue_notify, told);
  m.run();
  m.expect_fault(1, of::fault::wrong_access, m.line(0, 0) + of::queue_notify);
  m.expect_no_fault();
}

TEST_F(cni_accesses, to_a_limited_queue_leave_room_for_requests_only) {
  std::uint64_t const queue = m.line(1, 0);
  m.queue(queue, of::match_queue, m.scratchpad(1, 1024), 2, 0);
  m.must_store(queue + of::match_shape, of::shape_of(2, 0) | std::uint64_t{1} << of::limit_shift);
  EXPECT_EQ(m.store(queue, 5), access_outcome::done);
  EXPECT_EQ(m.store(queue, 6), access_outcome::full) << "one item is the limit";
  m.must_store(queue + of::match_request, m.scratchpad(1, 64));
  m.run();
  EXPECT_EQ(m.word(m.scratchpad(1, 64)), 5U);
  for (std::uint64_t i = 1; i <= 4; ++i) m.must_store(queue + of::match_request, m.scratchpad(1, 64 + 8 * i));
  EXPECT_EQ(m.store(queue + of::match_request, m.scratchpad(1, 200)), access_outcome::full);
  EXPECT_EQ(m.word(queue + of::match_balance), ~std::uint64_t{4} + 1);
  for (std::uint64_t i = 1; i <= 4; ++i) m.must_store(queue, 10 + i);
  m.run();
  for (std::uint64_t i = 1; i <= 4; ++i) EXPECT_EQ(m.word(m.scratchpad(1, 64 + 8 * i)), 10 + i);
  m.expect_no_fault();
}

TEST_F(cni_accesses, to_queues_of_invalid_shape_are_refused) {
  std::uint64_t const queue = m.line(1, 0);
  m.configure(queue, of::queue);
  auto const expect_wrong = [&](of::fault why, char const* because) {
    m.post(0, queue, 1);
    m.run();
    SCOPED_TRACE(because);
    m.expect_fault(0, why, queue);
    EXPECT_EQ(m.store(queue, 1), access_outcome::wrong);
    EXPECT_EQ(m.word(queue + of::queue_tail), 0U);
  };
  expect_wrong(of::fault::wrong_shape, "no buffer");
  m.must_store(queue + of::queue_shape, of::shape_of(2, 1));
  m.must_store(queue + of::queue_buffer, m.scratchpad(1, 1032));
  expect_wrong(of::fault::wrong_shape, "items of two words at an odd word: one would lie in two lines");
  m.must_store(queue + of::queue_buffer, m.scratchpad(1, 1024));
  expect_wrong(of::fault::wrong_access, "an item has two words");
  m.must_store(queue + of::queue_shape, of::shape_of(2, 0));
  for (std::uint64_t const outside : {m.scratchpad(0, 1024), m.line(1, 5), queue, m.partition(1)}) {
    m.must_store(queue + of::queue_buffer, outside);
    expect_wrong(of::fault::wrong_shape, "its buffer is not plain scratchpad of this tile");
  }
  for (std::uint64_t const shape : {of::shape_of(21, 0), of::shape_of(2, 4), ~std::uint64_t{0}}) {
    m.must_store(queue + of::queue_shape, shape);
    expect_wrong(of::fault::wrong_shape, "no such shape");
  }
}

struct listener : tile::watcher, snooper {
  void written(std::uint64_t address, std::size_t bytes, std::uint64_t) override {
    if (address <= word && word < address + bytes) ++wakes;
  }
  void invalidate(std::uint64_t address, std::size_t bytes) override {
    if (address <= word && word < address + bytes) ++drops;
  }
  std::uint64_t word = 0;
  int wakes = 0;
  int drops = 0;
};

TEST_F(cni_accesses, wake_sleepers_on_a_word_and_invalidate_it_in_l1s) {
  listener one;
  tile& here = *m.g.tiles[1];
  std::uint32_t const l1 = here.attach(static_cast<snooper&>(one));
  here.watch(one, m.scratchpad(1, 512), sizeof(std::uint64_t));
  one.word = m.scratchpad(1, 512);
  here.filled(one.word, l1);
  m.post(0, one.word, 1);
  m.run();
  EXPECT_EQ(one.wakes, 1);
  EXPECT_EQ(one.drops, 1);
  here.filled(one.word, l1);
  m.copy(0, m.scratchpad(1, 500), m.scratchpad(0), 64);
  m.run();
  EXPECT_EQ(one.drops, 2);
  EXPECT_GE(one.wakes, 2);
  // A tail that grows, a balance and a counter's value wake as well.
  m.queue(m.line(1, 0), of::queue, m.scratchpad(1, 4096), 2, 0);
  m.configure(m.line(1, 2), of::counter);
  for (auto const& [slept_on, stored] :
       {std::pair{m.line(1, 0) + of::queue_tail, m.line(1, 0)}, {m.line(1, 2), m.line(1, 2)}}) {
    one.word = slept_on;
    int const before = one.wakes;
    m.post(0, stored, 1);
    m.run();
    EXPECT_GT(one.wakes, before);
  }
  here.filled(m.scratchpad(1, 512), l1);
  one.word = m.scratchpad(1, 512);
  int const drops = one.drops;
  m.configure(m.scratchpad(1, 512), of::counter);
  EXPECT_EQ(one.drops, drops + 1) << "what it was before is in no L1";
  here.unwatch(one);
}

TEST_F(cni_accesses, to_others_are_combined_but_not_over_a_byte_and_not_behind_an_event) {
  std::uint64_t const to = m.scratchpad(1, 128);
  auto const packets = [&] { return m.g.tiles[0]->network_adapter().counted().requests; };
  for (std::uint64_t i = 0; i < 8; ++i) m.post(0, to + 8 * i, i + 1);
  m.run();
  EXPECT_EQ(packets(), 1U) << "a whole line at once";
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(m.word(to + 8 * i), i + 1);
  m.post(0, to, 50);
  m.post(0, to, 51);
  m.run();
  EXPECT_EQ(packets(), 3U) << "the first is not written over";
  EXPECT_EQ(m.word(to), 51U);
  m.configure(m.line(1, 0), of::counter);
  m.post(0, to + 16, 60);
  m.post(0, m.line(1, 0), 1);
  EXPECT_EQ(packets(), 5U) << "what was gathered leaves before the event, both at once";
  m.run();
  EXPECT_EQ(m.word(to + 16), 60U);
  std::byte const odd{7};
  EXPECT_TRUE(m.at(0).post(to + 3, std::span(&odd, 1), m.fresh()));
  EXPECT_FALSE(m.at(0).drain(m.fresh()));
  m.run();
  EXPECT_TRUE(m.at(0).drain(m.fresh()));
  EXPECT_EQ(m.word(to), 51U | 7U << 24U);
  m.expect_no_fault();
}

TEST_F(cni_accesses, that_fail_add_one_to_the_word_of_faults) {
  m.at(0).faults().notify = m.scratchpad(0, 640);
  m.post(0, m.line(1, 0), 1);
  m.post(0, m.line(1, 1), 1);
  m.run();
  EXPECT_EQ(m.word(m.scratchpad(0, 640)), 2U);
  EXPECT_EQ(m.at(0).faults().count, 2U);
  m.at(0).faults().notify = m.line(1, 0);
  m.post(0, m.line(1, 0), 1);
  m.run();
  EXPECT_EQ(m.at(0).faults().count, 3U) << "a word that cannot be told is no fault of its own";
}

}  // namespace
