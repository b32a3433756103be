// places: how `tess run` and `tess bench` merge the output of several processes.
// Method: text in pieces, as sockets and pipes deliver it; lists of entries.
#include <gtest/gtest.h>

#include "cli/bench/processes.hpp"
#include "cli/run/collect_output.hpp"
#include "cli/run/exit_reports.hpp"
#include "cli/run/supervise.hpp"

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

TEST(lines_of_a_place, each_carry_its_tag) {
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

TEST(pulses, are_distinguished_from_output_of_other_places) {
  auto const alone = said_alive("tess: alive, again within 9000 ms\n");
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->begin, 0U);
  EXPECT_EQ(alone->again_within, std::chrono::milliseconds(9000));
  auto const behind = said_alive("50 %tess: alive, again within 1 ms\n");
  ASSERT_TRUE(behind) << "another place has not ended its line";
  EXPECT_EQ(behind->begin, 4U);
  EXPECT_FALSE(said_alive("tess: alive, again within a ms\n"));
  EXPECT_FALSE(said_alive("tess: alive\n"));
}

/// The output and exit code of `tess run` with this launcher, a script for which tess is a program.
int supervised(std::string const& script, std::string& said, unsigned reports = 1) {
  testing::internal::CaptureStderr();
  int const code = run_owned([&](owner const& self) { return supervise(self, {"sh", "-c", script}, reports); });
  said = testing::internal::GetCapturedStderr();
  return code;
}

TEST(a_launcher, is_ended_when_place_0_falls_silent) {
  std::string said;
  auto const begin = std::chrono::steady_clock::now();
  EXPECT_EQ(supervised("echo 'tess: alive, again within 300 ms' >&2; exec sleep 60", said), 1);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
  EXPECT_TRUE(said.contains("nothing was heard of place 0 through sh for 0.3 s")) << said;
  EXPECT_FALSE(said.contains("alive")) << "that was for us: " << said;
}

TEST(a_launcher, that_ignores_the_request_to_end_is_killed) {
  std::string said;
  EXPECT_EQ(supervised("trap '' TERM; echo 'tess: alive, again within 100 ms' >&2; while :; do sleep 0.1; done", said),
            1);
  EXPECT_TRUE(said.contains("it was ended")) << said;
}

TEST(a_launcher, may_continue_while_place_0_sends_pulses) {
  std::string said;
  std::string const pulses = "for i in 1 2 3 4 5 6; do echo 'tess: alive, again within 900 ms' >&2; sleep 0.3; done; ";
  EXPECT_EQ(supervised(pulses + "echo words >&2; echo 'tess: exit code 0' >&2", said), 0);
  EXPECT_EQ(said, "words\n");
}

TEST(a_launcher, that_ends_before_any_place_reports_an_exit_code_is_reported) {
  std::string said;
  EXPECT_EQ(supervised("exit 0", said), 1);
  EXPECT_TRUE(said.contains("sh ended the job with 0 before a place said how")) << said;
}

TEST(a_launcher, of_pes_that_end_with_their_own_codes_ends_with_the_largest) {
  std::string said;
  EXPECT_EQ(supervised("for c in 0 3 1; do echo \"tess: exit code $c\" >&2; done", said, 3), 3);
  EXPECT_EQ(said, "");
  // One of two has not ended: it has all the time that it wants.
  exit_reports pes(2);
  EXPECT_FALSE(pes.any());
  pes.add(0);
  EXPECT_FALSE(pes.decided());
  EXPECT_EQ(pes.any(), 0);
  pes.add(0);
  EXPECT_EQ(pes.decided(), 0);
  exit_reports failed(2);
  failed.add(7);
  EXPECT_EQ(failed.decided(), 7) << "the others cannot make it better";
}

TEST(a_launcher, of_one_host_is_ended_when_its_places_have_ended) {
  std::string const place =
      "python3 -c \"import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ['TESS_OUTPUT'])\"; ";
  auto const begin = std::chrono::steady_clock::now();
  words const command{"sh", "-c", place + "exec sleep 60"};
  EXPECT_NE(run_owned([&](owner const& self) { return run_collecting(self, command, false); }), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
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
