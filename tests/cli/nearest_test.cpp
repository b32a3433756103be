// nearest_test: the suggested name is the one a reader would suggest. Method: hand-picked pairs.
#include "cli/command/nearest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tess::cli {
namespace {

TEST(edit_distance, counts_each_kind_of_slip_once) {
  EXPECT_EQ(edit_distance("bfs", "bfs"), 0U);
  EXPECT_EQ(edit_distance("bfs", "bfss"), 1U);  // inserted
  EXPECT_EQ(edit_distance("bfs", "bs"), 1U);    // deleted
  EXPECT_EQ(edit_distance("bfs", "bds"), 1U);   // replaced
  EXPECT_EQ(edit_distance("bfs", "fbs"), 1U);   // swapped
  EXPECT_EQ(edit_distance("", "bfs"), 3U);
}

TEST(nearest, offers_the_closest_name) {
  std::vector<std::string> const names{"bfs", "gups", "pagerank"};
  EXPECT_EQ(nearest("gpus", names), "gups");
  EXPECT_EQ(nearest("pagernk", names), "pagerank");
}

TEST(nearest, offers_nothing_when_all_are_far) {
  std::vector<std::string> const names{"bfs", "gups"};
  EXPECT_EQ(nearest("pagerank", names), "");
  EXPECT_EQ(nearest("", names), "");
}

}  // namespace
}  // namespace tess::cli
