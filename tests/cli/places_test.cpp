// places: what `tess run` and `tess bench` make of what several processes say.
// Method: text in pieces, as sockets and pipes bring it; lists of entries.
#include <gtest/gtest.h>

#include "cli/bench_processes.hpp"
#include "cli/collect_output.hpp"
#include "cli/supervise.hpp"

namespace tess::cli {
namespace {

TEST(lines_of_a_place, are_whole_whatever_the_pieces) {
  line_assembler lines;
  EXPECT_EQ(lines.add("on"), "");
  EXPECT_EQ(lines.add("e\ntwo\nthr"), "one\ntwo\n");
  EXPECT_EQ(lines.add("ee"), "");
  EXPECT_EQ(lines.add("\n\n"), "three\n\n");
  EXPECT_EQ(lines.finish(), "");
  EXPECT_EQ(lines.add("no newline"), "");
  EXPECT_EQ(lines.finish(), "no newline") << "as it was written";
}

TEST(lines_of_a_place, bear_its_tag_each) {
  line_assembler lines("[3] ");
  EXPECT_EQ(lines.add("a\nb\nc"), "[3] a\n[3] b\n");
  EXPECT_EQ(lines.finish(), "[3] c\n") << "another place's line follows";
}

TEST(exit_codes, are_read_from_lines_of_places_only) {
  EXPECT_EQ(said_exit_code("tess: exit code 1\n"), 1);
  EXPECT_EQ(said_exit_code("[1,0]<stderr>:tess: exit code 0\n"), 0);
  EXPECT_EQ(said_exit_code("tess: exit code x\n"), std::nullopt);
  EXPECT_EQ(said_exit_code("the program of tess: exits\n"), std::nullopt);
  EXPECT_EQ(said_exit_code("xtess: exit code 1\n"), std::nullopt);
}

TEST(entries, are_compared_with_those_of_the_same_case) {
  auto const entry = [](char const* name, double value, char const* unit) {
    return nlohmann::json{{"bench", "b"}, {"case", name},     {"places", 2},     {"value", value},
                          {"unit", unit}, {"limit", nullptr}, {"ratio", nullptr}};
  };
  nlohmann::json const ours{entry("get", 2, "ns"), entry("rate", 30, "M/s"), entry("alone", 1, "ns")};
  nlohmann::json const theirs{entry("rate", 10, "M/s"), entry("get", 8, "ns"), entry("alone", 1, "us")};
  nlohmann::json const compared = compare_entries(ours, theirs, "them");
  ASSERT_EQ(compared.size(), 2U) << "other units are not compared";
  EXPECT_EQ(compared[0]["case"], "get, against them");
  EXPECT_EQ(compared[0]["ratio"], 4.0) << "of a time, less is better";
  EXPECT_EQ(compared[1]["limit"], 10.0);
  EXPECT_EQ(compared[1]["ratio"], 3.0);
}

}  // namespace
}  // namespace tess::cli
