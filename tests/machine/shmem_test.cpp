// shmem_test: <tess/shmem_words.h> on the machine by instructions and by messages, and as processes of this host.
// Method: one program, compiled for each, does every operation on every type, on one PE and on all at once, and counts
// wrong values; another one measures operations; each kind of misuse.
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

TEST(shmem_words, are_right_by_instructions_and_by_messages) {
  work_folder const folder;
  for (std::string const way : {"shmem_words", "shmem_words_messages"}) {
    for (auto const& [machine, pes] :
         {std::pair{"nemesys-2x2", "3"}, {"nemesys-2x2 --copies 1", "1"}, {"nemesys-4x4 --copies 5", "5"}}) {
      outcome const result = folder.run(on(machine, way));
      EXPECT_EQ(result.code, 0) << result.error;
      EXPECT_EQ(result.output, std::string(pes) + " PEs: 0 wrong\n") << way << " on " << machine << result.error;
    }
  }
}

TEST(shmem_words, are_right_natively) {
  work_folder const folder;
  for (std::string const pes : {"1", "2", "7"}) {
    outcome const result = folder.run("TESS_PLACES=" + pes + " '" TESS_SHMEM_NATIVE "'");
    EXPECT_EQ(result.code, 0) << result.error;
    EXPECT_EQ(result.output, pes + " PEs: 0 wrong\n") << result.error;
  }
}

TEST(shmem_words, that_are_misused_end_the_program_and_say_why) {
  work_folder const folder;
  struct misuse {
    std::string command;
    int code;
    std::string output;
  };
  std::string const native = "TESS_PLACES=3 '" TESS_SHMEM_NATIVE "' ";
  std::string const instructions = on("nemesys-2x2", "shmem_words") + " ";
  std::string const messages = on("nemesys-2x2", "shmem_words_messages") + " ";
  for (misuse const& one : {
           misuse{native + "address", 2, "address 0xffffff0000 is not symmetric; expected a word of what shmem_malloc"},
           {native + "aligned", 2, "is not a multiple of 8; expected an aligned word"},
           {native + "pe", 2, "there is no PE 3; expected 0 to 2"},
           {native + "free", 2, "shmem_free: of what is no object"},
           {native + "early", 1, "PE 1 ended with 0 before shmem_finalize; the others are ended"},
           {native + "signal", 1, "PE 1 was ended by signal 9 before shmem_finalize; the others are ended"},
           {"SHMEM_SYMMETRIC_SIZE=12X " + native, 2, "SHMEM_SYMMETRIC_SIZE is no size"},
           {"TESS_FABRIC=ucx " + native, 2, "expected --fabric smp, or a simulated machine"},
           {"TESS_PLACES=0 '" TESS_SHMEM_NATIVE "'", 2, "TESS_PLACES is no number of PEs"},
           {instructions + "address", 1, "address 0xffffff0000 of object 1 may not be read"},
           {instructions + "aligned", 1, "of object 1: not a multiple of 8"},
           {instructions + "pe", 1, "of object 4: the look-aside buffer has no such object"},
           {instructions + "early", 1, "every thread waits, and none can wake another"},
           {messages + "pe", 2, "there is no such PE; expected 0 to shmem_n_pes() - 1"},
           {messages + "free", 2, "shmem_free: of what is no object"},
           {messages + "early", 1, "every thread waits, and none can wake another"},
           {TESS_MACHINE " --quiet --timing off -- '" + programs + "/shmem_words'", 2, "there are no tiles"},
       }) {
    outcome const ended = folder.run(one.command);
    EXPECT_EQ(ended.code, one.code) << one.command << ": " << ended.error;
    EXPECT_NE(ended.error.find(one.output), std::string::npos) << one.command << ": " << ended.error;
  }
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

TEST(shmem_words, by_instructions_take_a_tenth_of_the_software_at_most) {
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
  std::string const words = " --bench all --memsize 4096 --iters 40 --stride 3 --pes 3";
  auto const native = kernels_of(folder.run("TESS_PLACES=3 '" TESS_CIRCUSTENT_NATIVE "'" + words));
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
  std::string const noting = " --bench SCATTER_CAS --memsize 4096 --iters 40 --note 6";
  std::string const noted = folder.run(on("nemesys-2x2", "circustent_shmem") + noting).output;
  EXPECT_EQ(noted.find("atomic index 1\natomic array 0\natomic array "), 0U) << noted;
  EXPECT_NE(noted.find("\natomic index 2\natomic array 1\natomic array "), std::string::npos) << noted;
  EXPECT_EQ(std::ranges::count(noted, '\n'), 6 + 1) << noted;
  outcome const wrong = folder.run("'" TESS_CIRCUSTENT_NATIVE "' --bench RAND_SUB --memsize 4096 --iters 4");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.error.find("there is no such benchmark"), std::string::npos) << wrong.error;
}

}  // namespace
}  // namespace tess::machine
