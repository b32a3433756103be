// verify: each check accepts correct results and refuses wrong ones. Method: small inputs with results known by hand,
// changed in one place at a time, including errors that the suite's own checks accept.
#include "imsuite/verify.hpp"

#include <gtest/gtest.h>

#include "imsuite/generate.hpp"

namespace imsuite::test {
namespace {

// 0 - 1 - 2 - 3, and 0 - 2.
input graph_of_four() {
  input in;
  in.nodes = 4;
  in.adjacency = {0, 1, 1, 0,  //
                  1, 0, 1, 0,  //
                  1, 1, 0, 1,  //
                  0, 0, 1, 0};
  in.weights = {9, 1, 5, 9,  //
                1, 9, 2, 9,  //
                5, 2, 9, 3,  //
                9, 9, 3, 9};
  in.ids = {2, 4, 1, 3};
  return in;
}

TEST(distances, are_those_of_a_search) {
  input const in = graph_of_four();
  std::vector<std::int32_t> found{0, 1, 1, 2};
  EXPECT_EQ(wrong_distances(in, found), "");
  found[3] = 3;
  EXPECT_EQ(wrong_distances(in, found), "node 3 is 2 edges from 0, not 3");
}

TEST(distances, of_what_cannot_be_reached_are_infinite) {
  input in = graph_of_four();
  in.adjacency[4 * 2 + 3] = in.adjacency[4 * 3 + 2] = 0;
  EXPECT_EQ(wrong_distances(in, std::vector{0, 1, 1, infinity}), "");
  EXPECT_NE(wrong_distances(in, std::vector{0, 1, 1, 2}), "");
}

TEST(search_trees, need_parents_one_level_up_that_list_their_children) {
  input const in = graph_of_four();
  std::vector<tree_node> const right{{infinity, {1, 2}}, {0, {}}, {0, {3}}, {2, {}}};
  EXPECT_EQ(wrong_search_tree(in, right), "");

  auto longer = right;  // over a longer way: the suite, which looks at children only, lets it through
  longer[0].children = {1};
  longer[1].children = {2};
  longer[2].parent = 1;
  EXPECT_EQ(wrong_search_tree(in, longer), "parent 1 of node 2 is no neighbour one level up");
  auto stranger = right;
  stranger[3].parent = 1;
  EXPECT_NE(wrong_search_tree(in, stranger), "");
  auto forgotten = right;
  forgotten[2].children = {};
  EXPECT_EQ(wrong_search_tree(in, forgotten), "node 3 is a child 0 times");
  auto twice = right;
  twice[2].children = {3, 3};
  EXPECT_EQ(wrong_search_tree(in, twice), "node 3 is a child 2 times");
  auto alien = right;
  alien[2].children = {4};
  EXPECT_EQ(wrong_search_tree(in, alien), "node 2 has child 4");
}

TEST(spanning_trees, must_span_and_be_light) {
  input const in = graph_of_four();
  std::vector<tree_node> const right{{1, {}}, {infinity, {0, 2}}, {1, {3}}, {2, {}}};
  EXPECT_EQ(wrong_spanning_tree(in, 1, right), "");
  EXPECT_NE(wrong_spanning_tree(in, 0, right), "");
  std::vector<tree_node> const heavy{{2, {}}, {infinity, {2}}, {1, {3, 0}}, {2, {}}};
  EXPECT_EQ(wrong_spanning_tree(in, 1, heavy), "the tree weighs 10, and the lightest 6");
  std::vector<tree_node> const ring{{1, {2}}, {2, {0}}, {0, {1}}, {infinity, {}}};
  EXPECT_EQ(wrong_spanning_tree(in, 3, ring), "the edge from 2 to its parent 0 closes a cycle");
}

TEST(consensus, must_be_the_same_at_all_nodes_that_are_not_traitors) {
  input in;
  in.nodes = 3;
  in.votes = {1, 0, 1};
  in.traitors = {1};
  EXPECT_EQ(wrong_consensus(in, std::vector<consensus>{{1, true}, {0, false}, {1, true}}), "");
  EXPECT_EQ(wrong_consensus(in, std::vector<consensus>{{1, true}, {0, true}, {0, true}}),
            "node 0 decides 1, but node 2 0");
  // No node decides, so the sum is 0, which the suite accepts.
  EXPECT_EQ(wrong_consensus(in, std::vector<consensus>{{0, false}, {0, false}, {0, false}}), "node 0 never decides");
  EXPECT_EQ(wrong_consensus(in, std::vector<consensus>{{0, true}, {0, true}, {0, true}}), "all voted 1, but decide 0");
}

TEST(routes, must_be_shortest_and_real) {
  input in = graph_of_four();
  in.nodes = 3;
  in.adjacency = {0, 1, 1, 1, 0, 1, 1, 1, 0};
  in.weights = {9, 1, 5, 1, 9, 2, 5, 2, 9};
  std::vector<route> const right{{0, 0, infinity, 0}, {1, 1, 0, 1},        {3, 2, 1, 1},  //
                                 {1, 1, 1, 0},        {0, 0, infinity, 1}, {2, 1, 1, 2},
                                 {3, 2, 1, 1},        {2, 1, 2, 1},        {0, 0, infinity, 2}};
  EXPECT_EQ(wrong_routes(in, right), "");
  auto direct = right;  // both ways, so that costs are symmetric, which is enough for the suite
  direct[2] = {5, 1, 0, 2};
  direct[6] = {5, 1, 2, 0};
  EXPECT_EQ(wrong_routes(in, direct), "from 0 to 2: cost 5, and the least is 3");
  auto hops = right;
  hops[2].hops = 1;
  EXPECT_NE(wrong_routes(in, hops), "");
  auto first = right;
  first[2].next = 2;
  EXPECT_EQ(wrong_routes(in, first), "from 0 to 2: next is 2, but its path begins with 1");
  auto loop = right;
  loop[1].parent = 2;
  EXPECT_NE(wrong_routes(in, loop), "");
}

TEST(dominating_sets, need_not_be_independent) {
  input const in = graph_of_four();
  EXPECT_EQ(wrong_dominating_set(in, std::vector<std::uint8_t>{0, 0, 1, 0}), "");
  EXPECT_EQ(wrong_dominating_set(in, std::vector<std::uint8_t>{0, 1, 1, 0}), "");
  EXPECT_EQ(wrong_dominating_set(in, std::vector<std::uint8_t>{1, 0, 0, 0}),
            "node 3 is neither in the set nor beside it");
}

TEST(independent_sets, must_be_maximal) {
  input const in = graph_of_four();
  EXPECT_EQ(wrong_independent_set(in, std::vector<std::uint8_t>{1, 0, 0, 1}), "");
  EXPECT_EQ(wrong_independent_set(in, std::vector<std::uint8_t>{1, 1, 0, 1}),
            "0 and 1 are neighbours and both in the set");
  EXPECT_EQ(wrong_independent_set(in, std::vector<std::uint8_t>{1, 0, 0, 0}),
            "not maximal: node 3 is neither in the set nor beside it");
}

TEST(committees, are_small_and_include_every_node) {
  input in = graph_of_four();
  in.committee = 2;
  EXPECT_EQ(wrong_committees(in, std::vector{0, 0, 2, 2}), "");
  EXPECT_EQ(wrong_committees(in, std::vector{0, 0, 0, 3}), "committee 0 has more than 2 members");
  EXPECT_EQ(wrong_committees(in, std::vector{0, 0, 2, -1}), "node 3 is in no committee (-1)");
  in.adjacency[4 * 2 + 3] = in.adjacency[4 * 3 + 2] = 0;
  EXPECT_EQ(wrong_committees(in, std::vector{0, 0, 2, 2}), "node 3 cannot reach its committee's first, 2");
}

TEST(leaders, are_the_same_for_all_and_the_greatest) {
  input const in = graph_of_four();
  EXPECT_EQ(wrong_leader(in, std::vector{1, 1, 1, 1}), "");
  EXPECT_EQ(wrong_leader(in, std::vector{1, 1, 3, 1}), "node 2 follows 3, but 1 has the greatest identifier");
}

TEST(colorings, are_checked_at_every_edge) {
  input const in = graph_of_four();
  EXPECT_EQ(wrong_coloring(in, std::vector{0, 1, 2, 0}), "");
  // A conflict at the first node, none at the last: the suite keeps only the last answer.
  EXPECT_EQ(wrong_coloring(in, std::vector{1, 1, 2, 0}), "neighbours 0 and 1 both have colour 1");
  EXPECT_EQ(wrong_coloring(in, std::vector{0, 1, 2, 3}), "node 3 has colour 3");
}

}  // namespace
}  // namespace imsuite::test
