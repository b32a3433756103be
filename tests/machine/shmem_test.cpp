// shmem_test: what words of OpenSHMEM cost on the machine by instructions and by messages, and CircusTent's kernels on
// them, which have the results of processes of this host.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "child.hpp"

namespace tess::machine {
namespace {

std::string const programs = TESS_MACHINE_PROGRAMS;

std::string on(std::string const& machine, std::string const& program) {
  return TESS_MACHINE " --quiet --machine " + machine + " -- '" + programs + "/" + program + "'";
}

struct cost {
  double asking, request, cycles;
};

// Lines of NAME asking X asked Y cycles Z.
std::map<std::string, cost> costs_of(std::string const& result) {
  std::map<std::string, cost> costs;
  std::istringstream lines(result);
  std::string name, word;
  for (cost c{}; lines >> name >> word >> c.asking >> word >> c.request >> word >> c.cycles;) costs[name] = c;
  return costs;
}

TEST(shmem, words_by_instructions_take_a_tenth_of_the_software_at_most) {
  work_folder const folder;
  auto const instructions = costs_of(folder.run(on("nemesys-2x2", "shmem_costs")).output);
  auto const messages = costs_of(folder.run(on("nemesys-2x2", "shmem_costs_messages")).output);
  ASSERT_EQ(instructions.size(), 16U);
  ASSERT_EQ(messages.size(), 16U);
  for (auto const& [name, direct] : instructions) {
    cost const& software = messages.at(name);
    EXPECT_GE(direct.asking, 1) << name;
    EXPECT_LE(direct.request, 0.1) << name << ": the other PE sleeps";
    EXPECT_GE(software.request, 10) << name << ": the handler";
    EXPECT_LE(direct.asking, 0.1 * (software.asking + software.request)) << name;
    EXPECT_LT(direct.cycles, software.cycles) << name;
  }
}

TEST(a_store, reaches_a_hart_that_only_hits_its_cache) {
  work_folder const folder;
  for (std::string const machine : {"nemesys-2x2", "tessera-2x2", "nemesys-4x4"})
    EXPECT_EQ(folder.run("timeout 60 " + on(machine, "spinning")).output, "done\n") << machine;
}

struct kernel_result {
  double seconds = 0;
  double instructions = 0;
  std::string wrong, checksum;
};

// Lines of NAME seconds S gams G instructions I wrong W checksum C.
std::map<std::string, kernel_result> kernels_of(outcome const& result) {
  EXPECT_EQ(result.code, 0) << result.error;
  std::map<std::string, kernel_result> results;
  std::istringstream lines(result.output);
  std::string name, word;
  for (kernel_result r; lines >> name >> word >> r.seconds >> word >> word >> word >> r.instructions;) {
    lines >> word >> r.wrong >> word >> r.checksum;
    results[name] = r;
  }
  return results;
}

TEST(circustent, has_the_same_arrays_in_three_ways_and_instructions_are_faster_in_every_kernel) {
  work_folder const folder;
  std::string const words = " --bench all --memsize 8192 --iters 200 --stride 3 --pes 3";
  auto const native = kernels_of(folder.run("'" TESS_COMMAND "' run -n 3 '" TESS_CIRCUSTENT_NATIVE "'" + words));
  auto const instructions = kernels_of(folder.run(on("nemesys-2x2", "circustent_shmem") + words));
  auto const messages = kernels_of(folder.run(on("nemesys-2x2", "circustent_shmem_messages") + words));
  ASSERT_EQ(native.size(), 16U);
  ASSERT_EQ(instructions.size(), 16U);
  ASSERT_EQ(messages.size(), 16U);
  for (auto const& [name, expected] : native) {
    EXPECT_EQ(expected.wrong, "0") << name;
    for (auto const* const way : {&instructions, &messages}) {
      EXPECT_EQ(way->at(name).wrong, "0") << name;
      EXPECT_EQ(way->at(name).checksum, expected.checksum) << name;
    }
    EXPECT_LT(instructions.at(name).seconds, messages.at(name).seconds) << name;
    EXPECT_LT(instructions.at(name).instructions, 0.15 * messages.at(name).instructions) << name;
  }
  // The recorded operations are those that were performed: the second iteration continues where the first ended.
  std::string const noting = " --bench SCATTER_CAS --memsize 4096 --iters 40 --note 120";
  std::string const noted = folder.run(on("nemesys-2x2", "circustent_shmem") + noting).output;
  EXPECT_EQ(noted.find("atomic 0 index 1\natomic 1 array 0\natomic 2 array "), 0U) << noted;
  EXPECT_NE(noted.find("\natomic 3 index 2\natomic 4 array 1\natomic 5 array "), std::string::npos) << noted;
  EXPECT_EQ(std::ranges::count(noted, '\n'), 120 + 1) << noted;
  outcome const wrong = folder.run("'" TESS_CIRCUSTENT_NATIVE "' --bench RAND_SUB --memsize 4096 --iters 4");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.error.find("there is no such benchmark"), std::string::npos) << wrong.error;
}

// The program compares with its kernels in one thread; a native run has other PEs and other interleavings.
TEST(gap, kernels_have_the_results_of_one_thread_natively_by_instructions_and_by_messages) {
  work_folder const folder;
  std::string const rae = TESS_MACHINE " --quiet --machine rae-6 --copies 6 -- '" + programs;
  for (std::string const kernel : {"bfs", "sssp", "cc", "bc", "pr"}) {
    std::string const words = " --kernel " + kernel + " --scale 7 --degree 4";
    auto const native = kernels_of(folder.run("'" TESS_COMMAND "' run -n 3 '" TESS_GAP_NATIVE "'" + words));
    auto const instructions = kernels_of(folder.run(rae + "/gap_shmem'" + words));
    auto const messages = kernels_of(folder.run(rae + "/gap_shmem_messages'" + words));
    for (auto const* const way : {&native, &instructions, &messages}) {
      ASSERT_EQ(way->size(), 1U) << kernel;
      EXPECT_EQ(way->at(kernel).wrong, "0") << kernel;
    }
    EXPECT_LT(instructions.at(kernel).seconds, messages.at(kernel).seconds) << kernel;
    EXPECT_LT(instructions.at(kernel).instructions, messages.at(kernel).instructions) << kernel;
  }
  // A push over each edge in each of two iterations.
  std::string const counted = folder.run(rae + "/gap_shmem' --kernel pr --scale 7 --degree 4 --count yes").output;
  std::uint64_t atomics = 0;
  std::uint64_t edges = 0;
  std::istringstream(counted.substr(counted.find("atomics ") + 8)) >> atomics;
  std::istringstream(counted.substr(counted.find("edges ") + 6)) >> edges;
  EXPECT_GT(edges, 300U) << counted;
  EXPECT_EQ(atomics, 2 * edges) << counted;
}

// Some PEs of so many send before others have begun to receive.
TEST(messages, of_64_pes_all_arrive) {
  work_folder const folder;
  std::string const words = " --bench CENTRAL_ADD --memsize 512 --iters 8";
  auto const found = kernels_of(folder.run("timeout 100 " TESS_MACHINE " --quiet --machine rae-64 --copies 64 -- '" +
                                           programs + "/circustent_shmem_messages'" + words));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.at("CENTRAL_ADD").wrong, "0");
}

