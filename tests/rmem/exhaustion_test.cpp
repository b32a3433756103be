// exhaustion_test: a server whose disk fails or whose memory is exhausted. Method: `tess memd` processes with a
// preloaded library in which fdatasync fails, or with a limit on their address space.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "memd_process.hpp"
#include "running_server.hpp"

namespace tess::rmem {
namespace {

struct environment_variable {
  char const* name;
  environment_variable(char const* n, std::string const& value) : name(n) { setenv(name, value.c_str(), 1); }
  environment_variable(environment_variable const&) = delete;
  environment_variable& operator=(environment_variable const&) = delete;
  ~environment_variable() { unsetenv(name); }
};

TEST(rmem_exhaustion, with_sync_nothing_is_acknowledged_before_the_disk_has_it) {
  std::string const flag = "/dev/shm/tess-failing-sync-" + std::to_string(getpid());
  environment_variable const patience("TESS_FAILURE_TIMEOUT", "0.3");
  for (bool const syncs : {true, false}) {
    kept_file const file;
    std::string const at = fresh_address();
    std::vector<std::string> words{"--size", "16M", "--name", at, "--file", file.path.string()};
    if (syncs) words.emplace_back("--sync");
    environment_variable const before("LD_PRELOAD", std::getenv("FAILING_SYNC_LIBRARY"));
    environment_variable const named("FAILING_SYNC", flag);
    memd_process server(words);
    client c(at);
    auto const r = c.create("a", 5 * mebibyte);
    auto const bytes = random_bytes(5 * mebibyte, 1);
    c.memwrite(r.base, bytes.data(), bytes.size());
    std::ofstream(flag) << "now";
    std::uint64_t word = 7;
    if (syncs) {
      EXPECT_THROW(c.memwrite(r.base, &word, sizeof word), lost);
      EXPECT_EQ(WEXITSTATUS(server.end()), 1);
    } else {
      c.memwrite(r.base, &word, sizeof word);
    }
    unlink(flag.c_str());
    if (!syncs) continue;
    server.start();
    c.memread(&word, r + 4096, sizeof word);
    EXPECT_EQ(std::memcmp(&word, bytes.data() + 4096, sizeof word), 0) << "after a restart";
  }
}

TEST(rmem_exhaustion, with_sync_many_writers_are_served) {
  kept_file const file;
  std::string const at = fresh_address();
  memd_process const server({"--size", "16M", "--name", at, "--file", file.path.string(), "--sync"});
  std::vector<std::thread> writers;
  for (unsigned i = 0; i < 4; ++i)
    writers.emplace_back([&, i] {
      client c(at);
      auto const r = c.create("r" + std::to_string(i), mebibyte);
      for (std::uint64_t round = 1; round <= 50; ++round) {
        c.memwrite(r + 8 * round, &round, sizeof round);
        std::uint64_t seen = 0;
        c.memread(&seen, r + 8 * round, sizeof seen);
        ASSERT_EQ(seen, round);
      }
    });
  for (auto& w : writers) w.join();
}

/// It may map `more` bytes beyond what it has now.
void limit_memory(pid_t process, std::uint64_t more) {
  std::uint64_t pages = 0;
  std::ifstream("/proc/" + std::to_string(process) + "/statm") >> pages;
  std::uint64_t const bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + more;
  rlimit const limit{bytes, bytes};
  ASSERT_EQ(prlimit(process, RLIMIT_AS, &limit, nullptr), 0);
}

TEST(rmem_exhaustion, a_server_out_of_memory_refuses_changes_and_serves_what_it_has) {
  std::string const at = fresh_address();
  memd_process const server({"--size", "64M", "--name", at});
  client c(at);
  auto const kept = c.create("kept", 4096);
  std::uint64_t word = 7;
  c.memwrite(kept.base, &word, sizeof word);
  limit_memory(server.number(), 12 * mebibyte);
  std::string const long_name(240, 'x');
  std::vector<region> filling;
  std::string said = "not refused";
  for (unsigned i = 0; said == "not refused" && i < 2000; ++i)
    said = refusal_of([&] {
      filling.push_back(c.create("r" + std::to_string(i), 64));
      for (unsigned k = 1; k < 64; ++k) c.link(filling.back().base, long_name + std::to_string(i * 64 + k));
    });
  EXPECT_EQ(said, "the server is out of memory for regions, names and rights");
  EXPECT_GT(filling.size(), 10U);
  word = 0;
  EXPECT_EQ(c.open("kept", rights::read).base, kept.base);
  c.memread(&word, kept.base, sizeof word);
  EXPECT_EQ(word, 7U);
  for (auto const& r : filling) c.remove(r.base);
  EXPECT_EQ(refusal_of([&] { c.create("again", 4096); }), "not refused") << "there is memory again";
  EXPECT_EQ(c.state().regions, 2U);
}

}  // namespace
}  // namespace tess::rmem
