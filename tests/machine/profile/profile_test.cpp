// profile_test: where cycles went: every cycle is in the profile, below its callers, on its line, with its reason.
// Method: a program whose functions execute known numbers of instructions, on a machine whose costs are known; the same
// run without a profile; other programs with threads, code that changes, an operating system, and several copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "../child.hpp"
#include "machine/profile/function_table.hpp"

namespace tess::machine {
namespace {

using nlohmann::json;

std::string const programs = TESS_MACHINE_PROGRAMS;

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Paths and their cycles.
std::map<std::string, std::uint64_t> folded(std::filesystem::path const& file) {
  std::map<std::string, std::uint64_t> paths;
  std::istringstream lines(text_of(file));
  for (std::string line; std::getline(lines, line);) {
    std::size_t const at = line.rfind(' ');
    EXPECT_NE(at, std::string::npos) << line;
    EXPECT_TRUE(paths.emplace(line.substr(0, at), number(std::string_view(line).substr(at + 1))).second) << line;
  }
  return paths;
}

std::uint64_t sum(std::map<std::string, std::uint64_t> const& paths, std::string const& pattern) {
  std::uint64_t all = 0;
  for (auto const& [path, cycles] : paths)
    if (std::regex_search(path, std::regex(pattern))) all += cycles;
  return all;
}

/// One run of `profiled`, for all tests.
class a_profile : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<work_folder>();
    said_ = folder_->run(TESS_MACHINE
                         " --machine nemesys-2x2 --copies 1 --stats s.json --profile p.folded --profile p.csv "
                         "--profile p.svg --profile p.json -- '" +
                         programs + "/profiled' 4");
    plain_ =
        folder_->run(TESS_MACHINE " --machine nemesys-2x2 --copies 1 --stats t.json -- '" + programs + "/profiled' 4");
    if (said_.code == 0) paths_ = folded(folder_->path() / "p.folded");
  }
  static void TearDownTestSuite() { folder_.reset(); }
  void SetUp() override { ASSERT_EQ(said_.code, 0) << said_.error; }
  static std::string text(char const* name) { return text_of(folder_->path() / name); }

  static inline std::unique_ptr<work_folder> folder_;
  static inline outcome said_;
  static inline outcome plain_;
  static inline std::map<std::string, std::uint64_t> paths_;
};

TEST_F(a_profile, changes_no_time) {
  json with = json::parse(text("s.json"));
  json without = json::parse(text("t.json"));
  with.erase("host");
  without.erase("host");
  EXPECT_EQ(with, without);
  EXPECT_EQ(said_.output, plain_.output);
}

/// All harts that may run the program, up to the end of the run. The last system call takes a hart beyond it.
std::uint64_t hart_cycles(json const& all) {
  std::uint64_t cycles = 0;
  for (json const& hart : all["harts"])
    cycles += std::max(all["cycles"].get<std::uint64_t>(), hart["cycles"].get<std::uint64_t>());
  return cycles;
}

/// "cycles of harts N, and M without a thread" of the table.
std::pair<std::uint64_t, std::uint64_t> totals(std::string const& said) {
  std::smatch found;
  if (!std::regex_search(said, found, std::regex("cycles of harts +([0-9]+), and ([0-9]+) without a thread")))
    return {0, 0};
  return {number(found[1].str()), number(found[2].str())};
}

