// interface_test: main entries, sub-entries, the interface cache, and ownership of lines.
// Method: nodes of rae-6 without harts; single and concurrent requests, and the expected counts, bytes in memory and
// cycles; one main entry and a queue of one.
#include "rae_fixture.hpp"

namespace {

using namespace tess::machine;        // NOLINT: a test of one namespace
using namespace tess::machine::test;  // NOLINT

changes const at_once{{"policy", "\"free-at-once\""}};

TEST(requests_for_a_line_on_its_way, join_its_main_entry_and_share_its_memory_accesses) {
  nodes n(at_once);
  n.add_at_once(64, 0);
  EXPECT_EQ(n.counted().requests, 64U);
  EXPECT_EQ(n.counted().hits, 0U);
  EXPECT_EQ(n.counted().entries, 1U);
  EXPECT_EQ(n.counted().merged, 63U);
  EXPECT_EQ(n.counted().memory_reads, 1U);
  EXPECT_EQ(n.counted().memory_writes, 1U);
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(n.in_memory(n.word(8 * i)), 8U);
}

TEST(a_store, that_joins_loads_while_they_are_answered_reaches_memory) {
  nodes n({{"policy", "\"free-at-once\""}, {"operation_cycles", "1000"}});
  happening done[2];
  transaction& first = n.fresh(remote_operation::read, n.word(0), 8);
  n.g.tiles[0]->serve(first, done[0]);
  n.g.clock.run_until(200'000);  // the line has come, the answer takes 500 ns
  transaction& then = n.fresh(remote_operation::atomic, n.word(8), 8);
  then.word = atomic_operation::add;
  then.operand = 6;
  n.g.tiles[0]->serve(then, done[1]);
  n.run();
  EXPECT_EQ(n.counted().merged, 1U);
  EXPECT_EQ(n.in_memory(n.word(8)), 6U);
}

TEST(requests_for_a_line_on_its_way, wait_for_another_entry_when_this_one_is_full) {
  nodes n({{"policy", "\"free-at-once\""}, {"sub_entries", "8"}});
  n.add_at_once(64, 0);
  EXPECT_EQ(n.counted().entries, 8U);
  EXPECT_EQ(n.counted().full_stalls, 7U);
  EXPECT_EQ(n.counted().memory_writes, 8U);
}

TEST(requests_for_a_line_on_its_way, each_have_their_own_entry_if_nothing_is_merged) {
  nodes n({{"policy", "\"free-at-once\""}, {"merge", "false"}});
  n.add_at_once(64, 0);
  EXPECT_EQ(n.counted().entries, 64U);
  EXPECT_EQ(n.counted().merged, 0U);
  EXPECT_EQ(n.counted().memory_reads, 64U);
  EXPECT_EQ(n.counted().memory_writes, 64U);
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(n.in_memory(n.word(8 * i)), 8U);
}

TEST(a_line, is_given_back_at_once_or_stays_in_the_interface_cache) {
  for (bool const retains : {false, true}) {
    nodes n(retains ? changes{} : at_once);
    for (int i = 0; i < 10; ++i) {
      transaction const& one = n.add(3, n.word(64));
      n.run();
      EXPECT_EQ(one.operand, static_cast<std::uint64_t>(i));
    }
    EXPECT_EQ(n.counted().entries, retains ? 1U : 10U);
    EXPECT_EQ(n.counted().hits, retains ? 9U : 0U);
    EXPECT_EQ(n.counted().memory_reads, retains ? 1U : 10U);
    EXPECT_EQ(n.counted().memory_writes, retains ? 0U : 10U);
    EXPECT_EQ(n.in_memory(n.word(64)), retains ? 0U : 10U);
    EXPECT_EQ(n.newest(n.word(64)), 10U);
  }
}

TEST(the_interface_cache, is_direct_mapped_and_a_dirty_line_that_must_go_reaches_memory) {
  nodes n;
  std::uint64_t const stride = n.g.description.rae->cache_bytes;
  for (std::uint64_t i = 0; i < 6; ++i) {
    n.add(1, n.word(i % 2 * stride));  // one line of the cache for two of memory
    n.run();
  }
  EXPECT_EQ(n.counted().entries, 6U);
  EXPECT_EQ(n.counted().memory_writes, 5U);
  EXPECT_EQ(n.in_memory(n.word(0)), 3U);
  EXPECT_EQ(n.newest(n.word(stride)), 3U);
  (void)n.load(1, n.word(0));
  n.run();
  (void)n.load(1, n.word(stride));  // the clean one that goes is not written
  n.run();
  EXPECT_EQ(n.counted().memory_writes, 6U);
  EXPECT_EQ(n.in_memory(n.word(stride)), 3U);
}

TEST(a_line_of_the_core, is_taken_by_one_turn_on_the_coherence_bus_with_what_is_dirty) {
  nodes n;
  n.owner_stores(n.word(0), 100);
  EXPECT_EQ(n.in_memory(n.word(0)), 0U);
  for (int i = 0; i < 30; ++i) n.add(1 + static_cast<std::uint32_t>(i) % 5, n.word(0));
  n.run();
  EXPECT_EQ(n.counted().invalidations, 1U);
  EXPECT_EQ(n.counted().memory_reads, 0U);
  EXPECT_EQ(n.g.tiles[0]->l2().probe(n.word(0)).line_state, l2_private::invalid);
  EXPECT_EQ(n.newest(n.word(0)), 130U);
  EXPECT_EQ(n.owner_loads(n.word(0)), 130U);
  EXPECT_EQ(n.in_memory(n.word(0)), 130U);
}

TEST(a_line_of_the_core, stays_there_if_others_only_load) {
  nodes n;
  n.owner_stores(n.word(8), 7);
  transaction const& seen = n.load(2, n.word(8));
  n.run();
  EXPECT_EQ(nodes::value(seen), 7U);
  EXPECT_EQ(n.counted().invalidations, 0U);
  EXPECT_EQ(n.g.tiles[0]->l2().probe(n.word(8)).line_state, l2_private::dirty);
  EXPECT_EQ(n.g.tiles[0]->node()->look_up(n.word(8)), nullptr);
}

TEST(a_full_interface, delays_requests_and_loses_none) {
  for (char const* policy : {"\"free-at-once\"", "\"retain\""}) {
    nodes n({{"policy", policy}, {"main_entries", "1"}, {"sub_entries", "1"}, {"queue_entries", "1"}});
    for (std::uint32_t i = 0; i < 200; ++i) n.add(1 + i % 5, n.word(64 * (i / 5 % 8)));
    n.run();
    EXPECT_EQ(n.counted().requests, 200U);
    EXPECT_GT(n.counted().full_stalls, 0U);
    EXPECT_GT(n.counted().refused, 0U);
    for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(n.newest(n.word(64 * i)), 25U);
    for (transaction const& one : n.transactions) EXPECT_EQ(one.status, remote_outcome::done);
  }
}

TEST(all_nodes, can_flood_each_other_through_interfaces_of_one_place) {
  nodes n({{"main_entries", "1"}, {"sub_entries", "1"}, {"queue_entries", "1"}, {"network.buffer_flits", "1"}});
  for (std::uint32_t i = 0; i < 64; ++i) {
    for (std::uint32_t from = 0; from < 6; ++from) {
      for (std::uint32_t to = 0; to < 6; ++to) n.add(from, n.word(64 * (i % 4), to));
    }
  }
  n.run();
  for (std::uint32_t to = 0; to < 6; ++to) {
    for (std::uint64_t line = 0; line < 4; ++line) EXPECT_EQ(n.newest(n.word(64 * line, to)), 96U);
  }
}

TEST(a_request_at_an_idle_node, takes_the_cycles_of_the_machine_file) {
  nodes n;
  rae_description const& rae = *n.g.description.rae;
  auto const cycles = [&](std::uint64_t address) {
    transaction request;
    request.what = remote_operation::atomic;
    request.word = atomic_operation::add;
    request.bytes = 8;
    request.address = address;
    happening done;
    picoseconds const began = n.g.clock.now();
    n.g.tiles[0]->serve(request, done);
    n.g.clock.run_until(began + 1'000'000);
    EXPECT_TRUE(done.happened);
    return (done.due - began) / n.g.description.tile_clock_ps;
  };
  std::uint64_t const through = rae.packet_cycles + rae.look_up_cycles + rae.operation_cycles;
  picoseconds const port = n.g.description.memory_clock_ps * (n.g.description.memory.access_cycles + 64 / 8);
  std::uint64_t const from_memory = cycles(n.word(0));
  EXPECT_GE(from_memory, through + port / n.g.description.tile_clock_ps);
  EXPECT_LE(from_memory, through + port / n.g.description.tile_clock_ps + 3);  // edges of the memory's clock
  EXPECT_EQ(cycles(n.word(0)), through);
  n.owner_stores(n.word(128), 5);
  EXPECT_EQ(cycles(n.word(128)), through + rae.probe_cycles);
}

TEST(other_readers_of_the_memory, see_the_lines_of_the_interface) {
  nodes n;
  n.add(1, n.word(0), 77);
  n.run();
  EXPECT_EQ(n.in_memory(n.word(0)), 0U);
  // A cached view of another node's partition.
  happening come;
  n.g.tiles[2]->l2().bring(n.word(0), come);
  n.run();
  std::uint64_t seen = 0;
  std::memcpy(&seen, n.g.tiles[2]->look_up(tile::place::l2, n.word(0), false), sizeof seen);
  EXPECT_EQ(seen, 77U);
  n.add(1, n.word(0), 1);
  n.run();
  EXPECT_EQ(n.counted().hits, 1U);  // a reader takes nothing away
  // DMA, to another node and back over what is in an interface.
  n.add(1, n.word(64, 3), 5);
  n.run();
  transaction& moved = n.fresh(remote_operation::transfer, n.word(0), 64);
  moved.part = dma_transfer{.destination = n.word(64, 3), .destination_tile = 3};
  n.issue(4, moved);
  n.run();
  EXPECT_EQ(moved.status, remote_outcome::done);
  EXPECT_EQ(n.newest(n.word(64, 3)), 78U);
  EXPECT_EQ(n.g.tiles[3]->node()->look_up(n.word(64, 3)), nullptr);
}

TEST(system_calls, read_and_write_lines_of_the_interface) {
  nodes n;
  n.add(1, n.word(0), 3);
  n.run();
  std::uint64_t const number = 40;
  n.g.tiles[0]->poke(n.word(0), std::as_bytes(std::span(&number, 1)));
  transaction const& one = n.add(1, n.word(0), 2);
  n.run();
  EXPECT_EQ(one.operand, 40U);
  n.g.tiles[0]->discard(n.word(0), 4096);
  EXPECT_EQ(n.newest(n.word(0)), 0U);
  transaction const& other = n.add(1, n.word(0), 2);
  n.run();
  EXPECT_EQ(other.operand, 0U);
  // Also while its line is on its way.
  n.add(1, n.word(8192), 9);
  while (n.counted().entries < 2) n.g.clock.run_on(n.g.clock.next_due());
  n.g.tiles[0]->poke(n.word(8192), std::as_bytes(std::span(&number, 1)));
  n.run();
  EXPECT_EQ(n.newest(n.word(8192)), 49U);
}

TEST(a_sleeper_on_a_word, is_woken_by_a_remote_store_and_not_by_a_load) {
  struct sleeper : tile::watcher {
    void written(std::uint64_t address, std::size_t, std::uint64_t) override { heard.push_back(address); }
    std::vector<std::uint64_t> heard;
  } asleep;
  nodes n;
  n.g.tiles[0]->watch(asleep, n.word(8), sizeof(std::uint64_t));
  n.load(1, n.word(8));
  n.run();
  EXPECT_TRUE(asleep.heard.empty());
  n.store(1, n.word(8), 1);
  n.run();
  EXPECT_EQ(asleep.heard, std::vector{n.word(8)});
  EXPECT_EQ(std::to_integer<int>(*n.g.tiles[0]->watchable(n.word(8))), 1);
}

TEST(an_operation_outside_of_the_table, is_refused) {
  nodes n;
  EXPECT_EQ((n.add(1, n.word(4)), n.run(), n.transactions.back().status), remote_outcome::wrong);
  EXPECT_EQ((n.add(1, n.word(0), 1, 2), n.run(), n.transactions.back().status), remote_outcome::wrong);
  EXPECT_EQ((n.load(1, n.word(60)), n.run(), n.transactions.back().status), remote_outcome::wrong);
  EXPECT_EQ((n.store(1, n.word(62), 0x1234, 2), n.run(), n.transactions.back().status), remote_outcome::done);
  EXPECT_EQ(n.newest(n.word(56)) >> 48U, 0x1234U);
}

}  // namespace
