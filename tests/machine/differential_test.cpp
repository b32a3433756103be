// differential_test: our harts and qemu-riscv64 agree about every register, fcsr and memory.
// Method: random programs of a fixed set of seeds run under both; what they print at their end is compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "child.hpp"
#include "machine/isa/decode.hpp"
#include "random_program.hpp"

namespace tess::machine {
namespace {

bool have_qemu() {
  return cli::run_to_end("/bin/sh", {"-c", "command -v qemu-riscv64 >/dev/null"}) == 0;
}

// The first difference, named after the register or memory that differs.
std::string first_difference(std::string const& ours, std::string const& reference) {
  std::size_t at = 0;
  while (at < ours.size() && at < reference.size() && ours[at] == reference[at]) ++at;
  std::size_t const word = at / 8;
  if (word < 32) return "x" + std::to_string(word);
  if (word < 64) return "f" + std::to_string(word - 32);
  return word == 64 ? "fcsr" : "scratch byte " + std::to_string(at);
}

// Runs seeds [first, first + count); returns the approximate number of instructions that our side executed.
std::uint64_t compare(std::uint64_t first, unsigned count, unsigned instructions, unsigned turns) {
  work_folder const folder;
  std::uint64_t executed = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    random_program const program = make_random_program(seed, instructions, turns);
    folder.write_executable("program", program.file);
    outcome const ours = folder.run(TESS_MACHINE " --quiet -- ./program");
    outcome const reference = folder.run("qemu-riscv64 ./program");
    EXPECT_EQ(reference.code, 0) << "seed " << seed << ": " << reference.error;
    EXPECT_EQ(reference.output.size(), random_program_output_bytes) << "seed " << seed;
    EXPECT_EQ(ours.code, 0) << "seed " << seed << ": " << ours.error;
    EXPECT_TRUE(ours.output == reference.output)
        << "seed " << seed << ": differs first in " << first_difference(ours.output, reference.output);
    executed += program.instructions_about;
    if (testing::Test::HasFailure()) break;
  }
  return executed;
}

TEST(random_programs, use_every_instruction) {
  std::set<operation> used;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) used.merge(make_random_program(seed, 1000, 1).used);
  for (auto op = operation::lui; op < operation::illegal; op = static_cast<operation>(static_cast<int>(op) + 1)) {
    bool const extended = op >= operation::elb && op <= operation::eaget;  // which qemu has not
    bool const left_out = op == operation::ecall || op == operation::ebreak || op == operation::wrs_nto ||
                          op == operation::wrs_sto || op == operation::mret || op == operation::wfi || extended;
    EXPECT_EQ(used.contains(op), !left_out) << name_of(op);
  }
}

TEST(random_programs, end_as_under_qemu) {
  if (!have_qemu()) GTEST_SKIP() << "no qemu-riscv64 (Debian: qemu-user)";
  EXPECT_GE(compare(1, 40, 1000, 100), 5'000'000U);
}

// Run by --full: more than 10^8 instructions, other seeds, longer loops.
TEST(random_programs, slow_end_as_under_qemu_for_a_hundred_million_instructions) {
  if (std::getenv("TESS_SLOW") == nullptr) GTEST_SKIP() << "set TESS_SLOW=1, as machine_differential_slow does";
  if (!have_qemu()) GTEST_SKIP() << "no qemu-riscv64 (Debian: qemu-user)";
  EXPECT_GE(compare(1000, 200, 1500, 300), 100'000'000U);
}

}  // namespace
}  // namespace tess::machine
