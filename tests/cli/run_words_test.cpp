// run_words_test: options of `tess run` are found on both sides of the program's name; all other words are kept.
// Method: whole command lines as input, their three parts as output.
#include <gtest/gtest.h>

#include <string>

#include "cli/run/words.hpp"

namespace tess::cli {
namespace {

std::string message_of(words const& given) {
  try {
    (void)split_run_words(given);
  } catch (usage_error const& error) {
    return error.what();
  }
  return {};
}

TEST(run_words, finds_options_before_the_name) {
  auto const split = split_run_words({"-n", "4", "--fabric=hostile", "bfs", "x.mtx"});
  EXPECT_EQ(split.ours, (words{"-n", "4", "--fabric=hostile"}));
  EXPECT_EQ(split.program, "bfs");
  EXPECT_EQ(split.arguments, (words{"x.mtx"}));
}

TEST(run_words, finds_options_after_the_name_and_keeps_the_rest_in_order) {
  auto const split = split_run_words({"bfs", "x.mtx.gz", "--source", "libc6", "-n", "4", "-v", "y"});
  EXPECT_EQ(split.ours, (words{"-n", "4"}));
  EXPECT_EQ(split.arguments, (words{"x.mtx.gz", "--source", "libc6", "-v", "y"}));
}

TEST(run_words, takes_options_without_a_value) {
  auto const split = split_run_words({"--no-window", "gups", "--delay", "3us,1us", "--no-window", "x"});
  EXPECT_EQ(split.ours, (words{"--no-window", "--delay", "3us,1us", "--no-window"}));
  EXPECT_EQ(split.program, "gups");
  EXPECT_EQ(split.arguments, (words{"x"}));
}

TEST(run_words, leaves_everything_after_two_dashes_to_the_program) {
  auto const split = split_run_words({"bfs", "-n", "2", "--", "-n", "4", "--", "--help"});
  EXPECT_EQ(split.ours, (words{"-n", "2"}));
  EXPECT_EQ(split.arguments, (words{"-n", "4", "--", "--help"}));
}

TEST(run_words, takes_the_name_after_two_dashes) {
  auto const split = split_run_words({"-n2", "--", "./-odd", "--seed", "3"});
  EXPECT_EQ(split.ours, (words{"-n2"}));
  EXPECT_EQ(split.program, "./-odd");
  EXPECT_EQ(split.arguments, (words{"--seed", "3"}));
}

TEST(run_words, takes_only_digits_glued_to_a_short_option) {
  auto const split = split_run_words({"bfs", "-n4", "-name", "-n=4", "--placesx"});
  EXPECT_EQ(split.ours, (words{"-n4"}));
  EXPECT_EQ(split.arguments, (words{"-name", "-n=4", "--placesx"}));
}

TEST(run_words, leaves_all_words_behind_a_program_of_a_machine_to_it) {
  auto const split = split_run_words(
      {"--machine", "nemesys-2x2", "-n", "3", "./prog", "-n", "2", "--seed", "3", "--", "--stats", "x"});
  EXPECT_EQ(split.ours, (words{"--machine", "nemesys-2x2", "-n", "3"}));
  EXPECT_EQ(split.program, "./prog");
  EXPECT_EQ(split.arguments, (words{"-n", "2", "--seed", "3", "--", "--stats", "x"}));
  EXPECT_EQ(split_run_words({"--machine=m", "bfs", "--machine", "-n4"}).arguments, (words{"--machine", "-n4"}));
  // Two dashes at once behind the name are dropped, as everywhere.
  EXPECT_EQ(split_run_words({"--machine=m", "bfs", "--", "-n", "4", "--"}).arguments, (words{"-n", "4", "--"}));
  EXPECT_EQ(split_run_words({"--machine=m", "--", "bfs", "-n", "4"}).arguments, (words{"-n", "4"}));
}

TEST(run_words, refuses_a_machine_behind_the_name) {
  EXPECT_NE(message_of({"bfs", "kron:6", "--machine", "m"}).find("stands before the program"), std::string::npos);
  EXPECT_NE(message_of({"bfs", "kron:6", "--machine=m"}).find("tess run --machine NAME bfs"), std::string::npos);
  EXPECT_EQ(message_of({"bfs", "kron:6", "--", "--machine=m"}), "");
}

TEST(run_words, passes_help_to_the_program_once_it_is_named) {
  EXPECT_EQ(split_run_words({"--help"}).ours, (words{"--help"}));
  EXPECT_EQ(split_run_words({"bfs", "--help"}).arguments, (words{"--help"}));
}

TEST(run_words, keeps_empty_words) {
  EXPECT_EQ(split_run_words({"bfs", "", "--label", ""}).arguments, (words{"", "--label", ""}));
}

TEST(run_words, refuses_a_foreign_option_before_the_name) {
  EXPECT_EQ(message_of({"--place", "4", "bfs"}),
            "run: unknown option --place, did you mean --places?; options of the program go after its name");
}

TEST(run_words, refuses_an_option_without_its_value) {
  EXPECT_EQ(message_of({"bfs", "-n"}), "run: -n needs a value");
  EXPECT_EQ(message_of({"bfs", "--seed", "--", "3"}), "run: --seed needs a value");
}

}  // namespace
}  // namespace tess::cli