TEST_F(a_profile, has_every_cycle_once) {
  json const all = json::parse(text("s.json"));
  auto const [spent, idle] = totals(said_.error);
  EXPECT_EQ(sum(paths_, ""), spent);
  EXPECT_EQ(spent + idle, hart_cycles(all));
  EXPECT_GT(spent, 10'000U);
}

TEST_F(a_profile, puts_cycles_below_those_who_called) {
  // 4 times 1,000 and 3,000 turns of the same loop: the parts that do not turn are some cycles.
  std::uint64_t const little = sum(paths_, "work::little;work::spin;.*issue");
  std::uint64_t const much = sum(paths_, "work::much;work::spin;.*issue");
  EXPECT_GE(little, 8'000U);
  EXPECT_NEAR(static_cast<double>(much) / static_cast<double>(little), 3, 0.05);
  EXPECT_EQ(sum(paths_, "work::much;work::little"), 0U);
  EXPECT_EQ(sum(paths_, "(^|;)work::spin"), sum(paths_, "main;.*work::spin"));
}

TEST_F(a_profile, shows_what_was_inlined_as_a_function) {
  std::uint64_t const inlined = sum(paths_, "work::inlines;work::inlined;");
  EXPECT_NEAR(static_cast<double>(inlined) / static_cast<double>(sum(paths_, "work::little;work::spin;")), 2, 0.05);
}

TEST_F(a_profile, follows_recursion_and_jumps_in_place_of_returns) {
  EXPECT_NE(sum(paths_, "main;(work::deep;){21}work::spin"), 0U);
  EXPECT_EQ(sum(paths_, "(work::deep;){22}"), 0U);
  EXPECT_NE(sum(paths_, "main;work::last;work::spin|main;work::spin"), 0U) << "last took the place of hands_over";
  EXPECT_EQ(sum(paths_, "work::(deep|last|hands_over);work::far"), 0U);
}

TEST_F(a_profile, knows_what_was_waited_for) {
  std::uint64_t const remote = sum(paths_, "work::far;.*\\[remote\\]");
  EXPECT_GT(remote, 100U * 20) << "a hundred words of another tile";
  EXPECT_EQ(remote, sum(paths_, "\\[remote\\]")) << "nobody else has words there";
  EXPECT_GT(sum(paths_, "\\[system\\]"), 0U);
  EXPECT_GT(sum(paths_, "\\[memory\\]|\\[L2\\]"), 0U);
}

TEST_F(a_profile, has_lines_and_their_instructions) {
  std::istringstream lines(text("p.csv"));
  std::string head;
  std::getline(lines, head);
  EXPECT_EQ(head.find("function,file,line,instructions,cycles,issue,L2,memory,remote,bus"), 0U);
  std::uint64_t spun = 0;
  std::uint64_t all = 0;
  std::set<std::string> of_spin;
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    ASSERT_TRUE(std::regex_match(line, found, std::regex("\"([^\"]*)\",\"([^\"]*)\",([0-9]+),([0-9]+),([0-9]+),.*")));
    all += number(found[4].str());
    if (found[1] != "work::spin") continue;
    EXPECT_TRUE(found[2].str().ends_with("profiled.cpp")) << line;
    spun += number(found[4].str());
    of_spin.insert(found[3].str());
  }
  // 4 (1000 + 3000) turns, 21 by 10 of the recursion, and 500 of two instructions, and returns.
  EXPECT_NEAR(static_cast<double>(spun), 2.0 * (16'000 + 210 + 500) + 30, 30);
  EXPECT_LE(of_spin.size(), 3U);
  EXPECT_EQ(all, json::parse(text("s.json"))["instructions"].get<std::uint64_t>());
  EXPECT_NE(sum(paths_, "work::spin;profiled\\.cpp:[0-9]+;\\[issue\\]"), 0U);
}

TEST_F(a_profile, is_a_picture_and_a_file_for_speedscope) {
  std::string const picture = text("p.svg");
  EXPECT_TRUE(picture.starts_with("<svg ")) << picture.substr(0, 80);
  EXPECT_TRUE(picture.ends_with("</svg>\n"));
  EXPECT_NE(picture.find("work::much"), std::string::npos);
  json const speedscope = json::parse(text("p.json"));
  auto const& profile = speedscope["profiles"][0];
  std::uint64_t weights = 0;
  for (json const& one : profile["weights"]) weights += one.get<std::uint64_t>();
  EXPECT_EQ(weights, sum(paths_, ""));
  EXPECT_EQ(profile["endValue"], weights);
  ASSERT_EQ(profile["samples"].size(), profile["weights"].size());
  std::size_t const frames = speedscope["shared"]["frames"].size();
  for (json const& sample : profile["samples"])
    for (json const& frame : sample) ASSERT_LT(frame.get<std::size_t>(), frames);
}

struct other_run {
  std::string machine;
  std::string words;
  friend void PrintTo(other_run const& one, std::ostream* out) { *out << one.machine << ' ' << one.words; }
};
class profiles : public testing::TestWithParam<other_run> {};

TEST_P(profiles, have_every_cycle_and_change_none) {
  work_folder const folder;
  auto const& [machine, words] = GetParam();
  std::string const line =
      TESS_MACHINE " --machine " + machine + " " + std::regex_replace(words, std::regex("-- "), "-- " + programs + "/");
  auto const with = [&](std::string const& more) {
    return std::regex_replace(line, std::regex(" -- "), " " + more + " -- ");
  };
  outcome const plain = folder.run(with("--quiet --stats t.json"));
  ASSERT_LT(plain.code, 4) << plain.error;
  outcome const profiled = folder.run(with("--stats s.json --profile p.folded"));
  ASSERT_EQ(profiled.code, plain.code) << profiled.error;
  json now = json::parse(text_of(folder.path() / "s.json"));
  json before = json::parse(text_of(folder.path() / "t.json"));
  now.erase("host");
  before.erase("host");
  EXPECT_EQ(now, before);
  auto const [spent, idle] = totals(profiled.error);
  EXPECT_EQ(sum(folded(folder.path() / "p.folded"), ""), spent);
  EXPECT_EQ(spent + idle, hart_cycles(now));
}

INSTANTIATE_TEST_SUITE_P(of_programs, profiles,
                         testing::Values(other_run{"nemesys-2x2", "-- threads"},
                                         other_run{"nemesys-2x2", "-- coroutines"},
                                         other_run{"nemesys-2x2", "-- crowd 7"}, other_run{"sifive-u74", "-- threads"},
                                         other_run{"sifive-u74-mmu", "-- threads"},
                                         other_run{"nemesys-2x2", "-- exceptions"},
                                         other_run{"nemesys-4x4", "--copies 14 -- adding 50"},
                                         other_run{"tessera-4x4", "--copies 5 -- extended 40"},
                                         other_run{"cni-4", "--copies 4 -- interfaces"},
                                         other_run{"dir-4", "--copies 4 -- shared_at_random 1 1 200"},
                                         other_run{"rae-16", "--copies 16 -- extended 8 mapped"}));

TEST(threads_that_take_turns, keep_their_call_paths) {
  work_folder const folder;
  outcome const run = folder.run(TESS_MACHINE " --machine nemesys-2x2 --profile p.folded -- " + programs + "/crowd 7");
  ASSERT_EQ(run.code, 0) << run.error;
  auto const paths = folded(folder.path() / "p.folded");
  EXPECT_GT(sum(paths, "^(__thread_start;|[^;]*clone[^;]*;)?start_thread;"), 0U);
  EXPECT_GT(sum(paths, "^_start;.*main;"), 0U);
  EXPECT_EQ(sum(paths, "^(_start|__thread_start|clone);"), sum(paths, "")) << "each path begins where its thread did";
  EXPECT_EQ(sum(paths, "(^|;)main;(.*;)?start_thread;"), 0U);
  EXPECT_EQ(sum(paths, "(^|;)start_thread;(.*;)?main;"), 0U);
}

TEST(a_wrong_profile, is_refused_before_the_run) {
  work_folder const folder;
  outcome const name = folder.run(TESS_MACHINE " --machine nemesys-2x2 --profile p.txt -- " + programs + "/profiled");
  EXPECT_EQ(name.code, 2);
  EXPECT_NE(name.error.find(".svg, .json, .folded, .csv or .harts"), std::string::npos) << name.error;
  outcome const timing = folder.run(TESS_MACHINE " --timing off --profile p.svg -- " + programs + "/profiled");
  EXPECT_EQ(timing.code, 2);
  EXPECT_NE(timing.error.find("--timing on"), std::string::npos) << timing.error;
}

TEST(a_readable_name, has_neither_parameters_nor_what_the_compiler_added) {
  EXPECT_EQ(readable_name("_ZN3foo3barEi"), "foo::bar");
  EXPECT_EQ(readable_name("_ZN3foo3barEi.resume"), "foo::bar (coroutine)");
  EXPECT_EQ(readable_name("_ZN3foo3barEi.cold"), "foo::bar");
  EXPECT_EQ(readable_name("main"), "main");
  for (char const* const type : {"d", "i", "Pi"}) EXPECT_EQ(readable_name(type), type);
  EXPECT_EQ(readable_name("sleep<(lambda at ../src/tile.cpp:152:36)>"), "sleep");
  EXPECT_EQ(readable_name("operator()"), "operator()");
  EXPECT_EQ(readable_name("_ZNKSt8functionIFviEEclEi"), "std::function::operator()");
  EXPECT_EQ(readable_name("_ZNK1AcvbEv"), "A::operator bool");
  EXPECT_EQ(readable_name("_ZlsRKN1A1BES2_"), "operator<<");
  EXPECT_EQ(readable_name("_ZZN3foo3barEiENKUlvE_clEv"), "foo::bar::{lambda#1}::operator()");
  EXPECT_EQ(readable_name("_ZSt4findIPiiET_S1_S1_RKT0_"), "std::find");
  EXPECT_EQ(readable_name("_ZN12_GLOBAL__N_13barEv"), "(anonymous namespace)::bar");
  EXPECT_EQ(readable_name("_ZN3CLI3App8add_flagTnUnknown"), "CLI::App::add_flag");
  EXPECT_EQ(readable_name("_ZN"), "_ZN");
  EXPECT_EQ(readable_name("_ZN99999x"), "_ZN99999x");
}

}  // namespace
}  // namespace tess::machine
