// nemesys_copies_test: the program behind Fig. 8 runs on a memory tile, its copies are correct, and its times are those
// that docs/machine/nemesys.md reports: the calibrated ones within their ranges, the predicted ones as published.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "child.hpp"

namespace tess::machine {
namespace {

class fig_8 : public testing::Test {
 protected:
  outcome run(std::string const& machine, std::string const& tile, std::string const& arguments) const {
    return folder_.run(TESS_MACHINE " --quiet --machine " + machine + " --tile " + tile +
                       " -- '" TESS_MACHINE_PROGRAMS "/nemesys-copies' " + arguments);
  }
  work_folder folder_;
};

TEST_F(fig_8, copies_are_right_and_take_the_same_cycles_again) {
  outcome const first = run("nemesys-2x2", "1,1", "check");
  EXPECT_EQ(first.code, 0) << first.output << first.error;
  EXPECT_EQ(first.output.find("WRONG"), std::string::npos) << first.output;
  EXPECT_EQ(run("nemesys-2x2", "3", "check").output, first.output);
}

TEST_F(fig_8, a_nonexistent_tile_is_a_usage_error) {
  EXPECT_EQ(run("nemesys-2x2", "1,x", "check").code, 2);
  EXPECT_EQ(run("nemesys-2x2", "9", "check").code, 2);
}

TEST_F(fig_8, slopes_are_calibrated_and_the_crossing_of_the_maps_is_predicted) {
  outcome const result = run("nemesys-4x4", "1,1", "");
  ASSERT_EQ(result.code, 0) << result.error;
  auto const parsed = nlohmann::json::parse(result.output);
  auto const family = [&](std::string const& name, std::string const& map) {
    for (auto const& one : parsed["copies"])
      if (one["family"] == name && one["map"] == map) return one;
    return nlohmann::json{};
  };
  auto const us = [&](std::string const& name, std::string const& map, std::uint64_t size) {
    auto const of = family(name, map);
    for (auto const& point : of["us"])
      if (point[0] == size) return point[1].get<double>();
    return 0.0;
  };
  // Nanoseconds for each byte: 10 to 25 and 5 in the paper, whose words have 4 bytes.
  double const of_object = family("object", "linear")["slope_us"].get<double>() * 125;
  EXPECT_GE(of_object, 9.5);
  EXPECT_LE(of_object, 25);
  EXPECT_NEAR(family("array", "linear")["slope_us"].get<double>() * 125, 5, 0.25);
  for (std::string const name : {"list", "objects"}) {
    EXPECT_LT(us(name, "linear", 32), us(name, "hashed", 32));
    EXPECT_GT(us(name, "linear", 128), us(name, "hashed", 128));
    double const each = us(name, "hashed", 1024) / 1024;
    for (std::uint64_t const size : {64U, 128U, 256U, 512U, 2048U, 4096U})
      EXPECT_NEAR(us(name, "hashed", size) / static_cast<double>(size), each, each / 10) << name << " of " << size;
  }
}

}  // namespace
}  // namespace tess::machine
