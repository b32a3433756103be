// waiting_test: waiting harts are woken, cost no host time, and are reported when nothing can wake them.
// Method: a program for each kind of wait, run with a time limit that polling for hours would exceed.
#include <gtest/gtest.h>

#include "child.hpp"

namespace tess::machine {
namespace {

class waiting_harts : public testing::Test {
 protected:
  [[nodiscard]] outcome run(std::string const& word) const {
    return folder_.run("timeout 60 " TESS_MACHINE " --quiet -- '" TESS_MACHINE_PROGRAMS "/waiting' " + word);
  }
  work_folder folder_;
};

TEST_F(waiting_harts, wake_when_the_reserved_word_is_written) {
  outcome const done = run("reserved");
  EXPECT_EQ(done.output, "2000\n") << done.error;
  EXPECT_EQ(done.code, 0);
}

TEST_F(waiting_harts, that_pause_let_others_go_on) {
  EXPECT_EQ(run("paused").output, "paused\n");
}

TEST_F(waiting_harts, sleep_for_hours_in_no_time) {
  EXPECT_EQ(run("slept").output, "2 h\n");
}

TEST_F(waiting_harts, that_cannot_be_woken_are_reported) {
  outcome const done = run("stuck");
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.error.find("every thread waits"), std::string::npos) << done.error;
  EXPECT_NE(done.error.find("hart 1, thread 1001: waits at futex 0x"), std::string::npos) << done.error;
  EXPECT_NE(run("alone").error.find("hart 0: waits for the word at 0x"), std::string::npos);
}

TEST_F(waiting_harts, are_given_to_other_threads_meanwhile) {
  EXPECT_EQ(run("many").output, "8 slept\n");  // on four harts
}

}  // namespace
}  // namespace tess::machine
