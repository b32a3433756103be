// kernel_test: the system kernel gives out memory, passes messages between harts and tiles, and serves remote memory.
// Method: programs that check what they get; the same program with the kernel and without must see the same refusals.
#include <gtest/gtest.h>

#include <fstream>

#include "child.hpp"
#include "machine/config/comparison.hpp"

namespace tess::machine {
namespace {

std::string const programs = TESS_MACHINE_PROGRAMS;

class the_kernel : public testing::Test {
 protected:
  [[nodiscard]] outcome run(std::string const& options, std::string const& words) const {
    return folder_.run(TESS_MACHINE " --quiet " + options + " -- " + programs + "/" + words);
  }
  work_folder folder_;
};

TEST_F(the_kernel, allocates_memory_and_passes_every_message_once_and_in_order) {
  EXPECT_EQ(run("--machine nemesys-2x2 --system kernel --copies 3", "kernel_calls").output, "6 senders, 0 wrong\n");
  EXPECT_EQ(run("--machine mppa-256 --system kernel --copies 16", "kernel_calls").output, "45 senders, 0 wrong\n");
}

TEST_F(the_kernel, takes_the_same_cycles_again) {
  std::string const options = "--machine nemesys-2x2 --system kernel --copies 2";
  outcome const first = run(options, "kernel_calls costs");
  EXPECT_EQ(first.code, 0) << first.error;
  EXPECT_NE(first.output.find("send 120 bytes to another tile "), std::string::npos) << first.output;
  EXPECT_EQ(run(options, "kernel_calls costs").output, first.output);
}

TEST_F(the_kernel, runs_where_the_machine_file_says_so) {
  std::string text = resolved_text(std::string(TESS_MACHINES) + "/nemesys-2x2.toml");
  std::string const polled = "runs = \"polled\"";
  text.replace(text.find(polled), polled.size(), "runs = \"kernel\"");
  std::ofstream(folder_.path() / "own.toml") << text;
  EXPECT_EQ(run("--machine own.toml --copies 1", "kernel_calls").output, "0 senders, 0 wrong\n");
  // The option counts, whatever the file says: without a kernel nobody does the call.
  outcome const without = run("--machine own.toml --system polled --copies 1", "kernel_calls");
  EXPECT_EQ(without.code, 1);
  EXPECT_NE(without.error.find("every thread waits"), std::string::npos) << without.error;
}

TEST_F(the_kernel, serves_remote_memory_as_the_bare_cluster_does) {
  std::string const options = "--machine mppa-256 --copies 20 --system ";
  for (std::string const system : {"polled", "kernel"}) {
    outcome const result = run(options + system, "mppa-rmem check");
    EXPECT_EQ(result.code, 0) << system << result.output << result.error;
    EXPECT_EQ(result.output, "cluster 1: 0 wrong\ncluster 0: 0 wrong\n") << system;
  }
}

TEST_F(the_kernel, moves_data_of_several_clients_by_every_protocol) {
  for (std::string const words : {"rmem write", "rmem read", "bare write", "bare read", "overlapped read"}) {
    outcome const result = run("--machine mppa-256 --copies 20 --system kernel", "mppa-rmem " + words + " 4096 3 2");
    EXPECT_EQ(result.code, 0) << words << result.error;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 6) << words << result.output;
  }
}

}  // namespace
}  // namespace tess::machine
