// sample_estimate_test: means and intervals of windows, compared with numbers computed by hand and by tables.
#include "machine/report/sample_estimate.hpp"

#include <gtest/gtest.h>

namespace tess::machine {
namespace {

std::vector<sampled_window> windows_of(std::initializer_list<std::uint64_t> cycles) {
  std::vector<sampled_window> made;
  for (std::uint64_t const each : cycles) made.push_back({.instructions = 100, .cycles = each});
  return made;
}

TEST(an_estimate, has_the_interval_of_students_distribution) {
  // Mean 1.5, deviation 0.1 x sqrt(10/9); of 9 degrees of freedom 97.5 % are below 2.262.
  auto const made = estimate_of(windows_of({140, 160, 140, 160, 140, 160, 140, 160, 140, 160}));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->windows, 10U);
  EXPECT_DOUBLE_EQ(made->cycles_per_instruction, 1.5);
  EXPECT_NEAR(made->deviation, 0.105409, 1e-6);
  EXPECT_NEAR(made->half_width, 2.262 * 0.105409 / 3.162278, 1e-4);
  EXPECT_NEAR(made->relative(), 0.0503, 1e-4);
}

TEST(an_estimate, of_four_degrees_of_freedom_is_near_the_table) {
  auto const made = estimate_of(windows_of({100, 110, 120, 130, 140}));
  ASSERT_TRUE(made);
  EXPECT_NEAR(made->half_width, 2.776 * 0.158114 / 2.236068, 0.005);
}

TEST(an_estimate, needs_some_windows) {
  EXPECT_FALSE(estimate_of(windows_of({100, 110, 120, 130})));
  EXPECT_FALSE(estimate_of({}));
}

TEST(an_estimate, says_how_many_windows_an_error_needs) {
  auto const made = estimate_of(windows_of({140, 160, 140, 160, 140, 160, 140, 160, 140, 160}));
  ASSERT_TRUE(made);
  // (1.96 x 0.105409 / (0.01 x 1.5))^2 = 189.7
  EXPECT_EQ(made->windows_for(0.01), 190);
}

TEST(an_estimate, weighs_windows_by_their_instructions) {
  auto windows = windows_of({100, 100, 100, 100, 100});
  windows.push_back({.instructions = 500, .cycles = 1000});
  EXPECT_DOUBLE_EQ(estimate_of(windows)->cycles_per_instruction, 1.5);
}

}  // namespace
}  // namespace tess::machine
