// nma_queue_test: a full queue delays requests at their senders and loses none; the next graph is copied while an
// intermediate copy is in transit; nothing deadlocks. Method: many windows of many tiles submit at once, until all is
// quiet.
#include <algorithm>
#include <cstdlib>

#include "nma_fixture.hpp"

namespace tess::machine {
namespace {

using registers::command_status;
using registers::graph_fault;
using registers::nma::hashed;
using registers::nma::linear;

machine_description with(char const* name, std::uint32_t queue_entries, std::uint32_t buffer_flits) {
  machine_description made = read_machine(std::string(TESS_MACHINES "/") + name + ".toml");
  made.nma.queue_entries = queue_entries;
  made.network.buffer_flits = buffer_flits;
  return made;
}

class a_queue : public nma_fixture {
 protected:
  a_queue() : nma_fixture(with("nemesys-2x2", 2, 4)) {}
};

TEST_F(a_queue, of_two_serves_all_harts_of_all_tiles_in_the_end) {
  std::uint64_t const list = graph.list(30);
  std::vector<copy_arguments> all;
  std::uint64_t const counter_of_all = counter(12);
  for (std::uint32_t tile = 0; tile < 3; ++tile) {
    for (std::uint32_t hart = 0; hart < 4; ++hart) {
      copy_arguments what{
          .root = list, .chunk = graph.chunk(4096), .bytes = 4096, .hart = hart, .counter = counter_of_all};
      what.map = hart % 2 == 0 ? linear : hashed;
      what.objects = 30;
      all.push_back(what);
      ASSERT_EQ(ring(*g.units[tile]->requests, what), command_status::accepted);
      EXPECT_EQ(ring(*g.units[tile]->requests, what), command_status::accepted) << "it waits, and that is lost";
    }
  }
  g.clock.run();
  EXPECT_EQ(graph.word(counter_of_all), 0U);
  EXPECT_EQ(graph.word(counter_of_all + 8), 0U);
  EXPECT_EQ(unit.counted().requests, 12U);
  EXPECT_LE(unit.counted().queued_max, 2U);
  EXPECT_GT(g.tiles[3]->network_adapter().counted().refused, 0U);
  for (copy_arguments const& one : all) EXPECT_EQ(graph.compare(list, one.chunk + 64 + 40, one.chunk), 30U);
  expect_at_rest(g);
}

TEST_F(a_queue, reports_the_result_to_a_tile_by_a_message) {
  std::uint64_t const root = graph.list(3);
  copy_arguments what{.root = root, .chunk = graph.chunk(1024), .bytes = 1024, .task = 0x1234};
  what.spawn = registers::nma::spawning(2);
  auto const message = [&] {
    EXPECT_EQ(ring(*g.units[0]->requests, what), command_status::accepted);
    g.clock.run();
    std::array<std::uint64_t, 6> words{};
    auto const came = g.tiles[2]->network_adapter().take_task();
    EXPECT_TRUE(came.has_value());
    if (came) std::memcpy(words.data(), came->data(), sizeof words);
    return words;
  };
  EXPECT_EQ(message(), (std::array<std::uint64_t, 6>{0x1234, what.chunk + 104, 64 + 3 * 64, 0, 3, 3}));
  what.root = 0;
  EXPECT_EQ(message()[3], static_cast<std::uint64_t>(graph_fault::null_pointer));
}

/// Two memories: partitions of tiles 0 and 15 lie in different ones.
class two_memories : public nma_fixture {
 protected:
  explicit two_memories(machine_description const& made = read_machine(TESS_MACHINES "/nemesys-4x4.toml"))
      : nma_fixture(made) {}
  std::uint64_t far_chunk(std::uint64_t number, std::uint64_t bytes) {
    return g.map.of(region_kind::partition, 14)->base + 65'536 + number * (bytes + 64) / 64 * 64;
  }
};

TEST_F(two_memories, copy_with_pointers_that_are_final_before_it_travels) {
  std::uint64_t const root = graph.random(80, 3);
  copy_arguments what{.root = root, .chunk = graph.chunk(32'768), .bytes = 32'768, .map = hashed, .objects = 80};
  what.final_address = far_chunk(0, 32'768);
  what.counter = counter(1);
  counter(1, 1);
  graph.word(what.final_address) = 77;  // its own words stay
  ASSERT_EQ(ring(*g.units[0]->requests, what), command_status::accepted);
  g.clock.run();
  EXPECT_EQ(graph.word(what.counter), 0U) << "the original has been read";
  EXPECT_EQ(graph.word(what.counter + 32), 0U) << "and the copy has arrived";
  EXPECT_EQ(graph.word(what.counter + 40), 0U);
  EXPECT_EQ(graph.word(what.final_address), 77U);
  std::uint64_t const copy = what.final_address + 64 + layout::front_bytes;
  EXPECT_GT(graph.compare(root, copy, what.final_address), 10U);
  EXPECT_EQ(unit.counted().transfers, 1U);
}

TEST_F(two_memories, copy_the_next_graph_while_one_travels) {
  std::uint64_t const array = graph.make(toy_graph::data_array, 65'536);
  std::uint64_t const read = counter(3);
  counter(3, 1);
  for (std::uint32_t i = 0; i < 3; ++i) {
    copy_arguments what{.root = array, .chunk = graph.chunk(131'072), .bytes = 131'072, .hart = i, .counter = read};
    what.final_address = far_chunk(i, 131'072);
    EXPECT_EQ(ring(*g.units[0]->requests, what), command_status::accepted);
  }
  while (graph.word(read) != 0 && !g.clock.idle()) g.clock.run_until(g.clock.next_due());
  EXPECT_EQ(graph.word(read + 32), 3U) << "all have been read, and none has arrived";
  g.clock.run();
  EXPECT_EQ(graph.word(read + 32), 0U);
}

class one_flit : public two_memories {
 protected:
  one_flit() : two_memories(with("nemesys-4x4", 1, 1)) {}
  void flood(std::uint32_t rounds) {
    std::uint64_t const list = graph.list(4);
    std::uint64_t const all = counter(56 * rounds);
    counter(56 * rounds, 1);
    std::uint64_t number = 0;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      for (std::uint32_t tile = 0; tile < 16; ++tile) {
        if (g.description.is_memory(tile)) continue;
        for (std::uint32_t hart = 0; hart < 4; ++hart) {
          copy_arguments what{.root = list, .chunk = graph.chunk(512), .bytes = 512, .hart = hart};
          what.final_address = far_chunk(number++, 512);
          what.counter = all;
          EXPECT_EQ(ring(*g.units[tile]->requests, what), command_status::accepted);
        }
      }
      // A window is free again when its request has entered the queue.
      while (std::ranges::any_of(g.units, [](auto const& one) {
        for (std::uint32_t hart = 0; hart < 4; ++hart)
          if (one->requests->load(hart * 64 + 56, hart).value_or(0) != 0) return true;
        return false;
      })) {
        ASSERT_FALSE(g.clock.idle()) << "deadlock";
        g.clock.run_until(g.clock.next_due());
      }
    }
    g.clock.run();
    EXPECT_EQ(graph.word(all), 0U);
    EXPECT_EQ(graph.word(all + 32), 0U);
    EXPECT_EQ(graph.word(all + 8), 0U);
    expect_at_rest(g);
    for (std::uint64_t i = 0; i < number; ++i)
      EXPECT_EQ(graph.compare(list, far_chunk(i, 512) + 104, far_chunk(i, 512)), 4U) << i;
  }
};

TEST_F(one_flit, buffers_and_a_queue_of_one_do_not_deadlock) {
  flood(3);
}
TEST_F(one_flit, slow_buffers_and_a_queue_of_one_do_not_deadlock) {
  if (std::getenv("TESS_SLOW") == nullptr) GTEST_SKIP() << "set TESS_SLOW, or ./tess test --full";
  flood(64);
}

/// Memories of 4 GiB, with room for the map of ten million objects.
class large : public nma_fixture {
 protected:
  large()
      : nma_fixture([] {
          machine_description made = read_machine(TESS_MACHINES "/nemesys-2x2.toml");
          constexpr std::uint64_t partition = std::uint64_t{1} << 31U;
          made.dram.rows *= 16;
          made.memory.size_bytes = made.dram.size_bytes();
          made.nma.map_bytes = std::uint64_t{1} << 30U;
          for (region& one : made.regions) {
            if (one.kind != region_kind::partition && one.kind != region_kind::partition_uncached) continue;
            one.base = (one.kind == region_kind::partition ? 0x200'0000'0000 : 0x1200'0000'0000) + one.tile * partition;
            one.size_bytes = partition;
            one.memory_offset = one.tile * partition;
          }
          return made;
        }()) {}
};

TEST_F(large, slow_wide_array_and_deep_list_are_copied_without_a_stack) {
  if (std::getenv("TESS_SLOW") == nullptr) GTEST_SKIP() << "set TESS_SLOW, or ./tess test --full";
  constexpr std::uint64_t wide = 1'000'000;
  std::uint64_t const array = graph.make(toy_graph::pointer_array, wide * 8);
  for (std::uint64_t i = 0; i < wide; ++i) {
    std::uint64_t const one = graph.make(toy_graph::leaf);
    graph.word(one) = i;
    graph.word(array + i * 8) = one;
  }
  ASSERT_EQ(copy(array, 128'000'000, hashed, wide + 1), graph_fault::none);
  for (std::uint64_t i = 0; i < wide; ++i) {
    std::uint64_t const one = graph.word(chunk + 64 + layout::array_front_bytes + i * 8);
    ASSERT_EQ(graph.word(one), i);
  }
  std::uint64_t const length = 10'000'000;
  std::uint64_t const list = graph.list(length);
  ASSERT_EQ(copy(list, length * 64 + 4096, hashed, length), graph_fault::none);
  std::uint64_t at = chunk + 64 + layout::front_bytes;
  for (std::uint64_t i = 0; i < length; ++i, at = graph.word(at + 8)) ASSERT_EQ(graph.word(at), 1000 + length - 1 - i);
  EXPECT_EQ(at, 0U);
}

}  // namespace
}  // namespace tess::machine
