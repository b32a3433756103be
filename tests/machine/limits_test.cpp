// limits_test: a run that would not end by itself ends at its limit or by a signal, with all reports.
// Method: programs that compute, sleep and wait for input for ever, with and without time; their statistics are read.
#include <gtest/gtest.h>

#include <charconv>
#include <chrono>
#include <filesystem>

#include "child.hpp"

namespace tess::machine {
namespace {

namespace fs = std::filesystem;

std::string const endless = " -- '" TESS_MACHINE_PROGRAMS "/endless' ";

// The number behind "name": in a JSON text; 0: there is none.
std::uint64_t number_in(std::string const& text, std::string const& name) {
  std::size_t const at = text.find("\"" + name + "\":");
  std::uint64_t value = 0;
  if (at == std::string::npos) return 0;
  char const* begin = text.data() + at + name.size() + 3;
  while (*begin == ' ') ++begin;
  std::from_chars(begin, text.data() + text.size(), value);
  return value;
}

class limits : public testing::TestWithParam<std::string> {
 protected:
  struct run {
    outcome done;
    std::string statistics;
  };
  [[nodiscard]] run of(std::string const& options, std::string const& words = "",
                       std::string const& before = "") const {
    fs::remove(folder_.path() / "s.json");
    outcome const done = folder_.run(before + " timeout 60 " TESS_MACHINE " " + GetParam() + " --stats s.json " +
                                     options + endless + words);
    return {done, text_of(folder_.path() / "s.json")};
  }
  [[nodiscard]] std::uint64_t cycle_ps() const { return GetParam().contains("off") ? 1000 : 20000; }
  work_folder folder_;
};

TEST_P(limits, of_cycles_end_a_run_to_the_cycle) {
  for (char const* words : {"", "sleep"}) {
    run const ended = of("--max-cycles 123457", words);
    EXPECT_EQ(ended.done.code, 1) << ended.done.error;
    EXPECT_NE(ended.done.error.find("stopped after 123457 cycles, as --max-cycles says"), std::string::npos)
        << ended.done.error;
    EXPECT_NE(ended.done.error.find("machine: instructions"), std::string::npos) << ended.done.error;
    EXPECT_EQ(number_in(ended.statistics, "exit_code"), 1U) << ended.statistics;
    // Without time a hart ends the block of instructions that it is in.
    EXPECT_GE(number_in(ended.statistics, "simulated_ps"), 123457 * cycle_ps());
    EXPECT_LE(number_in(ended.statistics, "simulated_ps"), (123457 + 64) * cycle_ps());
  }
  EXPECT_NE(of("--max-cycles 123457").done.error.find(" in main+0x"), std::string::npos);
}

TEST_P(limits, of_instructions_end_a_run_soon) {
  run const ended = of("--max-instructions 200000");
  EXPECT_EQ(ended.done.code, 1);
  EXPECT_NE(ended.done.error.find("as --max-instructions says"), std::string::npos) << ended.done.error;
  EXPECT_GE(number_in(ended.statistics, "instructions"), 200'000U);
  EXPECT_LE(number_in(ended.statistics, "instructions"), 600'000U);
  EXPECT_EQ(of("--max-instructions 200000").statistics.substr(0, ended.statistics.find("host")),
            ended.statistics.substr(0, ended.statistics.find("host")));
}

TEST_P(limits, of_seconds_end_a_run_here) {
  auto const begin = std::chrono::steady_clock::now();
  run const ended = of("--max-seconds 0.3");
  EXPECT_EQ(ended.done.code, 1);
  EXPECT_NE(ended.done.error.find("stopped after 0.3 s"), std::string::npos) << ended.done.error;
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(300));
  EXPECT_FALSE(ended.statistics.empty());
}

TEST_P(limits, by_a_signal_have_all_reports) {
  run const interrupted = of("", "", "timeout --preserve-status -s INT 1");
  EXPECT_EQ(interrupted.done.code, 130) << interrupted.done.error;
  EXPECT_NE(interrupted.done.error.find("stopped by SIGINT"), std::string::npos) << interrupted.done.error;
  EXPECT_NE(interrupted.done.error.find("machine: instructions"), std::string::npos);
  EXPECT_EQ(number_in(interrupted.statistics, "exit_code"), 130U);
  // timeout(1) sends a signal to the process and to its group.
  outcome const twice = folder_.run(TESS_MACHINE " " + GetParam() + endless +
                                    " & p=$!; sleep 1; kill -TERM $p; sleep 0.02; kill -TERM $p; wait $p");
  EXPECT_EQ(twice.code, 143) << twice.error;
  EXPECT_NE(twice.error.find("machine: instructions"), std::string::npos) << twice.error;
  run const reading = of("", "read", "sleep 2 | timeout --preserve-status -s TERM 1");
  EXPECT_EQ(reading.done.code, 143) << reading.done.error;
  EXPECT_NE(reading.done.error.find("stopped by SIGTERM"), std::string::npos) << reading.done.error;
}

TEST_P(limits, that_are_not_reached_change_nothing) {
  std::string const hash = TESS_MACHINE " " + GetParam() + " --stats s.json ";
  std::string const program =
      " -- '" TESS_MACHINE_PROGRAMS "/hash' && grep -E '\"(simulated_ps|instructions)\"' s.json";
  outcome const without = folder_.run(hash + program);
  outcome const with =
      folder_.run(hash + "--max-cycles 1000000000000 --max-instructions 1000000000000 --max-seconds 1000" + program);
  EXPECT_EQ(without.code, 0) << without.error;
  EXPECT_EQ(with.output, without.output);
}

INSTANTIATE_TEST_SUITE_P(machines, limits, testing::Values("--timing off", "--machine nemesys-2x2"),
                         [](auto const& of) { return of.index == 0 ? "without_time" : "with_time"; });

TEST(copies, that_do_not_fit_or_have_no_effect_are_refused) {
  work_folder const folder;
  auto const error_of = [&](std::string const& options) {
    outcome const done = folder.run(TESS_MACHINE " --quiet " + options + " --max-cycles 1000" + endless);
    EXPECT_EQ(done.code, 2) << options << done.error;
    return done.error;
  };
  EXPECT_NE(error_of("--machine nemesys-2x2 --copies 4").find("has room for 3"), std::string::npos);
  for (char const* const tile : {"4", "2,1", "0,2"})
    EXPECT_NE(error_of("--machine nemesys-2x2 --tile " + std::string(tile))
                  .find("--tile: nemesys-2x2 has no such tile, but 2 x 2, which are 0 to 3"),
              std::string::npos)
        << tile;
  EXPECT_NE(error_of("--machine nemesys-4x4 --tile 12 --copies 5").find("from tile 12 on"), std::string::npos);
  EXPECT_NE(error_of("--machine nemesys-2x2 --timing off --copies 2").find("--copies is for tiles"), std::string::npos);
  EXPECT_NE(error_of("--copies 1").find("--copies is for tiles"), std::string::npos);
  EXPECT_NE(error_of("--timing off --system kernel").find("--system is for tiles"), std::string::npos);
  EXPECT_EQ(folder.run(TESS_MACHINE " --quiet --machine nemesys-2x2 --copies 3 --max-cycles 1000" + endless).code, 1);
}

}  // namespace
}  // namespace tess::machine
