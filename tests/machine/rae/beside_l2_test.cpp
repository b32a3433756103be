// beside_l2_test: the interface of remote atomics at a tile's L2: merged requests, waiting requests, and accesses that
// bypass it. Method: tiles of tessera-2x2 without harts, whose DDR is tile 3's; single and concurrent requests, and the
// expected counts, bytes and cycles; lines that leave the L2 between a request's look-up and its turn.
#include "rae_fixture.hpp"

namespace {

using namespace tess::machine;        // NOLINT: a test of one namespace
using namespace tess::machine::test;  // NOLINT

class tiles_with_rae : public nodes {
 public:
  explicit tiles_with_rae(changes wanted = {}) : nodes(of_tessera(std::move(wanted))) {}

  /// From the request at the tile until its answer leaves, in cycles.
  std::uint64_t cycles(std::uint64_t address, bool of_interface = false) {
    transaction request;
    request.what = remote_operation::atomic;
    request.word = atomic_operation::add;
    request.operand = 1;
    request.bytes = 8;
    request.address = address;
    if (of_interface) request.part = cni_message{};
    happening done;
    // Behind the last one's turn on the bus.
    picoseconds const began =
        clock_domain(g.description.tile_clock_ps).edge(g.clock.now()) + 100 * g.description.tile_clock_ps;
    g.clock.run_until(began);
    g.tiles[0]->serve(request, done);
    run();
    EXPECT_EQ(request.status, remote_outcome::done);
    return (done.due - began) / g.description.tile_clock_ps;
  }
  void fetch(std::uint64_t address) { (void)owner_loads(address); }
  l2_private::state state_of(std::uint64_t address) { return g.tiles[0]->l2().probe(address).line_state; }
  void flush(std::uint64_t address) {
    g.clock.start(flushing(address));
    run();
  }

