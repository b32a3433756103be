// quantum_test: `quantum_cycles` says only how far a hart may run ahead of the simulator's time: no statistic of a run
// depends on it.
// Method: every kind of machine, with programs whose harts share words; all statistics but those of the host, and what
// the program printed, at quanta from 1 to 1024 cycles. Two harts that store to one line take the time that two lines
// take.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>

#include "child.hpp"
#include "machine/config/comparison.hpp"
#include "runtime/sanitized.hpp"

namespace tess::machine {
namespace {

std::string const programs = TESS_MACHINE_PROGRAMS;

struct run {
  std::string machine;
  std::string words;  ///< Options and the program, before and after " -- ".
  friend void PrintTo(run const& one, std::ostream* out) { *out << one.machine << ' ' << one.words; }
};

/// What a run says about simulated time: all statistics without those of the host, and its output.
std::string told(work_folder const& folder, run const& wanted, int quantum, int code = 0) {
  std::string const text = resolved_text(TESS_MACHINES "/" + wanted.machine + ".toml");
  std::regex const key("quantum_cycles = \\d+ ");
  EXPECT_TRUE(std::regex_search(text, key)) << wanted.machine;
  std::ofstream{folder.path() / "machine.toml"}
      << std::regex_replace(text, key, "quantum_cycles = " + std::to_string(quantum) + " ");
  std::size_t const program = wanted.words.find("-- ");
  outcome const result =
      folder.run(TESS_MACHINE " --quiet --stats stats.json --machine machine.toml " + wanted.words.substr(0, program) +
                 "-- '" + programs + "'/" + wanted.words.substr(program + 3));
  EXPECT_EQ(result.code, code) << result.error;
  nlohmann::json all = nlohmann::json::parse(text_of(folder.path() / "stats.json"));
  all.erase("host");
  return result.output + all.dump(1);
}

// Harts that have run ahead of the last cycle would have counted more. Which of them are ahead, and by what, depends on
// that cycle.
TEST(a_run_that_is_stopped, has_counted_the_same_however_far_harts_run_ahead) {
  work_folder const folder;
  for (run const& wanted : {run{"single-tile", "--timing on -- hash"}, run{"sifive-u74", "-- hash"},
                            run{"nemesys-2x2", "--copies 3 -- adding 500"}, run{"nemesys-2x2", "-- threads"},
                            run{"nemesys-4x4", "--copies 5 -- extended 40"}, run{"dir-4", "--copies 4 -- dir-mcs 20"},
                            run{"rae-6", "--copies 6 -- extended 40 mapped"},
                            run{"nemesys-2x2", "--copies 3 --system kernel -- adding 50"}}) {
    for (int last = 15001; last < 15101; last += test::is_sanitized ? 50 : 25) {
      run const stopped{wanted.machine, "--max-cycles " + std::to_string(last) + " " + wanted.words};
      std::string const usual = told(folder, stopped, 64, 1);
      for (int const quantum : {1, 1024})
        EXPECT_EQ(told(folder, stopped, quantum, 1), usual) << testing::PrintToString(stopped);
    }
  }
}

class every_statistic : public testing::TestWithParam<run> {};

TEST_P(every_statistic, is_the_same_however_far_harts_run_ahead) {
  work_folder const folder;
  std::string const usual = told(folder, GetParam(), 64);
  EXPECT_GT(usual.size(), 1000U);
  for (int const quantum : {1, 7, 1024}) {
    std::string const here = told(folder, GetParam(), quantum);
    if (here == usual) continue;
    auto const differs = std::ranges::mismatch(here, usual);
    auto const at = static_cast<std::size_t>(differs.in1 - here.begin());
    ADD_FAILURE() << "at " << quantum << ": " << here.substr(at - std::min<std::size_t>(at, 100), 160)
                  << "\nat 64: " << usual.substr(at - std::min<std::size_t>(at, 100), 160);
  }
}

std::vector<run> runs() {
  std::vector<run> made{
      {"single-tile", "-- litmus static"},
      {"single-tile", "-- litmus mapped"},
      {"single-tile", "-- crowded_lines 1 4 500 131072"},
      {"nemesys-2x2", "--copies 3 -- crowded_lines 2 4 500 131072"},
      {"nemesys-4x4", "--copies 5 -- crowded_lines 3 4 500 32"},
      {"tessera-2x2-coherent", "--copies 2 -- crowded_lines 4 4 1000 131072"},
      {"nemesys-2x2", "-- threads"},
      {"nemesys-2x2", "-- coroutines"},
      {"nemesys-2x2", "-- crowd 7"},
      {"nemesys-2x2", "-- pipes"},
      {"nemesys-2x2", "--copies 3 -- adding 500"},
      {"nemesys-4x4", "--copies 14 -- adding 100"},
      {"nemesys-4x4", "--copies 4 -- litmus_tiles"},
      {"nemesys-4x4", "--copies 5 -- swapping 30"},
      {"nemesys-4x4", "--copies 5 -- extended 40"},
      {"nemesys-4x4", "--copies 14 -- invoking"},
      {"nemesys-4x4-single", "--copies 5 -- extended 40 mapped"},
      {"tessera-2x2", "--copies 3 -- extended 40 mapped"},
      {"tessera-4x4", "--copies 5 -- extended 40"},
      {"cni-4", "--copies 4 -- interfaces"},
      {"rae-6", "--copies 6 -- extended 40 mapped"},
      {"rae-16", "--copies 16 -- extended 8 mapped"},
      {"rae-64", "--copies 64 -- extended 2 mapped"},
      {"dir-4", "--copies 4 -- litmus_tiles lines"},
      {"dir-4", "--copies 4 -- litmus_tiles line"},
      {"dir-4", "--copies 4 -- dir-mcs 20"},
      {"dir-16", "--copies 16 -- dir-tree 8"},
      {"rae-6", "--copies 6 -- rae-saving 20 0 160"},
      {"rae-16", "--copies 16 -- rae-tasks tasks all 320 8"},
      {"tessera-4x4", "--copies 5 -- rae-tasks loop one 320 8"},
      {"nemesys-4x4", "--copies 4 -- gap_shmem --kernel bfs --scale 5 --degree 4"},
      {"rae-16", "--copies 13 -- gap_shmem --kernel bc --scale 6 --degree 3"},
      {"sifive-u54", "-- threads"},
      {"sifive-u74", "-- litmus mapped"},
      {"sifive-u74", "-- crowd 7"},
      {"sifive-u74-mmu", "-- crowd 7"},
      {"sifive-u74-mmu", "-- litmus mapped"},
      {"sifive-u74-mmu", "-- pipes"},
      {"mppa-256", "--copies 2 -- clusters"},
      {"mppa-256", "--copies 20 -- mppa-rmem rmem write 4096 3 2"},
      {"mppa-256", "--copies 20 --system kernel -- mppa-rmem rmem read 4096 3 2"},
      {"nemesys-2x2", "--copies 3 --system kernel -- adding 50"},
  };
  for (int seed = 1; seed <= (test::is_sanitized ? 1 : 2); ++seed) {
    std::string const words = std::to_string(seed) + (test::is_sanitized ? " 4 100" : " 4 600");
    std::string const alone = std::to_string(seed) + (test::is_sanitized ? " 1 50" : " 1 200");
    std::string const few = std::to_string(seed) + " 1 50";
    for (auto const& [machine, copies, rest] : {std::tuple{"single-tile", 1, words},
                                                {"sifive-u74", 1, words},
                                                {"sifive-u74-mmu", 1, words},
                                                {"nemesys-2x2", 3, words + " remote"},
                                                {"nemesys-4x4", 14, words + " remote"},
                                                {"nemesys-4x4-single", 5, words + " remote"},
                                                {"tessera-2x2", 3, words + " remote"},
                                                {"tessera-4x4", 14, words + " remote"},
                                                {"mppa-256", 3, words},
                                                {"cni-16", 16, alone},
                                                {"cni-64", 64, few},
                                                {"dir-16", 16, alone},
                                                {"dir-64", 64, few},
                                                {"rae-6", 6, alone + " remote"},
                                                {"rae-16", 16, alone + " remote"},
                                                {"rae-64", 64, few}})
      made.push_back({machine, "--copies " + std::to_string(copies) + " -- shared_at_random " + rest});
  }
  if (std::getenv("TESS_SLOW") != nullptr)
    for (char const* const kind : {"cni-", "dir-"})
      for (int const tiles : {32, 128, 256})
        made.push_back(
            {kind + std::to_string(tiles), "--copies " + std::to_string(tiles) + " -- shared_at_random 1 1 20"});
  return made;
}

INSTANTIATE_TEST_SUITE_P(of_programs, every_statistic, testing::ValuesIn(runs()), [](auto const& one) {
  return std::regex_replace(std::to_string(one.index) + " " + one.param.machine + " " + one.param.words,
                            std::regex("[^a-z0-9A-Z]+"), "_");
});

class two_harts : public testing::TestWithParam<int> {
 protected:
  /// Cycles on the four harts of a tile.
  [[nodiscard]] double cycles(std::string const& words) const {
    std::string const printed = told(folder_, {"single-tile", "-- sharing " + words}, GetParam());
    double count = 0;
    std::from_chars(printed.data(), printed.data() + printed.size(), count);
    return count;
  }
  work_folder folder_;
};

TEST_P(two_harts, that_miss_one_line_together_both_go_on_when_it_is_there) {
  EXPECT_NEAR(cycles("stores line") / cycles("stores lines"), 1, 0.1);
}

TEST_P(two_harts, pay_for_words_of_one_line_if_one_of_them_stores) {
  EXPECT_GT(cycles("loads line"), 1.5 * cycles("loads lines"));
}

INSTANTIATE_TEST_SUITE_P(quanta, two_harts, testing::Values(1, 64, 1024));

}  // namespace
}  // namespace tess::machine
