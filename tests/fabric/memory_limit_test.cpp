// memory_limit: the smallest limit of all control groups around the process is found, and named.
// Method: directories like those of the system, made by hand.
#include "fabric/memory_limit.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace tess::test {
namespace {

namespace fs = std::filesystem;

class memory_limits : public testing::Test {
 protected:
  memory_limits() : root_(fs::path(testing::TempDir()) / ("memory_limit_" + std::to_string(getpid()))) {
    fs::create_directories(root_);
  }
  ~memory_limits() override { fs::remove_all(root_); }

  void write(fs::path const& file, std::string const& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << '\n';
  }
  [[nodiscard]] detail::memory_limit limit() const {
    return detail::with_control_groups({1000, "the machine"}, root_ / "groups", root_ / "mounted");
  }

 private:
  fs::path root_;
};

TEST_F(memory_limits, without_groups_are_the_machines) {
  EXPECT_EQ(limit().bytes, 1000U);
  write("groups", "0::/a/b");
  EXPECT_EQ(limit().bytes, 1000U) << "the folders are not there";
  write("mounted/a/b/memory.max", "max");
  write("mounted/a/memory.max", "5000");
  EXPECT_EQ(limit().bytes, 1000U);
  EXPECT_EQ(limit().name, "the machine");
  write("groups", "nonsense\n0:\n::\n0::");
  EXPECT_EQ(limit().bytes, 1000U);
}

TEST_F(memory_limits, of_version_2_are_the_smallest_up_to_the_root) {
  write("groups", "0::/a/b");
  write("mounted/a/b/memory.max", "700");
  EXPECT_EQ(limit().bytes, 700U);
  write("mounted/a/memory.max", "600");
  EXPECT_EQ(limit().bytes, 600U);
  EXPECT_EQ(limit().name, "the memory limit of control group /a");
  write("mounted/memory.max", "500");
  EXPECT_EQ(limit().bytes, 500U);
}

TEST_F(memory_limits, of_version_1_are_found_by_their_controller) {
  write("groups", "5:cpu,cpuacct:/x\n4:hugetlb,memory:/a/b\n0::/");
  write("mounted/memory/x/memory.limit_in_bytes", "1");
  write("mounted/memory/a/b/memory.limit_in_bytes", "800");
  write("mounted/memory/a/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(limit().bytes, 800U);
  EXPECT_EQ(limit().name, "the memory limit of control group /a/b");
}

TEST_F(memory_limits, of_the_process_follow_ulimit) {
#if defined(__riscv)
  GTEST_SKIP() << "the emulator keeps its own limits";
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizer's own memory is beyond any limit";
#endif
#endif
  pid_t const child = fork();
  if (child == 0) {
    rlimit const r{123 << 20, RLIM_INFINITY};
    setrlimit(RLIMIT_DATA, &r);
    detail::memory_limit const l = detail::process_memory_limit();
    _exit(l.bytes == 123 << 20 && l.name == "`ulimit -d`" ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(memory_limit, what_is_free_is_read_from_the_systems_file) {
#if defined(__riscv)
  GTEST_SKIP() << "the file tells of the emulator's host";
#endif
  auto const file = std::filesystem::temp_directory_path() / ("tess-meminfo-" + std::to_string(getpid()));
  std::ofstream(file) << "MemTotal:       24000000 kB\nMemFree:          100000 kB\nMemAvailable:     300000 kB\n";
  EXPECT_EQ(detail::available_memory(file), 300000ULL << 10);
  std::filesystem::remove(file);
  EXPECT_EQ(detail::available_memory(file), UINT64_MAX);
  EXPECT_GT(detail::available_memory(), 0U);
}

}  // namespace
}  // namespace tess::test
