// input: guarantees of the generator beyond the suite's own files, and invalid files that the reader refuses.
// Method: properties of generated graphs of all kinds, reading written files back, and one invalid line at a time.
#include "imsuite/input.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <sstream>

#include "graph/error.hpp"
#include "imsuite/generate.hpp"
#include "imsuite/java_random.hpp"
#include "imsuite/names.hpp"
#include "imsuite/x10_random.hpp"

namespace imsuite::test {
namespace {

// The values that the specification of java.util.Random gives for new Random(42).
TEST(java_random, gives_the_numbers_of_the_specification) {
  java_random r(42);
  EXPECT_EQ(r.next_int(), -1170105035);
  EXPECT_EQ(r.next_int(), 234785527);
  java_random bounded(42);
  std::vector<std::int32_t> tens;
  for (int i = 0; i < 10; ++i) tens.push_back(bounded.next_int(10));
  EXPECT_EQ(tens, (std::vector<std::int32_t>{0, 3, 8, 4, 0, 5, 5, 8, 9, 3}));
  java_random fraction(42);
  EXPECT_DOUBLE_EQ(fraction.next_double(), 0.7275636800328681);
}

// Seeded alike, the standard library's Mersenne twister must give the same numbers.
TEST(x10_random, is_a_mersenne_twister) {
  std::stringstream state;
  std::uint32_t word = 7;
  for (std::size_t i = 0; i < std::mt19937::state_size; ++i, word = 69069U * word + 1) state << word << ' ';
  state << std::mt19937::state_size;
  std::mt19937 expected;
  state >> expected;
  x10_random r(7);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(static_cast<std::uint32_t>(r.next_int()), expected()) << i;
}

TEST(x10_random, draws_below_a_bound_evenly) {
  x10_random r(1);
  std::array<int, 3> counts{};
  for (int i = 0; i < 30000; ++i) ++counts.at(static_cast<std::size_t>(r.next_int(3)));
  for (int const n : counts) EXPECT_NEAR(n, 10000, 400);
}

std::int64_t edges(input const& in) {
  return std::ranges::count(in.adjacency, 1) / 2;
}

bool symmetric(input const& in) {
  for (std::int32_t i = 0; i < in.nodes; ++i)
    for (std::int32_t j = 0; j <= i; ++j)
      if (in.joined(i, j) != in.joined(j, i) || (i == j && in.joined(i, j))) return false;
  return true;
}

TEST(generated_graphs, have_the_edges_of_their_sort) {
  for (std::int32_t const n : {5, 8, 16, 33, 100}) {
    input const tree = generate(kernel::mis, {.nodes = n, .kind = graph_kind::sparse_minimum});
    EXPECT_TRUE(symmetric(tree) && tree.connected());
    EXPECT_EQ(edges(tree), n - 1);
    input const dense = generate(kernel::mis, {.nodes = n, .kind = graph_kind::sparse_maximum});
    EXPECT_TRUE(symmetric(dense) && dense.connected());
    EXPECT_EQ(edges(dense), n * static_cast<int>(std::log2(n)) - 1);
    EXPECT_EQ(edges(generate(kernel::mis, {.nodes = n, .kind = graph_kind::complete})), n * (n - 1) / 2);
    input const half = generate(kernel::mis, {.nodes = n});
    EXPECT_TRUE(symmetric(half));
  }
  // Half of 4950 pairs; four standard deviations are 141.
  EXPECT_NEAR(static_cast<double>(edges(generate(kernel::mis, {.nodes = 100, .seed = 5}))), 2475, 141);
}

TEST(generated_graphs, differ_with_their_seed) {
  EXPECT_NE(generate(kernel::mis, {.nodes = 20, .seed = 1}), generate(kernel::mis, {.nodes = 20, .seed = 2}));
}

TEST(generated_trees, are_as_wide_as_their_sort) {
  input const chain = generate(kernel::vertex_coloring, {.nodes = 9, .kind = graph_kind::chain});
  input const star = generate(kernel::vertex_coloring, {.nodes = 9, .kind = graph_kind::star});
  for (std::int32_t i = 1; i < 9; ++i) {
    EXPECT_EQ(chain.parents[static_cast<std::size_t>(i)], i - 1);
    EXPECT_EQ(star.parents[static_cast<std::size_t>(i)], 0);
  }
  EXPECT_EQ(generate(kernel::mis, {.nodes = 9, .kind = graph_kind::sparse_minimum, .max_children = 1}).adjacency,
            chain.adjacency);
}

TEST(generated_inputs, have_traitors_votes_weights_and_identifiers_in_range) {
  input const by = generate(kernel::byzantine, {.nodes = 40, .kind = graph_kind::sparse_maximum});
  EXPECT_EQ(by.traitors.size(), 4U);
  EXPECT_EQ(by.votes.size(), 40U);
  input const mst = generate(kernel::mst, {.nodes = 40, .kind = graph_kind::sparse_maximum});
  std::vector<std::int32_t> weights;
  for (std::int32_t i = 0; i < 40; ++i)
    for (std::int32_t j = 0; j < i; ++j) weights.push_back(mst.weight(i, j));
  std::ranges::sort(weights);
  EXPECT_EQ(std::ranges::adjacent_find(weights), weights.end());
  EXPECT_GT(weights.front(), 0);
  input const dr = generate(kernel::dijkstra_routing, {.nodes = 40, .kind = graph_kind::complete});
  for (std::int32_t i = 0; i < 40; ++i)
    for (std::int32_t j = 0; j < i; ++j) EXPECT_LT(dr.weight(i, j), 800);
  EXPECT_EQ(generate(kernel::k_committee, {.nodes = 40}).committee, 3);
  EXPECT_EQ(generate(kernel::k_committee, {.nodes = 40, .committee = 7}).committee, 7);
}

TEST(files, are_read_back_as_they_were_written) {
  for (auto const& name : kernel_names) {
    bool const tree = name.which == kernel::vertex_coloring;
    for (graph_kind const kind : {tree ? graph_kind::chain : graph_kind::sparse_minimum, graph_kind::random}) {
      input const in = generate(name.which, {.nodes = 24, .kind = kind});
      std::string const text = format(name.which, in);
      EXPECT_EQ(parse(name.which, text, "file"), in) << name.code;
      // Line ends of other systems.
      std::string other;
      for (char const c : text) other += c == '\n' ? std::string("\r\n") : std::string(1, c);
      EXPECT_EQ(parse(name.which, other, "file"), in) << name.code;
    }
  }
}

struct wrong_file {
  kernel which;
  std::string text;
  std::string said;
};

TEST(files, that_are_wrong_are_refused_with_their_line) {
  std::vector<wrong_file> const cases{
      {kernel::mis, "", "file:1: the end of the file, expected the number of nodes from 2 to "},
      {kernel::mis, "x\n", "file:1: \"x\", expected the number of nodes"},
      {kernel::mis, "2\n01\n", "file:3: the end of the file, expected row 1"},
      {kernel::mis, "2\n01\n1\n", "file:3: 1 characters, expected row 1 of the matrix: 2 characters 0 or 1"},
      {kernel::mis, "2\n02\n10\n", "file:2: \"2\", expected row 0"},
      {kernel::mis, "2\n01\n00\n", "file:3: (1, 0) is 0, but (0, 1) is not, expected a symmetric matrix"},
      {kernel::mis, "2\n11\n10\n", "file:2: an edge from 0 to itself"},
      {kernel::mis, "2\n01\n10\n7\n", "file:4: more lines, expected the end of the file"},
      {kernel::bfs_dijkstra, "2\n2\n01\n10\n", "file:2: \"2\", expected the root from 0 to 1"},
      {kernel::k_committee, "2\n3\n01\n10\n", "file:2: \"3\", expected the most members"},
      {kernel::leader_elect_dp, "2\n01\n10\n1\n", "file:4: \"1\", expected a line with one space"},
      {kernel::leader_elect_dp, "2\n01\n10\n \n1\n1", "file:6: 1 again, expected each identifier once"},
      {kernel::leader_elect_lcr, "2\n1\n3", "file:3: \"3\", expected the identifier of node 1 from 1 to 2"},
      {kernel::mst, "2\n01\n10\n \n9\n4\n5\n9", "file:7: 5, expected 4, the weight of (0, 1)"},
      {kernel::vertex_coloring, "3\n0\n010\n101\n010\n \n0\n0\n0\n",
       "file:9: parent 0 of node 2, expected a neighbour"},
      {kernel::vertex_coloring, "3\n0\n011\n101\n110\n \n0\n0\n0\n", "file:9: 3 edges in a graph"},
      {kernel::vertex_coloring, "3\n0\n010\n101\n010\n \n0\n2\n1\n", "file:9: node 1 does not descend from the root"},
      {kernel::byzantine,
       "16\n" + format(kernel::byzantine, generate(kernel::byzantine, {.nodes = 16})).substr(3, 16 * 17) +
           " \n0000000000000000\n \n16",
       "\"16\", expected traitor 0 from 0 to 15"}};
  for (auto const& c : cases) {
    try {
      static_cast<void>(parse(c.which, c.text, "file"));
      ADD_FAILURE() << "read: " << c.text;
    } catch (graph::input_error const& e) {
      EXPECT_NE(std::string(e.what()).find(c.said), std::string::npos) << e.what() << "\nfor " << c.said;
    }
  }
  EXPECT_THROW(static_cast<void>(read(kernel::mis, "no/such/file")), graph::input_error);
}

}  // namespace
}  // namespace imsuite::test
