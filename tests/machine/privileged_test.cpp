// privileged_test: machine mode of the system's hart is as the manual says, and interrupts come at their instant.
// Method: bare programs (programs/bare) check themselves; another logs when interrupts were taken, which must be the
// same for every quantum, and on machines that differ only elsewhere; wrong programs are refused.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "child.hpp"
#include "machine/config/comparison.hpp"

namespace tess::machine {
namespace {

std::string const programs = TESS_MACHINE_PROGRAMS;

class a_system_hart : public testing::Test {
 protected:
  [[nodiscard]] outcome run(std::string const& machine, std::string const& system, std::string const& words) const {
    return folder_.run(TESS_MACHINE " --quiet --copies 1 --machine '" + machine + "' --system '" + system + "' -- " +
                       programs + "/" + words);
  }
  /// The preset with another quantum.
  [[nodiscard]] std::string with_quantum(std::string const& machine, int cycles) const {
    std::string text = resolved_text(std::string(TESS_MACHINES) + "/" + machine + ".toml");
    std::string const key = "quantum_cycles = ";
    std::size_t const at = text.find(key) + key.size();
    text.replace(at, text.find_first_of(" \n", at) - at, std::to_string(cycles));
    std::filesystem::path const file = folder_.path() / (machine + std::to_string(cycles) + ".toml");
    std::ofstream(file) << text;
    return file.string();
  }
  work_folder folder_;
};

std::vector<std::uint64_t> numbers(std::string const& text) {
  std::vector<std::uint64_t> all;
  std::istringstream stream(text);
  for (std::uint64_t one = 0; stream >> one;) all.push_back(one);
  return all;
}

TEST_F(a_system_hart, traps_as_the_privileged_manual_says) {
  for (char const* machine : {"nemesys-2x2", "tessera-2x2", "mppa-256"}) {
    outcome const result = run(machine, programs + "/bare-traps", "system_watch");
    EXPECT_EQ(result.code, 0) << machine << result.error;
    // Mismatches come first: number of the check, and the value.
    EXPECT_EQ(result.output, "123\n") << machine;
  }
}

TEST_F(a_system_hart, takes_interrupts_at_the_same_instruction_for_every_quantum) {
  constexpr std::size_t samples = 64;
  std::string first;
  for (int const quantum : {1, 7, 64, 1024}) {
    for (char const* machine : {"nemesys-2x2", "tessera-2x2"}) {
      // The harts of tile 0 run further or less far ahead; the system's hart of tile 2 must not notice.
      outcome const result = run(with_quantum(machine, quantum), programs + "/bare-instants", "system_watch 3 2");
      EXPECT_EQ(result.code, 0) << machine << result.error;
      if (first.empty()) first = result.output;
      EXPECT_EQ(result.output, first) << machine << ", quantum " << quantum;
    }
  }
  auto const found = numbers(first);
  ASSERT_EQ(found.size(), 3 * samples + 4);
  for (std::size_t k = 1; k < samples; ++k) {
    // The trap's 5 cycles, 31 stores through a write buffer, and at most a division or a line of code before them.
    EXPECT_GE(found[3 * k + 1], 5 + 31U) << k;
    EXPECT_LE(found[3 * k + 1], 150U) << k;
  }
  // A software interrupt once its code is in the L1: 31 registers are stored, and loaded again.
  EXPECT_GE(found.end()[-2], 5 + 31U);
  EXPECT_GE(found.end()[-1], 5 + 31U);
}

TEST_F(a_system_hart, does_not_run_where_the_machine_file_has_none) {
  outcome const result = run("cni-4", programs + "/bare-traps", "system_watch");
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.error.find("the system's harts of cni-4 run nothing"), std::string::npos) << result.error;
}

TEST_F(a_system_hart, refuses_a_program_that_reaches_into_those_of_the_others) {
  outcome const result = run("nemesys-2x2", programs + "/where", "where");
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.error.find("it must end at 0x10000"), std::string::npos) << result.error;
}

TEST_F(a_system_hart, without_a_handler_ends_the_run_with_a_report) {
  outcome const result = run("nemesys-2x2", programs + "/bare-no_handler", "system_watch");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.error.find("the system's hart cannot execute its trap handler"), std::string::npos) << result.error;
}

}  // namespace
}  // namespace tess::machine