 private:
  static changes of_tessera(changes wanted) {
    wanted.emplace_back("machine", "tessera-2x2");
    return wanted;
  }
  process flushing(std::uint64_t address) { co_await g.tiles[0]->l2().flush(address, 8, 0); }
};

TEST(requests_for_a_line_of_the_l2, are_done_in_one_turn_there) {
  for (bool const is_here : {true, false}) {
    tiles_with_rae t;
    if (is_here) t.fetch(t.word(0));
    std::uint64_t const busy = t.g.tiles[0]->bus_busy_cycles();
    t.add_at_once(64, 0);
    EXPECT_EQ(t.counted().requests, 64U);
    EXPECT_EQ(t.counted().merged, 63U);
    EXPECT_EQ(t.counted().entries, 1U);
    EXPECT_EQ(t.counted().memory_reads, 1U);
    EXPECT_EQ(t.counted().memory_writes, 1U);
    auto const& rae = *t.g.description.rae;
    EXPECT_EQ(t.g.tiles[0]->bus_busy_cycles() - busy,
              t.g.description.bus.arbitration_cycles + 64U * rae.operation_cycles);
    for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(t.newest(t.word(8 * i)), 8U);
  }
}

TEST(requests_for_a_line_of_the_l2, each_have_their_turn_if_nothing_is_merged) {
  tiles_with_rae t({{"merge", "false"}});
  t.add_at_once(64, 0);
  EXPECT_EQ(t.counted().entries, 64U);
  EXPECT_EQ(t.counted().memory_reads, 64U);
  EXPECT_EQ(t.counted().memory_writes, 64U);
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(t.newest(t.word(8 * i)), 8U);
}

TEST(a_line_of_the_l2, never_leaves_it_for_the_interface) {
  tiles_with_rae t;
  for (std::uint64_t i = 0; i < 10; ++i) {
    transaction const& one = t.add(1 + static_cast<std::uint32_t>(i) % 3, t.word(0));
    t.run();
    EXPECT_EQ(one.operand, 2 * i);
    EXPECT_EQ(t.state_of(t.word(0)), l2_private::dirty);
    t.g.clock.start(t.owner(t.word(0), 8, true, [](std::byte* at) { apply(atomic_operation::add, at, 8, 1); }));
    t.run();
  }
  EXPECT_EQ(t.counted().hits, 0U);
  EXPECT_EQ(t.counted().entries, 10U);
  EXPECT_EQ(t.counted().invalidations, 0U);
  EXPECT_EQ(t.in_memory(t.word(0)), 0U);
  t.flush(t.word(0));
  EXPECT_EQ(t.in_memory(t.word(0)), 20U);
}

TEST(a_line_of_the_l2, that_others_only_load_stays_clean) {
  tiles_with_rae t;
  (void)t.load(1, t.word(8));
  t.run();
  EXPECT_EQ(t.state_of(t.word(8)), l2_private::clean);
  EXPECT_EQ(t.counted().memory_reads, 1U);
  EXPECT_EQ(t.counted().memory_writes, 0U);
}

TEST(a_line_of_the_l2, that_leaves_while_it_is_looked_up_is_brought_again) {
  tiles_with_rae t;
  t.owner_stores(t.word(0), 100);
  transaction request;
  request.what = remote_operation::atomic;
  request.word = atomic_operation::add;
  request.operand = 1;
  request.bytes = 8;
  request.address = t.word(0);
  happening done;
  t.g.tiles[0]->serve(request, done);
  t.g.clock.run_until(t.g.clock.now() + 10 * t.g.description.tile_clock_ps);
  EXPECT_EQ(t.counted().entries, 1U);
  EXPECT_EQ(t.counted().memory_reads, 0U);
  t.flush(t.word(0));
  EXPECT_EQ(request.operand, 100U);
  EXPECT_EQ(t.newest(t.word(0)), 101U);
  EXPECT_EQ(t.counted().memory_reads, 1U);
}

TEST(a_store, that_joins_loads_while_they_are_answered_makes_the_line_dirty_or_waits) {
  for (bool const was_dirty : {false, true}) {
    tiles_with_rae t({{"operation_cycles", "1000"}});
    if (was_dirty) t.owner_stores(t.word(0), 5);
    happening done[2];
    t.g.tiles[0]->serve(t.fresh(remote_operation::read, t.word(0), 8), done[0]);
    t.g.clock.run_until(t.g.clock.now() + 500 * t.g.description.tile_clock_ps);
    EXPECT_EQ(t.counted().memory_reads, 1U);  // the answer is not there yet
    transaction& then = t.fresh(remote_operation::atomic, t.word(8), 8);
    then.word = atomic_operation::add;
    then.operand = 6;
    t.g.tiles[0]->serve(then, done[1]);
    t.run();
    EXPECT_EQ(t.counted().merged, was_dirty ? 1U : 0U);
    EXPECT_EQ(t.state_of(t.word(8)), l2_private::dirty);
    t.flush(t.word(8));
    EXPECT_EQ(t.in_memory(t.word(8)), 6U);
  }
}

TEST(a_request_at_an_idle_tile, takes_the_cycles_of_the_machine_file) {
  tiles_with_rae t;
  rae_description const& rae = *t.g.description.rae;
  std::uint64_t const through = rae.packet_cycles + rae.look_up_cycles + rae.operation_cycles;
  (void)t.cycles(t.word(0));
  EXPECT_EQ(t.cycles(t.word(0)), through + t.g.description.l2_hit_cycles);
  EXPECT_EQ(t.cycles(t.word(0), true), t.g.description.l2_hit_cycles);
  // An arriving line is at the L2's port when it arrives.
  happening come;
  picoseconds const began = t.g.clock.now();
  t.g.tiles[0]->l2().bring(t.word(64), come);
  picoseconds arrived = 0;
  while (!come.happened) t.g.clock.run_on(arrived = t.g.clock.next_due());
  t.run();
  std::uint64_t const miss = (arrived - began) / t.g.description.tile_clock_ps;
  EXPECT_NEAR(static_cast<double>(t.cycles(t.word(128))), static_cast<double>(miss + through), 4);  // the DDR's turns
}

TEST(words_of_cache_integrated_interfaces, bypass_the_interface) {
  tiles_with_rae t;
  (void)t.cycles(t.word(0), true);
  EXPECT_EQ(t.counted().requests, 0U);
  EXPECT_EQ(t.newest(t.word(0)), 1U);
}

TEST(a_full_interface, delays_requests_and_loses_none) {
  tiles_with_rae t({{"main_entries", "1"}, {"sub_entries", "1"}, {"queue_entries", "1"}});
  for (std::uint32_t i = 0; i < 240; ++i) t.add(1 + i % 3, t.word(64 * (i / 3 % 8)));
  t.run();
  EXPECT_EQ(t.counted().requests, 240U);
  EXPECT_GT(t.counted().full_stalls, 0U);
  EXPECT_GT(t.counted().refused, 0U);
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(t.newest(t.word(64 * i)), 30U);
  for (transaction const& one : t.transactions) EXPECT_EQ(one.status, remote_outcome::done);
}

TEST(all_tiles, can_flood_each_other_with_words_that_no_l2_has) {
  // Each tile's words fill its slots; these wait for lines that others must get.
  tiles_with_rae t({{"main_entries", "1"},
                    {"sub_entries", "1"},
                    {"queue_entries", "1"},
                    {"adapter.outstanding", "2"},
                    {"network.buffer_flits", "1"}});
  for (std::uint64_t i = 0; i < 64; ++i) {
    for (std::uint32_t from = 0; from < 4; ++from) {
      for (std::uint32_t to = 0; to < 4; ++to) t.add(from, t.word(64 * i, to));
    }
  }
  t.run();
  for (std::uint32_t to = 0; to < 4; ++to) {
    for (std::uint64_t line = 0; line < 64; ++line) EXPECT_EQ(t.newest(t.word(64 * line, to)), 4U);
  }
}

TEST(a_sleeper_on_a_word_of_the_l2, is_woken_by_a_remote_store_and_not_by_a_load) {
  struct sleeper : tile::watcher {
    void written(std::uint64_t address, std::size_t, std::uint64_t) override { heard.push_back(address); }
    std::vector<std::uint64_t> heard;
  } asleep;
  tiles_with_rae t;
  t.g.tiles[0]->watch(asleep, t.word(8), sizeof(std::uint64_t));
  t.load(1, t.word(8));
  t.run();
  EXPECT_TRUE(asleep.heard.empty());
  t.store(1, t.word(8), 1);
  t.run();
  EXPECT_EQ(asleep.heard, std::vector{t.word(8)});
}

TEST(an_operation_outside_of_the_table, is_refused_beside_the_l2) {
  tiles_with_rae t;
  EXPECT_EQ((t.add(1, t.word(4)), t.run(), t.transactions.back().status), remote_outcome::wrong);
  EXPECT_EQ((t.load(1, t.word(60)), t.run(), t.transactions.back().status), remote_outcome::wrong);
}

}  // namespace
