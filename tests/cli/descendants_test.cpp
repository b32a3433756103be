// descendants_test: the children of a process are found while others end. Method: processes that begin and end all the
// time beside the search.
#include "cli/process/descendants.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

namespace tess::cli {
namespace {

TEST(children, are_found_while_other_processes_end) {
  pid_t const stays = fork();
  if (stays == 0) {
    pause();
    _exit(0);
  }
  std::atomic<bool> over{false};
  std::thread others([&] {
    while (!over) {
      pid_t const child = fork();
      if (child == 0) _exit(0);
      waitpid(child, nullptr, 0);
    }
  });
  for (int i = 0; i < 300; ++i) {
    auto const found = children_of(getpid());
    EXPECT_NE(std::ranges::find(found, stays), found.end());
  }
  over = true;
  others.join();
  kill(stays, SIGKILL);
  waitpid(stays, nullptr, 0);
  auto const left = children_of(getpid());
  EXPECT_EQ(std::ranges::find(left, stays), left.end());
}

}  // namespace
}  // namespace tess::cli
