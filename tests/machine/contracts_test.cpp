// contracts_test: what programs on a machine may rely on: one home for each word, no outcome that RVWMO forbids however
// far harts run ahead, and a simulator that takes no more memory than the program touches.
// Method: programs that count what must not happen, at several quanta, with words in the tile-local memory and behind
// the L2; sums of atomics from two tiles; the resident memory of the simulator as the system has measured it.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <regex>

#include "child.hpp"
#include "runtime/sanitized.hpp"

namespace tess::machine {
namespace {

std::string const programs = TESS_MACHINE_PROGRAMS;

/// nemesys-2x2 with another quantum, as a file in the folder.
void describe_quantum(work_folder const& folder, int quantum) {
  std::string text = text_of(TESS_MACHINES "/nemesys-2x2.toml");
  std::string const line = "quantum_cycles = 64 ";
  ASSERT_NE(text.find(line), std::string::npos);
  text.replace(text.find(line), line.size(), "quantum_cycles = " + std::to_string(quantum) + " ");
  std::ofstream{folder.path() / "quantum.toml"} << text;
}

double cycles_of(outcome const& run) {
  std::smatch found;
  std::regex const line("simulated time .*, ([0-9 ]+) cycles");
  if (!std::regex_search(run.error, found, line)) return 0;
  std::string const digits = std::regex_replace(found[1].str(), std::regex(" "), "");
  double cycles = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), cycles);
  return cycles;
}

class at_quantum : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { describe_quantum(folder_, GetParam()); }
  [[nodiscard]] outcome run(std::string const& words) const {
    return folder_.run(TESS_MACHINE " --machine quantum.toml -- '" + programs + "/" + words);
  }
  work_folder folder_;
};

TEST_P(at_quantum, four_harts_see_only_what_rvwmo_allows) {
  for (char const* where : {"static", "mapped"}) {
    outcome const said = run(std::string("litmus' ") + where);
    EXPECT_EQ(said.said,
              "MP: 0 of 150\nSB: 0 of 150\nLB: 0 of 150\nIRIW: 0 of 150\nCoRR: 0 of 150\n2+2W: 0 of 150\n"
              "LR/SC: 0 of 150\n")
        << where << said.error;
  }
}

TEST_P(at_quantum, a_program_alone_takes_the_cycles_that_it_takes_at_64) {
  outcome const usual = folder_.run(TESS_MACHINE " --machine nemesys-2x2 -- '" + programs + "/integers'");
  outcome const here = run("integers'");
  EXPECT_GT(cycles_of(usual), 0) << usual.error;
  EXPECT_EQ(cycles_of(here), cycles_of(usual));
}

TEST_P(at_quantum, harts_that_share_words_take_about_the_cycles_that_they_take_at_64) {
  outcome const usual = folder_.run(TESS_MACHINE " --machine nemesys-2x2 -- '" + programs + "/litmus'");
  EXPECT_GT(cycles_of(usual), 0) << usual.error;
  EXPECT_NEAR(cycles_of(run("litmus'")) / cycles_of(usual), 1, 0.01);
}

INSTANTIATE_TEST_SUITE_P(quanta, at_quantum, testing::Values(1, 16, 256));

TEST(a_word, has_one_home_for_its_owner_and_for_others) {
  work_folder const folder;
  std::uint64_t const times = test::is_sanitized ? 2000 : 20'000;
  outcome const said = folder.run(TESS_MACHINE " --quiet --machine nemesys-2x2 --copies 2 -- '" + programs +
                                  "/adding' " + std::to_string(times));
  std::string const sum = std::to_string(2 * times);
  EXPECT_EQ(said.said, sum + " " + sum + "\n") << said.error;
}

TEST(a_word, slow_has_one_home_for_a_million_atomics_each) {
  if (std::getenv("TESS_SLOW") == nullptr) GTEST_SKIP() << "a long run: set TESS_SLOW";
  work_folder const folder;
  outcome const said =
      folder.run(TESS_MACHINE " --quiet --machine nemesys-4x4 --copies 2 -- '" + programs + "/adding' 1000000");
  EXPECT_EQ(said.said, "2000000 2000000\n") << said.error;
}

TEST(the_simulator, takes_less_than_a_gibibyte_for_two_of_memory_of_which_64_mebibytes_are_touched) {
  if (test::is_sanitized) GTEST_SKIP() << "sanitizers have memory of their own";
  work_folder const folder;
  outcome const said = folder.run(TESS_MACHINE " --machine nemesys-4x4 -- '" + programs + "/touching'");
  EXPECT_EQ(said.said, "134209536\n") << said.error;
  rusage used{};
  ASSERT_EQ(getrusage(RUSAGE_CHILDREN, &used), 0);
  long const mebibytes = used.ru_maxrss / 1024;
  RecordProperty("resident_mebibytes", std::to_string(mebibytes));
  std::printf("%ld MiB resident\n", mebibytes);
  EXPECT_GT(mebibytes, 64);
  EXPECT_LT(mebibytes, 1024);
}

}  // namespace
}  // namespace tess::machine