// The program compares the words with the number of additions.
TEST(saving, more_under_way_hide_the_round_trip_and_software_has_its_instructions_each_time) {
  work_folder const folder;
  outcome const done =
      folder.run(TESS_MACHINE " --quiet --machine rae-6 --copies 6 -- '" + programs + "/rae-saving' 60 0 320");
  ASSERT_EQ(done.code, 0) << done.error;
  std::map<std::string, double> cycles;
  std::istringstream lines(done.output);
  for (std::string line; std::getline(lines, line);) {
    auto const at = line.find(" cycles ");
    ASSERT_NE(at, std::string::npos) << line;
    std::istringstream(line.substr(at + 8)) >> cycles[line.substr(0, at)];
  }
  ASSERT_EQ(cycles.size(), 3U * 7U);
  EXPECT_LT(cycles.at("instructions 16"), 0.4 * cycles.at("instructions 1"));
  // 320 at each side, which with one under way follow each other, and with many are the whole time of a core.
  EXPECT_GT(cycles.at("software 320 1"), cycles.at("software 0 1") + 2 * 320);
  EXPECT_GT(cycles.at("software 320 16"), 2 * 320);
  for (std::string const count : {"1", "16", "64"})
    EXPECT_LT(cycles.at("instructions " + count), cycles.at("software 0 " + count)) << count;
}

}  // namespace
}  // namespace tess::machine
