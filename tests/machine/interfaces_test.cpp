// interfaces_test: a program on all cores of cni-4 that uses counters, queues, copies and a lock, in which a store to
// another tile takes the cycles of the paper; invalid accesses trap at their instruction.
// Method: the program prints what it counted; wrong accesses one by one, and the simulator's message.
#include <gtest/gtest.h>

#include <charconv>

#include "child.hpp"

namespace tess::machine {
namespace {

class an_interface : public testing::Test {
 protected:
  [[nodiscard]] outcome run(std::string const& machine, std::string const& words) const {
    return folder_.run(TESS_MACHINE " --quiet --machine " + machine + " -- '" TESS_MACHINE_PROGRAMS "/interfaces' " +
                       words);
  }
  work_folder folder_;
};

TEST_F(an_interface, does_what_programs_on_four_cores_rely_on_and_a_store_takes_35_cycles) {
  outcome const result = run("cni-4 --copies 4", "");
  EXPECT_EQ(result.code, 0) << result.error;
  // 4 x 20 times under the lock; 20 items of each of three copies, (i x 1000 + 0..19); 8 of each of four by tags.
  std::string const start = "lock 80 queue 120570 tagged 48112 cycles ";
  ASSERT_TRUE(result.output.starts_with(start)) << result.output << result.error;
  int cycles = 0;
  std::from_chars(result.output.data() + start.size(), result.output.data() + result.output.size(), cycles);
  RecordProperty("store_cycles", cycles);
  EXPECT_NEAR(cycles, 35, 5) << "CNI, Table 1: a one-way remote store";
}

TEST_F(an_interface, traps_a_hart_at_its_invalid_access) {
  for (auto const& [what, right] : {std::pair{"half", "read"},
                                    {"atomic", "written"},
                                    {"free", "read"},
                                    {"tail", "written"},
                                    {"command", "written"},
                                    {"tag", "written"},
                                    {"narrow", "written"},
                                    {"region", "written"}}) {
    outcome const result = run("cni-4", what);
    EXPECT_EQ(result.code, 1) << what;
    EXPECT_NE(result.error.find(std::string("may not be ") + right), std::string::npos) << what << ": " << result.error;
    EXPECT_NE(result.error.find("address 0x400"), std::string::npos) << what << ": " << result.error;
  }
}

TEST_F(an_interface, names_a_full_queue_and_who_waits_for_it_when_all_wait) {
  outcome const result = run("cni-4 --copies 3", "stuck");
  EXPECT_EQ(result.code, 1) << result.error;
  EXPECT_NE(result.error.find("every thread waits"), std::string::npos) << result.error;
  EXPECT_NE(result.error.find("tile 0: the queue at 0x4000000"), std::string::npos) << result.error;
  EXPECT_NE(result.error.find(" is full, and items of tile "), std::string::npos) << result.error;
  EXPECT_TRUE(result.error.contains("tile 1, 2 wait") || result.error.contains("tile 2, 1 wait")) << result.error;
}

TEST_F(an_interface, is_absent_on_other_machines) {
  outcome const result = run("nemesys-2x2", "");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.error.find("may not be"), std::string::npos) << result.error;
}

}  // namespace
}  // namespace tess::machine
