// nma_copy_test: copies are isomorphic to their originals, which do not change; costs follow from the accelerator's
// states and accesses. Method: graphs written into a grid without harts, requests as stores to the registers.
#include "nma_fixture.hpp"

namespace tess::machine {
namespace {

using registers::graph_fault;
using registers::nma::hashed;
using registers::nma::linear;

class a_copy : public nma_fixture {};

TEST_F(a_copy, of_a_list_a_ring_and_a_shared_object_is_one_like_it) {
  std::uint64_t const list = graph.list(20);
  for (auto const map : {linear, hashed}) {
    ASSERT_EQ(copy(list, 4096, map, 20), graph_fault::none);
    EXPECT_EQ(compared(list), 20U);
  }
  graph.word(graph.made.front() + 8) = list;  // its last leads to its first
  ASSERT_EQ(copy(list, 4096, linear, 20), graph_fault::none);
  EXPECT_EQ(compared(list), 20U);
  std::uint64_t const top = graph.make(toy_graph::node);
  graph.word(top + 8) = graph.word(top + 16) = list;
  ASSERT_EQ(copy(top, 4096, hashed, 21), graph_fault::none);
  EXPECT_EQ(compared(top), 21U);
  graph.word(top + 16) = top;
  ASSERT_EQ(copy(top, 4096, linear, 21), graph_fault::none);
  EXPECT_EQ(compared(top), 21U);
}

TEST_F(a_copy, of_any_graph_is_one_like_it_by_either_map) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::uint64_t const objects = 1 + seed * 7;
    std::uint64_t const root = graph.random(objects, seed);
    std::uint64_t reached = 0;
    for (auto const map : {linear, hashed}) {
      ASSERT_EQ(copy(root, objects * 320, map, objects), graph_fault::none) << "seed " << seed;
      std::uint64_t const copied = compared(root);
      ASSERT_GT(copied, 0U) << "seed " << seed;
      ASSERT_TRUE(reached == 0 || reached == copied) << "seed " << seed;
      reached = copied;
    }
  }
}

TEST_F(a_copy, leaves_what_is_not_its_own_alone) {
  std::uint64_t const root = graph.random(100, 5);
  std::uint64_t const begin = g.map.of(region_kind::partition, 0)->base;
  std::uint64_t const end = graph.chunk(0);
  std::vector<std::uint64_t> words;
  for (std::uint64_t at = begin; at < end; at += 8) words.push_back(graph.word(at));
  ASSERT_EQ(copy(root, 32'000, linear, 100), graph_fault::none);
  for (std::uint64_t at = begin; at < end; at += 8) ASSERT_EQ(graph.word(at), words[(at - begin) / 8]) << at - begin;
  for (std::uint64_t at = chunk; at < chunk + 64; at += 8) EXPECT_EQ(graph.word(at), 0U) << "the chunk's own words";
  EXPECT_EQ(graph.word(chunk + 32'000), 0U);
}

TEST_F(a_copy, takes_the_same_cycles_again) {
  picoseconds first = 0;
  for (int i = 0; i < 2; ++i) {
    grid other(g.description);
    toy_graph there(other, 0);
    copy_arguments what{.root = there.random(60, 9), .bytes = 32'768, .map = hashed, .objects = 60};
    what.chunk = there.chunk(what.bytes);
    ASSERT_EQ(ring(*other.units[0]->requests, what), registers::command_status::accepted);
    other.clock.run();
    EXPECT_TRUE(first == 0 || first == other.clock.now());
    first = other.clock.now();
  }
}

// docs/internals/machine.md, 11 and the published slopes: see docs/machine/nemesys.md.
TEST_F(a_copy, of_an_array_moves_four_bytes_in_two_cycles_of_the_port) {
  auto const cycles = [&](std::uint64_t words) {
    std::uint64_t const array = graph.make(toy_graph::data_array, words * 8);
    EXPECT_EQ(copy(array, words * 8 + 256, linear, 1), graph_fault::none);
    return static_cast<double>(took_ps) / static_cast<double>(g.description.memory_clock_ps);
  };
  double const slope = (cycles(32'768) - cycles(8192)) / (32'768 - 8192);
  EXPECT_GT(slope / 2, 1.8);
  EXPECT_LT(slope / 2, 2.2);
}

TEST_F(a_copy, by_the_hashed_map_overtakes_the_linear_one_between_32_and_128_elements) {
  auto const took = [&](std::uint64_t length, registers::nma::map_code map) {
    EXPECT_EQ(copy(graph.list(length), length * 64 + 4096, map, length), graph_fault::none);
    return static_cast<double>(took_ps) / static_cast<double>(length);
  };
  EXPECT_LT(took(32, linear), took(32, hashed));
  EXPECT_GT(took(128, linear), took(128, hashed));
  double const short_list = took(128, hashed);
  EXPECT_NEAR(took(4096, hashed) / short_list, 1.0, 0.1) << "a constant time for each element";
}

}  // namespace
}  // namespace tess::machine
