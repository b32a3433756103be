// gap_test: what the programs of the GAP benchmark suite are given, and what is made of what they print.
//
// Method: scripts in their place copy the graph's file and their words, and print times.
#include "plain/gap.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "plain/build.hpp"

namespace plain {
namespace {

class gap : public ::testing::Test {
 protected:
  gap() {
    std::string made = (std::filesystem::temp_directory_path() / "gap test's XXXXXX").string();
    if (::mkdtemp(made.data()) == nullptr) throw std::runtime_error(made);
    folder_ = made;
    ::setenv("OMP_NUM_THREADS", "7", 1);  // what the programs must not see
    for (char const* const name : {"bfs", "pr", "cc", "sssp", "bc", "tc"}) program(name, times);
  }
  ~gap() override { std::filesystem::remove_all(folder_); }
  gap(gap const&) = delete;
  gap& operator=(gap const&) = delete;

  // As many times as it is told to after -n, the last of its words: 1, 2, ... seconds, and what the suite prints else.
  static constexpr char const* times =
      "for last; do :; done\n"
      "echo 'Graph has 4 nodes'\n"
      "for t in $(seq $last); do echo \"Trial Time:          $t.00000\"; done\n"
      "echo 'Average Time:        9.00000'\n";

  void program(std::string const& name, std::string const& script) const {
    std::string const path = (folder_ / name).string();
    std::ofstream(path) << "#!/bin/sh\ncd \"$(dirname \"$0\")\"\ncp \"$2\" given\necho \"$OMP_NUM_THREADS $*\" >words\n"
                        << script;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  [[nodiscard]] std::vector<char> given() const {
    std::ifstream in(folder_ / "given", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::string words() const {
    std::ifstream in(folder_ / "words");
    std::string line;
    std::getline(in, line);
    return line;
  }
  template <class T>
  static T value_at(std::vector<char> const& bytes, std::size_t at) {
    T value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }

  csr_graph graph_{4, {{0, 1}, {1, 2}, {0, 3}}, direction::both};
  std::filesystem::path folder_;
};

TEST_F(gap, programs_read_the_graph_and_its_weights) {
  gap_programs programs(folder_, graph_.view());
  EXPECT_EQ(programs.bfs(2, 2), 2) << "the median of three";
  EXPECT_TRUE(words().starts_with("2 -f ")) << words();
  EXPECT_TRUE(words().ends_with(" -r 2 -n 3")) << words();
  std::vector<char> const plain = given();
  // Whether it is directed, edges, vertices, five offsets, six neighbours.
  ASSERT_EQ(plain.size(), 1 + 2 * 8 + 5 * 8 + 6 * 4);
  EXPECT_EQ(plain[0], 0);
  EXPECT_EQ(value_at<std::int64_t>(plain, 1), 6);
  EXPECT_EQ(value_at<std::int64_t>(plain, 9), 4);
  std::vector<std::int64_t> const offsets{0, 2, 4, 5, 6};
  for (std::size_t i = 0; i < offsets.size(); ++i) EXPECT_EQ(value_at<std::int64_t>(plain, 17 + 8 * i), offsets[i]);
  std::vector<std::int32_t> const neighbours{1, 3, 0, 2, 1, 0};
  for (std::size_t i = 0; i < neighbours.size(); ++i)
    EXPECT_EQ(value_at<std::int32_t>(plain, 57 + 4 * i), neighbours[i]);

  weighted_targets const weighted(graph_.view(), [](vertex u, vertex v) { return 10 * (u + v); });
  programs.write_weights(weighted.view());
  EXPECT_EQ(programs.sssp(1, 8, 1), 2);
  EXPECT_TRUE(words().ends_with(" -r 1 -d 8 -n 3")) << words();
  std::vector<char> const with_weights = given();
  ASSERT_EQ(with_weights.size(), 1 + 2 * 8 + 5 * 8 + 6 * 8);
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    vertex const from[] = {0, 0, 1, 1, 2, 3};
    EXPECT_EQ(value_at<std::int32_t>(with_weights, 57 + 8 * i), neighbours[i]);
    EXPECT_EQ(value_at<std::int32_t>(with_weights, 61 + 8 * i),
              10 * (static_cast<std::int32_t>(from[i]) + neighbours[i]));
  }
}

TEST_F(gap, programs_may_use_the_processors_of_whoever_made_the_object) {
  cpu_set_t all{};
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one processor";
  gap_programs const programs(folder_, graph_.view());
  program("cc", "env -u OMP_NUM_THREADS nproc >words\n" + std::string(times));
  int first = 0;
  while (CPU_ISSET(first, &all) == 0) ++first;
  cpu_set_t one{};
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  static_cast<void>(programs.components(2));
  cpu_set_t after{};
  ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&after, &one)) << "this thread is as it was";
  ::sched_setaffinity(0, sizeof all, &all);
  EXPECT_NE(words(), "1");
}

TEST_F(gap, each_kernel_has_its_words) {
  gap_programs const programs(folder_, graph_.view());
  EXPECT_EQ(programs.pagerank(1e-4, 20, 1), 2);
  EXPECT_TRUE(words().ends_with("graph.sg -t 0.0001 -i 20 -n 3")) << words();
  EXPECT_EQ(programs.components(2), 2);
  EXPECT_TRUE(words().ends_with("graph.sg -n 3")) << words();
  EXPECT_EQ(programs.bc(4, 2), 2);
  EXPECT_TRUE(words().ends_with("graph.sg -i 4 -n 3")) << words();
  EXPECT_EQ(programs.triangles(2), 1);
  EXPECT_TRUE(words().ends_with("graph.sg -n 1")) << words();
}

TEST_F(gap, a_program_that_fails_is_an_error) {
  gap_programs const programs(folder_, graph_.view());
  program("cc", std::string(times) + "exit 3\n");
  EXPECT_THROW(static_cast<void>(programs.components(1)), std::runtime_error);
  program("cc", "echo 'Trial Time: 1.0'\n");
  EXPECT_THROW(static_cast<void>(programs.components(1)), std::runtime_error) << "one time of three";
}

TEST_F(gap, a_missing_program_is_named) {
  std::filesystem::remove(folder_ / "tc");
  try {
    gap_programs const programs(folder_, graph_.view());
    FAIL() << "no error";
  } catch (std::runtime_error const& error) {
    EXPECT_NE(std::string(error.what()).find("tc: there is no such program"), std::string::npos) << error.what();
  }
}

TEST_F(gap, the_written_graph_goes_with_its_object) {
  std::string file;
  {
    gap_programs const programs(folder_, graph_.view());
    static_cast<void>(programs.components(1));
    std::string const all = words();
    file = all.substr(all.find(" -f ") + 4);
    file = file.substr(0, file.find(" -n"));
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
  }
  EXPECT_FALSE(std::filesystem::exists(file)) << file;
}

}  // namespace
}  // namespace plain
