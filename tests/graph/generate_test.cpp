// generate: generated streams are fixed, can be split, and have the shape of their name.
// Method: compare parts with the whole, count edges by their properties, and check a few edges by value.
#include "graph/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "graph/kronecker.hpp"
#include "test_file.hpp"

namespace {

using graph::edge;
using graph::generator;
using graph_test::error_of;

std::vector<edge> all_of(generator const& from) {
  std::vector<edge> edges(from.edges_count);
  graph::generate(from, 0, edges);
  return edges;
}

TEST(generate, any_part_equals_that_part_of_the_whole) {
  for (std::string const spec : {"kron:1", "kron:8,4", "kron:9,2,7", "kron:17,1", "uniform:1", "uniform:10,2,9",
                                 "grid:7x5", "grid:1x9", "grid:9x1"}) {
    generator const from = graph::parse_generator(spec);
    std::vector<edge> const whole = all_of(from);
    for (std::uint64_t first = 0; first < whole.size(); first += 1 + first / 2) {
      std::vector<edge> part(std::min<std::size_t>(5, whole.size() - first));
      graph::generate(from, first, part);
      EXPECT_TRUE(std::ranges::equal(part, std::span(whole).subspan(first, part.size()))) << spec << " from " << first;
    }
    for (edge const& made : whole) {
      ASSERT_LT(made.source, from.vertices_count);
      ASSERT_LT(made.target, from.vertices_count);
    }
  }
}

TEST(generate, streams_are_the_same_on_every_machine) {
  EXPECT_EQ(all_of(graph::parse_generator("kron:20,1,1")).at(1000), (edge{145899, 347287}));
  EXPECT_EQ(all_of(graph::parse_generator("uniform:20,1,1")).at(1000), (edge{752646, 875408}));
}

TEST(generate, another_seed_gives_another_graph) {
  EXPECT_NE(all_of(graph::parse_generator("kron:8,4,1")), all_of(graph::parse_generator("kron:8,4,2")));
  EXPECT_NE(all_of(graph::parse_generator("uniform:8,4,1")), all_of(graph::parse_generator("uniform:8,4,2")));
}

// The quadrant probabilities of each of the four levels, over all 2^32 draws that the table stands for.
TEST(generate, kronecker_levels_are_independent_with_the_stated_probabilities) {
  std::array<double, 256> probability{};
  for (std::uint32_t slot = 0; slot < 256; ++slot) {
    std::uint32_t const entry = graph::detail::alias_table[slot];
    double const own = (entry >> 8) / 0x1p24;
    probability[slot] += own / 256;
    probability[entry & 0xff] += (1 - own) / 256;
  }
  double const quadrant[] = {.57, .19, .19, .05};
  for (std::uint32_t outcome = 0; outcome < 256; ++outcome) {
    double expected = 1;
    for (std::uint32_t level = 0; level < 4; ++level) {
      expected *= quadrant[2 * (outcome >> (4 + level) & 1) + (outcome >> level & 1)];
    }
    EXPECT_NEAR(probability[outcome], expected, 1e-6) << outcome;
  }
}

std::vector<std::uint32_t> degrees_of(generator const& from) {
  std::vector<std::uint32_t> degrees(from.vertices_count);
  for (edge const& made : all_of(from)) {
    ++degrees[made.source];
    ++degrees[made.target];
  }
  return degrees;
}

TEST(generate, kron_is_skewed_and_scattered_and_uniform_is_not) {
  std::vector<std::uint32_t> kron = degrees_of(graph::parse_generator("kron:16"));
  // The heaviest vertex expects edges * (.76^16 + .76^16), 26k of 2M ends; its number is random.
  auto const heaviest = std::ranges::max_element(kron);
  double const expected = 2 * std::pow(.76, 16) * 16 * 65536;
  EXPECT_NEAR(*heaviest, expected, 6 * std::sqrt(expected));
  double const first_half = std::accumulate(kron.begin(), kron.begin() + 32768, 0.0) / (2 * 16 * 65536);
  EXPECT_NEAR(first_half, .5, .1);
  auto const isolated = std::ranges::count(kron, 0U);
  EXPECT_GT(isolated, 65536 / 10);
  std::vector<std::uint32_t> const uniform = degrees_of(graph::parse_generator("uniform:16"));
  EXPECT_LT(std::ranges::max(uniform), 32 + 8 * 6);
  EXPECT_EQ(std::ranges::count(uniform, 0U), 0);
}

TEST(generate, the_permutation_of_kron_loses_no_vertex) {
  // With 64 edges for each of 4 vertices, every vertex occurs unless two were merged.
  for (std::string const spec : {"kron:1,256", "kron:2,1024", "kron:3,4096", "kron:5,65536"}) {
    EXPECT_EQ(std::ranges::count(degrees_of(graph::parse_generator(spec)), 0U), 0) << spec;
  }
}

TEST(generate, grid_joins_each_vertex_with_its_neighbours_once) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
  for (std::uint32_t y = 0; y < 3; ++y) {
    for (std::uint32_t x = 0; x < 4; ++x) {
      if (x + 1 < 4) expected.emplace(4 * y + x, 4 * y + x + 1);
      if (y + 1 < 3) expected.emplace(4 * y + x, 4 * y + x + 4);
    }
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> made;
  for (edge const& each : all_of(graph::parse_generator("grid:4x3"))) made.emplace(each.source, each.target);
  EXPECT_EQ(made, expected);
  EXPECT_EQ(graph::parse_generator("grid:4x3").edges_count, expected.size());
  EXPECT_EQ(graph::parse_generator("grid:1x1").edges_count, 0);
}

TEST(generate, specifications_have_defaults) {
  EXPECT_EQ(graph::parse_generator("kron:10"), graph::parse_generator("kron:10,16,1"));
  EXPECT_EQ(graph::parse_generator("kron:31,512").edges_count, std::uint64_t{1} << 40);
  EXPECT_EQ(graph::parse_generator("kron:5,1,18446744073709551615").seed, 18446744073709551615U);
}

TEST(generate, refuses_wrong_specifications) {
  std::pair<std::string, std::string> const cases[] = {
      {"kron:abc", "\"abc\" as scale, expected kron:SCALE[,EDGEFACTOR[,SEED]]"},
      {"kron:", "\"\" as scale, expected kron:SCALE[,EDGEFACTOR[,SEED]]"},
      {"kron:-3", "\"-3\" as scale, expected kron:SCALE[,EDGEFACTOR[,SEED]]"},
      {"kron:0", "scale 0, expected 1 to 31"},
      {"kron:32", "scale 32, expected 1 to 31"},
      {"uniform:99999999999999999999", "scale 99999999999999999999, expected 1 to 31"},
      {"uniform:20,0", "edge factor 0, expected 1 to 1048576"},
      {"kron:31,513", "edge factor 513, expected 1 to 512"},
      {"kron:20,16,", "\"\" as seed, expected kron:SCALE[,EDGEFACTOR[,SEED]]"},
      {"kron:20,16,18446744073709551616", "seed 18446744073709551616, expected 0 to 18446744073709551615"},
      {"kron:20,16,1,1", "\",1\" too much, expected kron:SCALE[,EDGEFACTOR[,SEED]]"},
      {"kron:20.5", "\".5\" too much, expected kron:SCALE[,EDGEFACTOR[,SEED]]"},
      {"grid:5", "no height, expected grid:WIDTHxHEIGHT"},
      {"grid:5x", "\"\" as height, expected grid:WIDTHxHEIGHT"},
      {"grid:0x5", "width 0, expected 1 to 4294967295"},
      {"grid:65536x65536", "height 65536, expected 1 to 65535"},
      {"ring:5", "unknown generator, expected kron:SCALE, uniform:SCALE or grid:WIDTHxHEIGHT"},
  };
  for (auto const& [spec, error] : cases) {
    EXPECT_EQ(error_of([&] { (void)graph::parse_generator(spec); }), spec + ": " + error);
  }
}

TEST(generate, weights_are_from_1_to_255_the_same_in_both_directions_and_others_for_another_seed) {
  generator const from = graph::parse_generator("kron:10,4,1");
  generator const other = graph::parse_generator("kron:10,4,2");
  std::array<std::uint64_t, graph::random_weight_max + 1> counts{};
  std::uint64_t equal = 0;
  constexpr std::uint32_t vertices = 500;
  for (std::uint32_t u = 0; u < vertices; ++u) {
    for (std::uint32_t v = 0; v < u; ++v) {
      std::uint32_t const weight = graph::random_weight(from, u, v);
      ASSERT_EQ(weight, graph::random_weight(from, v, u));
      ASSERT_LE(weight, graph::random_weight_max);
      ++counts[weight];
      equal += weight == graph::random_weight(other, u, v);
    }
  }
  EXPECT_EQ(counts[0], 0U);
  // 489 of each are expected, with a deviation of 22.
  EXPECT_TRUE(std::all_of(counts.begin() + 1, counts.end(), [](std::uint64_t n) { return n > 380 && n < 600; }));
  EXPECT_LT(equal, 700U);
}

}  // namespace
