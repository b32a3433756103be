// timed_test: programs print the same with and without time, take the same cycles every time, and see Table 2.
// Method: whole programs next to qemu-riscv64; each summary twice; a program of dependent loads, on every tile.
#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <map>
#include <sstream>

#include "child.hpp"
#include "machine/tile/grid.hpp"
#include "runtime/sanitized.hpp"

namespace tess::machine {
namespace {

std::string const programs = TESS_MACHINE_PROGRAMS;

class with_time : public testing::TestWithParam<std::string> {
 protected:
  std::string command(std::string const& options, std::string const& name) const {
    return TESS_MACHINE " --timing on " + options + " -- '" + programs + "/" + name + "' </dev/null";
  }
  work_folder folder_;
};

TEST_P(with_time, whole_programs_end_as_under_qemu) {
  for (char const* name : {"hash", "integers", "containers", "regex", "float_kernels", "matmul", "exceptions",
                           "streams", "coroutines", "threads"}) {
    outcome const reference = folder_.run("qemu-riscv64 '" + programs + "/" + name + "' </dev/null");
    outcome const ours = folder_.run(command("--quiet --machine " + GetParam(), name));
    EXPECT_EQ(ours.output, reference.output) << name;
    EXPECT_EQ(ours.code, reference.code) << name;
    EXPECT_EQ(ours.error, reference.error) << name;
  }
}

TEST_P(with_time, the_same_program_takes_the_same_cycles) {
  for (char const* name : {"threads", "hash"}) {
    std::string const line = command("--machine " + GetParam(), name) + " 2>&1 >/dev/null | grep cycles";
    std::string const first = folder_.run(line).output;
    EXPECT_NE(first.find("cycles"), std::string::npos) << first;
    EXPECT_EQ(folder_.run(line).output, first) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(machines, with_time, testing::Values("single-tile", "nemesys-4x4"));

TEST(dependent_loads, take_the_cycles_of_table_2_on_every_tile) {
  work_folder const folder;
  machine_description const made = read_machine(std::string(TESS_MACHINES) + "/nemesys-4x4.toml");
  grid const layout(made);
  double sum = 0;
  int tiles = 0;
  // Testing every tile takes a sanitizer build a minute.
  for (std::uint32_t tile = 0; tile < made.tiles(); tile += test::is_sanitized ? 5 : 1) {
    if (made.harts_of(tile) == made.harts.system) continue;
    outcome const result = folder.run(TESS_MACHINE " --quiet --machine nemesys-4x4 --tile " + std::to_string(tile) +
                                      " -- '" + programs + "/latency'");
    std::map<std::string, double> cycles;
    std::istringstream lines(result.output);
    std::string name;
    for (double hundredths = 0; lines >> name >> hundredths;) cycles[name] = hundredths / 100;
    std::uint32_t const memory = layout.map.of(region_kind::partition, tile)->memory_tile;
    std::uint32_t const distance = layout.noc.layout().distance(tile, memory);
    EXPECT_EQ(cycles["l1"], 1) << result.output << result.error;
    EXPECT_EQ(cycles["tlm"], 20);
    EXPECT_EQ(cycles["l2"], 20);
    EXPECT_EQ(cycles["memory"], 73 + 10 * distance) << "tile " << tile;
    std::printf("tile %2u: L1 %g, TLM %g, L2 %g, memory %g cycles, %u links away\n", tile, cycles["l1"], cycles["tlm"],
                cycles["l2"], cycles["memory"], distance);
    sum += cycles["memory"];
    ++tiles;
  }
  if (test::is_sanitized) return;
  EXPECT_EQ(tiles, 14);
  EXPECT_NEAR(sum / tiles, 90, 5);
}

TEST(a_system_call, takes_the_cycles_of_the_machine_file) {
  work_folder const folder;
  outcome const result = folder.run(TESS_MACHINE " --quiet --machine nemesys-2x2 -- '" + programs + "/calling'");
  int cycles = 0;
  std::from_chars(result.output.data(), result.output.data() + result.output.size(), cycles);
  // The wrapper adds a few instructions.
  EXPECT_GE(cycles, 200) << result.error;
  EXPECT_LT(cycles, 240);
}

}  // namespace
}  // namespace tess::machine
