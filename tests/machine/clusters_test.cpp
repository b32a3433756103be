// clusters_test: on mppa-256, messages arrive in order, receive windows accept only the declared sender, a program's
// data must fit a cluster, and remote memory refuses a client without the right.
// Method: programs that print what they saw; each refusal is provoked and its text compared.
#include <gtest/gtest.h>

#include <algorithm>

#include "child.hpp"

namespace tess::machine {
namespace {

std::string const programs = TESS_MACHINE_PROGRAMS;

class a_cluster : public testing::Test {
 protected:
  [[nodiscard]] outcome run(std::string const& options, std::string const& words) const {
    return folder_.run(TESS_MACHINE " --quiet --machine mppa-256 " + options + " -- " + programs + "/" + words);
  }
  work_folder folder_;
};

TEST_F(a_cluster, gets_messages_in_order_and_data_by_its_windows_alone) {
  outcome const result = run("--copies 2", "clusters");
  EXPECT_EQ(result.code, 0) << result.error;
  EXPECT_EQ(result.output,
            "behind the window: 0\nover its end: 0\ninto it: 1\nonce more: 1\ntoo often: 0\nfetched: 0, counted: 0\n"
            "messages in order: 100; opened: 1 1; bytes inside: 128, outside: 0\n");
}

TEST_F(a_cluster, reaches_nothing_of_another_by_loads) {
  outcome const result = run("", "clusters load");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.error.find("address 0x10100040000 may not be read"), std::string::npos) << result.error;
}

TEST_F(a_cluster, refuses_a_program_whose_data_do_not_fit_and_says_how_much_does) {
  outcome const result = run("", "large_data");
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(
      result.error.find("and 16384 of stack do not fit in a cluster of mppa-256, which has 2097152; at most 2076672 "
                        "bytes of data do"),
      std::string::npos)
      << result.error;
}

TEST_F(a_cluster, refuses_a_program_whose_constants_do_not_fit) {
  outcome const result = run("", "large_constants");
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.error.find("the image memory of a cluster of mppa-256 ends at 0x200000"), std::string::npos)
      << result.error;
}

TEST_F(a_cluster, refuses_a_program_whose_places_would_share_memory) {
  outcome const result = run("", "spreading");
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.error.find("has a place on every tile, which needs memory that tiles share"), std::string::npos)
      << result.error;
}

TEST_F(a_cluster, of_tiles_refuses_more_places_than_tiles_before_the_program_starts) {
  outcome const result =
      folder_.run("TESS_PLACES=17 " TESS_MACHINE " --machine nemesys-4x4 -- " + programs + "/spreading");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(
      result.error.find("17 places were asked for, and each is a tile, but nemesys-4x4 has 14 tiles for programs"),
      std::string::npos)
      << result.error;
}

TEST_F(a_cluster, runs_threads_on_its_harts_with_stacks_of_16_kib) {
  EXPECT_EQ(run("", "threads").output, folder_.run("qemu-riscv64 " + programs + "/threads").output);
}

TEST_F(a_cluster, serves_remote_memory_and_refuses_clients_without_a_right) {
  outcome const result = run("--copies 20", "mppa-rmem check");
  EXPECT_EQ(result.code, 0) << result.output << result.error;
  EXPECT_EQ(result.output, "cluster 1: 0 wrong\ncluster 0: 0 wrong\n");
}

TEST_F(a_cluster, moves_data_by_remote_memory_and_by_bare_portals_in_the_same_cycles_again) {
  for (std::string const words : {"bare write", "overlapped read", "rmem write"}) {
    outcome const result = run("--copies 20", "mppa-rmem " + words + " 4096 3 2");
    EXPECT_EQ(result.code, 0) << words << result.error;
    EXPECT_EQ(std::ranges::count(result.output, '\n'), 6) << result.output;
    if (words == "rmem write") EXPECT_EQ(run("--copies 20", "mppa-rmem " + words + " 4096 3 2").output, result.output);
  }
  EXPECT_EQ(run("--copies 20", "mppa-rmem rmem write 100 1 1").code, 2);
}

}  // namespace
}  // namespace tess::machine
