// refusals_test: a full queue that is never emptied leaves the machine at rest, and the report names the waiting
// senders; if it is emptied later, every item arrives.
// Method: processes and posts in place of harts; the clock runs until no event is left. Retries without a limit would
// never end.
#include "cni_fixture.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace
using tess::machine::test::interfaces;
namespace of = registers::cni;

constexpr std::uint64_t items = 4;
constexpr std::uint64_t log2_items = 2;

class a_full_queue : public testing::Test {
 protected:
  a_full_queue() { m_.queue(queue_, of::queue, m_.scratchpad(0, 4096), log2_items, 0); }

  /// Runs until no event is left, which must be soon.
  void rest() {
    m_.g.clock.run();
    EXPECT_LT(m_.g.clock.now() / m_.g.description.tile_clock_ps, 100'000U);
  }
  [[nodiscard]] std::vector<transaction*> const& held_back() { return m_.g.tiles[0]->network_adapter().held_back(); }

  interfaces m_;
  std::uint64_t queue_ = m_.line(0, 0);
};

TEST_F(a_full_queue, that_is_never_emptied_leaves_the_machine_at_rest_and_names_the_senders) {
  for (std::uint32_t tile = 1; tile < 4; ++tile)
    for (std::uint64_t i = 0; i < 2; ++i) m_.post(tile, queue_, 10 * tile + i);
  rest();
  EXPECT_EQ(m_.word(queue_ + of::queue_tail), items);
  ASSERT_EQ(held_back().size(), 2U);
  for (transaction const* const one : held_back()) {
    EXPECT_EQ(one->address, queue_);
    EXPECT_TRUE(one->source >= 1 && one->source <= 3) << one->source;
  }
  // The owner's own store waits beside them.
  EXPECT_EQ(m_.store(queue_, 7), access_outcome::full);
  EXPECT_EQ(m_.at(0).waited_for(), std::vector{queue_});
}

TEST_F(a_full_queue, delivers_every_item_when_it_is_emptied_later) {
  for (std::uint64_t i = 0; i < 3 * items; ++i) m_.post(i < 2 * items ? 1 : 2, queue_, 100 + i);
  std::multiset<std::uint64_t> came;
  for (std::uint64_t taken = 0; taken < 3 * items;) {
    rest();
    std::uint64_t const tail = m_.word(queue_ + of::queue_tail);
    ASSERT_GT(tail, taken) << "nobody tried again";
    for (; taken < tail; ++taken) came.insert(m_.word(m_.scratchpad(0, 4096 + 8 * (taken % items))));
    m_.must_store(queue_ + of::queue_head, taken);
  }
  rest();
  for (std::uint64_t i = 0; i < 3 * items; ++i) EXPECT_EQ(came.count(100 + i), 1U) << i;
  EXPECT_TRUE(held_back().empty());
  expect_at_rest(m_.g);
  m_.expect_no_fault();
}

TEST_F(a_full_queue, that_becomes_another_line_is_looked_at_again) {
  for (std::uint64_t i = 0; i <= items; ++i) m_.post(1, queue_, 1);
  rest();
  ASSERT_EQ(held_back().size(), 1U);
  m_.configure(queue_, of::counter);
  m_.at(0).reconfigured();  // as the unit's command does
  m_.run();
  EXPECT_EQ(m_.word(queue_), 1U);
}

}  // namespace
