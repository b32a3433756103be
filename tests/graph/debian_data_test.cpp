// debian_data: the bundled data set matches data/README.md. Method: read all of it, search it from libc6.
#include <gtest/gtest.h>

#include <vector>

#include "graph/edge_reader.hpp"
#include "test_file.hpp"

namespace {

TEST(debian_data, is_the_graph_that_its_readme_describes) {
  graph::graph_input const input = graph::open_graph(GRAPH_DATA_FOLDER "/debian-12.mtx.gz");
  EXPECT_TRUE(input.directed);
  EXPECT_FALSE(input.weighted);
  ASSERT_EQ(input.vertices_count, 63'666);
  ASSERT_EQ(input.edges_count, 276'341);
  graph::vertex_names const names = graph::load_names(input, *input.vertices_count);

  std::vector<std::vector<std::uint32_t>> targets(*input.vertices_count);
  for (graph::edge const& each : graph_test::read_all(input)) targets[each.source].push_back(each.target);

  std::uint32_t const libc6 = names.vertex("libc6").value();
  EXPECT_EQ(targets[libc6].size(), 21'840);
  std::vector<bool> reached(targets.size());
  reached[libc6] = true;
  std::vector<std::uint32_t> frontier{libc6};
  std::size_t reached_count = 0;
  std::size_t depth = 0;
  for (; !frontier.empty(); ++depth) {
    reached_count += frontier.size();
    std::vector<std::uint32_t> next;
    for (std::uint32_t const source : frontier) {
      for (std::uint32_t const target : targets[source]) {
        if (!reached[target]) next.push_back(target);
        reached[target] = true;
      }
    }
    frontier = std::move(next);
  }
  EXPECT_EQ(reached_count - 1, 49'650);
  EXPECT_EQ(depth - 1, 9);
  EXPECT_TRUE(reached[names.vertex("bash").value()]);
}

}  // namespace
