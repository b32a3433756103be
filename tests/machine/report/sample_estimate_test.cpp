// sample_estimate_test: means and intervals of windows, compared with numbers computed by hand and by tables.
#include "machine/report/sample_estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(an_estimate, is_that_of_the_line_through_what_the_caches_say) {
  // 1 cycle for each instruction, 20 for a miss of the L1, 100 more for one of the L2.
  std::vector<sampled_window> windows;
  for (std::uint64_t k = 0; k < 16; ++k) {
    std::uint64_t const first = k * 7 % 16;
    std::uint64_t const second = k * k % 5;
    windows.push_back({.instructions = 1000,
                       .cycles = 1000 + 20 * first + 100 * second,
                       .followed = rates_of({first, 0, second, 0}, 1000)});
  }
  auto const made = estimate_of(windows, rates_of({2500, 0, 300, 0}, 100'000));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->explained_by, 2U);
  EXPECT_NEAR(made->cycles_per_instruction, 1 + 20 * 0.025 + 100 * 0.003, 1e-9);
  EXPECT_LT(made->half_width, 1e-6);
}

TEST(an_estimate, of_a_line_has_the_interval_of_a_prediction) {
  // x = 0 ... 9, y = 101 + 10 x +- 1: the squares of x about their mean are 82.5; the signs give -5 with x.
  std::vector<sampled_window> windows;
  for (std::uint64_t k = 0; k < 10; ++k)
    windows.push_back({.instructions = 100,
                       .cycles = 100 + 10 * k + (k % 2 == 0 ? 2U : 0U),
                       .followed = rates_of({k, 0, 0, 0}, 100)});
  auto const made = estimate_of(windows, rates_of({6, 0, 0, 0}, 100));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->explained_by, 1U);
  double const slope = (82.5 * 10 - 5) / 82.5;
  EXPECT_NEAR(made->cycles_per_instruction, (146 + slope * 1.5) / 100, 1e-9);
  double const left = 10.0 - 25 / 82.5;  // squares of +-1 less what the slope takes of them
  double const deviation = std::sqrt(left / 8);
  EXPECT_NEAR(made->deviation, deviation / 100, 1e-9);
  // 97.5 % of Student's distribution with eight degrees of freedom are below 2.306.
  EXPECT_NEAR(made->half_width, 2.306 * deviation * std::sqrt(0.1 + 2.25 / 82.5) / 100, 1e-5);
}

TEST(an_estimate, takes_no_rate_that_says_nothing) {
  auto windows = windows_of({140, 160, 140, 160, 140, 160, 140, 160, 140, 160});
  for (std::size_t k = 0; k < windows.size(); ++k) windows[k].followed = {static_cast<double>(k / 2), 3, 0, 0};
  auto const made = estimate_of(windows, {100, 100, 100, 100});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->explained_by, 0U);
  EXPECT_DOUBLE_EQ(made->cycles_per_instruction, 1.5);
}

}  // namespace
}  // namespace tess::machine
